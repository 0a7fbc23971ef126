#include "solve/stress/level.h"

#include "base/kernel.h"
#include "base/memory.h"
#include "base/result.h"
#include "solve/stress/stencil.h"

#include <string.h>

// Tiles t .. end - 1 are neighbours along x.
static int endOfRun(const tlwGrid *grid, int t)
{
    int end = t + 1;
    while (end < grid->tile_count && end < t + TLW_SPAN_TILES &&
           grid->tiles[end].base == grid->tiles[t].base + (end - t) * TLW_TILE &&
           grid->tiles[end].cell[1] == grid->tiles[t].cell[1] && grid->tiles[end].cell[2] == grid->tiles[t].cell[2])
        end++;
    return end;
}

static bool holdsUnknown(const tlwStressLevel *level, int64_t row)
{
    bool used = false;
    for (int64_t i = row; i < row + TLW_TILE; i++)
        used |= (level->mass[0][i] > 0) | (level->mass[1][i] > 0) | (level->mass[2][i] > 0);
    return used;
}

typedef struct Use {
    const tlwStressLevel *level;
    uint8_t *rows; // per row of each tile: it holds unknowns
} Use;

static void useRange(void *context, int64_t begin, int64_t end)
{
    const Use *use = context;
    const tlwGrid *grid = &use->level->grid;
    for (int64_t t = begin; t < end; t++) {
        uint8_t *used = use->rows + t * TLW_TILE * TLW_TILE;
        TLW_FOR_ROWS(grid, &grid->tiles[t], j, k, row)
            *used++ = holdsUnknown(use->level, row);
    }
}

// List the rows of all tiles, joined along x where they touch. If `used` is not null, only the rows it marks.
static void listSpans(tlwStressLevel *level, const uint8_t *used)
{
    const tlwGrid *grid = &level->grid;
    level->span_count = 0;
    int rows = 0;
    for (int t = 0, end; t < grid->tile_count; t = end) {
        end = endOfRun(grid, t);
        TLW_FOR_ROWS(grid, &grid->tiles[t], j, k, start) {
            tlwSpan *span = NULL;
            int64_t in_tile = (j - grid->tiles[t].cell[1]) + TLW_TILE * (k - grid->tiles[t].cell[2]);
            for (int n = t; n < end; n++) {
                int64_t row = start + (n - t) * TLW_TILE;
                if (used && !used[(int64_t)n * TLW_TILE * TLW_TILE + in_tile]) {
                    span = NULL;
                    continue;
                }
                if (!span) {
                    span = &level->spans[level->span_count++];
                    *span = (tlwSpan){row, 0, rows};
                }
                span->cells += TLW_TILE;
                rows++;
            }
        }
    }
}

static tlwResult makeSpans(tlwStressLevel *level)
{
    size_t rows = (size_t)level->grid.tile_count * TLW_TILE * TLW_TILE;
    level->spans = tlwAlloc(rows, sizeof *level->spans);
    level->partial = tlwAlloc((rows / TLW_SPAN_BLOCK + 1) * TLW_PARTIALS, sizeof *level->partial);
    if (!level->spans || !level->partial)
        return TLW_OUT_OF_MEMORY;
    listSpans(level, NULL);
    return TLW_OK;
}

tlwResult tlwInitStressLevel(tlwStressLevel *level, const int dims[3], const int (*tiles)[3], int count,
                             bool shared_normal)
{
    memset(level, 0, sizeof *level);
    tlwInitGrid(&level->grid, (tlwVec3){0, 0, 0}, dims, 1);
    TLW_TRY(tlwActivateTiles(NULL, &level->grid, tiles, count));
    TLW_TRY(makeSpans(level));
    float zero = 0;
    for (int f = 0; f < 9; f++) {
        if (shared_normal && (f == TLW_YY || f == TLW_ZZ)) {
            level->c[f] = level->c[TLW_XX];
            continue;
        }
        int slot = tlwAddField(&level->grid, sizeof(float), &zero, false);
        if (slot < 0)
            return TLW_OUT_OF_MEMORY;
        *(f < 6 ? &level->c[f] : &level->mass[f - 6]) = tlwGetFloats(&level->grid, slot);
    }
    return TLW_OK;
}

