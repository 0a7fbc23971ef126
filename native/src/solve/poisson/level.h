// One level of the Poisson hierarchy and the kernels that run on it. Private to the solver.
//
// Work follows the unknowns, not the tiles: every loop runs over a list of the rows of eight cells that hold unknowns.
// Vectors are zero at all other cells of the active tiles, which kernels rely on and keep.
#ifndef TLW_SOLVE_POISSON_LEVEL_H
#define TLW_SOLVE_POISSON_LEVEL_H

#include "grid/grid.h"
#include "solve/envelope.h"

// A solid cell next to unknowns. Before prolongation it takes the mean of those unknowns, its sources.
typedef struct tlwGhost {
    int64_t cell;
    int first, count; // into tlwLevel.sources
} tlwGhost;

// Window index of a row's first cell, plus 1 where j + k is odd.
typedef int64_t tlwRow;
#define TLW_ROW_START(row) ((row) & ~(int64_t)7)

typedef struct tlwLevel {
    tlwGrid *grid;
    float *diag, *inverse, *weight[3]; // inverse: 1 / diag of unknowns, 0 elsewhere
    uint8_t *type;
    float *x, *b, *r; // of coarse levels

    uint8_t *mask; // window index / 8 -> which cells of the row are unknowns
    tlwRow *rows;
    int64_t row_count, unknown_count;

    tlwGhost *ghosts;
    int ghost_count;
    int64_t *sources;
    tlwRow *ghost_rows; // rows with ghosts but no unknowns
    int64_t ghost_row_count;

    tlwEnvelope factors; // direct solve, on the coarsest level
    int64_t *numbering;  // cells of the factors' unknowns
    double *values;
    tlwGrid owned; // the grid itself on coarse levels
} tlwLevel;

// Rows that a parallel block should hold.
#define TLW_ROW_BLOCK 384
#define TLW_SMALL_ROW_BLOCK 192 // for loops without sums: even small levels have a block for every thread

#endif
