// Level set to triangles.
#ifndef TLW_SHAPE_MESHER_H
#define TLW_SHAPE_MESHER_H

#include "shape/mesh.h"
#include "shape/tiles.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tlwMesherDef {
    double isovalue;  // m; 0
    float background; // m: value of cells that are in no tile, > isovalue
    int detail;       // mesh voxels per cell edge: 1, or 2 for cubic interpolation on a grid twice as fine
} tlwMesherDef;

// Extract the surface as a closed, outward-facing mesh in world space. Every edge has exactly two triangles and no
// triangle is degenerate, even where the liquid touches the domain's border or the level set is noise. OpenVDB does
// the dual contouring; quads are cut along their shorter diagonal. An empty level set gives an empty mesh. Same bits
// for any number of threads. `mesh` need not be initialised and is left empty on failure.
tlwResult tlwMeshLevelSet(const tlwTileSet *tiles, const tlwTileSource *phi, const tlwMesherDef *def,
                          tlwThreads *threads, tlwMessage *message, tlwMesh *mesh);

#ifdef __cplusplus
}
#endif

#endif