tlwResult tlwTrimSpans(tlwThreads *threads, tlwStressLevel *level)
{
    Use use = {level, tlwAlloc((size_t)level->grid.tile_count * TLW_TILE * TLW_TILE, 1)};
    if (!use.rows)
        return TLW_OUT_OF_MEMORY;
    tlwParallelFor(threads, level->grid.tile_count, TLW_TILE_BLOCK, useRange, &use);
    listSpans(level, use.rows);
    tlwFree(use.rows);
    return TLW_OK;
}

void tlwFreeStressLevel(tlwStressLevel *level)
{
    tlwFreeGrid(&level->grid);
    tlwFree(level->spans);
    tlwFree(level->partial);
    memset(level, 0, sizeof *level);
}

bool tlwAddBulk(tlwStressLevel *level)
{
    float zero = 0;
    int slot = tlwAddField(&level->grid, sizeof(float), &zero, false);
    level->c[TLW_BULK] = slot >= 0 ? tlwGetFloats(&level->grid, slot) : NULL;
    return slot >= 0;
}

bool tlwAddFaceFloats(tlwStressLevel *level, tlwFaceFloats *faces)
{
    float zero = 0;
    for (int a = 0; a < 3; a++) {
        int slot = tlwAddField(&level->grid, sizeof(float), &zero, false);
        if (slot < 0)
            return false;
        faces->at[a] = tlwGetFloats(&level->grid, slot);
    }
    return true;
}

bool tlwAddFaceDoubles(tlwStressLevel *level, tlwFaceDoubles *faces)
{
    double zero = 0;
    for (int a = 0; a < 3; a++) {
        int slot = tlwAddField(&level->grid, sizeof(double), &zero, false);
        if (slot < 0)
            return false;
        faces->at[a] = tlwGetDoubles(&level->grid, slot);
    }
    return true;
}

typedef struct Fill {
    const tlwGrid *grid;
    double *field;
    double value;
} Fill;

static void fillRange(void *context, int64_t begin, int64_t end)
{
    const Fill *fill = context;
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(fill->grid, &fill->grid->tiles[t], j, k, row)
            for (int i = 0; i < TLW_TILE; i++)
                fill->field[row + i] = fill->value;
}

void tlwFillDoubles(tlwThreads *threads, const tlwGrid *grid, double *field, double value)
{
    Fill fill = {grid, field, value};
    tlwParallelFor(threads, grid->tile_count, TLW_TILE_BLOCK, fillRange, &fill);
}

// A loop compiled twice, without and with bulk samples.
#define COMPILE_BOTH(name)                                                                                             \
    TLW_KERNEL static void name##Range(void *context, int64_t begin, int64_t end)                                      \
    {                                                                                                                  \
        name##Rows(context, begin, end, false);                                                                        \
    }                                                                                                                  \
    TLW_KERNEL static void name##BulkRange(void *context, int64_t begin, int64_t end)                                  \
    {                                                                                                                  \
        name##Rows(context, begin, end, true);                                                                         \
    }
#define CHOOSE(level, name) ((level)->c[TLW_BULK] ? name##BulkRange : name##Range)

typedef struct Job {
    const tlwStressLevel *level;
    const tlwFaceFloats *b, *x;
    tlwFaceFloats *out;
    const tlwFaceDoubles *xd;
    tlwFaceDoubles *yd;
    float alpha, beta, previous;
} Job;

