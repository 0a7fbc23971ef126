// The locally one-dimensional method (Carlson 2004, s. 4.2, eq. 51-55): heat moves along x, then along y, then along z,
// and each time the lines of cells are independent tridiagonal systems. Exchange with the outside belongs to the axis
// it mostly follows. Each line is iterated on its own, as the whole system is in heat/heat.c.
#ifndef TLW_STEP_HEAT_LINES_H
#define TLW_STEP_HEAT_LINES_H

#include "step/heat/system.h"

// Solve by lines (LOD); fills system->heat. Objects keep their temperature.
tlwResult tlwSolveHeatLines(tlwHeatSystem *system, tlwHeatStats *stats);

#endif
