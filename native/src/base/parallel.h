// Threads: a parallel loop, sum and maximum. All split the range into blocks that depend on `count` and `block` only,
// so a result never depends on the number of threads.
#ifndef TLW_BASE_PARALLEL_H
#define TLW_BASE_PARALLEL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tlwThreads tlwThreads;

// `count` 0 = one per core. Null when the system refuses.
tlwThreads *tlwCreateThreads(int count);
void tlwDestroyThreads(tlwThreads *threads);
int tlwGetThreadCount(const tlwThreads *threads);

// Work on [begin, end).
typedef void tlwRangeFn(void *context, int64_t begin, int64_t end);
// Work on [begin, end) and return the part's sum or maximum.
typedef double tlwReduceFn(void *context, int64_t begin, int64_t end);

// Calls `fn` for consecutive ranges of `block` items; the last range may be shorter. `threads` may be null: then all
// runs on this thread.
void tlwParallelFor(tlwThreads *threads, int64_t count, int64_t block, tlwRangeFn *fn, void *context);

// Blocks are computed on any thread; their parts are added in the order of the blocks.
double tlwParallelSum(tlwThreads *threads, int64_t count, int64_t block, tlwReduceFn *fn, void *context);
double tlwParallelMax(tlwThreads *threads, int64_t count, int64_t block, tlwReduceFn *fn, void *context);

#ifdef __cplusplus
}
#endif

#endif
