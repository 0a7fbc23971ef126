// Conduction, melting, freezing and cooling.
#include "verify.h"

#include <math.h>
#include <stdio.h>

extern const tlwVerifyCase tlw_verify_heat[];

static const double pi = 3.14159265358979324;

// Round numbers: diffusivity 1e-6 m2/s in both phases unless changed afterwards.
static tlwMaterialDef makeWax(double latent_heat, double melting)
{
    tlwMaterialDef def = tlwDefaultMaterialDef();
    def.name = "Wax";
    def.density_solid = def.density_liquid = 1000;
    def.specific_heat_solid = def.specific_heat_liquid = 2000;
    def.conductivity_solid = def.conductivity_liquid = 2;
    def.solidus = def.liquidus = melting;
    def.latent_heat = latent_heat;
    return def;
}

// A weightless slab along x with insulated sides, in cells of 1 mm. A hot or cold plate touches it at x = 0.
typedef struct Slab {
    int cells;                 // up to the wall behind it
    double offset;             // of the plate's surface from the grid, cells
    double temperature, plate; // K
} Slab;

static void startSlab(tlwReport *report, tlwRig *rig, const tlwMaterialDef *wax, const Slab *slab)
{
    const double dx = 1e-3, width = 4 * dx;
    tlwSceneDef def = tlwDefaultSceneDef();
    def.cell_size = dx;
    def.domain_min = (tlwVec3){-4 * dx, 0, 0};
    def.domain_max = (tlwVec3){slab->cells * dx, width, width};
    for (int i = 0; i < 6; i++)
        def.walls[i] = TLW_WALL_SLIP;
    def.gravity = (tlwVec3){0, 0, 0};
    def.film_coefficient = def.emissivity = 0;
    tlwStartRig(rig, &def, tlwGetReportThreads(report));
    int material = tlwAddRigMaterial(rig, wax);
    tlwKey key = tlwDefaultKey();
    key.temperature = slab->plate;
    tlwObjectDef hot = tlwDefaultObjectDef();
    hot.heat_kind = TLW_HEAT_SOLID;
    hot.conductivity = 1e5;
    hot.keys = &key;
    hot.key_count = 1;
    tlwVec3 low = {-8 * dx, -4 * dx, -4 * dx}, high = {slab->offset * dx, width + 4 * dx, width + 4 * dx};
    tlwAddRigObject(rig, "Plate", TLW_ROLE_HEAT, tlwMakeBox(low, high), &hot);
    high.x = (slab->cells + 4) * dx; // the slab's mesh reaches beyond the domain and into the plate, which cut it flat
    tlwAddRigLiquid(rig, "Slab", tlwMakeBox(low, high), material, slab->temperature);
    tlwRunRig(rig);
}

// Temperatures at the centres of the slab's cells after 30 s in `steps` steps.
static void runSlab(tlwReport *report, int steps, double *temperature)
{
    enum { CELLS = 32 };
    double points[3 * CELLS];
    tlwMaterialDef wax = makeWax(0, 0);
    tlwRig rig;
    startSlab(report, &rig, &wax, &(Slab){CELLS, 0, 300, 400});
    for (int n = 0; n < steps; n++)
        tlwAdvanceRig(&rig, 30.0 / steps);
    for (int i = 0; i < CELLS; i++) {
        points[3 * i] = (i + 0.5) * 1e-3;
        points[3 * i + 1] = points[3 * i + 2] = 2.5e-3;
        temperature[i] = NAN;
    }
    if (!rig.failed)
        tlwCheckRig(&rig, tlwSampleField(rig.sim, TLW_FIELD_TEMPERATURE, points, CELLS, temperature));
    tlwEndRig(report, &rig);
}

static void runHeatSlab(tlwReport *report)
{
    double small[32], large[32], errors[2] = {0, 0}, between = 0;
    runSlab(report, 300, small); // diffusion number 0.1: solved line by line
    runSlab(report, 40, large);  // 0.75: solved as one system
    for (int i = 0; i < 32; i++) {
        double exact = 300 + 100 * erfc((i + 0.5) * 1e-3 / (2 * sqrt(1e-6 * 30)));
        errors[0] += pow(small[i] - exact, 2);
        errors[1] += pow(large[i] - exact, 2);
        between += pow(small[i] - large[i], 2);
    }
    tlwReportBelow(report, "L2 error, 300 steps by lines (LOD)", sqrt(errors[0] / 32) / 100, 0.01);
    tlwReportBelow(report, "L2 error, 40 steps by the full system", sqrt(errors[1] / 32) / 100, 0.01);
    tlwReportBelow(report, "L2 difference between the two", sqrt(between / 32) / 100, 0.01);
}

static double solveLambda(double stefan)
{
    double low = 0, high = 5;
    for (int i = 0; i < 100; i++) {
        double mid = 0.5 * (low + high);
        if (mid * exp(mid * mid) * erf(mid) < stefan / sqrt(pi))
            low = mid;
        else
            high = mid;
    }
    return low;
}

