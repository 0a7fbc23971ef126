// Heat between particles and cells, and what temperature means for the flow.
#include "heat_fixture.h"

#include "step/heat/advance.h"
#include "step/heat/material_state.h"

#include <string.h>

typedef struct Cloud {
    tlwParticles particles;
    int64_t *tile_start;
    int32_t *cell_start;
} Cloud;

// Eight particles in every cell [0, width) x n x n of the box, sorted by tile and cell.
static Cloud fillCloud(const Box *box, const tlwMaterial *material, double temperature, int width)
{
    Cloud cloud = {0};
    const tlwGrid *grid = &box->flow.grid;
    tlwParticles *p = &cloud.particles;
    assert_int_equal(tlwReserveParticles(p, 8 * (int64_t)box->n[0] * box->n[1] * box->n[2]), TLW_OK);
    cloud.tile_start = tlwAlloc((size_t)grid->tile_count + 1, sizeof(int64_t));
    cloud.cell_start = tlwAlloc((size_t)grid->tile_count * (TLW_TILE_CELLS + 1), sizeof(int32_t));
    uint32_t random = 1;
    for (int t = 0; t < grid->tile_count; t++) {
        int32_t *cells = cloud.cell_start + t * (TLW_TILE_CELLS + 1);
        cloud.tile_start[t] = p->count;
        for (int q = 0; q < TLW_TILE_CELLS * 8; q++) {
            int c = q / 8, s[3] = {q & 1, (q >> 1) & 1, (q >> 2) & 1}, cell[3];
            for (int a = 0; a < 3; a++)
                cell[a] = grid->tiles[t].cell[a] + (a == 0 ? c % 8 : a == 1 ? c / 8 % 8 : c / 64);
            if (q % 8 == 0)
                cells[c] = cells[c + 1] = (int32_t)(p->count - cloud.tile_start[t]);
            if (cell[0] - OFFSET >= width || cell[1] >= box->n[1] || cell[2] >= box->n[2])
                continue;
            int64_t n = p->count++;
            cells[c + 1] = (int32_t)(p->count - cloud.tile_start[t]);
            for (int a = 0; a < 3; a++) {
                random = random * 1664525u + 1013904223u;
                p->position[a][n] = (float)(cell[a] + 0.25 + 0.5 * s[a] + 0.2 * ((random >> 8) / 16777216.0 - 0.5));
            }
            p->enthalpy[n] = (float)tlwGetEnthalpy(material, temperature);
            p->mass[n] = (float)(1000 * pow(grid->dx, 3) / 8);
            p->material[n] = 0;
        }
    }
    cloud.tile_start[grid->tile_count] = p->count;
    return cloud;
}

static void freeCloud(Cloud *cloud)
{
    tlwFreeParticles(&cloud->particles);
    tlwFree(cloud->tile_start);
    tlwFree(cloud->cell_start);
}

static tlwHeatStats advance(Box *box, Cloud *cloud, const tlwHeatDef *def, tlwThreads *threads)
{
    tlwHeatStats stats;
    tlwMessage message = {""};
    tlwParticleOrder order = {.tile_start = cloud->tile_start, .cell_start = cloud->cell_start};
    tlwResult result = tlwAdvanceHeat(threads, &box->flow, &cloud->particles, &order, def, &stats, &message);
    if (result != TLW_OK)
        print_message("%s\n", message.text);
    assert_int_equal(result, TLW_OK);
    return stats;
}

static double getEnergy(const Cloud *cloud)
{
    const tlwParticles *p = &cloud->particles;
    double energy = 0;
    for (int64_t n = 0; n < p->count; n++)
        energy += (double)p->mass[n] * p->enthalpy[n];
    return energy;
}

static double getTemperature(const Cloud *cloud, const tlwMaterial *materials, int64_t n)
{
    const tlwParticles *p = &cloud->particles;
    return tlwGetTemperature(&materials[p->material[n]], p->enthalpy[n]);
}

