// Where on the objects' meshes the surface comes from, so that the surface can show their UV maps, colours and
// materials. Corners of one triangle come from one side of a seam: a texture that is blended across a seam smears.
#ifndef TLW_STEP_VIEWS_ORIGINS_H
#define TLW_STEP_VIEWS_ORIGINS_H

#include "shape/bvh.h"
#include "step/views/attributes.h"

// The carried mesh of an object, placed as at the start.
typedef struct tlwCarrier {
    tlwBvh *bvh;      // in cells from `middle`
    double middle[3]; // m
    int32_t *islands; // per triangle; triangles that share vertices are one island. Numbers differ between objects
    uint32_t first;   // number of its first triangle
    int number;       // tlwObject.number
} tlwCarrier;

// Memory of tlwFindOrigins. Zero it before the first use.
typedef struct tlwOrigins {
    tlwCarrier *carriers; // made once
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
