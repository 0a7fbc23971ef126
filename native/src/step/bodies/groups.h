// Groups: coupled bodies that move as one.
#ifndef TLW_STEP_BODIES_GROUPS_H
#define TLW_STEP_BODIES_GROUPS_H

#include "step/bodies/coupling.h"

// Unite the groups of bodies a and b. Each body keeps its own mass and cells; what acts on one acts on the whole group.
void tlwJoinCoupled(tlwBodyCoupling *coupling, int a, int b);

// Mass and motion of the group whose first body is `leader`.
tlwCoupledMass tlwSumCoupled(const tlwBodyCoupling *coupling, int leader);

// Give the bodies of that group the motion of `whole`.
void tlwSpreadMotion(tlwBodyCoupling *coupling, int leader, const tlwCoupledMass *whole);

// After motions have changed body by body: every group shares its momentum and moves as one again. A body of infinite
// mass decides for its group. tlwShareChanges does the same for `change` and `turn`.
void tlwShareMotion(tlwBodyCoupling *coupling);
void tlwShareChanges(tlwBodyCoupling *coupling);

#endif
