// The viscosity stage: known flows between plates, free blobs, walls that hold or let slip, frozen pieces.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/manufactured.c"

#include "base/memory.h"
#include "step/viscosity/viscosity.h"

#include <math.h>

typedef struct Scene {
    tlwGrid grid;
    tlwViscosityDef def;
} Scene;

static void initScene(Scene *scene, int nx, int ny, int nz, double dx)
{
    float zero = 0, far = (float)(4 * dx);
    uint8_t no = 0;
    int32_t none = 0;
    int16_t no_object = -1;
    memset(scene, 0, sizeof *scene);
    tlwGrid *grid = &scene->grid;
    tlwInitGrid(grid, (tlwVec3){0, 0, 0}, (int[3]){nx, ny, nz}, dx);
    scene->def = tlwDefaultViscosityDef();
    tlwViscosityDef *def = &scene->def;
    def->grid = grid;
    def->dt = 1;
    def->tolerance = 1e-6;
    def->max_iterations = 400;
    def->phi = tlwAddField(grid, sizeof far, &far, false);
    def->solid = tlwAddField(grid, sizeof far, &far, false);
    def->viscosity = tlwAddField(grid, sizeof zero, &zero, false);
    def->density = tlwAddField(grid, sizeof zero, &zero, false);
    for (int a = 0; a < 3; a++) {
        def->velocity[a] = tlwAddField(grid, sizeof zero, &zero, false);
        def->solid_velocity[a] = tlwAddField(grid, sizeof zero, &zero, false);
    }
    def->stick = tlwAddField(grid, sizeof no, &no, false);
    def->label = tlwAddField(grid, sizeof none, &none, false);
    def->piece = tlwAddField(grid, sizeof none, &none, false);
    def->solid_object = tlwAddField(grid, sizeof no_object, &no_object, false);
    int tiles[1000][3], count = 0;
    for (int k = -1; k <= nz / 8; k++)
        for (int j = -1; j <= ny / 8; j++)
            for (int i = -1; i <= nx / 8; i++, count++) {
                tiles[count][0] = i;
                tiles[count][1] = j;
                tiles[count][2] = k;
            }
    assert_int_equal(tlwActivateTiles(NULL, grid, (const int(*)[3])tiles, count), TLW_OK);
}

#define FOR_CELLS(scene, i, j, k)                                                                                      \
    for (int t_ = 0; t_ < (scene)->grid.tile_count; t_++)                                                              \
        for (int n_ = 0, i, j, k; n_ < TLW_TILE_CELLS && (i = (scene)->grid.tiles[t_].cell[0] + n_ % 8,                \
                                                         j = (scene)->grid.tiles[t_].cell[1] + n_ / 8 % 8,             \
                                                         k = (scene)->grid.tiles[t_].cell[2] + n_ / 64, 1);            \
             n_++)
#define AT(scene, slot, i, j, k)                                                                                       \
    (tlwGetFloats(&(scene)->grid, (scene)->def.slot)[tlwCellIndex(&(scene)->grid, i, j, k)])
#define STICK(scene, i, j, k) (tlwGetBytes(&(scene)->grid, (scene)->def.stick)[tlwCellIndex(&(scene)->grid, i, j, k)])

static void solve(Scene *scene)
{
    tlwStressStats stats;
    tlwMessage message = {{0}};
    if (tlwSolveViscosity(NULL, &scene->def, &stats, &message) != TLW_OK)
        fail_msg("%s", message.text);
}

// Flow along x between plates one metre apart: lower layer of viscosity 1 up to `interface`, the upper one of `upper`.
typedef struct Channel {
    int cells;        // between the plates
    double offset;    // of the lower plate from the grid, cells
    double plate;     // speed of the upper plate
    double force;     // m/s2
    double interface; // m above the lower plate
    double upper;     // viscosity
} Channel;

// Steady velocity at height z: mu u' = C - force z in both layers.
static double exactChannel(const Channel *c, double z)
{
    if (z <= 0 || z >= 1)
        return z <= 0 ? 0 : c->plate;
    double h = c->interface, m = c->upper;
    double constant = (c->plate + c->force * (h * h / 2 + (1 - h * h) / (2 * m))) / (h + (1 - h) / m);
    if (z < h)
        return constant * z - c->force * z * z / 2;
    return constant * h - c->force * h * h / 2 + (constant * (z - h) - c->force * (z * z - h * h) / 2) / m;
}

