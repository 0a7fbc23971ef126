// The pressure solver: multigrid must converge fast, whatever the geometry, and give the same bits on any thread count.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/context.h"
#include "base/memory.h"
#include "solve/poisson/coarsen.h"
#include "solve/poisson/level.h"
#include "solve/poisson/poisson.h"
#include "solve/poisson/rows.h"

typedef struct Problem {
    tlwGrid grid;
    tlwPoissonSystem system;
    int x, b;
} Problem;

// What cell (i, j, k) is in a tank of n^3 cells.
typedef uint8_t CellFn(int i, int j, int k, int n);

static uint8_t damBreak(int i, int j, int k, int n)
{
    if (i < 0 || j < 0 || k < 0 || i >= n || j >= n || k >= n)
        return TLW_CELL_SOLID;
    return i < n / 2 && k < 3 * n / 4 ? TLW_CELL_LIQUID : TLW_CELL_AIR;
}

static uint8_t poolWithPillars(int i, int j, int k, int n)
{
    if (i < 0 || j < 0 || k < 0 || i >= n || j >= n || k >= n)
        return TLW_CELL_SOLID;
    if ((i * 7 / n) % 2 && (j * 5 / n) % 2)
        return TLW_CELL_SOLID;
    double height = n * (0.6 + 0.2 * sin(9.0 * i / n) * cos(7.0 * j / n));
    return k < height ? TLW_CELL_LIQUID : TLW_CELL_AIR;
}

static uint8_t closedBox(int i, int j, int k, int n)
{
    return i < 0 || j < 0 || k < 0 || i >= n || j >= n || k >= n ? TLW_CELL_SOLID : TLW_CELL_LIQUID;
}

static void makeProblem(Problem *p, CellFn *cell, int n)
{
    tlwInitGrid(&p->grid, (tlwVec3){0, 0, 0}, (int[3]){n, n, n}, 1.0 / n);
    int tiles = n / TLW_TILE + 2, count = 0;
    int(*coords)[3] = malloc(sizeof *coords * (size_t)(tiles * tiles * tiles));
    for (int k = -1; k < tiles - 1; k++)
        for (int j = -1; j < tiles - 1; j++)
            for (int i = -1; i < tiles - 1; i++, count++) {
                coords[count][0] = i;
                coords[count][1] = j;
                coords[count][2] = k;
            }
    assert_int_equal(tlwActivateTiles(NULL, &p->grid, (const int(*)[3])coords, count), TLW_OK);
    free(coords);
    float zero = 0;
    uint8_t solid = TLW_CELL_SOLID;
    tlwPoissonSystem *s = &p->system;
    *s = (tlwPoissonSystem){.grid = &p->grid};
    s->diag = tlwAddField(&p->grid, sizeof(float), &zero, false);
    for (int a = 0; a < 3; a++)
        s->weight[a] = tlwAddField(&p->grid, sizeof(float), &zero, false);
    s->type = tlwAddField(&p->grid, 1, &solid, false);
    p->x = tlwAddField(&p->grid, sizeof(float), &zero, false);
    p->b = tlwAddField(&p->grid, sizeof(float), &zero, false);
    for (int t = 0; t < p->grid.tile_count; t++) {
        const tlwTile *tile = &p->grid.tiles[t];
        TLW_FOR_ROWS(&p->grid, tile, j, k, row)
            for (int i = 0; i < TLW_TILE; i++) {
                int c[3] = {tile->cell[0] + i, (int)j, k};
                uint8_t type = cell(c[0], c[1], c[2], n);
                tlwGetBytes(&p->grid, s->type)[row + i] = type;
                float diag = 0;
                for (int a = 0; a < 3; a++)
                    for (int side = -1; side <= 1; side += 2) {
                        int d[3] = {c[0], c[1], c[2]};
                        d[a] += side;
                        uint8_t other = cell(d[0], d[1], d[2], n);
                        if (type != TLW_CELL_LIQUID || other == TLW_CELL_SOLID)
                            continue;
                        diag += other == TLW_CELL_AIR ? 2 : 1;
                        if (other == TLW_CELL_LIQUID && side < 0)
                            tlwGetFloats(&p->grid, s->weight[a])[row + i] = 1;
                    }
                tlwGetFloats(&p->grid, s->diag)[row + i] = type == TLW_CELL_LIQUID ? diag : 1;
                unsigned h = (unsigned)c[0] * 73856093u ^ (unsigned)c[1] * 19349663u ^ (unsigned)c[2] * 83492791u;
                tlwGetFloats(&p->grid, p->b)[row + i] =
                    type == TLW_CELL_LIQUID && diag > 0 ? (float)(h % 1000) / 1000 - 0.5f + (k < n / 4) : 0;
            }
    }
}

