// Triangle meshes, from artists and from the mesher.
#ifndef TLW_SHAPE_MESH_H
#define TLW_SHAPE_MESH_H

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
// Leaves a mesh of zeros. A mesh of zeros may be destroyed again.
void tlwDestroyMesh(tlwMesh *mesh);

// Room for at least this many in total. False when memory is out; the mesh stays valid.
bool tlwReserveMesh(tlwMesh *mesh, int64_t vertices, int64_t triangles);
bool tlwAddVertex(tlwMesh *mesh, float x, float y, float z);
bool tlwAddTriangle(tlwMesh *mesh, int32_t a, int32_t b, int32_t c);

// Box of all vertices; (0, 0, 0) to (0, 0, 0) for an empty mesh.
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

// True for a repeated vertex, or an area below 1e-10 of the square of the longest edge.
bool tlwIsTriangleDegenerate(const tlwMesh *mesh, int64_t triangle);

#ifdef __cplusplus
}
#endif

#endif
