// Joints between two bodies, or a body and the world.
#ifndef TLW_RIGID_JOINT_H
#define TLW_RIGID_JOINT_H

#include "rigid/body.h"

// A fixed joint makes the two bodies one rigid cluster, exactly. The other kinds are solved as very stiff springs.
typedef struct tlwRigidJoint {
    tlwJointKind kind;
    int body_a, body_b; // b may be -1: the world
    bool collide;       // the two bodies may touch each other. Off by default
    tlwVec3 anchor_a;   // in A's collider space
    tlwVec3 anchor_b;   // in B's collider space, or the world's
    tlwVec3 axis_a;     // hinge and slider: unit, collider space of A
    tlwVec3 axis_b;     // the same axis in B's
    tlwQuat relative;   // rotation of B seen from A

    tlwVec3 linear_impulse, angular_impulse; // N s and N m s on B, of one substep: the next step starts from them
    tlwVec3 impulse, moment;                 // on B over the whole step; zero for fixed joints
    bool used;                               // false: a free slot
} tlwRigidJoint;

// A joint at the bodies' present poses. `axis` may be zero for fixed and ball joints. `b` null = the world.
tlwRigidJoint tlwMakeJoint(tlwJointKind kind, int index_a, const tlwBody *a, int index_b, const tlwBody *b,
                           tlwVec3 anchor, tlwVec3 axis);

#endif
