// The members of tlwSdf, for the files that build and sample it.
#ifndef TLW_SHAPE_SDF_DATA_H
#define TLW_SHAPE_SDF_DATA_H

#include "shape/sdf.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TLW_SDF_NODES 9 // nodes along a block's edge: 8 cells and the border that the next block repeats
#define TLW_SDF_BLOCK (9 * 9 * 9)
#define TLW_SDF_OUTSIDE (-1) // table entries of blocks without data
#define TLW_SDF_INSIDE (-2)

struct tlwSdf {
    double voxel;      // m
    double origin[3];  // mesh space position of node (0, 0, 0)
    int32_t blocks[3]; // blocks along each axis; block (bx, by, bz) holds nodes 8 bx .. 8 bx + 8 and so on
    int32_t *table;    // per block, x fastest: which data block, or TLW_SDF_OUTSIDE / TLW_SDF_INSIDE
    int32_t *block_of; // per data block: its place in `table`
    float *values;     // TLW_SDF_BLOCK distances per data block, x fastest, m
    int32_t *nearest;  // nearest triangle of each node or -1; null unless triangles were kept
    int64_t block_count;
    float exterior, interior; // bands, m
    tlwMesh mesh;             // kept triangles
};

#ifdef __cplusplus
}
#endif

#endif
