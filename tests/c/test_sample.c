// Interpolation: the fast versions agree with the plain formula, and with each other to the last bit.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "grid/sample.h"
#include "grid/sample_lanes.h"
#include "step/fields/cell_parts.h"

typedef struct Fixture {
    tlwGrid grid;
    float *velocity[3];
} Fixture;

static void makeFixture(Fixture *f)
{
    tlwInitGrid(&f->grid, (tlwVec3){0, 0, 0}, (int[3]){64, 64, 64}, 0.1);
    float zero = 0;
    int slots[3], coords[8][3];
    for (int a = 0; a < 3; a++)
        slots[a] = tlwAddField(&f->grid, sizeof(float), &zero, false);
    for (int n = 0; n < 8; n++)
        for (int a = 0; a < 3; a++)
            coords[n][a] = 2 + (n >> a & 1);
    assert_int_equal(tlwActivateTiles(NULL, &f->grid, (const int(*)[3])coords, 8), TLW_OK);
    srand(7);
    for (int a = 0; a < 3; a++) {
        f->velocity[a] = tlwGetFloats(&f->grid, slots[a]);
        for (int64_t c = 0; c < f->grid.cell_count; c++)
            f->velocity[a][c] = (float)rand() / (float)RAND_MAX - 0.5f;
    }
}

static float randomCoordinate(void)
{
    return 16.0f + 16.0f * (float)rand() / (float)RAND_MAX;
}

// Sum over the eight values with products of weights, in double.
static double plainSample(const Fixture *f, int axis, const float p[3], double gradient[3])
{
    int c[3];
    double t[3], sum = 0;
    for (int a = 0; a < 3; a++) {
        double x = p[a] - (a == axis ? 0 : 0.5);
        c[a] = (int)floor(x);
        t[a] = x - c[a];
        gradient[a] = 0;
    }
    for (int n = 0; n < 8; n++) {
        double value = f->velocity[axis][tlwCellIndex(&f->grid, c[0] + (n & 1), c[1] + (n >> 1 & 1), c[2] + (n >> 2))];
        double w[3];
        for (int a = 0; a < 3; a++)
            w[a] = n >> a & 1 ? t[a] : 1 - t[a];
        sum += value * w[0] * w[1] * w[2];
        for (int a = 0; a < 3; a++)
            gradient[a] += value * (n >> a & 1 ? 1 : -1) * w[(a + 1) % 3] * w[(a + 2) % 3];
    }
    return sum;
}

static void test_samples_follow_the_plain_formula(void **state)
{
    (void)state;
    Fixture f;
    makeFixture(&f);
    for (int n = 0; n < 2000; n++) {
        float p[3] = {randomCoordinate(), randomCoordinate(), randomCoordinate()}, v[3], g[3];
        tlwSampleVelocity(&f.grid, f.velocity, p, v);
        tlwPlace place = tlwFindPlace(&f.grid, p);
        for (int a = 0; a < 3; a++) {
            double gradient[3], expected = plainSample(&f, a, p, gradient);
            float value = tlwInterpolateGradient(&f.grid, f.velocity[a], tlwPlaceStencil(&place, a), g);
            assert_true(fabs(v[a] - expected) < 1e-5);
            assert_true(fabs(value - expected) < 1e-5);
            for (int b = 0; b < 3; b++)
                assert_true(fabs(g[b] - gradient[b]) < 1e-5);
        }
    }
    tlwFreeGrid(&f.grid);
}

// Also outside the window and for a point that is no number.
static void test_eight_lanes_give_the_bits_of_one(void **state)
{
    (void)state;
    Fixture f;
    makeFixture(&f);
    for (int n = 0; n < 500; n++) {
        float p[3][TLW_LANES], v[3][TLW_LANES];
        for (int a = 0; a < 3; a++)
            for (int l = 0; l < TLW_LANES; l++)
                p[a][l] = randomCoordinate();
        p[n % 3][n % TLW_LANES] = n % 5 == 0 ? -1e6f : n % 5 == 1 ? 1e6f : n % 5 == 2 ? NAN : 20.5f;
        tlwSampleVelocityLanes(&f.grid, f.velocity, (const float(*)[TLW_LANES])p, v);
        for (int l = 0; l < TLW_LANES; l++) {
            float one[3], at[3] = {p[0][l], p[1][l], p[2][l]};
            tlwSampleVelocity(&f.grid, f.velocity, at, one);
            for (int a = 0; a < 3; a++)
                assert_memory_equal(&one[a], &v[a][l], sizeof one[a]);
        }
        float node[TLW_LANES], centre[TLW_LANES];
        tlwSampleLanes(&f.grid, f.velocity[0], 0, (const float(*)[TLW_LANES])p, node);
        tlwSampleLanes(&f.grid, f.velocity[0], 0.5f, (const float(*)[TLW_LANES])p, centre);
        for (int l = 0; l < TLW_LANES; l++) {
            float at[3] = {p[0][l], p[1][l], p[2][l]}, g[3];
            float one[3] = {tlwSampleNode(&f.grid, f.velocity[0], at), tlwSampleCentre(&f.grid, f.velocity[0], at),
                            tlwSampleGradient(&f.grid, f.velocity[0], 0, at, g)};
            assert_memory_equal(&one[0], &node[l], sizeof one[0]);
            assert_memory_equal(&one[1], &centre[l], sizeof one[1]);
            assert_memory_equal(&one[2], &node[l], sizeof one[2]);
        }
    }
    tlwFreeGrid(&f.grid);
}

static void test_parts_of_a_cell_are_sampled_to_the_last_bit(void **state)
{
    (void)state;
    Fixture f;
    makeFixture(&f);
    const int at[3] = {19, 21, 23};
    tlwAround around;
    float parts[TLW_CELL_PARTS];
    for (int q = 0; q < 27; q++)
        around.d[q / 9][q / 3 % 3][q % 3] =
            f.velocity[0][tlwCellIndex(&f.grid, at[0] + q % 3 - 1, at[1] + q / 3 % 3 - 1, at[2] + q / 9 - 1)];
    tlwRefineCell(&around, parts);
    for (int n = 0; n < TLW_CELL_PARTS; n++) {
        const int part[3] = {n % 4, n / 4 % 4, n / 16};
        float p[3];
        for (int a = 0; a < 3; a++)
            p[a] = (float)at[a] + ((float)part[a] + 0.5f) / 4;
        assert_true(parts[n] == tlwSampleCentre(&f.grid, f.velocity[0], p));
    }
    tlwFreeGrid(&f.grid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts_of_a_cell_are_sampled_to_the_last_bit),
        cmocka_unit_test(test_samples_follow_the_plain_formula),
        cmocka_unit_test(test_eight_lanes_give_the_bits_of_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
