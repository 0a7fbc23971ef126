// The mesh of an object as it was placed at the start, to find the nearest place on it.
#ifndef TLW_STEP_VIEWS_START_MESH_H
#define TLW_STEP_VIEWS_START_MESH_H

#include "scene/scene.h"
#include "shape/bvh.h"
#include "step/views/frame_state.h"

typedef struct tlwStartMesh {
    tlwBvh *bvh;      // in cells from `middle`
    double middle[3]; // m
    double dx;        // m
    int number;       // tlwObject.number
    bool mirrored;    // normals point inwards
} tlwStartMesh;

// Place a mesh of the object. Triangles keep their numbers and the order of their corners.
tlwResult tlwPlaceStartMesh(const tlwFrameState *state, const tlwObject *object, const tlwMesh *mesh,
                            tlwStartMesh *start);

// From world space to that of the tree.
static inline void tlwToStartMesh(const tlwStartMesh *start, const float world[3], float out[3])
{
    for (int a = 0; a < 3; a++)
        out[a] = (float)((world[a] - start->middle[a]) / start->dx);
}

// Whether a particle's origin (tlwParticles.origin) means this object. Objects beyond the last origin share its number.
static inline bool tlwIsOrigin(const tlwStartMesh *start, int origin)
{
    return start->number == origin || (origin == TLW_LAST_ORIGIN && start->number > origin);
}

#endif
