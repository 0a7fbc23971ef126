// What making a simulation shares with going back to its start.
#ifndef TLW_STEP_CREATE_H
#define TLW_STEP_CREATE_H

#include "tallow/tallow.h"

// Fill the fields of cells from particles that are at the start, and sorted.
tlwResult tlwGatherStart(tlwSim *sim);

#endif
