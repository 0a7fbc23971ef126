// How pieces move: from particles to mass and motion, through the pressure solve, and back to the particles.
#ifndef TLW_STEP_FROZEN_MOTION_H
#define TLW_STEP_FROZEN_MOTION_H

#include "step/bodies/coupling.h"
#include "step/frozen/pieces.h"

// Add the free pieces to the pressure solve over dt, as gravity, force fields and contacts would have them move.
tlwResult tlwCouplePieces(tlwContext *context, const tlwScene *scene, double time, double dt, tlwFlow *flow,
                          tlwPieces *pieces, tlwBodyCoupling *coupling);

// After pressure over dt: the pieces' faces move with them.
void tlwMovePieces(tlwContext *context, double dt, tlwFlow *flow, tlwPieces *pieces, const tlwBodyCoupling *coupling);

// Particles of pieces have their piece's velocity, instead of what the grid would give them.
void tlwUpdatePieceParticles(tlwThreads *threads, const tlwFlow *flow, const tlwPieces *pieces,
                             const tlwBodyCoupling *coupling, tlwParticles *particles);

// Move the particles as shift and turn say, and write that motion to flow->velocity on the pieces' faces and in the air
// around them, so that the level set goes the same way.
tlwResult tlwCarryPieces(tlwContext *context, double dt, tlwFlow *flow, tlwPieces *pieces, tlwParticles *particles);

// Mass, centre, inertia, box and motion from the particles; `member` holds labels, 0 = of no piece.
tlwResult tlwMeasurePieces(tlwThreads *threads, const tlwGrid *grid, const tlwParticles *particles,
                           const int32_t *member, tlwPieces *pieces);

// Close faces of labelled cells, but for those that are cut, and give them their piece's `velocity` and `spin`.
void tlwClosePieceFaces(tlwContext *context, tlwFlow *flow, const tlwPieces *pieces);

#endif
