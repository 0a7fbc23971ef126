// Material that has not melted since the start. It has moved rigidly, if at all, so each part of it has one motion from
// its rest positions to where it is now.
#ifndef TLW_STEP_VIEWS_UNMELTED_H
#define TLW_STEP_VIEWS_UNMELTED_H

#include "base/vec.h"
#include "step/views/frame_state.h"

enum { TLW_PART_NONE = 0, TLW_PART_STILL = 1 }; // melted; at its rest position

// x = rotate(turn, rest) + shift
typedef struct tlwPartMotion {
    tlwQuat turn;
    tlwVec3 shift; // m
} tlwPartMotion;

// Zero it before the first use.
typedef struct tlwUnmelted {
    uint16_t *part; // per particle: TLW_PART_NONE, or number of its motion
    int64_t part_capacity;
    tlwPartMotion *motions; // the first two stand still
    int64_t count, capacity;
} tlwUnmelted;

tlwResult tlwFindUnmelted(const tlwFrameState *state, tlwUnmelted *unmelted);
void tlwFreeUnmelted(tlwUnmelted *unmelted);

#endif
