// Signed distance again after transport. See liquid/levelset.h.
#ifndef TLW_STEP_LIQUID_REDISTANCE_H
#define TLW_STEP_LIQUID_REDISTANCE_H

#include "step/fields/flow.h"

// Make flow->phi a signed distance within the band, without moving its zero (Russo and Smereka 2000 next to the
// surface, Godunov's scheme beyond).
tlwResult tlwRedistance(tlwThreads *threads, tlwFlow *flow);

#endif
