// Writing grids of tiles as OpenVDB files.
#include "shape/vdb.h"

#include "base/file.h"
#include "bridge/levelset.hpp"
#include "bridge/vdb.hpp"

#include <cmath>
#include <cstring>
#include <ostream>
#include <streambuf>
#include <vector>

#include <openvdb/openvdb.h>
#include <openvdb/tools/Prune.h>
#include <tbb/parallel_for.h>

namespace {

using openvdb::Coord;

// A seekable file in memory, because OpenVDB goes back to fill in offsets. base/file.h then writes the bytes, so that a
// full disk is noticed in one place only.
class MemoryFile : public std::streambuf {
  public:
    std::vector<char> data;

  protected:
    std::streamsize xsputn(const char *text, std::streamsize count) override
    {
        size_t end = at + static_cast<size_t>(count);
        if (end > data.size())
            data.resize(end);
        std::memcpy(data.data() + at, text, static_cast<size_t>(count));
        at = end;
        return count;
    }
    int_type overflow(int_type c) override
    {
        char byte = traits_type::to_char_type(c);
        return xsputn(&byte, 1) == 1 ? c : traits_type::eof();
    }
    pos_type seekoff(off_type offset, std::ios_base::seekdir from, std::ios_base::openmode) override
    {
        off_type base = from == std::ios_base::beg   ? 0
                        : from == std::ios_base::cur ? (off_type)at
                                                     : (off_type)data.size();
        if (base + offset < 0)
            return pos_type(off_type(-1));
        at = static_cast<size_t>(base + offset);
        return pos_type(base + offset);
    }
    pos_type seekpos(pos_type position, std::ios_base::openmode which) override
    {
        return seekoff(off_type(position), std::ios_base::beg, which);
    }

  private:
    size_t at = 0;
};

// Gives access to OpenVDB's protected writer for seekable streams.
class Archive : public openvdb::io::Archive {
  public:
    void writeTo(std::ostream &out, const openvdb::GridCPtrVec &grids, const openvdb::MetaMap &metadata)
    {
        openvdb::io::Archive::write(out, grids, /*seekable=*/true, metadata);
    }
};

// OpenVDB gives every file a random identity. This replaces it by a hash of the contents, so that equal bakes give
// equal files.
void replaceIdentity(std::vector<char> &data, const std::string &tag)
{
    constexpr size_t offset = 8 + 3 * 4 + 1; // magic number, three versions, one flag
    if (tag.size() != 36 || data.size() < offset + 36 || std::memcmp(data.data() + offset, tag.data(), 36) != 0)
        return;
    uint64_t hash[2] = {0xcbf29ce484222325u, 0x9e3779b97f4a7c15u};
    for (size_t i = offset + 36; i < data.size(); i++)
        for (uint64_t &h : hash)
            h = (h ^ static_cast<unsigned char>(data[i])) * 0x100000001b3u + (h >> 47);
    char text[40];
    std::snprintf(text, sizeof text, "%08x-%04x-4%03x-a%03x-%012llx", (unsigned)(hash[0] >> 32),
                  (unsigned)(hash[0] >> 16 & 0xffff), (unsigned)(hash[0] & 0xfff), (unsigned)(hash[1] >> 52),
                  (unsigned long long)(hash[1] & 0xffffffffffffu));
    std::memcpy(data.data() + offset, text, 36);
}

openvdb::math::Transform::Ptr makeTransform(const tlwTileSet *tiles)
{
    auto transform = openvdb::math::Transform::createLinearTransform(tiles->cell_size);
    transform->postTranslate(openvdb::Vec3d(tiles->origin.x, tiles->origin.y, tiles->origin.z));
    return transform;
}

openvdb::GridBase::Ptr makeLevelSet(const tlwTileSet *tiles, const tlwVdbGrid &grid)
{
    auto in = tlwMakeLevelSetInput(tiles, &grid.source, 0, grid.background, 1);
    in.keep_band = true;
    openvdb::FloatTree::Ptr tree, raw;
    tlwBuildLevelSet(in, 1, tree, raw);
    std::vector<openvdb::FloatTree::LeafNodeType *> leaves;
    tree->getNodes(leaves);
    tbb::parallel_for(size_t(0), leaves.size(), [&](size_t i) {
        float *values = leaves[i]->buffer().data();
        for (openvdb::Index n = 0; n < 512; n++) {
            bool active = std::fabs(values[n]) < grid.background;
            leaves[i]->setActiveState(n, active);
            if (!active)
                values[n] = values[n] < 0 ? -grid.background : grid.background;
        }
    });
    openvdb::tools::pruneLevelSet(*tree);
    return openvdb::FloatGrid::create(tree);
}

bool isInClip(const tlwTileSet *tiles, const Coord &c)
{
    bool clip = false, in = true;
    for (int a = 0; a < 3; a++) {
        clip = clip || tiles->clip_low[a] != tiles->clip_high[a];
        in = in && c[a] >= tiles->clip_low[a] && c[a] < tiles->clip_high[a];
    }
    return in || !clip;
}

template <int components, class Value> Value loadValue(const float *v)
{
    if constexpr (components == 1)
        return v[0];
    else
        return Value(v[0], v[1], v[2]);
}

// Active where a value differs from the background.
template <class Grid, int components> openvdb::GridBase::Ptr makePlain(const tlwTileSet *tiles, const tlwVdbGrid &grid)
{
    using Value = typename Grid::ValueType;
    using Leaf = typename Grid::TreeType::LeafNodeType;
    const float same[3] = {grid.background, grid.background, grid.background};
    Value background = loadValue<components, Value>(same);
    auto out = Grid::create(background);
    std::vector<Leaf *> leaves(static_cast<size_t>(tiles->count));
    for (int64_t t = 0; t < tiles->count; t++) {
        const int32_t *c = tiles->first_cells + 3 * t;
        leaves[static_cast<size_t>(t)] = out->tree().touchLeaf(Coord(c[0], c[1], c[2]));
    }
    tbb::parallel_for(int64_t(0), tiles->count, [&](int64_t t) {
        float values[512 * components];
        tlwFetchTile(&grid.source, t, components, values);
        Leaf *leaf = leaves[static_cast<size_t>(t)];
        for (int n = 0; n < 512; n++) {
            int x = n & 7, y = n >> 3 & 7, z = n >> 6;
            bool active = false, finite = true;
            for (int c = 0; c < components; c++) {
                active = active || values[n * components + c] != grid.background;
                finite = finite && std::isfinite(values[n * components + c]);
            }
            if (active && finite && isInClip(tiles, leaf->origin().offsetBy(x, y, z)))
                leaf->setValueOn(static_cast<openvdb::Index>(x << 6 | y << 3 | z),
                                 loadValue<components, Value>(values + n * components));
        }
    });
    openvdb::tools::pruneInactive(out->tree());
    return out;
}

openvdb::GridBase::Ptr makeGrid(const tlwTileSet *tiles, const tlwVdbGrid &grid)
{
    openvdb::GridBase::Ptr out;
    if (grid.kind == TLW_VDB_LEVEL_SET)
        out = makeLevelSet(tiles, grid);
    else if (grid.components == 3)
        out = makePlain<openvdb::Vec3SGrid, 3>(tiles, grid);
    else
        out = makePlain<openvdb::FloatGrid, 1>(tiles, grid);
    out->setTransform(makeTransform(tiles));
    out->setName(grid.name);
    out->setCreator("Tallow");
    out->setGridClass(grid.kind == TLW_VDB_LEVEL_SET ? openvdb::GRID_LEVEL_SET
                      : grid.kind == TLW_VDB_FOG     ? openvdb::GRID_FOG_VOLUME
                                                     : openvdb::GRID_UNKNOWN);
    if (grid.components == 3)
        out->setVectorType(openvdb::VEC_CONTRAVARIANT_RELATIVE);
    return out;
}

} // namespace

