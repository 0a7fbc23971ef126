// One solve of the world: contact searches and substeps over dt.
#ifndef TLW_RIGID_STEP_H
#define TLW_RIGID_STEP_H

#include "rigid/world.h"

// New velocities and impulses for the next `dt` seconds. Poses stay; next_position and next_rotation say where the
// bodies go. Reads and then clears force and torque.
tlwResult tlwSolveRigidWorld(tlwRigidWorld *world, double dt, tlwMessage *message);

// Move the bodies as solved. If a velocity or spin was changed after the solve, the difference times dt moves the body
// as well. Bodies that are fixed to each other share such changes as one rigid cluster would.
tlwResult tlwMoveRigidWorld(tlwRigidWorld *world, double dt, tlwMessage *message);

#endif
