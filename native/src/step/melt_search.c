// How fast heat must move for wax to melt in time (tlwFindMeltSpeed), on a coarse copy of a scene. Heat alone comes
// first: one run knows every speed, and whether losses win. Its melt stays where it is and shields what is behind it.
// In a bake melt runs off and wax sinks onto its heater, several times as soon. So short runs with flow correct it.
#include "base/context.h"
#include "base/memory.h"
#include "base/vec.h"
#include "scene/keys.h"
#include "scene/scene.h"
#include "scene/world.h"
#include "step/heat/thermal.h"
#include "step/obstacles/rasterize.h"
#include "step/sim.h"

#include <math.h>
#include <string.h>

#define MELT_COOKIE (0x7A110008 ^ TLW_ABI_VERSION)
#define LEAST_SPEED 1e-2
#define MOST_SPEED 1e7 // that a scene may have
#define GROWTH 1.2     // of the steps of a search whose heaters do not change
#define KEYED_STEPS 24 // to the frame, where they do
#define STEADY 0.005   // of all heat so far: less than this while the time doubles means that losses win
#define STRONGEST 64   // times: heaters that would have to be stronger are no answer
#define HALVINGS 6     // of a step whose solve does not converge
#define LEAST_PARTICLES 150
#define FLOWING 4      // times sooner than by heat alone: where runs with flow begin
#define FLOW_RUNS 4    // at most
#define FLOW_CHUNKS 48 // until the frame, between looks at what has melted
#define FLOW_CFL 4     // coarse steps for a coarse answer
#define NEAR 1.4       // times too early or too late: from here on the time scales with the speed
#define MARGIN 1.1
#define MOST_CELLS 64 // along the longest side, of a search that found nothing in fewer
#define SAME 0.03     // of the material: two searches that melt as much as each other

tlwMeltDef tlwDefaultMeltDef(void)
{
    return (tlwMeltDef){.cells = 18, .share = 0.95, .cookie = MELT_COOKIE};
}

typedef struct Search {
    tlwContext *context;
    tlwScene *scene;
    tlwSim *sim;
    double share, seconds; // of the material, until the frame
    float *enthalpy;       // of the particles at the start
    tlwHeatObject *objects;
    double own_cell; // of the scene
    double life;     // seconds in life after which a run of heat alone ended
    int cells;       // along the longest side
    bool keyed;      // heaters move or change what they give, or the air changes
} Search;

// Share of what can melt that is molten, and all heat in J.
static double sumMolten(const Search *s, double *heat)
{
    const tlwParticles *q = &s->sim->particles;
    double molten = 0, all = 0;
    *heat = 0;
    for (int64_t n = 0; n < q->count; n++) {
        const tlwMaterial *material = &s->scene->materials[q->material[n]];
        *heat += (double)q->mass[n] * q->enthalpy[n];
        if (!material->melts)
            continue;
        all += q->mass[n];
        molten += q->mass[n] * tlwGetMelt(material, q->enthalpy[n]);
    }
    return all > 0 ? molten / all : 1;
}

static void restart(const Search *s)
{
    const tlwParticles *q = &s->sim->particles;
    memcpy(q->enthalpy, s->enthalpy, (size_t)q->count * sizeof *q->enthalpy);
    memcpy(s->sim->thermal.objects, s->objects, (size_t)s->scene->object_count * sizeof *s->objects);
}

// When a solve does not converge, two steps of half the length, and so on.
static tlwResult stepHeat(const Search *s, double time, double dt, int halvings)
{
    tlwSim *sim = s->sim;
    int iterations;
    if (tlwIsCancelled(s->context))
        return tlwFail(&s->context->message, TLW_CANCELLED, "Stopped on request.");
    if (s->keyed) {
        TLW_TRY(tlwMovePlacedMeshes(&sim->solids, time, dt, sim->flow.grid.dx));
        tlwRasterizeSolids(&sim->solids, &sim->flow);
    }
    tlwResult result =
        tlwStepThermal(s->context, &sim->thermal, &sim->order, time, dt, &sim->flow, &sim->particles, &iterations);
    if (result != TLW_NOT_CONVERGED || halvings == HALVINGS)
        return result;
    TLW_TRY(stepHeat(s, time, 0.5 * dt, halvings + 1));
    return stepHeat(s, time + 0.5 * dt, 0.5 * dt, halvings + 1);
}

