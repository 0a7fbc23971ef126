// Transfers between a level of the stress system and the next coarser one, whose cells are twice as large.
//
// Along its own axis a fine face lies on a coarse face or half way between two. Across the axis it lies a quarter of a
// coarse cell beside one. So prolongation has the weights 1 or 1/2 1/2 along and 3/4 1/4 across; restriction is its
// transpose. A coarse sample gathers all fine samples that the motion of its faces reaches ("spread"), so that a stiff
// lump stays stiff on the coarse grid wherever the prolongation reaches into it.
#ifndef TLW_SOLVE_STRESS_TRANSFER_H
#define TLW_SOLVE_STRESS_TRANSFER_H

#include "solve/stress/level.h"

// Make `coarse` from `fine`: tiles, coefficients, masses.
tlwResult tlwCoarsenStress(tlwThreads *threads, const tlwStressLevel *fine, tlwStressLevel *coarse);

// b_coarse = P' r_fine on the coarse unknowns. `r` is zero where there is no fine unknown.
void tlwRestrictFaces(tlwThreads *threads, const tlwStressLevel *fine, const tlwFaceFloats *r,
                      const tlwStressLevel *coarse, tlwFaceFloats *b);

// x_fine += P e_coarse on the fine unknowns.
void tlwProlongFaces(tlwThreads *threads, const tlwStressLevel *coarse, const tlwFaceFloats *e,
                     const tlwStressLevel *fine, tlwFaceFloats *x);

#endif
