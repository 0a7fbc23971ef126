// Splashes: no particle is faster than its fall can have made it, and no energy comes from nothing.
#include "verify.h"

#include <math.h>
#include <stdio.h>

extern const tlwVerifyCase tlw_verify_splash[];

#define FPS 24
#define GRAVITY 9.81

// What a splash did in the worst frame.
typedef struct Worst {
    double fastest; // m/s
    double gained;  // of the energy at the start, from one frame to the next
    double drift;   // of the volume
    int steps;
} Worst;

// Energy of the liquid, J. Velocities are half a step ahead of positions.
static double getEnergy(const tlwStats *stats, double mass)
{
    double lead = 0.5 / FPS / (stats->substeps > 0 ? stats->substeps : 1);
    return stats->kinetic_energy + GRAVITY * (mass * stats->centre_of_mass.z + lead * stats->momentum.z);
}

static Worst watch(tlwRig *rig, int frames, double mass)
{
    Worst worst = {0};
    tlwRunRig(rig);
    tlwStats stats = tlwGetRigStats(rig);
    double start = getEnergy(&stats, mass), before = start;
    for (int frame = 0; frame < frames && tlwAdvanceRig(rig, 1.0 / FPS); frame++) {
        stats = tlwGetRigStats(rig);
        double energy = getEnergy(&stats, mass);
        worst.gained = fmax(worst.gained, (energy - before) / start);
        worst.fastest = fmax(worst.fastest, stats.max_speed);
        worst.drift = fmax(worst.drift, fabs(stats.surface_volume / stats.target_volume - 1));
        worst.steps = stats.substeps > worst.steps ? stats.substeps : worst.steps;
        before = energy;
    }
    return worst;
}

// `bound`: m/s, what the fall can make.
static void reportWorst(tlwReport *report, tlwRig *rig, const char *where, const Worst *worst, double bound, double dx)
{
    char what[80];
    if (rig->failed)
        return;
    snprintf(what, sizeof what, "%s: fastest particle / what the fall can make", where);
    tlwReportBelow(report, what, worst->fastest / bound, 1.2);
    snprintf(what, sizeof what, "%s: energy gained within a frame / at the start", where);
    tlwReportBelow(report, what, worst->gained, 0.02);
    snprintf(what, sizeof what, "%s: volume of the level set, drift", where);
    tlwReportBelow(report, what, worst->drift, 0.01);
    // Steps pass two cells at most, and gravity speeds the liquid up within a step.
    snprintf(what, sizeof what, "%s: steps in the longest frame", where);
    tlwReportBelow(report, what, worst->steps, ceil((1.2 * bound + 1.5 * sqrt(GRAVITY * 2 * dx)) / (FPS * 2 * dx)));
}

// A box of water that fills the room from front to back lands flat, without weight. The landing is an impulse, so the
// velocity after it follows from Laplace's equation: along the box's side it is (2 V / pi) ln coth(pi z / (4 a)), z
// above the floor, a half the width. This is the mean of that over the lowest cell.
static double getJet(double speed, double half, double dx)
{
    return 2 * speed / acos(-1) * (log(4 * half / (acos(-1) * dx)) + 1);
}

// A box of water falls flat onto the floor of a room and splashes up the walls.
static void dropBox(tlwReport *report, int cells)
{
    const double side = 0.5, fall = 0.15;
    char where[40];
    tlwSceneDef def = tlwDefaultSceneDef();
    def.cell_size = 1.0 / cells;
    def.domain_min = (tlwVec3){0, 0, 0};
    def.domain_max = (tlwVec3){1, 1, 1};
    def.fps = FPS;
    tlwMaterialDef water = tlwMakeLiquid("Water", 1000, 1e-3);
    tlwRig rig;
    tlwStartRig(&rig, &def, tlwGetReportThreads(report));
    int material = tlwAddRigMaterial(&rig, &water);
    tlwVec3 low = {0.5 - 0.5 * side, 0.5 - 0.5 * side, fall}, high = {0.5 + 0.5 * side, 0.5 + 0.5 * side, fall + side};
    tlwAddRigLiquid(&rig, "Box", tlwMakeBox(low, high), material, 293.15);
    Worst worst = watch(&rig, 14, 1000 * side * side * side);
    snprintf(where, sizeof where, "box, %d cells", cells);
    // The landing drives a jet (`flat_landing`). The head of the box that stands behind it then speeds it up
    // (Bernoulli).
    double jet = getJet(sqrt(2 * GRAVITY * fall), 0.5 * side, def.cell_size);
    double bound = sqrt(jet * jet + 2 * GRAVITY * side);
    tlwReportNote(report, "%s: fastest particle %.2f m/s, %.2f of sqrt(2 g H)", where, worst.fastest,
                  worst.fastest / sqrt(2 * GRAVITY * (fall + side)));
    reportWorst(report, &rig, where, &worst, bound, def.cell_size);
    tlwEndRig(report, &rig);
}

