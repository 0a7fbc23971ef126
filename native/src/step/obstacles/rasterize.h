// Obstacles onto the grid: distances at nodes, open shares and velocities of faces.
#ifndef TLW_STEP_OBSTACLES_RASTERIZE_H
#define TLW_STEP_OBSTACLES_RASTERIZE_H

#include "step/fields/flow.h"
#include "step/obstacles/placed_mesh.h"

// Write flow->solid, open, solid_velocity and solid_object on the active tiles.
void tlwRasterizeSolids(const tlwPlacedMeshes *solids, tlwFlow *flow);

// Only flow->solid_velocity anew, after the obstacles' motion has changed.
void tlwRasterizeSolidVelocity(const tlwPlacedMeshes *solids, tlwFlow *flow);

// Share of a face outside, from the distances at its corners in turn; slivers count as none.
float tlwGetFaceShare(const float corner[4], float dx);

float tlwGetPartsShare(const float *distances, float dx);

// Distance to the nearest obstacle or closed wall at a point in cells, with its gradient per cell; m.
float tlwSampleSolid(const tlwFlow *flow, const float p[3], float gradient[3]);

// Share of a square that is outside, from the distances at its corners in cyclic order: exact for straight cuts.
float tlwGetOpenSquare(float a, float b, float c, float d);

#endif
