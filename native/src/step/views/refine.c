#include "step/views/refine.h"

#include "base/context.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

#define COARSE 0.03f // cells by which a middle may be off the mesh before its edge is split
#define WRONG 0.5f   // cells: a mesh beyond this distance is that of another place
#define ALIKE 0.5f   // cosine: the wall of a crack between two vertices looks like neither of them
#define AWAY (-0.1f) // cosine: it is the back of a thin part
enum { LEVELS = 2 };

// An edge with both ends on the mesh, each listed once.
typedef struct Edge {
    int32_t from, to; // vertices, the smaller first
    int32_t middle;   // vertex, -1 = not split
    tlwKept kept;
} Edge;

typedef struct Edges {
    Edge *items;
    int64_t count, capacity;
    int32_t *slots; // hash table of items, -1 = empty
    int64_t mask;
} Edges;

typedef struct Work {
    const tlwDetail *detail;
    Edges *edges;
} Work;

static int64_t findSlot(const Edges *edges, int32_t from, int32_t to)
{
    uint64_t hash = ((uint64_t)(uint32_t)from << 32 | (uint32_t)to) * 0x9E3779B97F4A7C15u;
    int64_t slot = (int64_t)(hash >> 20) & edges->mask;
    while (edges->slots[slot] >= 0 &&
           (edges->items[edges->slots[slot]].from != from || edges->items[edges->slots[slot]].to != to))
        slot = (slot + 1) & edges->mask;
    return slot;
}

static const Edge *findEdge(const Edges *edges, int32_t a, int32_t b)
{
    int32_t item = edges->slots[a < b ? findSlot(edges, a, b) : findSlot(edges, b, a)];
    return item >= 0 && edges->items[item].middle >= 0 ? &edges->items[item] : NULL;
}

static bool isWhole(const tlwKept *a, const tlwKept *b)
{
    return a->share == 1 && b->share == 1 && a->part == b->part && a->origin == b->origin;
}

static bool listEdges(const tlwMesh *mesh, const tlwKept *kept, Edges *edges)
{
    int64_t size = 1024;
    while (size < 4 * mesh->triangle_count)
        size *= 2;
    edges->mask = size - 1;
    edges->slots = tlwAlloc((size_t)size, sizeof *edges->slots);
    if (!edges->slots)
        return false;
    memset(edges->slots, 0xff, (size_t)size * sizeof *edges->slots);
    for (int64_t t = 0; t < mesh->triangle_count; t++)
        for (int n = 0; n < 3; n++) {
            int32_t a = mesh->triangles[3 * t + n], b = mesh->triangles[3 * t + (n + 1) % 3];
            if (a > b || !isWhole(&kept[a], &kept[b])) // the other triangle of the edge walks it the other way
                continue;
            if (!tlwReserve((void **)&edges->items, &edges->capacity, edges->count + 1, sizeof *edges->items))
                return false;
            edges->items[edges->count] = (Edge){.from = a, .to = b, .middle = -1};
            edges->slots[findSlot(edges, a, b)] = (int32_t)edges->count++;
        }
    return true;
}

static float getCosine(const float a[3], const float b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void judgeRange(void *context, int64_t begin, int64_t end)
{
    const Work *w = context;
    for (int64_t n = begin; n < end; n++) {
        Edge *edge = &w->edges->items[n];
        const tlwKept *a = &w->detail->kept[edge->from], *b = &w->detail->kept[edge->to];
        float middle[3];
        for (int i = 0; i < 3; i++)
            middle[i] = 0.5f * (a->rest[i] + b->rest[i]);
        float distance = tlwFindKeptPlace(w->detail, a, middle, &edge->kept);
        float first = getCosine(edge->kept.normal, a->normal), second = getCosine(edge->kept.normal, b->normal);
        if (edge->kept.share == 1 && distance > COARSE && distance < WRONG && fmaxf(first, second) > ALIKE &&
            fminf(first, second) > AWAY)
            edge->middle = 0;
    }
}

static bool addMiddles(Edges *edges, tlwMesh *mesh, tlwDetail *detail)
{
    for (int64_t n = 0; n < edges->count; n++) {
        Edge *edge = &edges->items[n];
        if (edge->middle < 0)
            continue;
        edge->middle = (int32_t)mesh->vertex_count;
        const float *x = edge->kept.target;
        if (!tlwReserve((void **)&detail->kept, &detail->kept_capacity, mesh->vertex_count + 1, sizeof *detail->kept) ||
            !tlwAddVertex(mesh, x[0], x[1], x[2]))
            return false;
        detail->kept[edge->middle] = edge->kept;
    }
    return true;
}

// Split triangle t: the first part stays in its place, others come at the end.
static bool splitTriangle(const Edges *edges, tlwMesh *mesh, int64_t t)
{
    int32_t v[3], m[3];
    int count = 0, first = 0;
    memcpy(v, mesh->triangles + 3 * t, sizeof v);
    for (int n = 0; n < 3; n++) {
        const Edge *edge = findEdge(edges, v[n], v[(n + 1) % 3]);
        m[n] = edge ? edge->middle : -1;
        count += edge != NULL;
    }
    // Turn the triangle so that edge 0 is split, and with two split edges edge 2 is not.
    for (int n = 0; n < 3; n++)
        if (m[n] >= 0 && (count != 2 || m[(n + 2) % 3] < 0))
            first = n;
    int32_t a = v[first], b = v[(first + 1) % 3], c = v[(first + 2) % 3];
    int32_t ab = m[first], bc = m[(first + 1) % 3], ca = m[(first + 2) % 3];
    if (!count)
        return true;
    int32_t *own = mesh->triangles + 3 * t;
    int32_t kept[3] = {count == 2 ? ab : a, count == 2 ? b : ab, count == 1 ? c : count == 2 ? bc : ca};
    memcpy(own, kept, sizeof kept);
    if (count == 1)
        return tlwAddTriangle(mesh, ab, b, c);
    if (count == 2)
        return tlwAddTriangle(mesh, a, ab, bc) && tlwAddTriangle(mesh, a, bc, c);
    return tlwAddTriangle(mesh, ab, b, bc) && tlwAddTriangle(mesh, ca, bc, c) && tlwAddTriangle(mesh, ab, bc, ca);
}

static bool refine(tlwThreads *threads, tlwMesh *mesh, tlwDetail *detail)
{
    Edges edges = {0};
    Work w = {detail, &edges};
    int64_t triangles = mesh->triangle_count;
    bool ok = listEdges(mesh, detail->kept, &edges);
    if (ok)
        tlwParallelFor(threads, edges.count, 512, judgeRange, &w);
    ok = ok && addMiddles(&edges, mesh, detail);
    for (int64_t t = 0; ok && t < triangles; t++)
        ok = splitTriangle(&edges, mesh, t);
    tlwFree(edges.items);
    tlwFree(edges.slots);
    return ok;
}

tlwResult tlwRefineDetail(const tlwFrameState *state, tlwMesh *mesh, tlwDetail *detail)
{
    bool ok = true;
    for (int level = 0; level < LEVELS && ok; level++)
        ok = refine(state->context->threads, mesh, detail);
    return ok ? TLW_OK : tlwFailMemory(&state->context->message, "the detail of the surface");
}
