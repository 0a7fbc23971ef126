// Viscous flows between plates, at any contrast, and of free blobs.
#include "manufactured.h"
#include "verify.h"

#include <math.h>
#include <stdio.h>

extern const tlwVerifyCase tlw_verify_viscosity[];

static const double radius = 0.12, cell = 1.0 / 40;

// An empty scene of stiff liquid in a large domain. Returns the material.
static int startStiff(tlwReport *report, tlwRig *rig, tlwVec3 gravity)
{
    tlwSceneDef def = tlwDefaultSceneDef();
    def.domain_min = (tlwVec3){-0.5, -0.5, -0.5};
    def.domain_max = (tlwVec3){0.5, 0.5, 0.5};
    def.cell_size = cell;
    def.gravity = gravity;
    tlwStartRig(rig, &def, tlwGetReportThreads(report));
    tlwMaterialDef stiff = tlwMakeLiquid("Stiff", 1000, 1e7);
    return tlwAddRigMaterial(rig, &stiff);
}

static void addBlob(tlwRig *rig, const char *name, int material, tlwVec3 centre, tlwVec3 velocity, tlwVec3 spin)
{
    tlwObjectDef blob = tlwDefaultObjectDef();
    blob.material = material;
    blob.velocity = velocity;
    blob.spin = spin;
    tlwAddRigObject(rig, name, TLW_ROLE_LIQUID, tlwMakeSphere(centre, radius, 4), &blob);
}

// A blob at the origin with a kinematic viscosity of 1e4 m2/s, in a domain it does not touch.
static void startBlob(tlwReport *report, tlwRig *rig, tlwVec3 gravity, tlwVec3 velocity, tlwVec3 spin)
{
    int material = startStiff(report, rig, gravity);
    addBlob(rig, "Blob", material, (tlwVec3){0, 0, 0}, velocity, spin);
}

static tlwVec3 turn(tlwVec3 v, double angle)
{
    return (tlwVec3){cos(angle) * v.x - sin(angle) * v.y, sin(angle) * v.x + cos(angle) * v.y, v.z};
}

// Root mean square distance, in cells, between the particles and their places in a rigid blob turned by `angle` about
// z.
static double getDeformation(tlwRig *rig, tlwVec3 start, double angle)
{
    tlwParticleView view;
    if (rig->failed || !tlwCheckRig(rig, tlwGetParticles(rig->sim, &view)) || view.count == 0)
        return NAN;
    tlwVec3 now = tlwGetRigStats(rig).centre_of_mass;
    double sum = 0;
    for (int64_t i = 0; i < view.count; i++) {
        const float *p = view.position + 3 * i, *r = view.rest_position + 3 * i;
        tlwVec3 expected = turn((tlwVec3){r[0] - start.x, r[1] - start.y, r[2] - start.z}, angle);
        double x = p[0] - now.x - expected.x, y = p[1] - now.y - expected.y, z = p[2] - now.z - expected.z;
        sum += x * x + y * y + z * z;
    }
    return sqrt(sum / (double)view.count) / cell;
}

static void runViscousFall(tlwReport *report)
{
    const tlwVec3 velocity = {0.6, -0.3, 1.6};
    const double g = -9.81, duration = 0.35;
    tlwRig rig;
    startBlob(report, &rig, (tlwVec3){0, 0, g}, velocity, (tlwVec3){0, 0, 0});
    tlwRunRig(&rig);
    tlwVec3 start = tlwGetRigStats(&rig).centre_of_mass;
    double path = 0, worst = 0, time = 0;
    tlwVec3 last = start;
    for (int i = 1; i <= 21 && !rig.failed; i++) {
        tlwAdvanceRig(&rig, duration / 21);
        time = duration * i / 21;
        tlwVec3 c = tlwGetRigStats(&rig).centre_of_mass;
        double x = c.x - start.x - velocity.x * time, y = c.y - start.y - velocity.y * time;
        double z = c.z - start.z - velocity.z * time - 0.5 * g * time * time;
        worst = fmax(worst, sqrt(x * x + y * y + z * z));
        path += sqrt(pow(c.x - last.x, 2) + pow(c.y - last.y, 2) + pow(c.z - last.z, 2));
        last = c;
    }
    double deformation = getDeformation(&rig, start, 0);
    if (!rig.failed) {
        tlwReportBelow(report, "distance from the parabola / path", worst / path, 0.005);
        tlwReportBelow(report, "change of shape (cells, rms)", deformation, 0.1);
    }
    tlwEndRig(report, &rig);
}

