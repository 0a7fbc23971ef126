#include "solve/poisson/kernels.h"

#include "solve/poisson/level.h"

#include "base/kernel.h"

#include <string.h>

typedef struct Stencil {
    const tlwLevel *level;
    const float *in, *b;
    float *out;
    int color;
} Stencil;

// sum over faces of w x for the eight cells of a row
static inline void gatherRow(const tlwLevel *level, const float *x, int64_t row, float sum[TLW_TILE])
{
    const float *wx = level->weight[0] + row, *wy = level->weight[1] + row, *wz = level->weight[2] + row;
    int64_t sy = level->grid->stride_y, sz = level->grid->stride_z;
    const float *c = x + row;
    for (int i = 0; i < TLW_TILE; i++)
        sum[i] = wx[i] * c[i - 1] + wx[i + 1] * c[i + 1] + wy[i] * c[i - sy] + wy[i + sy] * c[i + sy] +
                 wz[i] * c[i - sz] + wz[i + sz] * c[i + sz];
}

TLW_KERNEL static void smoothRange(void *context, int64_t begin, int64_t end)
{
    const Stencil *s = context;
    const tlwLevel *level = s->level;
    for (int64_t n = begin; n < end; n++) {
        int64_t row = TLW_ROW_START(level->rows[n]);
        float sum[TLW_TILE];
        gatherRow(level, s->in, row, sum);
        const float *b = s->b + row, *inverse = level->inverse + row;
        float *x = s->out + row;
        for (int i = 0; i < TLW_TILE; i++)
            sum[i] = (b[i] + sum[i]) * inverse[i];
        for (int i = (int)((level->rows[n] + s->color) & 1); i < TLW_TILE; i += 2)
            x[i] = sum[i];
    }
}

// The first half sweep, from x = 0.
TLW_KERNEL static void startRange(void *context, int64_t begin, int64_t end)
{
    const Stencil *s = context;
    const tlwLevel *level = s->level;
    for (int64_t n = begin; n < end; n++) {
        int64_t row = TLW_ROW_START(level->rows[n]);
        const float *b = s->b + row, *inverse = level->inverse + row;
        float *x = s->out + row;
        int other = (int)((level->rows[n] + s->color + 1) & 1);
        for (int i = 0; i < TLW_TILE; i++)
            x[i] = b[i] * inverse[i];
        for (int i = other; i < TLW_TILE; i += 2)
            x[i] = 0;
    }
}

void tlwSmoothLevel(tlwThreads *threads, const tlwLevel *level, float *x, const float *b, int color, bool start)
{
    Stencil s = {level, x, b, x, color};
    tlwParallelFor(threads, level->row_count, TLW_SMALL_ROW_BLOCK, start ? startRange : smoothRange, &s);
}

TLW_KERNEL static void residualRange(void *context, int64_t begin, int64_t end)
{
    const Stencil *s = context;
    const tlwLevel *level = s->level;
    for (int64_t n = begin; n < end; n++) {
        int64_t row = TLW_ROW_START(level->rows[n]);
        float sum[TLW_TILE];
        gatherRow(level, s->in, row, sum);
        const float *b = s->b + row, *diag = level->diag + row, *x = s->in + row;
        float *r = s->out + row;
        for (int i = 0; i < TLW_TILE; i++)
            r[i] = b[i] - (diag[i] * x[i] - sum[i]);
    }
}

void tlwComputeResidual(tlwThreads *threads, const tlwLevel *level, const float *x, const float *b, float *r)
{
    Stencil s = {level, x, b, r, 0};
    tlwParallelFor(threads, level->row_count, TLW_SMALL_ROW_BLOCK, residualRange, &s);
}

TLW_KERNEL static void applyRange(void *context, int64_t begin, int64_t end)
{
    const Stencil *s = context;
    const tlwLevel *level = s->level;
    for (int64_t n = begin; n < end; n++) {
        int64_t row = TLW_ROW_START(level->rows[n]);
        float sum[TLW_TILE];
        gatherRow(level, s->in, row, sum);
        const float *diag = level->diag + row, *x = s->in + row;
        float *y = s->out + row;
        for (int i = 0; i < TLW_TILE; i++)
            y[i] = diag[i] * x[i] - sum[i];
    }
}

void tlwApplyLevel(tlwThreads *threads, const tlwLevel *level, const float *x, float *y)
{
    Stencil s = {level, x, NULL, y, 0};
    tlwParallelFor(threads, level->row_count, TLW_ROW_BLOCK, applyRange, &s);
}

typedef struct Transfer {
    const tlwGrid *fine, *coarse;
    const tlwRow *rows;
    const float *in;
    float *out;
} Transfer;

// Domain coordinates of a row's first cell.
static inline void locateRow(const tlwGrid *grid, int64_t row, int cell[3])
{
    int64_t plane = row / grid->stride_z, rest = row - plane * grid->stride_z, line = rest / grid->stride_y;
    cell[0] = grid->window_min[0] + (int)(rest - line * grid->stride_y);
    cell[1] = grid->window_min[1] + (int)line;
    cell[2] = grid->window_min[2] + (int)plane;
}

// Fine cells that a coarse row's trilinear restriction reads along x.
#define SPAN (2 * TLW_TILE + 2)

