// Frozen wax on hot and on cold plates.
#include "verify.h"

#include <math.h>
#include <stdio.h>

extern const tlwVerifyCase tlw_verify_slide[];

static const double celsius = 273.15;

// A block or a ring of wax on a plate that is turned about the y axis: its lower end is at +x.
typedef struct Slide {
    double cell, angle; // m, degrees
    double plate;       // C
    double offset;      // of the plate's surface, cells
    double viscosity;   // of molten wax, Pa s
    double speed_up;    // of heat
    double height;      // of the block, cells
    double cools;       // s: when the plate turns cold; 0 = never
    bool ring;
} Slide;

static tlwShape makeWax(const Slide *s, tlwVec3 foot)
{
    double dx = s->cell, height = s->height * dx;
    if (s->ring) {
        const double outline[][2] = {{3 * dx, 0}, {6 * dx, 0}, {6 * dx, height}, {3 * dx, height}};
        return tlwMakeLathe(foot, outline, 4, 48);
    }
    return tlwMakeBox((tlwVec3){foot.x - 4 * dx, foot.y - 4 * dx, foot.z},
                      (tlwVec3){foot.x + 4 * dx, foot.y + 4 * dx, foot.z + height});
}

static void startSlide(tlwReport *report, tlwRig *rig, const Slide *s)
{
    double dx = s->cell;
    tlwSceneDef def = tlwDefaultSceneDef();
    def.cell_size = dx;
    def.domain_min = (tlwVec3){-12 * dx, -10 * dx, -16 * dx};
    def.domain_max = (tlwVec3){36 * dx, 10 * dx, 20 * dx};
    for (int i = 0; i < 6; i++)
        def.walls[i] = i == 4 ? TLW_WALL_SLIP : TLW_WALL_OPEN;
    def.film_coefficient = def.emissivity = 0;
    def.ambient_temperature = 40 + celsius;
    def.thermal_speed = s->speed_up;
    tlwMaterialDef wax = tlwMakeParaffin();
    wax.viscosity.value[0] = s->viscosity;
    tlwStartRig(rig, &def, tlwGetReportThreads(report));
    int material = tlwAddRigMaterial(rig, &wax);
    tlwVec3 foot = {0, 0, s->offset * dx};
    tlwQuat turn = tlwMakeRotation((tlwVec3){0, 1, 0}, s->angle);
    tlwShape plate = tlwMakeBox((tlwVec3){-60 * dx, -20 * dx, -20 * dx}, (tlwVec3){80 * dx, 20 * dx, s->offset * dx});
    tlwShape block = makeWax(s, foot);
    tlwPlaceShape(&plate, foot, turn, (tlwVec3){0, 0, 0});
    tlwPlaceShape(&block, foot, turn, (tlwVec3){0, 0, 0});
    tlwKey keys[3] = {tlwDefaultKey(), tlwDefaultKey(), tlwDefaultKey()};
    keys[0].temperature = keys[1].temperature = s->plate + celsius;
    keys[1].time = s->cools;
    keys[2].time = s->cools + 0.05;
    keys[2].temperature = 20 + celsius;
    tlwObjectDef hot = tlwDefaultObjectDef();
    hot.heat_kind = TLW_HEAT_SOLID;
    hot.keys = keys;
    hot.key_count = s->cools > 0 ? 3 : 1;
    tlwAddRigObject(rig, "Plate", TLW_ROLE_HEAT, plate, &hot);
    tlwAddRigLiquid(rig, "Wax", block, material, 50 + celsius);
    tlwRunRig(rig);
}

// Where the intact solid is, and what holds it.
typedef struct Place {
    double along; // m, of its middle down the plate
    double gap;   // m, of its lowest particle above the plate
    double film;  // m, mean thickness of what has melted under it
    double solid; // share of the wax
    bool held;
} Place;

static bool isHeld(tlwRig *rig)
{
    double most = 0;
    bool held = false;
    for (int n = 0; n < tlwGetRigStats(rig).pieces; n++) {
        tlwPieceState piece;
        if (!tlwCheckRig(rig, tlwGetPiece(rig->sim, n, &piece)) || piece.mass <= most)
            continue;
        most = piece.mass;
        held = piece.object != -1;
    }
    return held;
}

// The film's thickness follows from the solid that the two cells above the plate lack, against the two above them.
static Place findPlace(tlwRig *rig, const Slide *s)
{
    Place place = {.gap = INFINITY, .held = isHeld(rig)};
    double radian = acos(-1) / 180 * s->angle, count = 0, near = 0, far = 0;
    tlwParticleView view = {0};
    if (rig->failed || !tlwCheckRig(rig, tlwGetParticles(rig->sim, &view)))
        return place;
    for (int64_t n = 0; n < view.count; n++) {
        const float *p = view.position + 3 * n;
        double z = p[2] - s->offset * s->cell, high = p[0] * sin(radian) + z * cos(radian);
        if (view.melt[n] > 0.05f)
            continue;
        near += high < 2 * s->cell;
        far += high >= 2 * s->cell && high < 4 * s->cell;
        place.along += p[0] * cos(radian) - z * sin(radian);
        place.gap = fmin(place.gap, high);
        count++;
    }
    place.along /= count;
    place.solid = count / (double)view.count;
    place.film = 2 * s->cell * (1 - near / far);
    return place;
}

