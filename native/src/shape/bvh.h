// Boxes around boxes around triangles: finds the triangle of a mesh that is nearest to a point.
#ifndef TLW_SHAPE_BVH_H
#define TLW_SHAPE_BVH_H

#include "shape/mesh.h"

typedef struct tlwBvh tlwBvh;

// Of the triangles of `mesh` with positions (p - origin) / unit, so that far-away meshes lose no digits. Copies what it
// needs. Null when memory is out. Cost: about 1 us per triangle.
tlwBvh *tlwCreateBvh(const tlwMesh *mesh, const double origin[3], double unit);
void tlwDestroyBvh(tlwBvh *bvh);

typedef struct tlwNearest {
    float square; // squared distance in units; nothing beyond it is looked for
    int32_t slot; // a triangle's place in the tree, -1 = none yet. A good guess makes the search faster
} tlwNearest;

// Update `nearest` with anything nearer. The square must hold for the slot and this point, or be an upper limit when
// the slot is -1; tlwGuessNearest sets it so.
void tlwFindNearest(const tlwBvh *bvh, const float point[3], tlwNearest *nearest);

// Start from a slot found for a nearby point, with nothing beyond `limit` (squared) of interest.
tlwNearest tlwGuessNearest(const tlwBvh *bvh, const float point[3], int32_t slot, float limit);

// Index of the triangle in the mesh.
int32_t tlwGetBvhTriangle(const tlwBvh *bvh, int32_t slot);

#endif
