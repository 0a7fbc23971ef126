// base/parallel.h on oneTBB: an arena of its own per handle, so the host's settings do not reach us.
#include "base/parallel.h"

#include "bridge/openvdb.hpp"

#include <algorithm>
#include <thread>
#include <vector>

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
    delete threads;
}

int tlwGetThreadCount(const tlwThreads *threads)
{
    return threads ? threads->count : 1;
}

void tlwParallelFor(tlwThreads *threads, int64_t count, int64_t block, tlwRangeFn *fn, void *context)
{
    if (count <= 0)
        return;
    block = std::max<int64_t>(block, 1);
    int64_t blocks = (count + block - 1) / block;
    auto run = [=](int64_t b) { fn(context, b * block, std::min(count, (b + 1) * block)); };
    if (!threads || threads->count == 1 || blocks == 1) {
        for (int64_t b = 0; b < blocks; b++)
            run(b);
        return;
    }
    threads->arena.execute([&] { tbb::parallel_for<int64_t>(0, blocks, run); });
}

namespace {

template <class Combine>
double reduce(tlwThreads *threads, int64_t count, int64_t block, tlwReduceFn *fn, void *context, Combine combine)
{
    if (count <= 0)
        return 0;
    block = std::max<int64_t>(block, 1);
    int64_t blocks = (count + block - 1) / block;
    double few[64];
    std::vector<double> many;
    double *parts = few;
    if (blocks > 64) {
        many.resize((size_t)blocks);
        parts = many.data();
    }
    auto run = [=](int64_t b) { parts[b] = fn(context, b * block, std::min(count, (b + 1) * block)); };
    if (!threads || threads->count == 1 || blocks == 1) {
        for (int64_t b = 0; b < blocks; b++)
            run(b);
    } else {
        threads->arena.execute([&] { tbb::parallel_for<int64_t>(0, blocks, run); });
    }
    double total = parts[0];
    for (int64_t b = 1; b < blocks; b++)
        total = combine(total, parts[b]);
    return total;
}

} // namespace

double tlwParallelSum(tlwThreads *threads, int64_t count, int64_t block, tlwReduceFn *fn, void *context)
{
    return reduce(threads, count, block, fn, context, [](double a, double b) { return a + b; });
}

double tlwParallelMax(tlwThreads *threads, int64_t count, int64_t block, tlwReduceFn *fn, void *context)
{
    return reduce(threads, count, block, fn, context, [](double a, double b) { return std::max(a, b); });
}