// Heaters that stay as they are: time in life is all that counts, so that one run finds the speed. Steps grow with the
// time. `most` becomes the largest share on the way.
static tlwResult searchLife(Search *s, double *speed, double *most)
{
    double time = LEAST_SPEED * s->seconds, dt = time, before = 0, heat, first_heat, last_heat, since = time;
    restart(s);
    sumMolten(s, &first_heat);
    last_heat = first_heat;
    *speed = *most = 0;
    TLW_TRY(stepHeat(s, 0, dt, 0));
    while (time < MOST_SPEED * s->seconds) {
        s->life = time;
        double molten = sumMolten(s, &heat);
        *most = fmax(*most, molten);
        if (molten >= s->share) {
            double part = molten > before ? (s->share - before) / (molten - before) : 1;
            *speed = (time - (1 - part) * dt) / s->seconds;
            return TLW_OK;
        }
        if (time > 2 * since) {
            if (fabs(heat - last_heat) <= STEADY * fabs(heat - first_heat))
                return TLW_OK;
            last_heat = heat;
            since = time;
        }
        before = molten;
        dt = (GROWTH - 1) * time;
        time += dt;
        TLW_TRY(stepHeat(s, 0, dt, 0));
    }
    return TLW_OK;
}

static tlwResult runKeyed(const Search *s, double speed, double *molten)
{
    double dt = s->seconds / KEYED_STEPS, heat;
    restart(s);
    tlwSetThermalSpeed(s->scene, speed);
    for (int n = 0; n < KEYED_STEPS; n++)
        TLW_TRY(stepHeat(s, n * dt, dt, 0));
    *molten = sumMolten(s, &heat);
    return TLW_OK;
}

// Heaters that change: the first speed that melts enough, from slow to fast, then between it and the one before.
static tlwResult searchKeyed(Search *s, double *speed, double *most)
{
    double low = LEAST_SPEED, high = 0, molten;
    *speed = *most = 0;
    for (double now = LEAST_SPEED; now <= MOST_SPEED && !high; now *= 10) {
        TLW_TRY(runKeyed(s, now, &molten));
        *most = fmax(*most, molten);
        if (molten >= s->share)
            high = now;
        else
            low = now;
    }
    for (int n = 0; n < 6 && high > low; n++) {
        double middle = sqrt(low * high);
        TLW_TRY(runKeyed(s, middle, &molten));
        *(molten >= s->share ? &high : &low) = middle;
    }
    *speed = high;
    s->life = (high ? high : MOST_SPEED) * s->seconds;
    return TLW_OK;
}

static tlwResult search(Search *s, double *speed, double *most)
{
    return s->keyed ? searchKeyed(s, speed, most) : searchLife(s, speed, most);
}

static bool isKeyed(const tlwScene *scene)
{
    if (tlwIsWorldKeyed(scene))
        return true;
    for (int o = 0; o < scene->object_count; o++) {
        const tlwObjectDef *def = &scene->objects[o].def;
        if (tlwGetTraits(def)->fills)
            continue;
        if (def->deform)
            return true;
        if (tlwAreKeysMoving(def->keys, def->key_count))
            return true;
        for (int k = 1; k < def->key_count; k++) {
            const tlwKey *a = &def->keys[0], *b = &def->keys[k];
            if (a->temperature != b->temperature || a->power != b->power || a->enabled != b->enabled)
                return true;
        }
    }
    return false;
}

static bool canMelt(const tlwScene *scene)
{
    for (int o = 0; o < scene->object_count; o++) {
        const tlwObjectDef *def = &scene->objects[o].def;
        if (tlwGetTraits(def)->fills && scene->materials[def->material].melts)
            return true;
    }
    return false;
}

// Cells no larger than that, which hold 1, 2, 3, 6, 12 and so on of the scene's own along each side. Quick Melt puts
// wax and heater on whole cells. Where a heater ends within a cell, less of it touches the wax in large cells.
static double alignCells(double dx, double own)
{
    int along = (int)fmin(dx / own + 1e-6, 1e6);
    along = along >= 6 ? along - along % 6 : along > 3 ? 3 : along > 1 ? along : 1;
    return along * own;
}

