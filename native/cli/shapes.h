// Meshes for the scenes of `verify` and `bench`: boxes, spheres, containers, things turned on a lathe.
#ifndef TLW_CLI_SHAPES_H
#define TLW_CLI_SHAPES_H

#include "tallow/tallow.h"

typedef struct tlwShape {
    float *positions;
    int32_t *triangles; // counter-clockwise seen from outside
    int vertex_count, triangle_count;
    int vertex_capacity, triangle_capacity;
    bool failed; // memory ran out; the shape is unusable
} tlwShape;

void tlwFreeShape(tlwShape *shape);
tlwMeshData tlwGetShapeMesh(const tlwShape *shape); // lives as long as the shape

tlwShape tlwMakeBox(tlwVec3 low, tlwVec3 high);

// An icosahedron whose triangles were divided in four `detail` times: 20 * 4^detail triangles of nearly equal size.
tlwShape tlwMakeSphere(tlwVec3 centre, double radius, int detail);

// Upright: around the z axis through `centre`, which is halfway up.
tlwShape tlwMakeCylinder(tlwVec3 centre, double radius, double height, int sides);

// A hollow box with walls around the inside `low`..`high`. `open`: it has no top; otherwise it is a closed cavity.
tlwShape tlwMakeContainer(tlwVec3 low, tlwVec3 high, double thickness, bool open);

// A hollow sphere: liquid inside `radius`, wall around it.
tlwShape tlwMakeSphereContainer(tlwVec3 centre, double radius, double thickness, int detail);

// A funnel with a round hole: `top_radius` and `hole_radius` are of the inside, z runs from `centre` up by `height`.
tlwShape tlwMakeFunnel(tlwVec3 centre, double top_radius, double hole_radius, double height, double thickness,
                       int sides);

// Turns a closed outline of (r, z) points, counter-clockwise with r to the right, around the z axis through `centre`.
// Points with r = 0 become one vertex; an edge along the axis leaves no triangles.
tlwShape tlwMakeLathe(tlwVec3 centre, const double (*outline)[2], int count, int sides);

// The lower half of a hollow sphere, open at the top: `radius` inside, wall around it. A wall of thickness 0 is a
// sheet.
tlwShape tlwMakeBowl(tlwVec3 centre, double radius, double thickness, int sides);

// A convex outline of (x, z) points, counter-clockwise with x to the right, drawn out from y = `low` to `high`.
tlwShape tlwMakePrism(const double (*outline)[2], int count, double low, double high);

// A gear around the y axis through the origin: teeth from `inner` to `outer` radius.
tlwShape tlwMakeGear(int teeth, double inner, double outer, double thickness);

// p -> rotation * (p - pivot) + pivot + offset
void tlwPlaceShape(tlwShape *shape, tlwVec3 pivot, tlwQuat rotation, tlwVec3 offset);
tlwQuat tlwMakeRotation(tlwVec3 axis, double degrees);

#endif
