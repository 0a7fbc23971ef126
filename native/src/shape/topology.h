// Which triangles share which edges. Half-edge h = 3 t + k runs from corner k of triangle t to corner (k + 1) % 3.
#ifndef TLW_SHAPE_TOPOLOGY_H
#define TLW_SHAPE_TOPOLOGY_H

#include "base/parallel.h"
#include "shape/mesh.h"

static inline int32_t tlwNextHalfEdge(int32_t h)
{
    return h % 3 == 2 ? h - 2 : h + 1;
}

// All half-edges, those of one edge (in either direction) next to each other, in an order that depends on the indices
// only. `corners` holds the 3 vertex indices of each triangle, all in [0, vertex_count). To be freed; null when memory
// is out.
int32_t *tlwSortHalfEdges(tlwThreads *threads, const int32_t *corners, int64_t triangle_count, int64_t vertex_count);

// One past the last entry of `sorted` that belongs to the same edge as entry `begin`.
int64_t tlwEdgeEnd(const int32_t *sorted, const int32_t *corners, int64_t half_edge_count, int64_t begin);

// For every vertex the lowest index of a vertex at exactly the same place. To be freed; null when memory is out.
int32_t *tlwWeldVertices(const float *positions, int64_t vertex_count);

// Append triangles that close every hole of the welded mesh `corners` (as sorted by tlwSortHalfEdges): afterwards as
// many half-edges run along each edge one way as the other. Counts into `report`.
tlwResult tlwFillHoles(tlwMesh *mesh, const int32_t *corners, const int32_t *sorted, tlwMessage *message,
                       tlwRepairReport *report);

// Turn the connected parts of a closed mesh so that they face outwards, except cavities of other parts.
tlwResult tlwFaceOutwards(tlwMesh *mesh, tlwMessage *message, tlwRepairReport *report);

// Thickness of the thinnest connected part that is larger than `ignore` metres: the wall's for a cup or a plate, the
// diameter's order of magnitude for a ball. 0 when memory is out or there is no such part.
double tlwGetThinnestPart(const tlwMesh *mesh, double ignore);

#endif
