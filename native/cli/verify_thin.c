// Solids and bodies thinner than a cell hold water.
#include "verify.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

extern const tlwVerifyCase tlw_verify_thin[];

#define DX 0.02 // m
#define CELL (DX * DX * DX)
#define FPS 24.0

static const double pi = 3.14159265358979323846;

// A tank of closed slip walls; sides in cells.
static int startTank(tlwRig *rig, tlwReport *to, double half, double low, double high)
{
    tlwSceneDef def = tlwDefaultSceneDef();
    def.cell_size = DX;
    def.fps = FPS;
    def.domain_min = (tlwVec3){-half * DX, -half * DX, low * DX};
    def.domain_max = (tlwVec3){half * DX, half * DX, high * DX};
    for (int n = 0; n < 6; n++)
        def.walls[n] = TLW_WALL_SLIP;
    tlwStartRig(rig, &def, tlwGetReportThreads(to));
    tlwMaterialDef water = tlwMakeLiquid("Water", 1000, 1e-3);
    return tlwAddRigMaterial(rig, &water);
}

// What a ball holds up to a level above its centre.
static tlwShape makeSegment(tlwVec3 centre, double radius, double level)
{
    enum { ARC = 25 };
    double outline[ARC + 1][2], end = acos(-level / radius);
    for (int i = 0; i < ARC; i++) {
        outline[i][0] = i ? radius * sin(end * i / (ARC - 1)) : 0;
        outline[i][1] = -radius * cos(end * i / (ARC - 1));
    }
    outline[ARC][0] = 0;
    outline[ARC][1] = level;
    return tlwMakeLathe(centre, outline, ARC + 1, 64);
}

static double getSegmentVolume(double radius, double level)
{
    double depth = radius + level;
    return pi * depth * depth * (3 * radius - depth) / 3;
}

// Whether a place is in a container.
typedef bool InsideFn(const void *container, tlwVec3 place);

// Share of the particles that started inside a container, as it was, and are not inside it as it is. With `outside`
// the share of all that started outside and are inside.
static double findCrossed(tlwRig *rig, InsideFn *is_inside, const void *before, const void *now, bool outside)
{
    tlwParticleView view;
    int64_t started = 0, crossed = 0;
    if (rig->failed || !tlwCheckRig(rig, tlwGetParticles(rig->sim, &view)))
        return NAN;
    for (int64_t n = 0; n < view.count; n++) {
        const float *p = view.position + 3 * n, *q = view.rest_position + 3 * n;
        if (is_inside(before, (tlwVec3){q[0], q[1], q[2]}) == outside)
            continue;
        started++;
        crossed += is_inside(now, (tlwVec3){p[0], p[1], p[2]}) == outside;
    }
    return (double)crossed / (double)started;
}

typedef struct Ball {
    tlwVec3 centre;
    double radius;
} Ball;

static bool isInBall(const void *container, tlwVec3 p)
{
    const Ball *b = container;
    double x = p.x - b->centre.x, y = p.y - b->centre.y, z = p.z - b->centre.z;
    return x * x + y * y + z * z < b->radius * b->radius;
}

// ---------------------------------------------------------------------------------------------------------------------
// Bowls

typedef struct Cup {
    double thick; // cells
    double off;   // cells from the grid
    double tilt;  // degrees
    double lift;  // cells that the bowl rises in 2 s; it also goes half as far aside
    double level; // of the water, radii above the centre
} Cup;

static void reportCup(tlwReport *to, const Cup *cup, double lost, double speed, double taken)
{
    char name[60], what[120];
    snprintf(name, sizeof name, "%g cells%s%s%s", cup->thick, cup->off > 0 ? ", off the grid" : "",
             cup->tilt > 0 ? ", tilted" : "", cup->lift > 0 ? ", lifted" : "");
    snprintf(what, sizeof what, "%s: lost (%%)", name);
    tlwReportBelow(to, what, 100 * lost, 0.1);
    snprintf(what, sizeof what, "%s: speed at rest (m/s)", name);
    tlwReportBelow(to, what, speed, 1e-2);
    snprintf(what, sizeof what, "%s: water at the start (of what fits)", name);
    tlwReportRelative(to, what, taken, 1, 0.03);
}

