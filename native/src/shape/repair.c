#include "shape/repair.h"

#include "base/memory.h"
#include "base/vec.h"
#include "shape/holes.h"
#include "shape/islands.h"
#include "shape/topology.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static tlwResult refuseBadNumbers(const tlwMesh *mesh, const char *name, tlwMessage *message)
{
    if (mesh->triangle_count == 0)
        return tlwFail(message, TLW_BAD_MESH,
                       "%s has no faces; give it a closed mesh or take it out of the simulation.", name);
    for (int64_t i = 0; i < 3 * mesh->vertex_count; i++)
        if (!isfinite(mesh->positions[i]))
            return tlwFail(message, TLW_BAD_MESH,
                           "%s has a vertex (number %lld) whose position is not a finite number; delete that vertex or "
                           "undo what made it.",
                           name, (long long)(i / 3));
    for (int64_t i = 0; i < 3 * mesh->triangle_count; i++)
        if (mesh->triangles[i] < 0 || mesh->triangles[i] >= mesh->vertex_count)
            return tlwFail(message, TLW_BAD_MESH,
                           "%s has a face (number %lld) that uses vertex %d, but there are only %lld vertices.", name,
                           (long long)(i / 3), mesh->triangles[i], (long long)mesh->vertex_count);
    return TLW_OK;
}

// Leave out triangles that touch the same place twice: their other two edges cancel, so no hole appears.
static void dropCollapsed(tlwMesh *mesh, const int32_t *weld, tlwRepairReport *report)
{
    int64_t kept = 0;
    for (int64_t t = 0; t < mesh->triangle_count; t++) {
        int32_t v[3];
        memcpy(v, mesh->triangles + 3 * t, sizeof v);
        int32_t a = weld[v[0]], b = weld[v[1]], c = weld[v[2]];
        if (a != b && b != c && c != a)
            memcpy(mesh->triangles + 3 * kept++, v, sizeof v);
    }
    report->dropped = mesh->triangle_count - kept;
    mesh->triangle_count = kept;
}

static void turnTriangle(int32_t *v)
{
    int32_t swap = v[1];
    v[1] = v[2];
    v[2] = swap;
}

static double areaOf(const tlwMesh *mesh, int64_t t)
{
    tlwVec3 p[3];
    for (int k = 0; k < 3; k++) {
        const float *q = mesh->positions + 3 * (int64_t)mesh->triangles[3 * t + k];
        p[k] = (tlwVec3){q[0], q[1], q[2]};
    }
    return tlwLength(tlwCross(tlwSub(p[1], p[0]), tlwSub(p[2], p[0]))) / 2;
}

// Spread one orientation from triangle `seed` over edges with exactly two triangles. `turn` is 1 keep, 2 turn, 0 not
// seen. The orientation that most of the area has already wins.
static void spreadFrom(const tlwMesh *mesh, const int32_t *corners, const int32_t *twin, uint8_t *turn, int32_t *stack,
                       int64_t seed)
{
    int64_t size = 1;
    double kept = 0, turned = 0;
    turn[seed] = 1;
    stack[0] = (int32_t)seed;
    for (int64_t i = 0; i < size; i++) {
        int32_t t = stack[i];
        *(turn[t] == 1 ? &kept : &turned) += areaOf(mesh, t);
        for (int32_t h = 3 * t; h < 3 * t + 3; h++) {
            if (twin[h] < 0 || turn[twin[h] / 3])
                continue;
            bool agree = corners[h] != corners[twin[h]];
            turn[twin[h] / 3] = agree ? turn[t] : (uint8_t)(3 - turn[t]);
            stack[size++] = twin[h] / 3;
        }
    }
    for (int64_t i = 0; i < size && turned > kept; i++)
        turn[stack[i]] = (uint8_t)(3 - turn[stack[i]]);
}

// Turn triangles until neighbours agree. Returns false when memory is out.
static bool orientNeighbours(tlwMesh *mesh, int32_t *corners, const int32_t *sorted, tlwRepairReport *report)
{
    int64_t n = mesh->triangle_count;
    int32_t *twin = tlwAlloc(3 * (size_t)n, sizeof *twin);
    int32_t *stack = tlwAlloc((size_t)n, sizeof *stack);
    uint8_t *turn = tlwAlloc((size_t)n, 1);
    bool ok = twin && stack && turn;
    bool disagree = false;
    for (int64_t i = 0, end; ok && i < 3 * n; i = end) {
        end = tlwEdgeEnd(sorted, corners, 3 * n, i);
        for (int64_t j = i; j < end; j++)
            twin[sorted[j]] = end - i == 2 ? sorted[i + (j == i)] : -1;
        disagree |= end - i == 2 && corners[sorted[i]] == corners[sorted[i + 1]];
    }
    for (int64_t t = 0; ok && disagree && t < n; t++)
        if (!turn[t])
            spreadFrom(mesh, corners, twin, turn, stack, t);
    for (int64_t t = 0; ok && disagree && t < n; t++)
        if (turn[t] == 2) {
            turnTriangle(mesh->triangles + 3 * t);
            turnTriangle(corners + 3 * t);
            report->turned++;
        }
    tlwFree(twin);
    tlwFree(stack);
    tlwFree(turn);
    return ok;
}

