// Particles as an OpenVDB point grid. A file of its own: these headers take long to compile.
#include "shape/vdb_points.h"

#include "bridge/vdb.hpp"
#include "bridge/vdb_points.hpp"

#include <vector>

#include <openvdb/openvdb.h>
#include <openvdb/points/PointConversion.h>
#include <openvdb/points/PointCount.h>

namespace {

using openvdb::points::PointDataGrid;
using Indices = openvdb::tools::PointIndexGrid;

template <class Value>
void addAttribute(PointDataGrid &grid, const Indices &indices, const char *name, const std::vector<Value> &values)
{
    openvdb::points::appendAttribute(grid.tree(), name, openvdb::points::TypedAttributeArray<Value>::attributeType());
    openvdb::points::PointAttributeVector<Value> wrapped(values);
    openvdb::points::populateAttribute(grid.tree(), indices.tree(), name, wrapped);
}

std::vector<openvdb::Vec3s> loadVectors(const float *data, int64_t count)
{
    std::vector<openvdb::Vec3s> out(static_cast<size_t>(count), openvdb::Vec3s(0, 0, 0));
    for (size_t i = 0; data && i < out.size(); i++)
        out[i] = openvdb::Vec3s(data[3 * i], data[3 * i + 1], data[3 * i + 2]);
    return out;
}

PointDataGrid::Ptr makePoints(const tlwParticleView *p, double voxel_size)
{
    std::vector<openvdb::Vec3s> positions = loadVectors(p->position, p->count);
    openvdb::points::PointAttributeVector<openvdb::Vec3s> wrapped(positions);
    auto transform = openvdb::math::Transform::createLinearTransform(voxel_size);
    auto indices = openvdb::tools::createPointIndexGrid<Indices>(wrapped, *transform);
    auto grid =
        openvdb::points::createPointDataGrid<openvdb::points::NullCodec, PointDataGrid>(*indices, wrapped, *transform);
    addAttribute(*grid, *indices, "v", loadVectors(p->velocity, p->count));
    std::vector<float> temperature(static_cast<size_t>(p->count)), mass(temperature.size());
    std::vector<int32_t> id(static_cast<size_t>(p->count));
    for (size_t i = 0; i < id.size(); i++) {
        temperature[i] = p->temperature ? p->temperature[i] : 0;
        mass[i] = p->mass ? p->mass[i] : 0;
        id[i] = static_cast<int32_t>(p->id ? p->id[i] : i);
    }
    addAttribute(*grid, *indices, "temperature", temperature);
    addAttribute(*grid, *indices, "mass", mass);
    addAttribute(*grid, *indices, "id", id);
    grid->setName("particles");
    grid->setCreator("Tallow");
    return grid;
}

} // namespace

int64_t tlwCountVdbPoints(const openvdb::GridBase &grid)
{
    if (!grid.isType<PointDataGrid>())
        return 0;
    return static_cast<int64_t>(openvdb::points::pointCount(static_cast<const PointDataGrid &>(grid).tree()));
}

tlwResult tlwWriteVdbPoints(const char *path, const tlwParticleView *particles, double voxel_size, tlwThreads *threads,
                            tlwMessage *message)
{
    (void)threads; // unused: on one thread the order of points within a voxel is always the same
    if (!(voxel_size > 0) || particles->count < 0 || (particles->count > 0 && !particles->position))
        return tlwFail(message, TLW_BAD_ARGUMENT, "Points for %s need positions and a voxel size.", path);
    return tlwGuard(message, "writing a VDB point file", [&] {
        tlwInitializeOpenVdb();
        tlwResult result = TLW_OK;
        tlwRunInArena(nullptr, [&] { result = tlwWriteVdbGrids(path, {makePoints(particles, voxel_size)}, message); });
        return result;
    });
}
