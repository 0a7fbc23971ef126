#include "shape/manifold.h"

#include "base/memory.h"
#include "base/sets.h"
#include "base/vec.h"
#include "shape/topology.h"

#include <stdlib.h>

// One triangle at an edge where several pairs of triangles meet. Around the edge, solid and air alternate. The two
// sheets that bound the same wedge of solid are partners.
typedef struct Sheet {
    double angle; // about the edge, from some direction
    int32_t half_edge;
    bool along; // runs the same way as the first
} Sheet;

enum { MAX_SHEETS = 32 };
#define BLOCK 4096 // half-edges, triangles

static int compareSheets(const void *a, const void *b)
{
    const Sheet *x = a, *y = b;
    if (x->angle != y->angle)
        return x->angle < y->angle ? -1 : 1;
    return x->half_edge < y->half_edge ? -1 : x->half_edge > y->half_edge;
}

static tlwVec3 at(const tlwMesh *mesh, int32_t v)
{
    const float *p = mesh->positions + 3 * (int64_t)v;
    return (tlwVec3){p[0], p[1], p[2]};
}

static tlwVec3 anyNormalTo(tlwVec3 d)
{
    tlwVec3 axis = fabs(d.x) <= fabs(d.y) && fabs(d.x) <= fabs(d.z) ? (tlwVec3){1, 0, 0}
                   : fabs(d.y) <= fabs(d.z)                         ? (tlwVec3){0, 1, 0}
                                                                    : (tlwVec3){0, 0, 1};
    return tlwNormalize(tlwCross(d, axis));
}

// Give each half-edge of one edge its partner. False when they do not come in pairs.
static bool pairSheets(const tlwMesh *mesh, const int32_t *half_edges, int64_t count, int32_t *twin)
{
    if (count > MAX_SHEETS || count % 2)
        return false;
    Sheet sheets[MAX_SHEETS];
    int32_t tail = mesh->triangles[half_edges[0]], head = mesh->triangles[tlwNextHalfEdge(half_edges[0])];
    tlwVec3 p = at(mesh, tail), axis = tlwNormalize(tlwSub(at(mesh, head), p));
    tlwVec3 u = anyNormalTo(axis), v = tlwCross(axis, u);
    int along = 0;
    for (int64_t i = 0; i < count; i++) {
        int32_t h = half_edges[i], apex = mesh->triangles[tlwNextHalfEdge(tlwNextHalfEdge(h))];
        tlwVec3 w = tlwSub(at(mesh, apex), p);
        sheets[i] = (Sheet){atan2(tlwDot(w, v), tlwDot(w, u)), h, mesh->triangles[h] == tail};
        along += sheets[i].along;
    }
    if (2 * along != count)
        return false;
    qsort(sheets, (size_t)count, sizeof sheets[0], compareSheets);
    // Solid lies towards smaller angles from a sheet that runs along. So the partner of such a sheet is the nearest
    // unpaired sheet at a smaller angle that runs against. That is matching brackets around a circle; reading the
    // circle twice closes every pair.
    int stack[MAX_SHEETS], size = 0;
    for (int64_t i = 0; i < count; i++)
        twin[sheets[i].half_edge] = -1;
    for (int64_t n = 0; n < 2 * count; n++) {
        const Sheet *sheet = &sheets[n % count];
        if (twin[sheet->half_edge] >= 0)
            continue;
        if (!sheet->along && n < count) {
            stack[size++] = (int)n;
        } else if (sheet->along && size > 0) {
            const Sheet *other = &sheets[stack[--size]];
            twin[sheet->half_edge] = other->half_edge;
            twin[other->half_edge] = sheet->half_edge;
        }
    }
    return size == 0;
}

// All half-edges, edge by edge.
typedef struct Edges {
    const tlwMesh *mesh;
    const int32_t *sorted;
} Edges;

// Whether an edge has two triangles that run along it in opposite directions.
static bool isSimple(const Edges *edges, int64_t begin, int64_t end)
{
    const int32_t *tails = edges->mesh->triangles, *sorted = edges->sorted;
    return end - begin == 2 && tails[sorted[begin]] != tails[sorted[begin + 1]];
}

