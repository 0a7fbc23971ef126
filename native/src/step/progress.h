// The clock of a step's stages.
#ifndef TLW_STEP_PROGRESS_H
#define TLW_STEP_PROGRESS_H

#include "step/sim.h"

// Add the seconds since the last call to `stage` in the statistics, and report how far the frame has come. Null only
// starts the clock.
void tlwClockStage(tlwSim *sim, const char *stage);

// Move seconds in the statistics from one stage to another.
void tlwClockAs(tlwSim *sim, const char *from, const char *to, double seconds);

#endif
