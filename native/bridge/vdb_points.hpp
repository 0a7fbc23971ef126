// Counting points needs headers that take a minute to compile: only vdb_points.cpp includes them.
#ifndef TLW_BRIDGE_VDB_POINTS_HPP
#define TLW_BRIDGE_VDB_POINTS_HPP

#include <cstdint>

#include <openvdb/openvdb.h>

// Points in a PointDataGrid, 0 for any other grid.
int64_t tlwCountVdbPoints(const openvdb::GridBase &grid);

#endif
