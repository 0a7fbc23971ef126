// Particles and level set move with the velocity of the last step; the tiles follow them.
#include "base/context.h"
#include "scene/scene.h"
#include "step/liquid/advect.h"
#include "step/liquid/collide.h"
#include "step/liquid/inflow.h"
#include "step/liquid/seed.h"
#include "step/obstacles/rasterize.h"
#include "step/progress.h"
#include "step/stages.h"

// Cells that tiles reach beyond particles: the level set's band, and what transport and extension read.
#define MARGIN (TLW_PHI_BAND + 0.5f)

tlwResult tlwStageTransport(tlwSim *sim, tlwStepPlan *plan)
{
    double dt = plan->dt;
    tlwThreads *threads = sim->context->threads;
    tlwFlow *flow = &sim->flow;
    tlwSeeder seeder = tlwMakeSeeder(sim);
    double mass;
    tlwCarried carried = {0};
    tlwResult result = tlwFindCarried(&seeder, &sim->sources, sim->inflows, sim->time, dt, &carried);
    if (sim->solids.thin) // walls that particles must not pass move meanwhile
        tlwRasterizeSolidVelocity(&sim->solids, flow);
    tlwAdvectParticles(threads, flow, dt, sim->solids.thin, &sim->particles);
    tlwCarryParticles(&carried, &sim->particles);
    tlwFreeCarried(&carried);
    TLW_TRY(result);
    TLW_TRY(tlwRunNozzles(&seeder, &sim->sources, &sim->solids, sim->inflows, sim->time, dt, &sim->came));
    TLW_TRY(tlwRemoveOutside(threads, &flow->grid, sim->scene->def.walls, &sim->particles, &mass));
    sim->went += mass;
    TLW_TRY(tlwActivateAroundParticles(threads, &sim->particles, MARGIN, &flow->grid));
    tlwClockStage(sim, "transport");
    tlwRasterizeSolids(&sim->solids, flow);
    tlwClockStage(sim, "solids");
    tlwCollideParticles(threads, flow, &sim->particles);
    TLW_TRY(tlwAdvectLevelSet(threads, flow, dt));
    tlwApplySourcesToLevelSet(&seeder, &sim->sources);
    if (!tlwCarriesVelocity(sim))
        TLW_TRY(tlwAdvectVelocity(threads, flow, sim->scene->def.transport, dt));
    return tlwSortParticles(threads, &flow->grid, &sim->particles, &sim->order);
}

tlwResult tlwStageRasterize(tlwSim *sim, tlwStepPlan *plan)
{
    (void)plan;
    tlwRasterizeSolids(&sim->solids, &sim->flow);
    return TLW_OK;
}
