// Stencil and transfer kernels of the Poisson hierarchy. All loops run over the rows of eight cells that hold unknowns.
#ifndef TLW_SOLVE_POISSON_KERNELS_H
#define TLW_SOLVE_POISSON_KERNELS_H

#include "solve/poisson/level.h"

// x = (b + sum w x) / diag over the cells of one colour. `start`: x counts as zero and is not read.
void tlwSmoothLevel(tlwThreads *threads, const tlwLevel *level, float *x, const float *b, int color, bool start);

// r = b - A x
void tlwComputeResidual(tlwThreads *threads, const tlwLevel *level, const float *x, const float *b, float *r);

// y = A x
void tlwApplyLevel(tlwThreads *threads, const tlwLevel *level, const float *x, float *y);

// coarse->b = transpose of prolongation, applied to the fine residual
void tlwRestrictResidual(tlwThreads *threads, const tlwLevel *fine, const float *r, tlwLevel *coarse);

// x += prolongation of coarse->x; coarse->x gets its ghosts filled
void tlwProlongate(tlwThreads *threads, tlwLevel *coarse, const tlwLevel *fine, float *x);

#endif