// Centre, mean velocity and mean angular momentum about the centre of the particles that started near a place.
typedef struct Blob {
    tlwVec3 centre, velocity, spin;
} Blob;

static Blob lookAtBlob(tlwRig *rig, tlwVec3 place)
{
    tlwParticleView view;
    Blob b = {0};
    double count = 0;
    if (rig->failed || !tlwCheckRig(rig, tlwGetParticles(rig->sim, &view)))
        return b;
    for (int64_t n = 0; n < view.count; n++) {
        const float *x = view.position + 3 * n, *v = view.velocity + 3 * n, *r = view.rest_position + 3 * n;
        if (hypot(hypot(r[0] - place.x, r[1] - place.y), r[2] - place.z) > 1.2 * radius)
            continue;
        b.centre = (tlwVec3){b.centre.x + x[0], b.centre.y + x[1], b.centre.z + x[2]};
        b.velocity = (tlwVec3){b.velocity.x + v[0], b.velocity.y + v[1], b.velocity.z + v[2]};
        b.spin.x += x[1] * v[2] - x[2] * v[1];
        b.spin.y += x[2] * v[0] - x[0] * v[2];
        b.spin.z += x[0] * v[1] - x[1] * v[0];
        count++;
    }
    tlwVec3 c = {b.centre.x / count, b.centre.y / count, b.centre.z / count};
    tlwVec3 v = {b.velocity.x / count, b.velocity.y / count, b.velocity.z / count};
    tlwVec3 spin = {b.spin.x / count - (c.y * v.z - c.z * v.y), b.spin.y / count - (c.z * v.x - c.x * v.z),
                    b.spin.z / count - (c.x * v.y - c.y * v.x)};
    return (Blob){c, v, spin};
}

static double measureDistance(tlwVec3 a, tlwVec3 b)
{
    return hypot(hypot(a.x - b.x, a.y - b.y), a.z - b.z);
}

// Blobs spin in opposite senses and about different axes, and one of them flies. Each must keep its own motion.
static void runSpinningBlobs(tlwReport *report)
{
    const double omega = 2 * acos(-1);
    static const char *const name[3] = {"one of three", "the second", "the third, which flies"};
    const tlwVec3 place[3] = {{-0.25, -0.25, 0.1}, {0.25, -0.25, 0}, {0, 0.25, -0.2}};
    const tlwVec3 spin[3] = {{0, 0, omega}, {0, 0, -omega}, {omega, 0, 0}}, still = {0}, flight = {0, 0, 0.3};
    Blob before[3];
    tlwRig rig;
    int material = startStiff(report, &rig, still);
    for (int n = 0; n < 3; n++)
        addBlob(&rig, name[n], material, place[n], n == 2 ? flight : still, spin[n]);
    tlwRunRig(&rig);
    for (int n = 0; n < 3; n++)
        before[n] = lookAtBlob(&rig, place[n]);
    for (int i = 0; i < 24 && !rig.failed; i++)
        tlwAdvanceRig(&rig, 1.0 / 24);
    for (int n = 0; n < 3 && !rig.failed; n++) {
        Blob now = lookAtBlob(&rig, place[n]);
        tlwVec3 a = before[n].spin, b = now.spin, c = before[n].centre, v = before[n].velocity;
        tlwVec3 there = {c.x + v.x, c.y + v.y, c.z + v.z}; // after a second
        double square = a.x * a.x + a.y * a.y + a.z * a.z, share = (a.x * b.x + a.y * b.y + a.z * b.z) / square;
        char what[64];
        snprintf(what, sizeof what, "%s: share that is left after 1 s", name[n]);
        tlwReportAbove(report, what, share, 0.99);
        snprintf(what, sizeof what, "%s: what changed, over it", name[n]);
        tlwReportBelow(report, what, measureDistance(a, b) / sqrt(square), 0.01);
        snprintf(what, sizeof what, "%s: distance from its path (cells)", name[n]);
        tlwReportBelow(report, what, measureDistance(now.centre, there) / cell, 0.1);
    }
    tlwEndRig(report, &rig);
}

