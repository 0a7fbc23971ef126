// The balls of one body in the distance field of another.
#ifndef TLW_RIGID_NARROW_PHASE_H
#define TLW_RIGID_NARROW_PHASE_H

#include "rigid/contact.h"

// Every ball of each body against the field of the other, into scratch->candidates. False when memory is out.
bool tlwFindPairContacts(const tlwContactSearch *search, const tlwBodyPair *pair, tlwNarrowScratch *scratch);

#endif
