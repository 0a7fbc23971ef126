// The stress operator: symmetric, positive, blind to rigid motion, and the same however it is computed.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "solve/envelope.h"
#include "solve/stress/peel.h"
#include "solve/stress/transfer.h"
#include "stress_problems.h"

static uint32_t random_state;

static double randomNumber(void)
{
    random_state = random_state * 1664525u + 1013904223u;
    return random_state / 4294967296.0 - 0.5;
}

// Liquid of random stiffness over twelve decades, with holes of air and solid.
static double randomCell(const void *user, int n, int i, int j, int k)
{
    (void)user;
    if (i < 0 || j < 0 || k < 0 || i >= n || j >= n || k >= n)
        return AIR;
    uint32_t h = (uint32_t)(i * 73856093) ^ (uint32_t)(j * 19349663) ^ (uint32_t)(k * 83492791);
    h = (h ^ h >> 13) * 0x5bd1e995u;
    h ^= h >> 15;
    return h % 10 == 0 ? AIR : h % 10 == 1 ? SOLID : pow(10, h % 1000 / 83.0 - 3);
}

static tlwStressSystem makeRandom(int n, tlwFaceDoubles *x, tlwFaceDoubles *y)
{
    tlwStressSystem system;
    assert_int_equal(buildProblem(&system, randomCell, NULL, n), TLW_OK);
    assert_true(tlwAddFaceDoubles(&system.level, x) && tlwAddFaceDoubles(&system.level, y));
    return system;
}

// Random numbers on the unknowns, zero elsewhere.
static void fillRandom(const tlwStressSystem *system, tlwFaceDoubles *x)
{
    for (int a = 0; a < 3; a++)
        for (int64_t i = 0; i < system->level.grid.cell_count; i++)
            if (system->level.mass[a][i] > 0)
                x->at[a][i] = randomNumber();
}

static double dot(const tlwStressSystem *system, const tlwFaceDoubles *x, const tlwFaceDoubles *y)
{
    double sum = 0;
    for (int a = 0; a < 3; a++)
        for (int64_t i = 0; i < system->level.grid.cell_count; i++)
            sum += x->at[a][i] * y->at[a][i];
    return sum;
}

static void compareOperators(bool bulk)
{
    tlwFaceDoubles x, y, z;
    tlwStressSystem system = makeRandom(12, &x, &y);
    assert_true(tlwAddFaceDoubles(&system.level, &z) && (!bulk || makeBulk(&system)));
    fillRandom(&system, &x);
    double energy = tlwApplyStress(NULL, &system.level, &x, &y);
    applyReference(&system.level, &x, &z);
    double size = sqrt(dot(&system, &z, &z)), worst = 0;
    for (int a = 0; a < 3; a++)
        for (int64_t i = 0; i < system.level.grid.cell_count; i++)
            worst = fmax(worst, fabs(y.at[a][i] - z.at[a][i]));
    assert_true(worst < 1e-12 * size);
    assert_true(fabs(energy - dot(&system, &x, &z)) < 1e-12 * energy);
    // The residual's size is the same whether it is kept or not.
    double kept = tlwStressResidual(NULL, &system.level, &system.b, &x, &y);
    assert_true(kept > 0 && kept == tlwStressResidual(NULL, &system.level, &system.b, &x, NULL));
    tlwFreeStressSystem(&system);
}

static void test_fast_operator_agrees_with_the_samples(void **state)
{
    (void)state;
    compareOperators(false);
    compareOperators(true);
}

