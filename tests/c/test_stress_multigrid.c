// The multigrid cycle of the stress system: it keeps walls on every grid, and moves what hangs by few samples.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "solve/stress/multigrid.h"
#include "solve/stress/peel.h"
#include "stress_problems.h"

// A stiff block on a floor whose top is *(int *)user cells above the grid's.
static double blockOnFloor(const void *user, int n, int i, int j, int k)
{
    int floor = *(const int *)user;
    if (k < floor)
        return k == floor - 1 ? SOLID : AIR;
    return i >= n / 4 && i < 3 * n / 4 && j >= n / 4 && j < 3 * n / 4 && k < floor + n / 2 ? 1e6 : AIR;
}

// Largest eigenvalue of cycle x A, by power iteration.
static double largestOf(tlwStressSystem *system)
{
    tlwStressLevel *level = &system->level;
    tlwStressMultigrid mg;
    tlwFaceFloats x, y, b;
    tlwFaceDoubles v, q;
    double energy = 0, largest = 0;
    assert_int_equal(tlwTrimSpans(NULL, level), TLW_OK);
    assert_true(tlwAddFaceFloats(level, &x) && tlwAddFaceFloats(level, &y) && tlwAddFaceFloats(level, &b));
    assert_true(tlwAddFaceDoubles(level, &v) && tlwAddFaceDoubles(level, &q));
    assert_int_equal(tlwInitStressMultigrid(NULL, &mg, level, &x, &y, &b), TLW_OK);
    assert_true(mg.count >= 3);
    for (int a = 0; a < 3; a++)
        for (int64_t i = 0; i < level->grid.cell_count; i++)
            v.at[a][i] = level->mass[a][i] > 0 ? sin(0.3 * (double)i + a) : 0;
    for (int n = 0; n < 30; n++) {
        energy = tlwApplyStress(NULL, level, &v, &q);
        for (int a = 0; a < 3; a++)
            for (int64_t i = 0; i < level->grid.cell_count; i++)
                b.at[a][i] = (float)(q.at[a][i] / sqrt(energy));
        tlwCycleStress(NULL, &mg);
        largest = 0;
        for (int a = 0; a < 3; a++)
            for (int64_t i = 0; i < level->grid.cell_count; i++) {
                v.at[a][i] = mg.x[0].at[a][i];
                largest += v.at[a][i] * b.at[a][i];
            }
    }
    tlwFreeStressMultigrid(&mg);
    return largest;
}

// A coarse grid that does not know a floor, or knows a softer one, moves what stands on it too far.
static void test_coarse_grids_keep_the_floor(void **state)
{
    (void)state;
    const int FLOORS[] = {0, 1, 2, 3, 4, 5, 6, 7, 2, 10}; // at the last two the third grid has no face on the floor
    for (int n = 0; n < 10; n++) {
        int floor = FLOORS[n], cells = n < 8 ? 32 : 64;
        tlwStressSystem system;
        assert_int_equal(buildProblem(&system, blockOnFloor, &floor, cells), TLW_OK);
        double largest = largestOf(&system);
        print_message("%d cells, floor at %d: the cycle's largest eigenvalue is %.4g\n", cells, floor, largest);
        assert_true(largest < 1.2);
        tlwFreeStressSystem(&system);
    }
}

static uint32_t seed = 1;

static float randomOf(float low, float high)
{
    seed = seed * 1664525u + 1013904223u;
    return low * powf(high / low, (float)(seed >> 8) / (1 << 24));
}

// Two blocks, with bumps of one to three cells on the stiff one. A bump's own cells are stiff; the shear that holds it
// is what slivers at a free surface carry.
static void buildBumps(tlwStressSystem *system, tlwStressPeel *peel)
{
    enum { N = 32, BUMPS = 30, ROD = 14 };
    double ratio = 1e9;
    assert_int_equal(buildProblem(system, twoBlocks, &ratio, N), TLW_OK);
    const tlwGrid *grid = &system->level.grid;
    const int64_t z = grid->stride_z, stride[3] = {1, grid->stride_y, z};
    float *const *c = system->level.c;
    int top = 0;
    while (c[TLW_ZZ][tlwCellIndex(grid, 20, 16, top + 1)] > 0 || top < 8)
        top++;
    seed = 1;
    for (int n = 0; n < BUMPS + ROD; n++) {
        int64_t at = n < BUMPS ? tlwCellIndex(grid, 17 + n % 6, 9 + 3 * (n / 6), top + 1)
                               : tlwCellIndex(grid, 24, 9 + n - BUMPS, top + 1); // longer than a tie
        for (int m = 0; m <= n % 3; m++, at += z) {
            c[TLW_XX][at] = n < BUMPS ? randomOf(1e7f, 1e9f) : 1e9f * powf(0.6f, (float)(n - BUMPS));
            for (int kind = TLW_XY; kind <= TLW_YZ; kind++) {
                int64_t a = stride[kind == TLW_YZ ? 1 : 0], b = stride[kind == TLW_XY ? 1 : 2];
                for (int e = 0; e < 4; e++)
                    c[kind][at + (e & 1) * a + (e >> 1) * b] = randomOf(0.1f, n % 4 == 3 ? 1e8f : 50);
            }
            for (int f = 0; f < 6; f++) {
                int64_t face = at + (f & 1) * stride[f >> 1];
                system->level.mass[f >> 1][face] = fmaxf(system->level.mass[f >> 1][face], randomOf(0.05f, 1));
                system->b.at[f >> 1][face] = system->level.mass[f >> 1][face] * randomOf(0.1f, 1);
            }
        }
    }
    assert_int_equal(tlwPeelStress(NULL, system, peel), TLW_OK);
}

