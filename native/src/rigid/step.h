// One solve of the world: searches for contacts and substeps until dt is over.
#ifndef TLW_RIGID_STEP_H
#define TLW_RIGID_STEP_H

#include "rigid/world.h"

// (a) The contacts at the present poses, for a look at them; the solve finds its own. Impulses are those of the last
// solve. `contacts` starts zeroed or from an earlier call; free it with tlwFreeContacts.
tlwResult tlwGetRigidContacts(const tlwRigidWorld *world, double dt, tlwContactList *contacts, tlwMessage *message);

// (b) New velocities and impulses for the next `dt` seconds. Poses stay; next_position and next_rotation say where the
// bodies go. Reads and then clears force and torque.
tlwResult tlwSolveRigidWorld(tlwRigidWorld *world, double dt, tlwMessage *message);

// (c) Move the bodies as solved; a velocity or spin that was changed after the solve moves them by the difference times
// dt as well. Bodies that are fixed to each other share such changes as one rigid cluster would.
tlwResult tlwMoveRigidWorld(tlwRigidWorld *world, double dt, tlwMessage *message);

// (b) and (c).
tlwResult tlwStepRigidWorld(tlwRigidWorld *world, double dt, tlwMessage *message);

#endif
