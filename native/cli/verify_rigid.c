// Bodies in liquid: floating, sinking, momentum, contacts.
#include "verify.h"

#include <math.h>
#include <stdio.h>

extern const tlwVerifyCase tlw_verify_rigid[];

#define WATER 1000.0 // kg/m3
#define GRAVITY 9.81
#define FRAME (1.0 / 24)

// A closed box of `cells` cells with slip walls and one liquid in it up to `level`.
static void startTankWith(tlwReport *report, tlwRig *rig, const int cells[3], double dx, double level, double viscosity,
                          tlwCoupling coupling)
{
    tlwSceneDef def = tlwDefaultSceneDef();
    def.cell_size = dx;
    def.coupling = coupling;
    def.domain_min = (tlwVec3){0, 0, 0};
    def.domain_max = (tlwVec3){cells[0] * dx, cells[1] * dx, cells[2] * dx};
    for (int n = 0; n < 6; n++)
        def.walls[n] = TLW_WALL_SLIP;
    tlwStartRig(rig, &def, tlwGetReportThreads(report));
    tlwMaterialDef liquid = tlwMakeLiquid("Liquid", WATER, viscosity);
    int material = tlwAddRigMaterial(rig, &liquid);
    tlwVec3 high = {cells[0] * dx + dx, cells[1] * dx + dx, level}, low = {-dx, -dx, -dx};
    tlwAddRigLiquid(rig, "Pool", tlwMakeBox(low, high), material, 293.15);
}

static void startTank(tlwReport *report, tlwRig *rig, const int cells[3], double dx, double level, double viscosity)
{
    startTankWith(report, rig, cells, dx, level, viscosity, TLW_COUPLING_JOINT);
}

static int addBody(tlwRig *rig, const char *name, tlwShape shape, double density)
{
    tlwObjectDef def = tlwDefaultObjectDef();
    def.density = density;
    return tlwAddRigObject(rig, name, TLW_ROLE_RIGID, shape, &def);
}

static tlwBodyState getBody(tlwRig *rig, int object)
{
    tlwBodyState state = {0};
    if (!rig->failed && rig->sim)
        tlwCheckRig(rig, tlwGetBody(rig->sim, object, &state));
    return state;
}

static double length(tlwVec3 v)
{
    return sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
}

// ---------------------------------------------------------------------------------------------------------------------
// archimedes

// Share of a sphere of diameter `side`, or of a cube as it stands, below a level.
static double submergedShare(const tlwBodyState *s, bool cube, double side, double level)
{
    if (!cube) {
        double r = side / 2, h = fmin(fmax(level - (s->centre.z - r), 0), side);
        return h * h * (3 * r - h) / (4 * r * r * r);
    }
    enum { N = 24 };
    const tlwQuat q = s->rotation; // height of a point is the third row of the rotation matrix
    double row[3] = {2 * (q.x * q.z - q.w * q.y), 2 * (q.y * q.z + q.w * q.x), 1 - 2 * (q.x * q.x + q.y * q.y)};
    int below = 0;
    for (int n = 0; n < N * N * N; n++) {
        int at[3] = {n % N, n / N % N, n / N / N};
        double z = s->centre.z;
        for (int a = 0; a < 3; a++)
            z += row[a] * side * ((at[a] + 0.5) / N - 0.5);
        below += z < level;
    }
    return (double)below / (N * N * N);
}

// Share of the body below the level that the liquid would have at rest around the body's present pose.
static double restingShare(const tlwRig *rig, const tlwBodyState *s, bool cube, double side, double area)
{
    double body = cube ? side * side * side : acos(-1) / 6 * side * side * side, share = 0;
    for (int pass = 0; pass < 40; pass++)
        share = submergedShare(s, cube, side, (tlwGetRigStats(rig).particle_volume + share * body) / area);
    return share;
}

