// Particles take the new velocity from the grid; where few or many are left in a cell, some are made or joined. Then
// the velocity is made ready to move the surface.
#include "base/context.h"
#include "scene/scene.h"
#include "step/frozen/motion.h"
#include "step/liquid/close.h"
#include "step/liquid/own_motion.h"
#include "step/liquid/reseed.h"
#include "step/liquid/transfer.h"
#include "step/stages.h"

tlwResult tlwStageParticles(tlwSim *sim, tlwStepPlan *plan)
{
    tlwThreads *threads = sim->context->threads;
    int per_axis = sim->scene->def.particles_per_axis;
    // In grid transport particles only show the velocity, and the length of steps follows it.
    float blend = tlwCarriesVelocity(sim) ? (float)sim->scene->def.flip_blend : 0;
    tlwUpdateParticles(threads, &sim->flow, tlwCarriesGradient(sim), blend, &sim->particles);
    plan->resting = false;
    if (sim->scene->material_count > 1)
        tlwUpdateStiffParticles(threads, &sim->flow, plan->firm, sim->scene->materials, &sim->order, &sim->particles);
    tlwReturnField(&sim->flow.grid, plan->firm);
    plan->firm = -1;
    tlwUpdatePieceParticles(threads, &sim->flow, &sim->pieces, &plan->coupling, &sim->particles);
    TLW_TRY(tlwReseedParticles(threads, &sim->flow, per_axis * per_axis * per_axis, &sim->order, &sim->particles,
                               &sim->next_id));
    tlwCloseVelocity(threads, &sim->flow);
    return TLW_OK;
}
