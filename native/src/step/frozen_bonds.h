// Wax that froze onto rigid bodies.
//
// A piece and the bodies that it is bonded to are one: a fixed joint in the rigid world, which merges the two, and one
// set of six unknowns in the solves (tlwJoinCoupled). Each keeps its own mass, place and motion; only what changes the
// motion acts on all. A piece that is held holds its bodies as well: they are fixed to its holder, and to the solves
// they are as heavy as a wall. When the last bonded cell melts, all this is not there in the next step.
#ifndef TLW_STEP_FROZEN_BONDS_H
#define TLW_STEP_FROZEN_BONDS_H

#include "step/bodies.h"
#include "step/frozen.h"

// Joints for the bonds, when pieces have their places in the rigid world; and away with them after its runs.
tlwResult tlwFastenBonds(tlwBodies *bodies, const tlwSolids *solids, const tlwPieces *pieces);
void tlwUnfastenBonds(tlwBodies *bodies);

// After tlwTakePieceMotion over dt: shift and turn of what is frozen onto deforming solids (frozen_carry.c).
tlwResult tlwCarryOnShapes(const tlwBodies *bodies, const tlwSolids *solids, const tlwGrid *grid,
                           const tlwParticles *particles, double dt, tlwPieces *pieces);

// When bodies and pieces are coupled: those that are bonded move as one from here on.
void tlwBindPieces(tlwBodies *bodies, const tlwSolids *solids, tlwPieces *pieces, tlwBodyCoupling *coupling);

#endif
