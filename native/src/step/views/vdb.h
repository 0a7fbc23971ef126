// The frame's .vdb file.
#ifndef TLW_STEP_VIEWS_VDB_H
#define TLW_STEP_VIEWS_VDB_H

#include "step/views/frame_state.h"

// The frame's .vdb file: surface, velocity, temperature, viscosity.
tlwResult tlwWriteSurfaceVdb(const tlwFrameState *state, const char *path);

#endif
