// The stress solver: true residuals, iteration counts at any contrast, the same bits for any number of threads.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "stress_problems.h"

#include "solve/stress/bulk.h"
#include "solve/stress/components.h"
#include "solve/stress/deflation.h"
#include "solve/stress/peel.h"
#include "solve/stress/rigid_motion.h"

static tlwStressStats solve(tlwThreads *threads, tlwStressSystem *system, tlwStressMethod method)
{
    tlwStressOptions options = {.tolerance = 1e-6, .max_iterations = 400, .method = method};
    tlwStressStats stats;
    assert_int_equal(tlwSolveStress(threads, system, &options, &stats), TLW_OK);
    return stats;
}

// || b - A x || / || b || in the norm of M^-1, by the plain operator.
static double trueResidual(tlwStressSystem *system)
{
    tlwFaceDoubles y;
    assert_true(tlwAddFaceDoubles(&system->level, &y));
    applyReference(&system->level, &system->x, &y);
    if (system->swelling) { // A x - D'c swelling
        for (int a = 0; a < 3; a++)
            for (int64_t i = 0; i < system->level.grid.cell_count; i++)
                y.at[a][i] = -y.at[a][i];
        tlwAddSwelling(NULL, &system->level, system->swelling, &y);
        for (int a = 0; a < 3; a++)
            for (int64_t i = 0; i < system->level.grid.cell_count; i++)
                y.at[a][i] = -y.at[a][i];
    }
    double r2 = 0, b2 = 0;
    for (int a = 0; a < 3; a++)
        for (int64_t i = 0; i < system->level.grid.cell_count; i++) {
            double m = system->level.mass[a][i], b = system->b.at[a][i];
            if (m > 0) {
                r2 += (b - y.at[a][i]) * (b - y.at[a][i]) / m;
                b2 += b * b / m;
            }
        }
    return sqrt(r2 / b2);
}

// Solves the problem and refuses more than `most` iterations.
static void expectOnce(CellFn *cell, double ratio, int n, int most, bool bulk)
{
    tlwStressSystem system;
    tlwStressPeel peel;
    assert_int_equal(buildProblem(&system, cell, &ratio, n), TLW_OK);
    assert_int_equal(tlwPeelStress(NULL, &system, &peel), TLW_OK);
    assert_true(!bulk || makeBulk(&system));
    tlwStressStats stats = solve(NULL, &system, TLW_STRESS_AUTOMATIC);
    assert_true(trueResidual(&system) < 1.01e-6);
    assert_true(stats.residual < 1e-6);
    tlwFreeStressPeel(&peel);
    tlwFreeStressSystem(&system);
    if (stats.iterations < 1 || stats.iterations > most)
        fail_msg("%d iterations, expected 1 to %d%s", stats.iterations, most, bulk ? ", with bulk samples" : "");
}

// Bulk samples may take a few iterations more.
static void expectIterations(CellFn *cell, double ratio, int n, int most)
{
    expectOnce(cell, ratio, n, most, false);
    expectOnce(cell, ratio, n, most + 4, true);
}

static void test_two_blocks_converge_at_any_contrast(void **state)
{
    (void)state;
    const double RATIOS[] = {1, 1e2, 1e4, 1e6, 1e9};
    for (int n = 0; n < 5; n++)
        expectIterations(twoBlocks, RATIOS[n], 32, 20);
}

static void test_melting_statue_converges(void **state)
{
    (void)state;
    expectIterations(statue, 1, 32, 50);
}

static void test_stiff_lumps_in_thin_liquid_converge(void **state)
{
    (void)state;
    expectIterations(lumps, 1, 32, 18);
}

static void test_pool_with_ball_and_free_blob_converges(void **state)
{
    (void)state;
    expectIterations(sphere, 1, 24, 30);
    expectIterations(pool, 1, 24, 18);
}

