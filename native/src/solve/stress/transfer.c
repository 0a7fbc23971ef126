#include "solve/stress/transfer.h"
#include "solve/stress/stencil.h"

#include "base/kernel.h"
#include "base/memory.h"
#include "base/result.h"
#include "solve/stress/walls.h"

#include <string.h>

// How a coarse value gathers fine ones along an axis: fine index 2 I + first + n with weight[n].
typedef struct Taps {
    int first, count;
    float weight[4];
} Taps;

static const Taps NODE = {-1, 3, {0.5f, 1, 0.5f, 0}};
static const Taps SPREAD = {-1, 4, {0.25f, 0.75f, 0.75f, 0.25f}};
static const Taps PARENT = {0, 2, {1, 1, 0, 0}};

typedef struct Gather {
    const tlwGrid *fine, *coarse;
    const float *from;
    float *to;
    const float *mask; // the result is zero where this is not positive; may be null
    Taps taps[3];
    float scale;
    bool positive; // negative values count as zero
} Gather;

enum { MOST = TLW_SPAN_TILES * TLW_TILE, BUFFER = 2 * MOST + 2 }; // cells of a span; fine cells and one on either side

// Add weight * row of the `count` fine cells from i0 on, which may stick out of the window.
static inline __attribute__((always_inline)) void addRow(const Gather *g, int i0, int count, int j, int k, float weight,
                                                         float *restrict sum)
{
    const tlwGrid *fine = g->fine;
    const int *min = fine->window_min, *size = fine->window_size;
    if (j < min[1] || j >= min[1] + size[1] || k < min[2] || k >= min[2] + size[2])
        return;
    int first = i0 < min[0] ? min[0] - i0 : 0;
    int last = i0 + count > min[0] + size[0] ? min[0] + size[0] - i0 : count;
    const float *row = g->from + tlwCellIndex(fine, i0, j, k);
    if (g->positive)
        for (int n = first; n < last; n++)
            sum[n] += weight * (row[n] < 0 ? 0 : row[n]);
    else
        for (int n = first; n < last; n++)
            sum[n] += weight * row[n];
}

// `cells` coarse values, at `row` of the window and (i, j, k) of the domain.
static inline __attribute__((always_inline)) void gatherRow(const Gather *g, int64_t row, int cells, int i0, int j,
                                                            int k)
{
    const Taps ty = g->taps[1], tz = g->taps[2];
    float sum[BUFFER], even[MOST + 1], odd[MOST + 1], weight[4] = {0}, *restrict to = g->to + row;
    memset(sum, 0, (size_t)(2 * cells + 2) * sizeof *sum);
    for (int c = 0; c < tz.count; c++)
        for (int b = 0; b < ty.count; b++)
            addRow(g, 2 * i0 - 1, 2 * cells + 2, 2 * j + ty.first + b, 2 * k + tz.first + c,
                   ty.weight[b] * tz.weight[c], sum);
    for (int n = 0; n <= cells; n++) { // split, so that the loops below read with stride 1
        even[n] = sum[2 * n];
        odd[n] = sum[2 * n + 1];
    }
    for (int n = 0; n < g->taps[0].count; n++)
        weight[g->taps[0].first + 1 + n] = g->taps[0].weight[n];
    for (int i = 0; i < cells; i++)
        to[i] = g->scale *
                (((weight[0] * even[i] + weight[1] * odd[i]) + weight[2] * even[i + 1]) + weight[3] * odd[i + 1]);
    for (int i = 0; g->mask && i < cells; i++)
        to[i] = g->mask[row + i] > 0 ? to[i] : 0;
}

TLW_KERNEL static void gatherTiles(void *context, int64_t begin, int64_t end)
{
    const Gather *g = context;
    for (int64_t t = begin; t < end; t++) {
        const tlwTile *tile = &g->coarse->tiles[t];
        TLW_FOR_ROWS(g->coarse, tile, j, k, row)
            gatherRow(g, row, TLW_TILE, tile->cell[0], (int)j, k);
    }
}

static void gather(tlwThreads *threads, Gather *g)
{
    tlwParallelFor(threads, g->coarse->tile_count, 1, gatherTiles, g);
}

typedef struct Restrict {
    const tlwStressLevel *coarse;
    Gather faces[3];
} Restrict;

