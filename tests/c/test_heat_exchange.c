// Heat between the material and what surrounds it: air, bodies, lamps, heated volumes; and what must always hold.
#include "heat_fixture.h"

#include "base/vec.h"

#include <string.h>

// A ball of material 0 in open air. Fill from 8^3 samples per cell.
static void fillBall(Box *box, const tlwMaterial *material, const double centre[3], double radius, double temperature)
{
    tlwFlow *f = &box->flow;
    double dx = f->grid.dx;
    for (int k = 0; k < box->n[2]; k++)
        for (int j = 0; j < box->n[1]; j++)
            for (int i = 0; i < box->n[0]; i++) {
                double p[3] = {i + 0.5 - centre[0], j + 0.5 - centre[1], k + 0.5 - centre[2]};
                double phi = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) - radius;
                int inside = phi < -1 ? 512 : 0;
                for (int q = 0; q < 512 && fabs(phi) <= 1; q++) {
                    double x = p[0] + (q % 8 - 3.5) / 8, y = p[1] + (q / 8 % 8 - 3.5) / 8,
                           z = p[2] + (q / 64 - 3.5) / 8;
                    inside += x * x + y * y + z * z < radius * radius;
                }
                int64_t c = at(box, i, j, k);
                tlwGetFloats(&f->grid, f->phi)[c] = (float)(dx * tlwClamp(phi, -TLW_PHI_BAND, TLW_PHI_BAND));
                if (inside == 0)
                    continue;
                setCell(box, material, c, tlwGetEnthalpy(material, temperature));
                tlwGetDoubles(&f->grid, box->mass)[c] *= inside / 512.0;
            }
}

static double sumEnergy(const Box *box)
{
    const tlwGrid *grid = &box->flow.grid;
    const double *mass = tlwGetDoubles(grid, box->mass);
    const float *h = tlwGetFloats(grid, box->flow.enthalpy);
    double sum = 0;
    for (int t = 0; t < grid->tile_count; t++)
        TLW_FOR_ROWS(grid, &grid->tiles[t], j, k, row)
            for (int64_t c = row; c < row + TLW_TILE; c++)
                sum += mass[c] * h[c];
    return sum;
}

static void test_small_ball_cools_by_newton(void **state)
{
    (void)state;
    tlwMaterialDef wax = defineWax(0, 0, 0);
    tlwMaterial material = makeMaterial(&wax);
    const double centres[3][3] = {{12, 12, 12}, {12.3, 11.8, 12.45}, {11.9, 12.5, 12.2}};
    const double radii[3] = {5, 6.3, 8};
    for (int n = 0; n < 3; n++) {
        Box box = makeBox(24, 24, 24, 0.001);
        fillBall(&box, &material, centres[n], radii[n], 373.15);
        tlwHeatDef def = defineHeat(&material, 5);
        def.film_coefficient = 12; // Bi about 0.02
        double start = sumEnergy(&box), radius = radii[n] * 0.001, mass = 4.0 / 3 * M_PI * pow(radius, 3) * 1000;
        tlwHeatStats stats = {0};
        for (int s = 0; s < 60; s++)
            stats = runStep(&box, &def, NULL);
        double cold = mass * 2000 * 293.15, rate = -log((sumEnergy(&box) - cold) / (start - cold)) / 300;
        // What is left of film against core resistance, R / (5 k) for a ball, is not in the lumped model.
        double exact = 3 * 12 / (radius * 1000 * 2000) / (1 + 12 * radius / (5 * 2.0));
        double area = stats.surface_area / (4 * M_PI * radius * radius) - 1;
        print_message("ball of %g cells: area off by %.2f %%, rate by %.2f %%\n", radii[n], 100 * area,
                      100 * (rate / exact - 1));
        assert_true(fabs(area) < 0.015);
        assert_true(fabs(rate / exact - 1) < 0.02);
        tlwFreeGrid(&box.flow.grid);
    }
    tlwFreeMaterial(&material);
}

static void test_radiation_follows_stefan_boltzmann(void **state)
{
    (void)state;
    tlwMaterialDef wax = defineWax(0, 0, 0);
    tlwMaterial material = makeMaterial(&wax);
    Box box = makeBox(24, 24, 24, 0.001);
    fillBall(&box, &material, (double[3]){12, 12, 12}, 8, 1200);
    tlwHeatDef def = defineHeat(&material, 0.01);
    def.emissivity = 0.9;
    tlwHeatStats stats = runStep(&box, &def, NULL);
    double exact = -0.9 * 5.670374e-8 * (pow(1200, 4) - pow(293.15, 4)) * stats.surface_area * 0.01;
    // Conduction from the cells' centres to the surface takes a little away.
    assert_true(stats.ambient_heat / exact > 0.93 && stats.ambient_heat / exact < 1.001);
    tlwFreeGrid(&box.flow.grid);
    tlwFreeMaterial(&material);
}

