// Multigrid for the stress system, in single precision: one V-cycle is a symmetric positive definite approximation of
// A^-1. Chebyshev smoothing, coarse operators by spread coefficients (stress/transfer.h), a direct solve at the bottom.
#ifndef TLW_SOLVE_STRESS_MULTIGRID_H
#define TLW_SOLVE_STRESS_MULTIGRID_H

#include "solve/envelope.h"
#include "solve/stress/ties.h"

#define TLW_MAX_LEVELS 16

typedef struct tlwStressMultigrid {
    int count;
    const tlwStressLevel *level[TLW_MAX_LEVELS]; // finest first; that one belongs to the caller
    tlwStressLevel owned[TLW_MAX_LEVELS];
    tlwFaceFloats x[TLW_MAX_LEVELS], y[TLW_MAX_LEVELS], b[TLW_MAX_LEVELS];
    tlwStressTies ties[TLW_MAX_LEVELS];
    double bound[TLW_MAX_LEVELS];
    tlwEnvelope bottom;
    int *bottom_component;
    int64_t *bottom_face;
    double *bottom_values;
} tlwStressMultigrid;

// `x`, `y` and `b` are the finest level's vectors; they belong to the caller.
tlwResult tlwInitStressMultigrid(tlwThreads *threads, tlwStressMultigrid *mg, const tlwStressLevel *finest,
                                 const tlwFaceFloats *x, const tlwFaceFloats *y, const tlwFaceFloats *b);
void tlwFreeStressMultigrid(tlwStressMultigrid *mg);

// x[0] = cycle(b[0]). The pointers in x[0] and y[0] may change places.
void tlwCycleStress(tlwThreads *threads, tlwStressMultigrid *mg);

// x = p(D^-1 A) D^-1 b with the Chebyshev polynomial of `degree` over [low, high], D the diagonal of A with the blocks
// of the ties, which may be null; x and y may change places.
void tlwChebyshevStress(tlwThreads *threads, const tlwStressLevel *level, const tlwStressTies *ties,
                        const tlwFaceFloats *b, int degree, double low, double high, bool from_zero, tlwFaceFloats *x,
                        tlwFaceFloats *y);

// Bytes that a cycle moves, every array counted once per kernel.
double tlwCountCycleBytes(const tlwStressMultigrid *mg);

#endif
