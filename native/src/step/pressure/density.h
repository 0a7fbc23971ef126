// Cells whose particles stand for more or less volume than the cell has room for.
#ifndef TLW_STEP_PRESSURE_DENSITY_H
#define TLW_STEP_PRESSURE_DENSITY_H

#include "step/pressure/pressure.h"

// Spread crowded particles and draw thinned ones together: a displacement with div d = fill - expected, found with the
// same system (Kugelstadt et al. 2019). `shift`: three float slots, m on faces, in the memory of the face weights;
// after this call the system can only be destroyed. *needed is false when nothing has to move.
tlwResult tlwSolveDensity(tlwPressure *pressure, int shift[3], bool *needed, tlwSolveStats *stats);

#endif
