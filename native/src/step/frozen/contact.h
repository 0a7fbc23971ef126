// Frozen pieces in the rigid world: free ones fall, rest, slide and topple there; held ones are in the way.
//
// A piece's shape changes as it melts, so its collider is rebuilt every step. The collider has small balls at the
// piece's surface particles, and a distance field made from its particles. The balls of one collider meet the fields of
// others. Both use world axes about the piece's centre, and exist only where something may touch the piece.
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

// Before the world is solved over dt: every free piece, and every held one that something may touch, becomes a body
// with the motion that the solves gave it. Bodies of pieces that no longer exist are removed.
tlwResult tlwPlacePieces(const tlwPieceWorld *place, double dt, tlwPieces *pieces, tlwPieceColliders *colliders);

// After the world has moved: set the pieces' shift, turn, velocity and spin. `time` is the step's start.
void tlwTakePieceMotion(const tlwPieceWorld *place, double time, double dt, tlwPieces *pieces);

// tlwPredictBodies makes a trial run of the world over the dt after `time`, which tells what contacts will do. Before
// it, tlwPushPieces lets gravity and lasting pressure act on the pieces. After it, tlwExpectPieceContacts takes what
// contacts add to the pieces, and lets go of the colliders.
void tlwPushPieces(const tlwPieceWorld *place, double time, double dt, tlwPieces *pieces);
void tlwExpectPieceContacts(const tlwPieceWorld *place, double dt, tlwPieces *pieces);

#endif
