// Keeps the number of particles per cell in bounds without changing mass, momentum or heat.
#ifndef TLW_STEP_LIQUID_RESEED_H
#define TLW_STEP_LIQUID_RESEED_H

#include "step/fields/flow.h"
#include "step/fields/sorting.h"

// Particles must be sorted; `per_cell` is the usual number in a cell. Cells deep in the liquid with fewer than a third
// of it split their particles, down to a quarter of the mean mass; empty cells stay empty. Cells with more than twice
// of it merge their lightest particles.
tlwResult tlwReseedParticles(tlwThreads *threads, const tlwFlow *flow, int per_cell, const tlwParticleOrder *order,
                             tlwParticles *particles, uint32_t *next_id);

#endif
