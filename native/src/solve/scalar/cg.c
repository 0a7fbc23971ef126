#include "solve/scalar/cg.h"

#include "base/kernel.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

typedef struct Work {
    const tlwScalarSystem *system;
    float *x, *r, *p, *q;
    double *lump_x, *lump_r, *lump_p, *lump_q;
    double *parts; // lump_count sums per block of tiles
    double alpha, beta;
} Work;

static bool isLump(const tlwScalarSystem *s, int64_t c)
{
    return s->lump[c] >= 0 && s->lump[c] < s->lump_count;
}

// Rows keep eight running sums, one per lane, so that they vectorise without reordering additions.
static double addLanes(const double lanes[TLW_TILE])
{
    return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
}

static inline void applyRow(const tlwScalarSystem *s, const float *restrict p, float *restrict q, int64_t row,
                            double *restrict lanes)
{
    int64_t sy = s->grid->stride_y, sz = s->grid->stride_z;
    const float *d = s->diag + row, *wx = s->weight[0] + row, *wy = s->weight[1] + row, *wz = s->weight[2] + row;
    const float *a = p + row;
    float *out = q + row;
    for (int i = 0; i < TLW_TILE; i++) {
        out[i] = d[i] * a[i] - (wx[i] * a[i - 1] + wx[i + 1] * a[i + 1]) -
                 (wy[i] * a[i - sy] + wy[i + sy] * a[i + sy]) - (wz[i] * a[i - sz] + wz[i + sz] * a[i + sz]);
        lanes[i] += (double)a[i] * (double)out[i];
    }
}

// q = A p; returns this range's share of p . q
TLW_KERNEL static double applyRange(void *context, int64_t begin, int64_t end)
{
    Work *w = context;
    const tlwScalarSystem *s = w->system;
    double lanes[TLW_TILE] = {0}, extra = 0;
    double *part = s->lump_count ? w->parts + begin / TLW_TILE_BLOCK * s->lump_count : NULL;
    for (int l = 0; l < s->lump_count; l++)
        part[l] = 0;
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(s->grid, &s->grid->tiles[t], j, k, row) {
            applyRow(s, w->p, w->q, row, lanes);
            if (!s->lump_count)
                continue;
            for (int64_t c = row; c < row + TLW_TILE; c++)
                if (s->link[c] != 0 && isLump(s, c)) {
                    w->q[c] -= (float)(s->link[c] * w->lump_p[s->lump[c]]);
                    part[s->lump[c]] += (double)s->link[c] * (double)w->p[c];
                    extra -= (double)s->link[c] * (double)w->p[c] * w->lump_p[s->lump[c]];
                }
        }
    return addLanes(lanes) + extra;
}

static double applySystem(tlwThreads *threads, Work *w)
{
    const tlwScalarSystem *s = w->system;
    double dot = tlwParallelSum(threads, s->grid->tile_count, TLW_TILE_BLOCK, applyRange, w);
    int64_t blocks = (s->grid->tile_count + TLW_TILE_BLOCK - 1) / TLW_TILE_BLOCK;
    for (int l = 0; l < s->lump_count; l++) {
        w->lump_q[l] = s->lump_diag[l] * w->lump_p[l];
        for (int64_t b = 0; b < blocks; b++)
            w->lump_q[l] -= w->parts[b * s->lump_count + l];
        dot += w->lump_p[l] * w->lump_q[l];
    }
    return dot;
}

static inline void stepRow(const Work *w, int64_t row, double *restrict lanes)
{
    float alpha = (float)w->alpha;
    const float *restrict p = w->p + row, *restrict q = w->q + row, *restrict d = w->system->diag + row;
    float *restrict x = w->x + row, *restrict r = w->r + row;
    for (int i = 0; i < TLW_TILE; i++) {
        x[i] += alpha * p[i];
        r[i] -= alpha * q[i];
        float z = d[i] > 0 ? r[i] / d[i] : 0;
        lanes[i] += (double)r[i] * (double)z;
    }
}

// x += alpha p, r -= alpha q; returns r . D^-1 r
TLW_KERNEL static double stepRange(void *context, int64_t begin, int64_t end)
{
    Work *w = context;
    double lanes[TLW_TILE] = {0};
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(w->system->grid, &w->system->grid->tiles[t], j, k, row)
            stepRow(w, row, lanes);
    return addLanes(lanes);
}

