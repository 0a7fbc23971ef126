// A copy of what frames are written from, so that the simulation can go on meanwhile.
#ifndef TLW_STEP_VIEWS_FRAME_STATE_H
#define TLW_STEP_VIEWS_FRAME_STATE_H

#include "base/parallel.h"
#include "tallow/tallow.h"

// Copy the state that tlwGetSurface, tlwGetParticles, tlwWriteSurfaceVdb and tlwGetStats read; nothing else of `copy`
// may be used. Zero it before the first call; later ones use its memory again. `context` gives the copy's threads and
// message: they must not be those of the simulation.
tlwResult tlwCopyForOutput(tlwThreads *threads, const tlwSim *sim, tlwContext *context, tlwSim *copy);
void tlwFreeCopy(tlwSim *copy);

#endif
