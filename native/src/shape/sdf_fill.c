// Exact unsigned distances in the band around a mesh. OpenVDB's mesh-to-volume passes nearest triangles from voxel to
// voxel, which is off by up to a quarter of a voxel for finely triangulated meshes, depends on how threads share the
// work, and takes three times as long as asking a tree of boxes at every node.
#include "base/memory.h"
#include "shape/bvh.h"
#include "shape/sdf_data.h"

#include <math.h>

typedef struct Filling {
    tlwSdf *sdf;
    const tlwBvh *bvh;
    int32_t *near; // per place: slot near the middle of the block, -1 = the block has no node in the band
    float band;    // voxels
} Filling;

static void placeOf(const tlwSdf *sdf, int64_t place, int32_t block[3])
{
    block[0] = (int32_t)(place % sdf->blocks[0]);
    block[1] = (int32_t)(place / sdf->blocks[0] % sdf->blocks[1]);
    block[2] = (int32_t)(place / sdf->blocks[0] / sdf->blocks[1]);
}

static void findBlocks(void *context, int64_t begin, int64_t end)
{
    Filling *f = context;
    float reach = f->band + 4 * sqrtf(3) + 1e-3f; // from the middle to the corners
    int32_t slot = -1;
    for (int64_t place = begin; place < end; place++) {
        int32_t block[3];
        placeOf(f->sdf, place, block);
        float point[3] = {8 * (float)block[0] + 4, 8 * (float)block[1] + 4, 8 * (float)block[2] + 4};
        tlwNearest nearest = tlwGuessNearest(f->bvh, point, slot, reach * reach);
        tlwFindNearest(f->bvh, point, &nearest);
        f->near[place] = nearest.slot;
        slot = nearest.slot >= 0 ? nearest.slot : slot;
    }
}

static tlwResult numberBlocks(tlwSdf *sdf, const int32_t *near, bool nearest, tlwMessage *message)
{
    int64_t places = (int64_t)sdf->blocks[0] * sdf->blocks[1] * sdf->blocks[2], count = 0;
    for (int64_t p = 0; p < places; p++)
        sdf->table[p] = near[p] >= 0 ? (int32_t)count++ : TLW_SDF_OUTSIDE;
    sdf->block_count = count;
    sdf->block_of = tlwAlloc((size_t)count, sizeof(int32_t));
    sdf->values = tlwAlloc((size_t)count, TLW_SDF_BLOCK * sizeof(float));
    if (nearest)
        sdf->nearest = tlwAlloc((size_t)count, TLW_SDF_BLOCK * sizeof(int32_t));
    if (!sdf->block_of || !sdf->values || (nearest && !sdf->nearest))
        return tlwFailMemory(message, "the distance field of a mesh");
    for (int64_t p = 0; p < places; p++)
        if (sdf->table[p] >= 0)
            sdf->block_of[sdf->table[p]] = (int32_t)p;
    return TLW_OK;
}

// The 8^3 nodes that belong to a block; each starts from the triangle found for the one before.
static void measureBlocks(void *context, int64_t begin, int64_t end)
{
    Filling *f = context;
    for (int64_t b = begin; b < end; b++) {
        int32_t block[3], slot = f->near[f->sdf->block_of[b]];
        placeOf(f->sdf, f->sdf->block_of[b], block);
        for (int n = 0; n < 512; n++) {
            int y = n >> 3 & 7, z = n >> 6, x = y & 1 ? 7 - (n & 7) : n & 7; // there and back
            float point[3] = {(float)(8 * block[0] + x), (float)(8 * block[1] + y), (float)(8 * block[2] + z)};
            tlwNearest nearest = tlwGuessNearest(f->bvh, point, slot, f->band * f->band);
            tlwFindNearest(f->bvh, point, &nearest);
            slot = nearest.slot >= 0 ? nearest.slot : slot;
            int64_t i = b * TLW_SDF_BLOCK + x + 9 * y + 81 * z;
            f->sdf->values[i] = sqrtf(nearest.square) * (float)f->sdf->voxel;
            if (f->sdf->nearest)
                f->sdf->nearest[i] = tlwGetBvhTriangle(f->bvh, nearest.slot);
        }
    }
}

// The ninth node of every row repeats the next block's first. Where that block has no data, the node is beyond the
// band.
static void copyBorders(void *context, int64_t begin, int64_t end)
{
    Filling *f = context;
    tlwSdf *sdf = f->sdf;
    for (int64_t b = begin; b < end; b++) {
        int32_t block[3];
        placeOf(sdf, sdf->block_of[b], block);
        for (int n = 0; n < TLW_SDF_BLOCK; n++) {
            int x = n % 9, y = n / 9 % 9, z = n / 81;
            if (x < 8 && y < 8 && z < 8)
                continue;
            int64_t bx = block[0] + (x >> 3), by = block[1] + (y >> 3), bz = block[2] + (z >> 3);
            int32_t from = TLW_SDF_OUTSIDE;
            if (bx < sdf->blocks[0] && by < sdf->blocks[1] && bz < sdf->blocks[2])
                from = sdf->table[bx + sdf->blocks[0] * (by + sdf->blocks[1] * bz)];
            int64_t source = (int64_t)from * TLW_SDF_BLOCK + (x & 7) + 9 * (y & 7) + 81 * (z & 7);
            sdf->values[b * TLW_SDF_BLOCK + n] = from >= 0 ? sdf->values[source] : f->band * (float)sdf->voxel;
            if (sdf->nearest)
                sdf->nearest[b * TLW_SDF_BLOCK + n] = from >= 0 ? sdf->nearest[source] : -1;
        }
    }
}

tlwResult tlwFillSdfDistances(tlwSdf *sdf, const tlwMesh *mesh, double band, bool nearest, tlwThreads *threads,
                              tlwMessage *message)
{
    int64_t places = (int64_t)sdf->blocks[0] * sdf->blocks[1] * sdf->blocks[2];
    tlwBvh *bvh = tlwCreateBvh(mesh, sdf->origin, sdf->voxel);
    sdf->table = tlwAlloc((size_t)places, sizeof(int32_t));
    Filling filling = {sdf, bvh, tlwAlloc((size_t)places, sizeof(int32_t)), (float)(band / sdf->voxel)};
    tlwResult result = TLW_OK;
    if (!bvh || !sdf->table || !filling.near)
        result = tlwFailMemory(message, "the distance field of a mesh");
    if (result == TLW_OK) {
        tlwParallelFor(threads, places, 256, findBlocks, &filling);
        result = numberBlocks(sdf, filling.near, nearest, message);
    }
    if (result == TLW_OK) {
        tlwParallelFor(threads, sdf->block_count, 8, measureBlocks, &filling);
        tlwParallelFor(threads, sdf->block_count, 64, copyBorders, &filling);
    }
    tlwFree(filling.near);
    tlwDestroyBvh(bvh);
    return result;
}