// Viscosity of a cell that the interface cuts: layers in series.
static double layerViscosity(const Channel *c, double low, double high)
{
    double share = fmin(fmax((c->interface - low) / (high - low), 0), 1);
    return 1 / (share + (1 - share) / c->upper);
}

// Relative L2 error of the profile half way along a channel, once it is steady.
static double channelError(const Channel *c, tlwEdgeMean mean)
{
    Scene scene;
    int n = c->cells, nx = 2 * n, ny = 12; // the sides stick near the plates, and must not slow the middle
    double dx = 1.0 / n, low = (2 + c->offset) * dx, dt = 0.3 / fmin(c->upper, 1);
    initScene(&scene, nx, ny, n + 4, dx);
    scene.def.dt = dt;
    scene.def.edge_mean = mean;
    FOR_CELLS(&scene, i, j, k) {
        double z = k * dx - low, side = fmin(j, ny - j) * dx, end = fmin(i, nx - i) * dx;
        AT(&scene, solid, i, j, k) = (float)fmin(fmin(fmin(z, 1 - z), fmin(side, end)), 4 * dx);
        AT(&scene, phi, i, j, k) = (float)(-3 * dx);
        AT(&scene, density, i, j, k) = 1;
        AT(&scene, viscosity, i, j, k) = (float)layerViscosity(c, z, z + dx);
        AT(&scene, solid_velocity[0], i, j, k) = (float)exactChannel(c, z + dx / 2);
        // Plates and ends stick, the sides slip.
        bool middle = k > 3 && k < n && i > 1 && i < nx - 2;
        STICK(&scene, i, j, k) = j >= 0 && j < ny && !((j == 0 || j == ny - 1) && middle);
    }
    for (int step = 0; step < 6; step++) {
        FOR_CELLS(&scene, i, j, k)
            AT(&scene, velocity[0], i, j, k) += (float)(c->force * dt);
        solve(&scene);
    }
    double error = 0, size = 0;
    for (int k = 0; k < n + 4; k++) {
        double z = (k + 0.5) * dx - low, exact = exactChannel(c, z);
        if (z > 0 && z < 1) {
            error += pow(AT(&scene, velocity[0], nx / 2, ny / 2, k) - exact, 2);
            size += exact * exact;
        }
    }
    tlwFreeGrid(&scene.grid);
    return sqrt(error / size);
}

static void test_couette_flow_on_and_off_the_grid(void **state)
{
    (void)state;
    const double OFFSETS[3] = {0, 0.3, 0.7};
    for (int n = 0; n < 3; n++)
        assert_true(channelError(&(Channel){12, OFFSETS[n], 1, 0, 0.5, 1}, TLW_EDGE_HARMONIC) < 0.01);
}

static void test_poiseuille_flow_is_second_order(void **state)
{
    (void)state;
    double coarse = channelError(&(Channel){8, 0, 0, 1, 0.5, 1}, TLW_EDGE_HARMONIC);
    double fine = channelError(&(Channel){16, 0, 0, 1, 0.5, 1}, TLW_EDGE_HARMONIC);
    assert_true(fine < 0.01);
    assert_true(coarse / fine > 3);
    assert_true(channelError(&(Channel){16, 0.3, 0, 1, 0.5, 1}, TLW_EDGE_HARMONIC) < 0.01);
}

static void test_layers_need_the_harmonic_mean(void **state)
{
    (void)state;
    Channel on = {16, 0, 0, 1, 0.5, 1000};
    assert_true(channelError(&on, TLW_EDGE_HARMONIC) < 0.02);
    assert_true(channelError(&on, TLW_EDGE_GEOMETRIC) > 0.1);
    assert_true(channelError(&on, TLW_EDGE_ARITHMETIC) > 0.1);
}

