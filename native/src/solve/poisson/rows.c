#include "solve/poisson/rows.h"

#include "base/memory.h"
#include "base/pages.h"
#include "solve/poisson/level.h"
#include "solve/poisson/poisson.h"

typedef struct Listing {
    tlwLevel *level;
    int64_t *start; // per tile: first the number of its rows, then its first row in the list
} Listing;

static void maskRange(void *context, int64_t begin, int64_t end)
{
    const Listing *s = context;
    tlwLevel *level = s->level;
    for (int64_t t = begin; t < end; t++) {
        s->start[t] = 0;
        TLW_FOR_ROWS(level->grid, &level->grid->tiles[t], j, k, row) {
            unsigned mask = 0;
            for (int i = 0; i < TLW_TILE; i++)
                mask |= (unsigned)(level->type[row + i] == TLW_CELL_LIQUID) << i;
            level->mask[row / TLW_TILE] = (uint8_t)mask;
            s->start[t] += mask != 0;
        }
    }
}

static double listRange(void *context, int64_t begin, int64_t end)
{
    const Listing *s = context;
    tlwLevel *level = s->level;
    int64_t unknowns = 0;
    for (int64_t t = begin; t < end; t++) {
        int64_t next = s->start[t];
        TLW_FOR_ROWS(level->grid, &level->grid->tiles[t], j, k, row) {
            unsigned mask = level->mask[row / TLW_TILE];
            if (!mask)
                continue;
            level->rows[next++] = row | ((j + k) & 1);
            unknowns += __builtin_popcount(mask);
            for (int i = 0; i < TLW_TILE; i++)
                level->inverse[row + i] = mask >> i & 1 && level->diag[row + i] > 0 ? 1 / level->diag[row + i] : 0;
        }
    }
    return (double)unknowns;
}

tlwResult tlwListRows(tlwThreads *threads, tlwLevel *level)
{
    int64_t tiles = level->grid->tile_count;
    Listing s = {level, tlwAlloc((size_t)tiles + 1, sizeof *s.start)};
    level->mask = tlwAllocPages((size_t)level->grid->cell_count / TLW_TILE);
    if (!s.start || !level->mask) {
        tlwFree(s.start);
        return TLW_OUT_OF_MEMORY;
    }
    tlwParallelFor(threads, tiles, TLW_TILE_BLOCK, maskRange, &s);
    for (int64_t t = 0; t < tiles; t++) {
        int64_t count = s.start[t];
        s.start[t] = level->row_count;
        level->row_count += count;
    }
    level->rows = tlwAlloc((size_t)level->row_count + 1, sizeof *level->rows);
    if (level->rows)
        level->unknown_count = (int64_t)tlwParallelSum(threads, tiles, TLW_TILE_BLOCK, listRange, &s);
    tlwFree(s.start);
    return level->rows ? TLW_OK : TLW_OUT_OF_MEMORY;
}

// Number of the unknown at a cell; the coarsest level is so small that a search will do.
static int findUnknown(const tlwLevel *level, int64_t cell, int count)
{
    int low = 0;
    while (low < count && level->numbering[low] != cell)
        low++;
    return low < count ? low : -1;
}

// Lower neighbours of unknown n that are unknowns: numbers and weights.
static int findLower(const tlwLevel *level, int n, int lower[3], float weight[3])
{
    int64_t stride[3] = {1, level->grid->stride_y, level->grid->stride_z}, c = level->numbering[n];
    int found = 0;
    for (int a = 0; a < 3; a++) {
        int m = level->weight[a][c] > 0 ? findUnknown(level, c - stride[a], (int)level->unknown_count) : -1;
        if (m < 0)
            continue;
        lower[found] = m;
        weight[found++] = level->weight[a][c];
    }
    return found;
}

tlwResult tlwFactorLevel(tlwLevel *level)
{
    int count = (int)level->unknown_count, next = 0, *first = tlwAlloc((size_t)count + 1, sizeof *first);
    level->numbering = tlwAlloc((size_t)count + 1, sizeof *level->numbering);
    level->values = tlwAlloc((size_t)count + 1, sizeof *level->values);
    if (!first || !level->numbering || !level->values) {
        tlwFree(first);
        return TLW_OUT_OF_MEMORY;
    }
    for (int64_t n = 0; n < level->row_count; n++) {
        int64_t row = TLW_ROW_START(level->rows[n]);
        for (int i = 0; i < TLW_TILE; i++)
            if (level->mask[row / TLW_TILE] >> i & 1)
                level->numbering[next++] = row + i;
    }
    // Rows are listed tile by tile, so a lower neighbour may have the higher number.
    int lower[3];
    float weight[3];
    for (int n = 0; n < count; n++)
        first[n] = n;
    for (int n = 0; n < count; n++)
        for (int f = findLower(level, n, lower, weight) - 1; f >= 0; f--) {
            int low = lower[f] < n ? lower[f] : n, high = lower[f] < n ? n : lower[f];
            first[high] = low < first[high] ? low : first[high];
        }
    bool ok = tlwInitEnvelope(&level->factors, count, first);
    tlwFree(first);
    if (!ok)
        return TLW_OUT_OF_MEMORY;
    for (int n = 0; n < count; n++) {
        *tlwEnvelopeEntry(&level->factors, n, n) = level->diag[level->numbering[n]];
        for (int f = findLower(level, n, lower, weight) - 1; f >= 0; f--) {
            int low = lower[f] < n ? lower[f] : n, high = lower[f] < n ? n : lower[f];
            *tlwEnvelopeEntry(&level->factors, high, low) = -weight[f];
        }
    }
    tlwFactorEnvelope(&level->factors);
    return TLW_OK;
}

void tlwSolveLevel(const tlwLevel *level, float *x, const float *b)
{
    for (int64_t n = 0; n < level->unknown_count; n++)
        level->values[n] = b[level->numbering[n]];
    tlwSolveEnvelope(&level->factors, level->values);
    for (int64_t n = 0; n < level->unknown_count; n++)
        x[level->numbering[n]] = (float)level->values[n];
}