static void compareWithDirect(bool bulk)
{
    double ratio = 1e6;
    tlwStressSystem system;
    assert_int_equal(buildProblem(&system, twoBlocks, &ratio, 8), TLW_OK);
    assert_true(!bulk || makeBulk(&system));
    const tlwStressLevel *level = &system.level;
    int64_t cells = level->grid.cell_count;
    int *number = tlwAlloc((size_t)cells * 3, sizeof *number), count = 0;
    for (int64_t i = 0; i < 3 * cells; i++)
        number[i] = level->mass[i % 3][i / 3] > 0 ? count++ : -1;
    int *first = tlwAlloc((size_t)count, sizeof *first);
    tlwEnvelope e;
    assert_true(tlwInitEnvelope(&e, count, first));
    for (int64_t i = 0; i < cells; i++)
        for (int kind = 0; kind < TLW_KINDS && level->c[kind]; kind++) {
            int component[TLW_SAMPLE_FACES], sign[TLW_SAMPLE_FACES];
            int64_t face[TLW_SAMPLE_FACES];
            int faces = level->c[kind][i] > 0 ? tlwSampleFaces(&level->grid, kind, i, component, face, sign) : 0;
            for (int p = 0; p < faces; p++)
                for (int q = 0; q < faces; q++) {
                    int r = number[3 * face[p] + component[p]], c = number[3 * face[q] + component[q]];
                    if (r >= 0 && c >= 0 && c <= r)
                        *tlwEnvelopeEntry(&e, r, c) += (double)level->c[kind][i] * sign[p] * sign[q];
                }
        }
    double *b = tlwAlloc((size_t)count, sizeof *b);
    for (int64_t i = 0; i < 3 * cells; i++)
        if (number[i] >= 0) {
            *tlwEnvelopeEntry(&e, number[i], number[i]) += level->mass[i % 3][i / 3];
            b[number[i]] = system.b.at[i % 3][i / 3];
        }
    for (int64_t i = 0; bulk && i < cells; i++) {
        int component[TLW_SAMPLE_FACES], sign[TLW_SAMPLE_FACES];
        int64_t face[TLW_SAMPLE_FACES];
        int faces = level->c[TLW_BULK][i] > 0 ? tlwSampleFaces(&level->grid, TLW_BULK, i, component, face, sign) : 0;
        for (int p = 0; p < faces; p++)
            if (number[3 * face[p] + component[p]] >= 0)
                b[number[3 * face[p] + component[p]]] += (double)level->c[TLW_BULK][i] * system.swelling[i] * sign[p];
    }
    tlwFactorEnvelope(&e);
    tlwSolveEnvelope(&e, b);
    tlwStressOptions options = {.tolerance = 1e-9, .max_iterations = 400, .method = TLW_STRESS_MULTIGRID};
    tlwStressStats stats;
    assert_int_equal(tlwSolveStress(NULL, &system, &options, &stats), TLW_OK);
    for (int64_t i = 0; i < 3 * cells; i++)
        if (number[i] >= 0)
            assert_true(fabs(system.x.at[i % 3][i / 3] - b[number[i]]) < 1e-6);
    tlwFree(number);
    tlwFree(first);
    tlwFree(b);
    tlwFreeEnvelope(&e);
    tlwFreeStressSystem(&system);
}

static void test_solution_matches_a_direct_solve(void **state)
{
    (void)state;
    compareWithDirect(false);
    compareWithDirect(true);
}

static void test_every_method_gives_the_same_answer(void **state)
{
    (void)state;
    double ratio = 1e3;
    tlwStressSystem system[3];
    const tlwStressMethod METHODS[3] = {TLW_STRESS_MULTIGRID, TLW_STRESS_JACOBI, TLW_STRESS_AGGREGATION};
    for (int n = 0; n < 3; n++) {
        assert_int_equal(buildProblem(&system[n], twoBlocks, &ratio, 16), TLW_OK);
        assert_true(makeBulk(&system[n]));
        solve(NULL, &system[n], METHODS[n]);
    }
    for (int n = 1; n < 3; n++)
        for (int a = 0; a < 3; a++)
            for (int64_t i = 0; i < system[0].level.grid.cell_count; i++)
                assert_true(fabs(system[0].x.at[a][i] - system[n].x.at[a][i]) < 1e-4);
    for (int n = 0; n < 3; n++)
        tlwFreeStressSystem(&system[n]);
}