static tlwContext *makeContext(int threads)
{
    tlwContextDef def = tlwDefaultContextDef();
    def.threads = threads;
    tlwContext *context;
    assert_int_equal(tlwCreateContext(&def, &context), TLW_OK);
    return context;
}

static int iterationsFor(CellFn *cell, int n, double tolerance)
{
    tlwContext *context = makeContext(2);
    Problem p;
    makeProblem(&p, cell, n);
    tlwPoisson *poisson = tlwCreatePoisson(context, &p.system);
    assert_non_null(poisson);
    tlwSolveStats stats;
    assert_int_equal(tlwSolvePoisson(poisson, p.x, p.b, tolerance, 60, &stats), TLW_OK);
    printf("    %3d cells: %d iterations, residual %.1e\n", n, stats.iterations, stats.residual);
    tlwDestroyPoisson(poisson);
    tlwFreeGrid(&p.grid);
    tlwDestroyContext(context);
    return stats.iterations;
}

#ifdef TLW_SANITIZED
enum { SMALL = 16, LARGE = 32 };
#else
enum { SMALL = 32, LARGE = 128 };
#endif

static void test_dam_break_converges_in_few_iterations(void **state)
{
    (void)state;
    int small = iterationsFor(damBreak, SMALL, 1e-5), large = iterationsFor(damBreak, LARGE, 1e-5);
    assert_true(large <= 14);
    assert_true(large <= 1.5 * small + 1);
}

static void test_iterations_hardly_grow_with_the_grid(void **state)
{
    (void)state;
    int few = iterationsFor(damBreak, 2 * SMALL, 1e-6), many = iterationsFor(damBreak, 2 * LARGE, 1e-6);
    assert_true(2 * many <= 3 * few);
}

static void test_rough_pool_with_pillars_converges(void **state)
{
    (void)state;
    iterationsFor(poolWithPillars, SMALL, 1e-5);
    assert_true(iterationsFor(poolWithPillars, LARGE, 1e-5) <= 20);
}

static void test_closed_box_converges(void **state)
{
    (void)state;
    tlwContext *context = makeContext(2);
    Problem p;
    makeProblem(&p, closedBox, SMALL);
    uint8_t *type = tlwGetBytes(&p.grid, p.system.type);
    // The right-hand side does not add up to zero: the solver must take that out by itself.
    int64_t count = 0, *cells = malloc((size_t)p.grid.cell_count * sizeof *cells);
    for (int64_t c = 0; c < p.grid.cell_count; c++)
        if (type[c] == TLW_CELL_LIQUID)
            cells[count++] = c;
    tlwPocket pocket = {cells, count};
    p.system.pockets = &pocket;
    p.system.pocket_count = 1;
    tlwPoisson *poisson = tlwCreatePoisson(context, &p.system);
    tlwSolveStats stats;
    assert_int_equal(tlwSolvePoisson(poisson, p.x, p.b, 1e-5, 40, &stats), TLW_OK);
    assert_true(stats.iterations <= 20);
    free(cells);
    tlwDestroyPoisson(poisson);
    tlwFreeGrid(&p.grid);
    tlwDestroyContext(context);
}

static void test_cycle_is_symmetric_and_positive(void **state)
{
    (void)state;
    tlwContext *context = makeContext(1);
    Problem p;
    makeProblem(&p, poolWithPillars, SMALL);
    tlwPoisson *poisson = tlwCreatePoisson(context, &p.system);
    int64_t n = p.grid.cell_count;
    uint8_t *type = tlwGetBytes(&p.grid, p.system.type);
    int slots[4];
    float *v[4];
    for (int m = 0; m < 4; m++) {
        slots[m] = tlwBorrowField(&p.grid, sizeof(float));
        v[m] = tlwGetFloats(&p.grid, slots[m]);
        memset(v[m], 0, (size_t)n * sizeof(float));
    }
    srand(3);
    float *diag = tlwGetFloats(&p.grid, p.system.diag);
    for (int64_t c = 0; c < n; c++)
        for (int m = 0; m < 2; m++)
            v[m][c] = type[c] == TLW_CELL_LIQUID && diag[c] > 0 ? (float)rand() / (float)RAND_MAX - 0.5f : 0;
    tlwApplyPoissonCycle(poisson, v[0], v[2]);
    tlwApplyPoissonCycle(poisson, v[1], v[3]);
    double ab = 0, ba = 0, aa = 0;
    for (int64_t c = 0; c < n; c++) {
        if (type[c] != TLW_CELL_LIQUID)
            continue;
        ab += (double)v[0][c] * v[3][c];
        ba += (double)v[1][c] * v[2][c];
        aa += (double)v[0][c] * v[2][c];
    }
    assert_true(aa > 0);
    assert_true(fabs(ab - ba) < 1e-4 * aa);
    tlwDestroyPoisson(poisson);
    tlwFreeGrid(&p.grid);
    tlwDestroyContext(context);
}

