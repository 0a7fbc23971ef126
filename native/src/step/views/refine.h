// More vertices where an object's mesh has detail between those of the surface.
#ifndef TLW_STEP_VIEWS_REFINE_H
#define TLW_STEP_VIEWS_REFINE_H

#include "step/views/detail.h"

// Split edges of unmelted material whose middle is off the object's mesh, and put the new vertices onto that mesh. Both
// triangles of an edge are split, so the surface stays closed.
tlwResult tlwRefineDetail(const tlwFrameState *state, tlwMesh *mesh, tlwDetail *detail);

// The place nearest to `rest` on the mesh that a vertex like `near` lies on. Returns its distance in cells.
typedef float tlwFindPlaceFn(const void *user, const tlwKept *near, const float rest[3], tlwKept *found);

// The same for any kind of mesh. Vertices whose `share` is 1 lie on it. False when memory is out.
bool tlwRefineMesh(tlwThreads *threads, tlwMesh *mesh, tlwKeptList *kept, tlwFindPlaceFn *find, const void *user);

#endif