static void runViscousSpin(tlwReport *report)
{
    const double omega = 2 * acos(-1);
    tlwRig rig;
    startBlob(report, &rig, (tlwVec3){0, 0, 0}, (tlwVec3){0, 0, 0}, (tlwVec3){0, 0, omega});
    tlwRunRig(&rig);
    tlwStats before = tlwGetRigStats(&rig);
    double sphere = 0.4 * 1000 * 4.0 / 3 * acos(-1) * pow(radius, 5) * omega;
    for (int i = 0; i < 24 && !rig.failed; i++)
        tlwAdvanceRig(&rig, 1.0 / 24);
    tlwStats after = tlwGetRigStats(&rig);
    if (!rig.failed) {
        tlwReportRelative(report, "angular momentum at the start (kg m2/s)", before.angular_momentum.z, sphere, 0.05);
        tlwReportAbove(report, "share of it that is left after 1 s",
                       after.angular_momentum.z / before.angular_momentum.z, 0.99);
    }
    tlwEndRig(report, &rig);
    runSpinningBlobs(report);
}

// A column of liquid between upright plates `gap` apart, open to the air above and below. Far from its ends nothing
// depends on the height, so weight, a moving plate and viscosity give the plane flows of textbooks.
typedef struct Column {
    int cells;          // across the gap
    double gravity;     // m/s2
    double plate;       // speed of the right plate, m/s
    double interface;   // share of the gap that the left liquid takes
    double left, right; // kinematic viscosities, m2/s
    double duration;    // s
} Column;

static const double gap = 0.1, length = 0.4, density = 1000;

// Steady upward velocity at x, a share of the gap, for a weight g: nu w' = C + g x on both sides.
static double getColumnVelocity(const Column *c, double g, double x)
{
    double h = c->interface * gap, at = x * gap, l = c->left, r = c->right;
    double constant = (c->plate - g * h * h / (2 * l) - g * (gap * gap - h * h) / (2 * r)) / (h / l + (gap - h) / r);
    if (at < h)
        return (constant * at + g * at * at / 2) / l;
    return (constant * h + g * h * h / 2) / l + (constant * (at - h) + g * (at * at - h * h) / 2) / r;
}

static void startColumn(tlwReport *report, tlwRig *rig, const Column *c)
{
    const double dx = gap / c->cells;
    tlwSceneDef def = tlwDefaultSceneDef();
    def.domain_min = (tlwVec3){0, 0, -0.08};
    def.domain_max = (tlwVec3){c->plate != 0 ? gap + 8 * dx : gap, 4 * dx, length + 0.08};
    def.cell_size = dx;
    def.gravity = (tlwVec3){0, 0, -c->gravity};
    for (int i = 0; i < 6; i++)
        def.walls[i] = i < 2 ? TLW_WALL_NO_SLIP : TLW_WALL_SLIP;
    tlwStartRig(rig, &def, tlwGetReportThreads(report));
    tlwMaterialDef left = tlwMakeLiquid("Left", density, density * c->left);
    tlwMaterialDef right = tlwMakeLiquid("Right", density, density * c->right);
    double middle = c->interface * gap;
    int material = tlwAddRigMaterial(rig, &left);
    tlwAddRigLiquid(rig, "Left", tlwMakeBox((tlwVec3){0, 0, 0}, (tlwVec3){middle, 4 * dx, length}), material, 293.15);
    material = tlwAddRigMaterial(rig, &right);
    tlwAddRigLiquid(rig, "Right", tlwMakeBox((tlwVec3){middle, 0, 0}, (tlwVec3){gap, 4 * dx, length}), material,
                    293.15);
    if (c->plate != 0) {
        tlwKey keys[2] = {tlwDefaultKey(), tlwDefaultKey()};
        keys[1].time = 10;
        keys[1].position.z = 10 * c->plate;
        tlwObjectDef plate = tlwDefaultObjectDef();
        plate.surface = TLW_SURFACE_STICK;
        plate.keys = keys;
        plate.key_count = 2;
        tlwVec3 low = {gap, -0.1, -1}, high = {gap + 20 * dx, 0.1, 1};
        tlwAddRigObject(rig, "Plate", TLW_ROLE_SOLID, tlwMakeBox(low, high), &plate);
    }
}

