// Reduces many contacts to few, keeps the choice steady from step to step, and carries impulses over.
#ifndef TLW_RIGID_REDUCE_H
#define TLW_RIGID_REDUCE_H

#include "rigid/contact.h"

// Pick at most `max_count` of the candidates into `out`: the deepest, then always the one farthest from those picked,
// in place and direction. A contact found from both sides counts once. Contacts that were in `previous` are preferred,
// so that a resting body keeps its contacts. Returns the number picked.
int tlwReduceContacts(const tlwBodyPair *pair, tlwContactList *candidates, const tlwContact *previous,
                      int previous_count, tlwContact *out, int max_count);

// Carry impulses over: same feature first, then the nearest within a few percent of the size.
void tlwMatchContacts(const tlwBodyPair *pair, const tlwContact *previous, int previous_count, tlwContact *contacts,
                      int count);

#endif