// Count the edges that are not simple and begin in a range of half-edges.
static double knotRange(void *context, int64_t begin, int64_t end)
{
    const Edges *edges = context;
    int64_t count = 3 * edges->mesh->triangle_count, knots = 0, i = begin, next;
    if (begin > 0 && tlwEdgeEnd(edges->sorted, edges->mesh->triangles, count, begin - 1) > begin)
        i = tlwEdgeEnd(edges->sorted, edges->mesh->triangles, count, begin);
    for (; i < end; i = next) {
        next = tlwEdgeEnd(edges->sorted, edges->mesh->triangles, count, i);
        knots += !isSimple(edges, i, next);
    }
    return (double)knots;
}

// Give all half-edges partners. `crowded` counts edges with more than two triangles.
static void pairHalfEdges(const Edges *edges, int32_t *twin, int64_t *crowded, int64_t *unpaired)
{
    int64_t n = 3 * edges->mesh->triangle_count;
    const int32_t *sorted = edges->sorted;
    for (int64_t i = 0, end; i < n; i = end) {
        end = tlwEdgeEnd(sorted, edges->mesh->triangles, n, i);
        *crowded += end - i > 2;
        if (isSimple(edges, i, end)) {
            twin[sorted[i]] = sorted[i + 1];
            twin[sorted[i + 1]] = sorted[i];
        } else if (!pairSheets(edges->mesh, sorted + i, end - i, twin)) {
            (*unpaired)++;
        }
    }
}

// Give each fan of triangles around a vertex a vertex of its own. Two triangles are in one fan when steps across
// partners lead from one to the other.
static bool splitVertices(tlwMesh *mesh, const int32_t *twin)
{
    int64_t n = 3 * mesh->triangle_count, vertices = mesh->vertex_count;
    int32_t *parent = tlwAlloc((size_t)n, sizeof *parent);
    int32_t *owner = tlwAlloc((size_t)vertices, sizeof *owner); // root that keeps the vertex, + 1
    int32_t *fresh = tlwAlloc((size_t)n, sizeof *fresh);        // vertex of other roots, + 1
    bool ok = parent && owner && fresh;
    if (ok)
        tlwInitSets(parent, n);
    for (int64_t h = 0; ok && h < n; h++)
        tlwJoinSets(parent, (int32_t)h, tlwNextHalfEdge(twin[h]));
    for (int64_t h = 0; ok && h < n; h++) {
        int32_t root = tlwFindRoot(parent, (int32_t)h), v = mesh->triangles[h];
        if (!owner[v])
            owner[v] = root + 1;
        if (owner[v] == root + 1)
            continue;
        if (!fresh[root]) {
            const float *p = mesh->positions + 3 * (int64_t)v;
            ok = tlwAddVertex(mesh, p[0], p[1], p[2]);
            fresh[root] = (int32_t)mesh->vertex_count;
        }
    }
    for (int64_t h = 0; ok && h < n; h++) {
        int32_t root = tlwFindRoot(parent, (int32_t)h);
        if (fresh[root])
            mesh->triangles[h] = fresh[root] - 1;
    }
    tlwFree(parent);
    tlwFree(owner);
    tlwFree(fresh);
    return ok;
}

static bool cutTriangle(tlwMesh *mesh, int32_t half_edge, int32_t middle)
{
    int32_t h1 = tlwNextHalfEdge(half_edge), h2 = tlwNextHalfEdge(h1);
    int32_t head = mesh->triangles[h1], apex = mesh->triangles[h2];
    mesh->triangles[h1] = middle;
    return tlwAddTriangle(mesh, middle, head, apex);
}

// After splitVertices two pairs of sheets may still share both ends of an edge. Each pair gets a vertex of its own in
// the middle of the edge. A triangle is cut once per pass.
static bool splitEdges(tlwMesh *mesh, const int32_t *twin)
{
    int64_t triangles = mesh->triangle_count, n = 3 * triangles;
    int32_t *sorted = tlwSortHalfEdges(NULL, mesh->triangles, triangles, mesh->vertex_count);
    uint8_t *cut = tlwAlloc((size_t)triangles, 1);
    // Cutting moves corners, so collect first.
    int32_t *list = NULL;
    int64_t count = 0, capacity = 0;
    bool ok = sorted && cut;
    for (int64_t i = 0, end; ok && i < n; i = end) {
        end = tlwEdgeEnd(sorted, mesh->triangles, n, i);
        for (int64_t j = i; ok && end - i > 2 && j < end; j++) {
            int32_t h = sorted[j], o = twin[h];
            if (o < h || cut[h / 3] || cut[o / 3])
                continue;
            cut[h / 3] = cut[o / 3] = 1;
            void *array = list;
            ok = tlwReserve(&array, &capacity, count + 1, sizeof *list);
            list = array;
            if (ok)
                list[count++] = h;
        }
    }
    for (int64_t i = 0; ok && i < count; i++) {
        int32_t h = list[i], middle = (int32_t)mesh->vertex_count;
        tlwVec3 a = at(mesh, mesh->triangles[h]), b = at(mesh, mesh->triangles[tlwNextHalfEdge(h)]);
        tlwVec3 m = tlwScale(tlwAdd(a, b), 0.5);
        ok = tlwAddVertex(mesh, (float)m.x, (float)m.y, (float)m.z) && cutTriangle(mesh, h, middle) &&
             cutTriangle(mesh, twin[h], middle);
    }
    tlwFree(sorted);
    tlwFree(cut);
    tlwFree(list);
    return ok;
}

