#include "step/views/smooth.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "base/vec.h"
#include "grid/sample.h"

#include <math.h>
#include <string.h>

#define SHRINK 0.5
#define GROW (-0.53) // waves shorter than some ten edges fade, longer ones keep their height
#define REACH 1.0    // cells: a solid holds vertices that are nearer, the more the nearer
#define BLOCK 1024

typedef struct Smooth {
    tlwShownMesh shown;
    tlwVec3 *sums; // of the neighbours of a vertex
    int32_t *counts;
    double step;
} Smooth;

// Every edge of a closed mesh is seen from both of its triangles, so each neighbour counts the same.
static void addNeighbours(const Smooth *s)
{
    const tlwMesh *mesh = s->shown.mesh;
    memset(s->sums, 0, (size_t)mesh->vertex_count * sizeof *s->sums);
    memset(s->counts, 0, (size_t)mesh->vertex_count * sizeof *s->counts);
    for (int64_t t = 0; t < mesh->triangle_count; t++) {
        const int32_t *v = mesh->triangles + 3 * t;
        for (int n = 0; n < 3; n++) {
            const float *x = mesh->positions + 3 * (int64_t)v[(n + 1) % 3];
            s->sums[v[n]] = tlwAdd(s->sums[v[n]], (tlwVec3){x[0], x[1], x[2]});
            s->counts[v[n]]++;
        }
    }
}

// How freely a vertex moves: 0 on a solid, 1 far from all.
static double getFreedom(const tlwShownMesh *shown, const float *x)
{
    if (!shown->solid)
        return 1;
    const tlwGrid *grid = shown->grid;
    const double origin[3] = {grid->origin.x, grid->origin.y, grid->origin.z};
    float p[3];
    for (int a = 0; a < 3; a++)
        p[a] = (float)((x[a] - origin[a]) / grid->dx);
    return tlwClamp(tlwSampleNode(grid, shown->solid, p) / (REACH * grid->dx), 0, 1);
}

static bool isOnSide(const tlwGrid *grid, int axis, double x)
{
    const double origin[3] = {grid->origin.x, grid->origin.y, grid->origin.z};
    double cells = (x - origin[axis]) / grid->dx;
    return cells < 1e-3 || cells > grid->extent[axis] - 1e-3;
}

static void moveRange(void *context, int64_t begin, int64_t end)
{
    const Smooth *s = context;
    for (int64_t v = begin; v < end; v++) {
        float *x = s->shown.mesh->positions + 3 * v;
        if (!s->counts[v])
            continue;
        double share = s->step * getFreedom(&s->shown, x);
        const double mean[3] = {s->sums[v].x / s->counts[v], s->sums[v].y / s->counts[v], s->sums[v].z / s->counts[v]};
        for (int a = 0; a < 3; a++)
            if (!isOnSide(s->shown.grid, a, x[a]))
                x[a] = (float)(x[a] + share * (mean[a] - x[a]));
    }
}

tlwResult tlwSmoothMesh(tlwThreads *threads, const tlwShownMesh *shown, int rounds)
{
    int64_t count = shown->mesh->vertex_count;
    if (!count || rounds <= 0)
        return TLW_OK;
    Smooth s = {.shown = *shown,
                .sums = tlwAlloc((size_t)count, sizeof *s.sums),
                .counts = tlwAlloc((size_t)count, sizeof *s.counts)};
    bool ok = s.sums && s.counts;
    for (int n = 0; ok && n < 2 * rounds; n++) {
        s.step = n % 2 ? GROW : SHRINK;
        addNeighbours(&s);
        tlwParallelFor(threads, count, BLOCK, moveRange, &s);
    }
    tlwFree(s.sums);
    tlwFree(s.counts);
    return ok ? TLW_OK : TLW_OUT_OF_MEMORY;
}
