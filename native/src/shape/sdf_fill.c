#include "shape/sdf_fill.h"

#include "base/memory.h"
#include "shape/bvh.h"
#include "shape/sdf_data.h"
#include "shape/sdf_sign.h"
#include "shape/sdf_thick.h"

#include <math.h>
#include <string.h>

typedef struct Filling {
    tlwSdf *sdf;
    const tlwBvh *bvh, *grown; // the second over what grew; null where nothing did
    const tlwSdfLines *lines;  // null for a sheet, which has no inside
    const tlwThin *thin;       // null where nothing grows
    int32_t *near;             // per place: slot near the middle of the block, -1 = the block has no node in the band
    float exterior, interior;  // voxels from the mesh
} Filling;

static void findInside(const Filling *f, const int32_t node[3], int count, bool *inside)
{
    if (f->lines)
        tlwFindInside(f->lines, node, count, inside);
    else
        memset(inside, 0, (size_t)count * sizeof *inside);
}

static void placeOf(const tlwSdf *sdf, int64_t place, int32_t node[3])
{
    node[0] = 8 * (int32_t)(place % sdf->blocks[0]);
    node[1] = 8 * (int32_t)(place / sdf->blocks[0] % sdf->blocks[1]);
    node[2] = 8 * (int32_t)(place / sdf->blocks[0] / sdf->blocks[1]);
}

// Find the blocks that have a node in the band, and the sign of the other blocks.
static void findBlocks(void *context, int64_t begin, int64_t end)
{
    Filling *f = context;
    const float corner = 4 * sqrtf(3) + 1e-3f; // from the middle of a block
    int32_t slot = -1;
    for (int64_t place = begin; place < end; place++) {
        int32_t middle[3];
        bool inside;
        placeOf(f->sdf, place, middle);
        for (int a = 0; a < 3; a++)
            middle[a] += 4;
        findInside(f, middle, 1, &inside);
        float point[3] = {(float)middle[0], (float)middle[1], (float)middle[2]};
        // `corner` alone reaches every surface that passes through the block, so either band will do.
        float reach = (inside ? f->interior : f->exterior) + corner;
        tlwNearest nearest = tlwGuessNearest(f->bvh, point, slot, reach * reach);
        tlwFindNearest(f->bvh, point, &nearest);
        f->near[place] = nearest.slot;
        f->sdf->table[place] = inside ? TLW_SDF_INSIDE : TLW_SDF_OUTSIDE;
        slot = nearest.slot >= 0 ? nearest.slot : slot;
    }
}

