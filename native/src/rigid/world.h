// A world of rigid bodies: they fall, touch, stack, slide, bounce and hang on joints. Knows nothing about liquids.
//
// How the time step uses it:
//
//     tlwRigidWorld *world;                          tlwCreateRigidWorld(&def, &world, message);
//     tlwBody body = tlwDefaultBody();               // mass, inertia, pose, collider ...
//     int ball;                                      tlwAddRigidBody(world, &body, &ball, message);
//     ... tlwFindOverlaps before the first step: "Ball and Cup start inside each other"
//     every step:
//         tlwSetPredictedVelocity(world, ball, v, w, dt);  // velocity after pressure; or set body->force
//         tlwSolveRigidWorld(world, dt, message);          // velocities and impulses are new, poses are not
//         ... the liquid reads velocity, spin and contact_impulse (Carlson 2004, eq. 68-70), and sets the first two
//         tlwMoveRigidWorld(world, dt, message);           // poses are new
//
// A solve is split into steps of at most `max_step`, each with a new search for contacts. Steps are split into
// substeps. So dt may be as long as a frame. Contacts of fast bodies are found before they happen. Margins follow the
// size and speed of the bodies, so 1 cm and 10 m bodies behave alike. Everything is in a fixed order: equal inputs give
// equal bits for any number of threads.
#ifndef TLW_RIGID_WORLD_H
#define TLW_RIGID_WORLD_H

#include "rigid/contact.h"
#include "rigid/joint.h"

typedef struct tlwRigidWorldDef {
    tlwVec3 gravity;        // m/s2
    double max_step;        // s between two searches for contacts; shortened automatically when a body spins fast
    double substep;         // s, wanted length; a step has at least 4
    double contact_hertz;   // stiffness of contacts, 1/s; never above an eighth of the substep rate
    double contact_damping; // damping ratio
    double push_speed;      // m/s, largest speed to part overlapping bodies of 1 m; smaller bodies in proportion
    double joint_hertz;     // never above a quarter of the substep rate
    double joint_damping;   // damping ratio
    int max_contacts;       // per pair of bodies, 4..256
    tlwThreads *threads;    // for finding contacts; may be null
} tlwRigidWorldDef;

typedef struct tlwRigidWorld {
    tlwRigidWorldDef def;
    tlwBody *bodies; // slots; look at `used`
    int64_t body_count, body_capacity;
    tlwRigidJoint *joints; // slots; look at `used`
    int64_t joint_count, joint_capacity;
    tlwContactList contacts; // of the last step, with their impulses; the next one starts from them
    tlwContactList previous; // scratch
    double warm_substep;     // s, length of the substeps that the impulses in `contacts` belong to
    int steps, substeps;     // of the last solve: searches for contacts, and substeps in each
} tlwRigidWorld;

// Earth's gravity along -z, steps of 1/240 s in 8 substeps, 240 Hz contacts, 1000 Hz joints.
tlwRigidWorldDef tlwDefaultRigidWorldDef(void);

tlwResult tlwCreateRigidWorld(const tlwRigidWorldDef *def, tlwRigidWorld **world, tlwMessage *message);
void tlwDestroyRigidWorld(tlwRigidWorld *world); // not its colliders; may be null

// Refuses, by name, bodies without mass or with an inertia that no solid can have. The index stays valid until the body
// is removed; then the slot is free for the next one. `index` may be null, here and for joints.
tlwResult tlwAddRigidBody(tlwRigidWorld *world, const tlwBody *body, int *index, tlwMessage *message);

// Removes its joints and contacts too.
void tlwRemoveRigidBody(tlwRigidWorld *world, int index);

// `body_b` -1 = the world. Anchor and axis are in world space, for the bodies' present poses.
tlwResult tlwAddRigidJoint(tlwRigidWorld *world, tlwJointKind kind, int body_a, int body_b, tlwVec3 anchor,
                           tlwVec3 axis, int *index, tlwMessage *message);

// Make the coming solve act as if outer forces brought the body from its present to the given velocity over `dt`. The
// given velocity includes gravity, so set gravity_scale to 0 for such bodies.
void tlwSetPredictedVelocity(tlwRigidWorld *world, int body, tlwVec3 velocity, tlwVec3 spin, double dt);

// Two bodies that overlap.
typedef struct tlwOverlap {
    int body_a, body_b;
    double depth;  // m, of the deepest point
    tlwVec3 point; // world
} tlwOverlap;

#endif