static void holdOne(tlwReport *to, const Cup *cup)
{
    const double radius = 12 * DX;
    tlwRig rig;
    int material = startTank(&rig, to, 17 + cup->lift / 2, 0, 34 + cup->lift);
    tlwVec3 centre = {cup->off * DX, 0.6 * cup->off * DX, (17 + 1.2 * cup->off) * DX};
    tlwAddRigLiquid(&rig, "Water", makeSegment(centre, radius, cup->level * radius), material, 293.15);
    tlwKey keys[2] = {tlwDefaultKey(), tlwDefaultKey()};
    keys[1].time = 2;
    keys[1].position = (tlwVec3){0.5 * cup->lift * DX, 0, cup->lift * DX};
    tlwObjectDef solid = tlwDefaultObjectDef();
    solid.surface = TLW_SURFACE_SLIP;
    solid.keys = keys;
    solid.key_count = cup->lift > 0 ? 2 : 1;
    tlwShape bowl = tlwMakeBowl(centre, radius, cup->thick * DX, 64);
    tlwPlaceShape(&bowl, centre, tlwMakeRotation((tlwVec3){1, 2, 0}, cup->tilt), (tlwVec3){0, 0, 0});
    tlwAddRigObject(&rig, "Bowl", TLW_ROLE_SOLID, bowl, &solid);
    tlwRunRig(&rig);
    double start = tlwGetRigStats(&rig).particle_volume, speed = 0;
    int frames = (int)((cup->lift > 0 ? 15 : 5) * FPS); // what was lifted sloshes for some seconds
    for (int n = 0; n < frames && tlwAdvanceRig(&rig, 1 / FPS); n++)
        speed = n >= frames - FPS / 2 ? fmax(speed, tlwGetRigStats(&rig).max_speed) : 0;
    Ball before = {centre, radius + (0.5 * cup->thick + 0.1) * DX}, now = before;
    now.centre.x += keys[1].position.x;
    now.centre.z += keys[1].position.z;
    double lost = findCrossed(&rig, isInBall, &before, &now, false);
    if (!rig.failed)
        reportCup(to, cup, lost, speed, start / getSegmentVolume(radius, cup->level * radius));
    tlwEndRig(to, &rig);
}

static void runCup(tlwReport *to)
{
    static const Cup cups[] = {
        {2, 0, 0, 0, -0.3},        {1, 0, 0, 0, -0.3},      {1, 0.37, 0, 0, -0.3}, {0.5, 0, 0, 0, -0.3},
        {0.5, 0.37, 33, 0, -0.62}, {0.1, 0.37, 0, 0, -0.3}, {0, 0, 0, 0, -0.3},    {0, 0.37, 33, 0, -0.62},
        {0.5, 0, 0, 10, -0.3},     {0, 0.37, 0, 10, -0.3},
    };
    for (size_t n = 0; n < sizeof cups / sizeof cups[0]; n++)
        holdOne(to, &cups[n]);
}

// ---------------------------------------------------------------------------------------------------------------------
// Boxes, drums, planes

typedef struct Box {
    tlwQuat turn; // about the origin
    tlwVec3 half;
} Box;

static bool isInBox(const void *container, tlwVec3 place)
{
    const Box *b = container;
    float p[3] = {(float)place.x, (float)place.y, (float)place.z};
    tlwShape one = {.positions = p, .vertex_count = 1};
    tlwQuat back = {b->turn.w, -b->turn.x, -b->turn.y, -b->turn.z};
    tlwPlaceShape(&one, (tlwVec3){0, 0, 0}, back, (tlwVec3){0, 0, 0});
    return fabs(p[0]) < b->half.x && fabs(p[1]) < b->half.y && fabs(p[2]) < b->half.z;
}

enum { KEYS = 25 };