// A ball of liquid in the middle of a box of n cells, moving as `v` + `w` x r.
static void makeBall(Scene *scene, int n, double viscosity, const double v[3], const double w[3])
{
    double dx = 1.0 / n;
    initScene(scene, n, n, n, dx);
    scene->def.dt = 0.02;
    FOR_CELLS(scene, i, j, k) {
        const int at[3] = {i, j, k};
        double p[3];
        for (int a = 0; a < 3; a++)
            p[a] = (at[a] + 0.5) * dx - 0.5;
        double phi = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) - 0.3;
        AT(scene, phi, i, j, k) = (float)fmax(fmin(phi, 4 * dx), -4 * dx);
        AT(scene, density, i, j, k) = 1000;
        AT(scene, viscosity, i, j, k) = (float)viscosity;
        for (int a = 0; a < 3; a++) {
            int b = (a + 1) % 3, c = (a + 2) % 3;
            double q[3] = {p[0], p[1], p[2]};
            q[a] -= 0.5 * dx;
            AT(scene, velocity[a], i, j, k) = (float)(v[a] + w[b] * q[c] - w[c] * q[b]);
        }
    }
}

static void test_stiff_blob_flies_and_spins_freely(void **state)
{
    (void)state;
    const double v[3] = {1, -0.5, 2}, w[3] = {0, 0, 6.28};
    Scene scene;
    makeBall(&scene, 24, 1e7, v, w); // 1e4 m2/s
    float before[3] = {AT(&scene, velocity[0], 12, 15, 12), AT(&scene, velocity[1], 15, 12, 10),
                       AT(&scene, velocity[2], 12, 10, 12)};
    for (int n = 0; n < 3; n++)
        solve(&scene);
    assert_true(fabs(AT(&scene, velocity[0], 12, 15, 12) - before[0]) < 1e-4);
    assert_true(fabs(AT(&scene, velocity[1], 15, 12, 10) - before[1]) < 1e-4);
    assert_true(fabs(AT(&scene, velocity[2], 12, 10, 12) - before[2]) < 1e-4);
    tlwFreeGrid(&scene.grid);
}

static void test_strain_decays_and_momentum_stays(void **state)
{
    (void)state;
    const double none[3] = {0};
    Scene scene;
    makeBall(&scene, 16, 100, none, none);
    double before = 0, after = 0, energy[2] = {0};
    for (int pass = 0; pass < 2; pass++) {
        FOR_CELLS(&scene, i, j, k) {
            float *u = &AT(&scene, velocity[0], i, j, k);
            if (pass == 0)
                *u = (float)(1 + sin(3.0 * k));
            double phi = 0.5 * (AT(&scene, phi, i, j, k) + AT(&scene, phi, i - 1, j, k)) * 16;
            double mass = fmin(fmax(0.5 - phi, 0), 1);
            *(pass ? &after : &before) += mass * *u;
            energy[pass] += mass * *u * *u;
        }
        if (pass == 0)
            solve(&scene);
    }
    assert_true(fabs(after / before - 1) < 0.01);
    assert_true(energy[1] < 0.75 * energy[0]);
    tlwFreeGrid(&scene.grid);
}

// A block of liquid on a floor, pushed sideways: it slides over a slip floor and is held by a sticking one.
static void test_floor_holds_or_lets_slip(void **state)
{
    (void)state;
    for (int stick = 0; stick < 2; stick++) {
        Scene scene;
        double dx = 1.0 / 16;
        initScene(&scene, 16, 16, 16, dx);
        FOR_CELLS(&scene, i, j, k) {
            AT(&scene, solid, i, j, k) = (float)fmin((k - 2.3) * dx, 4 * dx);
            double out = fmax(fmax(fabs(i - 7.5), fabs(j - 7.5)) - 5, k - 9.5);
            AT(&scene, phi, i, j, k) = (float)(fmin(fmax(out, -4), 4) * dx);
            AT(&scene, density, i, j, k) = 1000;
            AT(&scene, viscosity, i, j, k) = 1e5;
            AT(&scene, velocity[0], i, j, k) = 1;
            STICK(&scene, i, j, k) = (uint8_t)stick;
        }
        solve(&scene);
        double u = AT(&scene, velocity[0], 8, 8, 6);
        assert_true(stick ? fabs(u) < 0.05 : fabs(u - 1) < 1e-4);
        tlwFreeGrid(&scene.grid);
    }
}

