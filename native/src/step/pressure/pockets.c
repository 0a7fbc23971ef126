#include "step/pressure/pockets.h"

#include "base/context.h"
#include "base/memory.h"
#include "grid/components.h"
#include "step/pressure/system.h"

static bool isLiquid(void *user, int64_t cell)
{
    return ((const tlwPressure *)user)->type[cell] == TLW_CELL_LIQUID;
}

static bool isCoupled(void *user, int64_t cell, int axis)
{
    return ((const tlwPressure *)user)->weight[axis][cell] > 0;
}

// Whether a liquid cell has a face to air.
static bool isTied(const tlwPressure *p, int64_t c)
{
    const tlwGrid *grid = &p->flow->grid;
    float sum = p->weight[0][c] + p->weight[0][c + 1] + p->weight[1][c] + p->weight[1][c + grid->stride_y] +
                p->weight[2][c] + p->weight[2][c + grid->stride_z];
    return p->diag[c] > sum * 1.0001f;
}

typedef struct Ties {
    const tlwPressure *p;
    const int32_t *labels;
    uint8_t *tied; // per label
} Ties;

static void tieRange(void *context, int64_t begin, int64_t end)
{
    const Ties *s = context;
    const tlwGrid *grid = &s->p->flow->grid;
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(grid, &grid->tiles[t], j, k, row)
            for (int64_t c = row; c < row + TLW_TILE; c++)
                if (s->labels[c] && !__atomic_load_n(&s->tied[s->labels[c]], __ATOMIC_RELAXED) && isTied(s->p, c))
                    __atomic_store_n(&s->tied[s->labels[c]], 1, __ATOMIC_RELAXED);
}

// List the cells of liquid without a free surface; few scenes have any.
static tlwResult listPockets(tlwPressure *p, const int32_t *labels, const uint8_t *tied, int count)
{
    const tlwGrid *grid = &p->flow->grid;
    int64_t *size = tlwAlloc((size_t)count + 1, sizeof *size), total = 0, next = 0;
    p->pockets = tlwAlloc((size_t)count + 1, sizeof *p->pockets);
    tlwResult result = size && p->pockets ? TLW_OK : TLW_OUT_OF_MEMORY;
    for (int t = 0; result == TLW_OK && t < grid->tile_count; t++)
        TLW_FOR_ROWS(grid, &grid->tiles[t], j, k, row)
            for (int64_t c = row; c < row + TLW_TILE; c++)
                size[labels[c]]++;
    for (int n = 1; result == TLW_OK && n <= count; n++)
        total += tied[n] ? 0 : size[n];
    p->pocket_cells = tlwAlloc((size_t)total, sizeof *p->pocket_cells);
    if (!p->pocket_cells)
        result = TLW_OUT_OF_MEMORY;
    for (int n = 1; result == TLW_OK && n <= count; n++) { // size becomes the place of the pocket's next cell
        if (tied[n])
            continue;
        p->pockets[p->system.pocket_count++] = (tlwPocket){p->pocket_cells + next, size[n]};
        int64_t here = next;
        next += size[n];
        size[n] = here;
    }
    for (int t = 0; result == TLW_OK && t < grid->tile_count; t++)
        TLW_FOR_ROWS(grid, &grid->tiles[t], j, k, row)
            for (int64_t c = row; c < row + TLW_TILE; c++)
                if (labels[c] && !tied[labels[c]])
                    p->pocket_cells[size[labels[c]]++] = c;
    p->system.pockets = p->pockets;
    tlwFree(size);
    return result;
}

tlwResult tlwFindPockets(tlwPressure *p)
{
    const tlwGrid *grid = &p->flow->grid;
    tlwThreads *threads = p->context->threads;
    int32_t *labels = tlwGetInts(grid, p->labels);
    int count;
    tlwComponentRule rule = {isLiquid, isCoupled, p};
    TLW_TRY(tlwLabelComponents(threads, grid, &rule, labels, &count));
    Ties s = {p, labels, tlwAlloc((size_t)count + 1, 1)};
    if (!s.tied)
        return TLW_OUT_OF_MEMORY;
    tlwParallelFor(threads, grid->tile_count, TLW_TILE_BLOCK, tieRange, &s);
    bool all = true;
    for (int n = 1; n <= count; n++)
        all = all && s.tied[n];
    tlwResult result = all ? TLW_OK : listPockets(p, labels, s.tied, count);
    tlwFree(s.tied);
    return result;
}