static void test_thread_count_does_not_change_a_bit(void **state)
{
    (void)state;
    double ratio = 1e9;
    tlwStressSystem system[2];
    for (int n = 0; n < 2; n++) {
        tlwThreads *threads = tlwCreateThreads(n ? 3 : 1);
        assert_int_equal(buildProblem(&system[n], statue, &ratio, 24), TLW_OK);
        assert_true(makeBulk(&system[n]));
        solve(threads, &system[n], TLW_STRESS_AUTOMATIC);
        tlwDestroyThreads(threads);
    }
    for (int a = 0; a < 3; a++)
        assert_memory_equal(system[0].x.at[a], system[1].x.at[a],
                            (size_t)system[0].level.grid.cell_count * sizeof(double));
    tlwFreeStressSystem(&system[0]);
    tlwFreeStressSystem(&system[1]);
}

// A problem twice, as it is and peeled.
static void buildTwice(CellFn *cell, double ratio, int n, tlwStressSystem *whole, tlwStressSystem *peeled,
                       tlwStressPeel *peel)
{
    assert_int_equal(buildProblem(whole, cell, &ratio, n), TLW_OK);
    assert_int_equal(buildProblem(peeled, cell, &ratio, n), TLW_OK);
    assert_int_equal(tlwPeelStress(NULL, peeled, peel), TLW_OK);
}

// Peeled and put back, the velocity is the one of the unpeeled system wherever no ghost was shared.
static void test_peeling_is_exact(void **state)
{
    (void)state;
    tlwStressSystem whole, peeled;
    tlwStressPeel peel;
    buildTwice(twoBlocks, 100, 16, &whole, &peeled, &peel);
    assert_true(peel.count > 100);
    for (int64_t n = 0; n < peel.count; n++)
        assert_true(peel.faces[n].share == 1);
    tlwStressOptions options = {.tolerance = 1e-9, .max_iterations = 400};
    tlwStressStats stats;
    assert_int_equal(tlwSolveStress(NULL, &whole, &options, &stats), TLW_OK);
    assert_int_equal(tlwSolveStress(NULL, &peeled, &options, &stats), TLW_OK);
    tlwUnpeelStress(&peeled, &peel, &peeled.x);
    for (int a = 0; a < 3; a++)
        for (int64_t i = 0; i < whole.level.grid.cell_count; i++)
            assert_true(fabs(whole.x.at[a][i] - peeled.x.at[a][i]) < 1e-5);
    tlwFreeStressPeel(&peel);
    tlwFreeStressSystem(&whole);
    tlwFreeStressSystem(&peeled);
}

// A ghost that several samples touch is split among them: the parts are the whole.
static void test_peeled_shares_are_the_whole_face(void **state)
{
    (void)state;
    tlwStressSystem whole, peeled;
    tlwStressPeel peel;
    buildTwice(statue, 1, 32, &whole, &peeled, &peel);
    float *share[3], *mass[3];
    int64_t cells = whole.level.grid.cell_count, shared = 0;
    for (int a = 0; a < 3; a++) {
        share[a] = calloc((size_t)cells, sizeof(float));
        mass[a] = calloc((size_t)cells, sizeof(float));
    }
    for (int64_t n = 0; n < peel.count; n++) {
        const tlwPeeledFace *f = &peel.faces[n];
        share[f->component][f->face] += f->share;
        mass[f->component][f->face] += f->mass;
        shared += f->share < 1;
    }
    assert_true(shared > 20);
    for (int a = 0; a < 3; a++) {
        for (int64_t i = 0; i < cells; i++) {
            if (!(share[a][i] > 0))
                continue;
            assert_true(fabs(share[a][i] - 1) < 1e-5);
            assert_true(fabs(mass[a][i] / whole.level.mass[a][i] - 1) < 1e-5);
            assert_true(peeled.level.mass[a][i] == 0);
        }
        free(share[a]);
        free(mass[a]);
    }
    tlwFreeStressPeel(&peel);
    tlwFreeStressSystem(&whole);
    tlwFreeStressSystem(&peeled);
}

