// Signed distance to a closed mesh, in the mesh's own space and in metres: negative inside.
//
// The distances are exact at the voxels of a band around the surface. The winding number along grid lines gives the
// sign, so self-intersecting, nested, hollow and inside-out meshes all work: a sealed hollow box has room for liquid
// inside, overlapping parts are one solid. Outside, the distance is that to the united solid. Inside overlapping parts,
// the distance is that to the nearest face of any part, hidden faces included.
//
// Stored as blocks of 8^3 voxels with a shared border, so a sample reads one block. Scale is baked into the mesh before
// building; placing the result in the world is a rotation and a translation (tlwSdfFrame).
#ifndef TLW_SHAPE_SDF_H
#define TLW_SHAPE_SDF_H

#include "base/parallel.h"
#include "shape/mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tlwSdf tlwSdf;

typedef struct tlwSdfDef {
    double voxel_size;          // m, the largest that will be used; usually the simulation's cell size
    double exterior_band;       // m of exact distance outside; 3 voxels when 0
    double interior_band;       // m of exact distance inside; 3 voxels when 0; 1e30 = everything
    double min_refinement;      // voxel_size is divided by at least this; 1
    double max_refinement;      // and by at most this, to resolve parts thinner than a voxel; 4
    bool keep_triangles;        // needed by tlwSampleSdfVelocity
    const struct tlwThin *thin; // how far thin parts grow (shape/thin.h); null = they stay as they are
} tlwSdfDef;

// voxel_size must still be set.
tlwSdfDef tlwDefaultSdfDef(void);

// A mesh whose thin parts grow gets voxels 1.5 times as fine as asked for. Otherwise parts thinner than two voxels
// would fray or vanish. So the voxel size is divided, by up to max_refinement, until the thinnest connected part
// (tlwGetThinnestPart) spans two voxels. The size grows again where the bounding box would need more than about 2^28
// voxels. tlwGetSdfVoxelSize tells the size in use. Repair the mesh first (tlwRepairMesh). Same bits for any number of
// threads.
tlwResult tlwCreateSdf(const tlwMesh *mesh, const tlwSdfDef *def, tlwThreads *threads, tlwMessage *message,
                       tlwSdf **sdf);
void tlwDestroySdf(tlwSdf *sdf);

double tlwGetSdfVoxelSize(const tlwSdf *sdf);
double tlwGetSdfBand(const tlwSdf *sdf); // exterior, m: the largest value a sample can have
// Box outside which every sample is +band. Mesh space.
void tlwGetSdfBounds(const tlwSdf *sdf, tlwVec3 *low, tlwVec3 *high);

// Where the mesh space is in the world: world = rotation * p + position.
typedef struct tlwSdfFrame {
    tlwVec3 position;
    tlwQuat rotation;
} tlwSdfFrame;

// Which nodes of a world-space lattice to fill: node (i, j, k) lies at origin + spacing * (i, j, k) and its value goes
// to out[i * stride[0] + j * stride[1] + k * stride[2]].
typedef struct tlwSdfNodes {
    tlwVec3 origin;
    double spacing;
    int dims[3];
    int64_t stride[3];
} tlwSdfNodes;

// World-space box outside which every sample is +band.
void tlwGetSdfWorldBounds(const tlwSdf *sdf, const tlwSdfFrame *frame, tlwVec3 *low, tlwVec3 *high);

#ifdef __cplusplus
}
#endif

#endif
