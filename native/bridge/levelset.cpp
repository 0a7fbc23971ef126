// The level set of a list of tiles as an OpenVDB tree, cut at the domain's border and refined on request.
#include "bridge/levelset.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>

namespace {

using openvdb::Coord;
using openvdb::FloatTree;
using Input = tlwLevelSetInput;
using Leaf = FloatTree::LeafNodeType;
using Accessor = openvdb::tree::ValueAccessor<const FloatTree>;
using Writer = openvdb::tree::ValueAccessor<FloatTree>; // caches the path to the last leaf; the next one is near

constexpr int side = 8, cells = 512;

// OpenVDB's leaves run z fastest, our tiles x fastest.
inline int leafOffset(int x, int y, int z)
{
    return x << 6 | y << 3 | z;
}

float clean(const Input &in, float value)
{
    if (!std::isfinite(value))
        return in.background;
    if (value < in.isovalue)
        return std::min(value, in.isovalue - in.nudge);
    return std::max(value, in.isovalue + in.nudge);
}

// All threads make leaves; one thread adds them to their tree.
Leaf *addLeaf(Writer &tree, std::unique_ptr<Leaf> leaf)
{
    tree.addLeaf(leaf.get()); // may throw when memory is out, so release the leaf only afterwards
    return leaf.release();
}

// Make one leaf from each tile.
void loadTiles(const Input &in, FloatTree &tree, std::vector<Leaf *> &leaves)
{
    size_t count = static_cast<size_t>(in.tiles->count);
    std::vector<std::unique_ptr<Leaf>> made(count);
    tbb::parallel_for(size_t(0), count, [&](size_t t) {
        const int32_t *c = in.tiles->first_cells + 3 * t;
        made[t] = std::make_unique<Leaf>(Coord(c[0], c[1], c[2]), in.background, true);
        float values[cells];
        tlwFetchTile(in.phi, static_cast<int64_t>(t), 1, values);
        float *out = made[t]->buffer().data();
        const float *v = values;
        for (int z = 0; z < side; z++)
            for (int y = 0; y < side; y++)
                for (int x = 0; x < side; x++)
                    out[leafOffset(x, y, z)] = clean(in, *v++);
    });
    leaves.reserve(count);
    Writer writer(tree);
    for (std::unique_ptr<Leaf> &leaf : made)
        leaves.push_back(addLeaf(writer, std::move(leaf)));
}

bool hasInside(const Leaf &leaf, float isovalue)
{
    const float *v = leaf.buffer().data();
    for (int i = 0; i < cells; i++)
        if (v[i] < isovalue)
            return true;
    return false;
}

// Liquid may touch the border of the listed tiles. The mesher needs leaves of air beyond that border.
void padTiles(const Input &in, FloatTree &tree, std::vector<Leaf *> &leaves)
{
    std::vector<char> inside(leaves.size());
    tbb::parallel_for(size_t(0), leaves.size(), [&](size_t i) { inside[i] = hasInside(*leaves[i], in.isovalue); });
    size_t count = leaves.size();
    Writer writer(tree);
    for (size_t i = 0; i < count; i++) {
        if (!inside[i])
            continue;
        for (int n = 0; n < 27; n++) {
            Coord at = leaves[i]->origin().offsetBy((n % 3 - 1) * side, (n / 3 % 3 - 1) * side, (n / 9 - 1) * side);
            if (writer.probeConstLeaf(at))
                continue;
            Leaf *leaf = writer.touchLeaf(at); // filled with the background
            leaf->setValuesOn();
            leaves.push_back(leaf);
        }
    }
}

// Signed distance to the clip box in voxels, of which `scale` make a cell.
float boxDistance(const Input &in, int scale, const Coord &c)
{
    float d = -1e30f;
    for (int a = 0; a < 3; a++) {
        d = std::max(d, static_cast<float>(in.tiles->clip_low[a] * scale - c[a]) - 0.5f);
        d = std::max(d, static_cast<float>(c[a] - tlwGetClipEnd(in, scale, a)));
    }
    return d;
}

Coord clampToClip(const Input &in, Coord c)
{
    if (in.clip)
        for (int a = 0; a < 3; a++)
            c[a] = std::max(in.tiles->clip_low[a], std::min(in.tiles->clip_high[a] - 1, c[a]));
    return c;
}

// Whether a cube of cells lies within the clip box.
bool isWithinClip(const Input &in, const Coord &first, int size)
{
    bool within = true;
    for (int a = 0; a < 3 && in.clip; a++)
        within = within && first[a] >= in.tiles->clip_low[a] && first[a] + size <= in.tiles->clip_high[a];
    return within;
}

// Copy the part of the leaf at `origin` that lies in the cube of n^3 cells from `first` on.
void copyLeaf(Accessor &from, const Coord &origin, const Coord &first, int n, float *out)
{
    const Leaf *leaf = from.probeConstLeaf(origin);
    const float *values = leaf ? leaf->buffer().data() : nullptr;
    float constant = leaf ? 0 : from.getValue(origin);
    int low[3], high[3];
    for (int a = 0; a < 3; a++) {
        low[a] = std::max(origin[a], first[a]);
        high[a] = std::min(origin[a] + side, first[a] + n);
    }
    for (int z = low[2]; z < high[2]; z++)
        for (int y = low[1]; y < high[1]; y++) {
            float *row = out + n * (y - first[1] + n * (z - first[2]));
            for (int x = low[0]; x < high[0]; x++)
                row[x - first[0]] = values ? values[leafOffset(x & 7, y & 7, z & 7)] : constant;
        }
}

// Values of a leaf's cells and of `apron` cells on every side, x fastest. Cells beyond the clip box take the value of
// the nearest cell inside it.
template <int apron> void gather(const Input &in, Accessor &from, const Coord &first, float *out)
{
    constexpr int n = side + 2 * apron, reach = apron ? 1 : 0;
    const Coord low = first.offsetBy(-apron);
    if (isWithinClip(in, low, n)) {
        for (int z = -reach; z <= reach; z++)
            for (int y = -reach; y <= reach; y++)
                for (int x = -reach; x <= reach; x++)
                    copyLeaf(from, first.offsetBy(side * x, side * y, side * z), low, n, out);
        return;
    }
    for (int z = 0; z < n; z++)
        for (int y = 0; y < n; y++)
            for (int x = 0; x < n; x++)
                *out++ = from.getValue(clampToClip(in, first.offsetBy(x - apron, y - apron, z - apron)));
}

// Cut the level set at the clip box by taking the larger of the two distances.
float clipped(const Input &in, int scale, const Coord &c, float value)
{
    float box = boxDistance(in, scale, c) * static_cast<float>(in.tiles->cell_size / scale);
    return std::max(value, in.isovalue + box);
}

// Cubic (Catmull-Rom) interpolation along x of rows of 12 values to 16, at a quarter of a cell left and right of each
// centre. The output has x as its slowest index, so that three calls refine all axes and restore their order.
void refineRows(const float *in, int rows, float *out)
{
    constexpr float w0 = -0.0234375f, w1 = 0.2265625f, w2 = 0.8671875f, w3 = -0.0703125f;
    for (int r = 0; r < rows; r++, in += 12)
        for (int i = 0; i < 8; i++) {
            const float *v = in + i;
            out[(2 * i) * rows + r] = w0 * v[0] + w1 * v[1] + w2 * v[2] + w3 * v[3];
            out[(2 * i + 1) * rows + r] = w3 * v[1] + w2 * v[2] + w1 * v[3] + w0 * v[4];
        }
}

// Where one input leaf goes: itself, or eight refined leaves.
struct Fine {
    Coord first;
    bool needed = false, inside = false;

