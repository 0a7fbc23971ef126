#include "shape/islands.h"

#include "base/memory.h"
#include "base/sets.h"
#include "base/vec.h"
#include "shape/topology.h"

#include <string.h>

typedef struct Island {
    double volume;
    float low[3], high[3];
    int64_t begin, end; // into the list of triangles by island
    bool turn;
} Island;

typedef struct Islands {
    Island *list;
    int64_t count;
    int32_t *by_island; // triangles
} Islands;

// Label of every triangle, numbered by first appearance; null when memory is out.
static int32_t *labelTriangles(const tlwMesh *mesh, const int32_t *weld, int64_t *count)
{
    // Vertices that share a triangle belong together; the root is the lowest of them.
    int32_t *parent = tlwAlloc((size_t)mesh->vertex_count, sizeof *parent);
    int32_t *number = tlwAlloc((size_t)mesh->vertex_count, sizeof *number);
    int32_t *label = tlwAlloc((size_t)mesh->triangle_count, sizeof *label);
    if (parent && number && label) {
        tlwInitSets(parent, mesh->vertex_count);
        for (int64_t t = 0; t < mesh->triangle_count; t++) {
            const int32_t *v = mesh->triangles + 3 * t;
            tlwJoinSets(parent, weld[v[0]], weld[v[1]]);
            tlwJoinSets(parent, weld[v[0]], weld[v[2]]);
        }
        *count = 0;
        for (int64_t t = 0; t < mesh->triangle_count; t++) {
            int32_t root = tlwFindRoot(parent, weld[mesh->triangles[3 * t]]);
            if (!number[root])
                number[root] = (int32_t)++ * count;
            label[t] = number[root] - 1;
        }
    } else {
        tlwFree(label);
        label = NULL;
    }
    tlwFree(parent);
    tlwFree(number);
    return label;
}

static tlwVec3 corner(const tlwMesh *mesh, int64_t t, int k)
{
    const float *p = mesh->positions + 3 * (int64_t)mesh->triangles[3 * t + k];
    return (tlwVec3){p[0], p[1], p[2]};
}

static void measureIsland(const tlwMesh *mesh, const int32_t *triangles, Island *island)
{
    tlwVec3 o = corner(mesh, triangles[island->begin], 0);
    double six = 0;
    for (int a = 0; a < 3; a++) {
        island->low[a] = INFINITY;
        island->high[a] = -INFINITY;
    }
    for (int64_t i = island->begin; i < island->end; i++) {
        int64_t t = triangles[i];
        tlwVec3 p[3];
        for (int k = 0; k < 3; k++) {
            const float *q = mesh->positions + 3 * (int64_t)mesh->triangles[3 * t + k];
            for (int a = 0; a < 3; a++) {
                island->low[a] = fminf(island->low[a], q[a]);
                island->high[a] = fmaxf(island->high[a], q[a]);
            }
            p[k] = tlwSub(corner(mesh, t, k), o);
        }
        six += tlwDot(p[0], tlwCross(p[1], p[2]));
    }
    island->volume = six / 6;
}

static bool createIslands(const tlwMesh *mesh, const int32_t *weld, Islands *islands)
{
    int32_t *label = labelTriangles(mesh, weld, &islands->count);
    if (!label)
        return false;
    islands->list = tlwAlloc((size_t)islands->count, sizeof *islands->list);
    islands->by_island = tlwAlloc((size_t)mesh->triangle_count, sizeof(int32_t));
    bool ok = islands->list && islands->by_island;
    if (ok) {
        for (int64_t t = 0; t < mesh->triangle_count; t++)
            islands->list[label[t]].end++;
        int64_t sum = 0;
        for (int64_t i = 0; i < islands->count; i++) {
            islands->list[i].begin = sum;
            sum += islands->list[i].end;
            islands->list[i].end = islands->list[i].begin;
        }
        for (int64_t t = 0; t < mesh->triangle_count; t++)
            islands->by_island[islands->list[label[t]].end++] = (int32_t)t;
        for (int64_t i = 0; i < islands->count; i++)
            measureIsland(mesh, islands->by_island, &islands->list[i]);
    }
    tlwFree(label);
    return ok;
}

static bool boxHolds(const Island *outer, const Island *inner)
{
    for (int a = 0; a < 3; a++)
        if (outer->low[a] > inner->low[a] || outer->high[a] < inner->high[a])
            return false;
    return true;
}

// How often an island goes round a point: the sum of the solid angles of its triangles (van Oosterom and Strackee
// 1983).
static double windingNumber(const tlwMesh *mesh, const Islands *islands, const Island *island, tlwVec3 point)
{
    double angle = 0;
    for (int64_t i = island->begin; i < island->end; i++) {
        tlwVec3 p[3];
        double r[3];
        for (int k = 0; k < 3; k++) {
            p[k] = tlwSub(corner(mesh, islands->by_island[i], k), point);
            r[k] = tlwLength(p[k]);
        }
        double det = tlwDot(p[0], tlwCross(p[1], p[2]));
        double den =
            r[0] * r[1] * r[2] + tlwDot(p[0], p[1]) * r[2] + tlwDot(p[1], p[2]) * r[0] + tlwDot(p[2], p[0]) * r[1];
        angle += 2 * atan2(det, den);
    }
    return angle / (4 * 3.14159265358979323846);
}

// An island that faces inwards is a cavity when it lies inside the others, and a mistake when it does not.
static bool isCavity(const tlwMesh *mesh, const Islands *islands, int64_t index)
{
    const Island *island = &islands->list[index];
    tlwVec3 point = corner(mesh, islands->by_island[island->begin], 0);
    double winding = 0;
    for (int64_t i = 0; i < islands->count; i++)
        if (i != index && boxHolds(&islands->list[i], island))
            winding += fabs(windingNumber(mesh, islands, &islands->list[i], point));
    return winding > 0.5;
}

