// Frozen wax: it stands, melts through, topples, floats, and keeps its volume.
#include "verify.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const tlwVerifyCase tlw_verify_melt[];

static const double celsius = 273.15;

static tlwSceneDef makeRoom(double width, double height, double cell)
{
    tlwSceneDef def = tlwDefaultSceneDef();
    def.cell_size = cell;
    def.domain_min = (tlwVec3){-0.5 * width, -0.5 * width, 0};
    def.domain_max = (tlwVec3){0.5 * width, 0.5 * width, height};
    for (int i = 0; i < 6; i++)
        def.walls[i] = TLW_WALL_NO_SLIP;
    def.film_coefficient = def.emissivity = 0;
    def.ambient_temperature = 20 + celsius;
    return def;
}

// ---------------------------------------------------------------------------------------------------------------------
// Particles, by id

typedef struct Snapshot {
    int64_t count;
    float *position; // 3 each, by id
    bool *there;
    float *melt;
} Snapshot;

static void freeSnapshot(Snapshot *s)
{
    free(s->position);
    free(s->there);
    free(s->melt);
    *s = (Snapshot){0};
}

static Snapshot takeSnapshot(tlwRig *rig, int64_t capacity)
{
    Snapshot s = {.count = capacity};
    s.position = calloc((size_t)capacity + 1, 3 * sizeof(float));
    s.there = calloc((size_t)capacity + 1, sizeof(bool));
    s.melt = calloc((size_t)capacity + 1, sizeof(float));
    tlwParticleView view = {0};
    if (!s.position || !s.there || !s.melt || rig->failed || !tlwCheckRig(rig, tlwGetParticles(rig->sim, &view)))
        view.count = 0;
    for (int64_t n = 0; n < view.count; n++) {
        int64_t id = view.id[n];
        if (id >= capacity)
            continue;
        memcpy(s.position + 3 * id, view.position + 3 * n, 3 * sizeof(float));
        s.there[id] = true;
        s.melt[id] = view.melt[n];
    }
    return s;
}

// Largest distance that any particle has moved, m.
static double largestWay(const Snapshot *a, const Snapshot *b)
{
    double most = 0;
    for (int64_t n = 0; n < a->count && n < b->count; n++) {
        if (a->there[n] != b->there[n])
            return INFINITY;
        for (int c = 0; c < 3 && a->there[n]; c++)
            most = fmax(most, fabs((double)a->position[3 * n + c] - b->position[3 * n + c]));
    }
    return most;
}

// ---------------------------------------------------------------------------------------------------------------------

// A figure with a foot, a waist, and a head that juts out.
static tlwShape makeStatue(double scale)
{
    static const double outline[][2] = {{0, 0},       {0.22, 0},    {0.22, 0.08}, {0.12, 0.14},
                                        {0.1, 0.3},   {0.2, 0.5},   {0.22, 0.62}, {0.12, 0.72},
                                        {0.07, 0.78}, {0.15, 0.86}, {0.14, 0.96}, {0, 1}};
    double points[12][2];
    for (int n = 0; n < 12; n++)
        for (int a = 0; a < 2; a++)
            points[n][a] = scale * outline[n][a];
    return tlwMakeLathe((tlwVec3){0.003, -0.002, 0}, points, 12, 48);
}

// Largest distance between the surface and points that were on it, m.
static double surfaceShift(tlwRig *rig, const double *points, int count)
{
    double *phi = calloc((size_t)count + 1, sizeof *phi), most = 0;
    bool sampled =
        phi && !rig->failed && tlwCheckRig(rig, tlwSampleField(rig->sim, TLW_FIELD_LEVEL_SET, points, count, phi));
    for (int n = 0; sampled && n < count; n++)
        most = fmax(most, fabs(phi[n]));
    free(phi);
    return sampled ? most : INFINITY;
}

