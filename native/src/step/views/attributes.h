// What the vertices of the surface mesh carry, as one table: velocity, temperature, melt, rest position, material.
#ifndef TLW_STEP_VIEWS_ATTRIBUTES_H
#define TLW_STEP_VIEWS_ATTRIBUTES_H

#include "shape/mesh.h"
#include "step/views/frame_state.h"

#define TLW_VERTEX_ATTRIBUTES 5

// Zero it before the first use.
typedef struct tlwVertexData {
    float *values[TLW_VERTEX_ATTRIBUTES]; // owned
    int64_t capacity;                     // vertices
    tlwVertexAttribute attributes[TLW_VERTEX_ATTRIBUTES];
} tlwVertexData;

// Where the material at a vertex was at the start, and of which object it is.
typedef struct tlwRestPlace {
    float rest[3]; // m, world
    int origin;    // tlwParticles.origin; -1 = no particle is near
} tlwRestPlace;

// Fill in the attributes of every vertex, from the particles around it and from the grid. `places` takes one per
// vertex; it may be null.
tlwResult tlwFillAttributes(const tlwFrameState *state, const tlwMesh *mesh, tlwVertexData *data, tlwRestPlace *places);
void tlwFreeVertexData(tlwVertexData *data);

#endif
