// What others see of a simulation: surface mesh with attributes, particles, fields.
#ifndef TLW_STEP_VIEWS_SURFACE_MESH_H
#define TLW_STEP_VIEWS_SURFACE_MESH_H

#include <stdint.h>

// A tlwTileFn for `user` = the simulation: the level set as it is shown, cut off at solids.
void tlwFillVisibleTile(void *user, int64_t tile, float *values);

#endif
