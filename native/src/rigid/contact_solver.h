// Contacts inside a substep: no overlap, Coulomb's friction cone, bounce.
#ifndef TLW_RIGID_CONTACT_SOLVER_H
#define TLW_RIGID_CONTACT_SOLVER_H

#include "rigid/solver.h"

void tlwSetupContacts(tlwSolver *solver, const tlwBody *bodies, const tlwContactList *contacts,
                      const tlwSolverTuning *tuning, double dt, double h, double warm_scale);
void tlwPrepareContacts(tlwSolver *solver); // arms and masses at the present poses
void tlwWarmStartContacts(tlwSolver *solver);
void tlwSolveContacts(tlwSolver *solver, double h, bool springs);
void tlwAdvanceContacts(tlwSolver *solver, double h); // before the clusters move
void tlwSumContacts(tlwSolver *solver);               // after the relaxing pass
void tlwBounceContacts(tlwSolver *solver);
void tlwStoreContacts(const tlwSolver *solver, tlwContactList *contacts);

#endif
