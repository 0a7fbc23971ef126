// Free pieces in the viscosity solve: distances to them at the nodes, beside those to solids.
#ifndef TLW_STEP_FROZEN_SHAPE_H
#define TLW_STEP_FROZEN_SHAPE_H

#include "step/frozen/pieces.h"

// Free pieces as viscosity sees them: solids whose surface may lie anywhere in a cell. Fields to be returned with
// tlwHideShapes.
typedef struct tlwShownShapes {
    int solid;     // node, float, m: flow->solid, or the distance to a piece where that is nearer
    int label;     // node, int32: that piece, else 0
    int viscosity; // cell, float: flow->viscosity; 0 in dry cells of pieces, whose frozen particles do not flow
} tlwShownShapes;

// List the cells of the free pieces that viscosity drags. `near` holds the label of the piece in or next to a cell,
// `distance` the cells from its centre to that piece's surface.
tlwResult tlwListShapes(const tlwPieceSearch *search, const int32_t *near, const float *distance, tlwPieces *pieces);

tlwResult tlwShowShapes(tlwContext *context, tlwFlow *flow, const tlwPieces *pieces, tlwShownShapes *shown);
void tlwHideShapes(tlwFlow *flow, const tlwShownShapes *shown);

#endif
