// Melt under a piece leaves the film at its edges.
//
// Films of melt thinner than a cell have no pressure of their own (frozen/film.h). Without a way out, what melts under
// a piece would pile up there. Melt that has no room moves along the film, as pressure in a gap of constant width would
// move it, to the nearest edges.
#ifndef TLW_STEP_FROZEN_SQUEEZE_H
#define TLW_STEP_FROZEN_SQUEEZE_H

#include "step/frozen/pieces.h"

// Move liquid particles of crowded films. Positions change, velocities do not. Reads flow->fill, solid and piece.
tlwResult tlwSqueezeFilms(tlwFlow *flow, const tlwPieces *pieces, tlwParticles *particles,
                          const tlwParticleOrder *order);

#endif
