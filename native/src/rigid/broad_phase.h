// Which bodies may touch: boxes swept over the step, sorted along one axis.
#ifndef TLW_RIGID_BROAD_PHASE_H
#define TLW_RIGID_BROAD_PHASE_H

#include "rigid/contact.h"

// Pairs whose swept boxes overlap, ordered by (a, b). The caller frees `*pairs`.
tlwResult tlwFindPairs(const tlwContactSearch *search, tlwBodyPair **pairs, int64_t *count, tlwMessage *message);

// Velocity of the centre of mass at the end of the step if nothing is touched.
tlwVec3 tlwPredictVelocity(const tlwContactSearch *search, const tlwBody *body);

#endif
