// Volume of the shown surface outside solids, measured on the mesh itself.
#ifndef TLW_STEP_VIEWS_OPEN_VOLUME_H
#define TLW_STEP_VIEWS_OPEN_VOLUME_H

#include "base/vec.h"
#include "grid/grid.h"
#include "shape/mesh.h"

typedef struct tlwShownMesh {
    const tlwGrid *grid;
    const float *solid; // distance to solids at the nodes of `grid`, m; null = nobody knows of any
    int detail;         // mesh voxels per cell edge, as it was meshed with
    tlwMesh *mesh;
} tlwShownMesh;

// Place of a vertex in cells.
static inline tlwVec3 tlwGetShownPlace(const tlwShownMesh *shown, int64_t vertex)
{
    const float *x = shown->mesh->positions + 3 * vertex;
    return tlwScale(tlwSub((tlwVec3){x[0], x[1], x[2]}, shown->grid->origin), 1 / shown->grid->dx);
}

// Volume of a closed mesh outside solids, m3, however deep the mesh reaches into them. Fails only when memory is out.
tlwResult tlwGetOpenVolume(tlwThreads *threads, const tlwShownMesh *shown, double *volume);

#endif
