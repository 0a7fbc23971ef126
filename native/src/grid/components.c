#include "grid/components.h"

#include "base/memory.h"

// Union-find over runs: members of a row that hang together share a provisional label from the start, so there are few
// labels and most unions are between rows.
typedef struct Sets {
    int32_t *parent;
    int64_t count, capacity;
} Sets;

static int32_t findRoot(const Sets *sets, int32_t a)
{
    while (sets->parent[a] != a) {
        sets->parent[a] = sets->parent[sets->parent[a]];
        a = sets->parent[a];
    }
    return a;
}

static void join(const Sets *sets, int32_t a, int32_t b)
{
    a = findRoot(sets, a);
    b = findRoot(sets, b);
    if (a < b)
        sets->parent[b] = a;
    else
        sets->parent[a] = b;
}

static bool joined(const tlwComponentRule *rule, int64_t cell, int axis)
{
    return !rule->is_joined || rule->is_joined(rule->user, cell, axis);
}

static bool labelRow(const tlwComponentRule *rule, Sets *sets, int32_t *labels, int64_t row)
{
    for (int64_t c = row; c < row + TLW_TILE; c++) {
        labels[c] = 0;
        if (!rule->is_member(rule->user, c))
            continue;
        if (c > row && labels[c - 1] && joined(rule, c, 0)) {
            labels[c] = labels[c - 1];
            continue;
        }
        if (!tlwReserve((void **)&sets->parent, &sets->capacity, sets->count + 1, sizeof *sets->parent))
            return false;
        sets->parent[sets->count] = (int32_t)sets->count;
        labels[c] = (int32_t)sets->count++;
    }
    return true;
}

static void joinTile(const tlwGrid *grid, const tlwComponentRule *rule, const Sets *sets, const int32_t *labels,
                     const tlwTile *tile)
{
    int64_t stride[3] = {1, grid->stride_y, grid->stride_z};
    TLW_FOR_ROWS(grid, tile, j, k, row)
    for (int i = 0; i < TLW_TILE; i++) {
        int64_t c = row + i;
        if (!labels[c])
            continue;
        for (int a = i == 0 ? 0 : 1; a < 3; a++)
            if (labels[c - stride[a]] && labels[c - stride[a]] != labels[c] && joined(rule, c, a))
                join(sets, labels[c], labels[c - stride[a]]);
    }
}

tlwResult tlwLabelComponents(tlwGrid *grid, const tlwComponentRule *rule, int32_t *labels, int *count)
{
    Sets sets = {0};
    bool ok = tlwReserve((void **)&sets.parent, &sets.capacity, 1024, sizeof *sets.parent);
    if (ok)
        sets.parent[sets.count++] = 0;
    for (int t = 0; ok && t < grid->tile_count; t++)
        TLW_FOR_ROWS(grid, &grid->tiles[t], j, k, row)
    ok = ok && labelRow(rule, &sets, labels, row);
    if (!ok) {
        tlwFree(sets.parent);
        return TLW_OUT_OF_MEMORY;
    }
    for (int t = 0; t < grid->tile_count; t++)
        joinTile(grid, rule, &sets, labels, &grid->tiles[t]);
    // Roots are the smallest label of their set, so numbers come out in order of first appearance.
    *count = 0;
    for (int64_t n = 1; n < sets.count; n++)
        if (sets.parent[n] == n)
            sets.parent[n] = -(++*count);
    for (int t = 0; t < grid->tile_count; t++)
        TLW_FOR_ROWS(grid, &grid->tiles[t], j, k, row)
    for (int64_t c = row; c < row + TLW_TILE; c++) {
        int32_t n = labels[c];
        while (n > 0 && sets.parent[n] >= 0)
            n = sets.parent[n];
        labels[c] = n > 0 ? -sets.parent[n] : 0;
    }
    tlwFree(sets.parent);
    return TLW_OK;
}
