// Velocity, fill and density from the particles. In grid transport only fill and density: the grid keeps its velocity.
#include "base/context.h"
#include "scene/scene.h"
#include "step/liquid/drops.h"
#include "step/liquid/extend.h"
#include "step/liquid/gather.h"
#include "step/stages.h"

tlwResult tlwStageGather(tlwSim *sim, tlwStepPlan *plan)
{
    (void)plan;
    tlwThreads *threads = sim->context->threads;
    tlwFlow *flow = &sim->flow;
    tlwGrid *grid = &flow->grid;
    int kept[3] = {flow->velocity[0], flow->velocity[1], flow->velocity[2]};
    if (!tlwCarriesVelocity(sim)) {
        for (int a = 0; a < 3; a++) // gather into the old velocity's slots, which grid transport does not use
            flow->velocity[a] = flow->old_velocity[a];
        tlwResult result =
            tlwGatherParticles(threads, &sim->particles, &sim->order, sim->scene->materials, false, flow);
        for (int a = 0; a < 3; a++)
            flow->velocity[a] = kept[a];
        return result;
    }
    TLW_TRY(tlwGatherParticles(threads, &sim->particles, &sim->order, sim->scene->materials, tlwCarriesGradient(sim),
                               flow));
    TLW_TRY(tlwExtendGathered(threads, flow));
    for (int a = 0; a < 3 && !tlwCarriesGradient(sim); a++)
        tlwCopyFloats(threads, grid, tlwGetFloats(grid, flow->velocity[a]), tlwGetFloats(grid, flow->old_velocity[a]));
    return tlwListDrops(threads, flow, &sim->drops);
}
