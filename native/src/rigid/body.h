// Rigid bodies and their free motion.
#ifndef TLW_RIGID_BODY_H
#define TLW_RIGID_BODY_H

#include "base/vec.h"
#include "rigid/collider.h"

typedef enum tlwBodyMotion {
    TLW_MOTION_DYNAMIC = 0,   // moved by forces, contacts and joints
    TLW_MOTION_KINEMATIC = 1, // moves with the velocity and spin that the caller gives; nothing can stop it
    TLW_MOTION_STATIC = 2     // does not move
} tlwBodyMotion;

// Velocity of the surface nearest to each point, m/s, both in collider space. Called from several threads at once.
typedef void tlwSampleDriftFn(const void *user, const tlwVec3 *points, int count, tlwVec3 *drift);

// The motion of a changing shape relative to its body: the shape grows, bends or flaps. The collider is the shape at
// the start of a solve. During the solve every point of the shape moves with the velocity that `sample` gives.
typedef struct tlwSurfaceDrift {
    tlwSampleDriftFn *sample; // null: the shape stays as it is
    const void *user;         // handed to `sample`, not owned
    double fastest;           // m/s, anywhere
} tlwSurfaceDrift;

typedef struct tlwBody {
    const char *name;            // for messages, not owned; may be null
    const tlwCollider *collider; // not owned; null = touches nothing
    tlwBodyMotion motion;
    tlwSurfaceDrift drift; // of kinematic and static bodies; not saved

    // Dynamic bodies only
    double mass;     // kg
    tlwMat3 inertia; // kg m2 about the centre of mass, along the axes of collider space

    tlwVec3 centre;   // centre of mass in collider space, m
    tlwVec3 position; // of the centre of mass in the world, m. Not of the object's origin: see tlwGetBodyOrigin
    tlwQuat rotation; // from collider space to the world
    tlwVec3 velocity; // of the centre of mass, m/s
    tlwVec3 spin;     // rad/s, world axes

    tlwVec3 force, torque; // N and N m about the centre of mass, besides gravity, during the next solve
    double gravity_scale;  // 1 = falls; 0 = gravity is already in `force` (see tlwSetPredictedVelocity)
    double friction;       // Coulomb; a pair has the geometric mean of its two
    double restitution;    // 0..1; a pair has the larger of its two

    // Results of the last solve: impulses on this body over the whole dt, N s, and about its centre of mass, N m s.
    // Divided by mass and dt they are A_c and alpha_c of (Carlson 2004, eq. 68, 69).
    tlwVec3 contact_impulse, contact_angular_impulse;
    tlwVec3 joint_impulse, joint_angular_impulse;
    tlwVec3 next_position; // where tlwMoveRigidWorld will put the body if its velocity stays as solved
    tlwQuat next_rotation;
    tlwVec3 solved_velocity, solved_spin;

    bool used; // false: a free slot of the world
} tlwBody;

// A dynamic body of 1 kg at the origin, friction 0.5, no restitution, no collider.
tlwBody tlwDefaultBody(void);

// Where the origin of collider space is in the world: what an object's transform needs.
tlwVec3 tlwGetBodyOrigin(const tlwBody *body);

// Put the body where its object is: `origin` is where the origin of collider space goes. Call after the centre is set.
void tlwPlaceBody(tlwBody *body, tlwVec3 origin, tlwQuat rotation);

// World point to collider space and back.
tlwVec3 tlwWorldToBody(const tlwBody *body, tlwVec3 world);
tlwVec3 tlwBodyToWorld(const tlwBody *body, tlwVec3 local);

// Velocity of the shape relative to its body at a world point, `elapsed` seconds after the collider was exact.
tlwVec3 tlwGetSurfaceDrift(const tlwBody *body, double elapsed, tlwVec3 world);

// R M R' : a body-space matrix in world axes.
tlwMat3 tlwRotateMat3(tlwQuat rotation, tlwMat3 m);

// Turn a free body for `dt` at constant angular momentum by the implicit midpoint rule: momentum is kept to rounding,
// energy does not drift. `spin` goes in and out in world axes. A body that spins faster than the step resolves is
// turned in several shorter steps.
void tlwIntegrateRotation(tlwQuat *rotation, tlwVec3 *spin, const tlwMat3 *inertia, const tlwMat3 *inverse_inertia,
                          double dt);

#endif
