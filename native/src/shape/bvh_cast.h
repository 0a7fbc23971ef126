// Searches of a tlwBvh that go through many triangles: around a point, along a ray.
#ifndef TLW_SHAPE_BVH_CAST_H
#define TLW_SHAPE_BVH_CAST_H

#include "shape/bvh.h"

// Call `visit` for every triangle whose squared distance to the point may be at most `square`,
// which is finite.
typedef void tlwBvhVisit(void *user, int32_t slot);
void tlwVisitNear(const tlwBvh *bvh, const float point[3], float square, tlwBvhVisit *visit, void *user);

// Which triangle a ray meets first within `length` units, other than the triangle `not`; -1 for none. `direction` has
// length 1. `length` becomes the way to the triangle. With `any` the first one found will do.
int32_t tlwCastRay(const tlwBvh *bvh, const float from[3], const float direction[3], int32_t not, bool any,
                   float *length);

#endif
