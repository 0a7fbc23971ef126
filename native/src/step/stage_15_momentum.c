// What flies keeps its momentum: measured before the step, given back after it.
#include "base/context.h"
#include "step/flight/momentum.h"
#include "step/stages.h"

static tlwFlightInput show(tlwSim *sim)
{
    return (tlwFlightInput){.context = sim->context,
                            .scene = sim->scene,
                            .solids = &sim->solids,
                            .flow = &sim->flow,
                            .particles = &sim->particles,
                            .bodies = &sim->bodies,
                            .next_id = sim->next_id,
                            .disturbed = sim->sources.count || sim->pieces.count};
}

tlwResult tlwStageMeasureMomentum(tlwSim *sim, tlwStepPlan *plan)
{
    tlwFlightInput in = show(sim);
    return tlwMeasureMomentum(&in, plan->dt, &plan->momentum);
}

tlwResult tlwStageKeepMomentum(tlwSim *sim, tlwStepPlan *plan)
{
    tlwFlightInput in = show(sim);
    return tlwKeepMomentum(&in, &plan->momentum, plan->kick);
}

void tlwFreeStepMomentum(tlwSim *sim, tlwStepPlan *plan)
{
    tlwFlightInput in = show(sim);
    tlwFreeMomentum(&in, &plan->momentum);
}
