// The amount and speed of liquid from inflows.
#include "verify.h"

#include <math.h>
#include <stdio.h>

extern const tlwVerifyCase tlw_verify_inflow[];

typedef struct Nozzle {
    const char *name;
    tlwShape shape;
    tlwVec3 velocity;
    double area;      // m2, of the outlet
    double viscosity; // Pa s
    double seconds;
} Nozzle;

// A tank of 0.4 m with cells of 2 cm, and the nozzle in it.
static void startNozzle(tlwReport *report, tlwRig *rig, const Nozzle *nozzle, tlwMaterialDef liquid)
{
    tlwSceneDef def = tlwDefaultSceneDef();
    def.cell_size = 0.02;
    def.domain_min = (tlwVec3){0, 0, 0};
    def.domain_max = (tlwVec3){0.4, 0.4, 0.4};
    for (int i = 0; i < 6; i++) // closed above too, so that splashes stay in
        def.walls[i] = TLW_WALL_SLIP;
    tlwStartRig(rig, &def, tlwGetReportThreads(report));
    tlwKey key = tlwDefaultKey();
    key.velocity = nozzle->velocity;
    tlwObjectDef object = tlwDefaultObjectDef();
    object.material = tlwAddRigMaterial(rig, &liquid);
    object.keys = &key;
    object.key_count = 1;
    tlwAddRigObject(rig, "Nozzle", TLW_ROLE_INFLOW, nozzle->shape, &object);
}

static double getSpeed(tlwVec3 v)
{
    return sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
}

// How far the liquid reaches along the velocity: its farthest particle.
static double getReach(tlwRig *rig, tlwVec3 v)
{
    tlwParticleView view;
    double reach = -INFINITY, speed = getSpeed(v);
    if (rig->failed || !tlwCheckRig(rig, tlwGetParticles(rig->sim, &view)))
        return NAN;
    for (int64_t n = 0; n < view.count; n++) {
        const float *p = view.position + 3 * n;
        reach = fmax(reach, (p[0] * v.x + p[1] * v.y + p[2] * v.z) / speed);
    }
    return reach;
}

static void give(tlwReport *report, const Nozzle *nozzle)
{
    tlwRig rig;
    char what[80];
    startNozzle(report, &rig, nozzle, tlwMakeLiquid("Liquid", 1000, nozzle->viscosity));
    tlwRunRig(&rig);
    for (int frame = 0; frame < 2; frame++) // the nozzle itself fills first
        tlwAdvanceRig(&rig, 1.0 / 24);
    double before = tlwGetRigStats(&rig).particle_volume, shown = tlwGetRigStats(&rig).surface_volume,
           from = getReach(&rig, nozzle->velocity), time = 0;
    while (time < nozzle->seconds - 1e-9) {
        tlwAdvanceRig(&rig, 1.0 / 24);
        time += 1.0 / 24;
    }
    double given = getSpeed(nozzle->velocity) * nozzle->area * time;
    snprintf(what, sizeof what, "%s: volume given (m3)", nozzle->name);
    if (!rig.failed)
        tlwReportRelative(report, what, tlwGetRigStats(&rig).particle_volume - before, given, 0.03);
    snprintf(what, sizeof what, "%s: volume shown (m3)", nozzle->name);
    if (!rig.failed)
        tlwReportRelative(report, what, tlwGetRigStats(&rig).surface_volume - shown, given, 0.03);
    snprintf(what, sizeof what, "%s: speed of the strand's end (m/s)", nozzle->name);
    if (!rig.failed && nozzle->viscosity > 1e4)
        tlwReportRelative(report, what, (getReach(&rig, nozzle->velocity) - from) / time, getSpeed(nozzle->velocity),
                          0.03);
    tlwEndRig(report, &rig);
}

