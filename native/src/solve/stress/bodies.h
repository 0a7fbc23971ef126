// Rigid bodies in the stress system, six unknowns each. The faces inside a body are part of the system as a block of
// stiff liquid, because multigrid and deflation must see something stiff there. The iteration itself allows only rigid
// motions of a body's faces: directions and residuals are made rigid. So the stiffness of the block has no effect, only
// the body's own mass and inertia have. Both may be arbitrarily small.
#ifndef TLW_SOLVE_STRESS_BODIES_H
#define TLW_SOLVE_STRESS_BODIES_H

#include "solve/stress/level.h"

typedef struct tlwBodyFace {
    int64_t face;
    int8_t component;
    double arm[3]; // from the body's centre, cells
} tlwBodyFace;

// Motions are velocity and spin times the cell size, so that all six are m/s.
typedef struct tlwStressBody {
    tlwBodyFace *faces;
    int64_t count, capacity;
    double centre[3];  // cells
    double gram[6][6]; // factor of W'W of its faces
    double rest[6][6]; // its mass matrix minus the one of its faces' masses in the level; may be indefinite
} tlwStressBody;

typedef struct tlwStressBodies {
    tlwStressBody *items;
    int count;
} tlwStressBodies;

bool tlwInitStressBodies(tlwStressBodies *bodies, int count);
void tlwFreeStressBodies(tlwStressBodies *bodies);
bool tlwAddBodyFace(tlwStressBody *body, int component, int64_t face, const int cell[3]);

// Call when all faces are listed. `mass` is the body's mass matrix, `face_mass` the mass of each face in the level.
void tlwWeighBody(tlwStressBody *body, const double mass[6][6], double face_mass);

// Velocity that a motion gives a face.
static inline double tlwBodyVelocity(const tlwBodyFace *f, const double motion[6])
{
    int a = f->component, b = (a + 1) % 3, c = (a + 2) % 3;
    return motion[a] + motion[3 + b] * f->arm[c] - motion[3 + c] * f->arm[b];
}

// The rigid motion that fits the faces' velocities best.
void tlwFitBody(const tlwStressBody *body, const tlwFaceDoubles *x, double motion[6]);

// Give the faces of each body the rigid motion that fits best: the projection onto the space of the iteration.
void tlwMakeRigid(tlwThreads *threads, const tlwStressBodies *bodies, tlwFaceDoubles *x);

// The same for forces y = A x of a rigid x. Also adds `sign` times the force of `rest`, which A lacks. Returns
// x' rest x.
double tlwMakeForcesRigid(tlwThreads *threads, const tlwStressBodies *bodies, double sign, const tlwFaceDoubles *x,
                          tlwFaceDoubles *y);

// y += the momentum that `rest` gives a motion, spread over the faces.
void tlwAddBodyMomentum(const tlwStressBody *body, const double motion[6], tlwFaceFloats *y);

#endif
