// Disjoint sets of numbers (union-find). The smallest number names its set, so that the outcome depends on which
// numbers were joined and not on the order of the joins.
#ifndef TLW_BASE_SETS_H
#define TLW_BASE_SETS_H

#include <stdint.h>

// Every number is a set of its own.
static inline void tlwInitSets(int32_t *parent, int64_t count)
{
    for (int64_t n = 0; n < count; n++)
        parent[n] = (int32_t)n;
}

// The smallest number of the set that `n` is in. Shortens the path for later calls.
static inline int32_t tlwFindRoot(int32_t *parent, int32_t n)
{
    while (parent[n] != n)
        n = parent[n] = parent[parent[n]];
    return n;
}

static inline void tlwJoinSets(int32_t *parent, int32_t a, int32_t b)
{
    a = tlwFindRoot(parent, a);
    b = tlwFindRoot(parent, b);
    if (a < b)
        parent[b] = a;
    else
        parent[a] = b;
}

#endif
