// The liquid's velocity is continued into the air, as far as transport will read it.
#include "base/context.h"
#include "scene/scene.h"
#include "step/liquid/extend.h"
#include "step/stages.h"

#include <math.h>

tlwResult tlwStageExtend(tlwSim *sim, tlwStepPlan *plan)
{
    tlwVec3 fall = tlwScale(sim->scene->gravity, plan->kick);
    int layers = (int)ceil(sim->scene->def.cfl) + 2;
    if (layers > TLW_PHI_BAND)
        layers = TLW_PHI_BAND;
    TLW_TRY(tlwExtendVelocity(sim->context->threads, &sim->flow, layers, tlwCarriesVelocity(sim) ? &sim->drops : NULL,
                              &fall));
    return tlwConstrainVelocity(sim->context->threads, sim->scene, &sim->flow);
}
