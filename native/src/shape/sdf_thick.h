// Distances to a mesh whose thin parts have grown (shape/thin.h).
#ifndef TLW_SHAPE_SDF_THICK_H
#define TLW_SHAPE_SDF_THICK_H

#include "shape/bvh.h"
#include "shape/thin.h"

// Signed distance in m. `bvh` is a tree over the pieces, in units of `voxel` m; `grown` one over thin->grown, null
// where that is empty. `nearest` is the piece nearest to the point; `inside` says whether the mesh encloses the point.
float tlwMeasureThick(const tlwBvh *bvh, const tlwBvh *grown, const tlwThin *thin, double voxel, const float point[3],
                      tlwNearest nearest, bool inside);

#endif
