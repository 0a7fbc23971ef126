// base/parallel.h on oneTBB. Each handle has an arena of its own, so that settings of the host program do not apply.
#include "base/parallel.h"

#include "bridge/openvdb.hpp"

#include <algorithm>
#include <memory>
#include <new>
#include <thread>

#include <tbb/parallel_for.h>

tlwThreads *tlwCreateThreads(int count)
{
    try {
        int n = count > 0 ? count : (int)std::max(1u, std::thread::hardware_concurrency());
        return new tlwThreads(n);
    } catch (...) {
        return nullptr;
    }
}

void tlwDestroyThreads(tlwThreads *threads)
{
    if (threads)
        threads->team->dismiss();
    delete threads;
}

int tlwGetThreadCount(const tlwThreads *threads)
{
    return threads ? threads->count : 1;
}

namespace {

// Calls run(b) for every block: on this thread, by the team, or by oneTBB's own loop when the team is busy.
template <class Run> void runBlocks(tlwThreads *threads, int64_t blocks, const Run &run)
{
    if (!threads || threads->count == 1 || blocks == 1) {
        for (int64_t b = 0; b < blocks; b++)
            run(b);
        return;
    }
    auto one = [](const void *loop, int64_t b) { (*static_cast<const Run *>(loop))(b); };
    if (!tlwTeam::run(threads->team, threads->arena, blocks, one, &run))
        threads->arena.execute([&] { tbb::parallel_for<int64_t>(0, blocks, run); });
}

template <class Combine>
double reduce(tlwThreads *threads, int64_t count, int64_t block, tlwReduceFn *fn, void *context, Combine combine)
{
    if (count <= 0)
        return 0;
    block = std::max<int64_t>(block, 1);
    int64_t blocks = (count + block - 1) / block;
    double few[64] = {0};
    std::unique_ptr<double[]> many(blocks > 64 ? new (std::nothrow) double[(size_t)blocks] : nullptr);
    double *parts = blocks > 64 ? many.get() : few;
    if (!parts) { // out of memory: on this thread, one block after another
        double total = fn(context, 0, block);
        for (int64_t b = 1; b < blocks; b++)
            total = combine(total, fn(context, b * block, std::min(count, (b + 1) * block)));
        return total;
    }
    runBlocks(threads, blocks, [=](int64_t b) { parts[b] = fn(context, b * block, std::min(count, (b + 1) * block)); });
    double total = parts[0];
    for (int64_t b = 1; b < blocks; b++)
        total = combine(total, parts[b]);
    return total;
}

} // namespace

void tlwParallelFor(tlwThreads *threads, int64_t count, int64_t block, tlwRangeFn *fn, void *context)
{
    if (count <= 0)
        return;
    block = std::max<int64_t>(block, 1);
    runBlocks(threads, (count + block - 1) / block,
              [=](int64_t b) { fn(context, b * block, std::min(count, (b + 1) * block)); });
}

double tlwParallelSum(tlwThreads *threads, int64_t count, int64_t block, tlwReduceFn *fn, void *context)
{
    return reduce(threads, count, block, fn, context, [](double a, double b) { return a + b; });
}

double tlwParallelMax(tlwThreads *threads, int64_t count, int64_t block, tlwReduceFn *fn, void *context)
{
    return reduce(threads, count, block, fn, context, [](double a, double b) { return std::max(a, b); });
}
