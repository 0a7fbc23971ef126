// Small symmetric positive definite systems, row by row in plain arrays of n x n numbers.
#ifndef TLW_BASE_CHOLESKY_H
#define TLW_BASE_CHOLESKY_H

// The lower triangle of m becomes its Cholesky factor; what is above the diagonal is neither read nor written.
void tlwFactorCholesky(int n, double *m);

// x, the right-hand side, becomes the solution. m: from tlwFactorCholesky.
void tlwSolveCholesky(int n, const double *m, double *x);

#endif
