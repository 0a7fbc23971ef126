// Buoyancy of pieces, finer than cells. Without it an ice cube that is a third of a cell off the grid capsizes.
#ifndef TLW_STEP_FROZEN_FLOAT_H
#define TLW_STEP_FROZEN_FLOAT_H

#include "step/bodies/coupling.h"
#include "step/frozen/pieces.h"

// After tlwCouplePieces. Cells of liquid next to pieces get the density of their liquid particles alone. A free piece
// gets the buoyancy of its particles' volume, not of its cells' volume. Writes flow->density, flow->viscosity of cut
// cells, and the pieces' motion in `coupling`.
tlwResult tlwRefinePieces(const tlwPieceSearch *search, double dt, const tlwPieces *pieces, tlwBodyCoupling *coupling);

#endif
