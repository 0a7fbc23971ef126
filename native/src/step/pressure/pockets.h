// Pockets: connected liquid that no air ties down. Their pressure is known but for a constant, and what flows into them
// must flow out (Carlson 2004, s. 3.3.2).
#ifndef TLW_STEP_PRESSURE_POCKETS_H
#define TLW_STEP_PRESSURE_POCKETS_H

#include "step/pressure/pressure.h"

// List them for the solver. Needs the assembled system.
tlwResult tlwFindPockets(tlwPressure *pressure);

#endif
