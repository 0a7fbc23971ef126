// The stress system and its solution by preconditioned conjugate gradients.
//
// The iteration runs in double precision and stops on true residuals: || b - A x || <= tolerance || M u || in the norm
// of M^-1, where u are the old and the prescribed velocities. Since A >= M, this bounds the error in the kinetic norm.
// The preconditioner is one multigrid cycle in single precision; deflation solves the rigid motions of stiff parts
// exactly. If the iteration does not converge, a second preconditioner takes over. If that fails too, the result is
// TLW_NOT_CONVERGED.
#ifndef TLW_SOLVE_STRESS_SOLVE_H
#define TLW_SOLVE_STRESS_SOLVE_H

#include "solve/stress/bodies.h"

typedef struct tlwStressSystem {
    tlwStressLevel level;
    tlwFaceFloats b;               // right side: mass times old velocity; on prescribed faces (mass < 0) their velocity
    tlwFaceDoubles x;              // guess in, solution out; zero where there is no unknown
    double unit_mass;              // mass of a full face
    const tlwStressBodies *bodies; // may be null; their faces' masses in the level are all one
    float *swelling;               // per cell, m/s: divergence times cell size that bulk samples aim at; null = 0
} tlwStressSystem;

// Tiles are tile coordinates; they must hold every unknown and every sample.
tlwResult tlwInitStressSystem(tlwStressSystem *system, const int dims[3], const int (*tiles)[3], int count);
void tlwFreeStressSystem(tlwStressSystem *system);

typedef enum tlwStressMethod {
    TLW_STRESS_AUTOMATIC = 0, // by stiffness: Jacobi for little, multigrid for the rest, aggregation when that fails
    TLW_STRESS_JACOBI = 1,
    TLW_STRESS_MULTIGRID = 2,
    TLW_STRESS_AGGREGATION = 3
} tlwStressMethod;

typedef struct tlwStressOptions {
    double tolerance;
    int max_iterations; // per preconditioner
    int patience;       // iterations after which a solve with a tenth of its residual left is given up; 0 = never
    tlwStressMethod method;
    tlwCancelFn *cancel; // may be null; polled every few iterations
    void *user;
} tlwStressOptions;

typedef struct tlwStressStats {
    int64_t unknowns;
    int64_t bytes;  // memory at the peak
    int iterations; // of all preconditioners
    int components; // deflated
    int levels;
    double residual; // relative, true
    double setup_seconds, seconds;
    double bytes_per_iteration; // of the last preconditioner; read and written, every array counted once per kernel
    tlwStressMethod method;     // that finished
} tlwStressStats;

// TLW_OK, TLW_CANCELLED, TLW_OUT_OF_MEMORY, or TLW_NOT_CONVERGED with the last iterate in x.
tlwResult tlwSolveStress(tlwThreads *threads, tlwStressSystem *system, const tlwStressOptions *options,
                         tlwStressStats *stats);

#endif
