// The velocity that moves the surface of a pool: free of divergence in the cells that the surface has entered.
#ifndef TLW_STEP_LIQUID_CLOSE_H
#define TLW_STEP_LIQUID_CLOSE_H

#include "step/fields/flow.h"

// As much flows out of the first layer of air cells as flows in. Changes flow->velocity on faces that look away from
// the liquid. The change is for transport only. No force made it, so particles must have taken their velocity before.
void tlwCloseVelocity(tlwThreads *threads, tlwFlow *flow);

#endif
