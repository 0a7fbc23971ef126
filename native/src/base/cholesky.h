// Small symmetric positive definite systems, row by row in plain arrays of n x n numbers.
#ifndef TLW_BASE_CHOLESKY_H
#define TLW_BASE_CHOLESKY_H

// Replaces the lower triangle of m by its Cholesky factor. Entries above the diagonal are neither read nor written.
void tlwFactorCholesky(int n, double *m);

// Replaces the right-hand side x by the solution. `m` comes from tlwFactorCholesky.
void tlwSolveCholesky(int n, const double *m, double *x);

#endif
