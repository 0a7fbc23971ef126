// Transport: particles and level set through the velocity of the last step.
#ifndef TLW_STEP_LIQUID_ADVECT_H
#define TLW_STEP_LIQUID_ADVECT_H

#include "shape/particles.h"
#include "step/fields/flow.h"

// Move particles by dt along flow->velocity (third-order Runge-Kutta, Ralston 1962).
void tlwAdvectParticles(tlwThreads *threads, const tlwFlow *flow, double dt, tlwParticles *particles);

// Trace particles `begin` to `end` - 1 without moving them: to[axis][n - begin] is the new place of particle n, in
// cells.
void tlwTraceParticles(const tlwFlow *flow, double dt, const tlwParticles *particles, int64_t begin, int64_t end,
                       float *const to[3]);

// Move particles by a displacement on faces (three float slots, m), a quarter of a cell at most.
void tlwShiftParticles(tlwThreads *threads, const tlwGrid *grid, const int shift[3], tlwParticles *particles);

// Push particles out of solids and closed walls; flow->solid must be current.
void tlwCollideParticles(tlwThreads *threads, const tlwFlow *flow, tlwParticles *particles);

// Remove particles that left through open sides, and any whose place is not finite. Closed sides hold particles back.
// *mass becomes the mass that left. `walls` as in tlwSceneDef.
tlwResult tlwRemoveOutside(tlwThreads *threads, const tlwGrid *grid, const tlwWall walls[6], tlwParticles *particles,
                           double *mass);

// Move flow->phi by dt: trace back along flow->velocity and interpolate there, cubic near the surface.
tlwResult tlwAdvectLevelSet(tlwThreads *threads, tlwFlow *flow, double dt);

// Grid transport of the velocity itself (semi-Lagrangian, MacCormack, BFECC), in place.
tlwResult tlwAdvectVelocity(tlwThreads *threads, tlwFlow *flow, tlwTransport transport, double dt);

#endif
