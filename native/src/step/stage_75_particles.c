// Particles take the new velocity from the grid; where few or many are left in a cell, some are made or joined.
#include "base/context.h"
#include "scene/scene.h"
#include "step/frozen/motion.h"
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
    tlwUpdatePieceParticles(threads, &sim->flow, &sim->pieces, &plan->coupling, &sim->particles);
    return tlwReseedParticles(threads, &sim->flow, per_axis * per_axis * per_axis, &sim->order, &sim->particles,
                              &sim->next_id);
}
