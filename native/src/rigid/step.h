// One solve of the world: searches for contacts and substeps until dt is over.
#ifndef TLW_RIGID_STEP_H
#define TLW_RIGID_STEP_H

#include "rigid/world.h"

// New velocities and impulses for the next `dt` seconds. Poses stay; next_position and next_rotation say where the
// bodies go. Reads and then clears force and torque.
tlwResult tlwSolveRigidWorld(tlwRigidWorld *world, double dt, tlwMessage *message);

// Move the bodies as solved; a velocity or spin that was changed after the solve moves them by the difference times
// dt as well. Bodies that are fixed to each other share such changes as one rigid cluster would.
tlwResult tlwMoveRigidWorld(tlwRigidWorld *world, double dt, tlwMessage *message);

#endif
