// The air around pieces, which moves with them.
#ifndef TLW_STEP_FROZEN_AIR_H
#define TLW_STEP_FROZEN_AIR_H

#include "shape/particles.h"
#include "step/fields/flow.h"

// *labels becomes a borrowed field that the caller returns: flow->label, spread into the dry air around pieces. Air in
// or near liquid keeps label 0: liquid that falls on a piece must not be stopped above it.
tlwResult tlwSpreadPieceLabels(tlwContext *context, const tlwParticles *particles, tlwFlow *flow, int *labels);

#endif
