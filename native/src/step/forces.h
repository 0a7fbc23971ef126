// Gravity and force fields.
#ifndef TLW_STEP_FORCES_H
#define TLW_STEP_FORCES_H

#include "scene/scene.h"
#include "step/flow.h"

// Add dt times the acceleration at `time` to every face's velocity.
void tlwApplyForces(tlwThreads *threads, const tlwScene *scene, double time, double dt, tlwFlow *flow);

// Acceleration by the scene's force fields at a world position, for a material point with that velocity.
tlwVec3 tlwGetFieldAcceleration(const tlwScene *scene, double time, tlwVec3 position, tlwVec3 velocity);

#endif
