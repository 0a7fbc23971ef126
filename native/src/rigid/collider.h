// Colliders: the surface of a rigid body, for contacts.
//
// A collider is two views of one shape, both in collider space (the object's own space, metres):
// - a signed distance field, negative inside, that can be sampled anywhere, and
// - surface balls: small balls that lie inside the shape and touch its surface. A contact takes its normal from the
//   other body's field at the ball's centre. That centre lies outside of the other body, where normals are smooth. A
//   point on the surface would read the field right at edges, where normals point sideways and stacks collapse.
// Two bodies touch where the distance from a ball's centre to the other body is the ball's radius.
//
// A shape with a distance field of its own (an analytic one, a level set) becomes a collider by tlwCreateFieldCollider.
// Colliders do not change after creation, may be shared by any number of bodies, and must outlive them.
#ifndef TLW_RIGID_COLLIDER_H
#define TLW_RIGID_COLLIDER_H

#include "base/result.h"

// Distance and its gradient at `count` points. Contract:
// - the sign is right everywhere, also far outside of the box;
// - near the surface the distance is right; farther away it may be clamped, but never exceeds the true distance;
// - where the distance is clamped, the gradient may be zero; elsewhere the gradient points outwards, with any length.
// Called from several threads at once.
typedef void tlwSampleDistanceFn(const void *user, const tlwVec3 *points, int count, double *distance,
                                 tlwVec3 *gradient);

// A ball inside the shape that touches the surface.
typedef struct tlwSurfaceBall {
    tlwVec3 centre;
    tlwVec3 normal; // outwards where it touches; the average at corners and edges
    double radius;  // m, may be 0
    // Where the surface is smooth, the largest ball inside the shape that touches near the same place; else the same
    // ball again. A body may touch with any point of its cores, so that a mesh of a ball rolls smoothly over its
    // facets.
    tlwVec3 core_centre;
    double core_radius;
} tlwSurfaceBall;

// Neighbouring balls, culled together.
typedef struct tlwBallCluster {
    tlwVec3 centre;
    double reach;     // m from `centre` to the farthest point of any of its balls
    int first, count; // into tlwCollider.balls
} tlwBallCluster;

typedef struct tlwCollider {
    tlwSampleDistanceFn *sample;
    const void *user;         // handed to `sample`, not owned
    tlwVec3 box_min, box_max; // around the shape. Huge (TLW_UNBOUNDED) for half spaces
    double size;              // m, thickness of the shape: margins and tolerances are fractions of it
    double band;              // m, the field is exact up to this distance. TLW_UNBOUNDED = everywhere. Must exceed the
                              // radius of other bodies' balls, or their contacts are missed: 3 cells for an inset of 1
    double core_radius;       // m, of a shape that is one ball about the origin; else 0
    bool rough;               // its field is lumpy: contacts with smooth bodies use the normals of those
    tlwSurfaceBall *balls;
    int ball_count;
    tlwBallCluster *clusters;
    int cluster_count;
    double parameters[4]; // of the analytic shapes
} tlwCollider;

// Coordinates of box sides that are infinitely far away; squares of it are still finite.
#define TLW_UNBOUNDED 1e30

typedef struct tlwBallDef {
    double spacing; // m between balls; 0 = chosen for about `target` balls
    double inset;   // m, radius of the balls; 0 = 2 % of the thickness. At least half a cell for a sampled field
    int target;     // balls on the faces when `spacing` is 0; corners and sharp edges add at most as many again
} tlwBallDef;

// Solid where dot(normal, x) < offset. For floors and the walls of the domain: one static body each.
tlwResult tlwCreateHalfSpaceCollider(tlwVec3 normal, double offset, tlwCollider **collider, tlwMessage *message);

void tlwDestroyCollider(tlwCollider *collider); // may be null

// Sort balls[0..ball_count) into clusters. The create functions have done this already.
tlwResult tlwClusterBalls(tlwCollider *collider, tlwMessage *message);

// Distance from `point` to the box, 0 inside.
double tlwDistanceToBox(tlwVec3 box_min, tlwVec3 box_max, tlwVec3 point);

#endif