static void test_deflation_solves_the_rigid_modes(void **state)
{
    (void)state;
    tlwStressSystem system;
    int16_t none = 0;
    int count;
    assert_int_equal(buildProblem(&system, lumps, NULL, 32), TLW_OK);
    assert_true(makeBulk(&system));
    int slot = tlwAddField(&system.level.grid, sizeof none, &none, false);
    int16_t *label = system.level.grid.fields[slot].data;
    assert_int_equal(tlwFindStiffParts(NULL, &system.level, 1, label, &count), TLW_OK);
    assert_int_equal(count, 7);
    tlwStressDeflation deflation;
    assert_int_equal(tlwInitStressDeflation(NULL, &deflation, &system.level, label, count), TLW_OK);
    tlwFaceDoubles x, y;
    assert_true(tlwAddFaceDoubles(&system.level, &x) && tlwAddFaceDoubles(&system.level, &y));
    double q[42], back[42];
    for (int n = 0; n < 42; n++)
        q[n] = sin(n + 1.0);
    tlwAddRigid(NULL, &deflation.parts, q, &x);
    tlwApplyStress(NULL, &system.level, &x, &y);
    tlwRigidMoments(NULL, &deflation.parts, &y, back);
    tlwSolveEnvelope(&deflation.matrix, back);
    for (int n = 0; n < 42; n++)
        assert_true(fabs(back[n] - q[n]) < 1e-9);
    tlwFreeStressDeflation(&deflation);
    tlwFreeStressSystem(&system);
}

// W' (scale r - A z), face by face. Returns the sum of the terms' sizes, which bounds its rounding.
static double rigidResidualReference(const tlwRigidParts *parts, const tlwFaceDoubles *r, double scale,
                                     const tlwFaceFloats *z, double *out)
{
    tlwStressLevel *level = (tlwStressLevel *)parts->level;
    tlwFaceDoubles x, y;
    double size = 0;
    assert_true(tlwAddFaceDoubles(level, &x) && tlwAddFaceDoubles(level, &y));
    for (int a = 0; a < 3; a++)
        for (int64_t i = 0; i < level->grid.cell_count; i++)
            x.at[a][i] = z->at[a][i];
    applyReference(level, &x, &y);
    for (int t = 0; t < level->grid.tile_count; t++)
        TLW_FOR_ROWS(&level->grid, &level->grid.tiles[t], j, k, row)
            for (int i = 0; i < TLW_TILE; i++)
                for (int a = 0; a < 3; a++) {
                    int n = tlwFaceLabel(level, parts->label, a, row + i) - 1, mode[3];
                    double value[3];
                    if (n < 0)
                        continue;
                    tlwRigidModes(parts->centre[n], parts->radius[n], a, level->grid.tiles[t].cell[0] + i, (double)j, k,
                                  mode, value);
                    double f = scale * r->at[a][row + i] - y.at[a][row + i];
                    size += fabs(f);
                    for (int p = 0; p < 3; p++)
                        out[6 * n + mode[p]] += f * value[p];
                }
    return size;
}

