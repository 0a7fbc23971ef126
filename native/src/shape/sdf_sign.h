// Inside or outside: along every grid line in x, count how often the mesh has been entered and left. The count is the
// winding number, so overlapping parts are inside (2), cavities outside (0), and a mesh that is inside out works as
// well (-1).
#ifndef TLW_SHAPE_SDF_SIGN_H
#define TLW_SHAPE_SDF_SIGN_H

#include "shape/sdf.h"

// Where the grid lines along x enter and leave the mesh. Null when memory is out.
typedef struct tlwSdfLines tlwSdfLines;
tlwSdfLines *tlwCreateSdfLines(const tlwSdf *sdf, const tlwMesh *mesh);
void tlwDestroySdfLines(tlwSdfLines *lines);

// Fill `inside` for `count` nodes along x, the first of which is `node`.
void tlwFindInside(const tlwSdfLines *lines, const int32_t node[3], int count, bool *inside);

#endif
