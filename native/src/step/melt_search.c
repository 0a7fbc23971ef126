// How fast heat must move for wax to melt in time (tlwFindMeltSpeed), on a coarse copy of a scene. Heat alone comes
// first: one run knows every speed, and whether losses win. Its melt stays where it is and shields what is behind it.
// In a bake melt runs off and wax sinks onto its heater, several times as soon. So a run with flow corrects it, or two
// or three. All runs begin at the start of the same simulation.
#include "base/context.h"
#include "base/vec.h"
#include "scene/keys.h"
#include "scene/scene.h"
#include "scene/world.h"
#include "step/checkpoint.h"
#include "step/heat/thermal.h"
#include "step/obstacles/rasterize.h"
#include "step/sim.h"

#include <math.h>

#define MELT_COOKIE (0x7A110008 ^ TLW_ABI_VERSION)
#define LEAST_SPEED 1e-2
#define MOST_SPEED 1e7  // that a scene may have
#define GROWTH 1.2      // of the steps of a search whose heaters do not change
#define IDLE_GROWTH 1.5 // until something melts
#define KEYED_STEPS 24  // to the frame, where they do
#define KEYED_RUNS 5    // between a speed that is too slow and one ten times as fast
#define KEYED_NEAR 0.01 // of the share: near enough
#define STEADY 0.005    // of all heat so far: less than this while the time doubles means that losses win
#define STRONGER 1.25   // times: steps of strength
#define STRONGEST 64    // times: heaters that would have to be stronger are no answer
#define HALVINGS 6      // of a step whose solve does not converge
#define LEAST_CELLS 145 // of wax
#define FEW_CELLS 100   // of wax will do where the next smaller cells would be more than MANY_CELLS
#define MANY_CELLS 800
#define MOST_WAX 1500      // cells of wax: more of it gets larger cells
#define AXIS 2             // particles of a cell along each axis
#define TOUCHED 9          // times sooner than by heat alone wax melts on a hot solid, where runs with flow begin
#define SHONE 2.35         // times sooner by lamps and air: melt runs off, which bares what is behind it
#define FLOWING 4          // at most so many times faster from run to run
#define FLOW_RUNS 3        // at most
#define FLOW_CHUNKS 32     // until the frame, between looks at what has melted
#define FLOW_STEPS 64      // until the frame, or as many as fast flow needs
#define MOST_FLOW_STEPS 96 // then the run is shorter than the shot, and heat faster by as much
#define FALL 2.5           // longest step, in times sqrt(cell / gravity): longer ones throw wax about
#define FLOW_CFL 4         // coarse steps for a coarse answer
#define EARLY 0.54         // of the time: from here on the time scales with the speed
#define LATE 1.35          // of the time: from here on down, by the pace of the end of the run
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
    double share, seconds;  // of the material, until the frame
    tlwStateReader *start;  // of the simulation: every run begins there
    double own_cell;        // of the scene
    double life;            // seconds in life after which a run of heat alone ended
    tlwMeltPlan *plan;      // counts the work
    int cells, first_cells; // along the longest side: now, and at first
    bool keyed;             // heaters move or change what they give, or the air changes
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

// When a solve does not converge, two steps of half the length, and so on.
static tlwResult stepHeat(const Search *s, double time, double dt, int halvings)
{
    tlwSim *sim = s->sim;
    int iterations;
    s->plan->heat_steps++;
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
    TLW_TRY(tlwRewind(s->sim, s->start));
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
        dt = ((molten > 0 ? GROWTH : IDLE_GROWTH) - 1) * time;
        time += dt;
        TLW_TRY(stepHeat(s, 0, dt, 0));
    }
    return TLW_OK;
}

static tlwResult runKeyed(const Search *s, double speed, double *molten)
{
    double dt = s->seconds / KEYED_STEPS, heat;
    TLW_TRY(tlwRewind(s->sim, s->start));
    tlwSetThermalSpeed(s->scene, speed);
    for (int n = 0; n < KEYED_STEPS; n++)
        TLW_TRY(stepHeat(s, n * dt, dt, 0));
    *molten = sumMolten(s, &heat);
    return TLW_OK;
}

