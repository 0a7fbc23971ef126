// Connected parts of a closed mesh, and which way each of them faces.
#ifndef TLW_SHAPE_ISLANDS_H
#define TLW_SHAPE_ISLANDS_H

#include "shape/repair.h"

// Turn the connected parts of a closed mesh so that they face outwards, except cavities of other parts.
tlwResult tlwFaceOutwards(tlwMesh *mesh, tlwMessage *message, tlwRepairReport *report);

// Thickness of the thinnest connected part that is larger than `ignore` metres: the wall's for a cup or a plate, the
// diameter's order of magnitude for a ball. 0 when memory is out or there is no such part.
double tlwGetThinnestPart(const tlwMesh *mesh, double ignore);

#endif
