// Symmetric positive definite 7-point systems with a dominant diagonal, such as an implicit step of diffusion. Solved
// by conjugate gradients with the diagonal as preconditioner. For a cell c with neighbours n:
//
//     (A x)[c] = diag[c] x[c] - sum_n weight[face(c, n)] x[n] - link[c] y[lump[c]]
//     (A y)[l] = lump_diag[l] y[l] - sum_c link[c] x[c]
//
// A lump is one unknown that touches many cells (the temperature of a body). Cells that are no unknowns have diag 0.
#ifndef TLW_SOLVE_SCALAR_CG_H
#define TLW_SOLVE_SCALAR_CG_H

#include "solve/poisson/poisson.h"

typedef struct tlwScalarSystem {
    tlwGrid *grid;
    const float *diag;
    const float *weight[3]; // on the lower faces
    int lump_count;         // 0: the members below may be null
    const int16_t *lump;    // per cell; a value outside 0 .. lump_count - 1 = no lump
    const float *link;      // per cell
    const double *lump_diag;
} tlwScalarSystem;

// Solve A x = b from x = 0. `b` is destroyed (it ends as the residual); lump_x and lump_b hold lump_count numbers each.
// The tolerance is relative and in the norm sqrt(sum b^2 / diag), also for stats->residual.
// Returns TLW_NOT_CONVERGED when the iterations run out; x then holds the best so far.
tlwResult tlwSolveScalarSystem(tlwThreads *threads, const tlwScalarSystem *system, float *x, float *b, double *lump_x,
                               double *lump_b, double tolerance, int max_iterations, tlwSolveStats *stats);

#endif
