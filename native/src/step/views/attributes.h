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

// Fill in the attributes of every vertex, from the particles around it and from the grid.
tlwResult tlwFillAttributes(const tlwFrameState *state, const tlwMesh *mesh, tlwVertexData *data);
void tlwFreeVertexData(tlwVertexData *data);

#endif
