#include "solve/poisson/poisson.h"

#include "base/context.h"
#include "base/kernel.h"
#include "base/memory.h"
#include "solve/poisson/coarsen.h"
#include "solve/poisson/kernels.h"
#include "solve/poisson/level.h"
#include "solve/poisson/rows.h"

#include <math.h>
#include <string.h>

#define MAX_LEVELS 12
#define SWEEPS 2 // red-black sweeps before and after the coarse correction
#define COARSEST_SWEEPS 12
#define DIRECT 64 // a level with at most this many unknowns is solved directly

struct tlwPoisson {
    const tlwContext *context;
    tlwPoissonSystem system;
    tlwLevel levels[MAX_LEVELS];
    int level_count;
    int p, z, y, inverse; // scratch slots of the finest grid
};

static bool buildLevels(tlwPoisson *poisson)
{
    tlwThreads *threads = poisson->context->threads;
    tlwLevel *level = poisson->levels;
    if (tlwListRows(threads, level) != TLW_OK)
        return false;
    while (poisson->level_count < MAX_LEVELS && level->unknown_count > DIRECT) {
        poisson->level_count++;
        if (tlwCoarsenLevel(threads, level, level + 1) != TLW_OK)
            return false;
        level++;
    }
    return level->unknown_count > DIRECT || tlwFactorLevel(level) == TLW_OK;
}

tlwPoisson *tlwCreatePoisson(const tlwContext *context, const tlwPoissonSystem *system)
{
    tlwPoisson *poisson = tlwAlloc(1, sizeof *poisson);
    if (!poisson)
        return NULL;
    poisson->context = context;
    poisson->system = *system;
    tlwGrid *grid = system->grid;
    poisson->p = tlwBorrowField(grid, sizeof(float));
    poisson->z = tlwBorrowField(grid, sizeof(float));
    poisson->y = tlwBorrowField(grid, sizeof(float));
    poisson->inverse = tlwBorrowField(grid, sizeof(float));
    bool ok = poisson->p >= 0 && poisson->z >= 0 && poisson->y >= 0 && poisson->inverse >= 0;
    tlwLevel *top = &poisson->levels[0];
    top->grid = grid;
    top->diag = tlwGetFloats(grid, system->diag);
    for (int a = 0; a < 3; a++)
        top->weight[a] = tlwGetFloats(grid, system->weight[a]);
    top->type = tlwGetBytes(grid, system->type);
    poisson->level_count = 1;
    if (ok) {
        top->inverse = tlwGetFloats(grid, poisson->inverse);
        tlwFillFloats(context->threads, grid, tlwGetFloats(grid, poisson->p), 0);
        tlwFillFloats(context->threads, grid, tlwGetFloats(grid, poisson->z), 0);
        tlwFillFloats(context->threads, grid, tlwGetFloats(grid, poisson->y), 0);
        ok = buildLevels(poisson);
    }
    if (ok)
        return poisson;
    tlwDestroyPoisson(poisson);
    return NULL;
}

void tlwDestroyPoisson(tlwPoisson *poisson)
{
    if (!poisson)
        return;
    tlwReturnField(poisson->system.grid, poisson->p);
    tlwReturnField(poisson->system.grid, poisson->z);
    tlwReturnField(poisson->system.grid, poisson->y);
    tlwReturnField(poisson->system.grid, poisson->inverse);
    for (int n = 0; n < poisson->level_count; n++)
        tlwFreeLevel(&poisson->levels[n]);
    tlwFree(poisson);
}

void tlwRestPoisson(tlwPoisson *poisson)
{
    const int slots[] = {poisson->p, poisson->z, poisson->y};
    tlwReleaseFields(poisson->context->threads, poisson->system.grid, slots, 3);
}

// Numbers of four bytes that are moved per cell of a level's rows. The first half sweep reads b and 1 / diag and writes
// x. The other half sweeps read x, b, 1 / diag and three weights and write x; the residual moves as much. Restriction
// reads r, prolongation reads and writes x. Conjugate gradients: two sums of products, direction, operator, step.
#define CYCLE_NUMBERS (3 + (4 * SWEEPS - 1) * 7 + 7 + 1 + 2)
#define KRYLOV_NUMBERS (2 + 3 + 6 + 2 + 6)

