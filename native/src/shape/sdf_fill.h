// Exact distances in the band around a mesh. OpenVDB's mesh-to-volume passes nearest triangles from voxel to
// voxel, which is off by up to a quarter of a voxel for finely triangulated meshes, depends on how threads share the
// work, and takes three times as long as asking a tree of boxes at every node.
#ifndef TLW_SHAPE_SDF_FILL_H
#define TLW_SHAPE_SDF_FILL_H

#include "base/parallel.h"
#include "shape/sdf.h"

// Fill table, block_of, values and (on request) nearest; voxel, origin, blocks and bands are set.
tlwResult tlwFillSdf(tlwSdf *sdf, const tlwMesh *mesh, bool nearest, tlwThreads *threads, tlwMessage *message);

#endif
