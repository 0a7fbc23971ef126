#include "solve/stress/row_runs.h"

#include "base/memory.h"
#include "base/sets.h"

#include <string.h>

bool tlwInitRowRuns(tlwRowRuns *runs, const tlwGrid *grid)
{
    memset(runs, 0, sizeof *runs);
    runs->grid = grid;
    size_t tiles = (size_t)grid->tile_count, rows = tiles * TLW_TILE_ROWS;
    runs->mask = tlwAlloc(rows, 1);
    runs->first = tlwAlloc(rows, sizeof *runs->first);
    runs->start = tlwAlloc(tiles + 1, sizeof *runs->start);
    runs->lumps = tlwAlloc(tiles, sizeof *runs->lumps);
    return runs->mask && runs->first && runs->start && runs->lumps;
}

void tlwFreeRowRuns(tlwRowRuns *runs)
{
    tlwFree(runs->mask);
    tlwFree(runs->first);
    tlwFree(runs->start);
    tlwFree(runs->lumps);
    tlwFree(runs->lump);
    tlwFree(runs->list);
    tlwFree(runs->component);
    memset(runs, 0, sizeof *runs);
}

static void joinRows(const tlwRowRuns *runs, int *parent, int64_t a, int64_t b)
{
    unsigned mask_a = runs->mask[a], mask_b = runs->mask[b];
    if (!(mask_a & mask_b))
        return;
    int run_a = runs->first[a];
    TLW_FOR_RUNS(mask_a, bits_a) {
        int run_b = runs->first[b];
        TLW_FOR_RUNS(mask_b, bits_b) {
            if (bits_a & bits_b)
                tlwJoinSets(parent, run_a, run_b);
            run_b++;
        }
        run_a++;
    }
}

static int countRuns(unsigned mask)
{
    return __builtin_popcount(mask & ~(mask << 1));
}

static void countRange(void *context, int64_t begin, int64_t end)
{
    tlwRowRuns *runs = context;
    for (int64_t t = begin; t < end; t++) {
        int count = 0;
        for (int64_t r = t * TLW_TILE_ROWS; r < (t + 1) * TLW_TILE_ROWS; r++)
            count += countRuns(runs->mask[r]);
        runs->start[t] = count;
    }
}

// The lumps of each tile. Tiles share no runs.
static void lumpRange(void *context, int64_t begin, int64_t end)
{
    tlwRowRuns *runs = context;
    for (int64_t t = begin; t < end; t++) {
        const int64_t low = t * TLW_TILE_ROWS;
        int start = runs->start[t], stop = runs->start[t + 1], next = start, lumps = 0;
        for (int n = start; n < stop; n++)
            runs->lump[n] = n;
        for (int64_t r = low; next < stop; r++) {
            if (!runs->mask[r])
                continue;
            runs->first[r] = next;
            next += countRuns(runs->mask[r]);
            if ((r - low) % TLW_TILE)
                joinRows(runs, runs->lump, r, r - 1);
            if (r - low >= TLW_TILE)
                joinRows(runs, runs->lump, r, r - TLW_TILE);
        }
        for (int n = start; n < stop; n++) {
            runs->lump[n] =
                runs->lump[runs->lump[n]]; // the parent has a lower number, so it points to its root already
            runs->component[n] = runs->lump[n];
            if (runs->lump[n] == n)
                runs->list[start + lumps++] = n;
        }
        runs->lumps[t] = lumps;
    }
}

// Join lumps that touch across the lower side of a tile along an axis. Most tiles are one lump: then one join is
// enough.
static void joinSide(tlwRowRuns *runs, int t, int other, int axis)
{
    const int64_t row = (int64_t)t * TLW_TILE_ROWS, side = (int64_t)other * TLW_TILE_ROWS;
    const int step = axis == 1 ? TLW_TILE : 1, rows = axis ? TLW_TILE : TLW_TILE_ROWS;
    const int across = axis == 0 ? 0 : axis == 1 ? TLW_TILE - 1 : TLW_TILE_ROWS - TLW_TILE;
    bool once = runs->lumps[t] == 1 && runs->lumps[other] == 1;
    for (int n = 0; n < rows; n++) {
        int64_t a = row + n * step, b = side + n * step + across;
        unsigned mask_a = runs->mask[a], mask_b = runs->mask[b];
        if (!(axis ? mask_a & mask_b : (mask_a & 1) && mask_b >> (TLW_TILE - 1)))
            continue;
        if (axis)
            joinRows(runs, runs->component, a, b);
        else
            tlwJoinSets(runs->component, runs->first[a], runs->first[b] + countRuns(mask_b) - 1);
        if (once)
            return;
    }
}

static void joinTiles(tlwRowRuns *runs)
{
    const tlwGrid *grid = runs->grid;
    for (int t = 0; t < grid->tile_count; t++) {
        int at[3];
        for (int a = 0; a < 3; a++)
            at[a] = tlwFloorDiv(grid->tiles[t].cell[a], TLW_TILE);
        for (int a = 0; a < 3 && runs->lumps[t]; a++) {
            int other = tlwFindTile(grid, at[0] - (a == 0), at[1] - (a == 1), at[2] - (a == 2));
            if (other >= 0 && runs->lumps[other])
                joinSide(runs, t, other, a);
        }
    }
}

// Pass the component of a lump on to all its runs.
static void componentRange(void *context, int64_t begin, int64_t end)
{
    tlwRowRuns *runs = context;
    for (int64_t t = begin; t < end; t++)
        for (int n = runs->start[t]; n < runs->start[t + 1]; n++)
            runs->component[n] = runs->component[runs->lump[n]];
}

static bool reserve(tlwRowRuns *runs)
{
    int64_t count = runs->count + 1;
    return tlwReserve((void **)&runs->lump, &runs->lump_capacity, count, sizeof *runs->lump) &&
           tlwReserve((void **)&runs->list, &runs->list_capacity, count, sizeof *runs->list) &&
           tlwReserve((void **)&runs->component, &runs->component_capacity, count, sizeof *runs->component);
}

tlwResult tlwJoinRowRuns(tlwThreads *threads, tlwRowRuns *runs)
{
    const int tiles = runs->grid->tile_count;
    tlwParallelFor(threads, tiles, TLW_TILE_BLOCK, countRange, runs);
    runs->count = 0;
    for (int t = 0; t < tiles; t++) {
        int count = runs->start[t];
        runs->start[t] = runs->count;
        runs->count += count;
    }
    runs->start[tiles] = runs->count;
    if (!reserve(runs))
        return TLW_OUT_OF_MEMORY;
    tlwParallelFor(threads, tiles, TLW_TILE_BLOCK, lumpRange, runs);
    joinTiles(runs);
    TLW_FOR_LUMPS(runs, n)
        runs->component[n] = runs->component[runs->component[n]]; // the parent is lower and points to its root already
    tlwParallelFor(threads, tiles, TLW_TILE_BLOCK, componentRange, runs);
    return TLW_OK;
}
