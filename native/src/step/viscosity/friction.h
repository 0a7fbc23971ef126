// Friction of slippery walls and obstacles on the liquid (Coulomb). A wall brakes the liquid by at most its friction
// times the pressure on it, and at most down to the wall's own velocity. Rigid bodies have no such friction on liquid.
#ifndef TLW_STEP_VISCOSITY_FRICTION_H
#define TLW_STEP_VISCOSITY_FRICTION_H

#include "step/fields/flow.h"

// Before forces: borrow flow->squeeze and fill it from the present velocity. It stays -1 in scenes without friction.
tlwResult tlwFindSqueeze(tlwThreads *threads, const tlwScene *scene, tlwFlow *flow);

// After a pressure solve: borrow and fill flow->grip for the viscosity solve that follows, dt long. It stays -1 in
// scenes without friction. Viscosity carries the braking from the wall into the liquid, so the two are solved together.
tlwResult tlwFindGrip(tlwThreads *threads, const tlwScene *scene, double dt, tlwFlow *flow);
void tlwReturnGrip(tlwFlow *flow);

#endif