// A ball of liquid, with a body or a piece in it that moves and turns on its own: then they move together, and nothing
// of the momentum and the angular momentum is lost.
static void checkDrag(bool frozen, double density)
{
    const double v[3] = {0, 0, 1}, none[3] = {0};
    enum { N = 24, OBJECT = 3, LABEL = 7 };
    Scene scene;
    makeBall(&scene, N, 1e6, v, none);
    const double dx = scene.grid.dx, centre = 11.7, radius = 4,
                 mass = density * 4.0 / 3 * acos(-1) * pow(radius * dx, 3);
    const double inertia = 0.4 * mass * pow(radius * dx, 2);
    tlwCoupledBody body = {.object = frozen ? TLW_PIECE_KEY(LABEL) : OBJECT,
                           .inverse_mass = 1 / mass,
                           .centre = {centre * dx, centre * dx, centre * dx},
                           .velocity = {0.5, 0, 0},
                           .spin = {0, 2, 0}};
    for (int a = 0; a < 3; a++)
        body.inverse_inertia.m[a][a] = 1 / inertia;
    tlwBodyCoupling coupling = {.bodies = &body, .count = 1};
    scene.def.coupling = &coupling;
    scene.def.tolerance = 1e-8;
    FOR_CELLS(&scene, i, j, k) {
        int64_t at = tlwCellIndex(&scene.grid, i, j, k);
        double x = i - centre, y = j - centre, z = k - centre, out = sqrt(x * x + y * y + z * z) - radius;
        STICK(&scene, i, j, k) = 1;
        AT(&scene, solid, i, j, k) = (float)(fmin(out, 4) * dx);
        if (frozen)
            tlwGetInts(&scene.grid, scene.def.label)[at] = out < 1 ? LABEL : 0;
        else
            ((int16_t *)scene.grid.fields[scene.def.solid_object].data)[at] = out < 4 ? OBJECT : -1;
    }
    solve(&scene);
    // Very viscous: all of it moves as one.
    double liquid = 1000 * 4.0 / 3 * acos(-1) * (pow(0.3, 3) - pow(radius * dx, 3));
    double top = AT(&scene, velocity[0], 12, 12, 18), bottom = AT(&scene, velocity[0], 12, 12, 5);
    double spin = (top - bottom) / (13 * dx), up = liquid / (liquid + mass), along = 0.5 * mass / (liquid + mass);
    print_message("body %.4f %.4f %.4f, expected %.4f 0 %.4f; spins %.4f %.4f\n", body.velocity.x, body.velocity.y,
                  body.velocity.z, along, up, body.spin.y, spin);
    assert_true(fabs(body.velocity.z / up - 1) < 0.05 && fabs(body.velocity.x / along - 1) < 0.07);
    assert_true(fabs(AT(&scene, velocity[2], 12, 12, 5) / body.velocity.z - 1) < 0.02);
    // Whatever the liquid's mass is on this grid: both components of the momentum are kept.
    assert_true(fabs(body.velocity.z + 2 * body.velocity.x - 1) < 2e-3 && fabs(body.velocity.y) < 1e-3);
    assert_true(fabs(body.spin.y - spin) < 0.02 * 0.1);
    if (density > 1000) // of a lighter one's own spin nothing is left
        assert_true(spin > 0.1 && spin < 1);
    else
        assert_true(fabs(spin) < 1e-3);
    tlwFreeGrid(&scene.grid);
}

static void test_viscosity_drags_a_rigid_body_along(void **state)
{
    (void)state;
    checkDrag(false, 3000);
}

static void test_viscosity_drags_a_frozen_piece_along(void **state)
{
    (void)state;
    checkDrag(true, 3000);
}

// Far lighter than the liquid in its place, which is all that its faces weigh.
static void test_viscosity_carries_a_bubble_along(void **state)
{
    (void)state;
    checkDrag(false, 1);
}

