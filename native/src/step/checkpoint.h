// Checkpoints for a scene that has changed, and checkpoints in memory. tallow.h has those in files for the same scene.
#ifndef TLW_STEP_CHECKPOINT_H
#define TLW_STEP_CHECKPOINT_H

#include "base/state.h"

// As tlwLoadState, for a scene with other settings. TLW_BAD_ARGUMENT, with what it is in words, when a part of the
// scene that the checkpoint holds has changed.
tlwResult tlwLoadChangedState(tlwSim *sim, const char *path);

// Keep a new simulation's state in memory. To go back to it saves most of what another simulation would cost: the
// distances to all meshes. Free it with tlwCloseState.
tlwResult tlwKeepStart(tlwSim *sim, tlwStateReader **start);

// Back to the start, where nothing has moved or warmed yet. The scene may have other heaters and another speed of heat
// than it had.
tlwResult tlwRewind(tlwSim *sim, tlwStateReader *start);

#endif