// Particles show the profile at their own place, finer than the cells.
static void test_particles_follow_erfc_inside_cells(void **state)
{
    (void)state;
    tlwMaterialDef wax = defineWax(0, 0, 0);
    tlwMaterial material = makeMaterial(&wax);
    Box box = makeBox(32, 1, 1, 0.001);
    fillBox(&box, &material, 300);
    setWall(&box, 0);
    Cloud cloud = fillCloud(&box, &material, 300, box.n[0]);
    tlwHeatObject wall = {.temperature = 400, .conductivity = 1e7};
    tlwHeatDef def = defineHeat(&material, 0.1);
    def.objects = &wall;
    def.object_count = 1;
    double given = 0, start = getEnergy(&cloud);
    for (int n = 0; n < 300; n++) {
        advance(&box, &cloud, &def, NULL);
        given -= wall.heat;
    }
    double error = 0;
    for (int64_t n = 0; n < cloud.particles.count; n++) {
        double exact = 300 + 100 * erfc((cloud.particles.position[0][n] - OFFSET) * 0.001 / (2 * sqrt(1e-6 * 30)));
        error += pow(getTemperature(&cloud, &material, n) - exact, 2);
    }
    error = sqrt(error / (double)cloud.particles.count) / 100;
    print_message("particles: L2 %.3f %%\n", 100 * error);
    assert_true(error < 0.008);
    assert_true(fabs(getEnergy(&cloud) - start - given) < 1e-6 * given);
    freeCloud(&cloud);
    tlwFreeGrid(&box.flow.grid);
    tlwFreeMaterial(&material);
}

// Exchange the enthalpies of neighbours in the list, as stirring would.
static void stir(Cloud *cloud, uint32_t *random)
{
    float *h = cloud->particles.enthalpy;
    for (int64_t n = 0; n < cloud->particles.count / 4; n++) {
        *random = *random * 1664525u + 1013904223u;
        int64_t a = (*random >> 4) % cloud->particles.count;
        int64_t b = (a + 37) % cloud->particles.count;
        float keep = h[a];
        h[a] = h[b];
        h[b] = keep;
    }
}

static void test_stirring_melting_and_freezing_keep_the_energy(void **state)
{
    (void)state;
    tlwMaterialDef wax = defineWax(2e5, 328, 333);
    wax.specific_heat_liquid = 2900;
    wax.conductivity_liquid = 1.2;
    tlwMaterial material = makeMaterial(&wax);
    Box box = makeBox(16, 8, 8, 0.005);
    fillBox(&box, &material, 300);
    Cloud cloud = fillCloud(&box, &material, 300, box.n[0]);
    for (int64_t n = 0; n < cloud.particles.count; n++)
        cloud.particles.enthalpy[n] =
            (float)tlwGetEnthalpy(&material, cloud.particles.position[0][n] < OFFSET + 8 ? 290 : 390);
    double start = getEnergy(&cloud);
    tlwHeatDef def = defineHeat(&material, 0.05);
    def.thermal_speed = 20;
    uint32_t random = 7;
    for (int n = 0; n < 200; n++) {
        stir(&cloud, &random);
        advance(&box, &cloud, &def, NULL);
    }
    double drift = getEnergy(&cloud) / start - 1;
    print_message("energy drift over 200 stirred steps: %.2g\n", drift);
    assert_true(fabs(drift) < 1e-7);
    freeCloud(&cloud);
    tlwFreeGrid(&box.flow.grid);
    tlwFreeMaterial(&material);
}