static void floatOne(tlwReport *report, bool cube, double relative)
{
    const int cells[3] = {20, 20, 20};
    const double dx = 0.0125, width = cells[0] * dx, side = 0.1, level = 0.14;
    tlwRig rig;
    startTank(report, &rig, cells, dx, level, 0.2); // thick enough to settle within two seconds
    double z = level + (0.5 - relative) * side + 0.3 * dx;
    tlwVec3 centre = {width / 2, width / 2, z}, low = {width / 2 - side / 2, width / 2 - side / 2, z - side / 2};
    tlwVec3 high = {low.x + side, low.y + side, low.z + side};
    int body = addBody(&rig, cube ? "Cube" : "Ball", cube ? tlwMakeBox(low, high) : tlwMakeSphere(centre, side / 2, 4),
                       relative * WATER);
    tlwRunRig(&rig);
    double mean = 0;
    enum { FRAMES = 48, LAST = 16 };
    for (int frame = 0; frame < FRAMES && tlwAdvanceRig(&rig, FRAME); frame++) {
        tlwBodyState s = getBody(&rig, body);
        if (frame >= FRAMES - LAST)
            mean += restingShare(&rig, &s, cube, side, width * width) / LAST;
    }
    char what[80];
    snprintf(what, sizeof what, "%s of relative density %.2f: submerged", cube ? "cube" : "sphere", relative);
    if (!rig.failed)
        tlwReportAbsolute(report, what, mean, relative, 0.03);
    tlwEndRig(report, &rig);
}

static void runArchimedes(tlwReport *report)
{
    static const double densities[3] = {0.2, 0.55, 0.9};
    for (int cube = 0; cube < 2; cube++)
        for (int n = 0; n < 3; n++)
            floatOne(report, cube, densities[n]);
}

// ---------------------------------------------------------------------------------------------------------------------
// sinks, added_mass

static void sinkOne(tlwReport *report, double relative)
{
    const int cells[3] = {16, 16, 20};
    const double dx = 0.02, start = 0.16, width = cells[0] * dx;
    tlwRig rig;
    startTank(report, &rig, cells, dx, 0.3, 1e-3);
    tlwShape ball = tlwMakeSphere((tlwVec3){width / 2, width / 2, start}, 0.06, 4);
    int body = addBody(&rig, "Ball", ball, relative * WATER);
    tlwRunRig(&rig);
    double early = 0, fastest = 0, furthest = 0;
    for (int frame = 0; frame < 24 && tlwAdvanceRig(&rig, FRAME); frame++) {
        tlwBodyState s = getBody(&rig, body);
        fastest = fmax(fastest, length(s.velocity));
        furthest = fmax(furthest, fabs(s.centre.z - start));
        if (frame == 3)
            early = s.centre.z - start;
    }
    char what[80];
    double exact = 0.5 * GRAVITY * (1 - relative) / (relative + 0.5) / 36; // a sixth of a second, no drag
    snprintf(what, sizeof what, "relative density %.2f: way after 1/6 s (m), half of it", relative);
    if (rig.failed)
        ;
    else if (relative == 1)
        tlwReportBelow(report, "relative density 1: way in 1 s (cells)", furthest / dx, 0.5);
    else
        tlwReportRow(report, what, early, exact, fabs(early / exact - 0.75), 0.35); // passes from 0.4 to 1.1 of `exact`
    snprintf(what, sizeof what, "relative density %.2f: fastest (m/s)", relative);
    if (!rig.failed)
        tlwReportBelow(report, what, fastest, 3); // a fall over the height of the tank would reach 2.8
    tlwEndRig(report, &rig);
}

static void runSinks(tlwReport *report)
{
    static const double densities[6] = {0.05, 0.45, 1, 5.7, 11, 20};
    for (int n = 0; n < 6; n++)
        sinkOne(report, densities[n]);
}

