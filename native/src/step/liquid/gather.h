// Particles to the grid. Tiles of one colour never touch, so threads add to them at once and the order of additions is
// fixed: even layers of tiles before odd ones, and four colours in each. Layers are done from low to high and finished
// as soon as nothing more can reach them, so that the sums of a few are held at a time, in memory that is used again.
#ifndef TLW_STEP_LIQUID_GATHER_H
#define TLW_STEP_LIQUID_GATHER_H

#include "scene/material.h"
#include "step/fields/flow.h"
#include "step/fields/sorting.h"

// Gather mass-weighted velocity to flow->velocity and flow->reached, the particles' volume to flow->fill
// and their mean density to flow->density (0 where there are none). Faces that no particle reaches get velocity 0.
// `affine` adds the particles' velocity gradients.
tlwResult tlwGatherParticles(tlwThreads *threads, const tlwParticles *particles, const tlwParticleOrder *order,
                             const tlwMaterial *materials, bool affine, tlwFlow *flow);

#endif
