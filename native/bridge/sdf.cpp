// Unsigned distances to a mesh by OpenVDB, copied into the block layout of tlwSdf.
#include "shape/sdf_data.h"

#include "base/memory.h"
#include "bridge/openvdb.hpp"

#include <vector>

#include <openvdb/openvdb.h>
#include <openvdb/tools/MeshToVolume.h>

namespace {

using openvdb::Coord;
using openvdb::FloatGrid;
using openvdb::Int32Grid;
using FloatLeaf = openvdb::FloatTree::LeafNodeType;
using Int32Leaf = openvdb::Int32Tree::LeafNodeType;

FloatGrid::Ptr measure(const tlwSdf *sdf, const tlwMesh *mesh, double band, Int32Grid *nearest)
{
    std::vector<openvdb::Vec3s> points(static_cast<size_t>(mesh->vertex_count));
    for (size_t v = 0; v < points.size(); v++)
        for (int a = 0; a < 3; a++)
            points[v][a] = static_cast<float>((mesh->positions[3 * v + a] - sdf->origin[a]) / sdf->voxel);
    std::vector<openvdb::Vec3I> triangles(static_cast<size_t>(mesh->triangle_count));
    for (size_t t = 0; t < triangles.size(); t++)
        triangles[t] = openvdb::Vec3I(mesh->triangles[3 * t], mesh->triangles[3 * t + 1], mesh->triangles[3 * t + 2]);
    openvdb::tools::QuadAndTriangleDataAdapter<openvdb::Vec3s, openvdb::Vec3I> adapter(points, triangles);
    auto transform = openvdb::math::Transform::createLinearTransform(sdf->voxel);
    openvdb::util::NullInterrupter interrupter;
    float width = static_cast<float>(band / sdf->voxel);
    FloatGrid::Ptr grid;
    // One thread: which of two equally near triangles wins, and with it the distances further out, would otherwise
    // depend on how the work was split.
    tbb::task_arena alone(1);
    alone.execute([&] {
        grid = openvdb::tools::meshToVolume<FloatGrid>(interrupter, adapter, *transform, width, width,
                                                       openvdb::tools::UNSIGNED_DISTANCE_FIELD, nearest);
    });
    return grid;
}

struct Filling {
    tlwSdf *sdf;
    const openvdb::FloatTree *distances;
    const openvdb::Int32Tree *nearest;
    float band;
};

Coord blockCoord(const tlwSdf *sdf, int64_t place)
{
    int64_t nx = sdf->blocks[0], ny = sdf->blocks[1];
    return Coord(static_cast<int>(place % nx), static_cast<int>(place / nx % ny), static_cast<int>(place / nx / ny));
}

// The 9^3 nodes of a block lie in up to eight leaves.
void fillBlock(const Filling &filling, int64_t block)
{
    const tlwSdf *sdf = filling.sdf;
    Coord first = blockCoord(sdf, sdf->block_of[block]) << 3;
    const FloatLeaf *leaves[8];
    const Int32Leaf *indices[8];
    for (int i = 0; i < 8; i++) {
        Coord at = first.offsetBy((i & 1) * 8, (i >> 1 & 1) * 8, (i >> 2) * 8);
        leaves[i] = filling.distances->probeConstLeaf(at);
        indices[i] = filling.nearest ? filling.nearest->probeConstLeaf(at) : nullptr;
    }
    int64_t n = block * TLW_SDF_BLOCK;
    for (int z = 0; z < 9; z++)
        for (int y = 0; y < 9; y++)
            for (int x = 0; x < 9; x++, n++) {
                int i = (x >> 3) | (y >> 3) << 1 | (z >> 3) << 2;
                openvdb::Index offset = static_cast<openvdb::Index>((x & 7) << 6 | (y & 7) << 3 | (z & 7));
                bool active = leaves[i] && leaves[i]->isValueOn(offset);
                sdf->values[n] = active ? leaves[i]->getValue(offset) : filling.band;
                if (sdf->nearest)
                    sdf->nearest[n] =
                        active && indices[i] && indices[i]->isValueOn(offset) ? indices[i]->getValue(offset) : -1;
            }
}

// Blocks that have a node in the band get data: those of a leaf and the seven before it that share its first nodes.
void findBlocks(tlwSdf *sdf, const openvdb::FloatTree &tree)
{
    for (auto leaf = tree.cbeginLeaf(); leaf; ++leaf) {
        Coord b = leaf->origin() >> 3;
        for (int i = 0; i < 8; i++) {
            int64_t x = b.x() - (i & 1), y = b.y() - (i >> 1 & 1), z = b.z() - (i >> 2);
            if (x < 0 || y < 0 || z < 0 || x >= sdf->blocks[0] || y >= sdf->blocks[1] || z >= sdf->blocks[2])
                continue;
            sdf->table[x + sdf->blocks[0] * (y + sdf->blocks[1] * z)] = 0;
        }
    }
}

tlwResult numberBlocks(tlwSdf *sdf, bool nearest, tlwMessage *message)
{
    int64_t places = (int64_t)sdf->blocks[0] * sdf->blocks[1] * sdf->blocks[2], count = 0;
    for (int64_t p = 0; p < places; p++)
        if (sdf->table[p] == 0)
            sdf->table[p] = static_cast<int32_t>(count++);
    sdf->block_count = count;
    sdf->block_of = static_cast<int32_t *>(tlwAlloc(static_cast<size_t>(count), sizeof(int32_t)));
    sdf->values = static_cast<float *>(tlwAlloc(static_cast<size_t>(count), TLW_SDF_BLOCK * sizeof(float)));
    if (nearest)
        sdf->nearest = static_cast<int32_t *>(tlwAlloc(static_cast<size_t>(count), TLW_SDF_BLOCK * sizeof(int32_t)));
    if (!sdf->block_of || !sdf->values || (nearest && !sdf->nearest))
        return tlwFailMemory(message, "the distance field of a mesh");
    for (int64_t p = 0; p < places; p++)
        if (sdf->table[p] >= 0)
            sdf->block_of[sdf->table[p]] = static_cast<int32_t>(p);
    return TLW_OK;
}

} // namespace

tlwResult tlwFillSdfDistances(tlwSdf *sdf, const tlwMesh *mesh, double band, bool nearest, tlwThreads *threads,
                              tlwMessage *message)
{
    return tlwGuard(message, "measuring the distance to a mesh", [&]() -> tlwResult {
        tlwInitializeOpenVdb();
        Int32Grid::Ptr indices = Int32Grid::create(-1);
        FloatGrid::Ptr grid = measure(sdf, mesh, band, indices.get());
        int64_t places = (int64_t)sdf->blocks[0] * sdf->blocks[1] * sdf->blocks[2];
        sdf->table = static_cast<int32_t *>(tlwAlloc(static_cast<size_t>(places), sizeof(int32_t)));
        if (!sdf->table)
            return tlwFailMemory(message, "the distance field of a mesh");
        for (int64_t p = 0; p < places; p++)
            sdf->table[p] = TLW_SDF_OUTSIDE;
        findBlocks(sdf, grid->tree());
        TLW_TRY(numberBlocks(sdf, nearest, message));
        Filling filling = {sdf, &grid->tree(), nearest ? &indices->tree() : nullptr, static_cast<float>(band)};
        tlwParallelFor(
            threads, sdf->block_count, 16,
            [](void *context, int64_t begin, int64_t end) {
                for (int64_t b = begin; b < end; b++)
                    fillBlock(*static_cast<const Filling *>(context), b);
            },
            &filling);
        return TLW_OK;
    });
}
