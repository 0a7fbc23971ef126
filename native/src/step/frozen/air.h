// The air around pieces, which goes with them.
#ifndef TLW_STEP_FROZEN_AIR_H
#define TLW_STEP_FROZEN_AIR_H

#include "shape/particles.h"
#include "step/fields/flow.h"

// In *labels (a field to be returned): flow->label, and the same in the dry air around pieces. Air that liquid is in or
// about to enter is left out: held back there, what falls on a piece would be crushed.
tlwResult tlwSpreadPieceLabels(tlwContext *context, const tlwParticles *particles, tlwFlow *flow, int *labels);

#endif
