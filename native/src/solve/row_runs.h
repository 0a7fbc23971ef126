// Connected cells of a sparse grid, found from runs in its rows of eight: an eighth of the work of visiting cells.
#ifndef TLW_SOLVE_ROW_RUNS_H
#define TLW_SOLVE_ROW_RUNS_H

#include "grid/grid.h"

#include <string.h>

#define TLW_TILE_ROWS (TLW_TILE * TLW_TILE)

typedef struct tlwRowRuns {
    const tlwGrid *grid;
    uint8_t *mask; // per tile and row: which of its eight cells are in; filled by the caller
    int *first;    // per tile and row, where it has any: number of its first run
    int count;
    int *parent; // per run; a root is its own parent and the smallest run of its component
    int64_t capacity;
} tlwRowRuns;

bool tlwInitRowRuns(tlwRowRuns *runs, const tlwGrid *grid);
void tlwFreeRowRuns(tlwRowRuns *runs);

// Number the runs of the masks and join those that touch over cell faces.
tlwResult tlwJoinRowRuns(tlwRowRuns *runs);

static inline int tlwFindRoot(const tlwRowRuns *runs, int run)
{
    int *parent = runs->parent;
    while (parent[run] != run)
        run = parent[run] = parent[parent[run]];
    return run;
}

// Whether any row of a tile has runs.
static inline bool tlwHasRuns(const tlwRowRuns *runs, int64_t tile)
{
    uint64_t rows[TLW_TILE], any = 0;
    memcpy(rows, runs->mask + tile * TLW_TILE_ROWS, sizeof rows);
    for (int n = 0; n < TLW_TILE; n++)
        any |= rows[n];
    return any != 0;
}

static inline unsigned tlwLowestRun(unsigned mask)
{
    unsigned low = mask & -mask;
    return mask & ~(mask + low);
}

// Visit the runs of a row from low to high; `bits` are the cells of each.
#define TLW_FOR_RUNS(row_mask, bits)                                                                                   \
    for (unsigned rest_##bits = (row_mask), bits; rest_##bits && (bits = tlwLowestRun(rest_##bits), 1);                \
         rest_##bits &= ~bits)

#endif
