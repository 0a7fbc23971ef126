#include "step/step.h"

#include "base/context.h"
#include "base/memory.h"
#include "base/pages.h"
#include "scene/world.h"
#include "step/liquid/transfer.h"
#include "step/progress.h"
#include "step/stages.h"

typedef struct Stage {
    tlwStageFn *run;
    const char *name; // in the statistics and in progress
} Stage;

// The algorithm.
static const Stage step[] = {
    {tlwStageSources, "sources"},          // inflows and outflows
    {tlwStageMeasureMomentum, "momentum"}, // of what flies
    {tlwStageObstacles, "bodies"},         // obstacles, bodies and frozen pieces move
    {tlwStageTransport, "transport"},      // particles and level set move
    {tlwStageSurface, "surface"},          // level set and particles agree again
    {tlwStageGather, "gather"},            // particles to grid
    {tlwStageHeat, "heat"},                // conduction, melting, freezing; viscosity of cells
    {tlwStageForces, "forces"},            // gravity and force fields
    {tlwStagePieces, "pieces"},            // frozen cells become rigid pieces
    {tlwStagePressure, "pressure"},        // no divergence, with bodies
    {tlwStageViscosity, "viscosity"},      // viscous stress, and pressure again where it is strong
    {tlwStageSpread, "spread"},            // crowded particles move apart
    {tlwStageExtend, "extend"},            // velocity into the air
    {tlwStageParticles, "particles"},      // grid to particles
    {tlwStageKeepMomentum, "momentum"},    // what flies gets back what it lost
    {NULL, NULL},
};

// Velocities are half a step ahead of positions (leapfrog), so that a fall follows gravity for any length of steps.
// Before the first step velocities take that lead while nothing moves and no heat flows.
static const Stage lead[] = {
    {tlwStageFirstObstacles, "bodies"},
    {tlwStageMeasureMomentum, "momentum"},
    {tlwStageRasterize, "solids"},
    {tlwStageGather, "gather"},
    {tlwStageHeat, "heat"},
    {tlwStageForces, "forces"},
    {tlwStagePieces, "pieces"},
    {tlwStagePressure, "pressure"},
    {tlwStageViscosity, "viscosity"},
    {tlwStageSpread, "spread"},
    {tlwStageExtend, "extend"},
    {tlwStageParticles, "particles"},
    {tlwStageKeepMomentum, "momentum"},
    {NULL, NULL},
};

// Cancelling is checked between stages; solves check it in every iteration.
static tlwResult runStages(tlwSim *sim, tlwStepPlan *plan, const Stage *stages)
{
    for (; stages->run; stages++) {
        TLW_TRY(stages->run(sim, plan));
        tlwClockStage(sim, stages->name);
        if (tlwIsCancelled(sim->context))
            return TLW_CANCELLED;
    }
    return TLW_OK;
}

// Run the stages and give back all that they hold, however they ended.
static tlwResult runPlan(tlwSim *sim, tlwStepPlan plan, const Stage *stages)
{
    plan.cut_phi = plan.firm = plan.momentum.flight.cells = -1;
    tlwResult result = runStages(sim, &plan, stages);
    tlwEndSolves(sim, &plan);
    tlwReturnField(&sim->flow.grid, plan.firm);
    if (plan.resting) // after a failure particles must have velocities to go on with
        tlwUpdateParticles(sim->context->threads, &sim->flow, true, 0, &sim->particles);
    tlwFreeBodyCoupling(&plan.coupling);
    tlwFreeStepMomentum(sim, &plan);
    return result;
}

tlwResult tlwStep(tlwSim *sim, double dt)
{
    tlwClockStage(sim, NULL);
    tlwKeepPages(!tlwIsFrugal(sim));
    if (tlwIsFrugal(sim))
        tlwTrimMemory(); // memory of work between steps: meshing, writing
    if (sim->step_count == 0) {
        *sim->gravity = tlwSampleWorld(sim->scene, sim->time + 0.25 * dt).gravity;
        TLW_TRY(runPlan(sim, (tlwStepPlan){.kick = 0.5 * dt}, lead));
        sim->lead = 0.5 * dt;
    }
    double kick = fmax(1.5 * dt - sim->lead, 0.5 * dt); // dt, unless the length of steps changes
    // In the middle of the kick gravity has its mean value.
    *sim->gravity = tlwSampleWorld(sim->scene, sim->time + sim->lead + 0.5 * kick).gravity;
    TLW_TRY(runPlan(sim, (tlwStepPlan){.dt = dt, .kick = kick, .passed = dt}, step));
    sim->lead += kick - dt;
    sim->time += dt;
    sim->step_count++;
    return TLW_OK;
}
