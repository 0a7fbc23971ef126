#include "step/step.h"

#include "base/context.h"
#include "base/memory.h"
#include "base/pages.h"
#include "step/bodies/split.h"
#include "step/create.h"
#include "step/flight/momentum.h"
#include "step/frozen/bonds.h"
#include "step/frozen/carry.h"
#include "step/frozen/contact.h"
#include "step/frozen/cut.h"
#include "step/frozen/float.h"
#include "step/frozen/motion.h"
#include "step/frozen/shape.h"
#include "step/frozen/surface.h"
#include "step/heat/material_state.h"
#include "step/liquid/advect.h"
#include "step/liquid/extend.h"
#include "step/liquid/forces.h"
#include "step/liquid/gather.h"
#include "step/liquid/inflow.h"
#include "step/liquid/levelset.h"
#include "step/liquid/redistance.h"
#include "step/liquid/reseed.h"
#include "step/liquid/transfer.h"
#include "step/liquid/walls.h"
#include "step/obstacles/rasterize.h"
#include "step/pressure/pressure.h"
#include "step/sim.h"
#include "step/viscosity/friction.h"
#include "step/viscosity/viscosity.h"

// Tiles reach this far beyond particles: the level set's band, and what transport and extension read.
#define MARGIN (TLW_PHI_BAND + 0.5f)

static bool onParticles(const tlwSim *sim)
{
    return sim->scene->def.transport == TLW_TRANSPORT_APIC || sim->scene->def.transport == TLW_TRANSPORT_FLIP;
}

static bool isAffine(const tlwSim *sim)
{
    return sim->scene->def.transport == TLW_TRANSPORT_APIC;
}

// Memory that a stage needs and others do not goes back to the system in between: to have it again costs time, which
// small scenes save.
static bool isFrugal(const tlwSim *sim)
{
    return sim->particles.count >= sim->frugal_from;
}

// Particles take velocity and gradient from the grid after the solves, which until then have the gradients' memory.
static bool restsParticles(const tlwSim *sim)
{
    return isAffine(sim) && isFrugal(sim);
}

// Stages are where a cancel is looked at; solves look at it in every iteration.
static tlwResult endStage(tlwSim *sim, const char *stage)
{
    tlwClockStage(sim, stage);
    return tlwIsCancelled(sim->context) ? TLW_CANCELLED : TLW_OK;
}

static tlwResult runSources(tlwSim *sim, double dt)
{
    tlwSeeder seeder = tlwMakeSeeder(sim);
    TLW_TRY(tlwMovePlacedMeshes(&sim->sources, sim->time, dt, sim->flow.grid.dx));
    return tlwRunSources(&seeder, &sim->sources, sim->time, &sim->came, &sim->went);
}

// Particles and level set move with the velocity of the last step; the tiles follow them.
static tlwResult transport(tlwSim *sim, double dt)
{
    tlwThreads *threads = sim->context->threads;
    tlwFlow *flow = &sim->flow;
    tlwSeeder seeder = tlwMakeSeeder(sim);
    double mass;
    tlwCarried carried = {0};
    tlwResult result = tlwFindCarried(&seeder, &sim->sources, sim->inflows, sim->time, dt, &carried);
    tlwAdvectParticles(threads, flow, dt, &sim->particles);
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
    if (!onParticles(sim))
        TLW_TRY(tlwAdvectVelocity(threads, flow, sim->scene->def.transport, dt));
    return tlwSortParticles(threads, &flow->grid, &sim->particles, &sim->order);
}

static double volumeRange(void *context, int64_t begin, int64_t end)
{
    const tlwSim *sim = context;
    double volume = 0;
    for (int64_t n = begin; n < end; n++)
        volume += tlwGetParticleVolume(&sim->particles, n, sim->scene->materials);
    return volume;
}