// A body in the air over syrup, which stirs beside it: faces of the body that no liquid and no other face of it touch
// belong to it as well. With them left out of the system the solve diverged, and the body lost a part of its momentum.
static void test_a_body_in_the_air_keeps_its_motion(void **state)
{
    (void)state;
    enum { N = 24, OBJECT = 3 };
    const double dx = 0.01, mass = 2, inertia = 0.4 * mass * pow(4 * dx, 2);
    for (int n = 0; n < 8; n++) {
        Scene scene;
        initScene(&scene, N, N, N, dx);
        const double radius = 3.5 + 0.1 * n, centre[3] = {11.3 + 0.2 * n, 12.1, 10.7 + radius};
        tlwCoupledBody body = {.object = OBJECT,
                               .inverse_mass = 1 / mass,
                               .centre = {centre[0] * dx, centre[1] * dx, centre[2] * dx},
                               .velocity = {0.1, 0.3, -1},
                               .spin = {3, 0, 2}};
        for (int a = 0; a < 3; a++)
            body.inverse_inertia.m[a][a] = 1 / inertia;
        tlwBodyCoupling coupling = {.bodies = &body, .count = 1};
        scene.def.coupling = &coupling;
        FOR_CELLS(&scene, i, j, k) {
            double r = sqrt(pow(i - centre[0], 2) + pow(j - centre[1], 2) + pow(k - centre[2], 2));
            AT(&scene, phi, i, j, k) = (float)(fmax(k - 8.5, fmax(abs(i - 12), abs(j - 12)) - 9) * dx);
            AT(&scene, solid, i, j, k) = (float)(fmin(r - radius, 4) * dx);
            AT(&scene, density, i, j, k) = 1000;
            AT(&scene, viscosity, i, j, k) = AT(&scene, phi, i, j, k) < 0 ? 10 : 0;
            AT(&scene, velocity[0], i, j, k) = (float)(0.1 * sin(j));
            STICK(&scene, i, j, k) = 1;
            ((int16_t *)scene.grid.fields[scene.def.solid_object].data)[tlwCellIndex(&scene.grid, i, j, k)] =
                r < radius + 4 ? OBJECT : -1;
        }
        tlwStressStats stats;
        tlwMessage message = {{0}};
        tlwResult result = tlwSolveViscosity(NULL, &scene.def, &stats, &message);
        print_message("%d: %d iterations, velocity %.4f %.4f %.4f, spin %.4f %.4f %.4f\n", n, stats.iterations,
                      body.velocity.x, body.velocity.y, body.velocity.z, body.spin.x, body.spin.y, body.spin.z);
        assert_int_equal(result, TLW_OK);
        assert_true(stats.iterations >= 1 && stats.iterations <= 30);
        assert_true(tlwLength(tlwSub(body.velocity, (tlwVec3){0.1, 0.3, -1})) < 1e-4);
        assert_true(tlwLength(tlwSub(body.spin, (tlwVec3){3, 0, 2})) < 1e-3);
        tlwFreeGrid(&scene.grid);
    }
}

// A frozen ball spins in the middle of a sticking shell full of syrup, so slowly that the syrup has no mass to speak
// of: the torque is 8 pi mu r^3 spin / (1 - (r / R)^3) (Landau and Lifshitz 1987, section 20). The ball's inertia is
// such that a step takes half of its spin.
static void test_syrup_brakes_a_spinning_piece(void **state)
{
    (void)state;
    enum { N = 40, LABEL = 1 };
    const double dx = 0.01, radius = 4 * dx, shell = 16 * dx, mu = 1000, dt = 1;
    const double centre[3] = {20.3 * dx, 19.8 * dx, 20.1 * dx};
    double torque = 8 * acos(-1) * mu * pow(radius, 3) / (1 - pow(radius / shell, 3)), inertia = torque * dt;
    Scene scene;
    initScene(&scene, N, N, N, dx);
    tlwCoupledBody ball = {.object = TLW_PIECE_KEY(LABEL),
                           .inverse_mass = 0.4 * radius * radius / inertia,
                           .centre = {centre[0], centre[1], centre[2]},
                           .spin = {0, 0, 2}};
    for (int a = 0; a < 3; a++)
        ball.inverse_inertia.m[a][a] = 1 / inertia;
    tlwBodyCoupling coupling = {.bodies = &ball, .count = 1};
    scene.def.coupling = &coupling;
    scene.def.dt = dt;
    FOR_CELLS(&scene, i, j, k) {
        double r = sqrt(pow(i * dx - centre[0], 2) + pow(j * dx - centre[1], 2) + pow(k * dx - centre[2], 2));
        AT(&scene, phi, i, j, k) = (float)(-4 * dx);
        AT(&scene, solid, i, j, k) = (float)fmin(fmin(r - radius, shell - r), 4 * dx);
        AT(&scene, density, i, j, k) = 1000;
        AT(&scene, viscosity, i, j, k) = (float)mu;
        STICK(&scene, i, j, k) = 1;
        tlwGetInts(&scene.grid, scene.def.label)[tlwCellIndex(&scene.grid, i, j, k)] = r < radius + dx ? LABEL : 0;
    }
    solve(&scene);
    double felt = 2 / ball.spin.z - 1; // of the torque
    print_message("torque %.3f of what it should be; spin across %.1e %.1e\n", felt, ball.spin.x, ball.spin.y);
    assert_true(fabs(felt - 1) < 0.1);
    assert_true(fabs(ball.spin.x) < 0.01 && fabs(ball.spin.y) < 0.01 && tlwLength(ball.velocity) < 0.01 * radius);
    tlwFreeGrid(&scene.grid);
}

