#include "step/advance.h"

#include "base/clock.h"
#include "base/context.h"
#include "scene/scene.h"
#include "scene/world.h"
#include "step/liquid/forces.h"
#include "step/look.h"
#include "step/sides.h"
#include "step/step.h"

// Warn once: the cause lasts for many frames.
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

// Waves two cells long swing with omega^2 = 8.9 g / dx where the surface passes through a cell's centre. Steps longer
// than 2 / omega let them grow. Viscosity damps them and allows longer steps.
static double getWaveLimit(const tlwSim *sim)
{
    const tlwScene *scene = sim->scene;
    double dx = scene->def.cell_size, square = 8.9 * tlwLength(scene->gravity) / dx, fluidity = 0;
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
    // Add the speed that gravity and force fields will give. Counting it up to the end of the frame keeps the frame's
    // steps even.
    double reach = def->cfl * def->cell_size;
    double gravity = tlwGetStrongestPush(sim->context->threads, sim->scene, sim->time, &sim->flow, &sim->particles);
    double frame = tlwSampleWorld(sim->scene, sim->time).time_scale / def->fps;
    speed += fmin(gravity * fmin(left, frame), 1.5 * sqrt(gravity * reach));
    double dt = fmin(fmin(reach / (speed + 1e-9), getWaveLimit(sim)), sim->dt_limit);
    double needed = ceil(left / dt - 1e-6);
    int steps = (int)fmin(needed, 1e6), allowed = def->max_substeps - done;
    if (steps > allowed && sim->dt_limit >= left) { // after a failure all the shorter steps are taken
        *short_of = done + steps;
        steps = allowed;
    }
    return left / (steps > 1 ? steps : 1);
}

// Keyed gravity: the stronger of now and the end of the frame, for the length of the step.
static void chooseGravity(tlwSim *sim, double left)
{
    tlwVec3 now = tlwSampleWorld(sim->scene, sim->time).gravity,
            then = tlwSampleWorld(sim->scene, sim->time + left).gravity;
    *sim->gravity = tlwLength(then) > tlwLength(now) ? then : now;
}

// Counts start anew with each tlwAdvance; values that describe the state are measured at its end.
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
        chooseGravity(sim, left);
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
    tlwMeasureState(sim);
    sim->stats.seconds = tlwGetClock() - begun;
    return result;
}

#define RETRIES 3 // of a frame, each with steps half as long

tlwResult tlwAdvanceFrame(tlwSim *sim, double seconds, const char *checkpoint, const char *frame)
{
    if (!(sim->sides_reached & TLW_SIDES_KNOWN))
        tlwWatchSides(sim, frame);
    tlwResult result = tlwAdvance(sim, seconds);
    for (int n = 0; result == TLW_NOT_CONVERGED && checkpoint && n < RETRIES; n++) {
        double failed = sim->last_dt;
        tlwLog(sim->context, TLW_LOG_INFO, "%s is tried again with steps half as long: %s", frame,
               sim->context->message.text);
        TLW_TRY(tlwLoadState(sim, checkpoint));
        sim->dt_limit = 0.5 * failed;
        result = tlwAdvance(sim, seconds);
    }
    if (result == TLW_OK)
        tlwWatchSides(sim, frame);
    if (result == TLW_OK)
        sim->dt_limit = fmin(2 * sim->dt_limit, 1e30);
    return result;
}