static tlwResult numberBlocks(tlwSdf *sdf, const int32_t *near, bool nearest, tlwMessage *message)
{
    int64_t places = (int64_t)sdf->blocks[0] * sdf->blocks[1] * sdf->blocks[2], count = 0;
    for (int64_t p = 0; p < places; p++)
        if (near[p] >= 0)
            sdf->table[p] = (int32_t)count++;
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

static float signedBand(const tlwSdf *sdf, bool inside)
{
    return inside ? -sdf->interior : sdf->exterior;
}

static float measureNode(const Filling *f, const float point[3], tlwNearest nearest, bool inside)
{
    const tlwSdf *sdf = f->sdf;
    if (nearest.slot < 0)
        return signedBand(sdf, inside);
    if (f->thin) {
        float value = tlwMeasureThick(f->bvh, f->grown, f->thin, sdf->voxel, point, nearest, inside);
        return fminf(fmaxf(value, -sdf->interior), sdf->exterior);
    }
    float distance = sqrtf(nearest.square) * (float)sdf->voxel;
    return inside ? -distance : distance;
}

// The 8^3 nodes that belong to a block; each starts from the triangle found for the one before.
static void measureBlocks(void *context, int64_t begin, int64_t end)
{
    Filling *f = context;
    tlwSdf *sdf = f->sdf;
    for (int64_t b = begin; b < end; b++) {
        int32_t first[3], slot = f->near[sdf->block_of[b]];
        placeOf(sdf, sdf->block_of[b], first);
        for (int row = 0; row < 64; row++) {
            int y = row & 7, z = row >> 3;
            int32_t node[3] = {first[0], first[1] + y, first[2] + z};
            bool inside[8];
            findInside(f, node, 8, inside);
            for (int n = 0; n < 8; n++) {
                int x = y & 1 ? 7 - n : n; // alternate the direction, so that successive nodes are neighbours
                float point[3] = {(float)(first[0] + x), (float)node[1], (float)node[2]};
                float limit = inside[x] ? f->interior : f->exterior;
                tlwNearest nearest = tlwGuessNearest(f->bvh, point, slot, limit * limit);
                tlwFindNearest(f->bvh, point, &nearest);
                slot = nearest.slot >= 0 ? nearest.slot : slot;
                int64_t i = b * TLW_SDF_BLOCK + x + 9 * y + 81 * z;
                sdf->values[i] = measureNode(f, point, nearest, inside[x]);
                int32_t triangle = tlwGetBvhTriangle(f->bvh, nearest.slot);
                if (sdf->nearest)
                    sdf->nearest[i] = f->thin && triangle >= 0 ? f->thin->triangle[triangle] : triangle;
            }
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
        int32_t first[3];
        placeOf(sdf, sdf->block_of[b], first);
        for (int n = 0; n < TLW_SDF_BLOCK; n++) {
            int x = n % 9, y = n / 9 % 9, z = n / 81;
            if (x < 8 && y < 8 && z < 8)
                continue;
            int64_t bx = (first[0] + x) >> 3, by = (first[1] + y) >> 3, bz = (first[2] + z) >> 3;
            int32_t from = TLW_SDF_OUTSIDE;
            if (bx < sdf->blocks[0] && by < sdf->blocks[1] && bz < sdf->blocks[2])
                from = sdf->table[bx + sdf->blocks[0] * (by + sdf->blocks[1] * bz)];
            int64_t source = (int64_t)from * TLW_SDF_BLOCK + (x & 7) + 9 * (y & 7) + 81 * (z & 7);
            sdf->values[b * TLW_SDF_BLOCK + n] =
                from >= 0 ? sdf->values[source] : signedBand(sdf, from == TLW_SDF_INSIDE);
            if (sdf->nearest)
                sdf->nearest[b * TLW_SDF_BLOCK + n] = from >= 0 ? sdf->nearest[source] : -1;
        }
    }
}

tlwResult tlwFillSdf(tlwSdf *sdf, const tlwMesh *mesh, const tlwThin *thin, bool nearest, tlwThreads *threads,
                     tlwMessage *message)
{
    int64_t places = (int64_t)sdf->blocks[0] * sdf->blocks[1] * sdf->blocks[2];
    tlwBvh *bvh = tlwCreateBvh(thin ? &thin->pieces : mesh, sdf->origin, sdf->voxel);
    bool sheet = thin && thin->sheet, grows = thin && thin->grown.triangle_count > 0;
    tlwBvh *grown = grows ? tlwCreateBvh(&thin->grown, sdf->origin, sdf->voxel) : NULL;
    tlwSdfLines *lines = sheet ? NULL : tlwCreateSdfLines(sdf, mesh);
    int32_t *near = tlwAlloc((size_t)places, sizeof *near);
    sdf->table = tlwAlloc((size_t)places, sizeof(int32_t));
    float most = thin ? thin->most : 0;
    Filling filling = {.sdf = sdf,
                       .bvh = bvh,
                       .grown = grown,
                       .lines = lines,
                       .thin = thin,
                       .near = near,
                       .exterior = (float)((sdf->exterior + most) / sdf->voxel),
                       .interior = (float)(sdf->interior / sdf->voxel)};
    tlwResult result;
    if (bvh && (grown || !grows) && (lines || sheet) && near && sdf->table) {
        tlwParallelFor(threads, places, 256, findBlocks, &filling);
        result = numberBlocks(sdf, near, nearest, message);
    } else {
        result = tlwFailMemory(message, "the distance field of a mesh");
    }
    if (result == TLW_OK) {
        tlwParallelFor(threads, sdf->block_count, 8, measureBlocks, &filling);
        tlwParallelFor(threads, sdf->block_count, 64, copyBorders, &filling);
    }
    tlwFree(near);
    tlwDestroySdfLines(lines);
    tlwDestroyBvh(grown);
    tlwDestroyBvh(bvh);
    return result;
}
