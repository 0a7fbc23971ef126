#include "step/create.h"

#include "base/clock.h"
#include "base/context.h"
#include "base/memory.h"
#include "base/pages.h"
#include "scene/check.h"
#include "scene/scene.h"
#include "step/heat/material_state.h"
#include "step/liquid/forces.h"
#include "step/liquid/free_surface.h"
#include "step/liquid/gather.h"
#include "step/liquid/levelset.h"
#include "step/liquid/redistance.h"
#include "step/liquid/transfer.h"
#include "step/liquid/walls.h"
#include "step/obstacles/rasterize.h"
#include "step/sim.h"
#include "step/step.h"
#include "step/views/measure.h"

#include <string.h>

// Seconds go to a stage of the statistics.
static void addSeconds(tlwStats *stats, const char *stage, double seconds)
{
    int n = 0;
    while (n < stats->stage_count && strcmp(stats->stage_name[n], stage) != 0)
        n++;
    if (n == TLW_MAX_STAGES)
        return;
    if (n == stats->stage_count) {
        stats->stage_name[stats->stage_count++] = stage;
        stats->stage_seconds[n] = 0;
    }
    stats->stage_seconds[n] += seconds;
}

void tlwClockStage(tlwSim *sim, const char *stage)
{
    double time = tlwGetClock();
    if (stage)
        addSeconds(&sim->stats, stage, time - sim->stage_start);
    sim->stage_start = time;
    if (!stage)
        return;
    sim->stages++;
    double share = sim->stages_before ? fmin((double)sim->stages / sim->stages_before, 1) : 0;
    tlwReportProgress(sim->context, sim->span > 0 ? (sim->done + share * sim->last_dt) / sim->span : 0, stage);
}

void tlwClockAs(tlwSim *sim, const char *from, const char *to, double seconds)
{
    addSeconds(&sim->stats, from, -seconds);
    addSeconds(&sim->stats, to, seconds);
}

void tlwShortenSteps(tlwSim *sim)
{
    sim->dt_limit = 0.5 * sim->last_dt;
}

void tlwLengthenSteps(tlwSim *sim)
{
    sim->dt_limit = fmin(2 * sim->dt_limit, 1e30);
}

// Said once: it goes on for many frames.
static void warnOfSteps(tlwSim *sim, int needed)
{
    if (sim->warned_of_steps)
        return;
    sim->warned_of_steps = true;
    tlwLog(
        sim->context, TLW_LOG_WARNING,
        "The liquid is so fast that a frame needs about %d steps, but Most Steps allows %d: it may pass through thin "
        "solids and lose volume. Raise Most Steps under Bake, Solver, or use more frames per second.",
        needed, sim->scene->def.max_substeps);
}

// Particles stand for exactly the volume that the level set encloses.
static void matchMassToSurface(tlwSim *sim)
{
    double volume = 0, inside = tlwGetLevelSetVolume(sim->context->threads, &sim->flow, NULL);
    for (int64_t n = 0; n < sim->particles.count; n++)
        volume += tlwGetParticleVolume(&sim->particles, n, sim->scene->materials);
    if (!(volume > 0) || !(inside > 0))
        return;
    float scale = (float)(inside / volume);
    for (int64_t n = 0; n < sim->particles.count; n++)
        sim->particles.mass[n] *= scale;
}

// Of the first object that is liquid, for a message.
static const char *nameOfLiquid(const tlwScene *scene)
{
    for (int o = 0; o < scene->object_count; o++)
        if (scene->objects[o].def.role == TLW_ROLE_LIQUID)
            return scene->objects[o].def.name;
    return "The liquid";
}

