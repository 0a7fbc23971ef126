// Particles to the grid.
//
// Tiles of one colour never touch, so threads may add to several of them at once. The order of additions is fixed: even
// layers of tiles before odd ones, and four colours in each. Layers are added from low to high. A layer is finished as
// soon as no particle to come can reach it, so only the sums of a few layers need memory.
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
