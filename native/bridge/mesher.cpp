// Level set to triangles by OpenVDB's volume-to-mesh.
#include "shape/mesher.h"

#include "bridge/levelset.hpp"
#include "bridge/openvdb.hpp"
#include "shape/manifold.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include <openvdb/openvdb.h>
#include <openvdb/tools/VolumeToMesh.h>
#include <tbb/parallel_for.h>

namespace {

using openvdb::Coord;
using openvdb::FloatGrid;
using openvdb::FloatTree;
using Input = tlwLevelSetInput;
using Accessor = openvdb::tree::ValueAccessor<const FloatTree>;

double squaredLength(const openvdb::Vec3s &a, const openvdb::Vec3s &b)
{
    return openvdb::Vec3d(a - b).lengthSqr();
}

tlwResult copyMesh(const std::vector<openvdb::Vec3s> &points, const std::vector<openvdb::Vec4I> &quads,
                   tlwMessage *message, tlwMesh *mesh)
{
    if (!tlwReserveMesh(mesh, static_cast<int64_t>(points.size()), 2 * static_cast<int64_t>(quads.size())))
        return tlwFailMemory(message, "the surface mesh");
    std::memcpy(mesh->positions, points.data(), points.size() * sizeof(points[0]));
    mesh->vertex_count = static_cast<int64_t>(points.size());
    mesh->triangle_count = 2 * static_cast<int64_t>(quads.size());
    tbb::parallel_for(tbb::blocked_range<size_t>(0, quads.size(), 4096), [&](const tbb::blocked_range<size_t> &range) {
        for (size_t i = range.begin(); i < range.end(); i++) {
            // OpenVDB's quads run clockwise seen from outside.
            auto a = static_cast<int32_t>(quads[i][3]), b = static_cast<int32_t>(quads[i][2]),
                 c = static_cast<int32_t>(quads[i][1]), d = static_cast<int32_t>(quads[i][0]);
            bool ac = squaredLength(points[quads[i][3]], points[quads[i][1]]) <=
                      squaredLength(points[quads[i][2]], points[quads[i][0]]);
            int32_t split[2][6] = {{b, c, d, b, d, a}, {a, b, c, a, c, d}};
            std::memcpy(mesh->triangles + 6 * i, split[ac], sizeof split[0]);
        }
    });
    return TLW_OK;
}

// Slope of the trilinear interpolation at fractions f of the cube with corner values v (x fastest).
void findSlope(const float v[8], const float f[3], float slope[3])
{
    slope[0] = slope[1] = slope[2] = 0;
    for (int i = 0; i < 8; i++) {
        float w[3], s[3];
        for (int a = 0; a < 3; a++) {
            bool upper = i >> a & 1;
            w[a] = upper ? f[a] : 1 - f[a];
            s[a] = upper ? 1.0f : -1.0f;
        }
        slope[0] += s[0] * w[1] * w[2] * v[i];
        slope[1] += w[0] * s[1] * w[2] * v[i];
        slope[2] += w[0] * w[1] * s[2] * v[i];
    }
}

// The 4^3 values around a cube, x fastest, less the isovalue. They lie in one, two, four or eight leaves.
void gatherCubic(const Input &in, Accessor &raw, const Coord &base, float v[64])
{
    using Leaf = openvdb::FloatTree::LeafNodeType;
    const Coord first = base.offsetBy(-1);
    int split[3]; // cells in the lower leaf
    for (int a = 0; a < 3; a++)
        split[a] = std::min(4, 8 - (first[a] & 7));
    for (int part = 0; part < 8; part++) {
        int low[3], high[3];
        for (int a = 0; a < 3; a++) {
            low[a] = part >> a & 1 ? split[a] : 0;
            high[a] = part >> a & 1 ? 4 : split[a];
        }
        if (low[0] == high[0] || low[1] == high[1] || low[2] == high[2])
            continue;
        const Coord at = first.offsetBy(low[0], low[1], low[2]);
        const Leaf *leaf = raw.probeConstLeaf(at);
        const float *values = leaf ? leaf->buffer().data() + Leaf::coordToOffset(at) : nullptr;
        float constant = leaf ? 0 : raw.getValue(at);
        for (int z = low[2]; z < high[2]; z++)
            for (int y = low[1]; y < high[1]; y++)
                for (int x = low[0]; x < high[0]; x++)
                    v[x + 4 * y + 16 * z] =
                        (values ? values[(x - low[0]) << 6 | (y - low[1]) << 3 | (z - low[2])] : constant) -
                        in.isovalue;
    }
}

// Catmull-Rom interpolation. Unlike trilinear interpolation, it does not shrink round shapes.
float cubic(const float v[64], const float f[3])
{
    float w[3][4];
    for (int a = 0; a < 3; a++) {
        float t = f[a], t2 = t * t, t3 = t2 * t;
        w[a][0] = -0.5f * t + t2 - 0.5f * t3;
        w[a][1] = 1 - 2.5f * t2 + 1.5f * t3;
        w[a][2] = 0.5f * t + 2 * t2 - 1.5f * t3;
        w[a][3] = -0.5f * t2 + 0.5f * t3;
    }
    float sum = 0;
    for (int z = 0; z < 4; z++)
        for (int y = 0; y < 4; y++, v += 4)
            sum += w[2][z] * w[1][y] * (w[0][0] * v[0] + w[0][1] * v[1] + w[0][2] * v[2] + w[0][3] * v[3]);
    return sum;
}

// OpenVDB places a vertex at the average of a cube's edge crossings. That pulls vertices inside of curved surfaces and
// shaves off edges, which costs a percent of the volume. So vertices beside the clip box move onto its faces, and those
// on the free surface onto the zero of the level set. A vertex never leaves its cube, so no two vertices can meet.
void settleVertex(const Input &in, int detail, Accessor &raw, double g[3])
{
    constexpr float margin = 0.01f;
    Coord base;
    float v[8], f[3];
    bool free_axis[3];
    for (int a = 0; a < 3; a++)
        base[a] = static_cast<int>(std::floor(g[a]));
    float around[64];
    gatherCubic(in, raw, base, around);
    for (int i = 0; i < 8; i++)
        v[i] = around[(1 + (i & 1)) + 4 * (1 + (i >> 1 & 1)) + 16 * (1 + (i >> 2))];
    for (int a = 0; a < 3; a++) {
        f[a] = static_cast<float>(g[a] - base[a]);
        double end = tlwGetClipEnd(in, detail, a), last = std::ceil(end) - 1; // the last voxel that is inside
        bool low = in.clip && base[a] == in.tiles->clip_low[a] * detail - 1, high = in.clip && base[a] == last;
        free_axis[a] = !low && !high;
        if (!free_axis[a])
            f[a] = low ? 0.5f : static_cast<float>(std::max(1e-4, std::min(1 - 1e-4, end - last)));
    }
    bool surface = tlwCrossesValue(v, 8, 0);
    for (int step = 0; surface && step < 3; step++) {
        float slope[3], value, square = 0;
        findSlope(v, f, slope);
        value = cubic(around, f);
        for (int a = 0; a < 3; a++)
            square += free_axis[a] ? slope[a] * slope[a] : 0;
        float least = 0.1f * static_cast<float>(in.tiles->cell_size / detail);
        if (!(square > least * least))
            break;
        for (int a = 0; a < 3; a++)
            if (free_axis[a])
                f[a] = std::max(
                    margin, std::min(1 - margin, f[a] - std::max(-0.5f, std::min(0.5f, value * slope[a] / square))));
    }
    for (int a = 0; a < 3; a++)
        g[a] = base[a] + static_cast<double>(f[a]);
}

void settleVertices(const Input &in, int detail, const FloatTree &raw, const openvdb::math::Transform &transform,
                    tlwMesh *mesh)
{
    using Range = tbb::blocked_range<int64_t>;
    tbb::parallel_for(Range(0, mesh->vertex_count, 1024), [&](const Range &range) {
        Accessor from(raw);
        for (int64_t i = range.begin(); i < range.end(); i++) {
            float *p = mesh->positions + 3 * i;
            openvdb::Vec3d g = transform.worldToIndex(openvdb::Vec3d(p[0], p[1], p[2]));
            settleVertex(in, detail, from, g.asPointer());
            openvdb::Vec3d w = transform.indexToWorld(g);
            for (int a = 0; a < 3; a++)
                p[a] = static_cast<float>(w[a]);
        }
    });
}

tlwResult meshTree(const Input &in, int detail, const FloatTree::Ptr &tree, const FloatTree &raw, tlwMessage *message,
                   tlwMesh *mesh)
{
    double voxel = in.tiles->cell_size / detail, shift = (voxel - in.tiles->cell_size) / 2;
    auto transform = openvdb::math::Transform::createLinearTransform(voxel);
    const tlwVec3 &o = in.tiles->origin;
    transform->postTranslate(openvdb::Vec3d(o.x + shift, o.y + shift, o.z + shift));
    FloatGrid grid(tree);
    grid.setTransform(transform);
    grid.setGridClass(openvdb::GRID_LEVEL_SET);
    std::vector<openvdb::Vec3s> points;
    std::vector<openvdb::Vec4I> quads;
    openvdb::tools::volumeToMesh(grid, points, quads, in.isovalue);
    TLW_TRY(copyMesh(points, quads, message, mesh));
    settleVertices(in, detail, raw, *transform, mesh);
    return TLW_OK;
}

tlwResult run(const tlwTileSet *tiles, const tlwTileSource *phi, const tlwMesherDef *def, tlwMessage *message,
              tlwMesh *mesh)
{
    Input in = tlwMakeLevelSetInput(tiles, phi, static_cast<float>(def->isovalue), def->background, def->detail);
    FloatTree::Ptr tree, raw;
    tlwBuildLevelSet(in, def->detail, tree, raw);
    return meshTree(in, def->detail, tree, *raw, message, mesh);
}

} // namespace

tlwResult tlwMeshLevelSet(const tlwTileSet *tiles, const tlwTileSource *phi, const tlwMesherDef *def,
                          tlwThreads *threads, tlwMessage *message, tlwMesh *mesh)
{
    std::memset(mesh, 0, sizeof *mesh);
    if (!(tiles->cell_size > 0) || !(def->background > def->isovalue) || def->detail < 1 || def->detail > 2)
        return tlwFail(message, TLW_BAD_ARGUMENT,
                       "The mesher needs cells with a size, a background outside and detail 1 or 2.");
    tlwResult result = tlwGuard(message, "meshing the surface", [&] {
        tlwInitializeOpenVdb();
        tlwResult inner = TLW_OK;
        tlwRunInArena(threads, [&] { inner = run(tiles, phi, def, message, mesh); });
        return inner == TLW_OK ? tlwMakeManifold(threads, mesh, tiles->cell_size / def->detail, message) : inner;
    });
    if (result != TLW_OK)
        tlwDestroyMesh(mesh);
    return result;
}
