#include "step/frozen/shape.h"

#include "base/context.h"
#include "base/memory.h"
#include "step/frozen/pieces.h"

#include <math.h>

// What the pieces' shapes are listed from.
typedef struct Shapes {
    const tlwPieceSearch *search;
    const tlwGrid *grid;
    const int32_t *piece, *near, *cover;
    const float *distance;
    tlwPieces *pieces;
    int64_t capacity;
} Shapes;

// Viscosity drags pieces of which at least half of the surface is under liquid. Others slide on films that may be
// nearly as stiff as they are: as an unknown, a block on a hot plate takes 460 iterations, and 12 when it is held.
static bool *findSubmerged(const Shapes *u)
{
    int64_t *surface = tlwAlloc(2 * (size_t)u->pieces->count, sizeof *surface), *under = surface + u->pieces->count;
    bool *submerged = tlwAlloc((size_t)u->pieces->count, sizeof *submerged);
    for (int t = 0; surface && submerged && t < u->grid->tile_count; t++)
        TLW_FOR_ROWS(u->grid, &u->grid->tiles[t], j, k, row)
            for (int64_t c = row; c < row + TLW_TILE; c++)
                if (u->near[c] && fabsf(u->distance[c]) < 0.5f) {
                    surface[u->near[c] - 1]++;
                    under[u->near[c] - 1] += u->cover[c] != 0;
                }
    for (int n = 0; surface && submerged && n < u->pieces->count; n++)
        submerged[n] = under[n] > 0 && 2 * under[n] >= surface[n];
    if (!surface) {
        tlwFree(submerged);
        submerged = NULL;
    }
    tlwFree(surface);
    return submerged;
}

static tlwResult listShapes(Shapes *u, const bool *submerged)
{
    for (int t = 0; t < u->grid->tile_count; t++) {
        int c = 0;
        TLW_FOR_ROWS(u->grid, &u->grid->tiles[t], j, k, row)
            for (int i = 0; i < TLW_TILE; i++, c++) {
                int64_t at = row + i;
                if (!u->near[at] || !submerged[u->near[at] - 1])
                    continue;
                bool dry =
                    !u->cover[at] && (u->piece[at] || !tlwHoldsLiquid(u->search->order, u->search->particles, t, c));
                tlwPieceShape shape = {at, u->near[at], u->distance[at], dry};
                if (!tlwReserve((void **)&u->pieces->shapes, &u->capacity, u->pieces->shape_count + 1, sizeof shape))
                    return TLW_OUT_OF_MEMORY;
                u->pieces->shapes[u->pieces->shape_count++] = shape;
            }
    }
    return TLW_OK;
}

tlwResult tlwListShapes(const tlwPieceSearch *search, const int32_t *near, const float *distance, tlwPieces *pieces)
{
    const tlwFlow *flow = search->flow;
    Shapes u = {.search = search,
                .grid = &flow->grid,
                .piece = tlwGetInts(&flow->grid, flow->piece),
                .near = near,
                .cover = tlwGetInts(&flow->grid, flow->cover),
                .distance = distance,
                .pieces = pieces};
    bool *submerged = findSubmerged(&u);
    tlwResult result = submerged ? listShapes(&u, submerged) : TLW_OUT_OF_MEMORY;
    tlwFree(submerged);
    return result;
}

typedef struct Show {
    const tlwGrid *grid;
    const tlwPieces *pieces;
    float *distance; // cell, cells
    int32_t *near;   // cell: label
    float *solid, *viscosity;
    int32_t *label;
} Show;

static void startRange(void *context, int64_t begin, int64_t end)
{
    const Show *s = context;
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(s->grid, &s->grid->tiles[t], j, k, row)
            for (int64_t c = row; c < row + TLW_TILE; c++) {
                s->distance[c] = 1;
                s->near[c] = 0;
            }
}

static void cellRange(void *context, int64_t begin, int64_t end)
{
    const Show *s = context;
    for (int64_t n = begin; n < end; n++) {
        const tlwPieceShape *shape = &s->pieces->shapes[n];
        s->distance[shape->cell] = shape->distance;
        s->near[shape->cell] = shape->piece;
        if (shape->dry)
            s->viscosity[shape->cell] = 0;
    }
}

// A node lies in the middle of eight cells. Where several pieces are near, it belongs to the nearest.
static void nodeRange(void *context, int64_t begin, int64_t end)
{
    const Show *s = context;
    float dx = (float)s->grid->dx;
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(s->grid, &s->grid->tiles[t], j, k, row)
            for (int64_t c = row; c < row + TLW_TILE; c++) {
                float sum = 0, least = INFINITY;
                int32_t label = 0;
                for (int q = 0; q < 8; q++) {
                    int64_t at = c - (q & 1) - (q >> 1 & 1) * s->grid->stride_y - (q >> 2) * s->grid->stride_z;
                    float d = s->distance[at];
                    sum += d > 1 ? 1 : d;
                    if (s->near[at] && d < least) {
                        label = s->near[at];
                        least = d;
                    }
                }
                bool nearer = label && 0.125f * sum * dx < s->solid[c];
                s->solid[c] = nearer ? 0.125f * sum * dx : s->solid[c];
                s->label[c] = nearer ? label : 0;
            }
}

tlwResult tlwShowShapes(tlwContext *context, tlwFlow *flow, const tlwPieces *pieces, tlwShownShapes *shown)
{
    tlwGrid *grid = &flow->grid;
    tlwThreads *threads = context->threads;
    *shown = (tlwShownShapes){-1, -1, -1};
    if (!pieces->shape_count)
        return TLW_OK;
    int distance = tlwBorrowField(grid, sizeof(float)), near = tlwBorrowField(grid, sizeof(int32_t));
    shown->solid = tlwBorrowField(grid, sizeof(float));
    shown->label = tlwBorrowField(grid, sizeof(int32_t));
    shown->viscosity = tlwBorrowField(grid, sizeof(float));
    bool ok = distance >= 0 && near >= 0 && shown->solid >= 0 && shown->label >= 0 && shown->viscosity >= 0;
    if (ok) {
        Show s = {.grid = grid,
                  .pieces = pieces,
                  .distance = tlwGetFloats(grid, distance),
                  .near = tlwGetInts(grid, near),
                  .solid = tlwGetFloats(grid, shown->solid),
                  .viscosity = tlwGetFloats(grid, shown->viscosity),
                  .label = tlwGetInts(grid, shown->label)};
        tlwCopyFloats(threads, grid, tlwGetFloats(grid, flow->solid), s.solid);
        tlwCopyFloats(threads, grid, tlwGetFloats(grid, flow->viscosity), s.viscosity);
        tlwParallelFor(threads, grid->tile_count, TLW_TILE_BLOCK, startRange, &s);
        tlwParallelFor(threads, pieces->shape_count, 4096, cellRange, &s);
        tlwParallelFor(threads, grid->tile_count, TLW_TILE_BLOCK, nodeRange, &s);
    }
    tlwReturnField(grid, distance);
    tlwReturnField(grid, near);
    if (!ok)
        tlwHideShapes(flow, shown);
    return ok ? TLW_OK : tlwFailMemory(&context->message, "the frozen pieces");
}

void tlwHideShapes(tlwFlow *flow, const tlwShownShapes *shown)
{
    tlwReturnField(&flow->grid, shown->solid);
    tlwReturnField(&flow->grid, shown->label);
    tlwReturnField(&flow->grid, shown->viscosity);
}
