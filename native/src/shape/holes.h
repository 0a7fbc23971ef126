// Finding and filling the holes of a mesh.
#ifndef TLW_SHAPE_HOLES_H
#define TLW_SHAPE_HOLES_H

#include "shape/repair.h"

// Append triangles that close every hole of the welded mesh `corners` (as sorted by tlwSortHalfEdges): afterwards as
// many half-edges run along each edge one way as the other. Counts into `report`.
tlwResult tlwFillHoles(tlwMesh *mesh, const int32_t *corners, const int32_t *sorted, tlwMessage *message,
                       tlwRepairReport *report);

#endif