// A sharp hot front and particles that differ from their cell: none may leave what its cells span, or where it was.
static void test_no_particle_overshoots_the_cells_around_it(void **state)
{
    (void)state;
    tlwMaterialDef wax = defineWax(2e5, 328, 333);
    tlwMaterial material = makeMaterial(&wax);
    Box box = makeBox(16, 8, 8, 0.001);
    fillBox(&box, &material, 300);
    Cloud cloud = fillCloud(&box, &material, 300, box.n[0]);
    tlwParticles *p = &cloud.particles;
    uint32_t random = 5;
    for (int64_t n = 0; n < p->count; n++) {
        random = random * 1664525u + 1013904223u;
        double t = (p->position[0][n] < OFFSET + 8 ? 290 : 380) + 30 * ((random >> 8) / 16777216.0);
        p->enthalpy[n] = (float)tlwGetEnthalpy(&material, t);
    }
    float *before = tlwAlloc((size_t)p->count, sizeof *before);
    memcpy(before, p->enthalpy, (size_t)p->count * sizeof *before);
    tlwHeatDef def = defineHeat(&material, 0.4);
    advance(&box, &cloud, &def, NULL);
    int changed = 0;
    for (int64_t n = 0; n < p->count; n++) {
        double low = before[n], high = before[n];
        for (int q = 0; q < 27; q++) {
            int c[3] = {(int)p->position[0][n] - OFFSET + q % 3 - 1, (int)p->position[1][n] + q / 3 % 3 - 1,
                        (int)p->position[2][n] + q / 9 - 1};
            if (c[0] < 0 || c[1] < 0 || c[2] < 0 || c[0] > 15 || c[1] > 7 || c[2] > 7)
                continue;
            double h = getCellEnthalpy(&box, c[0], c[1], c[2]);
            low = fmin(low, h);
            high = fmax(high, h);
        }
        assert_true(p->enthalpy[n] >= low - 0.2 && p->enthalpy[n] <= high + 0.2);
        changed += fabsf(p->enthalpy[n] - before[n]) > 100;
    }
    assert_true(changed > 100);
    tlwFree(before);
    freeCloud(&cloud);
    tlwFreeGrid(&box.flow.grid);
    tlwFreeMaterial(&material);
}

static void insideEverything(const void *user, const float *points, int count, float *distance)
{
    (void)user;
    (void)points;
    for (int n = 0; n < count; n++)
        distance[n] = -1;
}

// 0.002 J/kg a step is a thirtieth of what a float at 600 kJ/kg resolves.
static void test_slow_heating_is_not_lost_in_rounding(void **state)
{
    (void)state;
    tlwMaterialDef wax = defineWax(0, 0, 0);
    tlwMaterial material = makeMaterial(&wax);
    Box box = makeBox(8, 8, 8, 0.01);
    fillBox(&box, &material, 300);
    Cloud cloud = fillCloud(&box, &material, 300.01, box.n[0]);
    double mass = 1000 * pow(0.08, 3), start = getEnergy(&cloud);
    tlwHeatSource volume = {.kind = TLW_HEAT_VOLUME,
                            .power = 0.2 * mass,
                            .low = {-1, -1, -1},
                            .high = {1, 1, 1},
                            .distance = insideEverything};
    tlwHeatDef def = defineHeat(&material, 0.01);
    def.sources = &volume;
    def.source_count = 1;
    for (int n = 0; n < 500; n++)
        advance(&box, &cloud, &def, NULL);
    double got = (getEnergy(&cloud) - start) / (0.2 * mass * 5);
    print_message("slow heating: %.4f of what was given arrived\n", got);
    assert_true(fabs(got - 1) < 0.02);
    freeCloud(&cloud);
    tlwFreeGrid(&box.flow.grid);
    tlwFreeMaterial(&material);
}

static void test_guests_in_a_cell_near_its_temperature(void **state)
{
    (void)state;
    tlwMaterialDef wax = defineWax(2e5, 328, 333), oil = defineWax(0, 0, 0);
    oil.name = "oil";
    oil.specific_heat_liquid = 1000;
    tlwMaterial materials[2] = {makeMaterial(&wax), makeMaterial(&oil)};
    Box box = makeBox(8, 8, 8, 0.001);
    fillBox(&box, &materials[0], 300);
    Cloud cloud = fillCloud(&box, &materials[0], 300, box.n[0]);
    tlwParticles *p = &cloud.particles;
    for (int64_t n = 0; n < p->count; n += 4) {
        p->material[n] = 1;
        p->enthalpy[n] = (float)tlwGetEnthalpy(&materials[1], 400);
    }
    double start = getEnergy(&cloud);
    tlwHeatDef def = defineHeat(materials, 0.1);
    def.material_count = 2;
    for (int n = 0; n < 100; n++)
        advance(&box, &cloud, &def, NULL);
    assert_true(fabs(getEnergy(&cloud) / start - 1) < 1e-7);
    // 3/4 of the mass with 2000 J/kg K at 300 K and 1/4 with 1000 at 400 K meet at 314.3 K.
    for (int64_t n = 0; n < p->count; n++)
        assert_true(fabs(getTemperature(&cloud, materials, n) - 314.29) < 0.5);
    assert_int_equal(tlwGetBytes(&box.flow.grid, box.flow.material)[at(&box, 3, 3, 3)], 0);
    freeCloud(&cloud);
    tlwFreeGrid(&box.flow.grid);
    tlwFreeMaterial(&materials[0]);
    tlwFreeMaterial(&materials[1]);
}

