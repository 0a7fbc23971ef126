// The level set becomes true to the particles again, a distance again, and keeps its volume.
#include "base/context.h"
#include "scene/scene.h"
#include "step/frozen/surface.h"
#include "step/liquid/levelset.h"
#include "step/liquid/redistance.h"
#include "step/liquid/transfer.h"
#include "step/liquid/walls.h"
#include "step/stages.h"

static double volumeRange(void *context, int64_t begin, int64_t end)
{
    const tlwSim *sim = context;
    double volume = 0;
    for (int64_t n = begin; n < end; n++)
        volume += tlwGetParticleVolume(&sim->particles, n, sim->scene->materials);
    return volume;
}

tlwResult tlwStageSurface(tlwSim *sim, tlwStepPlan *plan)
{
    (void)plan;
    tlwThreads *threads = sim->context->threads;
    int guard;
    TLW_TRY(tlwGuardSurface(sim->context, &sim->flow, &sim->pieces, &sim->order, &sim->particles, &guard));
    TLW_TRY(tlwCorrectLevelSet(threads, &sim->order, sim->scene->materials, &sim->particles, &sim->flow));
    TLW_TRY(tlwRedistance(threads, &sim->flow));
    TLW_TRY(tlwExtendIntoSolids(threads, &sim->flow));
    double volume = tlwParallelSum(threads, sim->particles.count, 16384, volumeRange, sim);
    tlwCorrectVolume(threads, &sim->flow, volume);
    tlwRestoreSurface(sim->context, &sim->flow, guard);
    return TLW_OK;
}
