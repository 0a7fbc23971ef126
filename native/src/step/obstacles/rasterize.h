// Obstacles onto the grid: distances at nodes, open shares and velocities of faces.
#ifndef TLW_STEP_OBSTACLES_RASTERIZE_H
#define TLW_STEP_OBSTACLES_RASTERIZE_H

#include "step/fields/flow.h"
#include "step/obstacles/placed_mesh.h"

// Write flow->solid, open, solid_velocity and solid_object on the active tiles.
void tlwRasterizeSolids(const tlwPlacedMeshes *solids, tlwFlow *flow);

// Write flow->solid_velocity alone, after the obstacles' motion has changed.
void tlwRasterizeSolidVelocity(const tlwPlacedMeshes *solids, tlwFlow *flow);

#endif
