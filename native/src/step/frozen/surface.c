#include "step/frozen/surface.h"

#include "base/context.h"
#include "base/memory.h"

#define NEAR 3 // cells around a piece that are guarded
#define WET 2  // cells around liquid that are not guarded

#define NOT_GUARDED INFINITY

// Bits of a cell.
enum { STILL = 1, LIQUID = 2 };

typedef struct Guard {
    const tlwFlow *flow;
    const tlwGrid *grid;
    const tlwParticleOrder *order;
    const tlwParticles *particles;
    const uint8_t *still; // per label
    const uint8_t *from;
    uint8_t *to;
    uint8_t grow; // bits that grow by a layer
    float *kept;
} Guard;

static bool isStill(const tlwPiece *piece)
{
    return tlwDot(piece->shift, piece->shift) == 0 && piece->turn.x == 0 && piece->turn.y == 0 && piece->turn.z == 0;
}

static void seedRange(void *context, int64_t begin, int64_t end)
{
    const Guard *g = context;
    const int32_t *labels = tlwGetInts(g->grid, g->flow->label);
    for (int64_t t = begin; t < end; t++) {
        int c = 0;
        TLW_FOR_ROWS(g->grid, &g->grid->tiles[t], j, k, row)
            for (int i = 0; i < TLW_TILE; i++, c++)
                g->to[row + i] = (uint8_t)((g->still[labels[row + i]] ? STILL : 0) |
                                           (tlwHoldsLiquid(g->order, g->particles, t, c) ? LIQUID : 0));
    }
}

static void growRange(void *context, int64_t begin, int64_t end)
{
    const Guard *g = context;
    int64_t stride[3] = {1, g->grid->stride_y, g->grid->stride_z};
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(g->grid, &g->grid->tiles[t], j, k, row)
            for (int64_t c = row; c < row + TLW_TILE; c++) {
                uint8_t around = 0;
                for (int a = 0; a < 3; a++)
                    around |= g->from[c - stride[a]] | g->from[c + stride[a]];
                g->to[c] = (uint8_t)(g->from[c] | (around & g->grow));
            }
}

static void keepRange(void *context, int64_t begin, int64_t end)
{
    const Guard *g = context;
    const float *phi = tlwGetFloats(g->grid, g->flow->phi);
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(g->grid, &g->grid->tiles[t], j, k, row)
            for (int64_t c = row; c < row + TLW_TILE; c++)
                g->kept[c] = g->from[c] == STILL ? phi[c] : NOT_GUARDED;
}

static void restoreRange(void *context, int64_t begin, int64_t end)
{
    const Guard *g = context;
    float *phi = tlwGetFloats(g->grid, g->flow->phi);
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(g->grid, &g->grid->tiles[t], j, k, row)
            for (int64_t c = row; c < row + TLW_TILE; c++)
                phi[c] = g->kept[c] == NOT_GUARDED ? phi[c] : g->kept[c];
}

static void guardCells(tlwContext *context, Guard *g, uint8_t *bits[2])
{
    int64_t tiles = g->grid->tile_count;
    g->to = bits[0];
    tlwParallelFor(context->threads, tiles, TLW_TILE_BLOCK, seedRange, g);
    for (int n = 0; n < NEAR; n++) {
        g->from = bits[n & 1];
        g->to = bits[~n & 1];
        g->grow = n < WET ? STILL | LIQUID : STILL;
        tlwParallelFor(context->threads, tiles, TLW_TILE_BLOCK, growRange, g);
    }
    g->from = g->to;
    tlwParallelFor(context->threads, tiles, TLW_TILE_BLOCK, keepRange, g);
}

tlwResult tlwGuardSurface(tlwContext *context, tlwFlow *flow, const tlwPieces *pieces, const tlwParticleOrder *order,
                          const tlwParticles *particles, int *guard)
{
    tlwGrid *grid = &flow->grid;
    bool any = false;
    *guard = -1;
    uint8_t *still = pieces->count ? tlwAlloc((size_t)pieces->count + 1, 1) : NULL;
    for (int n = 0; still && n < pieces->count; n++) {
        still[n + 1] = isStill(&pieces->items[n]);
        any = any || still[n + 1];
    }
    tlwResult result = still || !pieces->count ? TLW_OK : TLW_OUT_OF_MEMORY;
    if (any) {
        int slots[2] = {tlwBorrowField(grid, 1), tlwBorrowField(grid, 1)};
        *guard = tlwBorrowField(grid, sizeof(float));
        result = slots[0] >= 0 && slots[1] >= 0 && *guard >= 0 ? TLW_OK : TLW_OUT_OF_MEMORY;
        Guard g = {.flow = flow, .grid = grid, .order = order, .particles = particles, .still = still};
        if (result == TLW_OK) {
            g.kept = tlwGetFloats(grid, *guard);
            guardCells(context, &g, (uint8_t *[2]){tlwGetBytes(grid, slots[0]), tlwGetBytes(grid, slots[1])});
        }
        tlwReturnField(grid, slots[0]);
        tlwReturnField(grid, slots[1]);
    }
    tlwFree(still);
    return result;
}

void tlwRestoreSurface(tlwContext *context, tlwFlow *flow, int guard)
{
    if (guard < 0)
        return;
    Guard g = {.flow = flow, .grid = &flow->grid, .kept = tlwGetFloats(&flow->grid, guard)};
    tlwParallelFor(context->threads, flow->grid.tile_count, TLW_TILE_BLOCK, restoreRange, &g);
    tlwReturnField(&flow->grid, guard);
}
