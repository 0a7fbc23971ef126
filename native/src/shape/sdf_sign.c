#include "shape/sdf_sign.h"

#include "shape/sdf_data.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Crossing {
    float x;      // in voxels
    int32_t step; // +1 when the line enters, -1 when it leaves
} Crossing;

struct tlwSdfLines {
    int32_t count[2]; // lines along y and z
    int64_t *first;   // per line: its crossings are list[first[l]] .. list[first[l + 1] - 1]
    Crossing *list;
};

typedef struct Triangle {
    double p[3][3]; // in voxels
} Triangle;

static void loadTriangle(const tlwSdf *sdf, const tlwMesh *mesh, int64_t t, Triangle *triangle)
{
    for (int k = 0; k < 3; k++)
        for (int a = 0; a < 3; a++) {
            double x = mesh->positions[3 * (int64_t)mesh->triangles[3 * t + k] + a];
            triangle->p[k][a] = (x - sdf->origin[a]) / sdf->voxel;
        }
}

// Which side of the edge a-b, seen along x, a line lies on. Both triangles of an edge must get bitwise the same answer,
// so the ends are first put into a fixed order. A line that hits the edge counts as left of it, as if all lines were
// moved by (-e^2, e) for a tiny e.
static bool isLeft(const double *a, const double *b, double y, double z)
{
    bool ordered = a[1] < b[1] || (a[1] == b[1] && a[2] < b[2]);
    const double *p = ordered ? a : b, *q = ordered ? b : a;
    bool left = (q[1] - p[1]) * (z - p[2]) - (q[2] - p[2]) * (y - p[1]) >= 0;
    return left == ordered;
}

typedef void CrossFn(void *user, int64_t line, Crossing crossing);

static void crossTriangle(const Triangle *t, const int32_t lines[2], CrossFn *fn, void *user)
{
    const double *a = t->p[0], *b = t->p[1], *c = t->p[2];
    double area = (b[1] - a[1]) * (c[2] - a[2]) - (b[2] - a[2]) * (c[1] - a[1]); // twice, seen along x
    if (area == 0)
        return;
    double ylow = fmin(a[1], fmin(b[1], c[1])), yhigh = fmax(a[1], fmax(b[1], c[1]));
    double zlow = fmin(a[2], fmin(b[2], c[2])), zhigh = fmax(a[2], fmax(b[2], c[2]));
    int64_t j0 = (int64_t)fmax(0, ceil(ylow)), j1 = (int64_t)fmin(lines[0] - 1, floor(yhigh));
    int64_t k0 = (int64_t)fmax(0, ceil(zlow)), k1 = (int64_t)fmin(lines[1] - 1, floor(zhigh));
    for (int64_t k = k0; k <= k1; k++)
        for (int64_t j = j0; j <= j1; j++) {
            double y = (double)j, z = (double)k;
            bool ab = isLeft(a, b, y, z), bc = isLeft(b, c, y, z), ca = isLeft(c, a, y, z);
            if (ab != bc || bc != ca)
                continue;
            double u = (b[1] - a[1]) * (z - a[2]) - (b[2] - a[2]) * (y - a[1]); // weight of c
            double v = (y - a[1]) * (c[2] - a[2]) - (z - a[2]) * (c[1] - a[1]); // weight of b
            double x = a[0] + (v * (b[0] - a[0]) + u * (c[0] - a[0])) / area;
            x = fmax(fmin(a[0], fmin(b[0], c[0])),
                     fmin(fmax(a[0], fmax(b[0], c[0])), x)); // rounding could put x far outside of a sliver
            // A triangle that is counter-clockwise seen from +x faces +x, so the line leaves the mesh here.
            fn(user, k * lines[0] + j, (Crossing){(float)x, ab ? -1 : 1});
        }
}

static void countCrossing(void *user, int64_t line, Crossing crossing)
{
    (void)crossing;
    ((tlwSdfLines *)user)->first[line + 2]++;
}

static void storeCrossing(void *user, int64_t line, Crossing crossing)
{
    tlwSdfLines *lines = user;
    lines->list[lines->first[line + 1]++] = crossing;
}

static int compareCrossings(const void *a, const void *b)
{
    const Crossing *x = a, *y = b;
    if (x->x != y->x)
        return x->x < y->x ? -1 : 1;
    return y->step - x->step;
}

static bool fillLines(const tlwSdf *sdf, const tlwMesh *mesh, tlwSdfLines *lines)
{
    lines->count[0] = 8 * sdf->blocks[1] + 1;
    lines->count[1] = 8 * sdf->blocks[2] + 1;
    int64_t n = (int64_t)lines->count[0] * lines->count[1];
    lines->first = tlwAlloc((size_t)n + 2, sizeof *lines->first);
    if (!lines->first)
        return false;
    Triangle triangle;
    for (int64_t t = 0; t < mesh->triangle_count; t++) {
        loadTriangle(sdf, mesh, t, &triangle);
        crossTriangle(&triangle, lines->count, countCrossing, lines);
    }
    for (int64_t l = 2; l <= n + 1; l++)
        lines->first[l] += lines->first[l - 1];
    lines->list = tlwAlloc((size_t)lines->first[n + 1], sizeof *lines->list);
    if (!lines->list)
        return false;
    for (int64_t t = 0; t < mesh->triangle_count; t++) {
        loadTriangle(sdf, mesh, t, &triangle);
        crossTriangle(&triangle, lines->count, storeCrossing, lines);
    }
    for (int64_t l = 0; l < n; l++) {
        int64_t size = lines->first[l + 1] - lines->first[l];
        if (size > 1)
            qsort(lines->list + lines->first[l], (size_t)size, sizeof *lines->list, compareCrossings);
    }
    return true;
}

tlwSdfLines *tlwCreateSdfLines(const tlwSdf *sdf, const tlwMesh *mesh)
{
    tlwSdfLines *lines = tlwAlloc(1, sizeof *lines);
    if (lines && fillLines(sdf, mesh, lines))
        return lines;
    tlwDestroySdfLines(lines);
    return NULL;
}

void tlwDestroySdfLines(tlwSdfLines *lines)
{
    if (!lines)
        return;
    tlwFree(lines->first);
    tlwFree(lines->list);
    tlwFree(lines);
}

void tlwFindInside(const tlwSdfLines *lines, const int32_t node[3], int count, bool *inside)
{
    int64_t line = (int64_t)node[2] * lines->count[0] + node[1];
    int64_t i = lines->first[line], end = lines->first[line + 1];
    int32_t winding = 0;
    for (int n = 0; n < count; n++) {
        for (; i < end && lines->list[i].x < (float)(node[0] + n); i++)
            winding += lines->list[i].step;
        inside[n] = winding != 0;
    }
}