TLW_KERNEL static void restrictRange(void *context, int64_t begin, int64_t end)
{
    const Restrict *r = context;
    for (int64_t n = begin; n < end; n++) {
        const tlwSpan *span = &r->coarse->spans[n];
        int cell[3];
        locateCell(&r->coarse->grid, span->base, cell);
        for (int a = 0; a < 3; a++)
            gatherRow(&r->faces[a], span->base, span->cells, cell[0], cell[1], cell[2]);
    }
}

void tlwRestrictFaces(tlwThreads *threads, const tlwStressLevel *fine, const tlwFaceFloats *r,
                      const tlwStressLevel *coarse, tlwFaceFloats *b)
{
    Restrict job = {.coarse = coarse};
    for (int a = 0; a < 3; a++) {
        job.faces[a] = (Gather){
            &fine->grid, &coarse->grid, r->at[a], b->at[a], coarse->mass[a], {SPREAD, SPREAD, SPREAD}, 1, false};
        job.faces[a].taps[a] = NODE;
    }
    tlwParallelFor(threads, coarse->span_count, TLW_SMALL_SPAN_BLOCK / 4, restrictRange, &job);
}

typedef struct Prolong {
    const tlwStressLevel *fine, *coarse;
    const tlwFaceFloats *e;
    tlwFaceFloats *x;
} Prolong;

// Coarse neighbours of fine index i along an axis. Returns the weight w of the first; the second has 1 - w.
static inline float neighbours(bool along, int i, int at[2])
{
    int parent = tlwFloorDiv(i, 2);
    bool odd = i - 2 * parent;
    at[0] = parent;
    at[1] = odd ? parent + 1 : along ? parent : parent - 1;
    return along ? (odd ? 0.5f : 1) : 0.75f;
}

// One component of a fine span that begins at (i, j, k) of the domain.
static inline __attribute__((always_inline)) void prolongRow(const Prolong *p, const tlwSpan *span, int component,
                                                             int i0, int j, int k)
{
    const int half = span->cells / 2;
    const float *mass = p->fine->mass[component] + span->base;
    float *restrict x = p->x->at[component] + span->base;
    int jj[2], kk[2];
    float wj = neighbours(component == 1, j, jj), wk = neighbours(component == 2, k, kk);
    float sum[MOST / 2 + 2], value[MOST]; // coarse cells from -1 on
    memset(sum, 0, (size_t)(half + 2) * sizeof *sum);
    for (int c = 0; c < 2; c++)
        for (int b = 0; b < 2; b++) {
            float weight = (b ? 1 - wj : wj) * (c ? 1 - wk : wk);
            const float *row = p->e->at[component] + tlwCellIndex(&p->coarse->grid, i0 / 2 - 1, jj[b], kk[c]);
            for (int n = 0; weight > 0 && n < half + 2; n++)
                sum[n] += weight * row[n];
        }
    for (int n = 0; n < half; n++) {
        float here = sum[n + 1];
        value[2 * n] = component == 0 ? here : 0.75f * here + 0.25f * sum[n];
        value[2 * n + 1] = component == 0 ? 0.5f * (here + sum[n + 2]) : 0.75f * here + 0.25f * sum[n + 2];
    }
    for (int i = 0; i < span->cells; i++)
        x[i] += mass[i] > 0 ? value[i] : 0;
}

TLW_KERNEL static void prolongRange(void *context, int64_t begin, int64_t end)
{
    const Prolong *p = context;
    for (int64_t n = begin; n < end; n++) {
        const tlwSpan *span = &p->fine->spans[n];
        int cell[3];
        locateCell(&p->fine->grid, span->base, cell);
        for (int a = 0; a < 3; a++)
            prolongRow(p, span, a, cell[0], cell[1], cell[2]);
    }
}

void tlwProlongFaces(tlwThreads *threads, const tlwStressLevel *coarse, const tlwFaceFloats *e,
                     const tlwStressLevel *fine, tlwFaceFloats *x)
{
    Prolong p = {fine, coarse, e, x};
    tlwParallelFor(threads, fine->span_count, TLW_SMALL_SPAN_BLOCK, prolongRange, &p);
}

// The part of a tile that holds samples or unknowns, in domain coordinates.
typedef struct Used {
    int low[3], high[3];
    bool any;
} Used;

typedef struct UseSearch {
    const tlwStressLevel *level;
    Used *used; // per tile
} UseSearch;