static tlwResult start(tlwSim *sim)
{
    tlwContext *context = sim->context;
    tlwFlow *flow = &sim->flow;
    double dx = sim->scene->def.cell_size;
    if (!tlwInitFlow(flow, sim->scene->def.domain_min, sim->scene->dims, dx) ||
        (sim->scene->material_count > 1 && !tlwAddFluiditySlopes(flow)))
        return tlwFailMemory(&context->message, "the grid");
    TLW_TRY(tlwPlaceMeshes(context, sim->scene, dx, tlwIsObstacle, &sim->solids));
    TLW_TRY(tlwPlaceMeshes(context, sim->scene, dx, tlwIsSource, &sim->sources));
    sim->inflows = tlwAlloc((size_t)sim->sources.count + 1, sizeof *sim->inflows);
    bool nozzles = false;
    for (int n = 0; n < sim->sources.count; n++)
        nozzles = nozzles || tlwIsNozzle(&sim->scene->objects[sim->sources.items[n].object].def);
    if (!sim->inflows || (nozzles && !tlwAddNozzleFields(flow)))
        return tlwFailMemory(&context->message, "an inflow");
    TLW_TRY(tlwCreateBodies(context, sim->scene, &sim->solids, &sim->bodies));
    TLW_TRY(tlwCreateThermal(context, sim->scene, &sim->solids, dx, &sim->thermal));
    tlwPlacedMeshes liquids;
    tlwResult result = tlwPlaceMeshes(context, sim->scene, dx, tlwIsLiquid, &liquids);
    tlwSeeder seeder = tlwMakeSeeder(sim);
    if (result == TLW_OK)
        result = tlwSeedLiquids(&seeder, &liquids);
    if (result == TLW_OK)
        result = tlwRunNozzles(&seeder, &sim->sources, &sim->solids, sim->inflows, 0, 0, &sim->came);
    if (result == TLW_OK)
        result = tlwActivateAroundParticles(context->threads, &sim->particles, TLW_PHI_BAND + 0.5f, &flow->grid);
    if (result == TLW_OK) {
        tlwRasterizeSolids(&sim->solids, flow);
        result = tlwRemoveInsideSolids(&seeder);
    }
    if (result == TLW_OK) {
        tlwUniteLevelSet(&seeder, &liquids);
        tlwAddNozzlesToLevelSet(&seeder, &sim->sources);
        result = tlwMeasureFreeSurface(&seeder, &liquids, &sim->sources);
    }
    sim->came = 0; // what fills nozzles counts as there from the start
    tlwDestroyPlacedMeshes(&liquids);
    TLW_TRY(result);
    if (!sim->particles.count && !sim->sources.count)
        return tlwFail(
            &context->message, TLW_BAD_ARGUMENT,
            "%s starts inside a solid, so that nothing of it is left; move it out, or make the cells smaller.",
            nameOfLiquid(sim->scene));
    TLW_TRY(tlwSortParticles(context->threads, &flow->grid, &sim->particles, &sim->order));
    TLW_TRY(tlwWetWalls(context->threads, flow));
    TLW_TRY(tlwRedistance(context->threads, flow));
    TLW_TRY(tlwExtendIntoSolids(context->threads, flow));
    matchMassToSurface(sim);
    for (int64_t n = 0; n < sim->particles.count; n++)
        sim->start_mass += sim->particles.mass[n];
    TLW_TRY(tlwGatherParticles(context->threads, &sim->particles, &sim->order, sim->scene->materials, false, flow));
    int iterations; // a step of no time fills in temperature and viscosity
    TLW_TRY(tlwStepThermal(context, &sim->thermal, &sim->order, 0, 0, flow, &sim->particles, &iterations));
    tlwUpdateMaterialState(context->threads, flow, sim->scene->materials, -1);
    return TLW_OK;
}

tlwResult tlwCreateSim(tlwScene *scene, tlwSim **sim)
{
    if (!scene || !sim)
        return TLW_BAD_ARGUMENT;
    TLW_TRY(tlwCheckScene(scene));
    tlwSim *made = tlwAlloc(1, sizeof *made);
    if (!made)
        return tlwFailMemory(&scene->context->message, "the simulation");
    made->context = scene->context;
    made->scene = scene;
    made->dt_limit = 1e30;
    made->frugal_from = 2000000;
    tlwResult result = start(made);
    if (result == TLW_OUT_OF_MEMORY && !scene->context->message.text[0])
        tlwFailMemory(&scene->context->message, "the simulation");
    if (result != TLW_OK) {
        tlwDestroySim(made);
        return result;
    }
    tlwMeasureSim(made);
    *sim = made;
    return TLW_OK;
}

void tlwFreeViews(tlwViewBuffers *views)
{
    tlwFree(views->particle_position);
    tlwFree(views->particle_velocity);
    tlwFree(views->particle_temperature);
    tlwFree(views->particle_melt);
    tlwFree(views->particle_rest);
    tlwDestroyMesh(&views->mesh);
    tlwFree(views->velocity);
    tlwFree(views->temperature);
    tlwFree(views->melt);
    tlwFree(views->rest);
    tlwFree(views->material);
}