// A closed box of 16 x 12 x 18 cells in which a cube of water falls. It stands turned, or spins about the y axis.
static void splashOne(tlwReport *to, double thick, double turn, double spin)
{
    tlwRig rig;
    int material = startTank(&rig, to, 16.3, -16.4, 17);
    tlwVec3 half = {8 * DX, 6 * DX, 9 * DX}, low = {-half.x, -half.y, -half.z};
    tlwShape water = tlwMakeBox((tlwVec3){-4 * DX, -4 * DX, 0}, (tlwVec3){4 * DX, 4 * DX, 8 * DX});
    tlwAddRigLiquid(&rig, "Water", water, material, 293.15);
    tlwKey keys[KEYS];
    for (int n = 0; n < KEYS; n++) {
        keys[n] = tlwDefaultKey();
        keys[n].time = n * 0.125;
        keys[n].rotation = spin > 0 ? tlwMakeRotation((tlwVec3){0, 1, 0}, 360 * spin * keys[n].time)
                                    : tlwMakeRotation((tlwVec3){1, 1, 3}, turn);
    }
    tlwObjectDef solid = tlwDefaultObjectDef();
    solid.keys = keys;
    solid.key_count = spin > 0 ? KEYS : 1;
    tlwAddRigObject(&rig, "Box", TLW_ROLE_SOLID, tlwMakeContainer(low, half, thick * DX, false), &solid);
    tlwRunRig(&rig);
    for (int n = 0; n < 3 * FPS && tlwAdvanceRig(&rig, 1 / FPS);)
        n++;
    double wall = (0.5 * thick + 0.1) * DX;
    Box before = {keys[0].rotation, {half.x + wall, half.y + wall, half.z + wall}}, now = before;
    now.turn = keys[KEYS - 1].rotation;
    double lost = findCrossed(&rig, isInBox, &before, &now, false);
    char what[120];
    if (spin > 0)
        snprintf(what, sizeof what, "drum of %g cells, %g turns/s: lost (%%)", thick, spin);
    else
        snprintf(what, sizeof what, "box of %g cells, turned by %g degrees: lost (%%)", thick, turn);
    if (!rig.failed)
        tlwReportBelow(to, what, 100 * lost, 0.1);
    tlwEndRig(to, &rig);
}

static bool isAbove(const void *container, tlwVec3 place)
{
    const tlwVec3 *up = container; // normal of a plane through the origin
    return up->x * place.x + up->y * place.y + up->z * place.z > -0.1 * DX;
}

// Water falls on a plane of two triangles that divides the tank.
static void fallOne(tlwReport *to, double tilt)
{
    tlwRig rig;
    int material = startTank(&rig, to, 10, -8.35, 16);
    tlwShape plane = tlwMakeBox((tlwVec3){-20 * DX, -20 * DX, 0}, (tlwVec3){20 * DX, 20 * DX, DX});
    plane.triangle_count = 2; // the lower face
    tlwQuat turn = tlwMakeRotation((tlwVec3){1, 2, 0}, tilt);
    tlwPlaceShape(&plane, (tlwVec3){0, 0, 0}, turn, (tlwVec3){0, 0, 0});
    tlwAddRigObject(&rig, "Plane", TLW_ROLE_SOLID, plane, NULL);
    tlwShape water = tlwMakeBox((tlwVec3){-4 * DX, -4 * DX, 6 * DX}, (tlwVec3){4 * DX, 4 * DX, 12 * DX});
    tlwAddRigLiquid(&rig, "Water", water, material, 293.15);
    tlwRunRig(&rig);
    for (int n = 0; n < 3 * FPS && tlwAdvanceRig(&rig, 1 / FPS);)
        n++;
    tlwVec3 up = {2 * (turn.x * turn.z + turn.w * turn.y), 2 * (turn.y * turn.z - turn.w * turn.x),
                  1 - 2 * (turn.x * turn.x + turn.y * turn.y)};
    double lost = findCrossed(&rig, isAbove, &up, &up, false);
    char what[80];
    snprintf(what, sizeof what, "plane tilted by %g degrees: lost (%%)", tilt);
    if (!rig.failed)
        tlwReportBelow(to, what, 100 * lost, 0.1);
    tlwEndRig(to, &rig);
}

static void runWalls(tlwReport *to)
{
    fallOne(to, 0);
    fallOne(to, 20);
    splashOne(to, 0.5, 0, 0);
    splashOne(to, 0.2, 25, 0);
    splashOne(to, 1.5, 25, 0);
    splashOne(to, 0.7, 60, 0);
    splashOne(to, 1, 0, 1);
    splashOne(to, 0.3, 0, 1);
}

// ---------------------------------------------------------------------------------------------------------------------
// Bodies

// Depth to which a ball goes under so that it displaces a volume.
static double findDraught(double radius, double volume)
{
    double low = 0, high = radius;
    for (int n = 0; n < 60; n++) {
        double middle = 0.5 * (low + high);
        *(getSegmentVolume(radius, middle - radius) < volume ? &low : &high) = middle;
    }
    return low;
}

