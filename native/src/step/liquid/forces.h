// Gravity and force fields.
#ifndef TLW_STEP_LIQUID_FORCES_H
#define TLW_STEP_LIQUID_FORCES_H

#include "shape/particles.h"
#include "step/fields/flow.h"

// Add dt times the acceleration at `time` to every face's velocity.
void tlwApplyForces(tlwThreads *threads, const tlwScene *scene, double time, double dt, tlwFlow *flow);

// Mean acceleration over dt by gravity and force fields at a world position, for a material point with that velocity.
tlwVec3 tlwGetAcceleration(const tlwScene *scene, double time, double dt, tlwVec3 position, tlwVec3 velocity);

// The largest acceleration of any particle, drag left out: what a step must allow for.
double tlwGetStrongestPush(tlwThreads *threads, const tlwScene *scene, double time, const tlwFlow *flow,
                           const tlwParticles *particles);

#endif
