#include "step/frozen/air.h"

#include "base/context.h"
#include "grid/sample.h"

#include <string.h>

#define NEAR 3 // cells of air around a piece that move with it
#define WET 3  // cells around liquid that do not

typedef struct Spread {
    const tlwGrid *grid;
    const tlwParticles *particles;
    const float *phi;
    const int32_t *from;
    int32_t *to;
    uint8_t *wet; // cells to the nearest liquid particle, plus 1; 0 = more than WET
    int now;
} Spread;

static void dryRange(void *context, int64_t begin, int64_t end)
{
    const Spread *s = context;
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(s->grid, &s->grid->tiles[t], j, k, row)
            memset(s->wet + row, 0, TLW_TILE);
}

static void wetRange(void *context, int64_t begin, int64_t end)
{
    const Spread *s = context;
    const tlwParticles *q = s->particles;
    for (int64_t n = begin; n < end; n++) {
        int c[3] = {tlwFastFloor(q->position[0][n]), tlwFastFloor(q->position[1][n]), tlwFastFloor(q->position[2][n])};
        if (!q->frozen[n] && tlwFindTile(s->grid, tlwFloorDiv(c[0], TLW_TILE), tlwFloorDiv(c[1], TLW_TILE),
                                         tlwFloorDiv(c[2], TLW_TILE)) >= 0)
            __atomic_store_n(&s->wet[tlwCellIndex(s->grid, c[0], c[1], c[2])], 1, __ATOMIC_RELAXED);
    }
}

// Another thread may write `now` meanwhile, never a lower number, so what is read below `now` is settled.
static void growWetRange(void *context, int64_t begin, int64_t end)
{
    const Spread *s = context;
    const int64_t stride[3] = {1, s->grid->stride_y, s->grid->stride_z};
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(s->grid, &s->grid->tiles[t], j, k, row)
            for (int64_t c = row; c < row + TLW_TILE; c++)
                for (int n = 0; n < 6 && !s->wet[c]; n++) {
                    uint8_t at =
                        __atomic_load_n(&s->wet[c + (n & 1 ? stride[n / 2] : -stride[n / 2])], __ATOMIC_RELAXED);
                    if (at && at < s->now)
                        __atomic_store_n(&s->wet[c], (uint8_t)s->now, __ATOMIC_RELAXED);
                }
}

// Spread the labels by one layer of dry air cells.
static void spreadRange(void *context, int64_t begin, int64_t end)
{
    const Spread *s = context;
    const int64_t stride[3] = {1, s->grid->stride_y, s->grid->stride_z};
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(s->grid, &s->grid->tiles[t], j, k, row)
            for (int64_t c = row; c < row + TLW_TILE; c++) {
                int32_t label = s->from[c];
                for (int n = 0; n < 6 && !label && s->phi[c] > 0 && !s->wet[c]; n++)
                    label = s->from[c + (n & 1 ? stride[n / 2] : -stride[n / 2])];
                s->to[c] = label;
            }
}

tlwResult tlwSpreadPieceLabels(tlwContext *context, const tlwParticles *particles, tlwFlow *flow, int *labels)
{
    tlwGrid *grid = &flow->grid;
    tlwThreads *threads = context->threads;
    int other = tlwBorrowField(grid, sizeof(int32_t)), wet = tlwBorrowField(grid, 1);
    *labels = tlwBorrowField(grid, sizeof(int32_t));
    bool ok = other >= 0 && wet >= 0 && *labels >= 0;
    if (ok) {
        int32_t *layers[2] = {tlwGetInts(grid, *labels), tlwGetInts(grid, other)};
        Spread s = {
            .grid = grid, .particles = particles, .phi = tlwGetFloats(grid, flow->phi), .wet = tlwGetBytes(grid, wet)};
        tlwParallelFor(threads, grid->tile_count, TLW_TILE_BLOCK, dryRange, &s);
        tlwParallelFor(threads, particles->count, 4096, wetRange, &s);
        for (s.now = 2; s.now < WET + 2; s.now++)
            tlwParallelFor(threads, grid->tile_count, TLW_TILE_BLOCK, growWetRange, &s);
        for (int n = NEAR; n > 0; n--) { // the last layer ends in layers[0]
            s.from = n == NEAR ? tlwGetInts(grid, flow->label) : s.to;
            s.to = layers[(n & 1) == 0];
            tlwParallelFor(threads, grid->tile_count, TLW_TILE_BLOCK, spreadRange, &s);
        }
    }
    tlwReturnField(grid, other);
    tlwReturnField(grid, wet);
    if (!ok)
        tlwReturnField(grid, *labels);
    return ok ? TLW_OK : tlwFailMemory(&context->message, "the frozen pieces");
}
