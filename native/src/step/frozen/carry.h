// How a held piece moves with its holder. A deforming solid has no rigid motion: a piece on it takes the rigid motion
// that best fits the surface around the piece's bonds.
#ifndef TLW_STEP_FROZEN_CARRY_H
#define TLW_STEP_FROZEN_CARRY_H

#include "step/bodies/bodies.h"
#include "step/frozen/pieces.h"

// Set velocity and spin of held pieces from their holders.
tlwResult tlwTakeHolderMotions(const tlwPieceSearch *search, tlwPieces *pieces);

// After tlwTakePieceMotion over dt: set shift and turn of pieces that are frozen onto deforming solids.
tlwResult tlwCarryOnShapes(const tlwBodies *bodies, const tlwPlacedMeshes *solids, const tlwGrid *grid,
                           const tlwParticles *particles, double dt, tlwPieces *pieces);

#endif
