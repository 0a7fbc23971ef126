// Between the faces' velocities and the rigid motions of parts: the loops that run in every iteration.
#ifndef TLW_SOLVE_STRESS_RIGID_MOTION_H
#define TLW_SOLVE_STRESS_RIGID_MOTION_H

#include "solve/stress/rigid.h"

// out[6 * (label - 1) + mode] = W' x.
void tlwRigidMoments(tlwThreads *threads, const tlwRigidParts *parts, const tlwFaceDoubles *x, double *out);

// W' (scale r - A z). Uses only the samples of A that modes strain. The other samples add zero in exact arithmetic, but
// in floating point they would add rounding errors times their stiffness.
void tlwRigidResidual(tlwThreads *threads, const tlwRigidParts *parts, const tlwFaceDoubles *r, double scale,
                      const tlwFaceFloats *z, double *out);

// x += W q on the unknown faces.
void tlwAddRigid(tlwThreads *threads, const tlwRigidParts *parts, const double *q, tlwFaceDoubles *x);
void tlwAddRigidFloat(tlwThreads *threads, const tlwRigidParts *parts, const double *q, tlwFaceFloats *x);

#endif
