// Peeling: ghost faces are eliminated exactly before the solve and put back after it.
//
// A ghost is an unknown face without mass, normal or bulk sample: it lies outside the liquid and only shear samples at
// the surface touch it. Two ghosts that share a sample can move with almost no energy, which slows every
// preconditioner. So each sample gets ghosts of its own; a ghost that several samples touch is split among them. Then
// the ghosts leave the system: the sample's c becomes 1 / (1/c + sum 1/m), a series of the sample and its ghosts'
// masses m.
#ifndef TLW_SOLVE_STRESS_PEEL_H
#define TLW_SOLVE_STRESS_PEEL_H

#include "solve/stress/solve.h"

typedef struct tlwPeeledFace {
    int64_t face, sample;
    int8_t component, kind, sign;
    float share;     // of the face that this sample got
    float mass, old; // mass of the share, and the velocity that the share would have without the sample
} tlwPeeledFace;

typedef struct tlwStressPeel {
    tlwPeeledFace *faces; // those of one sample follow each other
    int64_t count, capacity;
} tlwStressPeel;

tlwResult tlwPeelStress(tlwThreads *threads, tlwStressSystem *system, tlwStressPeel *peel);

// Velocity of the peeled faces after the solve. x must hold the solution, prescribed velocities included.
void tlwUnpeelStress(const tlwStressSystem *system, const tlwStressPeel *peel, tlwFaceDoubles *x);
void tlwFreeStressPeel(tlwStressPeel *peel);

#endif
