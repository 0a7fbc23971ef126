// Deflation: solves the rigid motions of stiff parts exactly; another preconditioner handles everything else.
// Q = W (W' A W)^-1 W' with W the modes of tlwRigidParts.
#ifndef TLW_SOLVE_STRESS_DEFLATION_H
#define TLW_SOLVE_STRESS_DEFLATION_H

#include "solve/envelope.h"
#include "solve/stress/rigid.h"

typedef struct tlwStressDeflation {
    tlwRigidParts parts;
    tlwEnvelope matrix; // W' A W, factored
    double *values;
} tlwStressDeflation;

tlwResult tlwInitStressDeflation(tlwThreads *threads, tlwStressDeflation *deflation, const tlwStressLevel *level,
                                 const int16_t *label, int count);
void tlwFreeStressDeflation(tlwStressDeflation *deflation);

// x += Q r
void tlwDeflate(tlwThreads *threads, tlwStressDeflation *deflation, const tlwFaceDoubles *r, tlwFaceDoubles *x);

// z += Q (scale r - A z)
void tlwDeflateCorrection(tlwThreads *threads, tlwStressDeflation *deflation, const tlwFaceDoubles *r, double scale,
                          tlwFaceFloats *z);

// The additive form: z += Q (scale r). It does not use A z, so it stays symmetric when the system has terms that the
// level's A lacks.
void tlwAddDeflation(tlwThreads *threads, tlwStressDeflation *deflation, const tlwFaceDoubles *r, double scale,
                     tlwFaceFloats *z);

#endif