// Checkered hot and cold wax, melting and freezing, half-open faces, in a closed box.
static Box makeCheckered(const tlwMaterial *material)
{
    Box box = makeBox(16, 16, 16, 0.002);
    fillBox(&box, material, 300);
    for (int k = 0; k < 16; k++)
        for (int j = 0; j < 16; j++)
            for (int i = 0; i < 16; i++) {
                int64_t c = at(&box, i, j, k);
                setCell(&box, material, c, tlwGetEnthalpy(material, (i / 4 + j / 4 + k / 4) % 2 ? 290 : 370 + i));
                if ((i * 7 + j * 3 + k) % 5 == 0 && i > 0)
                    tlwGetFloats(&box.flow.grid, box.flow.open[0])[c] = 0.5f;
            }
    return box;
}

static void test_closed_box_keeps_its_energy(void **state)
{
    (void)state;
    tlwMaterialDef wax = defineWax(2e5, 328, 333);
    wax.conductivity_liquid = 1;
    tlwMaterial material = makeMaterial(&wax);
    for (int method = TLW_HEAT_AUTO; method <= TLW_HEAT_IMPLICIT; method++) {
        Box box = makeCheckered(&material);
        tlwHeatDef def = defineHeat(&material, 0.5);
        def.method = (tlwHeatMethod)method;
        double moved = 0;
        for (int s = 0; s < 20; s++) {
            runStep(&box, &def, NULL);
            const double *heat = tlwGetDoubles(&box.flow.grid, box.heat);
            double all = 0;
            for (int i = 0; i < 16; i++)
                all += fabs(heat[at(&box, i, 3, 3)]);
            moved += all;
            assert_true(fabs(sumHeat(&box)) < 1e-9 * all);
        }
        assert_true(moved > 1);
        tlwFreeGrid(&box.flow.grid);
    }
    tlwFreeMaterial(&material);
}

static void test_lines_and_full_system_agree_in_three_dimensions(void **state)
{
    (void)state;
    tlwMaterialDef wax = defineWax(2e5, 328, 333);
    wax.conductivity_liquid = 1;
    tlwMaterial material = makeMaterial(&wax);
    Box boxes[2] = {makeCheckered(&material), makeCheckered(&material)};
    double difference = 0, change = 0;
    for (int b = 0; b < 2; b++) {
        tlwHeatDef def = defineHeat(&material, 0.2); // diffusion number 0.05
        def.method = b ? TLW_HEAT_LOD : TLW_HEAT_IMPLICIT;
        for (int s = 0; s < 20; s++)
            runStep(&boxes[b], &def, NULL);
    }
    Box start = makeCheckered(&material);
    for (int i = 0; i < 4096; i++) {
        double h[3], t[3];
        const Box *all[3] = {&boxes[0], &boxes[1], &start};
        for (int b = 0; b < 3; b++) {
            h[b] = getCellEnthalpy(all[b], i % 16, i / 16 % 16, i / 256);
            t[b] = tlwGetTemperature(&material, h[b]);
        }
        difference += pow(t[0] - t[1], 2);
        change += pow(t[0] - t[2], 2);
    }
    print_message("lines against full system: %.2f %% of the change\n", 100 * sqrt(difference / change));
    assert_true(sqrt(difference / change) < 0.02);
    for (int b = 0; b < 2; b++)
        tlwFreeGrid(&boxes[b].flow.grid);
    tlwFreeGrid(&start.flow.grid);
    tlwFreeMaterial(&material);
}

static void test_thermal_speed_of_ten_thousand_stays_within_bounds(void **state)
{
    (void)state;
    tlwMaterialDef wax = defineWax(2e5, 328, 328);
    tlwMaterial material = makeMaterial(&wax);
    Box box = makeCheckered(&material);
    tlwHeatDef def = defineHeat(&material, 1.0 / 24);
    def.thermal_speed = 1e4;
    for (int s = 0; s < 6; s++) {
        tlwHeatStats stats = runStep(&box, &def, NULL);
        print_message("speed 1e4: diffusion number %.0f, %d Newton, %d linear iterations\n", stats.diffusion_number,
                      stats.newton_iterations, stats.iterations);
        for (int i = 0; i < 16 * 16 * 16; i++) {
            double t = tlwGetTemperature(&material, getCellEnthalpy(&box, i % 16, i / 16 % 16, i / 256));
            assert_true(t > 289.9 && t < 386);
        }
    }
    tlwFreeGrid(&box.flow.grid);
    tlwFreeMaterial(&material);
}