    Coord child(size_t n) const
    {
        int i = static_cast<int>(n);
        return first.offsetBy((i & 1) * side, (i >> 1 & 1) * side, (i >> 2) * side);
    }
};

// Find out whether the surface comes near this leaf.
void classify(const Input &in, int detail, Accessor &from, const Coord &origin, Fine &fine)
{
    float values[12 * 12 * 12];
    gather<2>(in, from, origin, values);
    fine.first = Coord(origin[0] * detail, origin[1] * detail, origin[2] * detail);
    fine.needed = tlwCrossesValue(values, 12 * 12 * 12, in.isovalue);
    fine.inside = values[0] < in.isovalue;
    for (int z = 2; z < 10 && in.keep_band; z++)
        for (int y = 2; y < 10; y++)
            for (int x = 2; x < 10; x++)
                fine.needed = fine.needed || std::fabs(values[x + 12 * (y + 12 * z)] - in.isovalue) < in.background;
    for (int a = 0; a < 3 && in.clip; a++) {
        bool below = origin[a] - 1 < in.tiles->clip_low[a], above = origin[a] + side >= in.tiles->clip_high[a];
        fine.needed = fine.needed || ((below || above) && fine.inside);
    }
}

// A leaf to be meshed, and the same leaf without the clip box.
struct Pair {
    std::unique_ptr<Leaf> leaf, raw;
};

// Write a cube of size^3 values, x fastest, to the leaves that it fills.
void store(const Input &in, int scale, const Coord &first, int size, const float *values, const Pair *pairs)
{
    float *leaf[8], *raw[8], least = values[0];
    for (int n = 0; n < (size == side ? 1 : 8); n++) {
        leaf[n] = pairs[n].leaf->buffer().data();
        raw[n] = pairs[n].raw->buffer().data();
    }
    for (int n = 1; n < size * size * size; n++)
        least = std::min(least, values[n]);
    // The cube's largest distance to the clip box is at one of these two corners.
    float box = std::max(boxDistance(in, scale, first), boxDistance(in, scale, first.offsetBy(size - 1)));
    bool near = in.clip && !(in.isovalue + box * static_cast<float>(in.tiles->cell_size / scale) < least);
    for (int z = 0; z < size; z++)
        for (int y = 0; y < size; y++)
            for (int x = 0; x < size; x++) {
                int n = x >> 3 | (y >> 3) << 1 | (z >> 3) << 2, offset = leafOffset(x & 7, y & 7, z & 7);
                float value = *values++;
                leaf[n][offset] = clean(in, near ? clipped(in, scale, first.offsetBy(x, y, z), value) : value);
                raw[n][offset] = value;
            }
}

void fillPlain(const Input &in, Accessor &from, const Coord &origin, const Pair &pair)
{
    float values[cells];
    gather<0>(in, from, origin, values);
    store(in, 1, origin, side, values, &pair);
}

void fillRefined(const Input &in, Accessor &from, const Coord &origin, const Pair *pairs)
{
    float coarse[12 * 12 * 12], a[16 * 12 * 12], b[16 * 16 * 12], fine[16 * 16 * 16];
    gather<2>(in, from, origin, coarse);
    refineRows(coarse, 144, a); // (x) -> y fastest, then z, then x
    refineRows(a, 192, b);      // z fastest, then x, then y
    refineRows(b, 256, fine);   // x fastest, then y, then z
    store(in, 2, Coord(2 * origin[0], 2 * origin[1], 2 * origin[2]), 2 * side, fine, pairs);
}

// The tree to be meshed: clipped and refined near the surface, constant elsewhere.
void refineTree(const Input &in, int detail, const FloatTree &coarse, const std::vector<Leaf *> &leaves,
                FloatTree &tree, FloatTree &raw)
{
    std::vector<Fine> fine(leaves.size());
    using Range = tbb::blocked_range<size_t>;
    tbb::parallel_for(Range(0, leaves.size(), 16), [&](const Range &range) {
        Accessor from(coarse);
        for (size_t i = range.begin(); i < range.end(); i++)
            classify(in, detail, from, leaves[i]->origin(), fine[i]);
    });
    size_t children = detail == 2 ? 8 : 1;
    std::vector<Pair> out(leaves.size() * children);
    tbb::parallel_for(Range(0, leaves.size(), 4), [&](const Range &range) {
        Accessor from(coarse);
        for (size_t i = range.begin(); i < range.end(); i++) {
            if (!fine[i].needed)
                continue;
            for (size_t n = 0; n < children; n++) {
                Pair &pair = out[i * children + n];
                pair.leaf = std::make_unique<Leaf>(fine[i].child(n), in.background, true);
                pair.raw = std::make_unique<Leaf>(fine[i].child(n), in.background, false);
            }
            if (detail == 2)
                fillRefined(in, from, leaves[i]->origin(), &out[i * 8]);
            else
                fillPlain(in, from, leaves[i]->origin(), out[i]);
        }
    });
    // Fill the two trees at once, one thread each.
    auto fill = [&](FloatTree &into, std::unique_ptr<Leaf> Pair::*which) {
        Writer writer(into);
        for (size_t i = 0; i < leaves.size(); i++)
            for (size_t n = 0; n < children; n++)
                if (fine[i].needed)
                    addLeaf(writer, std::move(out[i * children + n].*which));
                else if (fine[i].inside)
                    writer.addTile(1, fine[i].child(n), in.isovalue - in.background, false);
    };
    tbb::parallel_invoke([&] { fill(tree, &Pair::leaf); }, [&] { fill(raw, &Pair::raw); });
}

} // namespace

