// Faces of drops: particles reach them, the level set does not. No solve changes a drop that small, so it falls freely
// from the velocity that was gathered (see liquid/extend.c).
#ifndef TLW_STEP_LIQUID_DROPS_H
#define TLW_STEP_LIQUID_DROPS_H

#include "step/fields/flow.h"

typedef struct tlwDropFace {
    float velocity; // m/s
    uint16_t cell;  // in its tile: i + 8 j + 64 k
    uint8_t axis;
} tlwDropFace;

typedef struct tlwDrops {
    tlwDropFace *faces; // tile by tile
    int64_t *start;     // per tile, and the end
    int64_t capacity, tile_capacity;
    int tile_count;
} tlwDrops;

// List the faces of drops. Reads flow->velocity, reached and phi.
tlwResult tlwListDrops(tlwThreads *threads, const tlwFlow *flow, tlwDrops *drops);
void tlwFreeDrops(tlwDrops *drops);

#endif