static void test_operator_is_symmetric_and_at_least_the_mass(void **state)
{
    (void)state;
    tlwFaceDoubles x, y, ax, ay;
    tlwStressSystem system = makeRandom(10, &x, &y);
    assert_true(tlwAddFaceDoubles(&system.level, &ax) && tlwAddFaceDoubles(&system.level, &ay));
    assert_true(makeBulk(&system));
    for (int n = 0; n < 5; n++) {
        fillRandom(&system, &x);
        fillRandom(&system, &y);
        double xx = tlwApplyStress(NULL, &system.level, &x, &ax), mass = 0;
        tlwApplyStress(NULL, &system.level, &y, &ay);
        double scale = sqrt(dot(&system, &ax, &ax) * dot(&system, &y, &y));
        assert_true(fabs(dot(&system, &y, &ax) - dot(&system, &x, &ay)) < 1e-12 * scale);
        for (int a = 0; a < 3; a++)
            for (int64_t i = 0; i < system.level.grid.cell_count; i++)
                mass += fmax(system.level.mass[a][i], 0) * x.at[a][i] * x.at[a][i];
        assert_true(xx > mass);
    }
    tlwFreeStressSystem(&system);
}

// Translation and rotation about any axis strain nothing, so A acts on them as the mass does.
static void test_rigid_motion_has_no_stress(void **state)
{
    (void)state;
    double ratio = 1e9;
    tlwStressSystem system;
    tlwFaceDoubles x, y;
    assert_int_equal(buildProblem(&system, twoBlocks, &ratio, 16), TLW_OK);
    assert_true(tlwAddFaceDoubles(&system.level, &x) && tlwAddFaceDoubles(&system.level, &y) && makeBulk(&system));
    const tlwGrid *grid = &system.level.grid;
    const double v[3] = {0.3, -0.2, 0.5}, w[3] = {0.07, 0.11, -0.05};
    double mass = 0;
    for (int t = 0; t < grid->tile_count; t++)
        TLW_FOR_ROWS(grid, &grid->tiles[t], j, k, row)
            for (int i = 0; i < TLW_TILE; i++)
                for (int a = 0; a < 3; a++) {
                    double p[3] = {grid->tiles[t].cell[0] + i + 0.5, (double)j + 0.5, k + 0.5};
                    p[a] -= 0.5;
                    int b = (a + 1) % 3, c = (a + 2) % 3;
                    float *m = &system.level.mass[a][row + i];
                    *m = *m == 0 ? 0 : 1; // no wall here
                    x.at[a][row + i] = *m > 0 ? v[a] + w[b] * p[c] - w[c] * p[b] : 0;
                    mass += *m * x.at[a][row + i] * x.at[a][row + i];
                }
    double energy = tlwApplyStress(NULL, &system.level, &x, &y);
    // Rounding of 1e-16 in a velocity of order one, against coefficients of 2e9.
    assert_true(fabs(energy - mass) < 1e-5 * mass);
    tlwFreeStressSystem(&system);
}

static void test_restriction_is_the_transpose_of_prolongation(void **state)
{
    (void)state;
    tlwFaceDoubles unused_x, unused_y;
    tlwStressSystem system = makeRandom(20, &unused_x, &unused_y);
    tlwStressLevel coarse;
    tlwFaceFloats fine_r, fine_x, coarse_b, coarse_e;
    assert_int_equal(tlwCoarsenStress(NULL, &system.level, &coarse), TLW_OK);
    assert_true(tlwAddFaceFloats(&system.level, &fine_r) && tlwAddFaceFloats(&system.level, &fine_x));
    assert_true(tlwAddFaceFloats(&coarse, &coarse_b) && tlwAddFaceFloats(&coarse, &coarse_e));
    for (int a = 0; a < 3; a++) {
        for (int64_t i = 0; i < system.level.grid.cell_count; i++)
            fine_r.at[a][i] = system.level.mass[a][i] > 0 ? (float)randomNumber() : 0;
        for (int64_t i = 0; i < coarse.grid.cell_count; i++)
            coarse_e.at[a][i] = coarse.mass[a][i] > 0 ? (float)randomNumber() : 0;
    }
    tlwRestrictFaces(NULL, &system.level, &fine_r, &coarse, &coarse_b);
    tlwProlongFaces(NULL, &coarse, &coarse_e, &system.level, &fine_x);
    double fine = 0, rough = 0, size = 0;
    for (int a = 0; a < 3; a++) {
        for (int64_t i = 0; i < system.level.grid.cell_count; i++)
            fine += (double)fine_r.at[a][i] * fine_x.at[a][i], size += fabs(fine_r.at[a][i] * fine_x.at[a][i]);
        for (int64_t i = 0; i < coarse.grid.cell_count; i++)
            rough += (double)coarse_b.at[a][i] * coarse_e.at[a][i];
    }
    assert_true(fabs(fine - rough) < 1e-6 * size);
    tlwFreeStressLevel(&coarse);
    tlwFreeStressSystem(&system);
}

