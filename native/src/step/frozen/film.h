// Films of melt between free pieces and hot solids.
//
// A hot solid does not hold wax: a piece on it slides on what has melted. The film is often thinner than a cell, so the
// viscosity solve does not see it. Its drag follows from lubrication: viscosity times speed over thickness, for every
// patch of the piece's surface that faces the solid. The thickness is the distance between the two surfaces. Across the
// film, melt must leave at the edges before the piece can come nearer (Reynolds 1886); so the film also carries the
// piece, and keeps it from toppling over its braked foot.
#ifndef TLW_STEP_FROZEN_FILM_H
#define TLW_STEP_FROZEN_FILM_H

#include "scene/scene.h"
#include "step/frozen/pieces.h"

// Drag on a piece: force and torque about its centre are `still` - `drag` times its velocity and spin.
struct tlwFilm {
    double drag[6][6];
    double still[6];
    double area, flat; // m2, of all of it and where the gap is sure
    double gap;        // m times m2, there
};

// Whether an object is so hot that a material melts where the two touch.
static inline bool tlwMeltsOn(const tlwScene *scene, const tlwHeatObject *heat, int object, int material)
{
    return object >= 0 && heat[object].conductivity > 0 &&
           heat[object].temperature >= scene->materials[material].def.solidus;
}

// Whether any object is hot in this way, and whether the one nearest to a cell is, for the cell's material.
bool tlwIsAnythingHot(const tlwPieceSearch *search);
bool tlwIsOnHot(const tlwPieceSearch *search, int64_t cell);

// Set pieces->films. `near` names the free piece at or next to each cell. `distance` is that of the cell's centre to
// its surface, in cells. `shift` is how far each surface was moved out, to make up for rounded corners. Pieces that the
// viscosity solve drags get no film.
tlwResult tlwFindFilms(const tlwPieceSearch *search, const int32_t *near, const float *distance, const float *shift,
                       tlwPieces *pieces);

// Slow a piece down over dt. Implicit in time, so that the thinnest film only makes it stick.
void tlwDragPiece(const tlwFilm *film, const tlwPiece *piece, double dt, tlwVec3 *velocity, tlwVec3 *spin);

#endif