static inline __attribute__((always_inline)) void applyRows(const Job *job, int64_t begin, int64_t end, bool bulk)
{
    const Stencil s = makeStencil(job->level, bulk);
    const double *u = job->xd->at[0], *v = job->xd->at[1], *w = job->xd->at[2];
    double *restrict yu = job->yd->at[0], *restrict yv = job->yd->at[1], *restrict yw = job->yd->at[2];
    double sum[TLW_TILE] = {0};
    TLW_FOR_SPAN_ROWS(job->level, begin, end, i) {
        prefetchStencil(&s, i);
        PREFETCH3(job->xd->at, i + s.y + s.z);
        PREFETCH3(job->yd->at, i + s.y);
#pragma GCC ivdep
        for (int l = 0; l < TLW_TILE; l++) {
            double a[3];
            rowOfA_d(&s, u, v, w, i + l, a);
            yu[i + l] = a[0], yv[i + l] = a[1], yw[i + l] = a[2];
            sum[l] += (u[i + l] * a[0] + v[i + l] * a[1]) + w[i + l] * a[2];
        }
    }
    partialsOf(job->level, begin)[0] = addLanes(sum);
}

COMPILE_BOTH(apply)

double tlwApplyStress(tlwThreads *threads, const tlwStressLevel *level, const tlwFaceDoubles *x, tlwFaceDoubles *y)
{
    Job job = {.level = level, .xd = x, .yd = y};
    tlwParallelFor(threads, level->span_count, TLW_SPAN_BLOCK, CHOOSE(level, apply), &job);
    return sumPartials(level, 0);
}

static inline __attribute__((always_inline)) void residualRows(const Job *job, int64_t begin, int64_t end, bool store,
                                                               bool bulk)
{
    const Stencil s = makeStencil(job->level, bulk);
    const double *u = job->xd->at[0], *v = job->xd->at[1], *w = job->xd->at[2];
    const float *bu = job->b->at[0], *bv = job->b->at[1], *bw = job->b->at[2];
    double *restrict ru = store ? job->yd->at[0] : NULL, *restrict rv = store ? job->yd->at[1] : NULL,
                     *restrict rw = store ? job->yd->at[2] : NULL;
    double sum[TLW_TILE] = {0};
    TLW_FOR_SPAN_ROWS(job->level, begin, end, i) {
        prefetchStencil(&s, i);
        PREFETCH3(job->xd->at, i + s.y + s.z);
        PREFETCH3(job->b->at, i + s.y);
#pragma GCC ivdep
        for (int l = 0; l < TLW_TILE; l++) {
            double a[3];
            rowOfA_d(&s, u, v, w, i + l, a);
            double mu = s.mu[i + l], mv = s.mv[i + l], mw = s.mw[i + l];
            double r0 = mu > 0 ? bu[i + l] - a[0] : 0, r1 = mv > 0 ? bv[i + l] - a[1] : 0,
                   r2 = mw > 0 ? bw[i + l] - a[2] : 0;
            if (store)
                ru[i + l] = r0, rv[i + l] = r1, rw[i + l] = r2;
            sum[l] += (r0 * r0 / (mu > 0 ? mu : 1) + r1 * r1 / (mv > 0 ? mv : 1)) + r2 * r2 / (mw > 0 ? mw : 1);
        }
    }
    partialsOf(job->level, begin)[0] = addLanes(sum);
}

static inline __attribute__((always_inline)) void storedRows(const Job *job, int64_t begin, int64_t end, bool bulk)
{
    residualRows(job, begin, end, true, bulk);
}

static inline __attribute__((always_inline)) void normRows(const Job *job, int64_t begin, int64_t end, bool bulk)
{
    residualRows(job, begin, end, false, bulk);
}

COMPILE_BOTH(stored)
COMPILE_BOTH(norm)

double tlwStressResidual(tlwThreads *threads, const tlwStressLevel *level, const tlwFaceFloats *b,
                         const tlwFaceDoubles *x, tlwFaceDoubles *r)
{
    Job job = {.level = level, .b = b, .xd = x, .yd = r};
    tlwParallelFor(threads, level->span_count, TLW_SPAN_BLOCK, r ? CHOOSE(level, stored) : CHOOSE(level, norm), &job);
    return sumPartials(level, 0);
}

