// The frame's .vdb file.
#ifndef TLW_STEP_VIEWS_VDB_H
#define TLW_STEP_VIEWS_VDB_H

#include "tallow/tallow.h"

// The frame's .vdb file: surface, velocity, temperature, viscosity.
tlwResult tlwWriteSurfaceVdb(tlwSim *sim, const char *path);

#endif
