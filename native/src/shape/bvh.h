// A tree of boxes around triangles: finds the triangle of a mesh that is nearest to a point.
#ifndef TLW_SHAPE_BVH_H
#define TLW_SHAPE_BVH_H

#include "shape/mesh.h"

typedef struct tlwBvh tlwBvh;

// Build a tree over the triangles of `mesh`. Positions are stored as (p - origin) / unit, so that a mesh far from the
// world's origin loses no digits. Keeps no pointer to the mesh. Null when memory is out. Cost: about 1 us per triangle.
tlwBvh *tlwCreateBvh(const tlwMesh *mesh, const double origin[3], double unit);
void tlwDestroyBvh(tlwBvh *bvh);

typedef struct tlwNearest {
    float square; // squared distance in units; the search ignores triangles beyond it
    int32_t slot; // a triangle's place in the tree, -1 = none yet. A good guess makes the search faster
} tlwNearest;

// Replace `nearest` by a nearer triangle if there is one. On entry `square` is the distance from `point` to `slot`, or
// an upper limit when `slot` is -1; tlwGuessNearest sets both.
void tlwFindNearest(const tlwBvh *bvh, const float point[3], tlwNearest *nearest);

// Start from a slot found for a nearby point. `limit` is the largest squared distance of interest.
tlwNearest tlwGuessNearest(const tlwBvh *bvh, const float point[3], int32_t slot, float limit);

// The same among triangles of one group only. `groups` has a number for each triangle of the mesh.
void tlwFindNearestOf(const tlwBvh *bvh, const float point[3], const int32_t *groups, int32_t group,
                      tlwNearest *nearest);

// The place on a triangle that is nearest to a point, in units, and the weights of the triangle's second and third
// corner there.
void tlwGetNearestPlace(const tlwBvh *bvh, int32_t slot, const float point[3], float place[3], float weights[2]);

// Normal of a triangle as its corners turn, times twice its area.
void tlwGetBvhNormal(const tlwBvh *bvh, int32_t slot, float normal[3]);

// Index of the triangle in the mesh.
int32_t tlwGetBvhTriangle(const tlwBvh *bvh, int32_t slot);

#endif