static inline __attribute__((always_inline)) void residualFloatRows(const Job *job, int64_t begin, int64_t end,
                                                                    bool bulk)
{
    const Stencil s = makeStencil(job->level, bulk);
    const float *u = job->x->at[0], *v = job->x->at[1], *w = job->x->at[2];
    const float *bu = job->b->at[0], *bv = job->b->at[1], *bw = job->b->at[2];
    float *restrict ru = job->out->at[0], *restrict rv = job->out->at[1], *restrict rw = job->out->at[2];
    TLW_FOR_SPAN_ROWS(job->level, begin, end, i) {
        prefetchStencil(&s, i);
        PREFETCH3(job->x->at, i + s.y + s.z);
        PREFETCH3(job->b->at, i + s.y);
        PREFETCH3(job->out->at, i + s.y);
#pragma GCC ivdep
        for (int l = 0; l < TLW_TILE; l++) {
            float a[3];
            rowOfA_f(&s, u, v, w, i + l, a);
            ru[i + l] = s.mu[i + l] > 0 ? bu[i + l] - a[0] : 0;
            rv[i + l] = s.mv[i + l] > 0 ? bv[i + l] - a[1] : 0;
            rw[i + l] = s.mw[i + l] > 0 ? bw[i + l] - a[2] : 0;
        }
    }
}

COMPILE_BOTH(residualFloat)

void tlwStressResidualFloat(tlwThreads *threads, const tlwStressLevel *level, const tlwFaceFloats *b,
                            const tlwFaceFloats *x, tlwFaceFloats *r)
{
    Job job = {.level = level, .b = b, .x = x, .out = r};
    tlwParallelFor(threads, level->span_count, TLW_SMALL_SPAN_BLOCK, CHOOSE(level, residualFloat), &job);
}

static inline __attribute__((always_inline)) void smoothRows(const Job *job, int64_t begin, int64_t end, bool bulk)
{
    const Stencil s = makeStencil(job->level, bulk);
    const float now = 1 + job->alpha, before = job->previous, beta = job->beta;
    const float *u = job->x->at[0], *v = job->x->at[1], *w = job->x->at[2];
    const float *bu = job->b->at[0], *bv = job->b->at[1], *bw = job->b->at[2];
    float *restrict pu = job->out->at[0], *restrict pv = job->out->at[1], *restrict pw = job->out->at[2];
    TLW_FOR_SPAN_ROWS(job->level, begin, end, i) {
        prefetchStencil(&s, i);
        PREFETCH3(job->x->at, i + s.y + s.z);
        PREFETCH3(job->b->at, i + s.y);
        PREFETCH3(job->out->at, i + s.y);
#pragma GCC ivdep
        for (int l = 0; l < TLW_TILE; l++) {
            float a[3], d[3];
            rowOfA_f(&s, u, v, w, i + l, a);
            diagonalOfA(&s, i + l, d);
            float x0 = u[i + l], x1 = v[i + l], x2 = w[i + l];
            float y0 = now * x0 - before * pu[i + l] + beta * (bu[i + l] - a[0]) / d[0];
            float y1 = now * x1 - before * pv[i + l] + beta * (bv[i + l] - a[1]) / d[1];
            float y2 = now * x2 - before * pw[i + l] + beta * (bw[i + l] - a[2]) / d[2];
            pu[i + l] = s.mu[i + l] > 0 ? y0 : 0;
            pv[i + l] = s.mv[i + l] > 0 ? y1 : 0;
            pw[i + l] = s.mw[i + l] > 0 ? y2 : 0;
        }
    }
}

COMPILE_BOTH(smooth)

void tlwSmoothStress(tlwThreads *threads, const tlwStressLevel *level, const tlwFaceFloats *b, const tlwFaceFloats *x,
                     float alpha, float beta, bool previous_is_zero, tlwFaceFloats *previous)
{
    Job job = {.level = level, .b = b, .x = x, .out = previous, .alpha = alpha, .beta = beta};
    job.previous = previous_is_zero ? 0 : alpha;
    tlwParallelFor(threads, level->span_count, TLW_SMALL_SPAN_BLOCK, CHOOSE(level, smooth), &job);
}