// A ball of water falls into a pool, off the middle.
static void dropBall(tlwReport *report, int cells)
{
    const double radius = 0.13, depth = 0.2, height = 0.75;
    char where[40];
    tlwSceneDef def = tlwDefaultSceneDef();
    def.cell_size = 1.0 / cells;
    def.domain_min = (tlwVec3){0, 0, 0};
    def.domain_max = (tlwVec3){1, 1, 1};
    def.fps = FPS;
    tlwMaterialDef water = tlwMakeLiquid("Water", 1000, 1e-3);
    tlwRig rig;
    tlwStartRig(&rig, &def, tlwGetReportThreads(report));
    int material = tlwAddRigMaterial(&rig, &water);
    tlwAddRigLiquid(&rig, "Pool", tlwMakeBox((tlwVec3){0, 0, 0}, (tlwVec3){1, 1, depth}), material, 293.15);
    tlwAddRigLiquid(&rig, "Ball", tlwMakeSphere((tlwVec3){0.43, 0.55, height}, radius, 3), material, 293.15);
    Worst worst = watch(&rig, 24, 1000 * (depth + 4 * acos(-1) / 3 * pow(radius, 3)));
    snprintf(where, sizeof where, "ball into a pool, %d cells", cells);
    reportWorst(report, &rig, where, &worst, sqrt(2 * GRAVITY * (height + radius)), def.cell_size);
    tlwEndRig(report, &rig);
}

static void landFlat(tlwReport *report, int cells)
{
    const double half = 0.25, height = 0.5, speed = 1.7;
    char what[80];
    tlwSceneDef def = tlwDefaultSceneDef();
    double dx = def.cell_size = 1.0 / cells;
    def.domain_min = (tlwVec3){0, 0, 0};
    def.domain_max = (tlwVec3){1, 8 * dx, 1};
    def.gravity = (tlwVec3){0, 0, 0};
    tlwMaterialDef water = tlwMakeLiquid("Water", 1000, 1e-3);
    tlwRig rig;
    tlwStartRig(&rig, &def, tlwGetReportThreads(report));
    int material = tlwAddRigMaterial(&rig, &water);
    tlwVec3 low = {0.5 - half, -dx, -dx}, high = {0.5 + half, 9 * dx, height};
    tlwKey key = tlwDefaultKey();
    key.temperature = 293.15;
    tlwObjectDef box = tlwDefaultObjectDef();
    box.material = material;
    box.velocity = (tlwVec3){0, 0, -speed};
    box.keys = &key;
    box.key_count = 1;
    tlwAddRigObject(&rig, "Box", TLW_ROLE_LIQUID, tlwMakeBox(low, high), &box);
    tlwRunRig(&rig);
    tlwAdvanceRig(&rig, 0.02 * dx / speed);
    snprintf(what, sizeof what, "box that lands flat, %d cells: jet (m/s)", cells);
    if (!rig.failed)
        tlwReportRelative(report, what, tlwGetRigStats(&rig).max_speed, getJet(speed, half, dx), 0.15);
    tlwEndRig(report, &rig);
}

static void runFlatLanding(tlwReport *report)
{
    for (int cells = 32; cells <= 128; cells *= 2)
        landFlat(report, cells);
}

static void runNoShots(tlwReport *report)
{
    dropBox(report, 32);
    dropBall(report, 32);
}

static void runFineShots(tlwReport *report)
{
    dropBox(report, 48);
    dropBox(report, 64);
    dropBall(report, 64);
}

const tlwVerifyCase tlw_verify_splash[] = {
    {"no_shots", "splashes of water: no particle shoots off, no energy comes from nothing", runNoShots, true,
     "A box of water of 0.5 m falls 0.15 m onto the floor of a room of 1 m, and a ball falls into a pool. Speeds are\n"
     "those at the end of any frame. The fall of a drop from the highest point, sqrt(2 g H), bounds the ball. The box\n"
     "has the jet of its flat landing (`flat_landing`) and the head of water behind it: sqrt(u^2 + 2 g h). The crater\n"
     "that the ball leaves gains energy when it closes."},
    {"flat_landing", "water that lands flat drives a jet out of its lower edge", runFlatLanding, true,
     "A box of water lands flat at 1.7 m/s, without weight. The pressure of the impulse obeys Laplace's equation. So\n"
     "the lowest cell beside the box has (2 V / pi) (ln(4 a / (pi dx)) + 1), a half the box's width. This jet is\n"
     "faster than a drop that fell as far, and faster still on finer grids."},
    {"no_shots_fine", "the same splashes on finer grids", runFineShots, false, "As `no_shots`."},
    {NULL, NULL, NULL, false, NULL},
};
