// Flow at rest, in waves, with friction, and along the floor.
#include "verify.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const tlwVerifyCase tlw_verify_flow[];

// Height of the free surface above a point of the floor: the highest place where the level set passes zero. NAN when
// the column is dry.
static double getLevel(tlwRig *rig, double x, double y, double low, double high)
{
    enum { COUNT = 512 };
    double points[3 * COUNT], phi[COUNT];
    for (int i = 0; i < COUNT; i++) {
        points[3 * i] = x;
        points[3 * i + 1] = y;
        points[3 * i + 2] = low + (high - low) * i / (COUNT - 1);
    }
    if (rig->failed || !tlwCheckRig(rig, tlwSampleField(rig->sim, TLW_FIELD_LEVEL_SET, points, COUNT, phi)))
        return NAN;
    for (int i = COUNT - 1; i > 0; i--)
        if (phi[i - 1] < 0 && phi[i] >= 0)
            return points[3 * i - 1] + (points[3 * i + 2] - points[3 * i - 1]) * phi[i - 1] / (phi[i - 1] - phi[i]);
    return NAN;
}

static void rest(tlwReport *report, tlwRig *rig, const char *where, double dx)
{
    static const double columns[5][2] = {{0, 0}, {0.07, 0.05}, {-0.08, 0.06}, {0.1, -0.1}, {-0.1, -0.07}};
    double before[5], moved = 0, fastest = 0;
    char what[80];
    tlwRunRig(rig);
    for (int i = 0; i < 5; i++)
        before[i] = getLevel(rig, columns[i][0], columns[i][1], -0.4, 0.4);
    for (int frame = 0; frame < 120 && tlwAdvanceRig(rig, 1.0 / 24); frame++)
        if (frame >= 24) // let the seeded surface settle first
            fastest = fmax(fastest, tlwGetRigStats(rig).max_speed);
    for (int i = 0; i < 5; i++)
        moved = fmax(moved, fabs(getLevel(rig, columns[i][0], columns[i][1], -0.4, 0.4) - before[i]) / dx);
    snprintf(what, sizeof what, "%s: fastest particle after 1 s (m/s)", where);
    if (!rig->failed)
        tlwReportBelow(report, what, fastest, 1e-3);
    snprintf(what, sizeof what, "%s: surface moved (cells)", where);
    if (!rig->failed)
        tlwReportBelow(report, what, moved, 0.1);
}

// Part of a convex outline below z = level.
static int clipBelow(const double (*outline)[2], int count, double level, double (*out)[2])
{
    int made = 0;
    for (int i = 0; i < count; i++) {
        const double *a = outline[i], *b = outline[(i + 1) % count];
        if (a[1] <= level)
            memcpy(out[made++], a, sizeof *out);
        if ((a[1] <= level) != (b[1] <= level)) {
            double t = (level - a[1]) / (b[1] - a[1]);
            out[made][0] = a[0] + t * (b[0] - a[0]);
            out[made++][1] = level;
        }
    }
    return made;
}

static tlwSceneDef makeRoom(void)
{
    tlwSceneDef def = tlwDefaultSceneDef();
    def.cell_size = 0.8 / 32;
    def.domain_min = (tlwVec3){-0.4, -0.4, -0.4};
    def.domain_max = (tlwVec3){0.4, 0.4, 0.4};
    return def;
}

// A pool that fills the room to just above the middle, with or without a ball that rises above the surface.
static void restInRoom(tlwReport *report, const char *where, double viscosity, bool ball)
{
    tlwSceneDef def = makeRoom();
    tlwMaterialDef liquid = tlwMakeLiquid("Liquid", 1000, viscosity);
    tlwObjectDef solid = tlwDefaultObjectDef();
    solid.surface = TLW_SURFACE_SLIP;
    solid.friction = 0;
    tlwRig rig;
    tlwStartRig(&rig, &def, tlwGetReportThreads(report));
    int material = tlwAddRigMaterial(&rig, &liquid);
    tlwShape pool = tlwMakeBox((tlwVec3){-0.4, -0.4, -0.4}, (tlwVec3){0.4, 0.4, 0.013});
    tlwAddRigLiquid(&rig, "Pool", pool, material, 293.15);
    if (ball)
        tlwAddRigObject(&rig, "Ball", TLW_ROLE_SOLID, tlwMakeSphere((tlwVec3){0.2, 0.19, -0.05}, 0.12, 3), &solid);
    rest(report, &rig, where, def.cell_size);
    tlwEndRig(report, &rig);
}