// Mean acceleration of a ball over 30 ms after its release under water, against the theory with added mass.
static void releaseBalls(tlwReport *report, tlwCoupling coupling, double limit)
{
    static const double densities[3] = {0.2, 2, 8};
    const int cells[3] = {32, 32, 32};
    const double dx = 0.0125, start = 0.19;
    for (int n = 0; n < 3; n++) {
        tlwRig rig;
        startTankWith(report, &rig, cells, dx, 0.38, 1e-3, coupling);
        int body = addBody(&rig, "Ball", tlwMakeSphere((tlwVec3){0.2, 0.2, start}, 0.05, 4), densities[n] * WATER);
        tlwRunRig(&rig);
        const double step = 0.005;
        enum { STEPS = 6 };
        for (int k = 0; k < STEPS && tlwAdvanceRig(&rig, step); k++)
            ;
        double time = STEPS * step, exact = (1 - densities[n]) * GRAVITY / (densities[n] + 0.5);
        double found = 2 * (getBody(&rig, body).centre.z - start) / (time * time);
        char what[80];
        snprintf(what, sizeof what, "relative density %g: acceleration (m/s2)", densities[n]);
        if (!rig.failed)
            tlwReportRelative(report, what, found, exact, limit);
        tlwEndRig(report, &rig);
    }
}

static void runAddedMass(tlwReport *report)
{
    releaseBalls(report, TLW_COUPLING_JOINT, 0.1);
}

// The split method has no added mass within a step. So its error is shown, and only the sign must be right.
static void runSplit(tlwReport *report)
{
    releaseBalls(report, TLW_COUPLING_SPLIT, 0.99);
}

// ---------------------------------------------------------------------------------------------------------------------
// momentum

// A blob of liquid with two bodies in it, drifting and turning in the middle of a box without touching it.
static void runMomentum(tlwReport *report)
{
    tlwSceneDef def = tlwDefaultSceneDef();
    def.cell_size = 0.02;
    def.domain_min = (tlwVec3){-0.4, -0.4, -0.4};
    def.domain_max = (tlwVec3){0.4, 0.4, 0.4};
    def.gravity = (tlwVec3){0, 0, 0};
    tlwRig rig;
    tlwStartRig(&rig, &def, tlwGetReportThreads(report));
    tlwMaterialDef liquid = tlwMakeLiquid("Liquid", WATER, 1e-3);
    tlwObjectDef blob = tlwDefaultObjectDef();
    blob.material = tlwAddRigMaterial(&rig, &liquid);
    blob.velocity = (tlwVec3){0.1, 0, 0};
    blob.spin = (tlwVec3){0, 0, 1};
    tlwAddRigObject(&rig, "Blob", TLW_ROLE_LIQUID, tlwMakeSphere((tlwVec3){0, 0, 0}, 0.2, 4), &blob);
    tlwObjectDef body = tlwDefaultObjectDef();
    body.density = 3 * WATER;
    body.velocity = (tlwVec3){0.3, 0.1, 0};
    body.spin = (tlwVec3){3, 0, 5};
    tlwVec3 low = {-0.12, -0.05, -0.05}, high = {-0.02, 0.05, 0.05};
    tlwAddRigObject(&rig, "Box", TLW_ROLE_RIGID, tlwMakeBox(low, high), &body);
    body.density = 0.3 * WATER;
    body.velocity = (tlwVec3){-0.2, 0.2, 0.1};
    tlwAddRigObject(&rig, "Ball", TLW_ROLE_RIGID, tlwMakeSphere((tlwVec3){0.07, 0.02, 0.02}, 0.05, 3), &body);
    tlwRunRig(&rig);
    tlwStats first = tlwGetRigStats(&rig);
    double drift = 0, turn = 0;
    for (int frame = 0; frame < 12 && tlwAdvanceRig(&rig, FRAME); frame++) {
        tlwStats now = tlwGetRigStats(&rig);
        tlwVec3 p = {now.momentum.x - first.momentum.x, now.momentum.y - first.momentum.y,
                     now.momentum.z - first.momentum.z};
        tlwVec3 l = {now.angular_momentum.x - first.angular_momentum.x,
                     now.angular_momentum.y - first.angular_momentum.y,
                     now.angular_momentum.z - first.angular_momentum.z};
        drift = fmax(drift, length(p) / length(first.momentum));
        turn = fmax(turn, length(l) / length(first.angular_momentum));
    }
    if (!rig.failed) {
        tlwReportBelow(report, "linear momentum lost or won in 0.5 s (share)", drift, 1e-5);
        tlwReportBelow(report, "angular momentum lost or won in 0.5 s (share)", turn, 1e-5);
    }
    tlwEndRig(report, &rig);
}