// A simulation of the scene in large cells. Thin wax gets smaller cells, down to the scene's own.
static tlwResult createCoarse(Search *s, int particles_per_axis)
{
    tlwSceneDef *def = &s->scene->def;
    tlwVec3 size = tlwSub(def->domain_max, def->domain_min);
    double own = s->own_cell, longest = fmax(size.x, fmax(size.y, size.z));
    double dx = fmax(fmin(longest / s->cells, fmin(size.x, fmin(size.y, size.z))), own);
    double enough = LEAST_PARTICLES * particles_per_axis * particles_per_axis * particles_per_axis;
    def->particles_per_axis = particles_per_axis;
    tlwDestroySim(s->sim);
    s->sim = NULL;
    for (;;) {
        dx = alignCells(dx, own);
        TLW_TRY(tlwSetCellSize(s->scene, dx));
        tlwResult result = tlwCreateSim(s->scene, &s->sim);
        double found = result == TLW_OK ? (double)s->sim->particles.count : 0;
        if (dx <= own || found >= enough)
            return result;
        dx = fmax(fmax(0.5, 0.95 * cbrt(found / enough)) * dx, own);
        tlwDestroySim(s->sim);
        s->sim = NULL;
    }
}

// The whole simulation until the share is molten, which it tells the time of, or until the end, with `time` 0.
static tlwResult runFlow(Search *s, double speed, double end, double *time, double *most)
{
    double chunk = s->seconds / FLOW_CHUNKS, before = 0, heat;
    tlwSetThermalSpeed(s->scene, speed);
    TLW_TRY(createCoarse(s, 2));
    *time = 0;
    for (int n = 1; n * chunk < end; n++) {
        TLW_TRY(tlwAdvance(s->sim, chunk));
        double molten = sumMolten(s, &heat);
        *most = fmax(*most, molten);
        if (molten >= s->share) {
            *time = chunk * (n - (molten - s->share) / (molten - before));
            return TLW_OK;
        }
        before = molten;
    }
    return TLW_OK;
}

// What heat alone found, corrected by flow. Wax that the first search gave up gets two runs.
static tlwResult correctByFlow(Search *s, double *speed, double *most)
{
    double alone = *speed, now = fmin(s->life / s->seconds / FLOWING, MOST_SPEED), time;
    s->scene->def.cfl = fmax(s->scene->def.cfl, FLOW_CFL);
    for (int n = 0; n < (*speed > 0 ? FLOW_RUNS : 2); n++) {
        TLW_TRY(runFlow(s, now, NEAR * s->seconds, &time, most));
        if (time > 0)
            *speed = fmin(now * time / s->seconds, MOST_SPEED);
        if (time > s->seconds / NEAR)
            break;
        now = time > 0 ? *speed : fmin(FLOWING * now, MOST_SPEED);
    }
    if (*speed < alone / MARGIN) // flow decides, and a bake in finer cells flows a little otherwise
        *speed = fmin(MARGIN * *speed, MOST_SPEED);
    return TLW_OK;
}

// Every heater gives `factor` times what it gives: power, or how far its temperature is above the air's.
static void strengthen(const Search *s, double factor)
{
    for (int o = 0; o < s->scene->object_count; o++) {
        tlwObjectDef *def = &s->scene->objects[o].def;
        for (int k = 0; k < def->key_count && tlwGetTraits(def)->heats; k++) {
            tlwKey *key = (tlwKey *)&def->keys[k]; // the scene's own copy
            double air = tlwSampleWorld(s->scene, key->time).ambient_temperature;
            key->power *= factor;
            key->temperature = air + factor * (key->temperature - air);
        }
    }
}

// Remember the state from which every run of heat alone starts.
static tlwResult keepStart(Search *s)
{
    tlwMessage *message = &s->context->message;
    size_t particles = (size_t)s->sim->particles.count, objects = (size_t)s->scene->object_count;
    tlwFree(s->enthalpy);
    tlwFree(s->objects);
    s->enthalpy = tlwAlloc(particles + 1, sizeof *s->enthalpy);
    s->objects = tlwAlloc(objects + 1, sizeof *s->objects);
    if (!s->enthalpy || !s->objects)
        return tlwFailMemory(message, "the search for a heat speed-up");
    memcpy(s->enthalpy, s->sim->particles.enthalpy, particles * sizeof *s->enthalpy);
    memcpy(s->objects, s->sim->thermal.objects, objects * sizeof *s->objects);
    return TLW_OK;
}

