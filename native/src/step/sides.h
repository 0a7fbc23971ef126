// Wax that has run as far as a closed side of the domain, which holds it like an invisible wall.
#ifndef TLW_STEP_SIDES_H
#define TLW_STEP_SIDES_H

#include "step/sim.h"

// Warn once of each closed side that what melts has reached since the last call. Sides that it touches at the first
// call are meant to hold it, and so is the side below. `frame` is what the message calls the present frame.
void tlwWatchSides(tlwSim *sim, const char *frame);

#endif
