// Pieces in liquid, finer than cells: without this an ice cube that is a third of a cell off the grid capsizes.
#ifndef TLW_STEP_FROZEN_FLOAT_H
#define TLW_STEP_FROZEN_FLOAT_H

#include "step/bodies/coupling.h"
#include "step/frozen/pieces.h"

// Below the cell: the liquid around free pieces is not lightened by particles of theirs in the same cells, and a piece
// displaces the volume of its particles, not that of its cells. After tlwCouplePieces; writes flow->density.
tlwResult tlwRefinePieces(const tlwPieceSearch *search, double dt, const tlwPieces *pieces, tlwBodyCoupling *coupling);

#endif
