// The clock of a step's stages.
#ifndef TLW_STEP_PROGRESS_H
#define TLW_STEP_PROGRESS_H

#include "step/sim.h"

// Seconds since the last call go to `stage` in the statistics; tells how far the frame has come. Null only starts the
// clock.
void tlwClockStage(tlwSim *sim, const char *stage);

// Seconds of one stage that belong to another.
void tlwClockAs(tlwSim *sim, const char *from, const char *to, double seconds);

#endif
