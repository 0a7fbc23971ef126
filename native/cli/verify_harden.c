// Melt that hardens again: a puddle skins over, drips freeze, stalactites grow (Carlson 2004, s. 4.3, the other way
// round).
#include "verify.h"

#include <math.h>
#include <stdio.h>

extern const tlwVerifyCase tlw_verify_harden[];

static const double celsius = 273.15;

// Particles between two heights: how many are frozen and how many molten.
typedef struct Layer {
    double frozen, molten, all;
} Layer;

static Layer lookAt(tlwRig *rig, double low, double high)
{
    tlwParticleView view = {0};
    Layer layer = {0};
    if (rig->failed || !tlwCheckRig(rig, tlwGetParticles(rig->sim, &view)))
        return layer;
    for (int64_t n = 0; n < view.count; n++) {
        double z = view.position[3 * n + 2];
        if (z < low || z > high)
            continue;
        layer.all++;
        layer.frozen += view.melt[n] < 0.05f;
        layer.molten += view.melt[n] > 0.95f;
    }
    return layer;
}

static tlwSceneDef makeColdRoom(double width, double height, double dx)
{
    tlwSceneDef def = tlwDefaultSceneDef();
    def.domain_min = (tlwVec3){-0.5 * width, -0.5 * width, 0};
    def.domain_max = (tlwVec3){0.5 * width, 0.5 * width, height};
    def.cell_size = dx;
    for (int n = 0; n < 6; n++)
        def.walls[n] = TLW_WALL_NO_SLIP;
    def.ambient_temperature = 10 + celsius;
    def.emissivity = 0;
    return def;
}

// Air alone cools a pool in an insulated room. When the pool has lost the heat H, at most H / (latent heat) can have
// frozen. Most of that must have frozen, because melt near the freezing point has little other heat to lose.
static void runSkin(tlwReport *report)
{
    const double dx = 0.005, width = 0.16, depth = 0.06;
    tlwSceneDef def = makeColdRoom(width, 0.12, dx);
    def.film_coefficient = 160;
    def.thermal_speed = 400;
    tlwMaterialDef wax = tlwMakeParaffin();
    tlwRig rig;
    tlwStartRig(&rig, &def, tlwGetReportThreads(report));
    int material = tlwAddRigMaterial(&rig, &wax);
    tlwShape pool = tlwMakeBox((tlwVec3){-width, -width, -width}, (tlwVec3){width, width, depth});
    tlwAddRigLiquid(&rig, "Pool", pool, material, 64 + celsius);
    tlwRunRig(&rig);
    double heat = tlwGetRigStats(&rig).enthalpy, fastest = 0;
    for (int frame = 0; frame < 48 && tlwAdvanceRig(&rig, 1.0 / 24); frame++)
        fastest = fmax(fastest, frame >= 24 ? tlwGetRigStats(&rig).max_speed : 0);
    tlwStats stats = tlwGetRigStats(&rig);
    Layer top = lookAt(&rig, depth - dx, 1), middle = lookAt(&rig, 0.3 * depth, 0.5 * depth);
    double could = (heat - stats.enthalpy) / (wax.latent_heat * wax.density_liquid * width * width * depth);
    if (!rig.failed) {
        tlwReportNote(report, "%.0f %% has frozen; the heat that left could freeze %.0f %%", 100 * (1 - stats.melted),
                      100 * could);
        tlwReportAbove(report, "frozen share of the uppermost layer of cells", top.frozen / top.all, 0.9);
        tlwReportAbove(report, "molten share below half of the depth", middle.molten / middle.all, 0.9);
        tlwReportAbove(report, "what froze over what the heat that left could freeze", (1 - stats.melted) / could, 0.7);
        tlwReportBelow(report, "the same, at most", (1 - stats.melted) / could, 1.001);
        tlwReportBelow(report, "fastest particle in the second second (m/s)", fastest, 0.02);
    }
    tlwEndRig(report, &rig);
}

