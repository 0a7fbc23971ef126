// The rows of a level that hold unknowns, and the direct solve of the coarsest level.
#ifndef TLW_SOLVE_POISSON_ROWS_H
#define TLW_SOLVE_POISSON_ROWS_H

#include "solve/poisson/level.h"

// Fill mask, rows, unknown_count and inverse from type and diag.
tlwResult tlwListRows(tlwThreads *threads, tlwLevel *level);

// Factor a level's matrix, and solve x = A^-1 b with the factors.
tlwResult tlwFactorLevel(tlwLevel *level);
void tlwSolveLevel(const tlwLevel *level, float *x, const float *b);

#endif