// ---------------------------------------------------------------------------------------------------------------------
// tumbling

// The narrow tank of (Carlson 2004, fig. 20), three metres high.
static void runTumbling(tlwReport *report)
{
    const double r = 0.0825, dx = 2 * r / 6;
    const int cells[3] = {26, 10, 110};
    const double top = cells[2] * dx - 3 * dx - 1.5 * r, y = cells[1] * dx / 2;
    tlwRig rig;
    startTank(report, &rig, cells, dx, cells[2] * dx - 3 * dx, 1e-3);
    double nearest = HUGE_VAL, landed[2] = {NAN, NAN}, before[2] = {top, top - 2.3 * r};
    int body[2] = {
        addBody(&rig, "Upper", tlwMakeSphere((tlwVec3){0.25, y, top}, r, 4), 5.7 * WATER),
        addBody(&rig, "Lower", tlwMakeSphere((tlwVec3){0.25 + 0.2 * r, y, top - 2.3 * r}, r, 4), 5.7 * WATER)};
    tlwRunRig(&rig);
    double time = 0;
    while (time < 4 && !(landed[0] > 0 && landed[1] > 0) && tlwAdvanceRig(&rig, FRAME / 2)) {
        time += FRAME / 2;
        tlwVec3 p[2];
        for (int n = 0; n < 2; n++) {
            p[n] = getBody(&rig, body[n]).centre;
            if (!(landed[n] > 0) && p[n].z < r + dx) // interpolate between the last two positions
                landed[n] = time - FRAME / 2 * (r + dx - p[n].z) / (before[n] - p[n].z);
            before[n] = p[n].z;
        }
        double apart = length((tlwVec3){p[0].x - p[1].x, p[0].y - p[1].y, p[0].z - p[1].z});
        if (!(landed[0] > 0) && !(landed[1] > 0))
            nearest = fmin(nearest, apart / (2 * r));
    }
    if (!rig.failed) {
        tlwReportRow(report, "drafting: smallest distance before the floor (diameters)", nearest, 1, nearest, 1.1);
        tlwReportNote(report, "the upper ball is at the floor after %.3f s, the lower after %.3f s", landed[0],
                      landed[1]);
        tlwReportAbove(report, "the upper one first: lower's time / upper's", landed[1] / landed[0], 1);
    }
    tlwEndRig(report, &rig);
}

// ---------------------------------------------------------------------------------------------------------------------
// plug

// A ball on the hole of a funnel full of water. Water that passes the ball leaves through the open floor.
static void holdWater(tlwReport *report, double density, tlwCoupling coupling)
{
    const double dx = 0.0125, hole = 0.04, r = 0.06, top = 0.19, height = 0.22, base = 0.06;
    tlwSceneDef def = tlwDefaultSceneDef();
    def.cell_size = dx;
    def.domain_min = (tlwVec3){-0.225, -0.225, 0};
    def.domain_max = (tlwVec3){0.225, 0.225, 0.35};
    def.walls[4] = TLW_WALL_OPEN;
    def.coupling = coupling;
    tlwRig rig;
    tlwStartRig(&rig, &def, tlwGetReportThreads(report));
    tlwMaterialDef liquid = tlwMakeLiquid("Water", WATER, 1e-3);
    int material = tlwAddRigMaterial(&rig, &liquid);
    tlwShape funnel = tlwMakeFunnel((tlwVec3){0, 0, base}, top, hole, height, 0.03, 48);
    tlwAddRigObject(&rig, "Funnel", TLW_ROLE_SOLID, funnel, NULL);
    // On a cone of slope `slope` the ball's centre is where its distance to the wall is its radius.
    double slope = (top - hole) / height, centre = base + (r * sqrt(1 + slope * slope) - hole) / slope;
    addBody(&rig, "Ball", tlwMakeSphere((tlwVec3){0, 0, centre}, r, 4), density * WATER);
    const double full = 0.55 * height, touch = centre - base - r * slope / sqrt(1 + slope * slope);
    const double outline[4][2] = {
        {0, base + touch}, {hole + slope * touch, base + touch}, {hole + slope * full, base + full}, {0, base + full}};
    tlwAddRigLiquid(&rig, "Water", tlwMakeLathe((tlwVec3){0, 0, 0}, outline, 4, 48), material, 293.15);
    tlwRunRig(&rig);
    double before = tlwGetRigStats(&rig).particle_volume;
    for (int frame = 0; frame < 120 && tlwAdvanceRig(&rig, FRAME); frame++)
        ;
    double passed = 0;
    tlwParticleView view;
    if (!rig.failed && tlwCheckRig(&rig, tlwGetParticles(rig.sim, &view))) {
        int64_t below = 0;
        for (int64_t n = 0; n < view.count; n++)
            below += view.position[3 * n + 2] < base;
        double now = tlwGetRigStats(&rig).particle_volume;
        passed = (before - now + now * (double)below / (double)view.count) / before;
    }
    tlwReportNote(report, "the fastest water is at %.2g m/s after 5 s", tlwGetRigStats(&rig).max_speed);
    char what[80];
    snprintf(what, sizeof what, "density %g%s: water that passed in 5 s (share)", density,
             coupling == TLW_COUPLING_SPLIT ? ", split" : "");
    if (!rig.failed)
        tlwReportBelow(report, what, passed, 0.01);
    tlwEndRig(report, &rig);
}

