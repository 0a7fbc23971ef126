// Stencil and transfer kernels of the Poisson hierarchy. All loops run over rows of eight cells of active tiles.
#include "solve/poisson_level.h"

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
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(level->grid, &level->grid->tiles[t], j, k, row)
        {
            float sum[TLW_TILE];
            gatherRow(level, s->in, row, sum);
            const float *b = s->b + row, *diag = level->diag + row;
            float *x = s->out + row;
            for (int i = 0; i < TLW_TILE; i++)
                sum[i] = (b[i] + sum[i]) / diag[i];
            for (int i = (int)((j + k + s->color) & 1); i < TLW_TILE; i += 2)
                x[i] = sum[i];
        }
}

void tlwSmoothLevel(tlwThreads *threads, const tlwLevel *level, float *x, const float *b, int color)
{
    Stencil s = {level, x, b, x, color};
    tlwParallelFor(threads, level->grid->tile_count, TLW_TILE_BLOCK, smoothRange, &s);
}

TLW_KERNEL static void residualRange(void *context, int64_t begin, int64_t end)
{
    const Stencil *s = context;
    const tlwLevel *level = s->level;
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(level->grid, &level->grid->tiles[t], j, k, row)
        {
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
    tlwParallelFor(threads, level->grid->tile_count, TLW_TILE_BLOCK, residualRange, &s);
}

TLW_KERNEL static void applyRange(void *context, int64_t begin, int64_t end)
{
    const Stencil *s = context;
    const tlwLevel *level = s->level;
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(level->grid, &level->grid->tiles[t], j, k, row)
        {
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
    tlwParallelFor(threads, level->grid->tile_count, TLW_TILE_BLOCK, applyRange, &s);
}

typedef struct Transfer {
    const tlwLevel *fine;
    const tlwLevel *coarse;
    const float *in;
    float *out;
} Transfer;

// Fine rows that a coarse tile's trilinear restriction reads: 18 cells per axis. Rows outside the fine window are zero.
#define SPAN (2 * TLW_TILE + 2)

// Copy 18 cells of a fine row; false when the row lies outside the window.
static inline bool loadFineRow(const tlwGrid *fine, const float *r, int i, int j, int k, float row[SPAN])
{
    int x = i - fine->window_min[0], y = j - fine->window_min[1], z = k - fine->window_min[2];
    if (y < 0 || y >= fine->window_size[1] || z < 0 || z >= fine->window_size[2])
        return false;
    const float *from = r + x + fine->stride_y * y + fine->stride_z * z;
    if (x >= 0 && x + SPAN <= fine->window_size[0]) {
        memcpy(row, from, SPAN * sizeof *row);
        return true;
    }
    for (int n = 0; n < SPAN; n++)
        row[n] = x + n >= 0 && x + n < fine->window_size[0] ? from[n] : 0;
    return true;
}

static inline void reduceRow(const float row[SPAN], float out[TLW_TILE])
{
    for (int i = 0; i < TLW_TILE; i++)
        out[i] = 0.25f * (row[2 * i] + row[2 * i + 3]) + 0.75f * (row[2 * i + 1] + row[2 * i + 2]);
}

TLW_KERNEL static void restrictRange(void *context, int64_t begin, int64_t end)
{
    const Transfer *s = context;
    const tlwGrid *fine = s->fine->grid, *coarse = s->coarse->grid;
    for (int64_t t = begin; t < end; t++) {
        const tlwTile *tile = &coarse->tiles[t];
        // plane[n][j]: fine plane 2k - 1 + n, reduced along x and y to 8x8
        float plane[SPAN][TLW_TILE][TLW_TILE];
        for (int n = 0; n < SPAN; n++) {
            float rows[SPAN][TLW_TILE];
            for (int m = 0; m < SPAN; m++) {
                float row[SPAN];
                if (loadFineRow(fine, s->in, 2 * tile->cell[0] - 1, 2 * tile->cell[1] - 1 + m,
                                2 * tile->cell[2] - 1 + n, row))
                    reduceRow(row, rows[m]);
                else
                    memset(rows[m], 0, sizeof rows[m]);
            }
            for (int j = 0; j < TLW_TILE; j++)
                for (int i = 0; i < TLW_TILE; i++)
                    plane[n][j][i] = 0.25f * (rows[2 * j][i] + rows[2 * j + 3][i]) +
                                     0.75f * (rows[2 * j + 1][i] + rows[2 * j + 2][i]);
        }
        TLW_FOR_ROWS(coarse, tile, j, k, row)
        {
            int n = 2 * (k - tile->cell[2]), m = (int)(j - tile->cell[1]);
            for (int i = 0; i < TLW_TILE; i++)
                s->out[row + i] =
                    0.25f * (plane[n][m][i] + plane[n + 3][m][i]) + 0.75f * (plane[n + 1][m][i] + plane[n + 2][m][i]);
        }
    }
}

// Ghosts give what was restricted to them to the cells they are the mean of; then nothing but unknowns has a
// right-hand side.
static void foldGhosts(tlwLevel *level)
{
    for (int g = 0; g < level->ghost_count; g++) {
        const tlwGhost *ghost = &level->ghosts[g];
        float share = level->b[ghost->cell] / (float)ghost->count;
        for (int n = 0; n < ghost->count; n++)
            level->b[level->sources[ghost->first + n]] += share;
    }
}

static void clearOthers(void *context, int64_t begin, int64_t end)
{
    const tlwLevel *level = context;
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(level->grid, &level->grid->tiles[t], j, k, row)
    for (int i = 0; i < TLW_TILE; i++)
        if (level->type[row + i] != TLW_CELL_LIQUID)
            level->b[row + i] = 0;
}

void tlwRestrictResidual(tlwThreads *threads, const tlwLevel *fine, const float *r, tlwLevel *coarse)
{
    Transfer s = {fine, coarse, r, coarse->b};
    tlwParallelFor(threads, coarse->grid->tile_count, 1, restrictRange, &s);
    foldGhosts(coarse);
    tlwParallelFor(threads, coarse->grid->tile_count, TLW_TILE_BLOCK, clearOthers, coarse);
}

TLW_KERNEL static void prolongateRange(void *context, int64_t begin, int64_t end)
{
    const Transfer *s = context;
    const tlwGrid *fine = s->fine->grid, *coarse = s->coarse->grid;
    enum { HALF = TLW_TILE / 2, CELLS = HALF + 2 };
    for (int64_t t = begin; t < end; t++) {
        const tlwTile *tile = &fine->tiles[t];
        // Coarse cells half - 1 .. half + 4 of each axis, interpolated along x first, then y, then z.
        float line[CELLS][CELLS][TLW_TILE];
        int ci = tile->cell[0] / 2 - 1, cj = tile->cell[1] / 2 - 1, ck = tile->cell[2] / 2 - 1;
        for (int n = 0; n < CELLS; n++)
            for (int m = 0; m < CELLS; m++) {
                const float *c = s->in + tlwCellIndex(coarse, ci, cj + m, ck + n);
                for (int i = 0; i < HALF; i++) {
                    line[n][m][2 * i] = 0.75f * c[i + 1] + 0.25f * c[i];
                    line[n][m][2 * i + 1] = 0.75f * c[i + 1] + 0.25f * c[i + 2];
                }
            }
        TLW_FOR_ROWS(fine, tile, j, k, row)
        {
            int fk = k - tile->cell[2], fj = (int)(j - tile->cell[1]);
            int n = fk / 2 + 1, n2 = fk & 1 ? n + 1 : n - 1, m = fj / 2 + 1, m2 = fj & 1 ? m + 1 : m - 1;
            float *x = s->out + row;
            for (int i = 0; i < TLW_TILE; i++)
                x[i] += 0.75f * (0.75f * line[n][m][i] + 0.25f * line[n][m2][i]) +
                        0.25f * (0.75f * line[n2][m][i] + 0.25f * line[n2][m2][i]);
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
    Transfer s = {fine, coarse, coarse->x, x};
    tlwParallelFor(threads, fine->grid->tile_count, TLW_TILE_BLOCK, prolongateRange, &s);
}
