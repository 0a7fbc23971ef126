// Making a simulation, and the clock of its stages.
#ifndef TLW_STEP_CREATE_H
#define TLW_STEP_CREATE_H

#include "step/sim.h"

// Seconds since the last call go to `stage` in the statistics; tells how far the frame has come.
void tlwClockStage(tlwSim *sim, const char *stage);

// Seconds of one stage that belong to another.
void tlwClockAs(tlwSim *sim, const char *from, const char *to, double seconds);

// After a solve that did not converge, before the frame is tried again from its start: steps half as long as the one
// that failed. After a frame that went well: back towards the usual length.
void tlwShortenSteps(tlwSim *sim);
void tlwLengthenSteps(tlwSim *sim);

void tlwFreeViews(tlwViewBuffers *views);

// Length of the next substep: CFL number, moving solids, and what is left of the frame.
// `short_of` becomes the number of steps that the frame would need when it may
// not have them all.
double tlwChooseStep(const tlwSim *sim, double left, int done, int *short_of);

#endif
