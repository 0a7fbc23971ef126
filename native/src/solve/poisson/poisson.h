// Symmetric 7-point systems on the cells of a sparse grid, solved by conjugate gradients with a multigrid
// preconditioner. For a cell c with neighbours n across faces of weight w:
//
//     (A x)[c] = diag[c] x[c] - sum_n w[face(c, n)] x[n]
//
// diag[c] is at least the sum of the cell's weights. The excess pulls the cell towards zero (a free surface).
// Cells that are no unknowns have diag 1, weights 0 and right-hand side 0.
//
// A coarse level adds up face weights over 2x2 faces and the excess over 2x2x2 cells, and halves both. On a uniform
// grid that equals the operator discretised anew on cells twice as large. Transfers are trilinear. Solid cells next to
// unknowns take the mean of their neighbours, so that walls act as walls and not as a free surface. The cycle is
// symmetric: red-black Gauss-Seidel down, black-red up.
#ifndef TLW_SOLVE_POISSON_POISSON_H
#define TLW_SOLVE_POISSON_POISSON_H

#include "grid/grid.h"

// What a cell is. Transfers treat solid and air differently.
enum { TLW_CELL_SOLID = 0, TLW_CELL_LIQUID = 1, TLW_CELL_AIR = 2 };

typedef struct tlwPoisson tlwPoisson;

// Connected unknowns without any excess: liquid with no air cell (Carlson 2004, s. 3.3.2). Their mean is undetermined
// and kept out of the solve.
typedef struct tlwPocket {
    const int64_t *cells; // window indices
    int64_t count;
} tlwPocket;

// The system. Slots of `grid`; the arrays stay the caller's and must not change until the solver is destroyed.
typedef struct tlwPoissonSystem {
    tlwGrid *grid;
    int diag;                 // float
    int weight[3];            // float, on faces
    int type;                 // uint8
    const tlwPocket *pockets; // may be null
    int pocket_count;
    // Adds a further symmetric positive semi-definite operator to y (rigid bodies); may be null.
    void (*apply_extra)(void *user, const float *x, float *y);
    void *user;
} tlwPoissonSystem;

typedef struct tlwSolveStats {
    int iterations;
    double residual;            // true relative residual in the Euclidean norm
    int64_t unknowns;           // of the finest level
    double bytes_per_iteration; // read and written by the kernels, every array counted once per kernel
} tlwSolveStats;

// Build the coarse levels. Null when memory is out.
tlwPoisson *tlwCreatePoisson(const tlwContext *context, const tlwPoissonSystem *system);
void tlwDestroyPoisson(tlwPoisson *poisson);

// Solve A x = b from the guess in x. `b` is destroyed (it ends as the residual). Returns TLW_NOT_CONVERGED when the
// iterations run out, TLW_CANCELLED when asked to stop; x then holds the best so far.
tlwResult tlwSolvePoisson(tlwPoisson *poisson, int x, int b, double tolerance, int max_iterations,
                          tlwSolveStats *stats);

// Give the memory of the iteration's vectors back to the system until the next solve.
void tlwRestPoisson(tlwPoisson *poisson);

// The preconditioner of tlwSolvePoisson: one multigrid cycle z = M^-1 r. Conjugate gradients need M^-1 symmetric and
// positive definite. z is not written in rows without unknowns.
void tlwApplyPoissonCycle(tlwPoisson *poisson, const float *r, float *z);

#endif
