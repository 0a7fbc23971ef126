// Heat moves and material melts or freezes; then the cells' viscosity is known.
#include "base/context.h"
#include "base/pages.h"
#include "scene/scene.h"
#include "step/heat/material_state.h"
#include "step/heat/thermal.h"
#include "step/stages.h"

tlwResult tlwStageHeat(tlwSim *sim, tlwStepPlan *plan)
{
    int iterations;
    TLW_TRY(tlwStepThermal(sim->context, &sim->thermal, &sim->order, sim->time, plan->passed, &sim->flow,
                           &sim->particles, &iterations));
    if (tlwIsFrugal(sim))
        tlwReleaseScratch(sim->context->threads, &sim->flow.grid, sizeof(double)); // no other stage borrows doubles
    if (iterations > sim->stats.heat_iterations)
        sim->stats.heat_iterations = iterations;
    tlwUpdateMaterialState(sim->context->threads, &sim->flow, sim->scene->materials, sim->flow.frozen);
    if (sim->scene->material_count > 1)
        tlwMixViscosities(sim->context->threads, &sim->flow, sim->scene->materials, &sim->particles, &sim->order);
    tlwCleanPages(sim->context->threads);
    return TLW_OK;
}
