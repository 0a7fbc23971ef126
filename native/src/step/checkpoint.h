// Checkpoints for a scene that has changed. tallow.h has those for the same scene.
#ifndef TLW_STEP_CHECKPOINT_H
#define TLW_STEP_CHECKPOINT_H

#include "base/result.h"

// As tlwLoadState, for a scene with other settings. TLW_BAD_ARGUMENT, with what it is in words, when a part of the
// scene that the checkpoint holds has changed.
tlwResult tlwLoadChangedState(tlwSim *sim, const char *path);

#endif
