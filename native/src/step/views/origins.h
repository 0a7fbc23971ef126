// Where on the objects' meshes the surface comes from, so that the surface can show their UV maps, colours and
// materials. Corners of one triangle come from one side of a seam: a texture that is blended across a seam smears.
#ifndef TLW_STEP_VIEWS_ORIGINS_H
#define TLW_STEP_VIEWS_ORIGINS_H

#include "step/views/attributes.h"
#include "step/views/start_mesh.h"

// Memory of tlwFindOrigins. Zero it before the first use.
typedef struct tlwOrigins {
    tlwStartMesh *carriers; // made once
    int32_t **islands;      // of each carrier, per triangle: triangles that share vertices are one island
    uint32_t *firsts;       // number of each carrier's first triangle
    int carrier_count;
    tlwRestPlace *places; // per vertex
    struct tlwFound *found;
    tlwOrigin *vertices;
    int64_t capacity;
    tlwSeam *seams;
    int64_t seam_count, seam_capacity;
} tlwOrigins;

// Room for `count` vertices; the first call also places the carried meshes.
tlwResult tlwPrepareOrigins(const tlwFrameState *state, int64_t count, tlwOrigins *origins);

// Find the origin of every vertex from `places`, and the seams.
tlwResult tlwFindOrigins(const tlwFrameState *state, const tlwMesh *mesh, tlwOrigins *origins);
void tlwFreeOrigins(tlwOrigins *origins);

#endif
