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

// Extract the surface as a closed, outward-facing mesh in world space: every edge has exactly two triangles, none of
// which is degenerate, also where the liquid touches the domain's border or the level set is noise. Dual contouring by
// OpenVDB; quads are cut along their shorter diagonal. An empty level set gives an empty mesh. Same bits for any number
// of threads. `mesh` need not be initialised and is left empty on failure.
tlwResult tlwMeshLevelSet(const tlwTileSet *tiles, const tlwTileSource *phi, const tlwMesherDef *def,
                          tlwThreads *threads, tlwMessage *message, tlwMesh *mesh);

// Give every edge of a closed, consistently oriented mesh exactly two triangles, by splitting vertices and, where that
// is not enough, edges; moves the vertices of triangles without area apart by about 1e-4 `size`. Appends vertices.
tlwResult tlwMakeManifold(tlwThreads *threads, tlwMesh *mesh, double size, tlwMessage *message);

#ifdef __cplusplus
}
#endif

#endif
