// Particles to the grid: the fast scatter gives what the plain sums give, on any number of threads.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/context.h"
#include "base/memory.h"
#include "shape/affine.h"
#include "step/liquid/gather.h"
#include "step/liquid/reseed.h"
#include "step/liquid/transfer.h"

#define COUNT 3000
#define SIDE 24 // cells that hold particles, from 8 on

typedef struct Fixture {
    tlwContext *context;
    tlwFlow flow;
    tlwParticles particles;
    tlwParticleOrder order;
    tlwMaterial material;
} Fixture;

static float random01(void)
{
    return (float)rand() / (float)RAND_MAX;
}

static void makeFixture(Fixture *f, int threads)
{
    memset(f, 0, sizeof *f);
    tlwContextDef def = tlwDefaultContextDef();
    def.threads = threads;
    assert_int_equal(tlwCreateContext(&def, &f->context), TLW_OK);
    assert_true(tlwInitFlow(&f->flow, (tlwVec3){0, 0, 0}, (int[3]){64, 64, 64}, 0.1));
    tlwMaterialDef material = tlwDefaultMaterialDef();
    material.name = "Oil";
    material.density_liquid = material.density_solid = 800;
    assert_int_equal(tlwMakeMaterial(&material, &f->material, &f->context->message), TLW_OK);
    tlwParticles *q = &f->particles;
    assert_int_equal(tlwReserveParticles(q, COUNT), TLW_OK);
    q->count = COUNT;
    srand(11);
    for (int n = 0; n < COUNT; n++) {
        for (int a = 0; a < 3; a++) {
            q->position[a][n] = 8 + SIDE * random01();
            q->velocity[a][n] = random01() - 0.5f;
        }
        float affine[9];
        for (int a = 0; a < 9; a++)
            affine[a] = 4 * (random01() - 0.5f);
        tlwSetAffine(q, n, affine);
        q->mass[n] = 0.05f + 0.1f * random01();
        q->id[n] = (uint32_t)n;
    }
    tlwThreads *pool = f->context->threads;
    assert_int_equal(tlwActivateAroundParticles(pool, q, 4.5f, &f->flow.grid), TLW_OK);
    assert_int_equal(tlwSortParticles(pool, &f->flow.grid, q, &f->order), TLW_OK);
    assert_int_equal(tlwGatherParticles(pool, q, &f->order, &f->material, true, &f->flow), TLW_OK);
}

static void freeFixture(Fixture *f)
{
    tlwFreeParticles(&f->particles);
    tlwFreeParticleOrder(&f->order);
    tlwFreeMaterial(&f->material);
    tlwFreeGrid(&f->flow.grid);
    tlwDestroyContext(f->context);
}

// Momentum and mass (or volume and mass, axis 3) at every cell of the domain, in double and without any order.
static void sumPlainly(const Fixture *f, int axis, double *value, double *mass)
{
    const tlwParticles *q = &f->particles;
    float affine[9];
    for (int64_t n = 0; n < q->count; n++)
        for (int corner = 0; corner < 8; corner++) {
            int c[3];
            tlwGetAffine(q, n, affine);
            double weight = 1, v = axis < 3 ? q->velocity[axis][n] : 0;
            for (int a = 0; a < 3; a++) {
                double x = q->position[a][n] - (a == axis ? 0 : 0.5), low = floor(x);
                c[a] = (int)low + (corner >> a & 1);
                weight *= corner >> a & 1 ? x - low : 1 - (x - low);
                v += axis < 3 ? affine[3 * axis + a] * f->flow.grid.dx * (c[a] - x) : 0;
            }
            double m = q->mass[n] * weight;
            int64_t at = c[0] + 64 * (c[1] + 64 * c[2]);
            value[at] += axis < 3 ? m * v : m / 800;
            mass[at] += m;
        }
}

