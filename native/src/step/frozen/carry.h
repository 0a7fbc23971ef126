// How what holds a piece carries it. Solids that deform have no motion of their own: the piece goes with the rigid
// motion that fits the surface around its bonds best.
#ifndef TLW_STEP_FROZEN_CARRY_H
#define TLW_STEP_FROZEN_CARRY_H

#include "step/bodies/bodies.h"
#include "step/frozen/pieces.h"

// Held pieces move as what holds them does (frozen/carry.c).
tlwResult tlwTakeHolderMotions(const tlwPieceSearch *search, tlwPieces *pieces);

// After tlwTakePieceMotion over dt: shift and turn of what is frozen onto deforming solids (frozen/carry.c).
tlwResult tlwCarryOnShapes(const tlwBodies *bodies, const tlwPlacedMeshes *solids, const tlwGrid *grid,
                           const tlwParticles *particles, double dt, tlwPieces *pieces);

#endif
