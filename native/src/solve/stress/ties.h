// A tie: a few faces that stiff samples hold together and little else holds, for instance at the edge of a stiff part
// that borders on soft liquid or air. Each face has a stiff sample on its diagonal, so a smoother hardly moves it. Yet
// the faces move easily together, and a coarse grid cannot represent that motion. So the smoother solves for all faces
// of a tie at once.
#ifndef TLW_SOLVE_STRESS_TIES_H
#define TLW_SOLVE_STRESS_TIES_H

#include "solve/stress/level.h"

#define TLW_TIE_FACES 12 // of one tie, at most

typedef struct tlwTie {
    int count;
    int8_t component[TLW_TIE_FACES];
    int64_t face[TLW_TIE_FACES];
    double *change; // count x count: (block of A)^-1 - (diagonal of A)^-1
} tlwTie;

typedef struct tlwStressTies {
    tlwTie *items;
    int64_t count, capacity;
    double *changes;
} tlwStressTies;

// Bounds the eigenvalues of D^-1 A, D with the blocks: a sample touches so many faces.
#define TLW_TIE_BOUND 4.0
#define TLW_BULK_TIE_BOUND 6.0

// No face is in two ties.
tlwResult tlwFindStressTies(tlwThreads *threads, const tlwStressLevel *level, tlwStressTies *ties);
void tlwFreeStressTies(tlwStressTies *ties);

// y += beta change (b - A x) on the faces of the ties; x may be null: zero.
void tlwSmoothTies(tlwThreads *threads, const tlwStressLevel *level, const tlwStressTies *ties, const tlwFaceFloats *b,
                   const tlwFaceFloats *x, float beta, tlwFaceFloats *y);

#endif
