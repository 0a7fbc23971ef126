// The patch of a rigid body's surface in a cell, measured with the body's own field, which is finer than the cells.
//
// The moment of a patch, the integral of r x n, is that of the covered parts of the cell's faces about the centroids of
// these parts (gradient theorem: the curl of r is zero). The middles of whole faces will not do: pressure on a ball
// would have a torque, and the ball would spin up without end.
#ifndef TLW_STEP_BODIES_PATCH_H
#define TLW_STEP_BODIES_PATCH_H

#include "grid/grid.h"
#include "step/obstacles/placed_mesh.h"

// Cells: no corner of a cell is inside a solid that is farther than this from the cell's centre. Half a diagonal, and a
// little for inexact distances.
#define TLW_PATCH_REACH 1.05

typedef struct tlwBodyPatch {
    double cover[6];   // share of each face inside the body: -x, +x, -y, +y, -z, +z
    tlwVec3 middle[6]; // m, world: centroid of that part
    double inside;     // share of the cell
} tlwBodyPatch;

// False where no face of the cell (in domain coordinates) is covered.
bool tlwMeasureBodyPatch(const tlwGrid *grid, const tlwPlacedMesh *body, const int cell[3], tlwBodyPatch *patch);

#endif
