// Pockets: connected liquid without a free surface. Their pressure is known up to a constant only, and what flows into
// them must flow out (Carlson 2004, s. 3.3.2).
#ifndef TLW_STEP_PRESSURE_POCKETS_H
#define TLW_STEP_PRESSURE_POCKETS_H

#include "step/pressure/pressure.h"

// List the pockets for the solver. Needs the assembled system.
tlwResult tlwFindPockets(tlwPressure *pressure);

#endif
