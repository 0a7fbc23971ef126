// Velocity beyond the liquid: into the air around it and into solids, so that transport always has something to read.
#ifndef TLW_STEP_LIQUID_EXTEND_H
#define TLW_STEP_LIQUID_EXTEND_H

#include "step/liquid/drops.h"

// Copy the velocity outwards from the liquid's faces, layer by layer, `layers` (2 or more) cells far. The first layer
// of cells is made free of divergence. Faces of `drops` keep the velocity that was gathered, plus `fall`: what gravity
// adds in the step. `drops` is null when particles carry no velocity.
tlwResult tlwExtendVelocity(tlwThreads *threads, tlwFlow *flow, int layers, const tlwDrops *drops, const tlwVec3 *fall);

// After the gather: give faces next to gathered ones their velocity, two cells far, so that no liquid face is left at
// 0.
tlwResult tlwExtendGathered(tlwThreads *threads, tlwFlow *flow);

// Set the velocity inside solids: none into the wall, and along the wall what its surface says (slip, stick).
tlwResult tlwConstrainVelocity(tlwThreads *threads, const tlwScene *scene, tlwFlow *flow);

#endif