// Relative L2 error of the profile across the middle of the column.
static double getColumnError(tlwReport *report, const Column *c)
{
    enum { MOST = 64 };
    tlwRig rig;
    startColumn(report, &rig, c);
    tlwRunRig(&rig);
    for (int n = 0; n < 20 && !rig.failed; n++)
        tlwAdvanceRig(&rig, c->duration / 20);
    double points[3 * MOST], velocity[3 * MOST], error = 0, size = 0;
    double height = tlwGetRigStats(&rig).centre_of_mass.z;
    for (int i = 0; i < c->cells; i++) {
        points[3 * i] = (i + 0.5) * gap / c->cells;
        points[3 * i + 1] = 2 * gap / c->cells;
        points[3 * i + 2] = height;
    }
    double ends[6] = {0.5 * gap, points[1], height - 0.5 * gap, 0.5 * gap, points[1], height + 0.5 * gap},
           pressure[2] = {0};
    if (!rig.failed)
        tlwCheckRig(&rig, tlwSampleField(rig.sim, TLW_FIELD_PRESSURE, ends, 2, pressure));
    double weight = c->gravity + (pressure[1] - pressure[0]) / (density * gap);
    if (!rig.failed && tlwCheckRig(&rig, tlwSampleField(rig.sim, TLW_FIELD_VELOCITY, points, c->cells, velocity)))
        for (int i = 0; i < c->cells; i++) {
            double exact = getColumnVelocity(c, weight, (i + 0.5) / c->cells);
            error += pow(velocity[3 * i + 2] - exact, 2);
            size += exact * exact;
        }
    double relative = rig.failed ? NAN : sqrt(error / size);
    tlwEndRig(report, &rig);
    return relative;
}

// The limits fall with the square of the cell size.
static void reportColumn(tlwReport *report, Column c)
{
    tlwReportBelow(report, "profile, 8 cells across (relative L2)", getColumnError(report, &c), 0.01);
    c.cells = 16;
    tlwReportBelow(report, "profile, 16 cells across (relative L2)", getColumnError(report, &c), 0.0025);
}

static void runCouette(tlwReport *report)
{
    Column c = {8, 0, 0.1, 0.5, 0.1, 0.1, 0.12};
    reportColumn(report, c);
}

static void runPoiseuille(tlwReport *report)
{
    Column c = {8, 9.81, 0, 0.5, 0.1, 0.1, 0.12};
    reportColumn(report, c);
}

static void runLayeredPoiseuille(tlwReport *report)
{
    Column c = {32, 9.81, 0, 0.5, 0.1, 100, 0.15};
    tlwReportBelow(report, "interface on the grid, 32 cells (relative L2)", getColumnError(report, &c), 0.03);
    c.interface = 0.5 + 0.5 / 32;
    tlwReportBelow(report, "interface half a cell off (relative L2)", getColumnError(report, &c), 0.03);
}

