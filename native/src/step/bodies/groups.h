// Coupled bodies that move as one.
#ifndef TLW_STEP_BODIES_GROUPS_H
#define TLW_STEP_BODIES_GROUPS_H

#include "step/bodies/coupling.h"

// Bodies that move as one (bodies/groups.c). Each keeps what is its own; what acts on one acts on all.
void tlwJoinCoupled(tlwBodyCoupling *coupling, int a, int b);

// Of the bodies whose first one is `leader`.
tlwCoupledMass tlwSumCoupled(const tlwBodyCoupling *coupling, int leader);

// They move as `whole` does.
void tlwSpreadMotion(tlwBodyCoupling *coupling, int leader, const tlwCoupledMass *whole);

// Bodies that are joined share their momentum, after something has changed their motions one by one. One that nothing
// moves decides for all. tlwShareChanges is the same for `change` and `turn`.
void tlwShareMotion(tlwBodyCoupling *coupling);
void tlwShareChanges(tlwBodyCoupling *coupling);

#endif
