// Frozen pieces in the rigid world: free ones fall, rest, slide and topple there; held ones are in the way.
//
// A piece's shape changes as it melts, so its collider is made anew every step: its surface particles are small balls,
// and a distance field of its particles is what the balls of others meet. Both live in world axes about the piece's
// centre, and only where something may touch it.
#ifndef TLW_STEP_FROZEN_CONTACT_H
#define TLW_STEP_FROZEN_CONTACT_H

#include "rigid/world.h"
#include "step/frozen/field.h"
#include "step/frozen/pieces.h"

// Colliders of one step.
typedef struct tlwPieceColliders {
    tlwCollider **items; // per piece, null = touches nothing
    tlwPieceField *fields;
    int count;
} tlwPieceColliders;

void tlwFreePieceColliders(tlwPieceColliders *colliders);

// What colliders are made from. flow->label and flow->solid are those of the last step.
typedef struct tlwPieceWorld {
    tlwContext *context;
    const tlwPlacedMeshes *solids;
    const tlwFlow *flow;
    const tlwParticles *particles;
    tlwRigidWorld *world;
    int first_body; // bodies from here on are pieces
} tlwPieceWorld;

// Before the world is solved over dt: every piece that may touch something becomes a body with the motion that pressure
// has given it; bodies of pieces that are no more go.
tlwResult tlwPlacePieces(const tlwPieceWorld *place, double dt, tlwPieces *pieces, tlwPieceColliders *colliders);

// After it: how far the pieces have moved, their motion, and what contacts did. `time` is the step's start.
void tlwTakePieceMotion(const tlwPieceWorld *place, double time, double dt, tlwPieces *pieces);

// Around tlwPredictBodies over the dt after `time`, whose trial run of the world says what contacts will do: the first
// has gravity and lasting pressure act on the pieces, the second takes their share and lets go of the colliders.
void tlwPushPieces(const tlwPieceWorld *place, double time, double dt, tlwPieces *pieces);
void tlwExpectPieceContacts(const tlwPieceWorld *place, double dt, tlwPieces *pieces);

#endif