// A statue of wax in hot air: a core of 1e7 Pa s, a skin that melts to 0.01 and runs down.
static void runStatue(tlwReport *report)
{
    static const double outline[][2] = {{0, 0},      {0.2, 0},    {0.2, 0.05}, {0.09, 0.09}, {0.07, 0.2}, {0.11, 0.3},
                                        {0.05, 0.4}, {0.1, 0.45}, {0.1, 0.55}, {0.05, 0.6},  {0, 0.6}};
    tlwSceneDef def = tlwDefaultSceneDef();
    def.domain_min = (tlwVec3){-0.32, -0.32, 0};
    def.domain_max = (tlwVec3){0.32, 0.32, 0.64};
    def.cell_size = 0.01;
    def.walls[4] = TLW_WALL_NO_SLIP;
    def.ambient_temperature = 600;
    def.film_coefficient = 100;
    def.thermal_speed = 1e4;
    tlwRig rig;
    tlwStartRig(&rig, &def, tlwGetReportThreads(report));
    tlwMaterialDef wax = tlwMakeLiquid("Wax", 900, 0.01);
    wax.latent_heat = 1e5;
    wax.solidus = 320;
    wax.liquidus = 330;
    wax.solid_viscosity = 1e7;
    wax.frozen = TLW_FROZEN_SOFT;
    int material = tlwAddRigMaterial(&rig, &wax);
    tlwShape statue = tlwMakeLathe((tlwVec3){0, 0, 0}, outline, sizeof outline / sizeof outline[0], 48);
    tlwAddRigLiquid(&rig, "Statue", statue, material, 300);
    tlwRunRig(&rig);
    double most = 0, residual = 0;
    for (int n = 0; n < 6 && !rig.failed; n++) {
        tlwAdvanceRig(&rig, 1.0 / 24);
        tlwStats stats = tlwGetRigStats(&rig);
        most = fmax(most, stats.viscosity_iterations);
        residual = fmax(residual, stats.viscosity_residual);
    }
    tlwReportBelow(report, "melting statue, 1e9: residual", rig.failed ? NAN : residual, 1e-6);
    tlwReportBelow(report, "melting statue, 1e9: iterations", rig.failed ? NAN : most, 60);
    tlwReportAbove(report, "melting statue, 1e9: iterations, not none", most, 1);
    tlwReportNote(report, "%.0f %% of the statue is molten at the end", 100 * tlwGetRigStats(&rig).melted);
    tlwEndRig(report, &rig);
}

// Two touching blocks with different viscosities. Every solve must reach the tolerance. The largest contrast runs as
// many frames as the bench, because ragged surfaces, which are harder, appear only after some frames.
static void runContrast(tlwReport *report)
{
    static const double ratios[] = {1, 1e2, 1e4, 1e6, 1e9};
    static const int frames[] = {1, 1, 1, 1, 7};
    for (int i = 0; i < 5; i++) {
        tlwSceneDef def = tlwDefaultSceneDef();
        def.domain_min = (tlwVec3){-0.5, -0.5, 0};
        def.domain_max = (tlwVec3){0.5, 0.5, 1};
        def.cell_size = 1.0 / 64;
        def.walls[4] = TLW_WALL_NO_SLIP;
        tlwRig rig;
        tlwStartRig(&rig, &def, tlwGetReportThreads(report));
        tlwMaterialDef thin = tlwMakeLiquid("Thin", 1000, 10), thick = tlwMakeLiquid("Thick", 1000, 10 * ratios[i]);
        int soft = tlwAddRigMaterial(&rig, &thin), stiff = tlwAddRigMaterial(&rig, &thick);
        tlwAddRigLiquid(&rig, "Left", tlwMakeBox((tlwVec3){-0.3, -0.3, 0}, (tlwVec3){0, 0.3, 0.5}), soft, 293.15);
        tlwAddRigLiquid(&rig, "Right", tlwMakeBox((tlwVec3){0, -0.3, 0}, (tlwVec3){0.3, 0.3, 0.5}), stiff, 293.15);
        tlwRunRig(&rig);
        double most = 0, residual = 0;
        for (int n = 0; n < frames[i] && tlwAdvanceRig(&rig, 1.0 / 24); n++) {
            tlwStats stats = tlwGetRigStats(&rig);
            most = fmax(most, stats.viscosity_iterations);
            residual = fmax(residual, stats.viscosity_residual);
        }
        char what[64];
        snprintf(what, sizeof what, "ratio %.0e: residual", ratios[i]);
        tlwReportBelow(report, what, rig.failed ? NAN : residual, 1e-6);
        snprintf(what, sizeof what, "ratio %.0e: iterations", ratios[i]);
        tlwReportBelow(report, what, rig.failed ? NAN : most, 30);
        snprintf(what, sizeof what, "ratio %.0e: iterations, not none", ratios[i]);
        tlwReportAbove(report, what, most, 1);
        tlwEndRig(report, &rig);
    }
    runStatue(report);
}