// Height of a corner of the grid over a tilted plane, in cells.
static double getHeight(double x, double y, double z)
{
    return 0.3 * x + 0.2 * y + sqrt(1 - 0.13) * z - 14;
}

// Wax on a tilted plate. Cells that are nearly filled by the plate hold no wax; their share of its surface must count
// all the same. With wax that conducts well the flow of heat measures the area.
static void test_tilted_plate_touches_with_its_whole_surface(void **state)
{
    (void)state;
    tlwMaterialDef wax = defineWax(0, 0, 0);
    wax.conductivity_liquid = 1e4;
    tlwMaterial material = makeMaterial(&wax);
    Box box = makeBox(24, 24, 24, 0.001);
    tlwFlow *f = &box.flow;
    for (int k = 0; k <= 24; k++)
        for (int j = 0; j <= 24; j++)
            for (int i = 0; i <= 24; i++) {
                int64_t c = at(&box, i, j, k);
                double room = 0, share[3] = {0, 0, 0};
                for (int q = 0; q < 4096; q++)
                    room +=
                        getHeight(i + (q % 16 + 0.5) / 16, j + (q / 16 % 16 + 0.5) / 16, k + (q / 256 + 0.5) / 16) > 0;
                for (int q = 0; q < 256; q++) {
                    double u = (q % 16 + 0.5) / 16, v = (q / 16 + 0.5) / 16;
                    share[0] += getHeight(i, j + u, k + v) > 0;
                    share[1] += getHeight(i + u, j, k + v) > 0;
                    share[2] += getHeight(i + u, j + v, k) > 0;
                }
                for (int a = 0; a < 3; a++)
                    tlwGetFloats(&f->grid, f->open[a])[c] = (float)(share[a] / 256);
                double distance = tlwClamp(getHeight(i, j, k), -TLW_PHI_BAND, TLW_PHI_BAND);
                tlwGetFloats(&f->grid, f->solid)[c] = (float)(0.001 * distance);
                ((int16_t *)f->grid.fields[f->solid_object].data)[c] = 0;
                tlwGetFloats(&f->grid, f->phi)[c] = -0.004f;
                if (room > 0.25 * 4096 && i < 24 && j < 24 && k < 24)
                    setCell(&box, &material, c, tlwGetEnthalpy(&material, 300));
            }
    tlwHeatObject plate = {.temperature = 310, .conductivity = 0.01};
    tlwHeatDef def = defineHeat(&material, 1e-3);
    def.objects = &plate;
    def.object_count = 1;
    runStep(&box, &def, NULL);
    double area = -plate.heat / (10 * 1e-3 * 0.01 / 0.0005), exact = 24 * 24 * 1e-6 / sqrt(1 - 0.13);
    print_message("tilted plate: contact off by %.2f %%\n", 100 * (area / exact - 1));
    assert_true(fabs(area / exact - 1) < 0.03);
    tlwFreeGrid(&f->grid);
    tlwFreeMaterial(&material);
}

// A body as large as the wax, in one step that would overshoot by far if the body's temperature were held.
static void test_body_and_wax_meet_without_overshoot(void **state)
{
    (void)state;
    tlwMaterialDef wax = defineWax(0, 0, 0);
    tlwMaterial material = makeMaterial(&wax);
    for (int method = TLW_HEAT_AUTO; method <= TLW_HEAT_IMPLICIT; method += 2) {
        Box box = makeBox(8, 8, 8, 0.002);
        fillBox(&box, &material, 300);
        setWall(&box, 0);
        double wax_capacity = pow(0.016, 3) * 1000 * 2000;
        tlwHeatObject body = {.temperature = 400, .conductivity = 50, .capacity = wax_capacity};
        tlwHeatDef def = defineHeat(&material, 1);
        def.objects = &body;
        def.object_count = 1;
        def.method = (tlwHeatMethod)method;
        for (int s = 0; s < 20; s++) {
            def.thermal_speed = s < 2 ? 1e-3 : 100;
            double before = body.temperature;
            tlwHeatStats stats = runStep(&box, &def, NULL);
            if (method == TLW_HEAT_AUTO)
                assert_int_equal(stats.method, s < 2 ? TLW_HEAT_LOD : TLW_HEAT_IMPLICIT);
            assert_true(fabs(sumHeat(&box) + body.heat) < 1e-9 * (1 + fabs(body.heat)));
            assert_true(fabs(body.capacity * (body.temperature - before) - body.heat) < 1e-6);
            assert_true(body.temperature < before + 1e-3 && body.temperature > 349.99);
        }
        assert_true(fabs(body.temperature - 350) < 0.5);
        tlwFreeGrid(&box.flow.grid);
    }
    tlwFreeMaterial(&material);
}