static void runPlug(tlwReport *report)
{
    holdWater(report, 3, TLW_COUPLING_JOINT);
}

// A light ball is held down by the water above it alone.
static void runOtherPlugs(tlwReport *report)
{
    holdWater(report, 0.4, TLW_COUPLING_JOINT);
    holdWater(report, 1.5, TLW_COUPLING_JOINT);
    holdWater(report, 3, TLW_COUPLING_SPLIT);
}

// ---------------------------------------------------------------------------------------------------------------------
// stack

static void rest(tlwReport *report, tlwRig *rig, const int *bodies, const double *heights, int count, const char *which,
                 double dx)
{
    double fastest = 0, deepest = 0;
    char what[80];
    for (int frame = 0; frame < 72 && tlwAdvanceRig(rig, FRAME); frame++)
        ;
    for (int n = 0; n < count; n++) {
        tlwBodyState s = getBody(rig, bodies[n]);
        fastest = fmax(fastest, length(s.velocity));
        double before = n ? heights[n] - heights[n - 1] : heights[0], z = n ? getBody(rig, bodies[n - 1]).centre.z : 0;
        deepest = fmax(deepest, (before - (s.centre.z - z)) / dx);
    }
    snprintf(what, sizeof what, "%s: fastest after 3 s (m/s)", which);
    if (!rig->failed)
        tlwReportBelow(report, what, fastest, 1e-3);
    snprintf(what, sizeof what, "%s: deepest penetration (cells)", which);
    if (!rig->failed)
        tlwReportBelow(report, what, deepest, 0.25);
}

