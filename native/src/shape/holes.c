#include "shape/holes.h"

#include "base/memory.h"
#include "base/vec.h"
#include "shape/topology.h"

#include <string.h>

enum { MAX_OPTIMAL = 64 }; // loops up to this long get the triangulation of least area

typedef struct Boundary {
    int32_t *tail, *head; // directed edges that lack a partner
    int64_t count, tail_capacity, head_capacity;
} Boundary;

static bool addBoundaryEdge(Boundary *boundary, int32_t tail, int32_t head)
{
    void *tails = boundary->tail, *heads = boundary->head;
    bool ok = tlwReserve(&tails, &boundary->tail_capacity, boundary->count + 1, sizeof(int32_t));
    boundary->tail = tails;
    ok = ok && tlwReserve(&heads, &boundary->head_capacity, boundary->count + 1, sizeof(int32_t));
    boundary->head = heads;
    if (!ok)
        return false;
    boundary->tail[boundary->count] = tail;
    boundary->head[boundary->count++] = head;
    return true;
}

// An edge with more half-edges in one direction lacks that many in the other. In any mesh the lacking half-edges leave
// every vertex as often as they enter it, so they always form closed loops.
static bool collectBoundary(const int32_t *corners, const int32_t *sorted, int64_t half_edges, Boundary *boundary,
                            tlwRepairReport *report)
{
    for (int64_t i = 0, end; i < half_edges; i = end) {
        end = tlwEdgeEnd(sorted, corners, half_edges, i);
        report->open_edges += end - i == 1;
        report->nonmanifold_edges += end - i > 2;
        int32_t tail = corners[sorted[i]], head = corners[tlwNextHalfEdge(sorted[i])];
        int64_t balance = 0;
        for (int64_t j = i; j < end; j++)
            balance += corners[sorted[j]] == tail ? 1 : -1;
        for (; balance > 0; balance--)
            if (!addBoundaryEdge(boundary, tail, head))
                return false;
        for (; balance < 0; balance++)
            if (!addBoundaryEdge(boundary, head, tail))
                return false;
    }
    return true;
}

static tlwVec3 at(const tlwMesh *mesh, int32_t v)
{
    const float *p = mesh->positions + 3 * (int64_t)v;
    return (tlwVec3){p[0], p[1], p[2]};
}

static double triangleArea(tlwVec3 a, tlwVec3 b, tlwVec3 c)
{
    return tlwLength(tlwCross(tlwSub(b, a), tlwSub(c, a))) / 2;
}

// Triangles run against the loop, because the mesh's own half-edges run along it.
static bool emitOptimal(tlwMesh *mesh, const int32_t *loop, int i, int j, uint8_t split[MAX_OPTIMAL][MAX_OPTIMAL])
{
    if (j - i < 2)
        return true;
    int k = split[i][j];
    return tlwAddTriangle(mesh, loop[j], loop[k], loop[i]) && emitOptimal(mesh, loop, i, k, split) &&
           emitOptimal(mesh, loop, k, j, split);
}

// Triangulation of least area (Barequet and Sharir 1995): bridges bent holes without folding over.
static bool capOptimally(tlwMesh *mesh, const int32_t *loop, int n)
{
    tlwVec3 p[MAX_OPTIMAL];
    double cost[MAX_OPTIMAL][MAX_OPTIMAL];
    uint8_t split[MAX_OPTIMAL][MAX_OPTIMAL];
    for (int i = 0; i < n; i++) {
        p[i] = at(mesh, loop[i]);
        cost[i][i] = 0;
        if (i + 1 < n)
            cost[i][i + 1] = 0;
    }
    for (int span = 2; span < n; span++)
        for (int i = 0; i + span < n; i++) {
            int j = i + span;
            cost[i][j] = INFINITY;
            split[i][j] = (uint8_t)(i + 1);
            for (int k = i + 1; k < j; k++) {
                double c = cost[i][k] + cost[k][j] + triangleArea(p[i], p[k], p[j]);
                if (c < cost[i][j]) {
                    cost[i][j] = c;
                    split[i][j] = (uint8_t)k;
                }
            }
        }
    return emitOptimal(mesh, loop, 0, n - 1, split);
}

