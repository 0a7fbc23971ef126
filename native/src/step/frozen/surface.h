// The surface of pieces at rest: nothing may wear it down.
//
// Redistancing and the volume correction move the level set a little in every step, most of all in creases. Over a bake
// a statue would lose its face. So around pieces that do not move, and away from liquid, the level set stays as it is.
#ifndef TLW_STEP_FROZEN_SURFACE_H
#define TLW_STEP_FROZEN_SURFACE_H

#include "step/frozen/pieces.h"

// Remember flow->phi around pieces that have not moved in this step, in a borrowed field; -1 when there are none.
// flow->label is that of the step before.
tlwResult tlwGuardSurface(tlwContext *context, tlwFlow *flow, const tlwPieces *pieces, const tlwParticleOrder *order,
                          const tlwParticles *particles, int *guard);

// Put it back and return the field.
void tlwRestoreSurface(tlwContext *context, tlwFlow *flow, int guard);

#endif