static void test_failed_solve_leaves_velocity_alone(void **state)
{
    (void)state;
    const double v[3] = {1, 2, 3}, none[3] = {0};
    Scene scene;
    makeBall(&scene, 16, 1e5, v, none);
    FOR_CELLS(&scene, i, j, k)
        AT(&scene, velocity[0], i, j, k) = (float)sin(i + 2.0 * j + 3.0 * k);
    size_t bytes = (size_t)scene.grid.cell_count * sizeof(float);
    float *before = malloc(bytes);
    memcpy(before, tlwGetFloats(&scene.grid, scene.def.velocity[0]), bytes);
    scene.def.max_iterations = 1;
    tlwStressStats stats;
    tlwMessage message = {{0}};
    assert_int_equal(tlwSolveViscosity(NULL, &scene.def, &stats, &message), TLW_NOT_CONVERGED);
    assert_true(strlen(message.text) > 20);
    assert_memory_equal(before, tlwGetFloats(&scene.grid, scene.def.velocity[0]), bytes);
    free(before);
    tlwFreeGrid(&scene.grid);
}

static void test_thin_liquid_is_left_to_jacobi(void **state)
{
    (void)state;
    const double v[3] = {0}, none[3] = {0};
    Scene scene;
    makeBall(&scene, 24, 1e-3, v, none);
    FOR_CELLS(&scene, i, j, k)
        AT(&scene, velocity[0], i, j, k) = (float)sin(0.5 * k);
    tlwStressStats stats;
    assert_int_equal(tlwSolveViscosity(NULL, &scene.def, &stats, NULL), TLW_OK);
    assert_int_equal(stats.method, TLW_STRESS_JACOBI);
    assert_true(stats.iterations >= 1 && stats.iterations <= 3);
    tlwFreeGrid(&scene.grid);
}

static void test_manufactured_flow_is_second_order(void **state)
{
    (void)state;
    tlwContextDef def = tlwDefaultContextDef();
    tlwContext *context;
    assert_int_equal(tlwCreateContext(&def, &context), TLW_OK);
    for (int varying = 0; varying < 2; varying++) {
        double coarse, fine;
        assert_int_equal(tlwMeasureViscosity(context, 8, varying, &coarse), TLW_OK);
        assert_int_equal(tlwMeasureViscosity(context, 16, varying, &fine), TLW_OK);
        print_message("largest error %.2e and %.2e\n", coarse, fine);
        assert_true(log2(coarse / fine) > 1.4 && fine < 0.02);
    }
    double error;
    assert_int_equal(tlwMeasureViscosity(context, 3, false, &error), TLW_BAD_ARGUMENT);
    assert_int_equal(tlwMeasureViscosity(NULL, 8, false, &error), TLW_BAD_ARGUMENT);
    tlwDestroyContext(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_couette_flow_on_and_off_the_grid),
        cmocka_unit_test(test_poiseuille_flow_is_second_order),
        cmocka_unit_test(test_layers_need_the_harmonic_mean),
        cmocka_unit_test(test_stiff_blob_flies_and_spins_freely),
        cmocka_unit_test(test_strain_decays_and_momentum_stays),
        cmocka_unit_test(test_floor_holds_or_lets_slip),
        cmocka_unit_test(test_viscosity_drags_a_rigid_body_along),
        cmocka_unit_test(test_viscosity_drags_a_frozen_piece_along),
        cmocka_unit_test(test_viscosity_carries_a_bubble_along),
        cmocka_unit_test(test_a_body_in_the_air_keeps_its_motion),
        cmocka_unit_test(test_syrup_brakes_a_spinning_piece),
        cmocka_unit_test(test_failed_solve_leaves_velocity_alone),
        cmocka_unit_test(test_thin_liquid_is_left_to_jacobi),
        cmocka_unit_test(test_manufactured_flow_is_second_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
