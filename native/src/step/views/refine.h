// More vertices where an object's mesh has detail between those of the surface.
#ifndef TLW_STEP_VIEWS_REFINE_H
#define TLW_STEP_VIEWS_REFINE_H

#include "step/views/detail.h"

// Split edges of unmelted material whose middle is off the object's mesh, and put the new vertices onto that mesh. Both
// triangles of an edge are split, so the surface stays closed.
tlwResult tlwRefineDetail(const tlwFrameState *state, tlwMesh *mesh, tlwDetail *detail);

#endif