// A box turned by 20 degrees inside the room: no wall lies on the grid.
static void restTilted(tlwReport *report)
{
    const double half[2] = {0.22, 0.24}, degrees = 20, into = 0.04; // the water reaches into the walls
    double c = cos(degrees * acos(-1) / 180), s = sin(degrees * acos(-1) / 180);
    double corners[4][2], wet[8][2];
    for (int i = 0; i < 4; i++) {
        double x = (i == 1 || i == 2 ? half[0] + into : -half[0] - into), z = i >= 2 ? half[1] : -half[1] - into;
        corners[i][0] = c * x + s * z;
        corners[i][1] = -s * x + c * z;
    }
    int count = clipBelow(corners, 4, 0.013, wet);
    tlwSceneDef def = makeRoom();
    tlwMaterialDef water = tlwDefaultMaterialDef();
    water.name = "Water";
    tlwRig rig;
    tlwStartRig(&rig, &def, tlwGetReportThreads(report));
    int material = tlwAddRigMaterial(&rig, &water);
    tlwVec3 low = {-half[0], -0.23, -half[1]}, high = {half[0], 0.23, half[1]}, origin = {0, 0, 0};
    tlwShape box = tlwMakeContainer(low, high, 0.06, false);
    tlwPlaceShape(&box, origin, tlwMakeRotation((tlwVec3){0, 1, 0}, degrees), origin);
    tlwAddRigObject(&rig, "Box", TLW_ROLE_SOLID, box, NULL);
    tlwAddRigLiquid(&rig, "Water", tlwMakePrism(wet, count, low.y - into, high.y + into), material, 293.15);
    rest(report, &rig, "tilted mesh box", def.cell_size);
    tlwEndRig(report, &rig);
}

static void runHydrostatic(tlwReport *report)
{
    restInRoom(report, "domain box", 1e-3, false);
    restInRoom(report, "around a ball, water", 1e-3, true);
    restInRoom(report, "around a ball, 10000 Pa s", 1e4, true);
    restTilted(report);
}

// Water in a trough of eight cells starts with a slope of a fifth of a cell to either side. The sloshing that follows
// must not grow, nor may the mean level change.
static void runStandingWave(tlwReport *report)
{
    const double dx = 0.025, length = 8 * dx, depth = 6.6 * dx, rise = 0.2 * dx;
    const double outline[4][2] = {{0, 0}, {length, 0}, {length, depth + rise}, {0, depth - rise}};
    tlwSceneDef def = tlwDefaultSceneDef();
    def.cell_size = dx;
    def.domain_min = (tlwVec3){0, 0, 0};
    def.domain_max = (tlwVec3){length, length, 12 * dx};
    for (int i = 0; i < 6; i++)
        def.walls[i] = TLW_WALL_SLIP;
    tlwMaterialDef water = tlwMakeLiquid("Water", 1000, 1e-6);
    tlwRig rig;
    tlwStartRig(&rig, &def, tlwGetReportThreads(report));
    int material = tlwAddRigMaterial(&rig, &water);
    tlwAddRigLiquid(&rig, "Water", tlwMakePrism(outline, 4, 0, length), material, 293.15);
    tlwRunRig(&rig);
    double highest = 0, mean = 0;
    for (int frame = 0; frame < 120 && tlwAdvanceRig(&rig, 1.0 / 60); frame++)
        for (int i = 0; i < 8 && frame >= 60; i++) {
            double level = getLevel(&rig, (i + 0.5) * dx, length / 2, 0, 12 * dx) - depth;
            highest = fmax(highest, fabs(level) / rise);
            mean += level / dx / (8 * 60);
        }
    if (!rig.failed) {
        tlwReportBelow(report, "height of the waves in the second second / at the start", highest, 1);
        tlwReportBelow(report, "mean level moved (cells)", fabs(mean), 0.01);
    }
    tlwEndRig(report, &rig);
}