static void useRange(void *context, int64_t begin, int64_t end)
{
    const UseSearch *s = context;
    const tlwStressLevel *level = s->level;
    for (int64_t t = begin; t < end; t++) {
        const tlwTile *tile = &level->grid.tiles[t];
        Used u = {.any = false};
        TLW_FOR_ROWS(&level->grid, tile, j, k, row)
            for (int i = 0; i < TLW_TILE; i++) {
                float most = 0;
                for (int f = 0; f < 9; f++) {
                    float value = f < 6 ? level->c[f][row + i] : level->mass[f - 6][row + i];
                    most = value > most ? value : most;
                }
                if (most > 0) {
                    int at[3] = {tile->cell[0] + i, (int)j, k};
                    for (int a = 0; a < 3; a++) {
                        u.low[a] = !u.any || at[a] < u.low[a] ? at[a] : u.low[a];
                        u.high[a] = !u.any || at[a] > u.high[a] ? at[a] : u.high[a];
                    }
                    u.any = true;
                }
            }
        s->used[t] = u;
    }
}

// The coarse tiles that a tile's values go to.
static int listCoarse(const Used *used, int (*tiles)[3])
{
    int from[3], to[3], count = 0;
    for (int a = 0; a < 3; a++) {
        from[a] = tlwFloorDiv(tlwFloorDiv(used->low[a] - 1, 2), TLW_TILE);
        to[a] = tlwFloorDiv(tlwFloorDiv(used->high[a] + 1, 2), TLW_TILE);
    }
    for (int k = from[2]; k <= to[2]; k++)
        for (int j = from[1]; j <= to[1]; j++)
            for (int i = from[0]; i <= to[0]; i++, count++) {
                tiles[count][0] = i;
                tiles[count][1] = j;
                tiles[count][2] = k;
            }
    return count;
}

static tlwResult activateCoarse(tlwThreads *threads, const tlwStressLevel *fine, tlwStressLevel *coarse)
{
    const tlwGrid *grid = &fine->grid;
    int(*tiles)[3] = tlwAlloc((size_t)grid->tile_count * 8, sizeof *tiles), count = 0, dims[3];
    UseSearch search = {fine, tlwAlloc((size_t)grid->tile_count, sizeof *search.used)};
    tlwResult result = TLW_OUT_OF_MEMORY;
    if (tiles && search.used) {
        tlwParallelFor(threads, grid->tile_count, TLW_TILE_BLOCK, useRange, &search);
        for (int t = 0; t < grid->tile_count; t++)
            if (search.used[t].any)
                count += listCoarse(&search.used[t], tiles + count);
        for (int a = 0; a < 3; a++)
            dims[a] = (grid->dims[a] + 1) / 2;
        result = tlwInitStressLevel(coarse, dims, (const int(*)[3])tiles, count, false);
    }
    tlwFree(search.used);
    tlwFree(tiles);
    return result;
}

tlwResult tlwCoarsenStress(tlwThreads *threads, const tlwStressLevel *fine, tlwStressLevel *coarse)
{
    TLW_TRY(activateCoarse(threads, fine, coarse));
    for (int kind = 0; kind < 6; kind++) {
        Gather g = {&fine->grid, &coarse->grid, fine->c[kind], coarse->c[kind], NULL, {SPREAD, SPREAD, SPREAD},
                    0.25f,       true};
        if (kind <= TLW_ZZ) {
            g.taps[kind] = PARENT;
        } else {
            g.taps[kind == TLW_YZ ? 1 : 0] = NODE;
            g.taps[kind == TLW_XY ? 1 : 2] = NODE;
        }
        gather(threads, &g);
    }
    if (fine->c[TLW_BULK]) {
        if (!tlwAddBulk(coarse))
            return TLW_OUT_OF_MEMORY;
        Gather g = {&fine->grid, &coarse->grid, fine->c[TLW_BULK], coarse->c[TLW_BULK], NULL, {PARENT, PARENT, PARENT},
                    0.25f,       true};
        gather(threads, &g);
    }
    for (int a = 0; a < 3; a++) {
        Gather g = {&fine->grid, &coarse->grid, fine->mass[a], coarse->mass[a], NULL, {SPREAD, SPREAD, SPREAD},
                    1,           true};
        g.taps[a] = NODE;
        gather(threads, &g);
    }
    tlwCoarsenWalls(threads, fine, coarse);
    return tlwTrimSpans(threads, coarse);
}