tlwResult tlwWriteVdbGrids(const char *path, const openvdb::GridCPtrVec &grids, tlwMessage *message)
{
    MemoryFile file;
    std::ostream stream(&file);
    stream.exceptions(std::ios_base::badbit); // otherwise the stream would swallow exceptions of the buffer
    openvdb::MetaMap metadata;
    metadata.insertMeta("creator", openvdb::StringMetadata("Tallow"));
    Archive archive;
    archive.writeTo(stream, grids, metadata);
    replaceIdentity(file.data, archive.getUniqueTag());
    tlwWriter *writer;
    TLW_TRY(tlwBeginWrite(path, message, &writer));
    tlwWrite(writer, file.data.data(), file.data.size());
    return tlwEndWrite(writer, message);
}

tlwResult tlwWriteVdb(const char *path, const tlwTileSet *tiles, const tlwVdbGrid *grids, int grid_count,
                      tlwThreads *threads, tlwMessage *message)
{
    for (int i = 0; i < grid_count; i++) {
        const tlwVdbGrid &g = grids[i];
        bool level_set = g.kind == TLW_VDB_LEVEL_SET;
        if (!g.name || (g.components != 1 && g.components != 3) ||
            (level_set && (g.components != 1 || !(g.background > 0))))
            return tlwFail(message, TLW_BAD_ARGUMENT,
                           "A grid for %s has no name, no background or not 1 or 3 components.", path);
    }
    return tlwGuard(message, "writing a VDB file", [&] {
        tlwInitializeOpenVdb();
        tlwResult result = TLW_OK;
        tlwRunInArena(threads, [&] {
            openvdb::GridCPtrVec made;
            for (int i = 0; i < grid_count; i++)
                made.push_back(makeGrid(tiles, grids[i]));
            result = tlwWriteVdbGrids(path, made, message);
        });
        return result;
    });
}
