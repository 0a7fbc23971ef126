// Volume of the shown surface. A mesh of whole cells misses drops and sheets that hold no cell's centre. It cuts
// corners where the surface is round, and reaches a little into solids. So its volume must be fitted to that of the
// particles.
#ifndef TLW_STEP_VIEWS_VOLUME_H
#define TLW_STEP_VIEWS_VOLUME_H

#include "grid/grid.h"
#include "shape/mesh.h"

typedef struct tlwShownMesh {
    const tlwGrid *grid;
    const float *solid; // distance to solids at the nodes of `grid`, m; null = nobody knows of any
    int detail;         // mesh voxels per cell edge, as it was meshed with
    tlwMesh *mesh;
} tlwShownMesh;

// Volume of a closed mesh outside solids, m3. Exact where solids are flat and the mesh reaches into them by less than
// half their thickness.
double tlwGetOpenVolume(tlwThreads *threads, const tlwShownMesh *shown);

// Move the mesh's free surface until the mesh holds the volume `target` outside solids: everywhere by the same
// distance, at most a tenth of a cell out or 0.03 cells in. *volume becomes what the mesh then holds, m3. Parts on
// solids or on the domain's sides stay there.
tlwResult tlwFitVolume(tlwThreads *threads, const tlwShownMesh *shown, double target, double *volume);

#endif
