// What can be asked of a simulation: the side of tallow.h that only reads.
#ifndef TLW_STEP_LOOK_H
#define TLW_STEP_LOOK_H

#include "step/views/frame_state.h"

// What frames are made from; shows the simulation until it changes.
tlwFrameState tlwShowFrame(const tlwSim *sim);

// Bring everything in tlwStats that describes the present state up to date.
void tlwMeasureState(tlwSim *sim);

#endif