static void runViscosityMms(tlwReport *report)
{
    for (int varying = 0; varying < 2; varying++) {
        double error[3] = {NAN, NAN, NAN};
        tlwRig rig;
        tlwSceneDef def = tlwDefaultSceneDef();
        tlwStartRig(&rig, &def, tlwGetReportThreads(report));
        for (int n = 0; n < 3 && !rig.failed; n++)
            tlwCheckRig(&rig, tlwMeasureViscosity(rig.context, 12 << n, varying, &error[n]));
        for (int n = 1; n < 3; n++) {
            char what[64];
            snprintf(what, sizeof what, "%s viscosity: order, %d to %d cells", varying ? "varying" : "constant", 6 << n,
                     12 << n);
            tlwReportAbove(report, what, log2(error[n - 1] / error[n]), 1);
        }
        tlwReportNote(report, "largest error at 12, 24, 48 cells: %.2e, %.2e, %.2e", error[0], error[1], error[2]);
        tlwEndRig(report, &rig);
    }
}

const tlwVerifyCase tlw_verify_viscosity[] = {
    {"couette", "liquid dragged between plates: a straight profile", runCouette, true,
     "A column of liquid stands between upright plates, open above and below; the right plate moves at 0.1 m/s.\n"
     "Far from the column's ends the profile is a straight line."},
    {"poiseuille", "liquid falling between plates: a parabola", runPoiseuille, true,
     "A column of liquid falls between upright plates, open above and below. Far from its ends the profile is a\n"
     "parabola. The weight in the formula is reduced by the pressure gradient that is measured along the column.\n\n"
     "The limits are those of a second-order scheme. An order cannot be read from the errors: the scheme is exact for\n"
     "parabolas, and what is left does not come from the cells across."},
    {"layered_poiseuille", "two layers, viscosities 1 : 1000", runLayeredPoiseuille, true,
     "As `poiseuille`, with two liquids side by side. The boundary between them lies on the grid, then half a cell\n"
     "off it."},
    {"viscosity_mms", "a manufactured flow: the error falls at least with the cell size", runViscosityMms, true,
     "One viscosity step, without the rest of the time step, in a closed box whose walls stick. The flow after the\n"
     "step is made up; the velocity before the step follows by hand. The viscosity is constant, then varies by a\n"
     "factor of five. The limit asks for first order in the largest error."},
    {"contrast", "two touching blocks, viscosity ratios 1 to 1e9", runContrast, true,
     "Two blocks touch on a floor that they stick to. The left has 10 Pa s, the right up to 1e9 times as much. The\n"
     "largest ratio runs for seven frames, in which the surfaces become ragged. The statue has a core of 1e7 Pa s\n"
     "and a skin that melts to 0.01 Pa s.\n\n"
     "The limits of the residual are the solver's tolerance. Those of the iterations are fitted."},
    {"viscous_fall", "a thrown blob of 1e4 m2/s follows the parabola and keeps its shape", runViscousFall, true,
     "The blob flies freely for 0.35 s. The reference is the parabola of its centre; its shape must stay."},
    {"viscous_spin", "spinning blobs of 1e4 m2/s keep their angular momentum", runViscousSpin, true,
     "One blob of about five cells radius turns once in a second. Then three blobs turn at once, about different\n"
     "axes, and one of them flies at 0.3 m/s.\n\n"
     "Known: liquid that touches nothing gets back what a step took of its momentum. Liquid that touches something\n"
     "does not. Its particles follow a circle through the velocity of one instant while their own velocity keeps\n"
     "its direction, so a step keeps about cos(omega dt) of a spin."},
    {0},
};
