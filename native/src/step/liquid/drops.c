#include "step/liquid/drops.h"

#include "base/memory.h"

#include <string.h>

typedef struct Listing {
    const tlwFlow *flow;
    tlwDrops *drops;
} Listing;

// The drop faces of a tile; only counted when `faces` is null.
static int64_t listTile(const tlwFlow *flow, const tlwTile *tile, tlwDropFace *faces)
{
    const tlwGrid *grid = &flow->grid;
    const uint8_t *reached = tlwGetBytes(grid, flow->reached);
    const float *phi = tlwGetFloats(grid, flow->phi);
    const int64_t stride[3] = {1, grid->stride_y, grid->stride_z};
    int64_t count = 0;
    TLW_FOR_ROWS(grid, tile, j, k, row)
        for (int i = 0; i < TLW_TILE; i++) {
            int64_t c = row + i;
            if (!reached[c] || phi[c] < 0)
                continue;
            for (int a = 0; a < 3; a++) {
                if (!(reached[c] >> a & 1) || phi[c - stride[a]] < 0)
                    continue;
                int cell = i + TLW_TILE * ((int)j - tile->cell[1] + TLW_TILE * (k - tile->cell[2]));
                if (faces)
                    faces[count] = (tlwDropFace){tlwGetFloats(grid, flow->velocity[a])[c], (uint16_t)cell, (uint8_t)a};
                count++;
            }
        }
    return count;
}

static void countRange(void *context, int64_t begin, int64_t end)
{
    const Listing *l = context;
    for (int64_t t = begin; t < end; t++)
        l->drops->start[t] = listTile(l->flow, &l->flow->grid.tiles[t], NULL);
}

static void listRange(void *context, int64_t begin, int64_t end)
{
    const Listing *l = context;
    for (int64_t t = begin; t < end; t++)
        if (l->drops->start[t + 1] > l->drops->start[t])
            listTile(l->flow, &l->flow->grid.tiles[t], l->drops->faces + l->drops->start[t]);
}

tlwResult tlwListDrops(tlwThreads *threads, const tlwFlow *flow, tlwDrops *drops)
{
    int tiles = flow->grid.tile_count;
    Listing l = {flow, drops};
    if (!tlwReserve((void **)&drops->start, &drops->tile_capacity, tiles + 1, sizeof *drops->start))
        return TLW_OUT_OF_MEMORY;
    drops->tile_count = tiles;
    tlwParallelFor(threads, tiles, TLW_TILE_BLOCK, countRange, &l);
    int64_t total = 0;
    for (int t = 0; t < tiles; t++) {
        int64_t here = drops->start[t];
        drops->start[t] = total;
        total += here;
    }
    drops->start[tiles] = total;
    if (!tlwReserve((void **)&drops->faces, &drops->capacity, total, sizeof *drops->faces))
        return TLW_OUT_OF_MEMORY;
    tlwParallelFor(threads, tiles, TLW_TILE_BLOCK, listRange, &l);
    return TLW_OK;
}

void tlwFreeDrops(tlwDrops *drops)
{
    tlwFree(drops->faces);
    tlwFree(drops->start);
    memset(drops, 0, sizeof *drops);
}
