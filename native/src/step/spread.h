// Particles that crowd, moved apart.
#ifndef TLW_STEP_SPREAD_H
#define TLW_STEP_SPREAD_H

#include "shape/particles.h"
#include "step/pressure.h"

// Move particles apart where they crowd, by a displacement that the pressure's system gives (tlwSolveDensity, after
// which `pressure` can only be destroyed). Changes positions; velocities stay as they are.
tlwResult tlwSpreadParticles(tlwThreads *threads, const tlwFlow *flow, tlwPressure *pressure, tlwParticles *particles);

#endif
