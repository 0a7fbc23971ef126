// Hot rigid bodies that melt their way into wax.
#include "verify.h"

#include <math.h>

extern const tlwVerifyCase tlw_verify_ball[];

static const double dx = 0.0072, celsius = 273.15, slab_top = 19 * 0.0072;

// Wax thickened to 20 Pa s, so that a film of it carries a ball.
static tlwMaterialDef makeThickWax(void)
{
    tlwMaterialDef def = tlwMakeParaffin();
    def.density_liquid = 780;
    def.viscosity = (tlwCurve){.count = 1, .temperature = {353.15}, .value = {20}};
    def.solid_viscosity = 2000;
    return def;
}

static double length(tlwVec3 v)
{
    return sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
}

// An iron ball, held at a temperature, at rest over wax.
static int addHotBall(tlwRig *rig, tlwVec3 middle, double radius, tlwObjectDef iron)
{
    tlwKey key = tlwDefaultKey();
    key.position = middle;
    key.temperature = 400 + celsius;
    iron.keys = &key;
    iron.key_count = 1;
    iron.density = 7900;
    iron.conductivity = 80;
    iron.specific_heat = 450;
    iron.restitution = 0;
    iron.fixed_temperature = true;
    return tlwAddRigObject(rig, "Ball", TLW_ROLE_RIGID, tlwMakeSphere((tlwVec3){0, 0, 0}, radius, 4), &iron);
}

// A slab of wax on two stands, open at its sides and below.
static void addSlab(tlwRig *rig, double low, double top)
{
    tlwMaterialDef wax = makeThickWax();
    int material = tlwAddRigMaterial(rig, &wax);
    tlwShape slab = tlwMakeBox((tlwVec3){-15 * dx, -10 * dx, low}, (tlwVec3){15 * dx, 10 * dx, top});
    tlwAddRigLiquid(rig, "Slab", slab, material, 20 + celsius);
    for (int side = -1; side <= 1; side += 2) {
        double from = (15 * side - 2) * dx;
        tlwShape stand = tlwMakeBox((tlwVec3){from, -11 * dx, -dx}, (tlwVec3){from + 4 * dx, 11 * dx, low});
        tlwObjectDef def = tlwDefaultObjectDef();
        def.surface = TLW_SURFACE_STICK;
        tlwAddRigObject(rig, side < 0 ? "Stand" : "Other stand", TLW_ROLE_SOLID, stand, &def);
    }
}

// An iron ball at rest over a cold slab. Returns its object.
static int startBallOnSlab(tlwReport *report, tlwRig *rig, tlwVec3 start, double radius, tlwObjectDef iron)
{
    tlwSceneDef def = tlwDefaultSceneDef();
    def.cell_size = dx;
    def.domain_min = (tlwVec3){-18 * dx, -13 * dx, 0};
    def.domain_max = (tlwVec3){18 * dx, 13 * dx, 30 * dx};
    def.walls[5] = TLW_WALL_OPEN;
    def.thermal_speed = 220;
    tlwStartRig(rig, &def, tlwGetReportThreads(report));
    addSlab(rig, 12 * dx, slab_top);
    int ball = addHotBall(rig, start, radius, iron);
    tlwRunRig(rig);
    return ball;
}

// Neither pressure nor a contact without friction can turn a ball. So a ball that melts into a slab on its own film
// must not spin up.
static void runSlipperyBall(tlwReport *report)
{
    const double radius = 0.03;
    tlwRig rig;
    tlwVec3 start = {0, 0, slab_top + radius + 0.7 * dx};
    tlwObjectDef slippery = tlwDefaultObjectDef();
    slippery.surface = TLW_SURFACE_SLIP;
    slippery.friction = 0;
    int ball = startBallOnSlab(report, &rig, start, radius, slippery);
    double skin = 0, depth = 0;
    for (int n = 0; n < 40 && tlwAdvanceRig(&rig, 1.0 / 24); n++) {
        tlwBodyState body = {0};
        tlwCheckRig(&rig, tlwGetBody(rig.sim, ball, &body));
        skin = fmax(skin, radius * length(body.spin));
        depth = start.z - body.position.z;
    }
    tlwReportAbove(report, "depth reached (m)", rig.failed ? NAN : depth, 0.02);
    tlwReportBelow(report, "speed of the ball's skin from its spin (m/s)", rig.failed ? NAN : skin, 0.02);
    tlwEndRig(report, &rig);
}

