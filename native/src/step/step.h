// One time step. The table in step.c is the algorithm.
#ifndef TLW_STEP_STEP_H
#define TLW_STEP_STEP_H

#include "tallow/tallow.h"

// Advance by one substep. After TLW_CANCELLED and TLW_NOT_CONVERGED the simulation can go on; after other failures it
// cannot.
tlwResult tlwStep(tlwSim *sim, double dt);

#endif
