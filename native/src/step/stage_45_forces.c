// Gravity and force fields push the liquid.
#include "base/context.h"
#include "step/liquid/forces.h"
#include "step/stages.h"
#include "step/viscosity/friction.h"

tlwResult tlwStageForces(tlwSim *sim, tlwStepPlan *plan)
{
    TLW_TRY(tlwFindSqueeze(sim->context->threads, sim->scene, &sim->flow));
    tlwApplyForces(sim->context->threads, sim->scene, sim->time + plan->kick, plan->kick, &sim->flow);
    return TLW_OK;
}