static inline __attribute__((always_inline)) void scaleRows(const Job *job, int64_t begin, int64_t end, bool bulk)
{
    const Stencil s = makeStencil(job->level, bulk);
    const float beta = job->beta;
    const float *bu = job->b->at[0], *bv = job->b->at[1], *bw = job->b->at[2];
    float *restrict xu = job->out->at[0], *restrict xv = job->out->at[1], *restrict xw = job->out->at[2];
    TLW_FOR_SPAN_ROWS(job->level, begin, end, i) {
        prefetchStencil(&s, i);
        PREFETCH3(job->b->at, i + s.y);
        PREFETCH3(job->out->at, i + s.y);
#pragma GCC ivdep
        for (int l = 0; l < TLW_TILE; l++) {
            float d[3];
            diagonalOfA(&s, i + l, d);
            xu[i + l] = s.mu[i + l] > 0 ? beta * bu[i + l] / d[0] : 0;
            xv[i + l] = s.mv[i + l] > 0 ? beta * bv[i + l] / d[1] : 0;
            xw[i + l] = s.mw[i + l] > 0 ? beta * bw[i + l] / d[2] : 0;
        }
    }
}

COMPILE_BOTH(scale)

void tlwScaleByDiagonal(tlwThreads *threads, const tlwStressLevel *level, const tlwFaceFloats *b, float beta,
                        tlwFaceFloats *x)
{
    Job job = {.level = level, .b = b, .out = x, .beta = beta};
    tlwParallelFor(threads, level->span_count, TLW_SMALL_SPAN_BLOCK, CHOOSE(level, scale), &job);
}

// A shear sample adds c to a face's diagonal and 3 c to the sum of its off-diagonal sizes; a normal sample adds c and
// c, a bulk sample c and 5 c.
static double boundRange(void *context, int64_t begin, int64_t end)
{
    const Job *job = context;
    const tlwStressLevel *level = job->level;
    const Stencil s = makeStencil(level, level->c[TLW_BULK] != NULL);
    const int64_t stride[3] = {1, s.y, s.z};
    float bound = 1;
    TLW_FOR_SPAN_ROWS(level, begin, end, row)
        for (int64_t i = row; i < row + TLW_TILE; i++) {
            float d[3], normal[3] = {s.xx[i] + s.xx[i - 1], s.yy[i] + s.yy[i - s.y], s.zz[i] + s.zz[i - s.z]};
            diagonalOfA(&s, i, d);
            for (int a = 0; a < 3; a++) {
                float mass = level->mass[a][i];
                if (mass > 0) {
                    float bulk = s.has_bulk ? s.bulk[i] + s.bulk[i - stride[a]] : 0;
                    float row_sum = mass + 2 * normal[a] + 6 * bulk + 4 * (d[a] - mass - normal[a] - bulk);
                    bound = row_sum > bound * d[a] ? row_sum / d[a] : bound;
                }
            }
        }
    return bound;
}

double tlwBoundStress(tlwThreads *threads, const tlwStressLevel *level)
{
    Job job = {.level = level};
    return tlwParallelMax(threads, level->span_count, TLW_SPAN_BLOCK, boundRange, &job);
}

static double countRange(void *context, int64_t begin, int64_t end)
{
    const Job *job = context;
    const Stencil s = makeStencil(job->level, false);
    int64_t count = 0;
    TLW_FOR_SPAN_ROWS(job->level, begin, end, row)
        for (int64_t i = row; i < row + TLW_TILE; i++)
            count += (s.mu[i] > 0) + (s.mv[i] > 0) + (s.mw[i] > 0);
    return (double)count;
}

int64_t tlwCountUnknowns(tlwThreads *threads, const tlwStressLevel *level)
{
    Job job = {.level = level};
    return (int64_t)tlwParallelSum(threads, level->span_count, TLW_SPAN_BLOCK, countRange, &job);
}
