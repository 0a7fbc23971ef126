// Wax that melts in a hot shell: fronts that run inwards from curved walls.
#include "verify.h"

#include <math.h>
#include <stdio.h>

extern const tlwVerifyCase tlw_verify_shell[];

static const double start = 325, wall = 350;

static tlwMaterialDef makeWax(void)
{
    tlwMaterialDef def = tlwDefaultMaterialDef();
    def.name = "Wax";
    def.density_solid = def.density_liquid = 1000;
    def.specific_heat_solid = 2000;
    def.specific_heat_liquid = 2400;
    def.conductivity_solid = 2;
    def.conductivity_liquid = 1.5;
    def.solidus = 329;
    def.liquidus = 331;
    def.latent_heat = 8e4;
    return def;
}

// ---------------------------------------------------------------------------------------------------------------------
// The reference: enthalpy in thin rings or shells, by small explicit steps.

enum { RINGS = 240 };

typedef struct Radial {
    int power;              // 1 for a cylinder, 2 for a sphere
    double width;           // m, of a ring
    double enthalpy[RINGS]; // J/kg above the solidus
    double time;
} Radial;

static double getTemperature(const tlwMaterialDef *m, double h, double *melt)
{
    double mean = 0.5 * (m->specific_heat_solid + m->specific_heat_liquid), span = m->liquidus - m->solidus;
    double all = m->latent_heat + mean * span;
    *melt = fmin(fmax(h / all, 0), 1);
    return h < 0     ? m->solidus + h / m->specific_heat_solid
           : h < all ? m->solidus + span * h / all
                     : m->liquidus + (h - all) / m->specific_heat_liquid;
}

static void stepRadial(const tlwMaterialDef *m, double dt, Radial *r)
{
    double flux[RINGS + 1] = {0}, t[RINGS + 1], k[RINGS + 1], melt;
    for (int n = 0; n < RINGS; n++) {
        t[n] = getTemperature(m, r->enthalpy[n], &melt);
        k[n] = m->conductivity_solid + melt * (m->conductivity_liquid - m->conductivity_solid);
    }
    for (int n = 1; n < RINGS; n++)
        flux[n] = pow(n, r->power) * 2 * k[n] * k[n - 1] / (k[n] + k[n - 1]) * (t[n] - t[n - 1]);
    flux[RINGS] = pow(RINGS, r->power) * 2 * k[RINGS - 1] * (wall - t[RINGS - 1]);
    for (int n = 0; n < RINGS; n++) {
        double volume = (pow(n + 1, r->power + 1) - pow(n, r->power + 1)) / (r->power + 1);
        r->enthalpy[n] += dt * (flux[n + 1] - flux[n]) / (volume * m->density_solid * r->width * r->width);
    }
    r->time += dt;
}

static double getMolten(const tlwMaterialDef *m, const Radial *r)
{
    double sum = 0, melt;
    for (int n = 0; n < RINGS; n++) {
        getTemperature(m, r->enthalpy[n], &melt);
        sum += melt * (pow(n + 1, r->power + 1) - pow(n, r->power + 1));
    }
    return sum / pow(RINGS, r->power + 1);
}

// Time until a share is molten.
static double findTime(const tlwMaterialDef *m, int power, double radius, double share)
{
    Radial r = {.power = power, .width = radius / RINGS};
    double dt = 0.2 * r.width * r.width * m->density_solid * m->specific_heat_solid / m->conductivity_solid;
    for (int n = 0; n < RINGS; n++)
        r.enthalpy[n] = (start - m->solidus) * m->specific_heat_solid;
    while (getMolten(m, &r) < share)
        for (int n = 0; n < 20; n++)
            stepRadial(m, dt, &r);
    return r.time;
}

// ---------------------------------------------------------------------------------------------------------------------