static int compareSpeeds(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

// Speed that one particle in a thousand exceeds.
static double getFastSpeed(tlwRig *rig)
{
    tlwParticleView view;
    if (rig->failed || !tlwCheckRig(rig, tlwGetParticles(rig->sim, &view)) || !view.count)
        return NAN;
    float *speed = malloc((size_t)view.count * sizeof *speed);
    double fast = NAN;
    for (int64_t i = 0; speed && i < view.count; i++) {
        const float *v = view.velocity + 3 * i;
        speed[i] = sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    }
    if (speed) {
        qsort(speed, (size_t)view.count, sizeof *speed, compareSpeeds);
        fast = speed[view.count - 1 - view.count / 1000];
    }
    free(speed);
    return fast;
}

// A ball of thick liquid is thrown into a pool of the same liquid. The container has slip walls that do not lie on the
// grid, and a bump on its floor. After three seconds all motion must be slow and smooth, without spitting particles.
static void runComesToRest(tlwReport *report)
{
    const double side = 3.2, half = side / 2, dx = 0.13;
    tlwSceneDef def = tlwDefaultSceneDef();
    def.cell_size = dx;
    def.domain_min = (tlwVec3){-half - 0.4, -half - 0.4, -0.4};
    def.domain_max = (tlwVec3){half + 0.4, half + 0.4, 3.2};
    tlwMaterialDef liquid = tlwMakeLiquid("Goo", 1000, 1e4);
    tlwObjectDef slip = tlwDefaultObjectDef(), thrown = tlwDefaultObjectDef();
    slip.surface = TLW_SURFACE_SLIP;
    slip.friction = 0;
    thrown.velocity = (tlwVec3){2, 0, -4};
    tlwRig rig;
    tlwStartRig(&rig, &def, tlwGetReportThreads(report));
    thrown.material = tlwAddRigMaterial(&rig, &liquid);
    tlwVec3 low = {-half, -half, 0}, high = {half, half, 3};
    tlwAddRigObject(&rig, "Box", TLW_ROLE_SOLID, tlwMakeContainer(low, high, 0.35, true), &slip);
    tlwAddRigObject(&rig, "Bump", TLW_ROLE_SOLID, tlwMakeSphere((tlwVec3){0.7, 0.2, 0.1}, 0.7, 3), &slip);
    tlwAddRigLiquid(&rig, "Pool", tlwMakeBox(low, (tlwVec3){half, half, 0.5}), thrown.material, 293.15);
    tlwAddRigObject(&rig, "Ball", TLW_ROLE_LIQUID, tlwMakeSphere((tlwVec3){-0.5, 0, 2.2}, 0.75, 3), &thrown);
    tlwRunRig(&rig);
    double fast = 0;
    for (int frame = 0; frame < 96 && tlwAdvanceRig(&rig, 1.0 / 24); frame++)
        if (frame >= 72)
            fast += getFastSpeed(&rig) / 24;
    if (!rig.failed)
        tlwReportBelow(report, "fastest in a thousand, mean from 3 to 4 s (m/s)", fast, 0.15);
    tlwEndRig(report, &rig);
}

// How far the floor is wet without a gap, measured half a cell above it. Drops that fly ahead do not count.
static double getFront(tlwRig *rig, double length, double depth, double dx)
{
    enum { COUNT = 2048 };
    static double points[3 * COUNT], phi[COUNT];
    for (int i = 0; i < COUNT; i++) {
        points[3 * i] = length * (i + 0.5) / COUNT;
        points[3 * i + 1] = depth / 2;
        points[3 * i + 2] = dx / 2;
    }
    if (rig->failed || !tlwCheckRig(rig, tlwSampleField(rig->sim, TLW_FIELD_LEVEL_SET, points, COUNT, phi)))
        return NAN;
    for (int i = 1; i < COUNT; i++)
        if (phi[i] >= 0)
            return points[3 * i - 3] + (points[3 * i] - points[3 * i - 3]) * phi[i - 1] / (phi[i - 1] - phi[i]);
    return length;
}

// The front of a collapsing column of width a and height 2 a: Z = x / a over T = t sqrt(2 g / a).
enum { FRONTS = 128 };
typedef struct Collapse {
    double time[FRONTS], front[FRONTS];
    int count;
} Collapse;

static bool runCollapse(tlwReport *report, double last, Collapse *c)
{
    const double a = 0.05715, dx = a / 24, length = 5 * a, depth = 8 * dx, scale = sqrt(2 * 9.81 / a), step = 0.002;
    tlwSceneDef def = tlwDefaultSceneDef();
    def.cell_size = dx;
    def.domain_max = (tlwVec3){length, depth, 2.25 * a};
    def.domain_min = (tlwVec3){0, 0, 0};
    for (int i = 0; i < 5; i++)
        def.walls[i] = TLW_WALL_SLIP;
    tlwMaterialDef water = tlwDefaultMaterialDef();
    water.name = "Water";
    tlwRig rig;
    tlwStartRig(&rig, &def, tlwGetReportThreads(report));
    int material = tlwAddRigMaterial(&rig, &water);
    tlwAddRigLiquid(&rig, "Column", tlwMakeBox((tlwVec3){0, 0, 0}, (tlwVec3){a, depth, 2 * a}), material, 293.15);
    tlwRunRig(&rig);
    c->time[0] = 0, c->front[0] = 1, c->count = 1;
    while (c->time[c->count - 1] < last && c->count < FRONTS && tlwAdvanceRig(&rig, step)) {
        c->time[c->count] = c->time[c->count - 1] + step * scale;
        c->front[c->count++] = getFront(&rig, length, depth, dx) / a;
    }
    bool good = !rig.failed;
    tlwEndRig(report, &rig);
    return good;
}

static double getFrontAt(const Collapse *c, double time)
{
    int i = 1;
    while (i + 1 < c->count && c->time[i] < time)
        i++;
    double share = (time - c->time[i - 1]) / (c->time[i] - c->time[i - 1]);
    return share >= 0 && share <= 1 ? c->front[i - 1] + share * (c->front[i] - c->front[i - 1]) : NAN;
}

typedef struct FrontPoint {
    double time, front; // T, Z
} FrontPoint;

// A column without viscosity that is released at once (tests/reference/dam_break.py; accurate to 0.3 %).
static const FrontPoint POTENTIAL_FLOW[] = {{0.832, 1.414}, {1.219, 1.767}, {1.6, 2.187}, {1.997, 2.680}};

// Martin and Moyce 1952, n^2 = 2, a = 2.25 in. A sheet held their column and had to be removed first.
static const FrontPoint EXPERIMENT[] = {{1.219, 1.474}, {1.997, 2.292}, {2.547, 2.995}, {3.345, 4.134}};
enum { POINTS = 4 };

// The one time lag of the experiment behind the run that fits all its points best, by least squares.
static double findLag(const Collapse *c)
{
    double top = 0, bottom = 0;
    for (int i = 0; i < POINTS; i++) {
        double front = getFrontAt(c, EXPERIMENT[i].time),
               speed = (front - getFrontAt(c, EXPERIMENT[i].time - 0.1)) / 0.1;
        top += (front - EXPERIMENT[i].front) * speed;
        bottom += speed * speed;
    }
    return top / bottom;
}

static void runDamBreak(tlwReport *report)
{
    Collapse c;
    char what[80];
    if (!runCollapse(report, EXPERIMENT[POINTS - 1].time, &c))
        return;
    for (int i = 0; i < POINTS; i++) {
        snprintf(what, sizeof what, "potential flow, T = %.3f", POTENTIAL_FLOW[i].time);
        tlwReportRelative(report, what, getFrontAt(&c, POTENTIAL_FLOW[i].time), POTENTIAL_FLOW[i].front, 0.03);
    }
    double lag = findLag(&c);
    for (int i = 0; i < POINTS; i++) {
        snprintf(what, sizeof what, "Martin and Moyce, T = %.3f, released at %.2f", EXPERIMENT[i].time, lag);
        tlwReportRelative(report, what, getFrontAt(&c, EXPERIMENT[i].time - lag), EXPERIMENT[i].front, 0.06);
    }
    for (int i = 0; i < POINTS; i++) {
        double front = getFrontAt(&c, EXPERIMENT[i].time);
        tlwReportNote(report, "released at 0: front at T = %.3f is %.4g, %.0f %% ahead", EXPERIMENT[i].time, front,
                      100 * (front / EXPERIMENT[i].front - 1));
    }
}

// A slab of thick liquid that slides on a floor with friction. The floor is the domain's, or a block whose top lies
// between grid planes.
typedef struct Slide {
    tlwRig rig;
    double friction, speed, slope; // of the floor; m/s at the start; degrees, along x
    double belt;                   // m/s, speed of the block
    bool block;
} Slide;

static void startSlide(tlwReport *report, Slide *s)
{
    const double dx = 0.025, turn = s->slope * acos(-1) / 180, top = s->block ? 1.4 * dx : 0;
    tlwSceneDef def = tlwDefaultSceneDef();
    def.cell_size = dx;
    def.domain_min = (tlwVec3){0, 0, 0};
    def.domain_max = (tlwVec3){36 * dx, 8 * dx, 10 * dx};
    def.gravity = (tlwVec3){9.81 * sin(turn), 0, -9.81 * cos(turn)};
    for (int i = 0; i < 6; i++)
        def.walls[i] = TLW_WALL_SLIP;
    def.wall_friction = s->block ? 0 : s->friction;
    tlwMaterialDef goo = tlwMakeLiquid("Goo", 1000, 2e4);
    tlwObjectDef slab = tlwDefaultObjectDef(), floor = tlwDefaultObjectDef();
    slab.velocity = (tlwVec3){s->speed, 0, 0};
    tlwKey keys[2] = {tlwDefaultKey(), tlwDefaultKey()};
    keys[1].time = 1;
    keys[1].position.x = s->belt;
    floor.keys = keys;
    floor.key_count = 2;
    floor.surface = TLW_SURFACE_SLIP;
    floor.friction = s->friction;
    tlwStartRig(&s->rig, &def, tlwGetReportThreads(report));
    slab.material = tlwAddRigMaterial(&s->rig, &goo);
    if (s->block)
        tlwAddRigObject(&s->rig, "Floor", TLW_ROLE_SOLID, tlwMakeBox((tlwVec3){-1, -1, -1}, (tlwVec3){2, 2, top}),
                        &floor);
    tlwVec3 low = {4 * dx, 2 * dx, top}, high = {16 * dx, 6 * dx, top + 4 * dx};
    tlwAddRigObject(&s->rig, "Slab", TLW_ROLE_LIQUID, tlwMakeBox(low, high), &slab);
    tlwRunRig(&s->rig);
}

// Mean speed along the slope after a time. `least` is the lowest mean speed until then.
static double followSlide(Slide *s, double seconds, double *least)
{
    double mean = NAN;
    for (int frame = 0; frame < 20 && tlwAdvanceRig(&s->rig, seconds / 20); frame++) {
        tlwParticleView view;
        if (!tlwCheckRig(&s->rig, tlwGetParticles(s->rig.sim, &view)) || !view.count)
            return NAN;
        mean = 0;
        for (int64_t i = 0; i < view.count; i++)
            mean += view.velocity[3 * i] / (double)view.count;
        *least = fmin(*least, mean);
    }
    return mean;
}

// Coulomb friction: a wall holds liquid back by at most the friction coefficient times the normal force, and never
// reverses its motion.
static void runSlide(tlwReport *report)
{
    for (int block = 0; block < 2; block++) {
        const char *where = block ? "block" : "wall";
        char what[80];
        Slide s[] = {{.friction = 0.5, .speed = 1},
                     {.friction = 0, .speed = 1},
                     {.friction = 0.2, .slope = 30},
                     {.friction = 0.7, .slope = 30}};
        const double slower = 0.5 * 9.81 * 0.1, faster = 9.81 * 0.2 * (0.5 - 0.2 * sqrt(0.75));
        double least = 1, ignored = 1;
        for (int i = 0; i < 4; i++) {
            s[i].block = block;
            startSlide(report, &s[i]);
        }
        snprintf(what, sizeof what, "%s: speed lost in 0.1 s (m/s)", where);
        tlwReportRelative(report, what, 1 - followSlide(&s[0], 0.1, &least), slower, 0.1);
        snprintf(what, sizeof what, "%s: speed after 0.4 s (m/s)", where);
        tlwReportBelow(report, what, fabs(followSlide(&s[0], 0.3, &least)), 0.01);
        snprintf(what, sizeof what, "%s: speed back (m/s)", where);
        tlwReportBelow(report, what, fmax(-least, 0), 1e-3);
        snprintf(what, sizeof what, "%s, no friction: speed lost in 0.1 s (m/s)", where);
        tlwReportBelow(report, what, fabs(1 - followSlide(&s[1], 0.1, &ignored)), 0.01);
        snprintf(what, sizeof what, "%s: speed down a slope after 0.2 s (m/s)", where);
        tlwReportRelative(report, what, followSlide(&s[2], 0.2, &ignored), faster, 0.1);
        snprintf(what, sizeof what, "%s: speed down a slope that holds it (m/s)", where);
        tlwReportBelow(report, what, fabs(followSlide(&s[3], 0.2, &ignored)), 0.02);
        for (int i = 0; i < 4; i++)
            tlwEndRig(report, &s[i].rig);
    }
    Slide belt = {.friction = 0.5, .belt = 0.5, .block = true};
    double ignored = 0;
    startSlide(report, &belt);
    tlwReportRelative(report, "belt: speed given in 0.05 s (m/s)", followSlide(&belt, 0.05, &ignored),
                      0.5 * 9.81 * 0.05, 0.15);
    tlwReportRelative(report, "belt: speed after 0.2 s (m/s)", followSlide(&belt, 0.15, &ignored), 0.5, 0.02);
    tlwEndRig(report, &belt.rig);
}

const tlwVerifyCase tlw_verify_flow[] = {
    {"hydrostatic", "what rests in a box, around a ball and in a tilted mesh box goes on resting", runHydrostatic, true,
     "Three scenes rest for 5 s: a pool in the domain's own box, a pool around a ball that stands out of it, and\n"
     "water in a box that is tilted by 20 degrees, whose walls lie between cells. The first second does not count:\n"
     "the seeded surface settles in it.\n\n"
     "Known: in a gap of one or two cells between two solids at the waterline, single particles still move at 0.01\n"
     "to 0.02 m/s. Where a gap narrows to nothing they reach 1 m/s. The case keeps its ball three cells from the\n"
     "walls."},
    {"standing_wave", "small waves in a trough do not grow", runStandingWave, true,
     "Water in a trough of eight cells starts with a slope of a fifth of a cell. The waves must not grow, and the\n"
     "mean level must stay."},
    {"comes_to_rest", "thick liquid thrown into a slippery container off the grid comes to rest", runComesToRest, true,
     "A ball of 10000 Pa s falls into a pool of the same liquid. The walls, the floor and a bump on the floor let\n"
     "the liquid slip and lie between cells. One particle in a thousand is faster than the speed shown. The limit\n"
     "is fitted: no theory gives it."},
    {"slide", "friction slows what slides on a slippery floor, by Coulomb's law", runSlide, true,
     "A slab of 20000 Pa s slides on a slip wall of the domain, and on a block whose top lies between cells.\n"
     "Coulomb's law gives the references: friction x g x t on a level floor, g (sin - friction cos) t on a slope\n"
     "of 30 degrees.\n\n"
     "The belt is a block that moves at 0.5 m/s under a slab at rest."},
    {"dam_break", "a collapsing column runs as potential flow says, and as Martin and Moyce measured", runDamBreak,
     true,
     "A column of water, 24 cells wide and twice as high, is let go at once. Time is T = t sqrt(2 g / a), the\n"
     "front is Z = x / a, and a is the column's width.\n\n"
     "The first reference is potential flow, solved with boundary elements by `tests/reference/dam_break.py` and\n"
     "good to 0.3 %. The second is the experiment of Martin and Moyce 1952, in which a sheet held the column and\n"
     "had to come off. One release time for all four points is fitted by least squares.\n\n"
     "Known: counted from T = 0, the run is ahead of the experiment; the lines below say by how much. Potential\n"
     "flow is ahead by 20 % and 17 % at T = 1.219 and 1.997, so no inviscid column that is let go at once can\n"
     "follow the experiment."},
    {0},
};
