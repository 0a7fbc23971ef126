// Bodies that start inside each other.
#ifndef TLW_RIGID_OVERLAP_H
#define TLW_RIGID_OVERLAP_H

#include "rigid/world.h"

// Pairs that overlap by more than `tolerance` times the thickness of the thinner body (0.02 is a good start), deepest
// first, at most `capacity`. Bodies that a joint connects and bodies that nothing can move are left out.
tlwResult tlwFindOverlaps(const tlwRigidWorld *world, double tolerance, tlwOverlap *overlaps, int capacity, int *count,
                          tlwMessage *message);

#endif
