// The level set at walls and inside solids. See liquid/levelset.h.
#ifndef TLW_STEP_LIQUID_WALLS_H
#define TLW_STEP_LIQUID_WALLS_H

#include "step/fields/flow.h"

// After tlwMeasureFreeSurface: continue flow->phi into solids. Solids count as wet wherever liquid is next to them.
tlwResult tlwWetWalls(tlwThreads *threads, tlwFlow *flow);

// Continue flow->phi straight into solids, so that a wall cuts the liquid and does not bend its surface.
tlwResult tlwExtendIntoSolids(tlwThreads *threads, tlwFlow *flow);

// Find the first cell with an open centre on the way from p straight out of the solid there: its index and its centre
// q. False when none is near.
bool tlwFindOpenCell(const tlwGrid *grid, const float *solid, const float p[3], int64_t *c, float q[3]);

#endif
