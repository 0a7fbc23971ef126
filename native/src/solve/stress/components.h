// Stiff parts: sets of cells that hold together so firmly that they move almost like rigid bodies.
#ifndef TLW_SOLVE_STRESS_COMPONENTS_H
#define TLW_SOLVE_STRESS_COMPONENTS_H

#include "solve/stress/level.h"

#define TLW_MAX_PARTS 256

// Label the cells of every stiff part, 1 .. count, for deflation. `label` is zero on entry.
//
// Cells are classed by c / (2 unit_mass) > 1, 1e2, 1e4, 1e6, 1e8, and within a class by their depth below its surface.
// Flooding from the stiffest and deepest cells outwards cuts the liquid into basins: two lumps in thin liquid, the head
// and the torso of a statue whose neck is thin or soft, the drops on a thread. Each class of a basin gets a label,
// unless the class is nearly as large as the next softer one. Thin parts are cut further into cubes.
tlwResult tlwFindStiffParts(tlwThreads *threads, tlwStressLevel *level, double unit_mass, int16_t *label, int *count);

#endif