void tlwDestroySim(tlwSim *sim)
{
    if (!sim)
        return;
    tlwFreeViews(&sim->views);
    tlwFreePieces(&sim->pieces);
    tlwDestroyBodies(&sim->bodies);
    tlwDestroyPlacedMeshes(&sim->solids);
    tlwDestroyPlacedMeshes(&sim->sources);
    tlwFree(sim->inflows);
    tlwDestroyThermal(&sim->thermal);
    tlwFreeParticles(&sim->particles);
    tlwFreeParticleOrder(&sim->order);
    tlwFreeDrops(&sim->drops);
    tlwFreeGrid(&sim->flow.grid);
    tlwFree(sim);
    tlwDropPages(); // the next one may be small
}

typedef struct Speed {
    const tlwParticles *particles;
} Speed;

static double speedRange(void *context, int64_t begin, int64_t end)
{
    const tlwParticles *q = ((const Speed *)context)->particles;
    double most = 0;
    for (int64_t n = begin; n < end; n++) {
        double u = q->velocity[0][n], v = q->velocity[1][n], w = q->velocity[2][n];
        most = fmax(most, u * u + v * v + w * w);
    }
    return most;
}

static double fastestInflow(const tlwSim *sim)
{
    double fastest = 0;
    for (int n = 0; n < sim->sources.count; n++) {
        const tlwObjectDef *def = &sim->scene->objects[sim->sources.items[n].object].def;
        fastest = fmax(fastest, tlwLength(tlwSampleKeys(def->keys, def->key_count, sim->time).velocity));
    }
    return fastest;
}

// The most fluid melt: s/m2, one over the kinematic viscosity.
static double fluidityRange(void *context, int64_t begin, int64_t end)
{
    const tlwSim *sim = context;
    double most = 0;
    for (int64_t n = begin; n < end; n++) {
        const tlwMaterial *material = &sim->scene->materials[sim->particles.material[n]];
        double enthalpy = sim->particles.enthalpy[n], melt = material->melts ? tlwGetMelt(material, enthalpy) : 0;
        if (melt > 0)
            most = fmax(most, material->def.density_liquid /
                                  tlwGetViscosity(material, tlwGetTemperature(material, enthalpy), melt));
    }
    return most;
}

// Waves two cells long swing with omega^2 = 8.9 g / dx where the surface passes through a cell's centre; a step that is
// longer than 2 / omega lets them grow. Viscosity damps them and allows for longer ones.
static double getWaveLimit(const tlwSim *sim)
{
    const tlwScene *scene = sim->scene;
    double dx = scene->def.cell_size, square = 8.9 * tlwLength(scene->def.gravity) / dx, fluidity = 0;
    bool melts = false;
    for (int m = 0; m < scene->material_count; m++) {
        const tlwMaterialDef *def = &scene->materials[m].def;
        melts = melts || scene->materials[m].melts;
        for (int n = 0; n < def->viscosity.count && !scene->materials[m].melts; n++)
            fluidity = fmax(fluidity, def->density_liquid / def->viscosity.value[n]);
    }
    if (melts)
        fluidity = fmax(fluidity,
                        tlwParallelMax(sim->context->threads, sim->particles.count, 16384, fluidityRange, (void *)sim));
    if (!(square > 0) || !(fluidity > 0))
        return INFINITY;
    double damping = 16 / (fluidity * dx * dx);
    return 0.95 * (damping + sqrt(damping * damping + 16 * square)) / (2 * square);
}

