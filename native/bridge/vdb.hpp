// What the files that read and write VDBs share.
#ifndef TLW_BRIDGE_VDB_HPP
#define TLW_BRIDGE_VDB_HPP

#include "bridge/openvdb.hpp"

#include <cstdint>

#include <openvdb/openvdb.h>

// All or nothing. May throw.
tlwResult tlwWriteVdbGrids(const char *path, const openvdb::GridCPtrVec &grids, tlwMessage *message);

#endif
