// Exact distances in the band around a mesh, from a tree of boxes that is searched at every node. OpenVDB's
// mesh-to-volume is not used. It passes nearest triangles from voxel to voxel, which is off by up to a quarter of a
// voxel for fine meshes, depends on how threads share the work, and takes three times as long.
#ifndef TLW_SHAPE_SDF_FILL_H
#define TLW_SHAPE_SDF_FILL_H

#include "base/parallel.h"
#include "shape/sdf.h"
#include "shape/thin.h"

// Fill table, block_of, values and, if `nearest`, the nearest triangles. voxel, origin, blocks and bands must be set.
// `thin` may be null.
tlwResult tlwFillSdf(tlwSdf *sdf, const tlwMesh *mesh, const tlwThin *thin, bool nearest, tlwThreads *threads,
                     tlwMessage *message);

#endif