// In few iterations, and to the same bits on any number of threads.
static void test_what_hangs_by_few_samples_converges(void **state)
{
    (void)state;
    tlwStressSystem system[2];
    tlwThreads *threads[2] = {NULL, tlwCreateThreads(2)};
    for (int n = 0; n < 2; n++) {
        tlwStressPeel peel;
        buildBumps(&system[n], &peel);
        tlwStressOptions options = {.tolerance = 1e-6, .max_iterations = 400, .method = TLW_STRESS_MULTIGRID};
        tlwStressStats stats;
        tlwResult result = tlwSolveStress(threads[n], &system[n], &options, &stats);
        print_message("%d iterations\n", stats.iterations);
        assert_int_equal(result, TLW_OK);
        assert_true(stats.iterations >= 1 && stats.iterations <= 30);
        tlwFreeStressPeel(&peel);
    }
    for (int a = 0; a < 3; a++)
        assert_memory_equal(system[0].x.at[a], system[1].x.at[a],
                            (size_t)system[0].level.grid.cell_count * sizeof(double));
    for (int n = 0; n < 2; n++)
        tlwFreeStressSystem(&system[n]);
    tlwDestroyThreads(threads[1]);
}

// With the others at rest, the faces of a tie are solved exactly; none is in two.
static void test_ties_are_solved_at_once(void **state)
{
    (void)state;
    tlwStressSystem system;
    tlwStressPeel peel;
    tlwStressTies ties;
    tlwFaceFloats x;
    tlwFaceDoubles alone, force, seen;
    buildBumps(&system, &peel);
    tlwStressLevel *level = &system.level;
    assert_true(tlwAddFaceFloats(level, &x) && tlwAddFaceDoubles(level, &seen));
    assert_true(tlwAddFaceDoubles(level, &alone) && tlwAddFaceDoubles(level, &force));
    assert_int_equal(tlwFindStressTies(NULL, level, &ties), TLW_OK);
    tlwScaleByDiagonal(NULL, level, &system.b, 1, &x);
    tlwSmoothTies(NULL, level, &ties, &system.b, NULL, 1, &x);
    int most = 0;
    for (int64_t n = 0; n < ties.count; n++) {
        const tlwTie *tie = &ties.items[n];
        double fastest = 0, largest = 0, energy = 0, work = 0;
        most = tie->count > most ? tie->count : most;
        for (int f = 0; f < tie->count; f++) {
            int a = tie->component[f];
            int64_t i = tie->face[f];
            assert_true(level->mass[a][i] > 0 && seen.at[a][i]++ == 0);
            alone.at[a][i] = x.at[a][i];
            fastest = fmax(fastest, fabs(x.at[a][i]));
            largest = fmax(largest, fabs(system.b.at[a][i]));
        }
        applyReference(level, &alone, &force);
        for (int f = 0; f < tie->count; f++) {
            int a = tie->component[f];
            int64_t i = tie->face[f];
            // Velocities are rounded to single precision, and the samples between them are stiff.
            assert_true(fabs(force.at[a][i] - system.b.at[a][i]) < 1e-3 * largest + 6 * 2e9 * 6e-8 * fastest);
            energy += force.at[a][i] * alone.at[a][i];
            work += system.b.at[a][i] * alone.at[a][i];
        }
        assert_true(fabs(energy / work - 1) < 1e-3); // rounding hardly shows in this
        for (int f = 0; f < tie->count; f++)
            alone.at[tie->component[f]][tie->face[f]] = 0;
    }
    print_message("%d ties, of up to %d faces\n", (int)ties.count, most);
    assert_true(ties.count > 20 && most > 4);
    tlwFreeStressTies(&ties);
    tlwFreeStressPeel(&peel);
    tlwFreeStressSystem(&system);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_coarse_grids_keep_the_floor),
        cmocka_unit_test(test_what_hangs_by_few_samples_converges),
        cmocka_unit_test(test_ties_are_solved_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
