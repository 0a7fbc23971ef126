// Inflows that keep themselves full add liquid, outflows take it away.
#include "base/context.h"
#include "step/liquid/seed.h"
#include "step/stages.h"

tlwResult tlwStageSources(tlwSim *sim, tlwStepPlan *plan)
{
    tlwSeeder seeder = tlwMakeSeeder(sim);
    TLW_TRY(tlwMovePlacedMeshes(&sim->sources, sim->time, plan->dt, sim->flow.grid.dx));
    return tlwRunSources(&seeder, &sim->sources, sim->time, &sim->came, &sim->went);
}
