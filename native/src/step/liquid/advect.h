// Transport: particles and level set through the velocity of the last step.
#ifndef TLW_STEP_LIQUID_ADVECT_H
#define TLW_STEP_LIQUID_ADVECT_H

#include "shape/particles.h"
#include "step/fields/flow.h"
#include "step/liquid/own_motion.h"

// Move particles by dt along flow->velocity (third-order Runge-Kutta, Ralston 1962). `thin`: there are walls that a
// particle could pass in one step, so particles stop at walls on their way.
void tlwAdvectParticles(tlwThreads *threads, const tlwFlow *flow, double dt, bool thin, tlwParticles *particles);

// Trace particles `begin` to `end` - 1 without moving them: to[axis][n - begin] is the new place of particle n, in
// cells.
void tlwTraceParticles(const tlwFlow *flow, double dt, const tlwParticles *particles, int64_t begin, int64_t end,
                       float *const to[3]);

// Move particles by a displacement on faces (three float slots, m), a quarter of a cell at most. With a `stiffness`,
// material above its limit stays: thin liquid does not push it aside. Null = all move.
void tlwShiftParticles(tlwThreads *threads, const tlwGrid *grid, const int shift[3], const tlwStiffness *stiffness,
                       tlwParticles *particles);

// Move flow->phi by dt: trace back along flow->velocity and interpolate there, cubic near the surface.
tlwResult tlwAdvectLevelSet(tlwThreads *threads, tlwFlow *flow, double dt);

// Grid transport of the velocity itself (semi-Lagrangian, MacCormack, BFECC), in place.
tlwResult tlwAdvectVelocity(tlwThreads *threads, tlwFlow *flow, tlwTransport transport, double dt);

#endif