// A floor of wax two cells deep, and a lamp above it.
static Box makeFloor(const tlwMaterial *material)
{
    Box box = makeBox(40, 40, 24, 0.01);
    tlwFlow *f = &box.flow;
    for (int k = 0; k < 24; k++)
        for (int j = 0; j < 40; j++)
            for (int i = 0; i < 40; i++) {
                tlwGetFloats(&f->grid, f->phi)[at(&box, i, j, k)] = (float)(0.01 * tlwClamp(k + 0.5 - 2, -4, 4));
                if (k < 2)
                    setCell(&box, material, at(&box, i, j, k), tlwGetEnthalpy(material, 300));
            }
    return box;
}

static void test_lamp_heats_what_it_sees(void **state)
{
    (void)state;
    tlwMaterialDef wax = defineWax(0, 0, 0);
    tlwMaterial material = makeMaterial(&wax);
    Box box = makeFloor(&material);
    tlwHeatSource lamp = {.kind = TLW_HEAT_LAMP, .power = 60, .position = {0.2, 0.2, 0.22}};
    tlwHeatDef def = defineHeat(&material, 1e-3);
    def.sources = &lamp;
    def.source_count = 1;
    tlwHeatStats stats = runStep(&box, &def, NULL);
    assert_true(fabs(sumHeat(&box) - stats.source_heat) < 1e-9);
    // A square of half side a, seen from height h above its middle. Its rim would see the floor's edge.
    double got = 0, sphere = asin(0.18 * 0.18 / (0.18 * 0.18 + 0.2 * 0.2)) / M_PI;
    for (int j = 2; j < 38; j++)
        for (int i = 2; i < 38; i++)
            got += tlwGetDoubles(&box.flow.grid, box.heat)[at(&box, i, j, 1)] / 0.06;
    print_message("lamp: %.4f of the sphere, exactly %.4f\n", got, sphere);
    assert_true(fabs(got - sphere) < 0.003);

    // Below its range only what is near gets heat.
    lamp.range = 0.25;
    double full = tlwGetDoubles(&box.flow.grid, box.heat)[at(&box, 20, 20, 1)];
    assert_true(full > 0);
    runStep(&box, &def, NULL);
    const double *heat = tlwGetDoubles(&box.flow.grid, box.heat);
    assert_true(heat[at(&box, 20, 20, 1)] > 0.1 * full && heat[at(&box, 20, 20, 1)] < full);
    assert_true(fabs(heat[at(&box, 2, 2, 1)]) < 1e-6 * full);
    tlwFreeGrid(&box.flow.grid);
    tlwFreeMaterial(&material);
}

static bool standsBetween(const void *user, tlwVec3 from, tlwVec3 to)
{
    (void)user;
    (void)to;
    return from.y > 0.3;
}

static void test_lamp_throws_shadows(void **state)
{
    (void)state;
    tlwMaterialDef wax = defineWax(0, 0, 0);
    tlwMaterial material = makeMaterial(&wax);
    Box box = makeFloor(&material);
    tlwGrid *grid = &box.flow.grid;
    // A blob at half height shades (x = 10), a solid another place (x = 30), something off the grid all beyond y = 30.
    for (int q = 0; q < 27; q++) {
        tlwGetFloats(grid, box.flow.phi)[at(&box, 14 + q % 3, 19 + q / 3 % 3, 11 + q / 9)] = -0.005f;
        tlwGetFloats(grid, box.flow.solid)[at(&box, 24 + q % 3, 19 + q / 3 % 3, 11 + q / 9)] = -0.005f;
    }
    tlwHeatSource lamp = {.kind = TLW_HEAT_LAMP, .power = 60, .position = {0.2, 0.2, 0.22}, .shadow = standsBetween};
    tlwHeatDef def = defineHeat(&material, 1e-6);
    def.sources = &lamp;
    def.source_count = 1;
    runStep(&box, &def, NULL);
    const double *heat = tlwGetDoubles(grid, box.heat);
    double lit = heat[at(&box, 10, 10, 1)];
    assert_true(lit > 0);
    assert_true(fabs(heat[at(&box, 10, 20, 1)]) < 0.01 * lit);
    assert_true(fabs(heat[at(&box, 30, 20, 1)]) < 0.01 * lit);
    assert_true(fabs(heat[at(&box, 20, 36, 1)]) < 0.01 * lit);
    assert_true(heat[at(&box, 20, 28, 1)] > 0.5 * lit);
    assert_true(heat[at(&box, 10, 28, 1)] > 0.5 * lit);
    tlwFreeGrid(grid);
    tlwFreeMaterial(&material);
}