// Of each triangle without area, move the corner that lies between or next to the other two sideways.
static int64_t moveApart(tlwMesh *mesh, double size)
{
    int64_t moved = 0;
    for (int64_t t = 0; t < mesh->triangle_count; t++) {
        if (!tlwIsTriangleDegenerate(mesh, t))
            continue;
        int worst = 0;
        double longest = -1;
        for (int k = 0; k < 3; k++) {
            double length = tlwLength(
                tlwSub(at(mesh, mesh->triangles[3 * t + (k + 1) % 3]), at(mesh, mesh->triangles[3 * t + (k + 2) % 3])));
            if (length > longest) {
                longest = length;
                worst = k;
            }
        }
        int32_t v = mesh->triangles[3 * t + worst];
        tlwVec3 edge = tlwSub(at(mesh, mesh->triangles[3 * t + (worst + 2) % 3]),
                              at(mesh, mesh->triangles[3 * t + (worst + 1) % 3]));
        tlwVec3 q = tlwMulAdd(at(mesh, v), 1e-4 * size, anyNormalTo(tlwNormalize(edge)));
        float *p = mesh->positions + 3 * (int64_t)v;
        p[0] = (float)q.x;
        p[1] = (float)q.y;
        p[2] = (float)q.z;
        moved++;
    }
    return moved;
}

static double flatRange(void *context, int64_t begin, int64_t end)
{
    int64_t count = 0;
    for (int64_t t = begin; t < end; t++)
        count += tlwIsTriangleDegenerate(context, t);
    return (double)count;
}

// One pass over the mesh: split vertices and edges with more than two triangles at an edge. `done` when there were
// none.
static tlwResult splitOnce(tlwThreads *threads, tlwMesh *mesh, tlwMessage *message, bool *done)
{
    int64_t n = 3 * mesh->triangle_count, crowded = 0, unpaired = 0;
    int32_t *sorted = tlwSortHalfEdges(threads, mesh->triangles, mesh->triangle_count, mesh->vertex_count), *twin;
    Edges edges = {mesh, sorted};
    if (!sorted)
        return tlwFailMemory(message, "the surface mesh");
    *done = !(tlwParallelSum(threads, n, BLOCK, knotRange, &edges) > 0); // as nearly always
    twin = *done ? NULL : tlwAlloc((size_t)n, sizeof *twin);
    if (twin)
        pairHalfEdges(&edges, twin, &crowded, &unpaired);
    tlwFree(sorted);
    bool ok = *done || twin;
    if (ok && unpaired == 0 && crowded > 0)
        ok = splitVertices(mesh, twin) && splitEdges(mesh, twin);
    tlwFree(twin);
    if (!ok)
        return tlwFailMemory(message, "the surface mesh");
    if (unpaired > 0)
        return tlwFail(message, TLW_INTERNAL, "The surface mesh came out open; please report this scene.");
    *done = crowded == 0;
    return TLW_OK;
}

tlwResult tlwMakeManifold(tlwThreads *threads, tlwMesh *mesh, double size, tlwMessage *message)
{
    enum { MAX_PASSES = 8 };
    bool done = false;
    for (int pass = 0; pass < MAX_PASSES && !done; pass++)
        TLW_TRY(splitOnce(threads, mesh, message, &done));
    if (!done)
        return tlwFail(message, TLW_INTERNAL, "The surface mesh could not be made clean; please report this scene.");
    if (tlwParallelSum(threads, mesh->triangle_count, BLOCK, flatRange, mesh) > 0)
        for (int pass = 0; pass < 4 && moveApart(mesh, (1 + pass) * size) > 0; pass++)
            continue;
    return TLW_OK;
}
