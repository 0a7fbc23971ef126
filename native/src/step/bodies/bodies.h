// The scene's rigid bodies: the world that they collide in, and how they meet the liquid.
//
// Within a step, tlwMoveBodies lets contacts and joints act and moves the bodies. tlwPredictBodies gives the pressure
// solve the velocities that gravity and the expected contacts would bring about (Carlson 2004, eq. 68-70).
// tlwFinishBodies takes the velocities that the solves leave.
//
// The expected contacts come from a trial run of the rigid solver, under gravity and the lasting part of pressure. That
// part is the lesser of the last two pushes, so that the blow of an impact does not count as a lasting force. The trial
// is undone before the real run, which starts from what pressure really did.
#ifndef TLW_STEP_BODIES_BODIES_H
#define TLW_STEP_BODIES_BODIES_H

#include "rigid/world.h"
#include "step/bodies/coupling.h"
#include "step/bodies/solve_motion.h"
#include "step/obstacles/placed_mesh.h"

// What links a scene object to the rigid world.
typedef struct tlwBodyLink {
    int solid;     // index into the obstacles
    int body;      // index in the world
    bool rigid;    // moved by forces, not by keys
    bool bonded;   // wax is frozen onto it; set only while joints hold the two (frozen/bonds.h)
    double volume; // m3, of rigid ones
    tlwCollider *collider;
    int builds;                         // tlwPlacedMesh.builds of the field that the collider is made of
    const tlwSdf *sdf;                  // that field
    tlwVec3 scale, stretch;             // scale of that field; its growth per second over the present solve
    float *positions, *vertex_velocity; // deforming meshes: vertices of that field; velocities over the present solve
    tlwSolveMotion solve;
    tlwVec3 old_velocity, old_spin; // before the present step
} tlwBodyLink;

typedef struct tlwBodies {
    tlwContext *context;
    const tlwScene *scene;
    tlwRigidWorld *world; // null: no rigid bodies in the scene
    tlwBodyLink *links;
    int link_count;
    tlwCollider *walls[6];
} tlwBodies;

// Fails for bodies without volume and for bodies that start inside each other; the message names them.
tlwResult tlwCreateBodies(tlwContext *context, const tlwScene *scene, tlwPlacedMeshes *solids, tlwBodies *bodies);
void tlwDestroyBodies(tlwBodies *bodies);

// After loading a checkpoint: put the rigid obstacles where their bodies are, and rebuild outdated colliders.
tlwResult tlwFollowBodies(tlwBodies *bodies, tlwPlacedMeshes *solids);

// Contacts, joints, motion over dt; the obstacles' poses follow. `time` is the step's start.
tlwResult tlwMoveBodies(tlwBodies *bodies, tlwPlacedMeshes *solids, double time, double dt);

// Fill `coupling` with the bodies for the pressure solve over the dt after `time`. The obstacles get the predicted
// motion (for solid_velocity).
tlwResult tlwPredictBodies(tlwBodies *bodies, tlwPlacedMeshes *solids, double time, double dt,
                           tlwBodyCoupling *coupling);

// Give the obstacles the present motion of the coupled bodies (for solid_velocity).
void tlwShowBodies(const tlwBodies *bodies, tlwPlacedMeshes *solids, const tlwBodyCoupling *coupling);

// After the solves: take the motion that they gave the bodies.
void tlwFinishBodies(tlwBodies *bodies, double dt, const tlwBodyCoupling *coupling);

// Number of bodies of the scene and its walls. The rigid world's slots from this number on belong to frozen pieces.
int tlwCountSceneBodies(const tlwBodies *bodies);

// The world body of a scene object, or null.
const tlwBody *tlwFindBody(const tlwBodies *bodies, const tlwPlacedMeshes *solids, int object);

#endif
