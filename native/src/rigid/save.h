// The world as bytes. One walk over the fields serves both directions, so that they cannot disagree.
#ifndef TLW_RIGID_SAVE_H
#define TLW_RIGID_SAVE_H

#include "rigid/world.h"

// Everything that the future depends on, as bytes: a loaded world continues bit for bit. Colliders, drifts, names and
// the def are not saved. On load each slot keeps those that it has; slots that are new to the world get none. The
// caller frees `*bytes` with tlwFree.
tlwResult tlwSaveRigidWorld(const tlwRigidWorld *world, unsigned char **bytes, size_t *size, tlwMessage *message);

// TLW_BAD_FILE and an unchanged world when the bytes are damaged.
tlwResult tlwLoadRigidWorld(tlwRigidWorld *world, const unsigned char *bytes, size_t size, tlwMessage *message);

#endif