static void test_particles_get_the_same_bits_from_any_thread_count(void **state)
{
    (void)state;
    tlwMaterialDef wax = defineWax(2e5, 328, 333);
    tlwMaterial material = makeMaterial(&wax);
    float *first = NULL;
    for (int threads = 1; threads <= 4; threads += 3) {
        tlwThreads *pool = tlwCreateThreads(threads);
        Box box = makeBox(24, 16, 16, 0.001);
        fillBox(&box, &material, 300);
        Cloud cloud = fillCloud(&box, &material, 300, box.n[0]);
        for (int64_t n = 0; n < cloud.particles.count; n++)
            cloud.particles.enthalpy[n] += (float)(n % 1000) * 300;
        size_t size = (size_t)cloud.particles.count * sizeof *first;
        tlwHeatDef def = defineHeat(&material, 0.3);
        for (int n = 0; n < 3; n++)
            advance(&box, &cloud, &def, pool);
        if (first)
            assert_memory_equal(first, cloud.particles.enthalpy, size);
        else
            first = memcpy(tlwAlloc(size, 1), cloud.particles.enthalpy, size);
        freeCloud(&cloud);
        tlwFreeGrid(&box.flow.grid);
        tlwDestroyThreads(pool);
    }
    tlwFree(first);
    tlwFreeMaterial(&material);
}

static void test_viscosity_and_frozen_cells_follow_the_melt(void **state)
{
    (void)state;
    tlwMaterialDef wax = defineWax(2e5, 328, 333);
    wax.density_solid = 900;
    wax.density_liquid = 780;
    wax.viscosity = (tlwCurve){.count = 1, .temperature = {340}, .value = {0.01}};
    wax.solid_viscosity = 1e4;
    tlwMaterial material = makeMaterial(&wax);
    Box box = makeBox(8, 8, 8, 0.01);
    fillBox(&box, &material, 300);
    uint8_t zero = 0;
    int frozen = tlwAddField(&box.flow.grid, 1, &zero, false);
    Cloud cloud = fillCloud(&box, &material, 300, 6);
    tlwParticles *p = &cloud.particles;
    // x < 2 solid, x < 4 half molten, x < 6 liquid, the rest empty.
    for (int64_t n = 0; n < p->count; n++) {
        double x = p->position[0][n] - OFFSET;
        p->enthalpy[n] = (float)(x < 2   ? tlwGetEnthalpy(&material, 300)
                                 : x < 4 ? 0.5 * (material.enthalpy_solidus + material.enthalpy_liquidus)
                                         : tlwGetEnthalpy(&material, 350));
    }
    tlwHeatDef def = defineHeat(&material, 0);
    advance(&box, &cloud, &def, NULL);
    tlwUpdateMaterialState(NULL, &box.flow, &material, frozen);
    const tlwGrid *grid = &box.flow.grid;
    const float *viscosity = tlwGetFloats(grid, box.flow.viscosity);
    const float *temperature = tlwGetFloats(grid, box.flow.temperature);
    const uint8_t *rigid = tlwGetBytes(grid, frozen);
    assert_true(fabs(viscosity[at(&box, 0, 2, 2)] / 1e4 - 1) < 1e-4);
    assert_true(fabs(viscosity[at(&box, 3, 2, 2)] / 10 - 1) < 1e-2);
    assert_true(fabs(viscosity[at(&box, 5, 2, 2)] / 0.01 - 1) < 1e-4);
    assert_true(rigid[at(&box, 1, 2, 2)] == 1 && rigid[at(&box, 2, 2, 2)] == 0 && rigid[at(&box, 7, 2, 2)] == 0);
    // One empty cell next to the liquid takes its values, the next one does not.
    assert_true(fabs(viscosity[at(&box, 6, 2, 2)] / 0.01 - 1) < 1e-4 && viscosity[at(&box, 7, 2, 2)] == 0);
    assert_true(fabs(temperature[at(&box, 6, 2, 2)] - 350) < 0.01);
    assert_true(fabs(temperature[at(&box, 7, 2, 2)] - 293.15) < 0.01);
    freeCloud(&cloud);
    tlwFreeGrid(&box.flow.grid);
    tlwFreeMaterial(&material);
}