// A pool with drops above it, many of them alone in their row.
static uint8_t poolAndDrops(int i, int j, int k, int n)
{
    if (i < 0 || j < 0 || k < 0 || i >= n || j >= n || k >= n)
        return TLW_CELL_SOLID;
    return k < n / 4 || (k > n / 3 && i % 5 < 2 && j % 7 < 2 && k % 6 < 2) ? TLW_CELL_LIQUID : TLW_CELL_AIR;
}

// The equations of poisson/poisson.h cell by cell, the plain way: largest |b - A x| relative to the largest |b|.
static double plainResidual(const Problem *p, const float *x, const float *b)
{
    const tlwGrid *grid = &p->grid;
    const uint8_t *type = tlwGetBytes(grid, p->system.type);
    int64_t stride[3] = {1, grid->stride_y, grid->stride_z};
    double worst = 0, most = 0;
    for (int64_t c = 0; c < grid->cell_count; c++) {
        if (type[c] != TLW_CELL_LIQUID)
            continue;
        double sum = (double)tlwGetFloats(grid, p->system.diag)[c] * x[c];
        for (int a = 0; a < 3; a++) {
            const float *weight = tlwGetFloats(grid, p->system.weight[a]);
            sum -= weight[c] * x[c - stride[a]] + weight[c + stride[a]] * x[c + stride[a]];
        }
        worst = fmax(worst, fabs(b[c] - sum));
        most = fmax(most, fabs(b[c]));
    }
    return worst / most;
}

// Rows without unknowns are left out of every loop, so whatever scratch memory holds there must not get in.
static void test_solution_holds_cell_by_cell_whatever_scratch_memory_held(void **state)
{
    (void)state;
    tlwContext *context = makeContext(2);
    Problem p;
    makeProblem(&p, poolAndDrops, SMALL);
    int slots[8];
    for (int n = 0; n < 8; n++) {
        slots[n] = tlwBorrowField(&p.grid, sizeof(float));
        tlwFillFloats(context->threads, &p.grid, tlwGetFloats(&p.grid, slots[n]), NAN);
    }
    for (int n = 0; n < 8; n++)
        tlwReturnField(&p.grid, slots[n]);
    size_t bytes = (size_t)p.grid.cell_count * sizeof(float);
    float *b = malloc(bytes);
    memcpy(b, tlwGetFloats(&p.grid, p.b), bytes);
    tlwPoisson *poisson = tlwCreatePoisson(context, &p.system);
    tlwSolveStats stats;
    assert_int_equal(tlwSolvePoisson(poisson, p.x, p.b, 1e-5, 30, &stats), TLW_OK);
    double residual = plainResidual(&p, tlwGetFloats(&p.grid, p.x), b);
    assert_true(residual < 1e-4);
    free(b);
    tlwDestroyPoisson(poisson);
    tlwFreeGrid(&p.grid);
    tlwDestroyContext(context);
}

static void test_same_bits_on_one_and_many_threads(void **state)
{
    (void)state;
    float *first = NULL;
    for (int threads = 1; threads <= 3; threads++) {
        tlwContext *context = makeContext(threads);
        Problem p;
        makeProblem(&p, poolWithPillars, SMALL);
        tlwPoisson *poisson = tlwCreatePoisson(context, &p.system);
        tlwSolveStats stats;
        assert_int_equal(tlwSolvePoisson(poisson, p.x, p.b, 1e-5, 60, &stats), TLW_OK);
        size_t bytes = (size_t)p.grid.cell_count * sizeof(float);
        if (!first) {
            first = malloc(bytes);
            memcpy(first, tlwGetFloats(&p.grid, p.x), bytes);
        }
        assert_memory_equal(first, tlwGetFloats(&p.grid, p.x), bytes);
        tlwDestroyPoisson(poisson);
        tlwFreeGrid(&p.grid);
        tlwDestroyContext(context);
    }
    free(first);
}

