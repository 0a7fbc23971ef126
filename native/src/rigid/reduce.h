// Few contacts out of many, the same ones every time, with their history.
#ifndef TLW_RIGID_REDUCE_H
#define TLW_RIGID_REDUCE_H

#include "rigid/contact.h"

// Pick at most `max_count` of the candidates into `out`: the deepest, then always the one farthest from those picked,
// in place and direction. The same contact found from both sides stays one. Contacts that were in `previous` are
// preferred, so that a resting body keeps its own. Returns how many.
int tlwReduceContacts(const tlwBodyPair *pair, tlwContactList *candidates, const tlwContact *previous,
                      int previous_count, tlwContact *out, int max_count);

// Carry impulses over: same feature first, then the nearest within a few percent of the size.
void tlwMatchContacts(const tlwBodyPair *pair, const tlwContact *previous, int previous_count, tlwContact *contacts,
                      int count);

#endif
