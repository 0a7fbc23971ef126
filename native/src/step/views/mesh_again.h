// The surface of a baked frame meshed anew, from its level set and the mesh that it had.
#ifndef TLW_STEP_VIEWS_MESH_AGAIN_H
#define TLW_STEP_VIEWS_MESH_AGAIN_H

#include "shape/ply_surface.h"
#include "shape/vdb_read.h"
#include "step/views/detail.h"
#include "step/views/origins.h"

// Memory behind the view. Zero it before the first use.
typedef struct tlwAgainBuffers {
    tlwMesh mesh;
    float *columns;
    int64_t column_capacity;
    tlwVertexAttribute attributes[TLW_SURFACE_COLUMNS];
    tlwKeptList kept;
    tlwOrigins origins;
} tlwAgainBuffers;

// The new mesh has the scene's mesh_detail and mesh_smoothing, and the volume of the old mesh. What vertices carry
// comes from the nearest place of the old mesh. With keep_detail, unmelted parts lie on the old mesh. `view` shows
// `buffers` until the next call.
tlwResult tlwMeshAgainFrom(tlwContext *context, const tlwScene *scene, const tlwVdbTiles *tiles,
                           const tlwPlySurface *old, tlwAgainBuffers *buffers, tlwSurfaceView *view);
void tlwFreeAgainBuffers(tlwAgainBuffers *buffers);

#endif