static double *listVertices(tlwRig *rig, double above, int *count)
{
    tlwSurfaceView view = {0};
    *count = 0;
    if (rig->failed || !tlwCheckRig(rig, tlwGetSurface(rig->sim, &view)))
        return NULL;
    double *points = malloc(3 * sizeof(double) * ((size_t)view.vertex_count + 1));
    for (int n = 0; points && n < view.vertex_count; n++)
        if (view.position[3 * n + 2] > above) { // lower vertices lie on the plate
            for (int a = 0; a < 3; a++)
                points[3 * *count + a] = view.position[3 * n + a];
            ++*count;
        }
    return points;
}

static void runFrozenStands(tlwReport *report)
{
    const double dx = 0.015;
    tlwSceneDef def = makeRoom(0.24, 0.36, dx);
    tlwMaterialDef wax = tlwMakeParaffin();
    tlwRig rig;
    tlwStartRig(&rig, &def, tlwGetReportThreads(report));
    int material = tlwAddRigMaterial(&rig, &wax);
    tlwShape statue = makeStatue(0.3);
    tlwPlaceShape(&statue, (tlwVec3){0, 0, 0}, tlwMakeRotation((tlwVec3){1, 0, 0}, 0), (tlwVec3){0, 0, 0.0233});
    tlwAddRigObject(&rig, "Plate", TLW_ROLE_SOLID,
                    tlwMakeBox((tlwVec3){-0.1, -0.1, 0.005}, (tlwVec3){0.1, 0.1, 0.0233}), NULL);
    tlwAddRigLiquid(&rig, "Statue", statue, material, 20 + celsius);
    tlwRunRig(&rig);
    int64_t particles = tlwGetRigStats(&rig).particles;
    int count;
    double *points = listVertices(&rig, 0.0233 + 1.5 * dx, &count);
    Snapshot before = takeSnapshot(&rig, 2 * particles);
    double offset = points ? surfaceShift(&rig, points, count) : INFINITY;
    for (int frame = 0; frame < 240 && tlwAdvanceRig(&rig, 1.0 / 24); frame++)
        ;
    Snapshot after = takeSnapshot(&rig, 2 * particles);
    if (!rig.failed && points) {
        tlwReportBelow(report, "largest way of a particle in 10 s (cells)", largestWay(&before, &after) / dx, 0.05);
        tlwReportBelow(report, "largest shift of the surface (cells)",
                       fabs(surfaceShift(&rig, points, count) - offset) / dx, 0.05);
        tlwReportAbsolute(report, "pieces", tlwGetRigStats(&rig).pieces, 1, 0);
    }
    free(points);
    freeSnapshot(&before);
    freeSnapshot(&after);
    tlwEndRig(report, &rig);
}

// Largest change, between two snapshots, of the distance between particles that are frozen in both and started above a
// height, m.
static double deformation(const Snapshot *start, const Snapshot *a, const Snapshot *b, double above, int64_t *count)
{
    int64_t *ids = malloc(sizeof *ids * ((size_t)a->count + 1));
    double most = ids ? 0 : INFINITY;
    *count = 0;
    for (int64_t n = 0; ids && n < a->count; n++)
        if (start->there[n] && a->there[n] && b->there[n] && a->melt[n] < 0.05f && b->melt[n] < 0.05f &&
            start->position[3 * n + 2] > above)
            ids[(*count)++] = n;
    for (int64_t n = 0; ids && n < *count; n++) {
        int64_t p = ids[n], q = ids[(7919 * n + *count / 2) % *count];
        double before = 0, after = 0;
        for (int c = 0; c < 3; c++) {
            before += pow((double)a->position[3 * p + c] - a->position[3 * q + c], 2);
            after += pow((double)b->position[3 * p + c] - b->position[3 * q + c], 2);
        }
        most = fmax(most, fabs(sqrt(before) - sqrt(after)));
    }
    free(ids);
    return most;
}