static int32_t *weldedCorners(const tlwMesh *mesh, const int32_t *weld)
{
    int32_t *corners = tlwAlloc(3 * (size_t)mesh->triangle_count, sizeof *corners);
    for (int64_t i = 0; corners && i < 3 * mesh->triangle_count; i++)
        corners[i] = weld[mesh->triangles[i]];
    return corners;
}

static tlwResult closeAndOrient(tlwMesh *mesh, tlwMessage *message, tlwRepairReport *report)
{
    int32_t *weld = tlwWeldVertices(mesh->positions, mesh->vertex_count);
    if (!weld)
        return tlwFailMemory(message, "checking a mesh");
    dropCollapsed(mesh, weld, report);
    int32_t *corners = weldedCorners(mesh, weld);
    int32_t *sorted = corners ? tlwSortHalfEdges(NULL, corners, mesh->triangle_count, mesh->vertex_count) : NULL;
    tlwResult result = TLW_OK;
    if (!sorted || !orientNeighbours(mesh, corners, sorted, report))
        result = tlwFailMemory(message, "checking a mesh");
    if (result == TLW_OK && report->turned) { // half-edges have moved
        tlwFree(sorted);
        sorted = tlwSortHalfEdges(NULL, corners, mesh->triangle_count, mesh->vertex_count);
        if (!sorted)
            result = tlwFailMemory(message, "checking a mesh");
    }
    report->own_triangles = mesh->triangle_count;
    if (result == TLW_OK)
        result = tlwFillHoles(mesh, corners, sorted, message, report);
    tlwFree(sorted);
    tlwFree(corners);
    tlwFree(weld);
    return result;
}

static const char *nameOf(const char *object_name)
{
    return object_name && object_name[0] ? object_name : "An object";
}

tlwResult tlwRepairSolid(tlwMesh *mesh, const char *object_name, tlwMessage *message, tlwRepairReport *report)
{
    const char *name = nameOf(object_name);
    memset(report, 0, sizeof *report);
    TLW_TRY(refuseBadNumbers(mesh, name, message));
    double open_area = tlwGetMeshArea(mesh);
    TLW_TRY(closeAndOrient(mesh, message, report));
    double area = tlwGetMeshArea(mesh);
    report->filled = area > 0 ? fmax(0, 1 - open_area / area) : 0;
    if (!(area > 0))
        return tlwFail(message, TLW_BAD_MESH, "%s has faces, but none of them has an area; give it a closed mesh.",
                       name);
    TLW_TRY(tlwFaceOutwards(mesh, message, report));
    tlwVec3 low, high;
    tlwGetMeshBounds(mesh, &low, &high);
    // Rounding of its positions can give a plane this much volume.
    report->flat = !(tlwGetMeshVolume(mesh) > 1e-6 * area * tlwLength(tlwSub(high, low)));
    return TLW_OK;
}

tlwResult tlwRepairMesh(tlwMesh *mesh, const char *object_name, tlwMessage *message, tlwRepairReport *report)
{
    tlwRepairReport ignored;
    report = report ? report : &ignored;
    TLW_TRY(tlwRepairSolid(mesh, object_name, message, report));
    if (report->flat)
        return tlwFail(message, TLW_BAD_MESH,
                       "%s is flat and encloses no volume; give it some thickness (a Solidify modifier does it).",
                       nameOf(object_name));
    return TLW_OK;
}

void tlwDescribeRepair(const tlwRepairReport *report, const char *object_name, char *text, size_t size)
{
    if (size == 0)
        return;
    text[0] = 0;
    const char *name = nameOf(object_name);
    long long open = (long long)report->open_edges, holes = (long long)report->holes,
              turned = (long long)report->turned;
    if (open)
        snprintf(text, size, "%s is not closed: %lld open edge%s; filled.", name, open, open == 1 ? "" : "s");
    else if (holes)
        snprintf(text, size, "%s has faces that do not fit together: %lld gap%s; filled.", name, holes,
                 holes == 1 ? "" : "s");
    else if (report->inverted_islands)
        snprintf(text, size, "%s is inside out; turned round.", name);
    else if (turned)
        snprintf(text, size, "%s has %lld face%s that pointed the wrong way; turned round.", name, turned,
                 turned == 1 ? "" : "s");
}
