// Melt under a piece leaves the film at its edges.
//
// Films of melt thinner than a cell have no pressure of their own (frozen/film.h). Without a way out, what melts under
// a piece would pile up there. Melt that has no room flows along the film to the nearest edges, as pressure in a gap of
// constant width would drive it.
#ifndef TLW_STEP_FROZEN_SQUEEZE_H
#define TLW_STEP_FROZEN_SQUEEZE_H

#include "step/frozen/pieces.h"

// Set flow->velocity on the open sides of film cells from what is too much for them. Reads flow->fill, solid and piece.
// `dt` is the time in which the melt is to leave.
tlwResult tlwSqueezeFilms(tlwFlow *flow, const tlwPieces *pieces, const tlwParticles *particles,
                          const tlwParticleOrder *order, double dt);

#endif
