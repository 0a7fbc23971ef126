// Sampling a distance field: points, gradients, velocities, lattices of nodes.
#ifndef TLW_SHAPE_SDF_SAMPLE_H
#define TLW_SHAPE_SDF_SAMPLE_H

#include "shape/sdf.h"

// Distance at `count` points (3 floats each, mesh space), trilinear between voxels. Beyond the bands the value is
// +exterior_band or -interior_band, so the sign is right everywhere. Any number of threads may sample at once.
void tlwSampleSdf(const tlwSdf *sdf, const float *points, int64_t count, float *distance);

// Also the gradient (3 floats a point, not normalised, zero beyond the bands). Either output may be null.
void tlwSampleSdfGradient(const tlwSdf *sdf, const float *points, int64_t count, float *distance, float *gradient);

// Velocity of a deforming mesh at the surface point nearest to each point: `vertex_velocity` has 3 floats per vertex of
// the mesh the sdf was built from, interpolated in the nearest triangle. Beyond the band: zero. Needs keep_triangles.
void tlwSampleSdfVelocity(const tlwSdf *sdf, const float *vertex_velocity, const float *points, int64_t count,
                          float *velocity);

// Write the distance at every node.
void tlwRasterizeSdf(const tlwSdf *sdf, const tlwSdfFrame *frame, const tlwSdfNodes *nodes, float *out);

// Write the distance at every node where it is below the present value, so that several solids unite. Nodes far from
// the solid cost next to nothing.
void tlwUniteSdf(const tlwSdf *sdf, const tlwSdfFrame *frame, const tlwSdfNodes *nodes, float *out);

#endif