// A ball that wax sticks to. It is mostly in the air and lies on frozen wax or on a film.
static void runStickyBall(tlwReport *report)
{
    const double radius = 0.03;
    tlwRig rig;
    tlwObjectDef sticky = tlwDefaultObjectDef();
    sticky.surface = TLW_SURFACE_STICK;
    startBallOnSlab(report, &rig, (tlwVec3){0, 0, slab_top + radius + 0.7 * dx}, radius, sticky);
    double most = 0, residual = 0;
    for (int n = 0; n < 12 && tlwAdvanceRig(&rig, 1.0 / 24); n++) {
        tlwStats stats = tlwGetRigStats(&rig);
        most = fmax(most, stats.viscosity_iterations);
        residual = fmax(residual, stats.viscosity_residual);
    }
    tlwReportBelow(report, "residual of viscosity", rig.failed ? NAN : residual, 1e-6);
    tlwReportBelow(report, "iterations of viscosity", rig.failed ? NAN : most, 30);
    tlwReportAbove(report, "iterations of viscosity, not none", most, 1);
    tlwEndRig(report, &rig);
}

static void addBlock(tlwRig *rig, const char *name, tlwVec3 middle, tlwVec3 size)
{
    tlwVec3 half = {size.x / 2, size.y / 2, size.z / 2};
    tlwObjectDef def = tlwDefaultObjectDef();
    def.surface = TLW_SURFACE_STICK;
    tlwShape block = tlwMakeBox((tlwVec3){middle.x - half.x, middle.y - half.y, middle.z - half.z},
                                (tlwVec3){middle.x + half.x, middle.y + half.y, middle.z + half.z});
    tlwAddRigObject(rig, name, TLW_ROLE_SOLID, block, &def);
}

// The demo "Hot Ball": the ball must melt through the slab and land on the plate.
static void runHotBall(tlwReport *report)
{
    const double radius = 0.03, low = 0.09, top = 0.14;
    tlwSceneDef def = tlwDefaultSceneDef();
    def.cell_size = 0.26 / 36;
    def.domain_min = (tlwVec3){-0.13, -0.09, -0.012};
    def.domain_max = (tlwVec3){0.13, 0.09, 0.215};
    for (int n = 0; n < 4; n++)
        def.walls[n] = TLW_WALL_SLIP;
    def.walls[5] = TLW_WALL_OPEN;
    def.thermal_speed = 220;
    tlwRig rig;
    tlwStartRig(&rig, &def, tlwGetReportThreads(report));
    tlwMaterialDef wax = makeThickWax();
    wax.viscosity = (tlwCurve){.count = 2, .temperature = {60 + celsius, 120 + celsius}, .value = {20, 5}};
    int material = tlwAddRigMaterial(&rig, &wax), frame = 0;
    tlwAddRigLiquid(&rig, "Slab", tlwMakeBox((tlwVec3){-0.11, -0.07, low}, (tlwVec3){0.11, 0.07, top}), material,
                    30 + celsius);
    addBlock(&rig, "Plate", (tlwVec3){0, 0, -0.015}, (tlwVec3){0.6, 0.6, 0.03});
    addBlock(&rig, "Stand", (tlwVec3){-0.105, 0, 0.043}, (tlwVec3){0.03, 0.15, 0.1});
    addBlock(&rig, "Other stand", (tlwVec3){0.105, 0, 0.043}, (tlwVec3){0.03, 0.15, 0.1});
    tlwObjectDef sticky = tlwDefaultObjectDef();
    sticky.surface = TLW_SURFACE_STICK;
    tlwBodyState body = {.position = {0, 0, top}};
    int ball = addHotBall(&rig, (tlwVec3){0, 0, 0.175}, radius, sticky);
    tlwRunRig(&rig);
    while (frame < 80 && body.position.z > low - radius && tlwAdvanceRig(&rig, 1.0 / 24)) {
        tlwCheckRig(&rig, tlwGetBody(rig.sim, ball, &body));
        frame++;
    }
    tlwReportNote(report, "after %d frames; the slab is 5 cm thick", frame);
    tlwReportAbove(report, "centre of the ball below the slab (m)", rig.failed ? NAN : low - body.position.z, 1e-3);
    tlwReportBelow(report, "way to the side (m)", rig.failed ? NAN : hypot(body.position.x, body.position.y), 0.02);
    tlwEndRig(report, &rig);
}

const tlwVerifyCase tlw_verify_ball[] = {
    {"slippery_ball", "a slippery hot ball melts into wax without spinning", runSlipperyBall, false,
     "An iron ball of 400 C melts into a slab of wax on a film of its own making. Neither pressure nor a contact\n"
     "without friction can turn a ball. The limit of the skin's speed is fitted."},
    {"sticky_ball", "a sticky hot ball over frozen wax: viscosity takes few iterations", runStickyBall, true,
     "A ball that wax sticks to, mostly in the air, over wax that is frozen or a thin film. The limit of the\n"
     "iterations is fitted."},
    {"hot_ball", "a hot ball melts its way through a slab of wax and drops out below", runHotBall, true,
     "The ready scene \"Hot Ball\": an iron ball of 400 C on a slab of 5 cm that two stands carry. The ball has to\n"
     "come out below and may not drift far."},
    {0},
};
