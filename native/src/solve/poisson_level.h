// One level of the Poisson hierarchy and the kernels that run on it. Private to the solver.
//
// Work follows the unknowns, not the tiles: every loop runs over a list of the rows of eight cells that hold unknowns.
// Vectors are zero at all other cells of the active tiles, which kernels rely on and keep.
#ifndef TLW_SOLVE_POISSON_LEVEL_H
#define TLW_SOLVE_POISSON_LEVEL_H

#include "solve/envelope.h"
#include "solve/poisson.h"

// A solid cell next to unknowns that takes their mean before prolongation.
typedef struct tlwGhost {
    int64_t cell;
    int first, count; // sources
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
#define TLW_SMALL_ROW_BLOCK 192 // where nothing is added up, so that small levels have a block for every thread

// x = (b + sum w x) / diag over the cells of one colour; `start` when x is zero so far and need not be read.
void tlwSmoothLevel(tlwThreads *threads, const tlwLevel *level, float *x, const float *b, int color, bool start);

// r = b - A x
void tlwComputeResidual(tlwThreads *threads, const tlwLevel *level, const float *x, const float *b, float *r);

// y = A x
void tlwApplyLevel(tlwThreads *threads, const tlwLevel *level, const float *x, float *y);

// coarse->b = transpose of prolongation, applied to the fine residual
void tlwRestrictResidual(tlwThreads *threads, const tlwLevel *fine, const float *r, tlwLevel *coarse);

// x += prolongation of coarse->x; coarse->x gets its ghosts filled
void tlwProlongate(tlwThreads *threads, tlwLevel *coarse, const tlwLevel *fine, float *x);

// Fill mask, rows, unknown_count and inverse from type and diag.
tlwResult tlwListRows(tlwThreads *threads, tlwLevel *level);

// Build the next coarser level.
tlwResult tlwCoarsenLevel(tlwThreads *threads, const tlwLevel *fine, tlwLevel *coarse);
void tlwFreeLevel(tlwLevel *level);

// Factors of a level's matrix, and x = A^-1 b with them.
tlwResult tlwFactorLevel(tlwLevel *level);
void tlwSolveLevel(const tlwLevel *level, float *x, const float *b);

#endif
