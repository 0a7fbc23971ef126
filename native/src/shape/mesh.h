// Triangle meshes: what an artist hands in, what the mesher makes.
#ifndef TLW_SHAPE_MESH_H
#define TLW_SHAPE_MESH_H

#include "base/parallel.h"
#include "base/result.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tlwMesh {
    float *positions;   // 3 per vertex, m
    int32_t *triangles; // 3 vertex indices each, counter-clockwise seen from outside
    int64_t vertex_count, triangle_count;
    int64_t vertex_capacity, triangle_capacity; // numbers of floats and indices that the arrays can hold
} tlwMesh;

// Copy the data; nothing is checked beyond null pointers and negative counts (tlwRepairMesh does the rest).
// `mesh` need not be initialised.
tlwResult tlwCreateMesh(const tlwMeshData *data, tlwMessage *message, tlwMesh *mesh);
tlwResult tlwCopyMesh(const tlwMesh *source, tlwMessage *message, tlwMesh *mesh);
// Leaves a mesh of zeros; also fine on one.
void tlwDestroyMesh(tlwMesh *mesh);

// Room for at least this many in total. False when memory is out; the mesh stays valid.
bool tlwReserveMesh(tlwMesh *mesh, int64_t vertices, int64_t triangles);
bool tlwAddVertex(tlwMesh *mesh, float x, float y, float z);
bool tlwAddTriangle(tlwMesh *mesh, int32_t a, int32_t b, int32_t c);

// Of the vertices that are there; (0, 0, 0) to (0, 0, 0) for an empty mesh.
void tlwGetMeshBounds(const tlwMesh *mesh, tlwVec3 *low, tlwVec3 *high);

// Signed: negative when the mesh is inside out. Meaningful for closed meshes only. m3.
double tlwGetMeshVolume(const tlwMesh *mesh);
double tlwGetMeshArea(const tlwMesh *mesh); // m2

typedef struct tlwMassProperties {
    double volume;        // m3
    tlwVec3 centre;       // of mass
    double inertia[3][3]; // about the centre, for density 1: kg m2 per kg/m3 = m5
} tlwMassProperties;

// Exact integrals over the enclosed volume of a closed mesh, in double (Eberly 2002). Parts that overlap count twice.
void tlwGetMassProperties(const tlwMesh *mesh, tlwMassProperties *properties);

// p -> rotation * (scale * p) + position. A mirroring scale also turns the triangles round, so outside stays outside.
void tlwTransformMesh(tlwMesh *mesh, tlwVec3 position, tlwQuat rotation, tlwVec3 scale);

// What tlwRepairMesh found and did.
typedef struct tlwRepairReport {
    int64_t open_edges;        // edges with one triangle only, before filling
    int64_t holes;             // boundary loops that were filled
    int64_t nonmanifold_edges; // edges with more than two triangles; left as they are
    int64_t dropped;           // triangles without area that were left out
    int64_t turned;            // triangles that faced against their neighbours and were turned round
    int64_t islands;           // connected parts
    int64_t inverted_islands;  // parts that were inside out and were turned round
} tlwRepairReport;

// Make a mesh that encloses a volume out of what an artist handed in. Refuses, with a sentence that names the object
// and TLW_BAD_MESH: no triangles, positions that are not finite, indices out of range, nothing but triangles without
// area, no enclosed volume (a flat plane). Otherwise:
// - leaves out triangles without area,
// - lets vertices at exactly the same place count as one when it looks for open edges (exporters split vertices at
// seams),
// - turns triangles so that neighbours agree, and parts so that they face outwards; a part that faces inwards and lies
//   inside another part is a cavity and stays,
// - fills every hole: small loops by the cheapest diagonals, long ones by a fan from their centre.
// The original vertices keep their indices and positions; new ones are appended. `report` may be null.
// Cost: linear, about 0.5 us per triangle.
tlwResult tlwRepairMesh(tlwMesh *mesh, const char *object_name, tlwMessage *message, tlwRepairReport *report);

// One sentence for the log, "Suzanne is not closed: 168 open edges in 5 holes; filled.", or an empty text when there is
// nothing to say.
void tlwDescribeRepair(const tlwRepairReport *report, const char *object_name, char *text, size_t size);

// A repeated vertex, or an area below 1e-10 of the square of the longest edge.
bool tlwIsTriangleDegenerate(const tlwMesh *mesh, int64_t triangle);

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

// By vertex index, without any welding: what a renderer or another program will see.
tlwResult tlwCheckMesh(const tlwMesh *mesh, tlwMessage *message, tlwMeshCheck *check);

#ifdef __cplusplus
}
#endif

#endif