static void checkRigidResidual(CellFn *problem, int n, bool bulk)
{
    tlwStressSystem system;
    int16_t none = 0;
    int count;
    assert_int_equal(buildProblem(&system, problem, NULL, n), TLW_OK);
    assert_true(!bulk || makeBulk(&system));
    assert_int_equal(tlwTrimSpans(NULL, &system.level), TLW_OK);
    int slot = tlwAddField(&system.level.grid, sizeof none, &none, false);
    int16_t *label = system.level.grid.fields[slot].data;
    assert_int_equal(tlwFindStiffParts(NULL, &system.level, 1, label, &count), TLW_OK);
    tlwRigidParts parts;
    assert_int_equal(tlwInitRigidParts(NULL, &parts, &system.level, label, count), TLW_OK);
    tlwFaceDoubles r;
    tlwFaceFloats z;
    assert_true(tlwAddFaceDoubles(&system.level, &r) && tlwAddFaceFloats(&system.level, &z));
    for (int a = 0; a < 3; a++)
        for (int64_t i = 0; i < system.level.grid.cell_count; i++)
            if (system.level.mass[a][i] > 0) {
                r.at[a][i] = cos(0.37 * (double)i + a);
                z.at[a][i] = (float)sin(0.21 * (double)i - a);
            }
    double fast[6 * TLW_MAX_PARTS], plain[6 * TLW_MAX_PARTS] = {0};
    tlwRigidResidual(NULL, &parts, &r, 0.7, &z, fast);
    double size = rigidResidualReference(&parts, &r, 0.7, &z, plain);
    for (int m = 0; m < 6 * count; m++)
        assert_true(fabs(fast[m] - plain[m]) < 1e-14 * size);
    tlwFreeRigidParts(&parts);
    tlwFreeStressSystem(&system);
}

// Also where a part is so large that most samples in it are left out.
static void test_rigid_residual_matches_the_plain_sum(void **state)
{
    (void)state;
    for (int bulk = 0; bulk < 2; bulk++) {
        checkRigidResidual(lumps, 32, bulk);
        checkRigidResidual(pool, 64, bulk);
    }
}

static bool cancelAtOnce(void *user)
{
    (void)user;
    return true;
}

static void test_cancel_and_failure_are_reported(void **state)
{
    (void)state;
    double ratio = 1e6;
    tlwStressSystem system;
    tlwStressStats stats;
    assert_int_equal(buildProblem(&system, twoBlocks, &ratio, 16), TLW_OK);
    tlwStressOptions options = {.tolerance = 1e-6, .max_iterations = 400, .cancel = cancelAtOnce};
    assert_int_equal(tlwSolveStress(NULL, &system, &options, &stats), TLW_CANCELLED);
    options = (tlwStressOptions){.tolerance = 1e-6, .max_iterations = 2};
    assert_int_equal(tlwSolveStress(NULL, &system, &options, &stats), TLW_NOT_CONVERGED);
    assert_true(stats.residual > 1e-6);
    tlwFreeStressSystem(&system);
}

// A solve that gets nowhere ends soon, and the second preconditioner is not tried either.
static void test_a_hopeless_solve_gives_up(void **state)
{
    (void)state;
    double ratio = 1e6;
    tlwStressSystem system;
    tlwStressStats stats;
    assert_int_equal(buildProblem(&system, twoBlocks, &ratio, 16), TLW_OK);
    tlwStressOptions options = {.tolerance = 1e-6, .max_iterations = 400, .patience = 1};
    assert_int_equal(tlwSolveStress(NULL, &system, &options, &stats), TLW_NOT_CONVERGED);
    assert_true(stats.iterations == 1 && stats.residual > 0.1);
    tlwFreeStressSystem(&system);
    assert_int_equal(buildProblem(&system, twoBlocks, &ratio, 16), TLW_OK);
    options.patience = 200; // by then it is solved
    assert_int_equal(tlwSolveStress(NULL, &system, &options, &stats), TLW_OK);
    tlwFreeStressSystem(&system);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_blocks_converge_at_any_contrast),
        cmocka_unit_test(test_melting_statue_converges),
        cmocka_unit_test(test_stiff_lumps_in_thin_liquid_converge),
        cmocka_unit_test(test_pool_with_ball_and_free_blob_converges),
        cmocka_unit_test(test_solution_matches_a_direct_solve),
        cmocka_unit_test(test_every_method_gives_the_same_answer),
        cmocka_unit_test(test_thread_count_does_not_change_a_bit),
        cmocka_unit_test(test_peeling_is_exact),
        cmocka_unit_test(test_peeled_shares_are_the_whole_face),
        cmocka_unit_test(test_deflation_solves_the_rigid_modes),
        cmocka_unit_test(test_rigid_residual_matches_the_plain_sum),
        cmocka_unit_test(test_cancel_and_failure_are_reported),
        cmocka_unit_test(test_a_hopeless_solve_gives_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
