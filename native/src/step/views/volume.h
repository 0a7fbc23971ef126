// Volume of the surface as it is shown. A mesh of whole cells misses drops and sheets that hold no cell's centre and
// cuts corners where the surface is round, and it reaches a little into solids: it would not hold what the particles
// stand for.
#ifndef TLW_STEP_VIEWS_VOLUME_H
#define TLW_STEP_VIEWS_VOLUME_H

#include "grid/grid.h"
#include "shape/mesh.h"

typedef struct tlwShownMesh {
    const tlwGrid *grid;
    const float *solid; // distance to solids at the nodes of `grid`, m
    int detail;         // mesh voxels per cell edge, as it was meshed with
    tlwMesh *mesh;
} tlwShownMesh;

// Volume of a closed mesh outside solids, m3. Exact where solids are flat and reached into by less than half of their
// thickness.
double tlwGetOpenVolume(tlwThreads *threads, const tlwShownMesh *shown);

// Move the mesh's free surface until it holds the volume `target` outside solids: everywhere by the same, at most by a
// tenth of a cell out or 0.03 cells in. `volume` is what it then holds, m3. What lies on solids or on the domain's
// sides stays there.
tlwResult tlwFitVolume(tlwThreads *threads, const tlwShownMesh *shown, double target, double *volume);

#endif