static void test_layers_in_a_cell_are_in_series(void **state)
{
    (void)state;
    tlwMaterialDef thin = defineWax(0, 0, 0), thick = defineWax(0, 0, 0);
    thin.viscosity = (tlwCurve){.count = 1, .temperature = {300}, .value = {2}};
    thick.viscosity = (tlwCurve){.count = 1, .temperature = {300}, .value = {2000}};
    tlwMaterial materials[2] = {makeMaterial(&thin), makeMaterial(&thick)};
    Box box = makeBox(8, 8, 8, 0.01);
    assert_true(tlwAddFluiditySlopes(&box.flow));
    fillBox(&box, materials, 300);
    Cloud cloud = fillCloud(&box, materials, 300, box.n[0]);
    for (int64_t n = 0; n < cloud.particles.count; n++) // the boundary is in the middle of the cells 3
        cloud.particles.material[n] = cloud.particles.position[0][n] - OFFSET > 3.5f;
    tlwHeatDef def = defineHeat(materials, 0);
    def.material_count = 2;
    advance(&box, &cloud, &def, NULL);
    tlwUpdateMaterialState(NULL, &box.flow, materials, -1);
    tlwParticleOrder order = {.tile_start = cloud.tile_start, .cell_start = cloud.cell_start};
    tlwMixViscosities(NULL, &box.flow, materials, &cloud.particles, &order);
    const tlwGrid *grid = &box.flow.grid;
    const float *viscosity = tlwGetFloats(grid, box.flow.viscosity);
    double mean = 2 / (1 / 2.0 + 1 / 2000.0), slope = 0.5 * (1 / 2000.0 - 1 / 2.0);
    assert_true(fabs(viscosity[at(&box, 2, 3, 3)] / 2 - 1) < 1e-5);
    assert_true(fabs(viscosity[at(&box, 3, 3, 3)] / mean - 1) < 1e-5);
    assert_true(fabs(viscosity[at(&box, 4, 3, 3)] / 2000 - 1) < 1e-5);
    assert_true(fabs(tlwGetFloats(grid, box.flow.fluidity_slope[0])[at(&box, 3, 3, 3)] / slope - 1) < 1e-5);
    assert_true(tlwGetFloats(grid, box.flow.fluidity_slope[0])[at(&box, 2, 3, 3)] == 0);
    assert_true(fabs(tlwGetFloats(grid, box.flow.fluidity_slope[1])[at(&box, 3, 3, 3)]) < 1e-5);
    freeCloud(&cloud);
    tlwFreeGrid(&box.flow.grid);
    for (int m = 0; m < 2; m++)
        tlwFreeMaterial(&materials[m]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_particles_follow_erfc_inside_cells),
        cmocka_unit_test(test_stirring_melting_and_freezing_keep_the_energy),
        cmocka_unit_test(test_no_particle_overshoots_the_cells_around_it),
        cmocka_unit_test(test_slow_heating_is_not_lost_in_rounding),
        cmocka_unit_test(test_guests_in_a_cell_near_its_temperature),
        cmocka_unit_test(test_particles_get_the_same_bits_from_any_thread_count),
        cmocka_unit_test(test_viscosity_and_frozen_cells_follow_the_melt),
        cmocka_unit_test(test_layers_in_a_cell_are_in_series),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
