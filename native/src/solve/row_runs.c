#include "solve/row_runs.h"

#include "base/memory.h"

#include <string.h>

bool tlwInitRowRuns(tlwRowRuns *runs, const tlwGrid *grid)
{
    memset(runs, 0, sizeof *runs);
    runs->grid = grid;
    size_t rows = (size_t)grid->tile_count * TLW_TILE_ROWS;
    runs->mask = tlwAlloc(rows, 1);
    runs->first = tlwAlloc(rows, sizeof *runs->first);
    return runs->mask && runs->first;
}

void tlwFreeRowRuns(tlwRowRuns *runs)
{
    tlwFree(runs->mask);
    tlwFree(runs->first);
    tlwFree(runs->parent);
    memset(runs, 0, sizeof *runs);
}

static void join(tlwRowRuns *runs, int a, int b)
{
    a = tlwFindRoot(runs, a);
    b = tlwFindRoot(runs, b);
    if (a != b)
        runs->parent[a > b ? a : b] = a > b ? b : a;
}

static void joinRows(tlwRowRuns *runs, int64_t a, int64_t b)
{
    unsigned mask_a = runs->mask[a], mask_b = runs->mask[b];
    if (!(mask_a & mask_b))
        return;
    int run_a = runs->first[a];
    TLW_FOR_RUNS(mask_a, bits_a)
    {
        int run_b = runs->first[b];
        TLW_FOR_RUNS(mask_b, bits_b)
        {
            if (bits_a & bits_b)
                join(runs, run_a, run_b);
            run_b++;
        }
        run_a++;
    }
}

static void joinLeft(tlwRowRuns *runs, int64_t row, int64_t left)
{
    if (!(runs->mask[row] & 1) || !(runs->mask[left] & 0x80))
        return;
    int last = runs->first[left] - 1;
    TLW_FOR_RUNS(runs->mask[left], bits)
    last += bits != 0;
    join(runs, runs->first[row], last);
}

static void joinTile(tlwRowRuns *runs, int t)
{
    const tlwGrid *grid = runs->grid;
    int at[3], side[3];
    for (int a = 0; a < 3; a++)
        at[a] = tlwFloorDiv(grid->tiles[t].cell[a], TLW_TILE);
    for (int a = 0; a < 3; a++)
        side[a] = tlwFindTile(grid, at[0] - (a == 0), at[1] - (a == 1), at[2] - (a == 2));
    for (int r = 0; r < TLW_TILE_ROWS; r++) {
        int64_t row = (int64_t)t * TLW_TILE_ROWS + r;
        if (!runs->mask[row])
            continue;
        if (side[0] >= 0)
            joinLeft(runs, row, (int64_t)side[0] * TLW_TILE_ROWS + r);
        if (r % TLW_TILE)
            joinRows(runs, row, row - 1);
        else if (side[1] >= 0)
            joinRows(runs, row, (int64_t)side[1] * TLW_TILE_ROWS + r + TLW_TILE - 1);
        if (r >= TLW_TILE)
            joinRows(runs, row, row - TLW_TILE);
        else if (side[2] >= 0)
            joinRows(runs, row, (int64_t)side[2] * TLW_TILE_ROWS + r + TLW_TILE_ROWS - TLW_TILE);
    }
}

tlwResult tlwJoinRowRuns(tlwRowRuns *runs)
{
    runs->count = 0;
    for (int64_t t = 0; t < runs->grid->tile_count; t++)
        for (int64_t r = t * TLW_TILE_ROWS; tlwHasRuns(runs, t) && r < (t + 1) * TLW_TILE_ROWS; r++) {
            runs->first[r] = runs->count;
            TLW_FOR_RUNS(runs->mask[r], bits)
            runs->count += bits != 0;
        }
    if (!tlwReserve((void **)&runs->parent, &runs->capacity, runs->count + 1, sizeof *runs->parent))
        return TLW_OUT_OF_MEMORY;
    for (int n = 0; n < runs->count; n++)
        runs->parent[n] = n;
    for (int t = 0; t < runs->grid->tile_count; t++)
        if (tlwHasRuns(runs, t))
            joinTile(runs, t);
    return TLW_OK;
}
