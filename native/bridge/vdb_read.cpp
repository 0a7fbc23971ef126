// Reading the contents of a VDB file.
#include "shape/vdb_read.h"

#include "bridge/vdb.hpp"
#include "bridge/vdb_points.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include <openvdb/io/File.h>
#include <openvdb/openvdb.h>

namespace {

double size(float v)
{
    return v;
}

double size(const openvdb::Vec3s &v)
{
    return v.length();
}

template <class Grid> void findRange(const Grid &grid, tlwVdbInfo *info)
{
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (auto i = grid.cbeginValueOn(); i; ++i) {
        double v = size(*i);
        low = std::min(low, v);
        high = std::max(high, v);
    }
    info->minimum = low <= high ? low : 0;
    info->maximum = low <= high ? high : 0;
}

void copyText(char *out, size_t capacity, const std::string &text)
{
    std::snprintf(out, capacity, "%s", text.c_str());
}

void describe(const openvdb::GridBase &grid, tlwVdbInfo *info)
{
    std::memset(info, 0, sizeof *info);
    copyText(info->name, sizeof info->name, grid.getName());
    copyText(info->type, sizeof info->type, grid.valueType());
    copyText(info->kind, sizeof info->kind, openvdb::GridBase::gridClassToString(grid.getGridClass()));
    info->active_voxels = static_cast<int64_t>(grid.activeVoxelCount());
    openvdb::CoordBBox box = grid.evalActiveVoxelBoundingBox();
    for (int a = 0; a < 3; a++) {
        info->low[a] = info->active_voxels ? box.min()[a] : 0;
        info->high[a] = info->active_voxels ? box.max()[a] : -1;
    }
    info->voxel_size = grid.voxelSize()[0];
    openvdb::Vec3d o = grid.indexToWorld(openvdb::Vec3d(0, 0, 0));
    info->origin = {o.x(), o.y(), o.z()};
    if (grid.isType<openvdb::FloatGrid>())
        findRange(static_cast<const openvdb::FloatGrid &>(grid), info);
    else if (grid.isType<openvdb::Vec3SGrid>())
        findRange(static_cast<const openvdb::Vec3SGrid &>(grid), info);
    info->points = tlwCountVdbPoints(grid);
}

template <class Fn> tlwResult withFile(const char *path, tlwMessage *message, Fn &&fn)
{
    try {
        tlwInitializeOpenVdb();
        openvdb::io::File file(path);
        file.setCopyMaxBytes(0);
        file.open(/*delayed loading=*/false);
        return fn(file);
    } catch (const std::bad_alloc &) {
        // A damaged file may ask for more memory than there is.
        return tlwFail(message, TLW_BAD_FILE,
                       "%s cannot be read as a VDB file: it is damaged or larger than the memory.", path);
    } catch (const std::exception &error) {
        return tlwFail(message, TLW_BAD_FILE, "%s cannot be read as a VDB file: %s.", path, error.what());
    } catch (...) {
        return tlwFail(message, TLW_BAD_FILE, "%s cannot be read as a VDB file.", path);
    }
}

template <class Grid> typename Grid::ConstPtr getGrid(openvdb::io::File &file, const char *name)
{
    if (!file.hasGrid(name))
        return nullptr;
    return openvdb::gridPtrCast<Grid>(file.readGrid(name));
}

} // namespace

tlwResult tlwInspectVdb(const char *path, tlwMessage *message, tlwVdbInfo *infos, int capacity, int *count)
{
    *count = 0;
    return withFile(path, message, [&](openvdb::io::File &file) -> tlwResult {
        openvdb::GridPtrVecPtr grids = file.getGrids();
        for (const auto &grid : *grids) {
            if (*count < capacity)
                describe(*grid, &infos[*count]);
            (*count)++;
        }
        return TLW_OK;
    });
}

tlwResult tlwSampleVdb(const char *path, const char *grid, const int32_t *voxels, int64_t count, tlwMessage *message,
                       float *values)
{
    return withFile(path, message, [&](openvdb::io::File &file) -> tlwResult {
        auto found = openvdb::gridPtrCast<openvdb::FloatGrid>(file.readGrid(grid));
        if (!found)
            return tlwFail(message, TLW_BAD_FILE, "%s has no float grid called %s.", path, grid);
        auto accessor = found->getConstAccessor();
        for (int64_t i = 0; i < count; i++)
            values[i] = accessor.getValue(openvdb::Coord(voxels[3 * i], voxels[3 * i + 1], voxels[3 * i + 2]));
        return TLW_OK;
    });
}

tlwResult tlwReadVdbSlice(const char *path, int axis, double place, tlwMessage *message, float *cells, int64_t capacity,
                          int64_t *count)
{
    *count = 0;
    return withFile(path, message, [&](openvdb::io::File &file) -> tlwResult {
        auto surface = getGrid<openvdb::FloatGrid>(file, "surface");
        auto temperature = getGrid<openvdb::FloatGrid>(file, "temperature");
        auto viscosity = getGrid<openvdb::FloatGrid>(file, "viscosity");
        auto velocity = getGrid<openvdb::Vec3SGrid>(file, "velocity");
        if (!surface || !temperature || !viscosity || !velocity)
            return tlwFail(message, TLW_BAD_FILE, "%s is not the volume of a baked frame.", path);
        openvdb::CoordBBox box = surface->evalActiveVoxelBoundingBox();
        openvdb::Vec3d point(0, 0, 0);
        point[axis] = place;
        int layer = static_cast<int>(std::floor(surface->worldToIndex(point)[axis] + 0.5));
        if (box.empty() || layer < box.min()[axis] || layer > box.max()[axis])
            return TLW_OK;
        box.min()[axis] = box.max()[axis] = layer;
        auto phi = surface->getConstAccessor();
        auto heat = temperature->getConstAccessor();
        auto thickness = viscosity->getConstAccessor();
        auto flow = velocity->getConstAccessor();
        for (auto cell = box.begin(); cell != box.end(); ++cell) {
            if (phi.getValue(*cell) > 0)
                continue;
            if (*count < capacity) {
                openvdb::Vec3d centre = surface->indexToWorld(*cell);
                float *out = cells + TLW_SLICE_NUMBERS * *count;
                for (int a = 0; a < 3; a++)
                    out[a] = static_cast<float>(centre[a]);
                out[3] = heat.getValue(*cell);
                out[4] = thickness.getValue(*cell);
                out[5] = flow.getValue(*cell).length();
            }
            (*count)++;
        }
        return TLW_OK;
    });
}