double tlwGetClipEnd(const tlwLevelSetInput &in, int detail, int axis)
{
    return (in.tiles->clip_high[axis] + in.tiles->clip_beyond[axis]) * detail - 0.5;
}

bool tlwCrossesValue(const float *values, int count, float value)
{
    bool first = values[0] < value;
    for (int i = 1; i < count; i++)
        if ((values[i] < value) != first)
            return true;
    return false;
}

tlwLevelSetInput tlwMakeLevelSetInput(const tlwTileSet *tiles, const tlwTileSource *phi, float isovalue,
                                      float background, int detail)
{
    Input in = {tiles, phi, isovalue, background, static_cast<float>(1e-3 * tiles->cell_size / detail), false, false};
    for (int a = 0; a < 3; a++)
        in.clip = in.clip || tiles->clip_high[a] != tiles->clip_low[a];
    return in;
}

void tlwBuildLevelSet(const tlwLevelSetInput &in, int detail, FloatTree::Ptr &tree, FloatTree::Ptr &raw)
{
    tree = raw = std::make_shared<FloatTree>(in.background);
    std::vector<Leaf *> leaves;
    loadTiles(in, *tree, leaves);
    padTiles(in, *tree, leaves);
    if (detail == 1 && !in.clip)
        return;
    FloatTree::Ptr coarse = tree;
    tree = std::make_shared<FloatTree>(in.background);
    raw = std::make_shared<FloatTree>(in.background);
    refineTree(in, detail, *coarse, leaves, *tree, *raw);
}