// A lump of thick melt under a cold ceiling. Some of it freezes onto the ceiling. The rest drips off, freezes in the
// air or where it lands, and lies still as crumbs of a few cells.
static void runDripsHarden(tlwReport *report)
{
    const double dx = 0.006, top = 0.24, radius = 0.036;
    tlwSceneDef def = makeColdRoom(0.15, 0.3, dx);
    def.film_coefficient = 80;
    def.thermal_speed = 900;
    tlwMaterialDef wax = tlwMakeParaffin();
    wax.viscosity = (tlwCurve){.count = 1, .temperature = {330}, .value = {250}};
    tlwRig rig;
    tlwStartRig(&rig, &def, tlwGetReportThreads(report));
    int material = tlwAddRigMaterial(&rig, &wax);
    tlwObjectDef plate = tlwDefaultObjectDef();
    tlwKey cold = tlwDefaultKey();
    cold.temperature = 0 + celsius;
    plate.keys = &cold;
    plate.key_count = 1;
    plate.conductivity = 50;
    plate.fixed_temperature = true;
    int ceiling = tlwAddRigObject(&rig, "Ceiling", TLW_ROLE_SOLID,
                                  tlwMakeBox((tlwVec3){-0.07, -0.07, top}, (tlwVec3){0.07, 0.07, top + 0.03}), &plate);
    tlwAddRigLiquid(&rig, "Lump", tlwMakeSphere((tlwVec3){0.001, 0.002, top}, radius, 4), material, 62 + celsius);
    tlwRunRig(&rig);
    double mass = wax.density_liquid * tlwGetRigStats(&rig).particle_volume;
    double fastest = 0, held = 0, lowest = 1;
    for (int frame = 0; frame < 60 && tlwAdvanceRig(&rig, 1.0 / 24); frame++)
        fastest = fmax(fastest, frame >= 48 ? tlwGetRigStats(&rig).max_speed : 0);
    tlwStats stats = tlwGetRigStats(&rig);
    for (int n = 0; n < stats.pieces; n++) {
        tlwPieceState piece;
        if (!tlwCheckRig(&rig, tlwGetPiece(rig.sim, n, &piece)))
            break;
        held = piece.object == ceiling ? fmax(held, piece.mass) : held;
        lowest = fmin(lowest, piece.centre.z);
    }
    if (!rig.failed) {
        tlwReportBelow(report, "molten share at the end", stats.melted, 0.02);
        tlwReportAbove(report, "share that hangs from the ceiling in one piece", held / mass, 0.2);
        tlwReportAbove(report, "pieces", stats.pieces, 10);
        tlwReportBelow(report, "how far the lowest has sunk into the floor (cells)", fmax(-lowest / dx, 0), 0.1);
        tlwReportBelow(report, "fastest in the last half second (m/s)", fastest, 0.05);
    }
    tlwEndRig(report, &rig);
}

// Drops of thick melt hang from a cold ceiling, sag, and freeze in cold air. Thin parts freeze first and hold what
// hangs below them. A drop's position on the grid changes where it tears, so the case measures several drops.
enum { ROW = 2, DROPS = ROW * ROW, LAYERS = 64, PER_CELL = 8 };

typedef struct Drop {
    double x, y;           // of its middle
    double frozen[LAYERS]; // cells that it fills, layer by layer below the ceiling
    int layers;            // of a cell or more
    double cells;          // in those
} Drop;

static void lookBelow(tlwRig *rig, double top, double spacing, double dx, Drop drops[DROPS])
{
    tlwParticleView view = {0};
    if (rig->failed || !tlwCheckRig(rig, tlwGetParticles(rig->sim, &view)))
        return;
    for (int64_t n = 0; n < view.count; n++) {
        const float *p = view.position + 3 * n;
        int depth = (int)floor((top - p[2]) / dx);
        for (int d = 0; d < DROPS && depth >= 0 && depth < LAYERS && view.melt[n] < 0.05f; d++)
            if (fmax(fabs(p[0] - drops[d].x), fabs(p[1] - drops[d].y)) < 0.5 * spacing)
                drops[d].frozen[depth] += 1.0 / PER_CELL;
    }
    for (int d = 0; d < DROPS; d++)
        for (int n = 0; n < LAYERS && drops[d].frozen[n] >= 1; n++, drops[d].layers++)
            drops[d].cells += drops[d].frozen[n];
}

