// Prescribed faces on the next coarser level of multigrid.
#ifndef TLW_SOLVE_STRESS_WALLS_H
#define TLW_SOLVE_STRESS_WALLS_H

#include "solve/stress/level.h"

// Marks the coarse faces that are prescribed. Stiffens the coarse samples at walls to match the fine grid, where a
// coarse motion that stops at the wall strains fine samples more. All other coefficients and masses of `coarse` must be
// filled.
void tlwCoarsenWalls(tlwThreads *threads, const tlwStressLevel *fine, tlwStressLevel *coarse);

#endif
