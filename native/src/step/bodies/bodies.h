// The scene's rigid bodies: the world that they collide in, and how they meet the liquid.
//
// Within a step: tlwMoveBodies lets contacts and joints act and carries the bodies along, tlwPredictBodies gives the
// pressure solve the velocities that gravity and the contacts to come would bring about (000 eq. 68-70),
// tlwFinishBodies takes what pressure made of them.
//
// The contacts to come are those of a trial run of the rigid solver under gravity and the pressure that lasts: the
// lesser of the last two, so that the blow of an impact is not taken for a force that stays. What the trial gave is
// taken back before the real run, which starts from what pressure really did.
#ifndef TLW_STEP_BODIES_BODIES_H
#define TLW_STEP_BODIES_BODIES_H

#include "rigid/world.h"
#include "step/bodies/coupling.h"
#include "step/bodies/solve_motion.h"
#include "step/obstacles/placed_mesh.h"

// What ties a scene object to the rigid world.
typedef struct tlwBodyLink {
    int solid;     // index into the obstacles
    int body;      // index in the world
    bool rigid;    // moved by forces, not by keys
    bool bonded;   // wax is frozen onto it; within a step
    double volume; // m3, of rigid ones
    tlwCollider *collider;
    int builds;                         // tlwPlacedMesh.builds of the field that the collider is made of
    const tlwSdf *sdf;                  // that field
    tlwVec3 scale, stretch;             // that it was built with; growth per second over the present solve
    float *positions, *vertex_velocity; // of deforming meshes: at that time, and over the present solve
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

// Refuses bodies without volume or that start inside each other, by name.
tlwResult tlwCreateBodies(tlwContext *context, const tlwScene *scene, tlwPlacedMeshes *solids, tlwBodies *bodies);
void tlwDestroyBodies(tlwBodies *bodies);

// Put the obstacles where their bodies are and take the shapes of the others, after loading a checkpoint.
tlwResult tlwFollowBodies(tlwBodies *bodies, tlwPlacedMeshes *solids);

// Contacts, joints, motion over dt; the obstacles' poses follow. `time` is the step's start.
tlwResult tlwMoveBodies(tlwBodies *bodies, tlwPlacedMeshes *solids, double time, double dt);

// Bodies for the pressure solve over the dt after `time`, and their predicted motion to the obstacles (for
// solid_velocity).
tlwResult tlwPredictBodies(tlwBodies *bodies, tlwPlacedMeshes *solids, double time, double dt,
                           tlwBodyCoupling *coupling);

// The obstacles move as the coupled bodies now do (for solid_velocity).
void tlwShowBodies(const tlwBodies *bodies, tlwPlacedMeshes *solids, const tlwBodyCoupling *coupling);

// After the solve: what pressure made of the bodies.
void tlwFinishBodies(tlwBodies *bodies, double dt, const tlwBodyCoupling *coupling);

// Bodies of the scene and its walls; the world's slots from here on belong to frozen pieces.
int tlwCountSceneBodies(const tlwBodies *bodies);

// The world body of a scene object, or null.
const tlwBody *tlwFindBody(const tlwBodies *bodies, const tlwPlacedMeshes *solids, int object);

#endif