static bool capWithFan(tlwMesh *mesh, const int32_t *loop, int64_t n)
{
    tlwVec3 sum = {0, 0, 0};
    for (int64_t i = 0; i < n; i++)
        sum = tlwAdd(sum, at(mesh, loop[i]));
    sum = tlwScale(sum, 1 / (double)n);
    int32_t centre = (int32_t)mesh->vertex_count;
    if (!tlwAddVertex(mesh, (float)sum.x, (float)sum.y, (float)sum.z))
        return false;
    for (int64_t i = 0; i < n; i++)
        if (!tlwAddTriangle(mesh, loop[(i + 1) % n], loop[i], centre))
            return false;
    return true;
}

static bool capLoop(tlwMesh *mesh, const int32_t *loop, int64_t n)
{
    return n <= MAX_OPTIMAL ? capOptimally(mesh, loop, (int)n) : capWithFan(mesh, loop, n);
}

typedef struct Walk {
    int32_t *first; // per vertex: its outgoing edges are order[first[v]] .. order[first[v + 1] - 1]
    int32_t *next;  // per vertex: its next outgoing edge that is not walked yet
    int32_t *order; // edges by tail
    int32_t *place; // per vertex: its place on the path + 1, 0 = not on it
    int32_t *path;  // vertices
    int64_t path_size;
} Walk;

static bool createWalk(Walk *walk, const Boundary *boundary, int64_t vertices)
{
    walk->first = tlwAlloc((size_t)vertices + 1, sizeof(int32_t));
    walk->next = tlwAlloc((size_t)vertices + 1, sizeof(int32_t));
    walk->order = tlwAlloc((size_t)boundary->count, sizeof(int32_t));
    walk->place = tlwAlloc((size_t)vertices, sizeof(int32_t));
    walk->path = tlwAlloc((size_t)boundary->count + 1, sizeof(int32_t));
    if (!walk->first || !walk->next || !walk->order || !walk->place || !walk->path)
        return false;
    for (int64_t e = 0; e < boundary->count; e++)
        walk->first[boundary->tail[e] + 1]++;
    for (int64_t v = 0; v < vertices; v++)
        walk->first[v + 1] += walk->first[v];
    memcpy(walk->next, walk->first, ((size_t)vertices + 1) * sizeof(int32_t));
    for (int64_t e = 0; e < boundary->count; e++)
        walk->order[walk->next[boundary->tail[e]]++] = (int32_t)e;
    memcpy(walk->next, walk->first, ((size_t)vertices + 1) * sizeof(int32_t));
    return true;
}

static void destroyWalk(Walk *walk)
{
    tlwFree(walk->first);
    tlwFree(walk->next);
    tlwFree(walk->order);
    tlwFree(walk->place);
    tlwFree(walk->path);
}

// Follow edges from `start` and cut off a loop whenever the path meets itself, so that holes that touch in a vertex are
// filled one by one.
static bool walkFrom(Walk *walk, int32_t start, const Boundary *boundary, tlwMesh *mesh, tlwRepairReport *report)
{
    walk->path[0] = start;
    walk->path_size = 1;
    walk->place[start] = 1;
    for (;;) {
        int32_t v = walk->path[walk->path_size - 1];
        if (walk->next[v] == walk->first[v + 1])
            break;
        int32_t head = boundary->head[walk->order[walk->next[v]++]];
        if (!walk->place[head]) {
            walk->path[walk->path_size++] = head;
            walk->place[head] = (int32_t)walk->path_size;
            continue;
        }
        int64_t begin = walk->place[head] - 1;
        report->holes++;
        if (!capLoop(mesh, walk->path + begin, walk->path_size - begin))
            return false;
        for (int64_t i = begin + 1; i < walk->path_size; i++)
            walk->place[walk->path[i]] = 0;
        walk->path_size = begin + 1;
    }
    for (int64_t i = 0; i < walk->path_size; i++)
        walk->place[walk->path[i]] = 0;
    return true;
}

tlwResult tlwFillHoles(tlwMesh *mesh, const int32_t *corners, const int32_t *sorted, tlwMessage *message,
                       tlwRepairReport *report)
{
    Boundary boundary = {0};
    Walk walk = {0};
    int64_t vertices = mesh->vertex_count;
    bool ok = collectBoundary(corners, sorted, 3 * mesh->triangle_count, &boundary, report);
    if (ok && boundary.count) {
        ok = createWalk(&walk, &boundary, vertices);
        for (int64_t v = 0; ok && v < vertices; v++)
            while (ok && walk.next[v] < walk.first[v + 1])
                ok = walkFrom(&walk, (int32_t)v, &boundary, mesh, report);
        destroyWalk(&walk);
    }
    tlwFree(boundary.tail);
    tlwFree(boundary.head);
    return ok ? TLW_OK : tlwFailMemory(message, "filling the holes of a mesh");
}
