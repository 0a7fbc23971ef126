// Light bodies on the floor of a tank rise, wherever they lie.
#include "verify.h"

#include <math.h>
#include <stdio.h>

extern const tlwVerifyCase tlw_verify_lift[];

#define WATER 1000.0 // kg/m3
#define FRAME (1.0 / 40)

typedef struct Place {
    const char *what;
    bool cube;
    double x, y;  // of the centre, in cells from the middle of the tank; far out means against the wall
    double floor; // cells by which a slab lifts the floor; 0 = the domain's own
    double thick; // cells, of a box; 0 = as high as wide
} Place;

static tlwShape makeBlock(tlwVec3 c, double half, double high)
{
    return tlwMakeBox((tlwVec3){c.x - half, c.y - half, c.z - high}, (tlwVec3){c.x + half, c.y + half, c.z + high});
}

// A tank of 16 x 16 cells, water 9 cells deep, and a body of 5.4 cells that lies on the floor. In open water the body
// would reach the surface after sqrt(2 s (0.55 + 0.5) / (0.45 g)) = 0.23 s.
static void liftOne(tlwReport *report, const Place *place)
{
    const double dx = 1.0 / 36, half = 2.7 * dx, wide = 8 * dx, ground = place->floor * dx, level = ground + 9 * dx;
    tlwSceneDef def = tlwDefaultSceneDef();
    def.cell_size = dx;
    def.domain_min = (tlwVec3){-wide, -wide, 0};
    def.domain_max = (tlwVec3){wide, wide, 16 * dx};
    for (int n = 0; n < 6; n++)
        def.walls[n] = TLW_WALL_SLIP;
    tlwRig rig;
    tlwStartRig(&rig, &def, tlwGetReportThreads(report));
    tlwMaterialDef water = tlwMakeLiquid("Water", WATER, 1e-3);
    int material = tlwAddRigMaterial(&rig, &water);
    tlwVec3 low = {-2 * wide, -2 * wide, -dx};
    tlwAddRigLiquid(&rig, "Pool", tlwMakeBox(low, (tlwVec3){2 * wide, 2 * wide, level}), material, 293.15);
    if (ground > 0)
        tlwAddRigObject(&rig, "Slab", TLW_ROLE_SOLID, tlwMakeBox(low, (tlwVec3){2 * wide, 2 * wide, ground}), NULL);
    double limit = wide - half - 1e-4, high = place->thick > 0 ? place->thick / 2 * dx : half;
    tlwVec3 c = {fmin(place->x * dx, limit), fmin(place->y * dx, limit), ground + high + 1e-4};
    tlwObjectDef body = tlwDefaultObjectDef();
    body.density = 0.55 * WATER;
    body.surface = TLW_SURFACE_SLIP;
    int object = tlwAddRigObject(&rig, "Wood", TLW_ROLE_RIGID,
                                 place->cube ? makeBlock(c, half, high) : tlwMakeSphere(c, half, 4), &body);
    tlwRunRig(&rig);
    tlwBodyState state = {.centre = c};
    int frame = 0;
    while (frame < 60 && state.centre.z < level - high && tlwAdvanceRig(&rig, FRAME)) {
        tlwCheckRig(&rig, tlwGetBody(rig.sim, object, &state));
        frame++;
    }
    char what[80];
    snprintf(what, sizeof what, "%s: at the surface after (s)", place->what);
    if (!rig.failed)
        tlwReportBelow(report, what, frame * FRAME, 1.0);
    tlwEndRig(report, &rig);
}

static void runLift(tlwReport *report)
{
    static const Place places[] = {
        {"ball on the floor", false, 0, 0, 0, 0},
        {"ball in a corner", false, 99, 99, 0, 0},
        {"cube between cells", true, 0.3, 0.45, 0, 0},
        {"cube in a corner", true, 99, 99, 0, 0},
        {"ball at a wall, on a slab", false, 99, 0, 1.3, 0},
        {"cube on a slab", true, 0, 0, 1.3, 0},
        {"plank of 1.6 cells", true, 0, 0, 0, 1.6},
    };
    for (size_t n = 0; n < sizeof places / sizeof places[0]; n++)
        liftOne(report, &places[n]);
}

// A heavy box under water on a rising slab. No gap must open between box and slab, because water would be drawn into
// it.
static void runRide(tlwReport *report)
{
    const double dx = 1.0 / 36, wide = 8 * dx, speed = 0.15;
    tlwSceneDef def = tlwDefaultSceneDef();
    def.cell_size = dx;
    def.domain_min = (tlwVec3){-wide, -wide, 0};
    def.domain_max = (tlwVec3){wide, wide, 16 * dx};
    for (int n = 0; n < 6; n++)
        def.walls[n] = TLW_WALL_SLIP;
    tlwRig rig;
    tlwStartRig(&rig, &def, tlwGetReportThreads(report));
    tlwMaterialDef water = tlwMakeLiquid("Water", WATER, 1e-3);
    int material = tlwAddRigMaterial(&rig, &water);
    tlwShape pool = tlwMakeBox((tlwVec3){-2 * wide, -2 * wide, -dx}, (tlwVec3){2 * wide, 2 * wide, 13 * dx});
    tlwAddRigLiquid(&rig, "Pool", pool, material, 293.15);
    tlwKey keys[2] = {tlwDefaultKey(), tlwDefaultKey()};
    keys[1].time = 0.5;
    keys[1].position.z = 0.5 * speed;
    tlwObjectDef slab = tlwDefaultObjectDef(), box = tlwDefaultObjectDef();
    slab.keys = keys;
    slab.key_count = 2;
    tlwAddRigObject(&rig, "Slab", TLW_ROLE_SOLID, makeBlock((tlwVec3){0, 0, 1.4 * dx}, 5 * dx, dx), &slab);
    box.density = 3 * WATER;
    int body =
        tlwAddRigObject(&rig, "Box", TLW_ROLE_RIGID, makeBlock((tlwVec3){0, 0, 4.41 * dx}, 4 * dx, 2 * dx), &box);
    tlwRunRig(&rig);
    double fastest = 0;
    tlwBodyState state = {0};
    for (int frame = 0; frame < 16 && tlwAdvanceRig(&rig, FRAME); frame++)
        fastest = fmax(fastest, tlwGetRigStats(&rig).max_speed);
    if (!rig.failed)
        tlwCheckRig(&rig, tlwGetBody(rig.sim, body, &state));
    if (!rig.failed) {
        tlwReportBelow(report, "fastest water around it (speeds of the slab)", fastest / speed, 4);
        tlwReportRelative(report, "speed of the box (m/s)", state.velocity.z, speed, 0.05);
    }
    tlwEndRig(report, &rig);
}

const tlwVerifyCase tlw_verify_lift[] = {
    {"ride", "a box on a slab that rises under water draws no water to the gap between them", runRide, true,
     "A box of three times the water's density rests on a slab that rises by 0.15 m/s. No gap opens between the\n"
     "two, so no water may rush towards one. The limit of the water's speed is fitted."},
    {"lifts_off", "light bodies rise from the floor, from walls and out of corners", runLift, true,
     "Bodies of relative density 0.55 lie on the floor, in corners and against walls of a tank, 5.4 cells wide. In\n"
     "open water such a ball would be at the surface after 0.23 s. The limit is fitted."},
    {0},
};
