// Material that has not melted since the start. It has moved rigidly, if at all, so each part of it has one motion from
// its rest positions to where it is now.
#ifndef TLW_STEP_VIEWS_UNMELTED_H
#define TLW_STEP_VIEWS_UNMELTED_H

#include "base/vec.h"
#include "step/fields/sorting.h"
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
    tlwParticleOrder order; // of the particles in cells
    uint32_t *indices;
} tlwUnmelted;

tlwResult tlwFindUnmelted(const tlwFrameState *state, tlwUnmelted *unmelted);

// The part that most of the material within about one and a half cells of p (cells) is of, -1 = none. `share` becomes
// how much of the material is of it, and `origin` the origin (tlwParticles.origin) of one of its particles.
int tlwLookAround(const tlwFrameState *state, const tlwUnmelted *unmelted, const float p[3], float *share, int *origin);
void tlwFreeUnmelted(tlwUnmelted *unmelted);

#endif
