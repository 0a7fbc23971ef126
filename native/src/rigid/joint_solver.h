// Joints inside a substep: a 3x3 block for the anchor and one for the rotation.
#ifndef TLW_RIGID_JOINT_SOLVER_H
#define TLW_RIGID_JOINT_SOLVER_H

#include "rigid/solver.h"

void tlwSetupJoints(tlwSolver *solver, const tlwBody *bodies, const tlwRigidJoint *joints, int joint_count,
                    const tlwSolverTuning *tuning, double h, double warm_scale);
void tlwPrepareJoints(tlwSolver *solver);
void tlwWarmStartJoints(tlwSolver *solver);
void tlwSolveJoints(tlwSolver *solver, bool springs);
void tlwSumJoints(tlwSolver *solver);
void tlwStoreJoints(const tlwSolver *solver, tlwRigidJoint *joints);

#endif
