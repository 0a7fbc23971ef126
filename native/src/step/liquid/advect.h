// Transport: particles and level set through the velocity of the last step.
#ifndef TLW_STEP_LIQUID_ADVECT_H
#define TLW_STEP_LIQUID_ADVECT_H

#include "shape/particles.h"
#include "step/fields/flow.h"

// Move particles by dt along flow->velocity (third-order Runge-Kutta, Ralston 1962).
void tlwAdvectParticles(tlwThreads *threads, const tlwFlow *flow, double dt, tlwParticles *particles);

// Where particles `begin` to `end` would go, in cells; to[axis][0] is the first of them.
void tlwTraceParticles(const tlwFlow *flow, double dt, const tlwParticles *particles, int64_t begin, int64_t end,
                       float *const to[3]);

// Move particles by a displacement on faces (three float slots, m), a quarter of a cell at most.
void tlwShiftParticles(tlwThreads *threads, const tlwGrid *grid, const int shift[3], tlwParticles *particles);

// Push particles out of solids and closed walls; flow->solid must be current.
void tlwCollideParticles(tlwThreads *threads, const tlwFlow *flow, tlwParticles *particles);

// Drop particles that left through open sides, and any that are not finite; closed sides hold theirs back. Returns the
// mass that left. `walls` as in tlwSceneDef.
tlwResult tlwRemoveOutside(tlwThreads *threads, const tlwGrid *grid, const tlwWall walls[6], tlwParticles *particles,
                           double *mass);

// flow->phi at the new time: backward along flow->velocity, cubic near the surface.
tlwResult tlwAdvectLevelSet(tlwThreads *threads, tlwFlow *flow, double dt);

// Grid transport of the velocity itself (semi-Lagrangian, MacCormack, BFECC), in place.
tlwResult tlwAdvectVelocity(tlwThreads *threads, tlwFlow *flow, tlwTransport transport, double dt);

#endif