static double countBytes(const tlwPoisson *poisson)
{
    double numbers = 0;
    for (int n = 0; n < poisson->level_count; n++)
        if (!poisson->levels[n].numbering)
            numbers += (double)poisson->levels[n].row_count * TLW_TILE * (CYCLE_NUMBERS + (n ? 2 : KRYLOV_NUMBERS));
    return numbers * sizeof(float);
}

static void smooth(tlwThreads *threads, const tlwLevel *level, float *x, const float *b, int sweeps, int first_color,
                   bool start)
{
    for (int s = 0; s < sweeps; s++) {
        tlwSmoothLevel(threads, level, x, b, first_color, start && s == 0);
        tlwSmoothLevel(threads, level, x, b, 1 - first_color, false);
    }
}

static void cycle(tlwPoisson *poisson, int depth, float *x, const float *b, float *r)
{
    tlwThreads *threads = poisson->context->threads;
    tlwLevel *level = &poisson->levels[depth];
    if (level->numbering) {
        tlwSolveLevel(level, x, b);
        return;
    }
    if (depth + 1 == poisson->level_count) {
        smooth(threads, level, x, b, COARSEST_SWEEPS, 0, true);
        smooth(threads, level, x, b, COARSEST_SWEEPS, 1, false);
        return;
    }
    tlwLevel *coarse = level + 1;
    smooth(threads, level, x, b, SWEEPS, 0, true);
    tlwComputeResidual(threads, level, x, b, r);
    tlwRestrictResidual(threads, level, r, coarse);
    cycle(poisson, depth + 1, coarse->x, coarse->b, coarse->r);
    tlwProlongate(threads, coarse, level, x);
    smooth(threads, level, x, b, SWEEPS, 1, false);
}

void tlwApplyPoissonCycle(tlwPoisson *poisson, const float *r, float *z)
{
    cycle(poisson, 0, z, r, tlwGetFloats(poisson->system.grid, poisson->y));
}

static void apply(tlwPoisson *poisson, const float *x, float *y)
{
    tlwApplyLevel(poisson->context->threads, &poisson->levels[0], x, y);
    if (poisson->system.apply_extra)
        poisson->system.apply_extra(poisson->system.user, x, y);
}

// Vector work of conjugate gradients, over rows with unknowns.
typedef struct Vectors {
    const tlwRow *rows;
    const float *a, *b;
    float *c, *d;
    float s;
} Vectors;

TLW_KERNEL static double dotRange(void *context, int64_t begin, int64_t end)
{
    const Vectors *v = context;
    double sum[TLW_TILE] = {0};
    for (int64_t n = begin; n < end; n++)
        for (int64_t row = TLW_ROW_START(v->rows[n]), i = 0; i < TLW_TILE; i++)
            sum[i] += (double)v->a[row + i] * v->b[row + i];
    return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}

static double dot(const tlwPoisson *poisson, const float *a, const float *b)
{
    const tlwLevel *top = &poisson->levels[0];
    Vectors v = {.rows = top->rows, .a = a, .b = b};
    return tlwParallelSum(poisson->context->threads, top->row_count, TLW_ROW_BLOCK, dotRange, &v);
}

// x += s p, r -= s y; returns the new |r|^2
TLW_KERNEL static double stepRange(void *context, int64_t begin, int64_t end)
{
    const Vectors *v = context;
    double sum[TLW_TILE] = {0};
    for (int64_t n = begin; n < end; n++)
        for (int64_t row = TLW_ROW_START(v->rows[n]), i = 0; i < TLW_TILE; i++) {
            v->c[row + i] += v->s * v->a[row + i];
            float r = v->d[row + i] - v->s * v->b[row + i];
            v->d[row + i] = r;
            sum[i] += (double)r * r;
        }
    return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}

// p = z. Does not read p: a fresh page that is read before it is written costs two page faults.
static void firstDirectionRange(void *context, int64_t begin, int64_t end)
{
    const Vectors *v = context;
    for (int64_t n = begin; n < end; n++) {
        int64_t row = TLW_ROW_START(v->rows[n]);
        memcpy(v->c + row, v->a + row, TLW_TILE * sizeof *v->c);
    }
}

// p = z + s p
TLW_KERNEL static void directionRange(void *context, int64_t begin, int64_t end)
{
    const Vectors *v = context;
    for (int64_t n = begin; n < end; n++)
        for (int64_t row = TLW_ROW_START(v->rows[n]), i = 0; i < TLW_TILE; i++)
            v->c[row + i] = v->a[row + i] + v->s * v->c[row + i];
}

