// Cells that solids cut, as heat sees them: the open part of a cell, and how far its middle lies from the wall.
//
// The temperature of a cell is the mean of its particles, and so that of the middle of the cell's open part. Heat is
// conducted between such middles, and from a middle to the wall's true place. The domain's closed sides let no heat
// pass. They are left out here: where a solid meets a side, the solid goes on straight behind it.
#ifndef TLW_STEP_HEAT_CUT_CELLS_H
#define TLW_STEP_HEAT_CUT_CELLS_H

#include "step/fields/flow.h"

typedef struct tlwCutCells {
    const tlwGrid *grid;
    const float *solid;     // m, at nodes
    const int16_t *nearest; // object, at nodes
    const float *open[3];   // shares of faces
    int64_t strides[3];
} tlwCutCells;

tlwCutCells tlwMakeCutCells(const tlwFlow *flow);

// Distance in cells from the middle of a cell's open part to the solid, and from the cell's centre.
typedef struct tlwCellGap {
    double middle, centre;
} tlwCellGap;

tlwCellGap tlwGetCellGap(const tlwCutCells *cut, int64_t c, const int cell[3]);

// Share of the lower face of a cell that no solid covers.
double tlwGetOpenFace(const tlwCutCells *cut, int64_t c, const int cell[3], int axis);

// Surface of solids inside a cell over dx^2, from the open shares of its faces, and its direction: away from the solid.
double tlwGetSolidArea(const tlwCutCells *cut, int64_t c, const int cell[3], double away[3]);

// The object at the corner of a cell that is deepest in, or nearest to, a solid; negative = none.
int tlwFindCellObject(const tlwCutCells *cut, int64_t c, const int cell[3]);

// Cosine between the solid's normal and an axis, at the lower face of a cell.
double tlwGetWallCosine(const tlwCutCells *cut, int64_t c, const int cell[3], int axis);

#endif