static void measureBall(const void *user, const float *points, int count, float *distance)
{
    const double *radius = user;
    for (int n = 0; n < count; n++) {
        double x = points[3 * n] - 0.2, y = points[3 * n + 1] - 0.2, z = points[3 * n + 2];
        distance[n] = (float)(sqrt(x * x + y * y + z * z) - *radius);
    }
}

static void test_volume_gives_its_power_to_what_is_inside(void **state)
{
    (void)state;
    tlwMaterialDef wax = defineWax(0, 0, 0);
    tlwMaterial material = makeMaterial(&wax);
    Box box = makeFloor(&material);
    double radius = 0.05;
    tlwHeatSource volume = {.kind = TLW_HEAT_VOLUME,
                            .power = 100,
                            .low = {0.14, 0.14, -0.06},
                            .high = {0.26, 0.26, 0.06},
                            .distance = measureBall,
                            .user = &radius};
    tlwHeatDef def = defineHeat(&material, 1e-3);
    def.sources = &volume;
    def.source_count = 1;
    tlwHeatStats stats = runStep(&box, &def, NULL);
    assert_true(fabs(stats.source_heat - 0.1) < 1e-6);
    const double *heat = tlwGetDoubles(&box.flow.grid, box.heat);
    assert_true(heat[at(&box, 20, 20, 0)] > 0);
    assert_true(heat[at(&box, 20, 28, 0)] < 1e-6 * heat[at(&box, 20, 20, 0)]);
    tlwFreeGrid(&box.flow.grid);
    tlwFreeMaterial(&material);
}

static void test_any_number_of_threads_gives_the_same_bits(void **state)
{
    (void)state;
    tlwMaterialDef wax = defineWax(2e5, 328, 333);
    tlwMaterial material = makeMaterial(&wax);
    for (int method = TLW_HEAT_LOD; method <= TLW_HEAT_IMPLICIT; method++) {
        double *first = NULL;
        for (int threads = 1; threads <= 5; threads += 2) {
            tlwThreads *pool = tlwCreateThreads(threads);
            Box box = makeCheckered(&material);
            setWall(&box, 0);
            tlwHeatObject body = {.temperature = 400, .conductivity = 50, .capacity = 30};
            tlwHeatDef def = defineHeat(&material, 2);
            def.objects = &body;
            def.object_count = 1;
            def.method = (tlwHeatMethod)method;
            for (int s = 0; s < 3; s++)
                runStep(&box, &def, pool);
            double *heat = tlwAlloc(4097, sizeof *heat);
            for (int i = 0; i < 4096; i++)
                heat[i] = tlwGetDoubles(&box.flow.grid, box.heat)[at(&box, i % 16, i / 16 % 16, i / 256)];
            heat[4096] = body.temperature;
            if (first)
                assert_memory_equal(first, heat, 4097 * sizeof *heat);
            else
                first = heat;
            if (first != heat)
                tlwFree(heat);
            tlwFreeGrid(&box.flow.grid);
            tlwDestroyThreads(pool);
        }
        tlwFree(first);
    }
    tlwFreeMaterial(&material);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_ball_cools_by_newton),
        cmocka_unit_test(test_radiation_follows_stefan_boltzmann),
        cmocka_unit_test(test_closed_box_keeps_its_energy),
        cmocka_unit_test(test_lines_and_full_system_agree_in_three_dimensions),
        cmocka_unit_test(test_thermal_speed_of_ten_thousand_stays_within_bounds),
        cmocka_unit_test(test_tilted_plate_touches_with_its_whole_surface),
        cmocka_unit_test(test_body_and_wax_meet_without_overshoot),
        cmocka_unit_test(test_lamp_heats_what_it_sees),
        cmocka_unit_test(test_lamp_throws_shadows),
        cmocka_unit_test(test_volume_gives_its_power_to_what_is_inside),
        cmocka_unit_test(test_any_number_of_threads_gives_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