// Find the piece with this id or, when `id` is 0, the heaviest free piece. Later calls pass an id, because drips may
// freeze the piece to the floor. False when there is none.
static bool findPiece(tlwRig *rig, uint32_t id, tlwPieceState *found_piece)
{
    int count = tlwGetRigStats(rig).pieces;
    bool found = false;
    for (int n = 0; n < count; n++) {
        tlwPieceState piece;
        if (!tlwCheckRig(rig, tlwGetPiece(rig->sim, n, &piece)) || (id ? piece.id != id : piece.object != -1))
            continue;
        if (!found || piece.mass > found_piece->mass)
            *found_piece = piece;
        found = true;
    }
    return found;
}

// A pillar whose head juts out to one side, with a heated slice halfway up.
static void startPillar(tlwReport *report, tlwRig *rig)
{
    static const double outline[][2] = {{-0.03, 0}, {0.03, 0}, {0.03, 0.2}, {0.09, 0.24}, {0.09, 0.3}, {-0.03, 0.3}};
    tlwSceneDef def = makeRoom(0.16, 0.35, 0.0125);
    def.domain_min.x = -0.15;
    def.domain_max.x = 0.25;
    tlwMaterialDef wax = tlwMakeParaffin();
    tlwStartRig(rig, &def, tlwGetReportThreads(report));
    int material = tlwAddRigMaterial(rig, &wax);
    tlwAddRigLiquid(rig, "Pillar", tlwMakePrism(outline, 6, -0.03, 0.03), material, 45 + celsius);
    tlwObjectDef heater = tlwDefaultObjectDef();
    tlwKey key = tlwDefaultKey();
    key.power = 8000; // W: real wax would take minutes
    heater.heat_kind = TLW_HEAT_VOLUME;
    heater.keys = &key;
    heater.key_count = 1;
    tlwAddRigObject(rig, "Heater", TLW_ROLE_HEAT,
                    tlwMakeBox((tlwVec3){-0.05, -0.05, 0.1}, (tlwVec3){0.05, 0.05, 0.125}), &heater);
    tlwRunRig(rig);
}

static void runMeltThrough(tlwReport *report)
{
    tlwRig rig;
    startPillar(report, &rig);
    int64_t particles = 2 * tlwGetRigStats(&rig).particles, count = 0;
    Snapshot start = takeSnapshot(&rig, particles), apart = {0};
    tlwPieceState loose = {0}, at_break = {0};
    int broke = -1, most = 0;
    for (int frame = 0; frame < 36 && tlwAdvanceRig(&rig, 1.0 / 24); frame++) {
        most = (int)fmax(most, tlwGetRigStats(&rig).pieces);
        if (!findPiece(&rig, at_break.id, &loose) || broke >= 0)
            continue;
        broke = frame;
        at_break = loose;
        apart = takeSnapshot(&rig, particles);
    }
    Snapshot last = takeSnapshot(&rig, particles);
    if (!rig.failed && broke < 0)
        tlwReportFailure(report, "The pillar did not melt through.");
    if (!rig.failed && broke >= 0) {
        tlwReportNote(report, "broke at frame %d; the upper piece had %.2f kg then and %.2f kg at the end", broke + 1,
                      at_break.mass, loose.mass);
        tlwReportAbsolute(report, "frame at which the upper part is a free piece, of 36", broke < 20, 1, 0);
        tlwReportAbove(report, "share of it that is still that piece at the end", loose.mass / at_break.mass, 0.8);
        tlwReportAbove(report, "fall of its centre (m)", at_break.centre.z - loose.centre.z, 0.1);
        tlwReportAbove(report, "turn (degrees)", 2 * acos(fmin(1, fabs(loose.rotation.w))) * 180 / 3.14159265, 60);
        double change = deformation(&start, &apart, &last, 0.16, &count);
        tlwReportAbove(report, "particles of it that stayed frozen", (double)count, 1000);
        tlwReportBelow(report, "largest change of a distance in it (cells)", change / 0.0125, 1e-3);
    }
    freeSnapshot(&start);
    freeSnapshot(&apart);
    freeSnapshot(&last);
    tlwEndRig(report, &rig);
}

