// What the OpenVDB files of the bridge share.
#ifndef TLW_BRIDGE_OPENVDB_HPP
#define TLW_BRIDGE_OPENVDB_HPP

#include "base/parallel.h"
#include "base/result.h"
#include "bridge/team.hpp"

#include <algorithm>
#include <exception>
#include <functional>
#include <new>

#include <tbb/info.h>

struct tlwThreads {
    tbb::task_arena arena;
    std::shared_ptr<tlwTeam> team;
    int count;
    // oneTBB has no more workers than there are cores, and prints a warning when it is asked for more.
    explicit tlwThreads(int n)
        : arena(std::min(n, tbb::info::default_concurrency())), team(std::make_shared<tlwTeam>(n)), count(n)
    {
    }
};

// Registers grid types, once per process. They stay registered, because other users of OpenVDB in the process may need
// them.
void tlwInitializeOpenVdb();

// Run on the handle's threads, or on the calling thread alone.
template <class Fn> void tlwRunInArena(tlwThreads *threads, Fn &&fn)
{
    if (threads) {
        threads->team->dismiss();
        threads->arena.execute(fn);
    } else {
        tbb::task_arena alone(1);
        alone.execute(fn);
    }
}

// Turn whatever `fn` throws into a result.
template <class Fn> tlwResult tlwGuard(tlwMessage *message, const char *what, Fn &&fn)
{
    try {
        return fn();
    } catch (const std::bad_alloc &) {
        return tlwFailMemory(message, what);
    } catch (const std::exception &error) {
        return tlwFail(message, TLW_INTERNAL, "Something went wrong in %s: %s.", what, error.what());
    } catch (...) {
        return tlwFail(message, TLW_INTERNAL, "Something went wrong in %s.", what);
    }
}

#endif
