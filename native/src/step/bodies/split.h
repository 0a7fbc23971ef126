// The operator split of Carlson 2004, s. 5.4 (after Patankar 2001), for comparison with the joint system of
// bodies/coupling.h.
//
// Bodies are liquid to the pressure solve (tlwRasterizeSolids leaves their faces open in this mode). Before the solve
// the faces inside them carry the bodies' motion; after it collisions and relative density act as a momentum source
// (eq. 70, 71), and what is inside a body is projected onto the rigid motion with the same momentum (eq. 77-80).
// Needs no coupling term, but bodies lighter than 0.45 of the liquid are not stable.
#ifndef TLW_STEP_BODIES_SPLIT_H
#define TLW_STEP_BODIES_SPLIT_H

#include "step/bodies/coupling.h"
#include "step/fields/flow.h"

// Treat the bodies as liquid, up to the level of the liquid around them: the level set is continued through them, and
// faces inside take their motion. `coupling` holds the predicted velocities, collisions included.
tlwResult tlwEnterBodies(tlwFlow *flow, const tlwPlacedMeshes *solids, double dt, const tlwBodyCoupling *coupling);

// Momentum source and rigid projection: new velocities of faces and of `coupling`. After every pressure solve.
void tlwProjectBodies(tlwFlow *flow, const tlwPlacedMeshes *solids, double dt, double liquid_density,
                      tlwBodyCoupling *coupling);

#endif