static double stepSystem(tlwThreads *threads, Work *w)
{
    const tlwScalarSystem *s = w->system;
    double rho = tlwParallelSum(threads, s->grid->tile_count, TLW_TILE_BLOCK, stepRange, w);
    for (int l = 0; l < s->lump_count; l++) {
        w->lump_x[l] += w->alpha * w->lump_p[l];
        w->lump_r[l] -= w->alpha * w->lump_q[l];
        rho += w->lump_r[l] * w->lump_r[l] / s->lump_diag[l];
    }
    return rho;
}

static inline void turnRow(const Work *w, int64_t row)
{
    float beta = (float)w->beta;
    const float *restrict r = w->r + row, *restrict d = w->system->diag + row;
    float *restrict p = w->p + row;
    for (int i = 0; i < TLW_TILE; i++)
        p[i] = (d[i] > 0 ? r[i] / d[i] : 0) + beta * p[i];
}

// p = D^-1 r + beta p
TLW_KERNEL static void turnRange(void *context, int64_t begin, int64_t end)
{
    Work *w = context;
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(w->system->grid, &w->system->grid->tiles[t], j, k, row)
            turnRow(w, row);
}

static void turnSystem(tlwThreads *threads, Work *w)
{
    const tlwScalarSystem *s = w->system;
    tlwParallelFor(threads, s->grid->tile_count, TLW_TILE_BLOCK, turnRange, w);
    for (int l = 0; l < s->lump_count; l++)
        w->lump_p[l] = w->lump_r[l] / s->lump_diag[l] + w->beta * w->lump_p[l];
}

static tlwResult iterate(tlwThreads *threads, Work *w, double tolerance, int max_iterations, tlwSolveStats *stats)
{
    *stats = (tlwSolveStats){0};
    w->alpha = 0;
    double rho = stepSystem(threads, w), start = rho;
    if (!(rho > 0))
        return rho == 0 ? TLW_OK : TLW_NOT_CONVERGED; // not a number
    w->beta = 0;
    for (;;) {
        turnSystem(threads, w);
        double dot = applySystem(threads, w);
        if (!(dot > 0))
            return TLW_NOT_CONVERGED;
        w->alpha = rho / dot;
        double next = stepSystem(threads, w);
        stats->iterations++;
        stats->residual = sqrt(next / start);
        if (!(next > tolerance * tolerance * start))
            return isfinite(next) ? TLW_OK : TLW_NOT_CONVERGED;
        if (stats->iterations >= max_iterations)
            return TLW_NOT_CONVERGED;
        w->beta = next / rho;
        rho = next;
    }
}

tlwResult tlwSolveScalarSystem(tlwThreads *threads, const tlwScalarSystem *system, float *x, float *b, double *lump_x,
                               double *lump_b, double tolerance, int max_iterations, tlwSolveStats *stats)
{
    tlwGrid *grid = system->grid;
    int p = tlwBorrowField(grid, sizeof(float)), q = tlwBorrowField(grid, sizeof(float));
    int64_t lumps = system->lump_count, blocks = (grid->tile_count + TLW_TILE_BLOCK - 1) / TLW_TILE_BLOCK;
    double *block = tlwAlloc((size_t)(lumps * (blocks + 2) + 1), sizeof *block);
    tlwResult result = TLW_OUT_OF_MEMORY;
    if (p >= 0 && q >= 0 && block) {
        Work w = {.system = system,
                  .x = x,
                  .r = b,
                  .p = tlwGetFloats(grid, p),
                  .q = tlwGetFloats(grid, q),
                  .lump_x = lump_x,
                  .lump_r = lump_b,
                  .lump_p = block,
                  .lump_q = block + lumps,
                  .parts = block + 2 * lumps};
        tlwFillFloats(threads, grid, x, 0);
        tlwFillFloats(threads, grid, w.p, 0);
        tlwFillFloats(threads, grid, w.q, 0);
        for (int l = 0; l < lumps; l++)
            lump_x[l] = 0;
        result = iterate(threads, &w, tolerance, max_iterations, stats);
    }
    tlwFree(block);
    tlwReturnField(grid, q);
    tlwReturnField(grid, p);
    return result;
}
