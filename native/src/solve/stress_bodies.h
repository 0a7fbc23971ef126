// Rigid bodies in the stress system. The faces inside a body are unknowns tied to each other by stiff samples, so that
// multigrid and deflation see what they see in stiff liquid. They carry a part of the body's mass; what is missing to
// its true mass and inertia is added as a term of rank six, R' M R, where R is the rigid motion that fits the faces
// best. The preconditioner knows nothing of it: a few more iterations, no more.
#ifndef TLW_SOLVE_STRESS_BODIES_H
#define TLW_SOLVE_STRESS_BODIES_H

#include "solve/stress_level.h"

typedef struct tlwBodyFace {
    int64_t face;
    int8_t component;
    bool loose;   // scratch of the caller
    float arm[3]; // from the body's centre, cells
} tlwBodyFace;

// Motions are velocity and spin times the cell size, so that all six are m/s.
typedef struct tlwStressBody {
    tlwBodyFace *faces;
    int64_t count, capacity;
    double gram[6][6]; // W'W of its faces, factored by tlwSplitBodyMass
    double rest[6][6]; // mass matrix that the faces do not carry
    double face_mass;  // kg, that each of them does
    bool too_light;    // its faces carry more than its mass: the lightest that the system allows
    double start[6];   // momentum before the solve
} tlwStressBody;

typedef struct tlwStressBodies {
    tlwStressBody *items;
    int count;
} tlwStressBodies;

bool tlwInitStressBodies(tlwStressBodies *bodies, int count);
void tlwFreeStressBodies(tlwStressBodies *bodies);
bool tlwAddBodyFace(tlwStressBody *body, int component, int64_t face, const double arm[3]);

// Share `mass` (the body's 6 x 6 mass matrix) between its faces, each with at least `least`, and `rest`.
void tlwSplitBodyMass(tlwStressBody *body, const double mass[6][6], double least);

// Velocity that a motion gives a face.
static inline double tlwBodyVelocity(const tlwBodyFace *f, const double motion[6])
{
    int a = f->component, b = (a + 1) % 3, c = (a + 2) % 3;
    return motion[a] + motion[3 + b] * f->arm[c] - motion[3 + c] * f->arm[b];
}

// The rigid motion that fits the faces' velocities best.
void tlwFitBody(const tlwStressBody *body, const tlwFaceDoubles *x, double motion[6]);

// y += sign R' M R x over all bodies; returns x' R' M R x.
double tlwAddBodyInertia(tlwThreads *threads, const tlwStressBodies *bodies, double sign, const tlwFaceDoubles *x,
                         tlwFaceDoubles *y);

// y += R' M v: the momentum of a motion, spread over the faces.
void tlwAddBodyMomentum(const tlwStressBody *body, const double motion[6], tlwFaceFloats *y);

// Momentum and angular momentum (over the cell size) of what the faces and the rest carry.
void tlwGetBodyMomentum(const tlwStressBody *body, const tlwFaceDoubles *x, double momentum[6]);

#endif
