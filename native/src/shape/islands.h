// Connected parts of a closed mesh, and which way each of them faces.
#ifndef TLW_SHAPE_ISLANDS_H
#define TLW_SHAPE_ISLANDS_H

#include "shape/repair.h"

// Turn the connected parts of a closed mesh so that they face outwards, except cavities of other parts.
tlwResult tlwFaceOutwards(tlwMesh *mesh, tlwMessage *message, tlwRepairReport *report);

// Thickness of the thinnest connected part that is larger than `ignore` metres. For a cup or a plate this is the
// thickness of the wall, for a ball roughly the diameter. 0 when memory is out or there is no such part.
double tlwGetThinnestPart(const tlwMesh *mesh, double ignore);

#endif