// A coarse grid carries the same mass and, for a uniform medium, the stiffness of twice the cell size.
static void test_coarse_level_is_the_same_medium(void **state)
{
    (void)state;
    tlwStressSystem system;
    tlwStressLevel coarse;
    assert_int_equal(buildProblem(&system, pool, NULL, 16), TLW_OK);
    assert_int_equal(tlwCoarsenStress(NULL, &system.level, &coarse), TLW_OK);
    int64_t fine_at = tlwCellIndex(&system.level.grid, 8, 8, 4), at = tlwCellIndex(&coarse.grid, 4, 4, 2);
    for (int kind = 0; kind < 6; kind++)
        assert_true(fabs(coarse.c[kind][at] / system.level.c[kind][fine_at] - 2) < 1e-6);
    for (int a = 0; a < 3; a++)
        assert_true(fabs(coarse.mass[a][at] - 8) < 1e-6);
    // The floor stays a floor.
    assert_true(coarse.mass[2][tlwCellIndex(&coarse.grid, 4, 4, 0)] < 0);
    tlwFreeStressLevel(&coarse);
    tlwFreeStressSystem(&system);
}

static void test_envelope_solves_and_skips_dependent_rows(void **state)
{
    (void)state;
    enum { N = 30 };
    int first[N];
    double a[N][N] = {{0}}, b[N], x[N];
    for (int i = 0; i < N; i++)
        first[i] = i < 7 ? 0 : i - 7;
    for (int i = 0; i < N; i++) {
        x[i] = randomNumber();
        for (int j = first[i]; j < i; j++)
            a[i][j] = a[j][i] = randomNumber();
        a[i][i] = 8;
    }
    tlwEnvelope e;
    assert_true(tlwInitEnvelope(&e, N, first));
    for (int i = 0; i < N; i++) {
        b[i] = 0;
        for (int j = 0; j < N; j++)
            b[i] += a[i][j] * x[j];
        for (int j = first[i]; j <= i; j++)
            *tlwEnvelopeEntry(&e, i, j) = a[i][j];
    }
    tlwFactorEnvelope(&e);
    tlwSolveEnvelope(&e, b);
    for (int i = 0; i < N; i++)
        assert_true(fabs(b[i] - x[i]) < 1e-12);
    tlwFreeEnvelope(&e);
    // Rows 0 and 1 are the same: one of them is left out, and the solution still satisfies both.
    assert_true(tlwInitEnvelope(&e, 2, (int[2]){0, 0}));
    *tlwEnvelopeEntry(&e, 0, 0) = *tlwEnvelopeEntry(&e, 1, 0) = *tlwEnvelopeEntry(&e, 1, 1) = 4;
    tlwFactorEnvelope(&e);
    double twice[2] = {2, 2};
    tlwSolveEnvelope(&e, twice);
    assert_true(fabs(4 * twice[0] + 4 * twice[1] - 2) < 1e-12);
    tlwFreeEnvelope(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fast_operator_agrees_with_the_samples),
        cmocka_unit_test(test_operator_is_symmetric_and_at_least_the_mass),
        cmocka_unit_test(test_rigid_motion_has_no_stress),
        cmocka_unit_test(test_restriction_is_the_transpose_of_prolongation),
        cmocka_unit_test(test_coarse_level_is_the_same_medium),
        cmocka_unit_test(test_envelope_solves_and_skips_dependent_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
