// One level of the Poisson hierarchy and the kernels that run on it. Private to the solver.
#ifndef TLW_SOLVE_POISSON_LEVEL_H
#define TLW_SOLVE_POISSON_LEVEL_H

#include "solve/poisson.h"

// A solid cell next to unknowns that takes their mean before prolongation.
typedef struct tlwGhost {
    int64_t cell;
    int first, count; // sources
} tlwGhost;

typedef struct tlwLevel {
    tlwGrid *grid;
    float *diag, *weight[3];
    uint8_t *type, *mark; // mark: scratch of the set-up
    float *x, *b, *r; // r may be null on the finest level until a cycle runs
    tlwGhost *ghosts;
    int ghost_count;
    int64_t *sources;
    tlwGrid owned; // the grid itself on coarse levels
} tlwLevel;

// Relax once over the cells of one colour: x = (b + sum w x) / diag.
void tlwSmoothLevel(tlwThreads *threads, const tlwLevel *level, float *x, const float *b, int color);

// r = b - A x
void tlwComputeResidual(tlwThreads *threads, const tlwLevel *level, const float *x, const float *b, float *r);

// y = A x
void tlwApplyLevel(tlwThreads *threads, const tlwLevel *level, const float *x, float *y);

// coarse->b = transpose of prolongation, applied to the fine residual
void tlwRestrictResidual(tlwThreads *threads, const tlwLevel *fine, const float *r, tlwLevel *coarse);

// x += prolongation of coarse->x; coarse->x gets its ghosts filled
void tlwProlongate(tlwThreads *threads, tlwLevel *coarse, const tlwLevel *fine, float *x);

// Build the next coarser level.
tlwResult tlwCoarsenLevel(tlwThreads *threads, const tlwLevel *fine, tlwLevel *coarse);
void tlwFreeLevel(tlwLevel *level);

#endif
