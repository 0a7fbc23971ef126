// Contacts between bodies: how they are found, thinned out and matched with those of the step before.
#ifndef TLW_RIGID_CONTACT_H
#define TLW_RIGID_CONTACT_H

#include "base/parallel.h"
#include "rigid/body.h"
#include "rigid/joint.h"

// One point where two bodies touch or will touch within the step.
typedef struct tlwContact {
    int body_a, body_b; // a < b
    uint32_t feature;   // which ball of which body: equal numbers in two steps mean the same contact
    bool owner_b;       // the ball is B's, not A's
    tlwVec3 ball;       // centre of that ball, world, m
    tlwVec3 point;      // where the two push each other, world, m
    tlwVec3 normal;     // from A to B, world
    double separation;  // m, negative when they overlap
    tlwVec3 local_a;    // `point` in A's collider space: matches contacts of a step with those of the next
    double friction, restitution;
    tlwVec3 drift_a, drift_b; // velocity of the surfaces relative to their bodies there, m/s, world

    double normal_impulse;    // N s, of one substep: the next step starts from it
    tlwVec3 friction_impulse; // N s on B, of one substep
    tlwVec3 impulse;          // N s on B over the whole step, normal and friction. On A it is the opposite
} tlwContact;

typedef struct tlwContactList {
    tlwContact *items;
    int64_t count, capacity;
} tlwContactList;

// What finding contacts needs to know.
typedef struct tlwContactSearch {
    const tlwBody *bodies;
    int body_count;
    const int *group; // per body: bodies of one group are one rigid cluster and do not touch each other
    const bool *free; // per body: can be moved by a contact
    const tlwRigidJoint *joints;
    int joint_count;
    tlwVec3 gravity;
    double dt;
    double elapsed;      // s since the colliders of changing shapes were exact
    double reach;        // 1 = all contacts that may arise within dt; 0 = only bodies that touch or overlap already
    int max_per_pair;    // contacts kept of a pair of bodies, well spread
    bool backs;          // also count balls that touch with their back, to find bodies inside each other
    tlwThreads *threads; // may be null
} tlwContactSearch;

// All contacts, ordered by body pair, with the impulses of `previous` (ordered alike; may be empty) carried over.
// Bodies that may touch within dt are found before they do (speculative contacts): nothing passes through thin walls.
// Cost: per pair that may touch, one field sample for each ball near the other body.
tlwResult tlwFindContacts(const tlwContactSearch *search, const tlwContactList *previous, tlwContactList *contacts,
                          tlwMessage *message);

void tlwFreeContacts(tlwContactList *contacts);

// --- private to this room ---

// Two bodies that may touch, and the lengths that belong to them.
typedef struct tlwBodyPair {
    int a, b;
    double size;  // m, thickness of the thinner one
    double near;  // m, gap up to which a ball is a contact whichever way it moves
    double reach; // m, gap that may close within the step
} tlwBodyPair;

// Buffers of one thread, sized for the largest collider.
typedef struct tlwNarrowScratch {
    tlwVec3 *points, *gradients, *paths;
    double *distances, *times;
    int *indices, *kept;
    tlwContactList candidates;
} tlwNarrowScratch;

#endif
