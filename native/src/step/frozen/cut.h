// Free pieces under liquid close shares of faces, as bodies do. A piece's shape comes from its particles: the volume
// that they spread over a cell tells how far the cell's centre is from the piece's surface.
#ifndef TLW_STEP_FROZEN_CUT_H
#define TLW_STEP_FROZEN_CUT_H

#include "step/frozen/pieces.h"

// *phi becomes a copy of flow->phi for the pressure solve, a borrowed field that the caller returns; -1 when no cell is
// cut. In cut cells it is the level set of the liquid as if the piece were not there.
tlwResult tlwShowCuts(tlwContext *context, tlwFlow *flow, const tlwPieces *pieces, int *phi);

// Find the cells that free pieces cut, and the open shares of the faces there. Writes flow->open, cover, `cuts` and
// `shapes`.
tlwResult tlwCutPieces(const tlwPieceSearch *search, tlwPieces *pieces);

#endif