static void turnIslands(tlwMesh *mesh, const Islands *islands, tlwRepairReport *report)
{
    for (int64_t i = 0; i < islands->count; i++) {
        const Island *island = &islands->list[i];
        report->inverted_islands += island->turn;
        for (int64_t j = island->begin; island->turn && j < island->end; j++) {
            int32_t *v = mesh->triangles + 3 * (int64_t)islands->by_island[j];
            int32_t swap = v[1];
            v[1] = v[2];
            v[2] = swap;
        }
    }
}

tlwResult tlwFaceOutwards(tlwMesh *mesh, tlwMessage *message, tlwRepairReport *report)
{
    Islands islands = {0};
    int32_t *weld = tlwWeldVertices(mesh->positions, mesh->vertex_count);
    bool ok = weld && createIslands(mesh, weld, &islands);
    if (ok) {
        double total = 0;
        for (int64_t i = 0; i < islands.count; i++)
            total += islands.list[i].volume;
        // A negative sum means that the whole mesh is inside out, cavities included. Turn every part first, so that
        // cavities can be told from mistakes.
        for (int64_t i = 0; i < islands.count; i++) {
            Island *island = &islands.list[i];
            island->turn = total < 0;
            double volume = island->turn ? -island->volume : island->volume;
            if (volume < 0 && !isCavity(mesh, &islands, i))
                island->turn = !island->turn;
        }
        turnIslands(mesh, &islands, report);
        report->islands = islands.count;
    }
    tlwFree(weld);
    tlwFree(islands.list);
    tlwFree(islands.by_island);
    return ok ? TLW_OK : tlwFailMemory(message, "checking a mesh");
}

// Smallest eigenvalue of a symmetric 3 x 3 matrix (Smith 1961).
static double smallestEigenvalue(double m[3][3])
{
    double q = (m[0][0] + m[1][1] + m[2][2]) / 3;
    double off = m[0][1] * m[0][1] + m[0][2] * m[0][2] + m[1][2] * m[1][2];
    double a = m[0][0] - q, b = m[1][1] - q, c = m[2][2] - q;
    double p = sqrt((a * a + b * b + c * c + 2 * off) / 6);
    if (!(p > 0))
        return q;
    double det = a * (b * c - m[1][2] * m[1][2]) - m[0][1] * (m[0][1] * c - m[1][2] * m[0][2]) +
                 m[0][2] * (m[0][1] * m[1][2] - b * m[0][2]);
    double r = tlwClamp(det / (2 * p * p * p), -1, 1);
    return q + 2 * p * cos(acos(r) / 3 + 2 * 3.14159265358979323846 / 3);
}

// There are two measures. 2 volume / area (`wall`) is right for walls but gives a third of a cube's side. The least
// spread of the mass (`spread`) is right for plates and cubes but gives a cup's diameter. So the result is `spread`
// where the two are of the same order, else `wall`.
static double thicknessOf(const tlwMesh *mesh)
{
    tlwMassProperties mass;
    tlwGetMassProperties(mesh, &mass);
    double area = tlwGetMeshArea(mesh), volume = fabs(mass.volume);
    if (!(area > 0) || !(volume > 0))
        return 0;
    double trace = mass.inertia[0][0] + mass.inertia[1][1] + mass.inertia[2][2];
    double moment[3][3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            moment[i][j] = ((i == j ? trace / 2 : 0) - mass.inertia[i][j]) / mass.volume;
    double wall = 2 * volume / area;
    double spread = sqrt(12 * fmax(0, smallestEigenvalue(moment)));
    return wall > spread / 6 ? fmin(spread, 3 * wall) : wall;
}

double tlwGetThinnestPart(const tlwMesh *mesh, double ignore)
{
    Islands islands = {0};
    double thinnest = INFINITY;
    int32_t *weld = tlwWeldVertices(mesh->positions, mesh->vertex_count);
    int32_t *scratch = tlwAlloc(3 * (size_t)mesh->triangle_count, sizeof *scratch);
    if (weld && scratch && createIslands(mesh, weld, &islands)) {
        for (int64_t i = 0; i < islands.count; i++) {
            const Island *island = &islands.list[i];
            float size = fmaxf(island->high[0] - island->low[0],
                               fmaxf(island->high[1] - island->low[1], island->high[2] - island->low[2]));
            // A cavity is not a part: the wall around it belongs to the outer shell.
            bool single = islands.count == 1;
            if (size < ignore || (!single && island->volume < 0))
                continue;
            for (int64_t j = island->begin; j < island->end; j++)
                memcpy(scratch + 3 * (j - island->begin), mesh->triangles + 3 * (int64_t)islands.by_island[j],
                       3 * sizeof(int32_t));
            tlwMesh part = {.positions = mesh->positions,
                            .triangles = scratch,
                            .vertex_count = mesh->vertex_count,
                            .triangle_count = island->end - island->begin};
            thinnest = fmin(thinnest, thicknessOf(&part));
        }
        // With cavities, the wall between the outer shell and a cavity counts too.
        double volume = fabs(tlwGetMeshVolume(mesh)), area = tlwGetMeshArea(mesh);
        for (int64_t i = 0; i < islands.count; i++)
            if (islands.count > 1 && islands.list[i].volume < 0 && area > 0)
                thinnest = fmin(thinnest, 2 * volume / area);
    }
    tlwFree(weld);
    tlwFree(scratch);
    tlwFree(islands.list);
    tlwFree(islands.by_island);
    return thinnest < INFINITY ? thinnest : 0;
}