static void runStalactites(tlwReport *report)
{
    const double dx = 0.004, top = 0.18, radius = 0.02, spacing = 0.064, wide = ROW * spacing;
    tlwSceneDef def = makeColdRoom(wide, 0.2, dx);
    for (int n = 0; n < 6; n++)
        def.walls[n] = TLW_WALL_OPEN;
    def.film_coefficient = 200;
    def.thermal_speed = 900;
    tlwMaterialDef wax = tlwMakeParaffin();
    wax.viscosity = (tlwCurve){.count = 1, .temperature = {330}, .value = {100}};
    tlwRig rig;
    tlwStartRig(&rig, &def, tlwGetReportThreads(report));
    int material = tlwAddRigMaterial(&rig, &wax);
    tlwObjectDef plate = tlwDefaultObjectDef();
    tlwKey cold = tlwDefaultKey();
    cold.temperature = 10 + celsius;
    plate.keys = &cold;
    plate.key_count = 1;
    plate.conductivity = 0.5;
    plate.fixed_temperature = true;
    plate.surface = TLW_SURFACE_STICK;
    int ceiling = tlwAddRigObject(&rig, "Ceiling", TLW_ROLE_SOLID,
                                  tlwMakeBox((tlwVec3){-wide, -wide, top}, (tlwVec3){wide, wide, top + 0.012}), &plate);
    Drop drops[DROPS] = {0};
    for (int d = 0; d < DROPS; d++) {
        int column = d % ROW, row = d / ROW;
        drops[d].x = (column - 0.5 * (ROW - 1)) * spacing + 0.31 * dx * row;
        drops[d].y = (row - 0.5 * (ROW - 1)) * spacing + 0.23 * dx * column;
        tlwVec3 centre = {drops[d].x, drops[d].y, top - 0.4 * radius};
        char name[24];
        snprintf(name, sizeof name, "Drop %d", d + 1);
        tlwAddRigLiquid(&rig, name, tlwMakeSphere(centre, radius, 3), material, 62 + celsius);
    }
    tlwRunRig(&rig);
    double fastest = 0, held = 0, cells = 0, length = 0, slender = 0;
    for (int frame = 0; frame < 40 && tlwAdvanceRig(&rig, 1.0 / 24); frame++)
        fastest = frame < 36 ? 0 : fmax(fastest, tlwGetRigStats(&rig).max_speed);
    tlwStats stats = tlwGetRigStats(&rig);
    for (int n = 0; n < stats.pieces && !rig.failed; n++) {
        tlwPieceState piece;
        if (tlwCheckRig(&rig, tlwGetPiece(rig.sim, n, &piece)) && piece.object == ceiling)
            held += piece.mass;
    }
    lookBelow(&rig, top, spacing, dx, drops);
    for (int d = 0; d < DROPS; d++) {
        double width = drops[d].layers ? 2 * sqrt(drops[d].cells / drops[d].layers / acos(-1)) : 1;
        cells += drops[d].cells;
        length += (double)drops[d].layers / DROPS;
        slender += drops[d].layers / width / DROPS;
        tlwReportNote(report, "one is %d cells long and %.1f wide in the mean", drops[d].layers, width);
    }
    if (!rig.failed) {
        tlwReportAbove(report, "mean length of what hangs frozen (cells)", length, 5);
        tlwReportAbove(report, "mean of length / width", slender, 1);
        tlwReportAbove(report, "share of it that the ceiling holds",
                       fmin(1, held / (cells * wax.density_solid * pow(dx, 3))), 0.9);
        tlwReportBelow(report, "fastest particle at the end (m/s)", fastest, 0.02);
        tlwReportBelow(report, "molten share at the end", stats.melted, 0.05);
    }
    tlwEndRig(report, &rig);
}

const tlwVerifyCase tlw_verify_harden[] = {
    {"skin", "a puddle in cold air skins over, and the melt below stays calm", runSkin, true,
     "Air cools a pool in an insulated room. The heat that left, over the latent heat, bounds what can have\n"
     "frozen. The other limits are fitted."},
    {"drips_harden", "melt under a cold ceiling freezes onto it; what drips off freezes and lies still", runDripsHarden,
     true,
     "A lump of 250 Pa s hangs from a ceiling of 0 C. A part freezes onto the ceiling; the rest drips off,\n"
     "freezes, and must lie still. The limits of share and count are fitted.\n\n"
     "Known: crumbs of a few cells rock for up to 1.2 s where they land, then lie still."},
    {"stalactites", "drops under a cold ceiling freeze as they sag, longer than they are thick", runStalactites, true,
     "Four drops of 100 Pa s hang from a ceiling of 10 C in cold air. What is thin freezes first and holds what is\n"
     "below it. The limits are fitted.\n\n"
     "Known: how slender a drop becomes depends on how it lies to the grid, so the case takes means. Surface\n"
     "tension is not simulated, so nothing rounds the drops."},
    {0},
};
