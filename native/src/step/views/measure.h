// What tlwStats says about the present state.
#ifndef TLW_STEP_VIEWS_MEASURE_H
#define TLW_STEP_VIEWS_MEASURE_H

#include "tallow/tallow.h"

// Everything in tlwStats that describes the present state.
void tlwMeasureSim(tlwSim *sim);

#endif
