// Particles stay outside solids and inside the domain.
#ifndef TLW_STEP_LIQUID_COLLIDE_H
#define TLW_STEP_LIQUID_COLLIDE_H

#include "shape/particles.h"
#include "step/fields/flow.h"

// Push particles out of solids and closed walls; flow->solid must be current.
void tlwCollideParticles(tlwThreads *threads, const tlwFlow *flow, tlwParticles *particles);

// Remove particles that left through open sides, and any whose place is not finite. Closed sides hold particles back.
// *mass becomes the mass that left. `walls` as in tlwSceneDef.
tlwResult tlwRemoveOutside(tlwThreads *threads, const tlwGrid *grid, const tlwWall walls[6], tlwParticles *particles,
                           double *mass);

#endif