double tlwChooseStep(const tlwSim *sim, double left, int done, int *short_of)
{
    const tlwSceneDef *def = &sim->scene->def;
    Speed s = {&sim->particles};
    double speed = sqrt(tlwParallelMax(sim->context->threads, sim->particles.count, 65536, speedRange, &s));
    speed = fmax(speed, fmax(sim->solids.max_speed, fastestInflow(sim)));
    // What gravity and force fields will add counts as well; counting it up to the end of the frame keeps the frame's
    // steps even.
    double reach = def->cfl * def->cell_size;
    double gravity = tlwGetStrongestPush(sim->context->threads, sim->scene, sim->time, &sim->flow, &sim->particles);
    speed += fmin(gravity * fmin(left, 1 / def->fps), 1.5 * sqrt(gravity * reach));
    double dt = fmin(fmin(reach / (speed + 1e-9), getWaveLimit(sim)), sim->dt_limit);
    double needed = ceil(left / dt - 1e-6);
    int steps = (int)fmin(needed, 1e6), allowed = def->max_substeps - done;
    if (steps > allowed && sim->dt_limit >= left) { // shorter ones after a failure are all taken
        *short_of = done + steps;
        steps = allowed;
    }
    return left / (steps > 1 ? steps : 1);
}

// Sums over blocks of frames start anew; what describes the state is measured at the end.
static void resetStats(tlwSim *sim)
{
    tlwStats *stats = &sim->stats;
    stats->substeps = stats->stage_count = 0;
    stats->pressure_iterations = stats->viscosity_iterations = stats->heat_iterations = 0;
    stats->pressure_residual = stats->viscosity_residual = 0;
}

tlwResult tlwAdvance(tlwSim *sim, double seconds)
{
    if (!sim)
        return TLW_BAD_ARGUMENT;
    if (!(seconds >= 0) || !isfinite(seconds))
        return tlwFail(&sim->context->message, TLW_BAD_ARGUMENT,
                       "A simulation can only be advanced by a time that is not negative.");
    double begun = tlwGetClock(), left = seconds;
    sim->span = seconds;
    resetStats(sim);
    tlwResult result = TLW_OK;
    while (left > 1e-9 * seconds && result == TLW_OK) {
        if (tlwIsCancelled(sim->context)) {
            result = TLW_CANCELLED;
            break;
        }
        int short_of = 0;
        double dt = tlwChooseStep(sim, left, sim->stats.substeps, &short_of);
        if (short_of)
            warnOfSteps(sim, short_of);
        sim->done = seconds - left;
        sim->last_dt = dt;
        sim->stages_before = sim->stages;
        sim->stages = 0;
        tlwReportProgress(sim->context, seconds > 0 ? sim->done / seconds : 1, "step");
        result = tlwStep(sim, dt);
        left -= dt;
        sim->stats.substeps++;
    }
    if (result == TLW_CANCELLED)
        tlwFail(&sim->context->message, result, "Stopped on request.");
    else if (result == TLW_OUT_OF_MEMORY)
        tlwFailMemory(&sim->context->message, "the time step");
    tlwMeasureSim(sim);
    sim->stats.seconds = tlwGetClock() - begun;
    return result;
}

void tlwGetStats(const tlwSim *sim, tlwStats *stats)
{
    *stats = sim->stats;
}

tlwResult tlwGetPiece(const tlwSim *sim, int index, tlwPieceState *state)
{
    if (!sim || !state)
        return TLW_BAD_ARGUMENT;
    if (index < 0 || index >= sim->pieces.count)
        return tlwFail(&sim->context->message, TLW_BAD_ARGUMENT, "There is no frozen piece %d; there are %d.", index,
                       sim->pieces.count);
    const tlwPiece *piece = &sim->pieces.items[index];
    *state = (tlwPieceState){.id = piece->id,
                             .object = piece->object != TLW_NO_OBJECT ? piece->object : piece->bonded,
                             .centre = piece->centre,
                             .rotation = piece->rotation,
                             .velocity = piece->velocity,
                             .spin = piece->spin,
                             .mass = piece->mass};
    return TLW_OK;
}

tlwResult tlwGetBody(const tlwSim *sim, int object, tlwBodyState *state)
{
    if (!sim || !state)
        return TLW_BAD_ARGUMENT;
    const tlwBody *body = tlwFindBody(&sim->bodies, &sim->solids, object);
    if (!body || sim->scene->objects[object].def.role != TLW_ROLE_RIGID)
        return tlwFail(&sim->context->message, TLW_BAD_ARGUMENT, "Object %d is not a rigid body.", object);
    *state = (tlwBodyState){.position = tlwGetBodyOrigin(body),
                            .rotation = body->rotation,
                            .velocity = body->velocity,
                            .spin = body->spin,
                            .centre = body->position,
                            .mass = body->mass,
                            .temperature = sim->thermal.objects[object].temperature};
    return TLW_OK;
}