// How much stronger all heaters have to be, in steps of a quarter; 0 when that is no help.
static tlwResult findStrength(Search *s, double *strength)
{
    double speed = 0, most, factor = 1;
    *strength = 0;
    tlwSetThermalSpeed(s->scene, 1);
    TLW_TRY(createCoarse(s, 1));
    TLW_TRY(keepStart(s));
    while (!speed && factor < STRONGEST) {
        strengthen(s, 1.25);
        factor *= 1.25;
        TLW_TRY(search(s, &speed, &most));
    }
    *strength = speed ? factor : 0;
    return TLW_OK;
}

static tlwResult begin(Search *s, const tlwMeltDef *def)
{
    tlwMessage *message = &s->context->message;
    TLW_TRY(tlwLoadScene(s->context, def->scene, &s->scene));
    int frame = def->frame ? def->frame : s->scene->def.frame_end, frames = frame - s->scene->def.frame_start;
    if (frames < 1)
        return tlwFail(message, TLW_BAD_ARGUMENT, "Nothing can melt by frame %d: the scene starts at frame %d.", frame,
                       s->scene->def.frame_start);
    if (!canMelt(s->scene))
        return tlwFail(message, TLW_BAD_ARGUMENT,
                       "Nothing in the scene can melt: give an object a material with a melting point.");
    s->seconds = tlwGetFrameTime(s->scene, frame);
    s->share = def->share;
    tlwSetThermalSpeed(s->scene, 1);
    s->keyed = isKeyed(s->scene);
    s->own_cell = s->scene->def.cell_size;
    s->cells = def->cells;
    TLW_TRY(createCoarse(s, 1));
    return keepStart(s);
}

// Large cells may miss a thin heater, or the place where it touches the wax. So "nothing melts" counts only when
// smaller cells say the same, down to those of the bake itself.
static tlwResult searchFiner(Search *s, tlwMeltPlan *found)
{
    int first = s->cells;
    while (!found->speed && s->cells < MOST_CELLS && s->sim->flow.grid.dx > s->own_cell) {
        double before = found->most, most;
        s->cells *= 2;
        tlwSetThermalSpeed(s->scene, 1);
        TLW_TRY(createCoarse(s, 1));
        TLW_TRY(keepStart(s));
        TLW_TRY(search(s, &found->speed, &most));
        found->most = fmax(before, most);
        bool same = most < before + SAME && most > before - SAME;
        if (!found->speed && same && most > SAME) {
            s->cells = first; // what the first cells say is right
            return TLW_OK;
        }
        if (found->speed || !same)
            TLW_TRY(correctByFlow(s, &found->speed, &found->most));
    }
    return TLW_OK;
}

tlwResult tlwFindMeltSpeed(tlwContext *context, const tlwMeltDef *def, tlwMeltPlan *plan)
{
    if (!context)
        return TLW_BAD_ARGUMENT;
    if (!def || !plan || def->cookie != MELT_COOKIE)
        return tlwFail(&context->message, TLW_BAD_ARGUMENT,
                       "A search was not made by tlwDefaultMeltDef of this version of Tallow.");
    if (!def->scene || def->cells < 4 || def->cells > 128 || !(def->share > 0 && def->share <= 1))
        return tlwFail(&context->message, TLW_BAD_ARGUMENT,
                       "A search needs a scene folder, 4 to 128 cells and a share between 0 and 1.");
    Search s = {.context = context};
    tlwMeltPlan found = {0};
    tlwResult result = begin(&s, def);
    if (result == TLW_OK)
        result = search(&s, &found.speed, &found.most);
    if (result == TLW_OK)
        result = correctByFlow(&s, &found.speed, &found.most);
    if (result == TLW_OK && !found.speed)
        result = searchFiner(&s, &found);
    found.found = found.speed > 0;
    if (result == TLW_OK && !found.found)
        result = findStrength(&s, &found.strength);
    tlwFree(s.enthalpy);
    tlwFree(s.objects);
    tlwDestroySim(s.sim);
    tlwDestroyScene(s.scene);
    if (result == TLW_OK)
        *plan = found;
    return result;
}
