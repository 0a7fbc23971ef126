// Free pieces under liquid close shares of faces, as bodies do. Their shape
// comes from their particles: the volume that these spread over cells says how
// far a cell's centre is from the surface.
#ifndef TLW_STEP_FROZEN_CUT_H
#define TLW_STEP_FROZEN_CUT_H

#include "step/frozen/pieces.h"

// A copy of flow->phi for the pressure solve, without the pieces in the cells that they cut; a field to be returned, -1
// where nothing is cut.
tlwResult tlwShowCuts(tlwContext *context, tlwFlow *flow, const tlwPieces *pieces, int *phi);

// Find the cells that free pieces cut and what they leave of the faces there (frozen/cut.c). Writes flow->open, cover,
// `cuts` and `shapes`.
tlwResult tlwCutPieces(const tlwPieceSearch *search, tlwPieces *pieces);

#endif