// sum += weight * 18 cells of a fine row; cells outside the window are zero
static inline void addFineRow(const tlwGrid *fine, const float *r, int i, int j, int k, float weight, float sum[SPAN])
{
    int x = i - fine->window_min[0], y = j - fine->window_min[1], z = k - fine->window_min[2];
    if (y < 0 || y >= fine->window_size[1] || z < 0 || z >= fine->window_size[2])
        return;
    const float *from = r + x + fine->stride_y * y + fine->stride_z * z;
    if (x >= 0 && x + SPAN <= fine->window_size[0]) {
        for (int n = 0; n < SPAN; n++)
            sum[n] += weight * from[n];
        return;
    }
    for (int n = 0; n < SPAN; n++)
        sum[n] += x + n >= 0 && x + n < fine->window_size[0] ? weight * from[n] : 0;
}

TLW_KERNEL static void restrictRange(void *context, int64_t begin, int64_t end)
{
    const Transfer *s = context;
    static const float weight[4] = {0.25f, 0.75f, 0.75f, 0.25f};
    for (int64_t t = begin; t < end; t++) {
        int64_t row = TLW_ROW_START(s->rows[t]);
        int cell[3];
        locateRow(s->coarse, row, cell);
        float sum[SPAN] = {0};
        for (int n = 0; n < 4; n++)
            for (int m = 0; m < 4; m++)
                addFineRow(s->fine, s->in, 2 * cell[0] - 1, 2 * cell[1] - 1 + m, 2 * cell[2] - 1 + n,
                           weight[n] * weight[m], sum);
        for (int i = 0; i < TLW_TILE; i++)
            s->out[row + i] = 0.25f * (sum[2 * i] + sum[2 * i + 3]) + 0.75f * (sum[2 * i + 1] + sum[2 * i + 2]);
    }
}

// Pass the right-hand side of ghosts on to their sources: the transpose of taking the mean.
static void foldGhosts(tlwLevel *level)
{
    for (int g = 0; g < level->ghost_count; g++) {
        const tlwGhost *ghost = &level->ghosts[g];
        float share = level->b[ghost->cell] / (float)ghost->count;
        for (int n = 0; n < ghost->count; n++)
            level->b[level->sources[ghost->first + n]] += share;
    }
}

// Zero the right-hand side of all cells that are no unknowns.
static void clearOthers(void *context, int64_t begin, int64_t end)
{
    const tlwLevel *level = context;
    for (int64_t n = begin; n < end; n++) {
        int64_t row = TLW_ROW_START(level->rows[n]);
        unsigned mask = level->mask[row / TLW_TILE];
        for (int i = 0; mask != 0xff && i < TLW_TILE; i++)
            if (!(mask >> i & 1))
                level->b[row + i] = 0;
    }
}

void tlwRestrictResidual(tlwThreads *threads, const tlwLevel *fine, const float *r, tlwLevel *coarse)
{
    Transfer s = {fine->grid, coarse->grid, coarse->rows, r, coarse->b};
    tlwParallelFor(threads, coarse->row_count, TLW_SMALL_ROW_BLOCK / 4, restrictRange, &s);
    s.rows = coarse->ghost_rows;
    tlwParallelFor(threads, coarse->ghost_row_count, TLW_SMALL_ROW_BLOCK / 4, restrictRange, &s);
    foldGhosts(coarse);
    tlwParallelFor(threads, coarse->row_count, 4 * TLW_ROW_BLOCK, clearOthers, coarse);
}

TLW_KERNEL static void prolongateRange(void *context, int64_t begin, int64_t end)
{
    const Transfer *s = context;
    enum { HALF = TLW_TILE / 2, CELLS = HALF + 2 };
    for (int64_t t = begin; t < end; t++) {
        int64_t row = TLW_ROW_START(s->rows[t]);
        int cell[3];
        locateRow(s->fine, row, cell);
        // Nearer and farther coarse rows along y and z; coarse cells half - 1 .. half + 4 along x.
        int j = cell[1] >> 1, k = cell[2] >> 1;
        int64_t dy = cell[1] & 1 ? s->coarse->stride_y : -s->coarse->stride_y;
        int64_t dz = cell[2] & 1 ? s->coarse->stride_z : -s->coarse->stride_z;
        const float *c = s->in + tlwCellIndex(s->coarse, cell[0] / 2 - 1, j, k);
        float line[CELLS], *x = s->out + row;
        for (int i = 0; i < CELLS; i++)
            line[i] = 0.75f * (0.75f * c[i] + 0.25f * c[i + dy]) + 0.25f * (0.75f * c[i + dz] + 0.25f * c[i + dy + dz]);
        for (int i = 0; i < HALF; i++) {
            x[2 * i] += 0.75f * line[i + 1] + 0.25f * line[i];
            x[2 * i + 1] += 0.75f * line[i + 1] + 0.25f * line[i + 2];
        }
    }
}

void tlwProlongate(tlwThreads *threads, tlwLevel *coarse, const tlwLevel *fine, float *x)
{
    for (int g = 0; g < coarse->ghost_count; g++) {
        const tlwGhost *ghost = &coarse->ghosts[g];
        float sum = 0;
        for (int n = 0; n < ghost->count; n++)
            sum += coarse->x[coarse->sources[ghost->first + n]];
        coarse->x[ghost->cell] = sum / (float)ghost->count;
    }
    Transfer s = {fine->grid, coarse->grid, fine->rows, coarse->x, x};
    tlwParallelFor(threads, fine->row_count, TLW_SMALL_ROW_BLOCK, prolongateRange, &s);
}
