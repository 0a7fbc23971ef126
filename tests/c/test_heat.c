// Heat on the grid against exact solutions: conduction, melting, freezing.
#include "heat_fixture.h"

// L2 error over the slab, relative to the wall's step in temperature.
static double runSlab(tlwHeatMethod method, double dt, int steps)
{
    tlwMaterialDef wax = defineWax(0, 0, 0);
    tlwMaterial material = makeMaterial(&wax);
    Box box = makeBox(32, 2, 2, 0.001);
    fillBox(&box, &material, 300);
    setWall(&box, 0);
    tlwHeatObject wall = {.temperature = 400, .conductivity = 1e7};
    tlwHeatDef def = defineHeat(&material, dt);
    def.objects = &wall;
    def.object_count = 1;
    def.method = method;
    for (int n = 0; n < steps; n++)
        runStep(&box, &def, NULL);
    double error = 0, time = dt * steps, alpha = 1e-6;
    for (int i = 0; i < 32; i++) {
        double x = (i + 0.5) * 0.001;
        double exact = 300 + 100 * erfc(x / (2 * sqrt(alpha * time)));
        double t = tlwGetTemperature(&material, getCellEnthalpy(&box, i, 0, 0));
        error += (t - exact) * (t - exact);
    }
    tlwFreeGrid(&box.flow.grid);
    tlwFreeMaterial(&material);
    return sqrt(error / 32) / 100;
}

// 30 s: heat has come 11 mm far, the other end at 32 mm feels nothing.
static void test_slab_follows_erfc_by_both_methods(void **state)
{
    (void)state;
    double lines = runSlab(TLW_HEAT_LOD, 0.25, 120), implicit = runSlab(TLW_HEAT_IMPLICIT, 0.25, 120);
    print_message("slab: L2 %.3f %% by lines, %.3f %% by the full system\n", 100 * lines, 100 * implicit);
    assert_true(lines < 0.003);
    assert_true(implicit < 0.003);
    assert_true(fabs(lines - implicit) < 1e-4);
}

// Front position from how much has melted.
static double measureFront(const Box *box, const tlwMaterial *material)
{
    double sum = 0;
    for (int i = 0; i < box->n[0]; i++)
        sum += tlwGetMelt(material, getCellEnthalpy(box, i, 0, 0));
    return sum * box->flow.grid.dx;
}

static double solveLambda(double stefan)
{
    double low = 0, high = 5;
    for (int i = 0; i < 100; i++) {
        double mid = 0.5 * (low + high);
        if (mid * exp(mid * mid) * erf(mid) < stefan / sqrt(M_PI))
            low = mid;
        else
            high = mid;
    }
    return low;
}

// Relative error of the front at the end; 64 cells of 1 mm, front at 40 mm.
static double runStefan(double stefan, tlwHeatMethod method, int steps, double speed)
{
    double melting = 330, wall_temperature = 350, lambda = solveLambda(stefan);
    tlwMaterialDef wax = defineWax(2000 * (wall_temperature - melting) / stefan, melting, melting);
    tlwMaterial material = makeMaterial(&wax);
    Box box = makeBox(64, 1, 1, 0.001);
    fillBox(&box, &material, melting);
    setWall(&box, 0);
    tlwHeatObject wall = {.temperature = wall_temperature, .conductivity = 1e7};
    double time = pow(0.04 / (2 * lambda), 2) / 1e-6;
    tlwHeatDef def = defineHeat(&material, time / steps / speed);
    def.thermal_speed = speed;
    def.objects = &wall;
    def.object_count = 1;
    def.method = method;
    int most = 0;
    for (int n = 0; n < steps; n++) {
        tlwHeatStats stats = runStep(&box, &def, NULL);
        most = stats.newton_iterations > most ? stats.newton_iterations : most;
    }
    double error = measureFront(&box, &material) / 0.04 - 1;
    print_message("stefan %g, %d steps: front off by %.3f %%, at most %d Newton iterations\n", stefan, steps,
                  100 * error, most);
    tlwFreeGrid(&box.flow.grid);
    tlwFreeMaterial(&material);
    return fabs(error);
}

