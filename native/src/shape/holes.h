// Finding and filling the holes of a mesh.
#ifndef TLW_SHAPE_HOLES_H
#define TLW_SHAPE_HOLES_H

#include "shape/repair.h"

// Append triangles that close every hole of the welded mesh `corners`, whose half-edges tlwSortHalfEdges has `sorted`.
// Afterwards each edge has as many half-edges in one direction as in the other. Counts into `report`.
tlwResult tlwFillHoles(tlwMesh *mesh, const int32_t *corners, const int32_t *sorted, tlwMessage *message,
                       tlwRepairReport *report);

#endif