static void runPool(tlwReport *report, const char *name, double viscosity)
{
    // Up from inside a pool of 12 cm, walls apart.
    const double speed = 0.4, side = 0.09, seconds = 0.5;
    Nozzle nozzle = {.velocity = {0, 0, speed}};
    nozzle.shape = tlwMakeBox((tlwVec3){0.157, 0.151, 0.027}, (tlwVec3){0.157 + side, 0.151 + side, 0.073});
    tlwRig rig;
    startNozzle(report, &rig, &nozzle, tlwMakeLiquid("Liquid", 1000, viscosity));
    tlwAddRigLiquid(&rig, "Pool", tlwMakeBox((tlwVec3){0, 0, 0}, (tlwVec3){0.4, 0.4, 0.12}), 0, 293.15);
    tlwRunRig(&rig);
    double before = tlwGetRigStats(&rig).particle_volume;
    for (int frame = 0; frame < 12; frame++)
        tlwAdvanceRig(&rig, seconds / 12);
    tlwStats stats = tlwGetRigStats(&rig);
    if (!rig.failed) {
        char what[80];
        snprintf(what, sizeof what, "in a pool of %s: volume given (m3)", name);
        tlwReportRelative(report, what, stats.particle_volume - before, speed * side * side * seconds, 0.03);
        snprintf(what, sizeof what, "in a pool of %s: volume shown (m3)", name);
        tlwReportRelative(report, what, stats.surface_volume, stats.particle_volume, 0.03);
    }
    tlwEndRig(report, &rig);
}

// Paste out of a small tube. Where the tube's back meets the air, pressure and viscosity pull at the same few cells.
static void runPaste(tlwReport *report)
{
    tlwSceneDef def = tlwDefaultSceneDef();
    def.cell_size = 0.003;
    def.fps = 72;
    def.domain_min = (tlwVec3){-0.072, -0.032, 0};
    def.domain_max = (tlwVec3){0.054, 0.032, 0.099};
    tlwRig rig;
    tlwStartRig(&rig, &def, tlwGetReportThreads(report));
    tlwMaterialDef paste = tlwMakeLiquid("Paste", 1350, 100);
    tlwKey key = tlwDefaultKey();
    key.velocity = (tlwVec3){1, 0, 0};
    tlwObjectDef object = tlwDefaultObjectDef();
    object.material = tlwAddRigMaterial(&rig, &paste);
    object.keys = &key;
    object.key_count = 1;
    tlwVec3 centre = {-0.056, 0, 0.066};
    tlwShape tube = tlwMakeCylinder(centre, 0.0075, 0.012, 48);
    tlwPlaceShape(&tube, centre, tlwMakeRotation((tlwVec3){0, 1, 0}, 90), (tlwVec3){0, 0, 0});
    tlwAddRigObject(&rig, "Tube", TLW_ROLE_INFLOW, tube, &object);
    tlwRunRig(&rig);
    double fastest = 0, before = 0, area = 24 * 0.0075 * 0.0075 * sin(acos(-1) / 24);
    for (int frame = 0; frame < 6; frame++) {
        tlwAdvanceRig(&rig, 1.0 / 72);
        before = frame == 1 ? tlwGetRigStats(&rig).particle_volume : before;
        fastest = fmax(fastest, tlwGetRigStats(&rig).max_speed);
    }
    if (!rig.failed) {
        tlwReportRelative(report, "100 Pa s from a small tube: volume given (m3)",
                          tlwGetRigStats(&rig).particle_volume - before, area * 4 / 72, 0.03);
        tlwReportBelow(report, "100 Pa s from a small tube: fastest particle (m/s)", fastest, 1.5);
    }
    tlwEndRig(report, &rig);
}