// A statue in an oven. Solid paraffin has 900 kg/m3, molten 780. The last solid lies under a pool that conducts badly,
// so heat is sped up enough to melt all of it.
static void runMeltVolume(tlwReport *report)
{
    tlwSceneDef def = makeRoom(0.16, 0.3, 0.0125);
    def.ambient_temperature = 140 + celsius;
    def.film_coefficient = 40;
    def.thermal_speed = 2500;
    tlwMaterialDef wax = tlwMakeParaffin();
    wax.density_liquid = 780;
    wax.viscosity.value[0] = 0.05;
    tlwRig rig;
    tlwStartRig(&rig, &def, tlwGetReportThreads(report));
    int material = tlwAddRigMaterial(&rig, &wax);
    tlwAddRigLiquid(&rig, "Statue", makeStatue(0.26), material, 50 + celsius);
    tlwRunRig(&rig);
    tlwStats start = tlwGetRigStats(&rig), stats = start;
    double worst = 0;
    for (int frame = 0; frame < 240 && tlwAdvanceRig(&rig, 1.0 / 24); frame++) {
        stats = tlwGetRigStats(&rig);
        worst = fmax(worst, fabs(stats.surface_volume / stats.target_volume - 1));
    }
    if (!rig.failed) {
        tlwReportNote(report, "%.0f %% molten, %d pieces, mass %.1e off", 100 * stats.melted, stats.pieces,
                      fabs(stats.particle_volume / stats.target_volume - 1));
        tlwReportAbove(report, "share that has melted after 240 frames", stats.melted, 0.99);
        tlwReportRelative(report, "volume of the puddle against the statue's", stats.surface_volume,
                          start.surface_volume * 900 / 780, 0.01);
        tlwReportBelow(report, "largest difference on the way, of the volume then", worst, 0.01);
        tlwReportBelow(report, "height of the puddle's middle over the statue's",
                       stats.centre_of_mass.z / start.centre_of_mass.z, 0.35);
    }
    tlwEndRig(report, &rig);
}

// ---------------------------------------------------------------------------------------------------------------------
// ice_floats

static double tiltOf(tlwQuat q)
{
    return acos(fmax(-1, 1 - 2 * (q.x * q.x + q.y * q.y))) * 180 / acos(-1);
}

// Share of a cube that is under water: exact upright, and to the second order in its tilt.
static double submergedShare(const tlwPieceState *piece, double side, double pool, double area)
{
    double share = 0;
    for (int pass = 0; pass < 40; pass++)
        share = fmin(fmax(((pool + share * pow(side, 3)) / area - piece->centre.z) / side + 0.5, 0), 1);
    return share;
}

static double liquidSpeed(tlwRig *rig)
{
    tlwParticleView view = {0};
    double sum = 0, count = 0;
    if (rig->failed || !tlwCheckRig(rig, tlwGetParticles(rig->sim, &view)))
        return INFINITY;
    for (int64_t n = 0; n < view.count; n++)
        if (view.melt[n] > 0.5f) {
            const float *v = view.velocity + 3 * n;
            sum += (double)v[0] * v[0] + (double)v[1] * v[1] + (double)v[2] * v[2];
            count++;
        }
    return sqrt(sum / fmax(count, 1));
}

