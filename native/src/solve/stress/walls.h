// Prescribed faces on the next coarser level of multigrid.
#ifndef TLW_SOLVE_STRESS_WALLS_H
#define TLW_SOLVE_STRESS_WALLS_H

#include "solve/stress/level.h"

// Marks the coarse faces that are prescribed, and makes the coarse samples at walls as stiff as the fine ones are to a
// coarse motion that ends there. The other coefficients and masses of `coarse` must be filled.
void tlwCoarsenWalls(tlwThreads *threads, const tlwStressLevel *fine, tlwStressLevel *coarse);

#endif
