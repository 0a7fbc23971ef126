// The members of tlwBvh, for the files that build and search it.
#ifndef TLW_SHAPE_BVH_DATA_H
#define TLW_SHAPE_BVH_DATA_H

#include "shape/bvh.h"

#define TLW_BVH_STACK 128 // nodes that a search may put aside

typedef struct tlwBvhBox {
    float low[3], high[3];
} tlwBvhBox;

typedef struct tlwBvhNode {
    tlwBvhBox box[2];
    int32_t child[2]; // node, or first slot of a leaf
    int32_t count[2]; // slots of a leaf, 0 = not a leaf
} tlwBvhNode;

typedef struct tlwBvhSlot {
    float a[3], ab[3], ac[3];
    float bb, bc, cc; // ab . ab, ab . ac, ac . ac
} tlwBvhSlot;

struct tlwBvh {
    tlwBvhSlot *slots;
    int32_t *triangle; // per slot
    tlwBvhNode *nodes;
    int32_t node_count, slot_count;
};

#endif
