// Keeps the number of particles per cell in bounds without changing mass, momentum or heat.
#ifndef TLW_STEP_LIQUID_RESEED_H
#define TLW_STEP_LIQUID_RESEED_H

#include "step/fields/flow.h"
#include "step/fields/sorting.h"

// In sorted particles: cells deep in the liquid with fewer than a third of the usual number, but some, split theirs
// down to a quarter of the mean mass; cells with more than twice the usual number merge their lightest. `per_cell` is
// the usual number.
tlwResult tlwReseedParticles(tlwThreads *threads, const tlwFlow *flow, int per_cell, const tlwParticleOrder *order,
                             tlwParticles *particles, uint32_t *next_id);

#endif
