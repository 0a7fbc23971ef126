#include "bridge/openvdb.hpp"

#include <mutex>

#include <openvdb/openvdb.h>

void tlwInitializeOpenVdb()
{
    static std::once_flag once;
    std::call_once(once, [] { openvdb::initialize(); });
}
