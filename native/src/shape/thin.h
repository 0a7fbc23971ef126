// Parts of a solid that are too thin for the cells of a grid, and how far such parts grow so that they hold liquid.
//
// A part grows on one side only: away from what it encloses, so that a cup keeps the shape of its inside. "In front" is
// the side to which a triangle's corners turn counter-clockwise.
#ifndef TLW_SHAPE_THIN_H
#define TLW_SHAPE_THIN_H

#include "base/parallel.h"
#include "shape/mesh.h"

typedef struct tlwThinDef {
    double least; // m: what is thinner counts as thin
    double look;  // m: thicknesses up to this are told apart; at least `least`
    bool sheet;   // the mesh is a sheet of faces that encloses nothing; all of it is thin
    // Grow only what encloses something, and towards what it encloses: a floating bowl keeps its draught, a plank
    // stays as it is.
    bool keeps_outside;
    // A place in mesh space where liquid is. Where a part encloses neither side, it grows away from this place.
    bool has_liquid;
    tlwVec3 liquid;
} tlwThinDef;

// For each triangle the share of the growth that goes to its front, 0 to 1; -1 = no part of the triangle is thin. Null
// where nothing is thin. Same bits for any number of threads. Cost: a tree over the mesh, a ray for each triangle and
// each 14 square lengths of `least`, and 64 rays for each part
// of two lengths of `least` that is thin. `thinnest` becomes the least
// thickness that was found, m; `look` where nothing is thinner.
tlwResult tlwFindThinSides(const tlwMesh *mesh, const tlwThinDef *def, tlwThreads *threads, tlwMessage *message,
                           double *thinnest, float **sides);

// What stands in for a mesh with thin parts: its triangles in pieces half as long as `least`, so that each piece has
// one thickness.
typedef struct tlwThin {
    tlwMesh pieces;
    int32_t *triangle; // of the mesh, per piece
    // 2 per piece, m: how far the solid reaches in front of the piece and behind it. The second is infinite where the
    // solid is thick.
    float *reach;
    tlwMesh grown;        // the pieces that reach in front of themselves
    int32_t *grown_piece; // of these, per triangle
    float most;           // m: the largest growth beyond the mesh
    bool sheet;
} tlwThin;

// Measure the thickness of a mesh and let what is thinner than `least` metres grow to it. `reach` stays null where
// nothing is thin.
tlwResult tlwMeasureThin(const tlwMesh *mesh, const float *sides, double least, bool sheet, tlwThreads *threads,
                         tlwMessage *message, tlwThin *thin);
void tlwFreeThin(tlwThin *thin);

#endif
