// Frozen material: connected cells below their melting range move as rigid pieces.
//
// A piece that touches an obstacle or a wall has frozen onto it and is held by it. A free piece is a rigid body of its
// own: six unknowns in the viscosity solve (flow->piece) and in the pressure solve (step/coupling.h).
#ifndef TLW_STEP_FROZEN_H
#define TLW_STEP_FROZEN_H

#include "scene/scene.h"
#include "step/coupling.h"
#include "step/solids.h"

// Values of flow->frozen.
enum { TLW_FROZEN_NOT = 0, TLW_FROZEN_CELL = 1, TLW_FROZEN_HELD = 2, TLW_FROZEN_FREE = 3 };

typedef struct tlwPiece {
    int object; // that holds it, TLW_WALL_OBJECT, or TLW_NO_OBJECT for a free piece
    double mass;
    tlwVec3 centre;
    double inertia[6]; // xx yy zz xy xz yz about the centre, kg m2
    tlwVec3 velocity, spin;
    int64_t cells;
} tlwPiece;

typedef struct tlwPieces {
    tlwPiece *items; // label n is items[n - 1]
    int count, free_count;
} tlwPieces;

void tlwFreePieces(tlwPieces *pieces);

// Label the cells that flow->frozen marks, work out the pieces, close their faces in flow->open and give those faces
// the velocity of what holds them. Writes flow->piece (free pieces only) and flow->frozen.
tlwResult tlwFindPieces(tlwContext *context, const tlwSolids *solids, tlwFlow *flow, tlwPieces *pieces);

// The free pieces' motion is the mean motion of their faces. Adds them to the pressure solve.
tlwResult tlwCouplePieces(tlwContext *context, tlwFlow *flow, tlwPieces *pieces, tlwBodyCoupling *coupling);

// The same again after viscosity, for pieces that were added before.
void tlwUpdateCoupledPieces(const tlwFlow *flow, tlwPieces *pieces, tlwBodyCoupling *coupling);

// After pressure: the pieces' faces move with them.
void tlwMovePieces(tlwContext *context, tlwFlow *flow, tlwPieces *pieces, const tlwBodyCoupling *coupling);

#endif
