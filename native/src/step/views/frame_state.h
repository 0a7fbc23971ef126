// What frames are made from: a simulation, or a copy of it, so that the simulation can go on meanwhile.
#ifndef TLW_STEP_VIEWS_FRAME_STATE_H
#define TLW_STEP_VIEWS_FRAME_STATE_H

#include "shape/particles.h"
#include "step/fields/flow.h"

typedef struct tlwFrameState {
    tlwContext *context; // gives the threads and takes the message
    const tlwScene *scene;
    const tlwFlow *flow;           // phi, solid, velocity, temperature, viscosity
    const tlwParticles *particles; // position, velocity, enthalpy, rest, material, id, and frozen with keep_detail
    const tlwStats *stats;
} tlwFrameState;

// The part of a simulation that tlwFrameState shows, in memory of its own.
typedef struct tlwFrameCopy {
    tlwFlow flow; // only the fields named above
    tlwParticles particles;
    tlwStats stats;
} tlwFrameCopy;

// Zero `copy` before the first call; later calls use its memory again.
tlwResult tlwCopyFrame(const tlwFrameState *from, tlwFrameCopy *copy);
void tlwFreeFrameCopy(tlwFrameCopy *copy);

#endif