static void runStack(tlwReport *report)
{
    enum { COUNT = 10 };
    const int cells[3] = {12, 12, 48};
    const double dx = 0.025, side = 0.1, x = cells[0] * dx / 2;
    int bodies[COUNT];
    double heights[COUNT];
    tlwRig rig;
    startTank(report, &rig, cells, dx, 0.03, 1e-3); // a puddle: a scene needs some liquid
    for (int n = 0; n < COUNT; n++) {
        char name[16];
        snprintf(name, sizeof name, "Box %d", n + 1);
        double z = side * n + 0.002 * (n + 1), shift = 0.003 * (n % 3 - 1);
        tlwVec3 low = {x - side / 2 + shift, x - side / 2 - shift, z};
        bodies[n] = addBody(&rig, name, tlwMakeBox(low, (tlwVec3){low.x + side, low.y + side, z + side}), 2 * WATER);
        heights[n] = side * (n + 0.5);
    }
    tlwRunRig(&rig);
    rest(report, &rig, bodies, heights, COUNT, "ten boxes", dx);
    tlwEndRig(report, &rig);

    // Cups: the second stands on the rim of the first, the third upside down on the second. A ball lies in the first.
    startTank(report, &rig, cells, dx, 0.03, 1e-3);
    const double wall = 0.03, deep = 0.12;
    for (int n = 0; n < 3; n++) {
        char name[16];
        snprintf(name, sizeof name, "Cup %d", n + 1);
        double z = (deep + wall) * n + wall + 0.002 * (n + 1);
        tlwVec3 low = {x - 0.07, x - 0.07, z}, high = {x + 0.07, x + 0.07, z + deep};
        tlwShape cup = tlwMakeContainer(low, high, wall, true);
        if (n == 2)
            tlwPlaceShape(&cup, (tlwVec3){x, x, z + (deep - wall) / 2}, tlwMakeRotation((tlwVec3){1, 0, 0}, 180),
                          (tlwVec3){0, 0, 0});
        bodies[n] = addBody(&rig, name, cup, 2 * WATER);
    }
    addBody(&rig, "Ball", tlwMakeSphere((tlwVec3){x, x, wall + 0.06}, 0.05, 3), 2 * WATER);
    tlwRunRig(&rig);
    double centre = getBody(&rig, bodies[0]).centre.z - 0.002, total = deep + wall;
    heights[0] = centre;
    heights[1] = total + centre;
    heights[2] = 3 * total - centre;
    rest(report, &rig, bodies, heights, 3, "three cups", dx);
    tlwEndRig(report, &rig);
}

const tlwVerifyCase tlw_verify_rigid[] = {
    {"archimedes", "what floats has its relative density under water", runArchimedes, false,
     "Spheres and cubes of eight cells float in liquid that is thickened to 0.2 Pa s. The share is taken below the\n"
     "level that the liquid would have at rest, as a mean over the last 2/3 s."},
    {"sinks", "relative densities from 0.05 to 20 rise and sink without a start", runSinks, false,
     "A ball of six cells is let go under water. The reference is its way without drag, with added mass. A row\n"
     "passes between 0.4 and 1.1 of that way, since drag and the near walls slow the ball."},
    {"added_mass", "a ball let go under water has to move water out of its way", runAddedMass, true,
     "A ball of eight cells is let go under water; its mean acceleration over 30 ms is measured. With the added\n"
     "mass of a sphere it is (1 - s) g / (s + 1/2) for a relative density s."},
    {"split", "the operator split of Carlson 2004 rises and sinks with the right sign", runSplit, false,
     "As `added_mass`, with the operator split of Carlson 2004. Within a step the split knows no added mass. The\n"
     "limit of 99 % asks for the right sign only; the errors show what the split costs."},
    {"momentum", "bodies and liquid without weight keep their momentum", runMomentum, true,
     "A blob with two bodies in it drifts and turns without weight and touches no wall. What a step takes of its\n"
     "momentum is given back as a rigid motion, so only rounding is left."},
    {"tumbling", "two balls draft, kiss and tumble", runTumbling, false,
     "Two balls of relative density 5.7, six cells wide, sink in a narrow tank (Carlson 2004, fig. 20), here three\n"
     "metres high. The upper one is drawn into the wake of the lower one.\n\n"
     "Known: the upper ball lands first by about a thousandth of the time only. At six cells a diameter that is no\n"
     "strong statement."},
    {"plug", "a ball on the hole of a funnel holds the water", runPlug, true,
     "What leaves through the open floor below the funnel has passed. The ball has three times the water's\n"
     "density.\n\n"
     "Known: the water in the funnel does not come to rest; the line below has its fastest particle."},
    {"other_plugs", "light balls and the operator split hold it as well", runOtherPlugs, false,
     "As `plug`, with balls of relative density 0.4 and 1.5, and with the operator split. The light ball is held\n"
     "down by the water above it alone."},
    {"stack", "boxes and cups that stand on each other stand still", runStack, true,
     "Ten boxes, and three cups with a ball in the lowest, stand for 3 s. The penetration is what the centres have\n"
     "come closer than the shapes allow."},
    {0},
};