// Half a unit of the last of 15 bits, one where it would be rounded up to the next power of two.
static void test_gradients_keep_15_bits(void **state)
{
    (void)state;
    tlwParticles q = {0};
    assert_int_equal(tlwReserveParticles(&q, 1), TLW_OK);
    const float sizes[] = {1e-25f, 1e-6f, 1, 4, 0.99999f, 1000, 1e20f};
    srand(5);
    for (int n = 0; n < 7000; n++) {
        float in[9], out[9], most = 0;
        for (int a = 0; a < 9; a++) {
            in[a] = a == n % 9 ? sizes[n % 7] : sizes[n % 7] * (2 * random01() - 1);
            in[a] = n % 2 ? -in[a] : in[a];
            most = fabsf(in[a]) > most ? fabsf(in[a]) : most;
        }
        tlwSetAffine(&q, 0, in);
        tlwGetAffine(&q, 0, out);
        for (int a = 0; a < 9; a++)
            assert_true(fabsf(out[a] - in[a]) <= most * 1.0001f / 32768);
        tlwSetAffine(&q, 0, out); // what has been rounded stays: copies and checkpoints are exact
        tlwGetAffine(&q, 0, in);
        assert_memory_equal(in, out, sizeof in);
    }
    const float zero[9] = {0};
    float out[9];
    tlwSetAffine(&q, 0, zero);
    for (int w = 0; w < TLW_AFFINE_WORDS; w++)
        assert_int_equal(q.affine[w][0], 0); // as released memory is
    tlwGetAffine(&q, 0, out);
    assert_memory_equal(out, zero, sizeof zero);
    tlwFreeParticles(&q);
}

static void test_the_mark_of_own_motion_leaves_the_gradient(void **state)
{
    (void)state;
    tlwParticles q = {0};
    assert_int_equal(tlwReserveParticles(&q, 1), TLW_OK);
    q.count = 1;
    const float largest[9] = {3e30f, -1e29f, 0, 2, -3e30f, 1, 0, 0, 1e30f};
    float before[9], after[9];
    tlwSetAffine(&q, 0, largest);
    tlwGetAffine(&q, 0, before);
    assert_false(tlwHasOwnMotion(&q, 0));
    tlwMarkOwnMotion(&q, 0);
    assert_true(tlwHasOwnMotion(&q, 0));
    tlwGetAffine(&q, 0, after);
    assert_memory_equal(before, after, sizeof before);
    tlwUnmarkOwnMotion(&q, 0);
    assert_false(tlwHasOwnMotion(&q, 0));
    tlwMarkOwnMotion(&q, 0);
    tlwSetAffine(&q, 0, largest); // a new gradient has no mark
    assert_false(tlwHasOwnMotion(&q, 0));
    tlwFreeParticles(&q);
}

// Sums over particles, weighted by mass: 1, position, velocity, gradient; and the largest gradient.
static void sumParticles(const tlwParticles *q, double sums[16], float *largest)
{
    memset(sums, 0, 16 * sizeof *sums);
    *largest = 0;
    for (int64_t n = 0; n < q->count; n++) {
        float affine[9];
        tlwGetAffine(q, n, affine);
        sums[0] += q->mass[n];
        for (int a = 0; a < 3; a++) {
            sums[1 + a] += q->mass[n] * q->position[a][n];
            sums[4 + a] += q->mass[n] * q->velocity[a][n];
        }
        for (int a = 0; a < 9; a++) {
            sums[7 + a] += q->mass[n] * affine[a];
            *largest = fmaxf(*largest, fabsf(affine[a]));
        }
    }
}

static void test_merged_particles_carry_what_they_carried(void **state)
{
    (void)state;
    Fixture f;
    makeFixture(&f, 1);
    tlwParticles *q = &f.particles;
    for (int64_t n = 0; n < q->count; n++)
        for (int a = 0; a < 3; a++)
            q->position[a][n] = 16 + (q->position[a][n] - 8) * 3 / SIDE; // over a hundred in a cell
    assert_int_equal(tlwSortParticles(NULL, &f.flow.grid, q, &f.order), TLW_OK);
    double before[16], after[16];
    float largest, largest_after;
    uint32_t next_id = COUNT;
    sumParticles(q, before, &largest);
    assert_int_equal(tlwReseedParticles(NULL, &f.flow, 8, &f.order, q, &next_id), TLW_OK);
    sumParticles(q, after, &largest_after);
    assert_true(q->count <= 27 * 16 && q->count > 27);
    for (int n = 0; n < 16; n++)
        assert_true(fabs(after[n] - before[n]) < 1e-4 * before[0] * (n < 1 ? 1 : n < 4 ? 20 : 2));
    assert_true(largest_after <= largest);
    freeFixture(&f);
}

static double sumHeat(const tlwParticles *q)
{
    double sum = 0;
    for (int64_t n = 0; n < q->count; n++)
        sum += q->mass[n] * q->enthalpy[n];
    return sum;
}

