// The liquid's surface as a mesh with attributes.
#ifndef TLW_STEP_VIEWS_SURFACE_MESH_H
#define TLW_STEP_VIEWS_SURFACE_MESH_H

#include "step/views/detail.h"
#include "step/views/origins.h"

// Memory behind a tlwSurfaceView. Zero it before the first use.
typedef struct tlwSurfaceBuffers {
    tlwMesh mesh;
    tlwVertexData vertices;
    tlwOrigins origins;
    tlwDetail detail;
} tlwSurfaceBuffers;

// `view` shows `buffers` until the next call.
tlwResult tlwMakeSurface(const tlwFrameState *state, tlwSurfaceBuffers *buffers, tlwSurfaceView *view);
void tlwFreeSurfaceBuffers(tlwSurfaceBuffers *buffers);

#endif
