#include "shape/topology.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK 4096 // vertices

static int32_t headOf(const int32_t *corners, int32_t h)
{
    return corners[tlwNextHalfEdge(h)];
}

static int32_t largerEnd(const int32_t *corners, int32_t h)
{
    int32_t a = corners[h], b = headOf(corners, h);
    return a > b ? a : b;
}

static int32_t smallerEnd(const int32_t *corners, int32_t h)
{
    int32_t a = corners[h], b = headOf(corners, h);
    return a < b ? a : b;
}

typedef struct Keyed {
    int32_t end, half_edge;
} Keyed;

static int compareKeyed(const void *a, const void *b)
{
    const Keyed *x = a, *y = b;
    if (x->end != y->end)
        return x->end < y->end ? -1 : 1;
    return x->half_edge < y->half_edge ? -1 : x->half_edge > y->half_edge;
}

// Most vertices have few half-edges, but the pole of a fine sphere may have thousands.
static bool sortBucket(int32_t *bucket, int64_t count, const int32_t *corners)
{
    if (count > 24) {
        Keyed *keyed = tlwAlloc((size_t)count, sizeof *keyed);
        if (!keyed)
            return false;
        for (int64_t i = 0; i < count; i++)
            keyed[i] = (Keyed){largerEnd(corners, bucket[i]), bucket[i]};
        qsort(keyed, (size_t)count, sizeof *keyed, compareKeyed);
        for (int64_t i = 0; i < count; i++)
            bucket[i] = keyed[i].half_edge;
        tlwFree(keyed);
        return true;
    }
    for (int64_t i = 1; i < count; i++) {
        int32_t h = bucket[i], key = largerEnd(corners, h);
        int64_t j = i;
        for (; j > 0 && largerEnd(corners, bucket[j - 1]) > key; j--)
            bucket[j] = bucket[j - 1];
        bucket[j] = h;
    }
    return true;
}

typedef struct Buckets {
    const int32_t *corners;
    int32_t *start; // per vertex; the end of one is the start of the next
    int32_t *sorted;
} Buckets;

// Returns the number of buckets left unsorted because memory is out.
static double bucketRange(void *context, int64_t begin, int64_t end)
{
    const Buckets *b = context;
    double failed = 0;
    for (int64_t v = begin; v < end; v++)
        failed += !sortBucket(b->sorted + b->start[v], b->start[v + 1] - b->start[v], b->corners);
    return failed;
}

int32_t *tlwSortHalfEdges(tlwThreads *threads, const int32_t *corners, int64_t triangle_count, int64_t vertex_count)
{
    int64_t count = 3 * triangle_count;
    int32_t *sorted = tlwAlloc((size_t)count, sizeof *sorted);
    int32_t *start = tlwAlloc((size_t)vertex_count + 2, sizeof *start);
    bool ok = sorted && start;
    if (ok) {
        for (int64_t h = 0; h < count; h++)
            start[smallerEnd(corners, (int32_t)h) + 2]++;
        for (int64_t v = 2; v <= vertex_count + 1; v++)
            start[v] += start[v - 1];
        for (int64_t h = 0; h < count; h++)
            sorted[start[smallerEnd(corners, (int32_t)h) + 1]++] = (int32_t)h;
        Buckets buckets = {corners, start, sorted};
        ok = !(tlwParallelSum(threads, vertex_count, BLOCK, bucketRange, &buckets) > 0);
    }
    tlwFree(start);
    if (!ok) {
        tlwFree(sorted);
        return NULL;
    }
    return sorted;
}

int64_t tlwEdgeEnd(const int32_t *sorted, const int32_t *corners, int64_t half_edge_count, int64_t begin)
{
    int32_t low = smallerEnd(corners, sorted[begin]), high = largerEnd(corners, sorted[begin]);
    int64_t end = begin + 1;
    while (end < half_edge_count && smallerEnd(corners, sorted[end]) == low && largerEnd(corners, sorted[end]) == high)
        end++;
    return end;
}

static uint64_t hashPosition(const float *p)
{
    uint32_t bits[3];
    memcpy(bits, p, sizeof bits);
    uint64_t h = 0;
    for (int a = 0; a < 3; a++) {
        h = (h ^ (bits[a] == 0x80000000u ? 0 : bits[a])) * 0x9E3779B97F4A7C15u; // -0 lies where 0 lies
        h ^= h >> 29;
    }
    return h;
}

int32_t *tlwWeldVertices(const float *positions, int64_t vertex_count)
{
    int64_t size = 16;
    while (size < 2 * vertex_count)
        size *= 2;
    int32_t *weld = tlwAlloc((size_t)vertex_count, sizeof *weld);
    int32_t *table = tlwAlloc((size_t)size, sizeof *table); // vertex + 1, 0 = free
    if (!weld || !table) {
        tlwFree(weld);
        tlwFree(table);
        return NULL;
    }
    for (int64_t v = 0; v < vertex_count; v++) {
        const float *p = positions + 3 * v;
        int64_t slot = (int64_t)(hashPosition(p) & (uint64_t)(size - 1));
        for (;; slot = (slot + 1) & (size - 1)) {
            if (!table[slot]) {
                table[slot] = (int32_t)v + 1;
                weld[v] = (int32_t)v;
                break;
            }
            const float *q = positions + 3 * (int64_t)(table[slot] - 1);
            if (p[0] == q[0] && p[1] == q[1] && p[2] == q[2]) {
                weld[v] = table[slot] - 1;
                break;
            }
        }
    }
    tlwFree(table);
    return weld;
}

tlwResult tlwCheckMesh(const tlwMesh *mesh, tlwMessage *message, tlwMeshCheck *check)
{
    memset(check, 0, sizeof *check);
    int64_t n = 3 * mesh->triangle_count;
    for (int64_t i = 0; i < n; i++)
        check->bad_indices += mesh->triangles[i] < 0 || mesh->triangles[i] >= mesh->vertex_count;
    if (check->bad_indices)
        return TLW_OK;
    int32_t *sorted = tlwSortHalfEdges(NULL, mesh->triangles, mesh->triangle_count, mesh->vertex_count);
    if (!sorted)
        return tlwFailMemory(message, "checking a mesh");
    for (int64_t i = 0, end; i < n; i = end) {
        end = tlwEdgeEnd(sorted, mesh->triangles, n, i);
        if (end - i == 1)
            check->open_edges++;
        else if (end - i > 2)
            check->nonmanifold_edges++;
        else if (mesh->triangles[sorted[i]] == mesh->triangles[sorted[i + 1]])
            check->misoriented_edges++;
    }
    tlwFree(sorted);
    for (int64_t t = 0; t < mesh->triangle_count; t++)
        check->degenerate += tlwIsTriangleDegenerate(mesh, t);
    check->closed = check->open_edges == 0 && check->nonmanifold_edges == 0;
    check->oriented = check->closed && check->misoriented_edges == 0;
    check->volume = tlwGetMeshVolume(mesh);
    check->area = tlwGetMeshArea(mesh);
    return TLW_OK;
}