// A cube of ice, eight cells wide and off the grid. At 0.917 a cube floats upright: its metacentre lies 1 / (12 s) -
// (1 - s) / 2 = 0.05 of its side above its centre of mass (a cube tips over between 0.21 and 0.79).
static void runIceFloats(tlwReport *report)
{
    enum { FRAMES = 72, LAST = 24 };
    const double dx = 0.0125, width = 20 * dx, side = 8 * dx, level = 0.14, ice = 917, water = 1000;
    tlwSceneDef def = makeRoom(width, width, dx);
    for (int n = 0; n < 6; n++)
        def.walls[n] = TLW_WALL_SLIP;
    def.thermal_speed = 0; // nothing melts
    tlwMaterialDef material = tlwMakeParaffin();
    material.name = "Water";
    material.density_solid = ice;
    material.density_liquid = water;
    material.solidus = material.liquidus = celsius;
    material.viscosity.value[0] = 0.2; // thick enough to settle, as in `archimedes`
    tlwRig rig;
    tlwStartRig(&rig, &def, tlwGetReportThreads(report));
    int number = tlwAddRigMaterial(&rig, &material);
    double z = level + (0.5 - ice / water) * side + 0.3 * dx;
    tlwVec3 half = {side / 2, side / 2, side / 2}, centre = {0.3 * dx, -0.2 * dx, z};
    tlwAddRigLiquid(&rig, "Ice",
                    tlwMakeBox((tlwVec3){centre.x - half.x, centre.y - half.y, centre.z - half.z},
                               (tlwVec3){centre.x + half.x, centre.y + half.y, centre.z + half.z}),
                    number, celsius - 10);
    tlwAddRigLiquid(&rig, "Pool", tlwMakeBox((tlwVec3){-width, -width, -width}, (tlwVec3){width, width, level}), number,
                    celsius + 2);
    tlwRunRig(&rig);
    double share = 0, tilt = 0, speed = 0;
    tlwPieceState piece = {0};
    for (int frame = 0; frame < FRAMES && tlwAdvanceRig(&rig, 1.0 / 24); frame++) {
        if (!findPiece(&rig, 0, &piece))
            continue;
        tilt = fmax(tilt, tiltOf(piece.rotation));
        double pool = tlwGetRigStats(&rig).particle_volume - piece.mass / ice;
        share += frame >= FRAMES - LAST ? submergedShare(&piece, side, pool, width * width) / LAST : 0;
        speed += frame >= FRAMES - LAST ? liquidSpeed(&rig) / LAST : 0;
    }
    if (!rig.failed) {
        tlwReportAbsolute(report, "submerged share, mean of the last second", share, ice / water, 0.03);
        tlwReportBelow(report, "largest tilt in 3 s (degrees)", tilt, 15);
        tlwReportBelow(report, "speed of the water then, root mean square (m/s)", speed, 5e-3);
        tlwReportAbsolute(report, "pieces", tlwGetRigStats(&rig).pieces, 1, 0);
    }
    tlwEndRig(report, &rig);
}

const tlwVerifyCase tlw_verify_melt[] = {
    {"frozen_stands", "an unmelted statue does not creep in 10 s", runFrozenStands, true,
     "A statue of paraffin at 20 C stands on a plate between cells. Frozen wax is rigid: no particle may move."},
    {"melt_through", "a pillar melts through; its top falls and turns as one rigid piece", runMeltThrough, true,
     "A heated slice melts through a pillar whose head juts out to one side. The limits of fall and turn say that\n"
     "the top topples. The last row says that it stays rigid on the way."},
    {"melt_volume", "a statue melts to a puddle of the same mass", runMeltVolume, true,
     "A statue in an oven. Solid paraffin has 900 kg/m3, molten 780, so the puddle has 1.15 times the statue's\n"
     "volume."},
    {"ice_floats", "a cube of ice floats upright with its relative density under water", runIceFloats, true,
     "A cube of ice, eight cells wide, in water that is thickened to 0.2 Pa s so that it settles. Nothing melts.\n"
     "With a relative density of 0.917 a cube floats upright.\n\n"
     "Known: in water of 1e-3 Pa s the ice floats as it should, but the water at the waterline does not come to\n"
     "rest. The fastest particles are in cells that the ice cuts, up to half a cell inside the ice, where nothing\n"
     "pushes them out."},
    {0},
};
