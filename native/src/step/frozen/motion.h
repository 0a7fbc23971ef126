// How pieces move: from particles to mass and motion, through the pressure solve, and back to the particles.
#ifndef TLW_STEP_FROZEN_MOTION_H
#define TLW_STEP_FROZEN_MOTION_H

#include "step/bodies/coupling.h"
#include "step/frozen/pieces.h"

// Add the free pieces to the pressure solve over dt, with the motion that gravity, force fields and contacts would give
// them.
tlwResult tlwCouplePieces(tlwContext *context, const tlwScene *scene, double time, double dt, tlwFlow *flow,
                          tlwPieces *pieces, tlwBodyCoupling *coupling);

// After pressure over dt: take the pieces' motion from `coupling` and give it to their faces.
void tlwMovePieces(tlwContext *context, double dt, tlwFlow *flow, tlwPieces *pieces, const tlwBodyCoupling *coupling);

// Give the particles of pieces their piece's velocity, in place of the grid's.
void tlwUpdatePieceParticles(tlwThreads *threads, const tlwFlow *flow, const tlwPieces *pieces,
                             const tlwBodyCoupling *coupling, tlwParticles *particles);

// Move the particles by their piece's shift and turn. Write that motion to flow->velocity on the pieces' faces and in
// the air around them, so that the level set moves the same way.
tlwResult tlwCarryPieces(tlwContext *context, double dt, tlwFlow *flow, tlwPieces *pieces, tlwParticles *particles);

// Mass, centre, inertia, box and motion from the particles; `member` holds labels, 0 = of no piece.
tlwResult tlwMeasurePieces(tlwThreads *threads, const tlwGrid *grid, const tlwParticles *particles,
                           const int32_t *member, tlwPieces *pieces);

// Close the faces of labelled cells, except where a free piece cuts them, and give them their piece's `velocity` and
// `spin`.
void tlwClosePieceFaces(tlwContext *context, tlwFlow *flow, const tlwPieces *pieces);

#endif
