// Which triangles share which edges. Half-edge h = 3 t + k runs from corner k of triangle t to corner (k + 1) % 3.
#ifndef TLW_SHAPE_TOPOLOGY_H
#define TLW_SHAPE_TOPOLOGY_H

#include "base/parallel.h"
#include "shape/mesh.h"

static inline int32_t tlwNextHalfEdge(int32_t h)
{
    return h % 3 == 2 ? h - 2 : h + 1;
}

// All half-edges, sorted so that those of one edge (in either direction) follow each other. The order depends on the
// indices only. `corners` holds the 3 vertex indices of each triangle, all in [0, vertex_count). The caller frees the
// list; null when memory is out.
int32_t *tlwSortHalfEdges(tlwThreads *threads, const int32_t *corners, int64_t triangle_count, int64_t vertex_count);

// One past the last entry of `sorted` that belongs to the same edge as entry `begin`.
int64_t tlwEdgeEnd(const int32_t *sorted, const int32_t *corners, int64_t half_edge_count, int64_t begin);

// For every vertex, the lowest index of a vertex at exactly the same place. The caller frees the list; null when memory
// is out.
int32_t *tlwWeldVertices(const float *positions, int64_t vertex_count);

typedef struct tlwMeshCheck {
    int64_t open_edges;        // edges with one triangle
    int64_t nonmanifold_edges; // edges with more than two
    int64_t misoriented_edges; // edges whose two triangles run along them the same way
    int64_t degenerate;        // triangles with a repeated vertex or (nearly) no area
    int64_t bad_indices;
    bool closed;   // every edge has exactly two triangles
    bool oriented; // and they agree on which side is out
    double volume, area;
} tlwMeshCheck;

// Checks by vertex index, without welding, because renderers and other programs see the mesh that way.
tlwResult tlwCheckMesh(const tlwMesh *mesh, tlwMessage *message, tlwMeshCheck *check);

#endif