// Molten share of what lies away from the domain's lower and upper side.
static double findMolten(tlwRig *rig, double half)
{
    tlwParticleView view = {0};
    double molten = 0, all = 0;
    if (rig->failed || !tlwCheckRig(rig, tlwGetParticles(rig->sim, &view)))
        return NAN;
    for (int64_t n = 0; n < view.count; n++)
        if (fabs(view.position[3 * n + 2]) < half) {
            molten += view.melt[n];
            all++;
        }
    return molten / all;
}

static void startShell(tlwReport *report, tlwRig *rig, int power, double radius, double dx)
{
    double high = power == 1 ? 3 * dx : radius + 3 * dx, side = radius + 3 * dx;
    tlwMaterialDef wax = makeWax();
    tlwSceneDef def = tlwDefaultSceneDef();
    def.cell_size = dx;
    def.domain_min = (tlwVec3){-side, -side, -high};
    def.domain_max = (tlwVec3){side, side, high};
    for (int i = 0; i < 6; i++)
        def.walls[i] = TLW_WALL_SLIP;
    def.gravity = (tlwVec3){0, 0, 0};
    def.film_coefficient = def.emissivity = 0;
    tlwStartRig(rig, &def, tlwGetReportThreads(report));
    int material = tlwAddRigMaterial(rig, &wax);
    tlwKey key = tlwDefaultKey();
    key.temperature = wall;
    tlwObjectDef hot = tlwDefaultObjectDef();
    hot.heat_kind = TLW_HEAT_SOLID;
    hot.conductivity = 1e5;
    hot.keys = &key;
    hot.key_count = 1;
    tlwVec3 centre = {0.3 * dx, -0.2 * dx, power == 1 ? 0 : 0.4 * dx};
    double outer = radius + 2.5 * dx, reach = 12 * dx;
    const double tube[][2] = {{radius, -reach}, {outer, -reach}, {outer, reach}, {radius, reach}};
    tlwAddRigObject(
        rig, "Shell", TLW_ROLE_HEAT,
        power == 1 ? tlwMakeLathe(centre, tube, 4, 128) : tlwMakeSphereContainer(centre, radius, 2.5 * dx, 5), &hot);
    tlwAddRigLiquid(rig, "Wax",
                    power == 1 ? tlwMakeCylinder(centre, radius + dx, 2 * reach, 128)
                               : tlwMakeSphere(centre, radius + dx, 5),
                    material, start);
    tlwRunRig(rig);
}

static void runShell(tlwReport *report, int power, double across)
{
    enum { STEPS = 15 };
    const double dx = 1e-3, radius = 0.5 * across * dx;
    tlwMaterialDef wax = makeWax();
    tlwRig rig;
    startShell(report, &rig, power, radius, dx);
    double before = 0;
    for (int n = 1; n <= 3; n++) {
        char what[100];
        double share = 0.25 * n, time = findTime(&wax, power, radius, share);
        for (int s = 0; s < STEPS; s++)
            tlwAdvanceRig(&rig, (time - before) / STEPS);
        before = time;
        snprintf(what, sizeof what, "%s, %g cells across: molten share", power == 1 ? "cylinder" : "sphere", across);
        double molten = findMolten(&rig, power == 1 ? 2 * dx : INFINITY);
        if (!rig.failed)
            tlwReportRelative(report, what, molten, share, 0.01);
    }
    tlwEndRig(report, &rig);
}

static void runHotShell(tlwReport *report)
{
    for (int power = 2; power > 0; power--) {
        runShell(report, power, 16);
        runShell(report, power, 32);
    }
}

const tlwVerifyCase tlw_verify_shell[] = {
    {"hot_shell", "a sphere and a cylinder melt in a hot shell as in one dimension", runHotShell, false,
     "Wax in a hot shell between cells, without weight. The reference is the same melting along the radius alone, in\n"
     "240 rings and small steps. Wax melts from 329 to 331 K, and conducts less when it is molten.\n\n"
     "Known: at 16 cells across, and while a quarter is molten, the share is up to 5 % too small. Most of it is wax\n"
     "that is missing from the start: walls are straight between nodes, so a cavity 16 cells across is 1.2 to 1.6 %\n"
     "smaller than its mesh, all of it at the wall."},
    {0},
};