// Water around a floating ball, up to z = 0. The ball's lowest point lies `draught` below.
static tlwShape makePool(tlwVec3 centre, double radius, double draught, double wide, double deep)
{
    enum { ARC = 25 };
    double outline[ARC + 3][2] = {{0, -deep}, {wide, -deep}, {wide, 0}}, end = acos(1 - draught / radius);
    for (int i = 0; i < ARC; i++) {
        double angle = end * (1 - (double)i / (ARC - 1));
        outline[i + 3][0] = i < ARC - 1 ? radius * sin(angle) : 0;
        outline[i + 3][1] = radius - draught - radius * cos(angle);
    }
    return tlwMakeLathe(centre, outline, ARC + 3, 48);
}

// A bowl of 7 cells floats in a tank at its draught, empty.
static void floatOne(tlwReport *to, double thick)
{
    const double radius = 7 * DX, outer = radius + thick * DX, level = 12 * DX, volume = 400 * CELL;
    tlwRig rig;
    int material = startTank(&rig, to, 11, 0, 24);
    double draught = findDraught(outer, volume);
    tlwVec3 centre = {0.3 * DX, 0.2 * DX, level + outer - draught};
    tlwShape pool = makePool((tlwVec3){centre.x, centre.y, level}, outer, draught, 22 * DX, level + DX);
    tlwAddRigLiquid(&rig, "Pool", pool, material, 293.15);
    tlwObjectDef body = tlwDefaultObjectDef();
    body.mass = 1000 * volume;
    body.surface = TLW_SURFACE_SLIP;
    int object = tlwAddRigObject(&rig, "Bowl", TLW_ROLE_RIGID, tlwMakeBowl(centre, radius, thick * DX, 48), &body);
    tlwRunRig(&rig);
    tlwBodyState start = {0}, state = {0};
    if (!rig.failed)
        tlwCheckRig(&rig, tlwGetBody(rig.sim, object, &start));
    for (int n = 0; n < 3 * FPS && tlwAdvanceRig(&rig, 1 / FPS);)
        n++;
    if (!rig.failed)
        tlwCheckRig(&rig, tlwGetBody(rig.sim, object, &state));
    tlwVec3 moved = {state.centre.x - start.centre.x, state.centre.y - start.centre.y, state.centre.z - start.centre.z};
    Ball before = {centre, radius - 0.1 * DX}, now = before;
    now.centre = (tlwVec3){centre.x + moved.x, centre.y + moved.y, centre.z + moved.z};
    double entered = findCrossed(&rig, isInBall, &before, &now, true);
    char what[80];
    snprintf(what, sizeof what, "bowl of %g cells: rise (cells)", thick);
    if (!rig.failed)
        tlwReportBelow(to, what, fabs(moved.z) / DX, 0.1);
    snprintf(what, sizeof what, "bowl of %g cells: water that came in (%%)", thick);
    if (!rig.failed)
        tlwReportBelow(to, what, 100 * entered, 0.001);
    tlwEndRig(to, &rig);
}

static void runBoat(tlwReport *to)
{
    floatOne(to, 2);
    floatOne(to, 0.5);
    floatOne(to, 0);
}

const tlwVerifyCase tlw_verify_thin[] = {
    {"thin_cup", "bowls of 2 to 0 cells hold water, tilted and lifted", runCup, false,
     "Half spheres of 12 cells with slip walls, for 5 s. Water that leaves the sphere is lost. The bowl without\n"
     "thickness is a single sheet of faces. Walls below 1.9 cells grow on their outside, so the water that fits in\n"
     "stays the same ([decision 36](decisions/0036-thin-walls-grow.md)).\n\n"
     "Known: water that has sloshed in a curved bowl now and then stirs for a moment at the waterline, in bowls of 3\n"
     "cells (0.06 m/s) as in thin ones."},
    {"thin_walls", "thin boxes, drums and planes hold water that splashes", runWalls, false,
     "A cube of water falls in closed boxes of 16 x 12 x 18 cells and on planes. The drums are such boxes that spin\n"
     "about an axis through two sides."},
    {"thin_boat", "thin bowls float empty at their draught", runBoat, false,
     "Bowls of 7 cells start at the draught that their weight gives. A thin wall of a floating body grows on the\n"
     "inside, so the draught stays that of the mesh."},
    {0},
};
