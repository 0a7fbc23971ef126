#include "grid/components.h"

#include "base/memory.h"
#include "base/sets.h"

static bool joined(const tlwComponentRule *rule, int64_t cell, int axis)
{
    return !rule->is_joined || rule->is_joined(rule->user, cell, axis);
}

typedef struct Labelling {
    const tlwGrid *grid;
    const tlwComponentRule *rule;
    int32_t *labels;
    int32_t *first; // per tile: the number of its own labels 1 .. n, then the offset from them to the grid's labels
    // Union-find over runs: connected members of a row share a provisional label from the start, so there are few
    // labels and most unions are between rows.
    int32_t *parent;
    int64_t set_count;
} Labelling;

// Connected members of a row get one label, numbered within the tile.
static void runRange(void *context, int64_t begin, int64_t end)
{
    const Labelling *l = context;
    for (int64_t t = begin; t < end; t++) {
        int32_t count = 0;
        TLW_FOR_ROWS(l->grid, &l->grid->tiles[t], j, k, row)
            for (int64_t c = row; c < row + TLW_TILE; c++) {
                bool member = l->rule->is_member(l->rule->user, c);
                if (member && c > row && l->labels[c - 1] && joined(l->rule, c, 0))
                    l->labels[c] = l->labels[c - 1];
                else
                    l->labels[c] = member ? ++count : 0;
            }
        l->first[t] = count;
    }
}

// Turn tile labels into labels of the grid and join them inside each tile. Threads may run at once because the sets of
// different tiles share no memory.
static void joinRange(void *context, int64_t begin, int64_t end)
{
    const Labelling *l = context;
    const int64_t stride[3] = {1, l->grid->stride_y, l->grid->stride_z};
    for (int64_t t = begin; t < end; t++) {
        const tlwTile *tile = &l->grid->tiles[t];
        TLW_FOR_ROWS(l->grid, tile, j, k, row)
            for (int64_t c = row; c < row + TLW_TILE; c++) {
                if (!l->labels[c])
                    continue;
                l->labels[c] += l->first[t];
                for (int a = 1; a < 3; a++) {
                    bool inside = a == 1 ? j > tile->cell[1] : k > tile->cell[2];
                    int32_t other = inside ? l->labels[c - stride[a]] : 0;
                    if (other && other != l->labels[c] && joined(l->rule, c, a))
                        tlwJoinSets(l->parent, l->labels[c], other);
                }
            }
    }
}

// Joins across the lower sides of a tile.
static void joinSides(const Labelling *l, const tlwTile *tile)
{
    const int64_t stride[3] = {1, l->grid->stride_y, l->grid->stride_z};
    for (int a = 0; a < 3; a++)
        for (int n = 0; n < TLW_TILE * TLW_TILE; n++) {
            int64_t c = tile->base + n % TLW_TILE * stride[(a + 1) % 3] + n / TLW_TILE * stride[(a + 2) % 3];
            int32_t here = l->labels[c], other = l->labels[c - stride[a]];
            if (here && other && joined(l->rule, c, a))
                tlwJoinSets(l->parent, here, other);
        }
}

static void numberRange(void *context, int64_t begin, int64_t end)
{
    const Labelling *l = context;
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(l->grid, &l->grid->tiles[t], j, k, row)
            for (int64_t c = row; c < row + TLW_TILE; c++) {
                int32_t n = l->labels[c];
                while (n > 0 && l->parent[n] >= 0)
                    n = l->parent[n];
                l->labels[c] = n > 0 ? -l->parent[n] : 0;
            }
}

tlwResult tlwLabelComponents(tlwThreads *threads, const tlwGrid *grid, const tlwComponentRule *rule, int32_t *labels,
                             int *count)
{
    Labelling l = {.grid = grid, .rule = rule, .labels = labels};
    l.first = tlwAlloc((size_t)grid->tile_count + 1, sizeof *l.first);
    if (!l.first)
        return TLW_OUT_OF_MEMORY;
    tlwParallelFor(threads, grid->tile_count, TLW_TILE_BLOCK, runRange, &l);
    l.set_count = 1;
    for (int t = 0; t < grid->tile_count; t++) {
        int32_t own = l.first[t];
        l.first[t] = (int32_t)l.set_count - 1;
        l.set_count += own;
    }
    l.parent = tlwAlloc((size_t)l.set_count, sizeof *l.parent);
    if (!l.parent) {
        tlwFree(l.first);
        return TLW_OUT_OF_MEMORY;
    }
    tlwInitSets(l.parent, l.set_count);
    tlwParallelFor(threads, grid->tile_count, TLW_TILE_BLOCK, joinRange, &l);
    for (int t = 0; t < grid->tile_count; t++)
        joinSides(&l, &grid->tiles[t]);
    // The smallest label of a set is its root, so numbers follow the order of first appearance.
    *count = 0;
    for (int64_t n = 1; n < l.set_count; n++)
        if (l.parent[n] == n)
            l.parent[n] = -(++*count);
    tlwParallelFor(threads, grid->tile_count, TLW_TILE_BLOCK, numberRange, &l);
    tlwFree(l.first);
    tlwFree(l.parent);
    return TLW_OK;
}
