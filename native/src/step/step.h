// One time step. The table in step.c is the algorithm.
#ifndef TLW_STEP_STEP_H
#define TLW_STEP_STEP_H

#include "tallow/tallow.h"

// Advance by one substep. On failure the simulation cannot go on, but for TLW_CANCELLED and TLW_NOT_CONVERGED.
tlwResult tlwStep(tlwSim *sim, double dt);

#endif