// The front in cells from the plate, from the molten share of the columns that touch no side of the domain.
static double findFront(tlwRig *rig, const Slab *slab)
{
    tlwParticleView view = {0};
    double molten = 0, all = 0;
    if (rig->failed || !tlwCheckRig(rig, tlwGetParticles(rig->sim, &view)))
        return NAN;
    for (int64_t n = 0; n < view.count; n++) {
        const float *p = view.position + 3 * n;
        if (fabs(p[1] - 2e-3) < 1e-3 && fabs(p[2] - 2e-3) < 1e-3) {
            molten += view.melt[n];
            all++;
        }
    }
    double share = molten / all;
    return (slab->plate > slab->temperature ? share : 1 - share) * (slab->cells - slab->offset);
}

// Run a slab while its front moves by `way` cells, at the pace 2 lambda sqrt(alpha t). Compare after a quarter of the
// time and at the end.
static void runFront(tlwReport *report, const char *name, const tlwMaterialDef *wax, const Slab *slab, double lambda,
                     double way, int steps, double limit)
{
    double end = pow(way * 1e-3 / (2 * lambda), 2) / 1e-6;
    tlwRig rig;
    startSlab(report, &rig, wax, slab);
    for (int s = 1; s <= steps; s++) {
        tlwAdvanceRig(&rig, end / steps);
        if (rig.failed || (s != steps / 4 && s != steps))
            continue;
        char what[120];
        double exact = way * sqrt((double)s / steps);
        snprintf(what, sizeof what, "%s, wall at %.2f, %d steps: front (cells)", name, slab->offset, steps);
        tlwReportRelative(report, what, findFront(&rig, slab), exact, s == steps ? limit : 2 * limit);
    }
    tlwEndRig(report, &rig);
}

static const double offsets[] = {0, 0.15, 0.35, 0.5, 0.65, 0.8, 0.95};

// One-phase melting from a wall. The position of the front follows from the melted share of the slab.
static void runStefan(tlwReport *report)
{
    static const double numbers[2] = {0.1, 1};
    for (int n = 0; n < 2; n++) {
        char name[40];
        snprintf(name, sizeof name, "Ste = %g", numbers[n]);
        tlwMaterialDef wax = makeWax(2000 * 20 / numbers[n], 330);
        double lambda = solveLambda(numbers[n]);
        runFront(report, name, &wax, &(Slab){64, 0, 330, 350}, lambda, 40, 200, 0.02);
        for (int o = 0; o < 7; o++)
            runFront(report, name, &wax, &(Slab){12, offsets[o], 330, 350}, lambda, 8, 48, 0.03);
    }
}

// Neumann's solution for a liquid that freezes from a wall: both phases conduct, with properties of their own.
static double solveNeumann(const tlwMaterialDef *d, double wall, double start)
{
    double as = d->conductivity_solid / (d->density_solid * d->specific_heat_solid);
    double al = d->conductivity_liquid / (d->density_liquid * d->specific_heat_liquid);
    double low = 1e-6, high = 4;
    for (int i = 0; i < 200; i++) {
        double x = 0.5 * (low + high), y = x * sqrt(as / al);
        double solid = d->conductivity_solid * (d->solidus - wall) / sqrt(as) * exp(-x * x) / erf(x);
        double liquid = d->conductivity_liquid * (start - d->solidus) / sqrt(al) * exp(-y * y) / erfc(y);
        if (solid - liquid > x * sqrt(pi * as) * d->density_solid * d->latent_heat)
            low = x;
        else
            high = x;
    }
    return low;
}

static void runFreeze(tlwReport *report)
{
    tlwMaterialDef wax = makeWax(2e5, 330);
    wax.specific_heat_liquid = 2900;
    wax.conductivity_liquid = 1.2;
    double lambda = solveNeumann(&wax, 290, 345);
    runFront(report, "freezing", &wax, &(Slab){64, 0, 345, 290}, lambda, 24, 200, 0.03);
    for (int o = 0; o < 7; o++)
        runFront(report, "freezing", &wax, &(Slab){32, offsets[o], 345, 290}, lambda, 8, 96, 0.03);
}

