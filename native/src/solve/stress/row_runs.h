// Connected cells of a sparse grid, found from runs in its rows of eight. That is an eighth of the work of visiting
// cells.
#ifndef TLW_SOLVE_STRESS_ROW_RUNS_H
#define TLW_SOLVE_STRESS_ROW_RUNS_H

#include "grid/grid.h"

#define TLW_TILE_ROWS (TLW_TILE * TLW_TILE)

// A run is a stretch of neighbouring cells in a row. Runs are numbered tile by tile. Connected runs of a tile form a
// lump, named after its first run. Connected lumps form a component, named after its first run.
typedef struct tlwRowRuns {
    const tlwGrid *grid;
    uint8_t *mask;  // per tile and row: which of its eight cells are in; filled by the caller
    int *first;     // per tile and row: number of its first run, if the row has runs
    int *start;     // per tile: number of its first run; one more at the end
    int *lumps;     // per tile: how many it has
    int count;      // of runs
    int *lump;      // per run: its lump
    int *list;      // the lumps of tile t in rising order, from start[t] on
    int *component; // per run: its component
    int64_t lump_capacity, list_capacity, component_capacity;
} tlwRowRuns;

bool tlwInitRowRuns(tlwRowRuns *runs, const tlwGrid *grid);
void tlwFreeRowRuns(tlwRowRuns *runs);

// Number the runs of the masks and join those that touch over cell faces.
tlwResult tlwJoinRowRuns(tlwThreads *threads, tlwRowRuns *runs);

static inline unsigned tlwLowestRun(unsigned mask)
{
    unsigned low = mask & -mask;
    return mask & ~(mask + low);
}

// Visit the runs of a row from low to high; `bits` are the cells of each.
#define TLW_FOR_RUNS(row_mask, bits)                                                                                   \
    for (unsigned rest_##bits = (row_mask), bits; rest_##bits && (bits = tlwLowestRun(rest_##bits), 1);                \
         rest_##bits &= ~bits)

// Visit the lumps of all tiles in rising order.
#define TLW_FOR_LUMPS(runs, lump_now)                                                                                  \
    for (int tile_##lump_now = 0; tile_##lump_now < (runs)->grid->tile_count; tile_##lump_now++)                       \
        for (int at_##lump_now = (runs)->start[tile_##lump_now],                                                       \
                 end_##lump_now = at_##lump_now + (runs)->lumps[tile_##lump_now], lump_now;                            \
             at_##lump_now < end_##lump_now && (lump_now = (runs)->list[at_##lump_now], 1); at_##lump_now++)

#endif