// Heaters that change: the first speed that melts enough, from slow to fast, then between it and the one before by
// regula falsi in the logarithm of the speed.
static tlwResult searchKeyed(Search *s, double *speed, double *most)
{
    double low = LEAST_SPEED, high = 0, below = 0, above = 0, molten;
    *speed = *most = 0;
    for (double now = LEAST_SPEED; now <= MOST_SPEED && !high; now *= 10) {
        TLW_TRY(runKeyed(s, now, &molten));
        *most = fmax(*most, molten);
        *(molten >= s->share ? &high : &low) = now;
        *(molten >= s->share ? &above : &below) = molten;
    }
    for (int n = 0; n < KEYED_RUNS && high > low && above > s->share + KEYED_NEAR; n++) {
        double part = tlwClamp((s->share - below) / (above - below), 0.15, 0.85);
        double middle = low * pow(high / low, part);
        TLW_TRY(runKeyed(s, middle, &molten));
        *(molten >= s->share ? &high : &low) = middle;
        *(molten >= s->share ? &above : &below) = molten;
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

// What wax takes up, in m3.
static double measureWax(const tlwScene *scene)
{
    double volume = 0;
    for (int o = 0; o < scene->object_count; o++) {
        const tlwObjectDef *def = &scene->objects[o].def;
        if (tlwIsLiquid(def))
            volume += tlwGetMeshVolume(&scene->objects[o].mesh) *
                      fabs(def->keys[0].scale.x * def->keys[0].scale.y * def->keys[0].scale.z);
    }
    return volume;
}

// A simulation of the scene in large cells, and its start. Thin wax gets smaller cells, down to the scene's own.
static tlwResult createCoarse(Search *s)
{
    tlwSceneDef *def = &s->scene->def;
    tlwVec3 size = tlwSub(def->domain_max, def->domain_min);
    double own = s->own_cell, wax = measureWax(s->scene);
    double longest = fmax(size.x, fmax(size.y, size.z)),
           dx = fmin(longest / s->cells, fmin(size.x, fmin(size.y, size.z)));
    if (wax > 0) // no need to try cells of which it fills too few
        dx = fmin(dx, cbrt(wax / FEW_CELLS));
    dx = fmax(dx, own);
    double refined = (double)s->cells / s->first_cells, most = MOST_WAX * refined * refined * refined;
    for (double larger = 2; wax > most * pow(alignCells(dx, own), 3) && larger * own < longest; larger++)
        dx = fmax(dx, larger * own);
    def->particles_per_axis = AXIS;
    for (;;) {
        dx = alignCells(dx, own);
        tlwCloseState(s->start);
        s->start = NULL;
        tlwDestroySim(s->sim);
        s->sim = NULL;
        TLW_TRY(tlwSetCellSize(s->scene, dx));
        s->plan->simulations++;
        tlwResult result = tlwCreateSim(s->scene, &s->sim);
        double found = result == TLW_OK ? (double)s->sim->particles.count / (AXIS * AXIS * AXIS) : 0;
        double smaller = fmax(fmax(0.5, 0.95 * cbrt(found / LEAST_CELLS)) * dx, own);
        double ratio = dx / alignCells(smaller, own);
        bool enough = found >= LEAST_CELLS || (found >= FEW_CELLS && found * ratio * ratio * ratio > MANY_CELLS);
        if (result == TLW_OK && (enough || dx <= own)) {
            s->sim->warned_of_steps = true; // a bake takes as many as it needs
            return tlwKeepStart(s->sim, &s->start);
        }
        if (dx <= own)
            return result;
        dx = smaller;
    }
}

// How a run with flow goes.
typedef struct Run {
    double late; // time at which the share is molten, over that of the frame; estimated above 1
    double most; // the largest share that was molten
    bool sure;   // `late` is good enough to answer with, if it is near 1
} Run;

// Steps until the frame. A shot that is too long for them is run in `squeeze` times less time, with heat as much
// faster: melt has less time to run off then. Where things move in time, it takes the steps that it needs.
static int planSteps(const Search *s, double *squeeze)
{
    double gravity = tlwLength(tlwSampleWorld(s->scene, 0).gravity);
    double needed = s->seconds / FALL * sqrt(gravity / s->sim->flow.grid.dx);
    bool timed = s->keyed || s->sim->sources.count > 0;
    *squeeze = timed ? 1 : fmax(needed / MOST_FLOW_STEPS, 1);
    return (int)fmin(fmax(ceil(needed / *squeeze), FLOW_STEPS), 1e5);
}

// Where wax melts as slowly as in the last sixth of a run, it is late by as much.
static void guessTime(const Search *s, const double molten[FLOW_CHUNKS + 1], Run *run)
{
    const int part = FLOW_CHUNKS / 6;
    double solid = 1 - molten[FLOW_CHUNKS], wanted = fmax(1 - s->share, 0.01);
    double rate = log((1 - molten[FLOW_CHUNKS - part]) / solid) / part;
    run->sure = rate * FLOW_CHUNKS > log(solid / wanted);
    run->late = run->sure ? 1 + log(solid / wanted) / (rate * FLOW_CHUNKS) : s->share / fmax(run->most, 1e-3);
    run->late = tlwClamp(run->late, run->sure ? 1 : LATE, FLOWING);
}

static tlwResult tryFlow(Search *s, double speed, int steps, double squeeze, Run *run)
{
    double molten[FLOW_CHUNKS + 1] = {0}, heat, chunk = s->seconds / squeeze / FLOW_CHUNKS;
    s->scene->def.max_substeps = (steps + FLOW_CHUNKS - 1) / FLOW_CHUNKS;
    tlwSetThermalSpeed(s->scene, speed * squeeze);
    TLW_TRY(tlwRewind(s->sim, s->start));
    for (int n = 1; n <= FLOW_CHUNKS; n++) {
        TLW_TRY(tlwAdvance(s->sim, chunk));
        s->plan->flow_steps += s->sim->stats.substeps;
        molten[n] = sumMolten(s, &heat);
        run->most = fmax(run->most, molten[n]);
        if (molten[n] >= s->share) {
            double part = (molten[n] - s->share) / fmax(molten[n] - molten[n - 1], 1e-9);
            *run = (Run){(n - fmin(part, 0.9)) / FLOW_CHUNKS, molten[n], true};
            return TLW_OK;
        }
    }
    guessTime(s, molten, run);
    return TLW_OK;
}

// The whole simulation, until the share is molten or until the frame. When a solve does not converge, it is tried again
// with twice as many steps.
static tlwResult runFlow(Search *s, double speed, Run *run)
{
    double squeeze;
    int steps = planSteps(s, &squeeze);
    tlwResult result = TLW_NOT_CONVERGED;
    for (int n = 0; n < 3 && result == TLW_NOT_CONVERGED; n++, steps *= 2) {
        s->plan->flow_runs++;
        result = tryFlow(s, speed, steps, squeeze, run);
    }
    return result;
}

// Whether anything hot touches the wax, perhaps.
static bool isTouched(const tlwScene *scene)
{
    for (int o = 0; o < scene->object_count; o++)
        if (tlwIsObstacle(&scene->objects[o].def) && tlwGetTraits(&scene->objects[o].def)->heats)
            return true;
    return false;
}

// What heat alone found, corrected by flow. The next speed is one at which the time would be right if it fell with the
// speed. Between a run that is early and one that is late it follows from both.
static tlwResult correctByFlow(Search *s, double *speed, double *most)
{
    double alone = *speed, tried[2] = {0}, late[2] = {0}; // the latest early run, and the latest late one
    double now = fmin(s->life / s->seconds / (isTouched(s->scene) ? TOUCHED : SHONE), MOST_SPEED);
    s->scene->def.cfl = fmax(s->scene->def.cfl, FLOW_CFL);
    for (int n = 0; n < FLOW_RUNS; n++) {
        Run run = {0};
        TLW_TRY(runFlow(s, now, &run));
        *most = fmax(*most, run.most);
        bool is_late = run.late > 1, near = run.late > EARLY && run.late < LATE, between;
        tried[is_late] = now;
        late[is_late] = run.late;
        now = fmin(now * run.late, MOST_SPEED);
        between = tried[0] > tried[1] && tried[1] > 0;
        if (between)
            now = tried[1] * pow(tried[0] / tried[1], log(late[1]) / log(late[1] / late[0]));
        if (tried[0] > 0 || (run.sure && near))
            *speed = now;
        if (run.sure && (near || between))
            break;
    }
    if (*speed > 0 && *speed < alone / MARGIN) // flow decides, and a bake in finer cells flows a little otherwise
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

// Whether heaters that are STRONGER^power times as strong melt enough. `made` is the power that they have.
static tlwResult tryStrength(Search *s, int power, int *made, bool *melts)
{
    double speed, most;
    strengthen(s, pow(STRONGER, power - *made));
    *made = power;
    TLW_TRY(search(s, &speed, &most));
    *melts = speed > 0;
    return TLW_OK;
}

// How much stronger all heaters have to be, in steps of a quarter; 0 when that is no help. Steps become longer until
// it is enough, and then shorter.
static tlwResult findStrength(Search *s, double *strength)
{
    int most = (int)ceil(log(STRONGEST) / log(STRONGER)), low = 0, high = 0, made = 0;
    bool melts = false;
    *strength = 0;
    tlwSetThermalSpeed(s->scene, 1);
    TLW_TRY(createCoarse(s));
    while (!melts && high < most) {
        low = high;
        high = high ? (2 * high < most ? 2 * high : most) : 1;
        TLW_TRY(tryStrength(s, high, &made, &melts));
    }
    if (!melts)
        return TLW_OK;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        TLW_TRY(tryStrength(s, middle, &made, &melts));
        *(melts ? &high : &low) = middle;
    }
    *strength = pow(STRONGER, high);
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
    s->cells = s->first_cells = def->cells;
    return createCoarse(s);
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
        TLW_TRY(createCoarse(s));
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
    tlwMeltPlan found = {0};
    Search s = {.context = context, .plan = &found};
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
    tlwCloseState(s.start);
    tlwDestroySim(s.sim);
    tlwDestroyScene(s.scene);
    if (result == TLW_OK)
        *plan = found;
    return result;
}
