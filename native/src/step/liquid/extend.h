// Velocity beyond the liquid: into the air around it and into solids, so that transport always has something to read.
#ifndef TLW_STEP_LIQUID_EXTEND_H
#define TLW_STEP_LIQUID_EXTEND_H

#include "step/liquid/drops.h"

// Copy the velocity outwards from the liquid's faces, layer by layer, `layers` (2 or more) cells far. The first layer
// of cells is made free of divergence. Drops that the level set misses keep the velocity that was gathered and get
// `fall`, what gravity adds in the step; not where `drops` is null (no particles carry velocity).
tlwResult tlwExtendVelocity(tlwThreads *threads, tlwFlow *flow, int layers, const tlwDrops *drops, const tlwVec3 *fall);

// After the gather: give faces next to gathered ones their velocity, two cells far, so that no liquid face is left at
// 0.
tlwResult tlwExtendGathered(tlwThreads *threads, tlwFlow *flow);

// Inside solids: no flow through the wall; along it what the wall's surface says (slip, stick).
tlwResult tlwConstrainVelocity(tlwThreads *threads, const tlwScene *scene, tlwFlow *flow);

#endif
