// Melt that hardens again: a puddle skins over, drips freeze, stalactites grow (000 s4.3, the other way round).
#include "verify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
    def.surface_tension_scale = 0;
    return def;
}

// Air alone cools a pool in an insulated room. What has frozen when it has lost the heat H is at most H / (latent
// heat), and most of that, since melt at the freezing point has nothing else to give.
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

// A lump of thick melt under a cold ceiling: some freezes onto it, the rest drips off, freezes on its way or where it
// lands, and lies still as crumbs of a few cells.
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

// What hangs frozen below a height, layer by layer of cells, down to the first layer that holds next to none.
typedef struct Hanging {
    int layers;
    double cells; // how many it fills
} Hanging;

static Hanging lookBelow(tlwRig *rig, double top, double dx)
{
    enum { MOST = 64, PER_CELL = 8 };
    int count[MOST] = {0};
    tlwParticleView view = {0};
    Hanging h = {0};
    if (rig->failed || !tlwCheckRig(rig, tlwGetParticles(rig->sim, &view)))
        return h;
    for (int64_t n = 0; n < view.count; n++) {
        double depth = (top - view.position[3 * n + 2]) / dx;
        if (depth >= 0 && depth < MOST && view.melt[n] < 0.05f)
            count[(int)depth]++;
    }
    for (; h.layers < MOST && count[h.layers] >= PER_CELL; h.layers++)
        h.cells += (double)count[h.layers] / PER_CELL;
    return h;
}

typedef struct Place {
    bool frozen;
    float position[3];
} Place;

// Particles by id; the caller frees them.
static Place *notePlaces(tlwRig *rig, uint32_t *count)
{
    tlwParticleView view = {0};
    *count = 0;
    if (rig->failed || !tlwCheckRig(rig, tlwGetParticles(rig->sim, &view)))
        return NULL;
    for (int64_t n = 0; n < view.count; n++)
        *count = view.id[n] >= *count ? view.id[n] + 1 : *count;
    Place *places = calloc(*count + 1, sizeof *places);
    for (int64_t n = 0; places && n < view.count; n++) {
        Place *place = &places[view.id[n]];
        place->frozen = view.melt[n] < 0.05f;
        memcpy(place->position, view.position + 3 * n, sizeof place->position);
    }
    return places;
}

// Of the particles that hung frozen between two heights and still do: the share that went further than `limit`.
static double measureCreep(tlwRig *rig, double top, double bottom, double limit, const Place *before, uint32_t count)
{
    uint32_t now_count;
    Place *now = notePlaces(rig, &now_count);
    double moved = 0, all = 0;
    for (uint32_t n = 0; now && before && n < count && n < now_count; n++) {
        const float *a = before[n].position, *b = now[n].position;
        if (before[n].frozen && now[n].frozen && a[2] < top && a[2] > bottom) {
            moved += hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]) > limit;
            all++;
        }
    }
    free(now);
    return before ? moved / all : NAN;
}

// Melt as thick as that of the demos comes out of a cold ceiling into cold air: what drips off is lost, what freezes on
// its way hangs, and the melt that follows runs through and down it and makes it longer.
static void runStalactite(tlwReport *report)
{
    const double dx = 0.004, top = 0.18, end = 1.4, radius = 0.008;
    tlwSceneDef def = makeColdRoom(0.1, 0.2, dx);
    for (int n = 0; n < 6; n++)
        def.walls[n] = TLW_WALL_OPEN;
    def.film_coefficient = 150;
    def.thermal_speed = 1000;
    tlwMaterialDef wax = tlwMakeParaffin();
    wax.viscosity = (tlwCurve){.count = 2, .temperature = {60 + celsius, 90 + celsius}, .value = {4, 1.5}};
    wax.solid_viscosity = 2000;
    tlwRig rig;
    tlwStartRig(&rig, &def, tlwGetReportThreads(report));
    tlwObjectDef plate = tlwDefaultObjectDef(), nozzle = tlwDefaultObjectDef();
    nozzle.material = tlwAddRigMaterial(&rig, &wax);
    tlwKey cold = tlwDefaultKey(), keys[2] = {tlwDefaultKey(), tlwDefaultKey()};
    cold.temperature = 10 + celsius;
    plate.keys = &cold;
    plate.key_count = 1;
    plate.conductivity = 0.5;
    plate.fixed_temperature = true;
    plate.surface = TLW_SURFACE_STICK;
    int ceiling = tlwAddRigObject(&rig, "Ceiling", TLW_ROLE_SOLID,
                                  tlwMakeBox((tlwVec3){-0.04, -0.04, top}, (tlwVec3){0.04, 0.04, top + 0.012}), &plate);
    for (int n = 0; n < 2; n++) {
        keys[n].velocity = (tlwVec3){0, 0, -0.06};
        keys[n].temperature = 80 + celsius;
    }
    keys[1].time = end;
    keys[1].enabled = false;
    nozzle.keys = keys;
    nozzle.key_count = 2;
    tlwAddRigObject(&rig, "Nozzle", TLW_ROLE_INFLOW, tlwMakeCylinder((tlwVec3){0, 0, top - 0.002}, radius, 0.008, 24),
                    &nozzle);
    tlwRunRig(&rig);
    uint32_t count = 0;
    Place *before = NULL;
    for (int frame = 0; frame < 54 && tlwAdvanceRig(&rig, 1.0 / 24); frame++)
        if (frame == 41)
            before = notePlaces(&rig, &count);
    tlwStats stats = tlwGetRigStats(&rig);
    double held = 0;
    for (int n = 0; n < stats.pieces && !rig.failed; n++) {
        tlwPieceState piece;
        if (tlwCheckRig(&rig, tlwGetPiece(rig.sim, n, &piece)) && piece.object == ceiling)
            held += piece.mass;
    }
    Hanging h = lookBelow(&rig, top, dx);
    double width = 2 * sqrt(h.cells / h.layers / acos(-1)), bottom = top - h.layers * dx;
    double creep = measureCreep(&rig, top, bottom, 0.01 * dx, before, count);
    if (!rig.failed) {
        tlwReportNote(report, "it is %.1f cells wide in the mean", width);
        tlwReportAbove(report, "length of what hangs frozen below the ceiling (cells)", h.layers, 6);
        tlwReportAbove(report, "length / width", h.layers / width, 1.5);
        tlwReportAbove(report, "share of it that the ceiling holds",
                       fmin(1, held / (h.cells * wax.density_solid * pow(dx, 3))), 0.9);
        tlwReportBelow(report, "share that moved by 0.01 cells in the last half second", creep, 0.02);
        tlwReportBelow(report, "molten share at the end", stats.melted, 0.05);
    }
    free(before);
    tlwEndRig(report, &rig);
}

const tlwVerifyCase tlw_verify_harden[] = {
    {"skin", "a puddle in cold air skins over, and the melt below stays calm", runSkin, true},
    {"drips_harden", "melt under a cold ceiling freezes onto it; what drips off freezes and lies still", runDripsHarden,
     true},
    {"stalactite", "melt that comes out of a cold ceiling hangs from it frozen, longer than thick", runStalactite,
     true},
    {0},
};
