// Pressure makes the velocity free of divergence, with rigid bodies and frozen pieces as unknowns. It comes before
// viscosity: viscosity must not smear the velocity of a fall that the floor is about to stop.
#include "base/context.h"
#include "base/pages.h"
#include "scene/scene.h"
#include "step/bodies/split.h"
#include "step/frozen/cut.h"
#include "step/frozen/motion.h"
#include "step/liquid/inflow.h"
#include "step/obstacles/rasterize.h"
#include "step/pressure/pressure.h"
#include "step/progress.h"
#include "step/stages.h"

tlwResult tlwProject(tlwSim *sim, tlwStepPlan *plan, bool correction)
{
    tlwSolveStats stats = {0};
    tlwResult result = tlwProjectVelocity(plan->pressure, correction, &stats);
    if (stats.iterations > sim->stats.pressure_iterations)
        sim->stats.pressure_iterations = stats.iterations;
    sim->stats.pressure_residual = fmax(sim->stats.pressure_residual, stats.residual);
    tlwClockStage(sim, "pressure");
    if (result == TLW_OK && sim->solids.split)
        tlwProjectBodies(&sim->flow, &sim->solids, plan->kick, tlwGetMainDensity(sim), &plan->coupling);
    return result;
}

// Solids, bodies and pieces move on the grid as the coupled bodies do.
void tlwShowMotion(tlwSim *sim, const tlwStepPlan *plan)
{
    if (sim->bodies.world) {
        tlwShowBodies(&sim->bodies, &sim->solids, &plan->coupling);
        tlwRasterizeSolidVelocity(&sim->solids, &sim->flow);
    }
    tlwMovePieces(sim->context, plan->kick, &sim->flow, &sim->pieces, &plan->coupling);
    tlwClockStage(sim, "coupling");
}

// Assemble the system. From here on the solves may use the memory of the particles' gradients.
static tlwResult open(tlwSim *sim, tlwStepPlan *plan)
{
    const tlwSceneDef *scene = &sim->scene->def;
    tlwPressureDef def = {.dt = plan->kick,
                          .tolerance = scene->pressure_tolerance,
                          .max_iterations = scene->max_iterations,
                          .default_density = tlwGetMainDensity(sim),
                          .coupling = &plan->coupling,
                          .solids = sim->solids.split ? NULL : &sim->solids};
    plan->solving = true;
    tlwRasterizeNozzles(&sim->sources, sim->time + 1.5 * plan->kick, &sim->flow);
    if (tlwCarriesGradient(sim) && tlwIsFrugal(sim)) {
        tlwRestParticles(sim->context->threads, &sim->particles);
        plan->resting = true;
    }
    TLW_TRY(tlwShowCuts(sim->context, &sim->flow, &sim->pieces, &plan->cut_phi));
    def.phi = plan->cut_phi >= 0 ? plan->cut_phi : sim->flow.phi;
    return tlwCreatePressure(sim->context, &sim->flow, &def, &plan->pressure);
}

tlwResult tlwStagePressure(tlwSim *sim, tlwStepPlan *plan)
{
    tlwResult result = open(sim, plan);
    tlwClockStage(sim, "pressure");
    tlwClockAs(sim, "pressure", "coupling", plan->coupling.seconds);
    TLW_TRY(result);
    if (sim->bodies.world) {
        tlwRefineBuoyancy(&sim->flow, sim->scene->gravity, plan->kick, tlwGetMainDensity(sim), &plan->coupling);
        tlwShowMotion(sim, plan);
    }
    return tlwProject(sim, plan, false);
}

void tlwEndSolves(tlwSim *sim, tlwStepPlan *plan)
{
    if (!plan->solving)
        return;
    plan->solving = false;
    tlwHoldNozzles(sim->context->threads, &sim->flow);
    tlwDestroyPressure(plan->pressure);
    plan->pressure = NULL;
    tlwReturnField(&sim->flow.grid, plan->cut_phi);
    plan->cut_phi = -1;
    if (tlwIsFrugal(sim))
        tlwReleaseScratch(sim->context->threads, &sim->flow.grid, 0);
    tlwCleanPages(sim->context->threads);
}