// The unknowns nearest to a solid cell: across faces, failing those across edges, then corners.
static int nearestUnknowns(const tlwLevel *level, const int c[3], int64_t found[12])
{
    int count = 0;
    for (int square = 1; square <= 3 && !count; square++)
        for (int k = -1; k <= 1; k++)
            for (int j = -1; j <= 1; j++)
                for (int i = -1; i <= 1; i++) {
                    int64_t cell = tlwCellIndex(level->grid, c[0] + i, c[1] + j, c[2] + k);
                    if (i * i + j * j + k * k == square && level->type[cell] == TLW_CELL_LIQUID)
                        found[count++] = cell;
                }
    return count;
}

// Every solid cell of a coarse level that has unknowns around it is a ghost, once and in order, on any threads.
static void checkGhosts(const tlwLevel *level)
{
    int ghosts = 0;
    int64_t rows = 0;
    for (int t = 0; t < level->grid->tile_count; t++) {
        const tlwTile *tile = &level->grid->tiles[t];
        TLW_FOR_ROWS(level->grid, tile, j, k, row) {
            bool any = false, unknown = false;
            for (int i = 0; i < TLW_TILE; i++) {
                int64_t sources[12];
                unknown = unknown || level->type[row + i] == TLW_CELL_LIQUID;
                if (level->type[row + i] != TLW_CELL_SOLID)
                    continue;
                int count = nearestUnknowns(level, (int[3]){tile->cell[0] + i, (int)j, k}, sources);
                if (!count)
                    continue;
                assert_true(ghosts < level->ghost_count);
                const tlwGhost *ghost = &level->ghosts[ghosts++];
                assert_true(ghost->cell == row + i);
                assert_int_equal(ghost->count, count);
                assert_memory_equal(level->sources + ghost->first, sources, (size_t)count * sizeof *sources);
                any = true;
            }
            if (any && !unknown) {
                assert_true(rows < level->ghost_row_count);
                assert_true(level->ghost_rows[rows++] == row);
            }
        }
    }
    assert_int_equal(ghosts, level->ghost_count);
    assert_true(rows == level->ghost_row_count);
    assert_true(ghosts > 100);
}

static void test_coarse_ghosts_are_those_of_a_plain_search(void **state)
{
    (void)state;
    CellFn *const cells[] = {poolWithPillars, closedBox, damBreak};
    for (int n = 0; n < 6; n++) {
        tlwContext *context = makeContext(n < 3 ? 1 : 3);
        Problem p;
        makeProblem(&p, cells[n % 3], 32);
        float zero = 0;
        int inverse = tlwAddField(&p.grid, sizeof(float), &zero, false);
        tlwLevel fine = {.grid = &p.grid,
                         .diag = tlwGetFloats(&p.grid, p.system.diag),
                         .inverse = tlwGetFloats(&p.grid, inverse),
                         .type = tlwGetBytes(&p.grid, p.system.type)};
        for (int a = 0; a < 3; a++)
            fine.weight[a] = tlwGetFloats(&p.grid, p.system.weight[a]);
        tlwLevel coarse;
        assert_int_equal(tlwListRows(context->threads, &fine), TLW_OK);
        assert_int_equal(tlwCoarsenLevel(context->threads, &fine, &coarse), TLW_OK);
        checkGhosts(&coarse);
        tlwFreeLevel(&coarse);
        tlwFreeLevel(&fine);
        tlwFreeGrid(&p.grid);
        tlwDestroyContext(context);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dam_break_converges_in_few_iterations),
        cmocka_unit_test(test_iterations_hardly_grow_with_the_grid),
        cmocka_unit_test(test_rough_pool_with_pillars_converges),
        cmocka_unit_test(test_closed_box_converges),
        cmocka_unit_test(test_solution_holds_cell_by_cell_whatever_scratch_memory_held),
        cmocka_unit_test(test_cycle_is_symmetric_and_positive),
        cmocka_unit_test(test_coarse_ghosts_are_those_of_a_plain_search),
        cmocka_unit_test(test_same_bits_on_one_and_many_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
