// Coarse levels of the Poisson hierarchy: tiles, coefficients, ghosts.
#ifndef TLW_SOLVE_POISSON_COARSEN_H
#define TLW_SOLVE_POISSON_COARSEN_H

#include "solve/poisson/level.h"

// Build the next coarser level.
tlwResult tlwCoarsenLevel(tlwThreads *threads, const tlwLevel *fine, tlwLevel *coarse);
void tlwFreeLevel(tlwLevel *level);

#endif
