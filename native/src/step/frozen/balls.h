// Balls of frozen pieces: which of their particles may touch something in a step.
#ifndef TLW_STEP_FROZEN_BALLS_H
#define TLW_STEP_FROZEN_BALLS_H

#include "step/frozen/contact.h"

typedef struct tlwPieceBox {
    tlwVec3 low, high;
    bool dynamic;
} tlwPieceBox;

// A step's colliders in the making.
typedef struct tlwPiecePlace {
    const tlwPieceWorld *world;
    const tlwGrid *grid;
    double dt;
    tlwPieces *pieces;
    tlwPieceColliders *colliders;
    tlwPieceBox *boxes; // of the pieces, then of the moving bodies, each with its way over the step
    int box_count;
    double *reach; // m, per piece: nearer solids may be touched
} tlwPiecePlace;

static inline bool tlwIsFreePiece(const tlwPiece *piece)
{
    return piece->object == TLW_NO_OBJECT;
}

// Give the colliders of free pieces their balls, in the order of particles.
tlwResult tlwCollectBalls(const tlwPiecePlace *place);

#endif
