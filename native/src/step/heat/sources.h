// Lamps and heated volumes.
#ifndef TLW_STEP_HEAT_SOURCES_H
#define TLW_STEP_HEAT_SOURCES_H

#include "step/heat/system.h"

// Add what lamps and volumes give to system->source. Returns the sum through *total.
tlwResult tlwAddHeatSources(tlwHeatSystem *system, double *total);

#endif