static void test_melting_front_follows_stefan(void **state)
{
    (void)state;
    assert_true(runStefan(0.1, TLW_HEAT_IMPLICIT, 800, 1) < 0.01);
    assert_true(runStefan(1, TLW_HEAT_IMPLICIT, 800, 1) < 0.01);
    assert_true(runStefan(0.1, TLW_HEAT_LOD, 800, 1) < 0.01);
    assert_true(runStefan(1, TLW_HEAT_LOD, 800, 1) < 0.01);
}

// The front crosses four cells per step.
static void test_a_front_may_cross_cells_within_a_step(void **state)
{
    (void)state;
    assert_true(runStefan(1, TLW_HEAT_IMPLICIT, 10, 1e4) < 0.05);
    assert_true(runStefan(1, TLW_HEAT_LOD, 10, 1e4) < 0.05);
    assert_true(runStefan(0.1, TLW_HEAT_IMPLICIT, 10, 1e4) < 0.05);
}

// The fallback of Newton's method finds the same solution.
static void test_nested_newton_finds_the_front_too(void **state)
{
    (void)state;
    assert_true(runStefan(1, TLW_HEAT_NESTED, 10, 1e4) < 0.05);
    assert_true(runStefan(0.1, TLW_HEAT_NESTED, 100, 1) < 0.02);
}

// Neumann's solution for freezing from a wall: both phases conduct, with their own properties.
static double solveNeumann(const tlwMaterialDef *d, double wall, double start)
{
    double as = d->conductivity_solid / (d->density_solid * d->specific_heat_solid);
    double al = d->conductivity_liquid / (d->density_liquid * d->specific_heat_liquid);
    double low = 1e-6, high = 4;
    for (int i = 0; i < 200; i++) {
        double x = 0.5 * (low + high), y = x * sqrt(as / al);
        double solid = d->conductivity_solid * (d->solidus - wall) / sqrt(as) * exp(-x * x) / erf(x);
        double liquid = d->conductivity_liquid * (start - d->solidus) / sqrt(al) * exp(-y * y) / erfc(y);
        if (solid - liquid > x * sqrt(M_PI * as) * d->density_solid * d->latent_heat)
            low = x;
        else
            high = x;
    }
    return low;
}

static double runFreeze(tlwHeatMethod method)
{
    tlwMaterialDef wax = defineWax(2e5, 330, 330);
    wax.specific_heat_liquid = 2900;
    wax.conductivity_liquid = 1.2;
    tlwMaterial material = makeMaterial(&wax);
    Box box = makeBox(64, 1, 1, 0.001);
    fillBox(&box, &material, 345);
    setWall(&box, 0);
    tlwHeatObject wall = {.temperature = 290, .conductivity = 1e7};
    double lambda = solveNeumann(&wax, 290, 345), time = pow(0.024 / (2 * lambda), 2) / 1e-6;
    tlwHeatDef def = defineHeat(&material, time / 800);
    def.objects = &wall;
    def.object_count = 1;
    def.method = method;
    for (int n = 0; n < 800; n++)
        runStep(&box, &def, NULL);
    double error = (0.064 - measureFront(&box, &material)) / 0.024 - 1;
    print_message("freeze: lambda %.4f, front off by %.3f %%\n", lambda, 100 * error);
    tlwFreeGrid(&box.flow.grid);
    tlwFreeMaterial(&material);
    return fabs(error);
}

static void test_freezing_front_follows_neumann(void **state)
{
    (void)state;
    assert_true(runFreeze(TLW_HEAT_IMPLICIT) < 0.015);
    assert_true(runFreeze(TLW_HEAT_LOD) < 0.015);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slab_follows_erfc_by_both_methods),
        cmocka_unit_test(test_melting_front_follows_stefan),
        cmocka_unit_test(test_a_front_may_cross_cells_within_a_step),
        cmocka_unit_test(test_nested_newton_finds_the_front_too),
        cmocka_unit_test(test_freezing_front_follows_neumann),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