// Deep in the liquid, where cells hold one or two particles in place of eight.
static void test_split_particles_carry_what_they_carried(void **state)
{
    (void)state;
    Fixture f;
    makeFixture(&f, 1);
    tlwParticles *q = &f.particles;
    tlwGrid *grid = &f.flow.grid;
    tlwFillFloats(NULL, grid, tlwGetFloats(grid, f.flow.phi), (float)(-3 * grid->dx));
    for (int64_t n = 0; n < q->count; n++)
        q->enthalpy[n] = 1e5f * (1 + random01());
    double before[16], after[16], heat = sumHeat(q);
    float largest, largest_after, lightest = 1;
    uint32_t next_id = COUNT;
    sumParticles(q, before, &largest);
    assert_int_equal(tlwReseedParticles(NULL, &f.flow, 8, &f.order, q, &next_id), TLW_OK);
    sumParticles(q, after, &largest_after);
    assert_true(q->count > 3 * COUNT / 2 && next_id == q->count);
    for (int n = 0; n < 16; n++)
        assert_true(fabs(after[n] - before[n]) < 1e-6 * before[0] * (n < 1 ? 1 : n < 4 ? 20 : 2));
    assert_true(fabs(sumHeat(q) / heat - 1) < 1e-6 && largest_after == largest);
    for (int64_t n = 0; n < q->count; n++)
        lightest = fminf(lightest, q->mass[n]);
    assert_true(lightest >= 0.2499f * (float)before[0] / COUNT); // of the mean: what is light is not split again
    freeFixture(&f);
}

static void test_gather_is_the_plain_sum(void **state)
{
    (void)state;
    Fixture f;
    makeFixture(&f, 2);
    const tlwGrid *grid = &f.flow.grid;
    const double volume = grid->dx * grid->dx * grid->dx;
    for (int axis = 0; axis < 4; axis++) {
        double *value = tlwAlloc(64 * 64 * 64, sizeof *value), *mass = tlwAlloc(64 * 64 * 64, sizeof *mass);
        sumPlainly(&f, axis, value, mass);
        for (int t = 0; t < grid->tile_count; t++)
            TLW_FOR_ROWS(grid, &grid->tiles[t], j, k, row)
                for (int i = 0; i < TLW_TILE; i++) {
                    int x = grid->tiles[t].cell[0] + i;
                    bool inside = x >= 0 && j >= 0 && k >= 0;
                    int64_t at = inside ? x + 64 * (j + 64 * k) : 0;
                    if (!inside)
                        continue;
                    if (axis < 3) {
                        assert_int_equal(tlwGetBytes(grid, f.flow.reached)[row + i] >> axis & 1, mass[at] > 0);
                        double u = tlwGetFloats(grid, f.flow.velocity[axis])[row + i];
                        assert_true(fabs(u * mass[at] - value[at]) < 1e-5 * (mass[at] + 1e-6));
                    } else {
                        assert_true(fabs(tlwGetFloats(grid, f.flow.fill)[row + i] - value[at] / volume) < 1e-5);
                        double density = tlwGetFloats(grid, f.flow.density)[row + i];
                        assert_true(mass[at] > 0 ? fabs(density - 800) < 0.1 : density == 0);
                    }
                }
        tlwFree(value);
        tlwFree(mass);
    }
    freeFixture(&f);
}

static void test_gather_is_the_same_bits_on_any_number_of_threads(void **state)
{
    (void)state;
    Fixture one, three;
    makeFixture(&one, 1);
    makeFixture(&three, 3);
    for (int t = 0; t < one.flow.grid.tile_count; t++)
        TLW_FOR_ROWS(&one.flow.grid, &one.flow.grid.tiles[t], j, k, row)
            for (int a = 0; a < 3; a++)
                assert_memory_equal(tlwGetFloats(&one.flow.grid, one.flow.velocity[a]) + row,
                                    tlwGetFloats(&three.flow.grid, three.flow.velocity[a]) + row,
                                    TLW_TILE * sizeof(float));
    freeFixture(&one);
    freeFixture(&three);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gradients_keep_15_bits),
        cmocka_unit_test(test_the_mark_of_own_motion_leaves_the_gradient),
        cmocka_unit_test(test_merged_particles_carry_what_they_carried),
        cmocka_unit_test(test_split_particles_carry_what_they_carried),
        cmocka_unit_test(test_gather_is_the_plain_sum),
        cmocka_unit_test(test_gather_is_the_same_bits_on_any_number_of_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
