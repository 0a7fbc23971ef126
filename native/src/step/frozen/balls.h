// Balls of frozen pieces: which of their particles may touch something in a step.
#ifndef TLW_STEP_FROZEN_BALLS_H
#define TLW_STEP_FROZEN_BALLS_H

#include "step/frozen/contact.h"

typedef struct tlwPieceBox {
    tlwVec3 low, high;
    bool dynamic;
} tlwPieceBox;

// Colliders of a step while they are built.
typedef struct tlwPiecePlace {
    const tlwPieceWorld *world;
    const tlwGrid *grid;
    double dt;
    tlwPieces *pieces;
    tlwPieceColliders *colliders;
    tlwPieceBox *boxes; // of the pieces, then of the moving bodies, each grown by its path over the step
    int box_count;
    double *reach; // m, per piece: it may touch solids that are nearer
} tlwPiecePlace;

static inline bool tlwIsFreePiece(const tlwPiece *piece)
{
    return piece->object == TLW_NO_OBJECT;
}

// Give the colliders of free pieces their balls, in the order of particles.
tlwResult tlwCollectBalls(const tlwPiecePlace *place);

#endif