// Hot liquid wax falls on a cold block in an insulated box. Heat moves 1000 times faster than in reality, so that
// within ten seconds the block melts where the wax hits it and the pool freezes at its foot.
static void runEnergy(tlwReport *report)
{
    tlwSceneDef def = tlwDefaultSceneDef();
    def.cell_size = 0.4 / 24;
    def.domain_min = (tlwVec3){0, 0, 0};
    def.domain_max = (tlwVec3){0.4, 0.2, 0.4};
    for (int i = 0; i < 6; i++)
        def.walls[i] = TLW_WALL_SLIP;
    def.film_coefficient = def.emissivity = 0;
    def.thermal_speed = 1000;
    tlwMaterialDef wax = makeWax(2e5, 328);
    wax.liquidus = 333;
    wax.specific_heat_liquid = 2900;
    wax.conductivity_solid = 0.25;
    wax.conductivity_liquid = 0.15;
    wax.viscosity = (tlwCurve){.count = 1, .temperature = {340}, .value = {0.01}};
    tlwRig rig;
    tlwStartRig(&rig, &def, tlwGetReportThreads(report));
    int material = tlwAddRigMaterial(&rig, &wax);
    tlwShape cold = tlwMakeBox((tlwVec3){0, 0, 0}, (tlwVec3){0.4, 0.2, 0.08});
    tlwShape hot = tlwMakeBox((tlwVec3){0.02, 0.02, 0.18}, (tlwVec3){0.2, 0.18, 0.36});
    tlwAddRigLiquid(&rig, "Cold", cold, material, 300);
    tlwAddRigLiquid(&rig, "Hot", hot, material, 390);
    tlwRunRig(&rig);
    tlwStats start = tlwGetRigStats(&rig);
    double drift = 0, least = 1, most = 0;
    for (int frame = 0; frame < 240 && tlwAdvanceRig(&rig, 1.0 / 24); frame++) {
        tlwStats stats = tlwGetRigStats(&rig);
        drift = fmax(drift, fabs(stats.enthalpy / start.enthalpy - 1));
        least = fmin(least, stats.melted);
        most = fmax(most, stats.melted);
    }
    if (!rig.failed) {
        tlwReportBelow(report, "largest drift of the enthalpy", drift, 1e-3);
        tlwReportAbove(report, "change of the molten share on the way", most - least, 0.02);
    }
    tlwEndRig(report, &rig);
}

// A weightless ball of 16 mm in air. Bi = h R / (3 k) = 0.016.
static void runNewtonCooling(tlwReport *report)
{
    const double radius = 8e-3, film = 12, length = 300;
    tlwSceneDef def = tlwDefaultSceneDef();
    def.cell_size = 1e-3;
    def.domain_min = (tlwVec3){-0.012, -0.012, -0.012};
    def.domain_max = (tlwVec3){0.012, 0.012, 0.012};
    def.gravity = (tlwVec3){0, 0, 0};
    def.film_coefficient = film;
    def.emissivity = 0;
    def.ambient_temperature = 293.15;
    tlwMaterialDef wax = makeWax(0, 0);
    tlwRig rig;
    tlwStartRig(&rig, &def, tlwGetReportThreads(report));
    int material = tlwAddRigMaterial(&rig, &wax);
    tlwVec3 centre = {0.0003, -0.0002, 0.0001};
    tlwAddRigLiquid(&rig, "Ball", tlwMakeSphere(centre, radius, 4), material, 373.15);
    tlwRunRig(&rig);
    double capacity = tlwGetRigStats(&rig).enthalpy / 373.15;
    for (int s = 0; s < 60; s++)
        tlwAdvanceRig(&rig, length / 60);
    double rate = film * 3 / (radius * 1000 * 2000);
    double measured = (tlwGetRigStats(&rig).enthalpy / capacity - 293.15) / 80;
    if (!rig.failed)
        tlwReportRelative(report, "excess temperature left after 300 s", measured, exp(-rate * length), 0.02);
    tlwEndRig(report, &rig);
}

const tlwVerifyCase tlw_verify_heat[] = {
    {"heat_slab", "a slab with a hot wall follows erfc, by lines and as one system", runHeatSlab, true,
     "A slab of 32 cells at 300 K meets a wall of 400 K. After 30 s the exact profile is the complementary error\n"
     "function. 300 short steps are solved line by line (locally one-dimensional), 40 long ones as one system."},
    {"stefan", "a melting front runs as Stefan's solution, Ste = 0.1 and 1", runStefan, true,
     "Melting from a wall; the solid is at its melting point. The front's place is the molten share times the\n"
     "slab's length. The wall lies on the grid, or between: the front must have gone as far after 4 and 8 cells.\n"
     "Only columns away from the domain's sides count: where a plate between cells meets a side, wax is missing from\n"
     "the start."},
    {"freeze", "a freezing front runs as Neumann's two-phase solution", runFreeze, true,
     "Freezing from a wall. Both phases conduct, with specific heats and conductivities of their own."},
    {"energy", "hot wax on cold wax in an insulated box keeps its enthalpy", runEnergy, true,
     "Hot liquid wax falls on a cold block. Heat moves 1000 times as fast as in life. The second row makes sure\n"
     "that wax melts and freezes on the way."},
    {"newton_cooling", "a small ball cools as Newton says", runNewtonCooling, true,
     "A weightless ball of 16 mm in air, film coefficient 12 W/m2 K. Its Biot number is 0.016, so it has one\n"
     "temperature."},
    {0},
};