// r = b - A x, r over b
TLW_KERNEL static void subtractRange(void *context, int64_t begin, int64_t end)
{
    const Vectors *v = context;
    for (int64_t n = begin; n < end; n++)
        for (int64_t row = TLW_ROW_START(v->rows[n]), i = 0; i < TLW_TILE; i++)
            v->c[row + i] -= v->a[row + i];
}

typedef struct PocketSum {
    const int64_t *cells;
    float *x;
    float mean;
} PocketSum;

static double pocketSumRange(void *context, int64_t begin, int64_t end)
{
    const PocketSum *s = context;
    double sum = 0;
    for (int64_t n = begin; n < end; n++)
        sum += s->x[s->cells[n]];
    return sum;
}

static void pocketShiftRange(void *context, int64_t begin, int64_t end)
{
    const PocketSum *s = context;
    for (int64_t n = begin; n < end; n++)
        s->x[s->cells[n]] -= s->mean;
}

// Constants over a pocket are in the null space of the matrix. Residuals and directions must not contain them.
static void removeMeans(const tlwPoisson *poisson, float *x)
{
    for (int n = 0; n < poisson->system.pocket_count; n++) {
        const tlwPocket *pocket = &poisson->system.pockets[n];
        PocketSum s = {pocket->cells, x, 0};
        double sum = tlwParallelSum(poisson->context->threads, pocket->count, 4096, pocketSumRange, &s);
        s.mean = (float)(sum / (double)pocket->count);
        tlwParallelFor(poisson->context->threads, pocket->count, 4096, pocketShiftRange, &s);
    }
}

tlwResult tlwSolvePoisson(tlwPoisson *poisson, int x_slot, int b_slot, double tolerance, int max_iterations,
                          tlwSolveStats *stats)
{
    tlwGrid *grid = poisson->system.grid;
    tlwThreads *threads = poisson->context->threads;
    const tlwRow *rows = poisson->levels[0].rows;
    int64_t row_count = poisson->levels[0].row_count;
    float *x = tlwGetFloats(grid, x_slot), *r = tlwGetFloats(grid, b_slot), *p = tlwGetFloats(grid, poisson->p),
          *z = tlwGetFloats(grid, poisson->z), *y = tlwGetFloats(grid, poisson->y);
    *stats = (tlwSolveStats){.unknowns = poisson->levels[0].unknown_count, .bytes_per_iteration = countBytes(poisson)};
    removeMeans(poisson, r);
    double target = dot(poisson, r, r);
    if (!(target > 0)) {
        tlwFillFloats(threads, grid, x, 0);
        return TLW_OK;
    }
    apply(poisson, x, y);
    Vectors v = {.rows = rows, .a = y, .c = r};
    tlwParallelFor(threads, row_count, TLW_ROW_BLOCK, subtractRange, &v);
    removeMeans(poisson, r);
    double limit = tolerance * tolerance * target, rr = dot(poisson, r, r), rz_old = 1;
    while (rr > limit) {
        if (stats->iterations == max_iterations) {
            stats->residual = sqrt(rr / target);
            return TLW_NOT_CONVERGED;
        }
        if (tlwIsCancelled(poisson->context))
            return TLW_CANCELLED;
        tlwApplyPoissonCycle(poisson, r, z);
        removeMeans(poisson, z);
        double rz = dot(poisson, r, z);
        v = (Vectors){.rows = rows, .a = z, .c = p, .s = (float)(rz / rz_old)};
        tlwParallelFor(threads, row_count, TLW_ROW_BLOCK, stats->iterations ? directionRange : firstDirectionRange, &v);
        rz_old = rz;
        apply(poisson, p, y);
        double py = dot(poisson, p, y);
        if (!(py > 0))
            break;
        v = (Vectors){.rows = rows, .a = p, .b = y, .c = x, .d = r, .s = (float)(rz / py)};
        rr = tlwParallelSum(threads, row_count, TLW_ROW_BLOCK, stepRange, &v);
        if (poisson->system.pocket_count) {
            removeMeans(poisson, r);
            rr = dot(poisson, r, r);
        }
        stats->iterations++;
    }
    stats->residual = sqrt(rr / target);
    return rr <= limit ? TLW_OK : TLW_NOT_CONVERGED;
}
