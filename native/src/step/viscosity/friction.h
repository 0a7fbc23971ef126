// Friction of slippery walls and obstacles on the liquid (Coulomb): a wall holds back by at most its friction times the
// pressure on it, and no further than to its own velocity. Rigid bodies rub against each other only.
#ifndef TLW_STEP_VISCOSITY_FRICTION_H
#define TLW_STEP_VISCOSITY_FRICTION_H

#include "step/fields/flow.h"

// Before forces: borrow and fill flow->squeeze from the velocity that the last step has left.
tlwResult tlwFindSqueeze(tlwThreads *threads, const tlwScene *scene, tlwFlow *flow);

// After a pressure solve: borrow and fill flow->grip for the viscosity solve that follows, dt long; it stays -1 in
// scenes without friction. What slows a wall's cells reaches as far into the liquid as viscosity does, so both are
// solved for together.
tlwResult tlwFindGrip(tlwThreads *threads, const tlwScene *scene, double dt, tlwFlow *flow);
void tlwReturnGrip(tlwFlow *flow);

#endif
