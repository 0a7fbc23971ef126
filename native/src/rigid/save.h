// The world as bytes. One walk over the fields serves both directions, so that they cannot disagree.
#ifndef TLW_RIGID_SAVE_H
#define TLW_RIGID_SAVE_H

#include "rigid/world.h"

// Everything that the future depends on, as bytes: a world that is loaded goes on bit for bit. Colliders, drifts,
// names and the def are not saved: on load each slot keeps those that it has, and slots the world did not have
// get none. `*bytes` is freed by tlwFree.
tlwResult tlwSaveRigidWorld(const tlwRigidWorld *world, unsigned char **bytes, size_t *size, tlwMessage *message);

// TLW_BAD_FILE and an unchanged world when the bytes are damaged.
tlwResult tlwLoadRigidWorld(tlwRigidWorld *world, const unsigned char *bytes, size_t size, tlwMessage *message);

#endif
