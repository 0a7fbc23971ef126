// The last step of meshing: every edge between exactly two triangles, no triangle without area.
#ifndef TLW_SHAPE_MANIFOLD_H
#define TLW_SHAPE_MANIFOLD_H

#include "base/parallel.h"
#include "shape/mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

// Give every edge of a closed, consistently oriented mesh exactly two triangles, by splitting vertices and, where that
// is not enough, edges; moves the vertices of triangles without area apart by about 1e-4 `size`. Appends vertices.
tlwResult tlwMakeManifold(tlwThreads *threads, tlwMesh *mesh, double size, tlwMessage *message);

#ifdef __cplusplus
}
#endif

#endif