// Speed of a block on a film: its weight and half of the film's against the film's drag.
static double getSpeed(const Slide *s, const Place *place)
{
    double height = place->solid * s->height * s->cell, film = place->film;
    return 900 * 9.81 * sin(acos(-1) / 180 * s->angle) * film * (height + 0.5 * film) / s->viscosity;
}

static void runSlide(tlwReport *report, const Slide *s)
{
    enum { FIRST = 6, LAST = 18 };
    char what[120], name[60];
    tlwRig rig;
    startSlide(report, &rig, s);
    double speed = 0, lowest = 0;
    Place first = {0}, last = {0};
    for (int f = 1; f <= LAST && tlwAdvanceRig(&rig, 1.0 / 24); f++) {
        last = findPlace(&rig, s);
        lowest = fmax(lowest, last.gap);
        first = f == FIRST ? last : first;
        speed += f > FIRST ? getSpeed(s, &last) / (LAST - FIRST) : 0;
    }
    snprintf(name, sizeof name, "%s, %g degrees, %g C", s->ring ? "ring" : "block", s->angle, s->plate);
    if (!rig.failed) {
        double ratio = (last.along - first.along) / ((LAST - FIRST) / 24.0) / speed;
        tlwReportNote(report, "%s: %.1f cells in half a second on a film of %.2f cells", name,
                      (last.along - first.along) / s->cell, last.film / s->cell);
        snprintf(what, sizeof what, "%s: held by the plate", name);
        tlwReportAbsolute(report, what, last.held, 0, 0);
        snprintf(what, sizeof what, "%s: speed over lubrication's, log2", name);
        if (last.film > 0.05 * s->cell)
            tlwReportAbsolute(report, what, log2(ratio), 0, 1);
        else
            tlwReportNote(report, "no limit, the film is too thin to measure: %s %.2f", what, log2(ratio));
        snprintf(what, sizeof what, "%s: highest lowest particle (cells)", name);
        tlwReportBelow(report, what, lowest / s->cell, 0.25);
    }
    tlwEndRig(report, &rig);
}

// Wax on a cold plate stays. Wax on a plate that cools freezes onto the plate.
static void runHold(tlwReport *report)
{
    Slide s = {.cell = 5e-3, .angle = 20, .plate = 40, .offset = 0.3, .viscosity = 1, .speed_up = 20, .height = 6};
    tlwRig rig;
    startSlide(report, &rig, &s);
    Place start = findPlace(&rig, &s), end = {0};
    for (int f = 0; f < 24 && tlwAdvanceRig(&rig, 1.0 / 24); f++)
        end = findPlace(&rig, &s);
    if (!rig.failed) {
        tlwReportAbsolute(report, "cold plate: held", end.held, 1, 0);
        tlwReportBelow(report, "cold plate: way in 1 s (cells)", fabs(end.along - start.along) / s.cell, 1e-4);
    }
    tlwEndRig(report, &rig);
    s.plate = 150;
    s.cools = 0.3;
    s.speed_up = 60;
    Place before = {0};
    startSlide(report, &rig, &s);
    for (int f = 0; f < 60 && tlwAdvanceRig(&rig, 1.0 / 24); f++) {
        before = f == 48 ? end : before;
        end = findPlace(&rig, &s);
    }
    if (!rig.failed) {
        tlwReportNote(report, "on a plate that cools wax slid by %.1f cells", end.along / s.cell);
        tlwReportAbsolute(report, "plate that cools: held after 2.5 s", end.held, 1, 0);
        tlwReportBelow(report, "plate that cools: way in the last half second (cells)",
                       fabs(end.along - before.along) / s.cell, 0.05);
    }
    tlwEndRig(report, &rig);
}

static void runLetsGo(tlwReport *report)
{
    static const Slide slides[] = {
        {.cell = 5e-3, .angle = 20, .plate = 150, .offset = 0.3, .viscosity = 1, .speed_up = 20, .height = 6},
        {.cell = 5e-3, .angle = 20, .plate = 150, .offset = 0.6, .viscosity = 2, .speed_up = 5, .height = 6},
        {.cell = 4e-3, .angle = 45, .plate = 110, .offset = 0.8, .viscosity = 5, .speed_up = 40, .height = 7},
        {.cell = 5e-3,
         .angle = 20,
         .plate = 150,
         .offset = 0.1,
         .viscosity = 1,
         .speed_up = 20,
         .height = 6,
         .ring = 1},
        {.cell = 5e-3, .angle = 20, .plate = 150, .offset = 0.6, .viscosity = 2, .speed_up = 1, .height = 6},
        {.cell = 5e-3, .angle = 10, .plate = 90, .offset = 0, .viscosity = 1, .speed_up = 40, .height = 8},
    };
    for (int n = 0; n < 6; n++)
        runSlide(report, &slides[n]);
    runHold(report);
}

const tlwVerifyCase tlw_verify_slide[] = {
    {"lets_go", "wax on a hot plate slides on what melts, and freezes on when the plate cools", runLetsGo, true,
     "Blocks and a ring on tilted plates between cells. A hot plate does not hold wax. The speed is that of a block "
     "on\n"
     "a film, rho g sin(angle) d (h + d / 2) / mu, with the thickness d as the intact particles show it. Thin films "
     "are\n"
     "a few hundredths of a cell, so that a factor of two is the limit. Wax lies on what has melted: its lowest "
     "particle\n"
     "stays near the plate.\n\n"
     "Known: films below a twentieth of a cell are thinner than particles can show. The row with heat as in life, on "
     "a\n"
     "film of 0.02 cells, slides about twice as fast as it should and has no limit."},
    {0},
};
