// What of a rigid body's surface lies in a cell, measured with the body's own field, which is finer than the cells.
//
// The moment of a patch of surface, the integral of r x n, is that of the covered parts of the cell's faces about their
// own middles (gradient theorem: the curl of r is zero). With the middles of whole faces in their place a ball that
// liquid presses on feels a torque, which is none of a ball's, and spins up without end.
#ifndef TLW_STEP_BODIES_PATCH_H
#define TLW_STEP_BODIES_PATCH_H

#include "grid/grid.h"
#include "step/obstacles/placed_mesh.h"

// Cells from a cell's centre to a solid beyond which no corner is inside: half a diagonal, and a little for distances
// that are not quite.
#define TLW_PATCH_REACH 1.05

typedef struct tlwBodyPatch {
    double cover[6];   // share of each face inside the body: -x, +x, -y, +y, -z, +z
    tlwVec3 middle[6]; // m, world: centroid of that part
    double inside;     // share of the cell
} tlwBodyPatch;

// False where no face of the cell (in domain coordinates) is covered.
bool tlwMeasureBodyPatch(const tlwGrid *grid, const tlwPlacedMesh *body, const int cell[3], tlwBodyPatch *patch);

#endif