// Without a velocity an inflow keeps its volume full while liquid falls out of it.
static void runSpring(tlwReport *report)
{
    tlwVec3 low = {0.16, 0.16, 0.2}, high = {0.24, 0.24, 0.26};
    Nozzle nozzle = {.shape = tlwMakeBox(low, high)};
    tlwRig rig;
    startNozzle(report, &rig, &nozzle, tlwMakeLiquid("Water", 1000, 0.001));
    tlwRunRig(&rig);
    for (int frame = 0; frame < 12; frame++)
        tlwAdvanceRig(&rig, 1.0 / 24);
    tlwParticleView view;
    int64_t inside = 0;
    if (!rig.failed && tlwCheckRig(&rig, tlwGetParticles(rig.sim, &view))) {
        for (int64_t n = 0; n < view.count; n++) {
            const float *p = view.position + 3 * n;
            inside += p[0] > low.x && p[0] < high.x && p[1] > low.y && p[1] < high.y && p[2] > low.z && p[2] < high.z;
        }
        tlwReportRelative(report, "without velocity: particles in its 48 cells", (double)inside, 8.0 * 48, 0.2);
        tlwReportAbove(report, "without velocity: fallen out (volumes of its own)",
                       tlwGetRigStats(&rig).particle_volume / (0.08 * 0.08 * 0.06) - 1, 1);
    }
    tlwEndRig(report, &rig);
}

static void runInflow(tlwReport *report)
{
    const double off = 0.0077, side = 0.086, pi = acos(-1);
    const double thick = 2e5, radius = 0.045, slow = 0.11;
    tlwShape tube = tlwMakeCylinder((tlwVec3){0.1, 0.2, 0.25}, radius, 0.07, 48);
    tlwPlaceShape(&tube, (tlwVec3){0.1, 0.2, 0.25}, tlwMakeRotation((tlwVec3){0, 1, 0}, 60), (tlwVec3){0, 0, 0});
    double round = 24 * radius * radius * sin(2 * pi / 48);
    Nozzle nozzles[] = {
        {"water down, on the grid",
         tlwMakeBox((tlwVec3){0.16, 0.16, 0.3}, (tlwVec3){0.24, 0.24, 0.36}),
         {0, 0, -1},
         0.08 * 0.08,
         0.001,
         0.25},
        {"water down, off the grid",
         tlwMakeBox((tlwVec3){0.16 + off, 0.16 - off, 0.3 + off},
                    (tlwVec3){0.16 + off + side, 0.16 - off + side, 0.37}),
         {0, 0, -1},
         side * side,
         0.001,
         0.25},
        {"water sideways, off the grid",
         tlwMakeBox((tlwVec3){off, 0.16 - off, 0.2 + off}, (tlwVec3){0.07, 0.16 - off + side, 0.2 + off + side}),
         {0.8, 0, 0},
         side * side,
         0.001,
         0.25},
        {"water from a tilted tube", tube, {0.8 * sin(pi / 3), 0, 0.8 * cos(pi / 3)}, round, 0.001, 0.25},
        {"2e5 Pa s down, on the grid",
         tlwMakeBox((tlwVec3){0.16, 0.16, 0.3}, (tlwVec3){0.24, 0.24, 0.36}),
         {0, 0, -slow},
         0.08 * 0.08,
         thick,
         1},
        {"2e5 Pa s sideways, off the grid",
         tlwMakeBox((tlwVec3){off, 0.16 - off, 0.2 + off}, (tlwVec3){0.07, 0.16 - off + side, 0.2 + off + side}),
         {slow, 0, 0},
         side * side,
         thick,
         1},
    };
    for (size_t n = 0; n < sizeof nozzles / sizeof nozzles[0]; n++)
        give(report, &nozzles[n]);
    runPaste(report);
    runPool(report, "water", 0.001);
    runPool(report, "100 Pa s", 100);
    runSpring(report);
}

const tlwVerifyCase tlw_verify_inflow[] = {
    {"inflow", "inflows give speed x area x time, of water and of paste, in air and in a pool", runInflow, true,
     "Boxes and a tilted tube pour into air, on the grid and off it, and a box pours inside a pool. An inflow\n"
     "without a velocity keeps itself full. *Given* is what the particles stand for, *shown* what is inside the\n"
     "level set."},
    {0},
};
