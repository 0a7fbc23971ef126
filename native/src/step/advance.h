// From frame to frame: how long steps are, and what happens when one fails.
#ifndef TLW_STEP_ADVANCE_H
#define TLW_STEP_ADVANCE_H

#include "step/sim.h"

// Length of the next substep: CFL number, moving solids, and what is left of the frame. When the frame would need more
// steps than it may have, `short_of` becomes the number that it would need.
double tlwChooseStep(const tlwSim *sim, double left, int done, int *short_of);

// tlwAdvance by one frame. When a solve fails with all its fallbacks, the frame begins again from the file
// `checkpoint`, which holds its start, with steps half as long; after frames that go well steps grow back. Without a
// checkpoint (null) it fails at once. `frame` is what messages call it.
tlwResult tlwAdvanceFrame(tlwSim *sim, double seconds, const char *checkpoint, const char *frame);

#endif