static tlwResult repairSurface(tlwSim *sim)
{
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

// Velocity, fill and density from the particles. In grid transport the velocity stays, only fill and density are new.
static tlwResult gather(tlwSim *sim)
{
    tlwThreads *threads = sim->context->threads;
    tlwFlow *flow = &sim->flow;
    tlwGrid *grid = &flow->grid;
    int kept[3] = {flow->velocity[0], flow->velocity[1], flow->velocity[2]};
    if (!onParticles(sim)) {
        for (int a = 0; a < 3; a++) // gather into the old velocity's slots, which grid transport does not use
            flow->velocity[a] = flow->old_velocity[a];
        tlwResult result =
            tlwGatherParticles(threads, &sim->particles, &sim->order, sim->scene->materials, false, flow);
        for (int a = 0; a < 3; a++)
            flow->velocity[a] = kept[a];
        return result;
    }
    TLW_TRY(tlwGatherParticles(threads, &sim->particles, &sim->order, sim->scene->materials, isAffine(sim), flow));
    TLW_TRY(tlwExtendGathered(threads, flow));
    for (int a = 0; a < 3 && !isAffine(sim); a++)
        tlwCopyFloats(threads, grid, tlwGetFloats(grid, flow->velocity[a]), tlwGetFloats(grid, flow->old_velocity[a]));
    return tlwListDrops(threads, flow, &sim->drops);
}

// Heat moves and material melts or freezes; then the cells' viscosity is known.
static tlwResult heat(tlwSim *sim, double dt)
{
    int iterations;
    TLW_TRY(tlwStepThermal(sim->context, &sim->thermal, &sim->order, sim->time, dt, &sim->flow, &sim->particles,
                           &iterations));
    if (isFrugal(sim))
        tlwReleaseScratch(sim->context->threads, &sim->flow.grid, sizeof(double)); // no other stage borrows doubles
    if (iterations > sim->stats.heat_iterations)
        sim->stats.heat_iterations = iterations;
    tlwUpdateMaterialState(sim->context->threads, &sim->flow, sim->scene->materials, sim->flow.frozen);
    if (sim->scene->material_count > 1)
        tlwMixViscosities(sim->context->threads, &sim->flow, sim->scene->materials, &sim->particles, &sim->order);
    tlwCleanPages(sim->context->threads);
    return TLW_OK;
}

// Move particles apart where they crowd; their velocity does not change.
static tlwResult spreadParticles(tlwSim *sim, tlwPressure *pressure)
{
    int slots[3];
    bool needed = false;
    tlwSolveStats stats;
    tlwResult result = tlwSolveDensity(pressure, slots, &needed, &stats);
    if (result == TLW_OK && needed) {
        tlwShiftParticles(sim->context->threads, &sim->flow.grid, slots, &sim->particles);
        tlwCollideParticles(sim->context->threads, &sim->flow, &sim->particles);
    }
    return result;
}

#define LAST_HALF 4        // times that a viscosity step is halved
#define DRAG_ITERATIONS 80 // with free pieces as unknowns; `melt_volume` takes 55

// One implicit viscosity solve; when it does not converge, two of half the length, and so on: never none.
static tlwResult diffuse(tlwSim *sim, double dt, const tlwShownShapes *shapes, tlwBodyCoupling *coupling, int depth)
{
    const tlwFlow *flow = &sim->flow;
    tlwViscosityDef def = {.grid = &sim->flow.grid,
                           .phi = flow->phi,
                           .solid = shapes->solid >= 0 ? shapes->solid : flow->solid,
                           .viscosity = shapes->viscosity >= 0 ? shapes->viscosity : flow->viscosity,
                           .has_slopes = flow->fluidity_slope[0] >= 0,
                           .density = flow->density,
                           .stick = flow->stick,
                           .held = flow->frozen,
                           .held_value = sim->pieces.count > 0 ? TLW_FROZEN_HELD : 0,
                           .has_nozzles = flow->given >= 0,
                           .has_grip = flow->grip[0] >= 0,
                           .open = {flow->open[0], flow->open[1], flow->open[2]},
                           .coupling = coupling,
                           .solid_object = flow->solid_object,
                           .label = shapes->label,
                           .piece = flow->piece,
                           .dt = dt,
                           .tolerance = sim->scene->def.viscosity_tolerance,
                           .max_iterations = sim->scene->def.max_iterations,
                           .cancel = sim->context->def.cancel,
                           .user = sim->context->def.user};
    if (shapes->solid >= 0 && def.max_iterations > DRAG_ITERATIONS)
        def.max_iterations = DRAG_ITERATIONS;
    for (int a = 0; a < 3; a++) {
        def.velocity[a] = flow->velocity[a];
        def.fluidity_slope[a] = flow->fluidity_slope[a];
        def.solid_velocity[a] = flow->solid_velocity[a];
        def.held_share[a] = flow->held_share[a];
        def.held_velocity[a] = flow->held_velocity[a];
        def.grip[a] = flow->grip[a];
    }
    tlwStressStats stats = {0};
    tlwResult result = tlwSolveViscosity(sim->context->threads, &def, &stats, &sim->context->message);
    if (stats.iterations > sim->stats.viscosity_iterations)
        sim->stats.viscosity_iterations = stats.iterations;
    if (result == TLW_OK) // others change nothing
        sim->stats.viscosity_residual = fmax(sim->stats.viscosity_residual, stats.residual);
    if (result != TLW_NOT_CONVERGED || depth == LAST_HALF)
        return result;
    TLW_TRY(diffuse(sim, 0.5 * dt, shapes, coupling, depth + 1));
    return diffuse(sim, 0.5 * dt, shapes, coupling, depth + 1);
}

// Viscosity over dt; with a coupling it drags bodies and free pieces. Where pieces make the system too hard to solve
// (melting ice in water that is nearly free of viscosity), they are held for this step: their drag is small there.
static tlwResult applyViscosity(tlwSim *sim, double dt, tlwBodyCoupling *coupling)
{
    const tlwShownShapes none = {-1, -1, -1};
    tlwShownShapes shapes = none;
    if (coupling)
        TLW_TRY(tlwShowShapes(sim->context, &sim->flow, &sim->pieces, &shapes));
    if (shapes.solid < 0)
        return diffuse(sim, dt, &none, coupling, 0);
    tlwResult result = diffuse(sim, dt, &shapes, coupling, LAST_HALF);
    tlwHideShapes(&sim->flow, &shapes);
    return result == TLW_NOT_CONVERGED ? diffuse(sim, dt, &none, coupling, 0) : result;
}

static double viscousRange(void *context, int64_t begin, int64_t end)
{
    const tlwFlow *flow = context;
    const float *viscosity = tlwGetFloats(&flow->grid, flow->viscosity);
    double most = 0;
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(&flow->grid, &flow->grid.tiles[t], j, k, row)
            for (int i = 0; i < TLW_TILE; i++)
                most = viscosity[row + i] > most ? viscosity[row + i] : most;
    return most;
}

static tlwResult projectOnce(tlwSim *sim, tlwPressure *pressure, bool correction)
{
    tlwSolveStats stats = {0};
    tlwResult result = tlwProjectVelocity(pressure, correction, &stats);
    if (stats.iterations > sim->stats.pressure_iterations)
        sim->stats.pressure_iterations = stats.iterations;
    sim->stats.pressure_residual = fmax(sim->stats.pressure_residual, stats.residual);
    tlwClockStage(sim, "pressure");
    return result;
}

// Solids, bodies and pieces move on the grid as the coupled bodies do.
static void showBodies(tlwSim *sim, double dt, const tlwBodyCoupling *coupling)
{
    if (sim->bodies.world) {
        tlwShowBodies(&sim->bodies, &sim->solids, coupling);
        tlwRasterizeSolidVelocity(&sim->solids, &sim->flow);
    }
    tlwMovePieces(sim->context, dt, &sim->flow, &sim->pieces, coupling);
    tlwClockStage(sim, "coupling");
}

// Pressure first: viscosity must not smear a fall that the floor is about to stop. Where viscosity is strong what it
// does is made divergence free again; a weak one changes too little for that.
static tlwResult solveFlow(tlwSim *sim, double dt, tlwPressure *pressure, tlwBodyCoupling *coupling)
{
    const tlwFlow *flow = &sim->flow;
    double dx = flow->grid.dx, density = sim->scene->materials[0].def.density_liquid;
    double viscosity = tlwParallelMax(sim->context->threads, flow->grid.tile_count, 16, viscousRange, &sim->flow);
    bool strong = viscosity * dt > 1e-3 * density * dx * dx;
    TLW_TRY(projectOnce(sim, pressure, false));
    if (sim->solids.split)
        tlwProjectBodies(&sim->flow, &sim->solids, dt, density, coupling);
    bool again = strong || flow->squeeze >= 0; // friction brakes what comes behind as well
    if (again)
        tlwApplyViscousPressure(pressure);
    else
        tlwFillFloats(sim->context->threads, &sim->flow.grid, tlwGetFloats(&flow->grid, flow->viscous_pressure), 0);
    // A viscous number below that changes no bit of a velocity in single precision.
    tlwClockStage(sim, "pressure");
    if (again || viscosity * dt > 1e-8 * density * dx * dx) {
        showBodies(sim, dt, coupling);
        if (isFrugal(sim)) // the viscosity solve is where most memory is needed
            tlwRestPressure(pressure);
        TLW_TRY(tlwFindGrip(sim->context->threads, sim->scene, dt, &sim->flow));
        tlwResult result = applyViscosity(sim, dt, strong && !sim->solids.split ? coupling : NULL);
        tlwReturnGrip(&sim->flow);
        tlwCleanPages(sim->context->threads);
        TLW_TRY(result);
        tlwClockStage(sim, "viscosity");
        if (again) {
            showBodies(sim, dt, coupling);
            TLW_TRY(projectOnce(sim, pressure, true));
            if (sim->solids.split)
                tlwProjectBodies(&sim->flow, &sim->solids, dt, density, coupling);
        }
    }
    showBodies(sim, dt, coupling);
    tlwFinishBodies(&sim->bodies, dt, coupling);
    return spreadParticles(sim, pressure);
}

// Viscosity and pressure, with rigid bodies and frozen pieces as unknowns.
static tlwResult solveMotion(tlwSim *sim, double dt, bool start, tlwBodyCoupling *coupling)
{
    const tlwSceneDef *scene = &sim->scene->def;
    tlwPressureDef def = {.dt = dt,
                          .tolerance = scene->pressure_tolerance,
                          .max_iterations = scene->max_iterations,
                          .default_density = sim->scene->materials[0].def.density_liquid,
                          .coupling = coupling,
                          .solids = sim->solids.split ? NULL : &sim->solids};
    tlwPieceSearch search = {sim->context,    &sim->solids,         &sim->order, &sim->flow,
                             &sim->particles, sim->thermal.objects, start};
    tlwPressure *pressure = NULL;
    if (sim->solids.split)
        TLW_TRY(tlwEnterBodies(&sim->flow, &sim->solids, dt, coupling));
    TLW_TRY(tlwFindPieces(&search, &sim->pieces));
    tlwResult result =
        tlwCouplePieces(sim->context, sim->scene, sim->time + dt, dt, &sim->flow, &sim->pieces, coupling);
    if (result == TLW_OK)
        tlwBindPieces(&sim->bodies, &sim->solids, &sim->pieces, coupling);
    if (result == TLW_OK)
        result = tlwRefinePieces(&search, dt, &sim->pieces, coupling);
    sim->stats.pieces = sim->pieces.count;
    if (result == TLW_OK)
        result = endStage(sim, "pieces");
    tlwRasterizeNozzles(&sim->sources, sim->time + 1.5 * dt, &sim->flow);
    if (restsParticles(sim))
        tlwRestParticles(sim->context->threads, &sim->particles);
    int phi = -1;
    if (result == TLW_OK)
        result = tlwShowCuts(sim->context, &sim->flow, &sim->pieces, &phi);
    def.phi = phi >= 0 ? phi : sim->flow.phi;
    if (result == TLW_OK)
        result = tlwCreatePressure(sim->context, &sim->flow, &def, &pressure);
    tlwClockStage(sim, "pressure");
    tlwClockAs(sim, "pressure", "coupling", coupling->seconds);
    if (result == TLW_OK && sim->bodies.world) {
        tlwRefineBuoyancy(&sim->flow, scene->gravity, dt, def.default_density, coupling);
        showBodies(sim, dt, coupling);
    }
    if (result == TLW_OK)
        result = solveFlow(sim, dt, pressure, coupling);
    tlwHoldNozzles(sim->context->threads, &sim->flow);
    tlwDestroyPressure(pressure);
    tlwReturnField(&sim->flow.grid, phi);
    if (isFrugal(sim))
        tlwReleaseScratch(sim->context->threads, &sim->flow.grid, 0);
    tlwCleanPages(sim->context->threads);
    tlwClockStage(sim, "spread");
    return result;
}

static tlwResult extend(tlwSim *sim, double dt)
{
    tlwVec3 fall = tlwScale(sim->scene->def.gravity, dt);
    int layers = (int)ceil(sim->scene->def.cfl) + 2;
    if (layers > TLW_PHI_BAND)
        layers = TLW_PHI_BAND;
    TLW_TRY(tlwExtendVelocity(sim->context->threads, &sim->flow, layers, onParticles(sim) ? &sim->drops : NULL, &fall));
    return tlwConstrainVelocity(sim->context->threads, sim->scene, &sim->flow);
}

static tlwResult updateParticles(tlwSim *sim, const tlwBodyCoupling *coupling)
{
    tlwThreads *threads = sim->context->threads;
    int per_axis = sim->scene->def.particles_per_axis;
    // Of grid transport particles only show the velocity; steps are chosen by it.
    float blend = onParticles(sim) ? (float)sim->scene->def.flip_blend : 0;
    tlwUpdateParticles(threads, &sim->flow, isAffine(sim), blend, &sim->particles);
    tlwUpdatePieceParticles(threads, &sim->flow, &sim->pieces, coupling, &sim->particles);
    return tlwReseedParticles(threads, &sim->flow, per_axis * per_axis * per_axis, &sim->order, &sim->particles,
                              &sim->next_id);
}

// Forces and solves: what changes the velocity while nothing moves. Heat moves on by `passed`: it does not take the
// lead.
static tlwResult accelerate(tlwSim *sim, double dt, double passed, tlwBodyCoupling *coupling)
{
    TLW_TRY(gather(sim));
    TLW_TRY(endStage(sim, "gather"));
    TLW_TRY(heat(sim, passed));
    TLW_TRY(endStage(sim, "heat"));
    TLW_TRY(tlwFindSqueeze(sim->context->threads, sim->scene, &sim->flow));
    tlwApplyForces(sim->context->threads, sim->scene, sim->time + dt, dt, &sim->flow);
    tlwClockStage(sim, "forces");
    tlwResult result = solveMotion(sim, dt, !(passed > 0), coupling);
    if (result != TLW_OK && restsParticles(sim)) // who goes on after this finds velocities
        tlwUpdateParticles(sim->context->threads, &sim->flow, true, 0, &sim->particles);
    TLW_TRY(result);
    TLW_TRY(extend(sim, dt));
    TLW_TRY(endStage(sim, "extend"));
    TLW_TRY(updateParticles(sim, coupling));
    tlwClockStage(sim, "particles");
    return TLW_OK;
}

// Velocities are half a step ahead of positions (leapfrog), so that a step of any length falls as gravity says. The
// first step gives them their lead.
static tlwResult takeLead(tlwSim *sim, double dt)
{
    tlwBodyCoupling coupling;
    tlwMomentum before;
    TLW_TRY(tlwMovePlacedMeshes(&sim->solids, -dt, dt, sim->flow.grid.dx));
    TLW_TRY(tlwPredictBodies(&sim->bodies, &sim->solids, 0, 0.5 * dt, &coupling));
    tlwResult result = tlwMeasureMomentum(sim, 0, &before);
    tlwRasterizeSolids(&sim->solids, &sim->flow);
    if (result == TLW_OK)
        result = accelerate(sim, 0.5 * dt, 0, &coupling);
    tlwFreeBodyCoupling(&coupling);
    sim->lead = 0.5 * dt;
    if (result == TLW_OK)
        result = tlwKeepMomentum(sim, &before, 0.5 * dt);
    tlwFreeMomentum(sim, &before);
    return result;
}

// Obstacles, bodies and frozen pieces where they are at the end of the step.
static tlwResult moveObstacles(tlwSim *sim, double dt, double kick, tlwBodyCoupling *coupling)
{
    tlwPieceWorld place = {sim->context,    &sim->solids,      &sim->flow,
                           &sim->particles, sim->bodies.world, tlwCountSceneBodies(&sim->bodies)};
    tlwPieceColliders colliders;
    TLW_TRY(tlwMovePlacedMeshes(&sim->solids, sim->time, dt, sim->flow.grid.dx));
    tlwResult result = tlwPlacePieces(&place, dt, &sim->pieces, &colliders);
    if (result == TLW_OK)
        result = tlwFastenBonds(&sim->bodies, &sim->solids, &sim->pieces);
    if (result == TLW_OK)
        result = tlwMoveBodies(&sim->bodies, &sim->solids, sim->time, dt);
    if (result == TLW_OK) {
        tlwTakePieceMotion(&place, sim->time, dt, &sim->pieces);
        result = tlwCarryOnShapes(&sim->bodies, &sim->solids, &sim->flow.grid, &sim->particles, dt, &sim->pieces);
    }
    if (result == TLW_OK)
        result = tlwCarryPieces(sim->context, dt, &sim->flow, &sim->pieces, &sim->particles);
    if (result == TLW_OK) {
        tlwPushPieces(&place, sim->time + dt, kick, &sim->pieces);
        result = tlwPredictBodies(&sim->bodies, &sim->solids, sim->time + dt, kick, coupling);
    }
    tlwUnfastenBonds(&sim->bodies);
    tlwExpectPieceContacts(&place, kick, &sim->pieces);
    tlwFreePieceColliders(&colliders);
    return result;
}

tlwResult tlwStep(tlwSim *sim, double dt)
{
    tlwClockStage(sim, NULL);
    tlwKeepPages(!isFrugal(sim));
    if (isFrugal(sim))
        tlwTrimMemory(); // of what was done between steps: meshing, writing
    if (sim->step_count == 0)
        TLW_TRY(takeLead(sim, dt));
    double kick = fmax(1.5 * dt - sim->lead, 0.5 * dt); // dt, but for a change of step
    tlwBodyCoupling coupling = {0};
    tlwMomentum before;
    TLW_TRY(runSources(sim, dt));
    tlwClockStage(sim, "sources");
    tlwResult result = tlwMeasureMomentum(sim, dt, &before);
    tlwClockStage(sim, "momentum");
    if (result == TLW_OK)
        result = moveObstacles(sim, dt, kick, &coupling);
    if (result == TLW_OK)
        result = endStage(sim, "bodies");
    if (result == TLW_OK)
        result = transport(sim, dt);
    if (result == TLW_OK)
        result = endStage(sim, "transport");
    if (result == TLW_OK)
        result = repairSurface(sim);
    if (result == TLW_OK)
        result = endStage(sim, "surface");
    if (result == TLW_OK)
        result = accelerate(sim, kick, dt, &coupling);
    tlwFreeBodyCoupling(&coupling);
    if (result == TLW_OK)
        result = tlwKeepMomentum(sim, &before, kick);
    tlwFreeMomentum(sim, &before);
    tlwClockStage(sim, "momentum");
    TLW_TRY(result);

    sim->lead += kick - dt;
    sim->time += dt;
    sim->step_count++;
    return TLW_OK;
}
