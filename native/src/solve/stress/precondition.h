// The preconditioners of the stress system behind one call: z = B r.
#ifndef TLW_SOLVE_STRESS_PRECONDITION_H
#define TLW_SOLVE_STRESS_PRECONDITION_H

#include "solve/stress/deflation.h"
#include "solve/stress/multigrid.h"
#include "solve/stress/solve.h"

typedef struct tlwStressPreconditioner {
    tlwStressMethod method;
    const tlwStressLevel *level;
    bool additive;         // the system has terms that the level's A lacks, so deflation must not use A
    tlwFaceFloats b, x, y; // b is filled by the caller: the residual, scaled
    tlwStressMultigrid multigrid;
    tlwStressDeflation deflation; // unused when it has no parts
    double bound;
} tlwStressPreconditioner;

// Jacobi for systems whose stiffest sample is no larger than a face's mass, else multigrid.
tlwStressMethod tlwChooseStressMethod(tlwThreads *threads, const tlwStressSystem *system);

// Frees nothing on failure: call tlwFreeStressPreconditioner in any case.
tlwResult tlwInitStressPreconditioner(tlwThreads *threads, tlwStressPreconditioner *pre, tlwStressSystem *system,
                                      tlwStressMethod method);
void tlwFreeStressPreconditioner(tlwStressPreconditioner *pre);

// z = B (scale r); pre->b holds scale r already. Returns z.
const tlwFaceFloats *tlwPrecondition(tlwThreads *threads, tlwStressPreconditioner *pre, const tlwFaceDoubles *r,
                                     double scale);

// Bytes that one call moves, every array counted once per kernel.
double tlwCountPreconditionerBytes(const tlwStressPreconditioner *pre);

#endif
