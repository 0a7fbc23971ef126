#include "step/views/volume.h"

#include "base/memory.h"
#include "base/vec.h"
#include "grid/sample.h"

#define SLIDE 0.5     // cells from a solid within which a vertex slides along it
#define MOST_OUT 0.15 // cells that the surface moves
#define MOST_IN 0.03
#define FLAT 0.85  // a vertex is smooth when this share of the area around it looks along its normal
#define CLOSE 1e-4 // share of the volume: near enough
#define ROUNDS 4
#define BLOCK 1024

typedef struct Vertex {
    tlwVec3 way; // first its share of the mesh's area as a vector (cells^2), then its path per cell of shift
    double area; // sum of the areas' sizes
    bool flat;
} Vertex;

typedef struct Third {
    tlwVec3 way;
    double area;
} Third;

typedef struct Fit {
    tlwShownMesh shown;
    Vertex *vertices;
    Third *thirds; // of triangles
    double shift;  // cells
} Fit;

// Distance to solids in cells and its gradient at p (cells).
static double sampleSolid(const tlwShownMesh *shown, tlwVec3 p, tlwVec3 *gradient)
{
    if (!shown->solid) {
        *gradient = (tlwVec3){0, 0, 0};
        return INFINITY;
    }
    float at[3] = {(float)p.x, (float)p.y, (float)p.z}, g[3];
    double per_cell = 1 / shown->grid->dx, s = tlwSampleGradient(shown->grid, shown->solid, 0, at, g) * per_cell;
    *gradient = tlwScale((tlwVec3){g[0], g[1], g[2]}, per_cell);
    return s;
}

// A third of each triangle's area, for each of its corners.
static void areaRange(void *context, int64_t begin, int64_t end)
{
    const Fit *fit = context;
    for (int64_t t = begin; t < end; t++) {
        const int32_t *v = fit->shown.mesh->triangles + 3 * t;
        tlwVec3 a = tlwGetShownPlace(&fit->shown, v[0]), b = tlwGetShownPlace(&fit->shown, v[1]),
                c = tlwGetShownPlace(&fit->shown, v[2]);
        tlwVec3 area = tlwScale(tlwCross(tlwSub(b, a), tlwSub(c, a)), 1.0 / 6);
        fit->thirds[t] = (Third){area, tlwLength(area)};
    }
}

// Add the thirds to the vertices, in the order of triangles.
static void addAreas(tlwThreads *threads, const Fit *fit)
{
    int64_t count = fit->shown.mesh->triangle_count;
    tlwParallelFor(threads, count, BLOCK, areaRange, (void *)fit);
    for (int64_t t = 0; t < count; t++)
        for (int n = 0; n < 3; n++) {
            Vertex *vertex = &fit->vertices[fit->shown.mesh->triangles[3 * t + n]];
            vertex->way = tlwAdd(vertex->way, fit->thirds[t].way);
            vertex->area += fit->thirds[t].area;
        }
}

static bool isOnSide(const tlwGrid *grid, int axis, double x)
{
    return fabs(x) < 1e-3 || fabs(x - grid->extent[axis]) < 1e-3;
}

// The path of a vertex at p that looks along `normal`: not into solids, and along the domain's sides.
static tlwVec3 findWay(const tlwShownMesh *shown, tlwVec3 p, tlwVec3 normal)
{
    tlwVec3 g;
    double s = sampleSolid(shown, p, &g), square = tlwDot(g, g), into = tlwDot(normal, g);
    if (s < SLIDE && into < 0 && square > 0.01)
        normal = tlwMulAdd(normal, -into / square * (s > 0 ? 1 - s / SLIDE : 1), g);
    return (tlwVec3){isOnSide(shown->grid, 0, p.x) ? 0 : normal.x, isOnSide(shown->grid, 1, p.y) ? 0 : normal.y,
                     isOnSide(shown->grid, 2, p.z) ? 0 : normal.z};
}

// Turn areas into paths. Returns the volume gained by a shift of one cell.
static double wayRange(void *context, int64_t begin, int64_t end)
{
    const Fit *fit = context;
    double rate = 0;
    for (int64_t v = begin; v < end; v++) {
        Vertex *vertex = &fit->vertices[v];
        tlwVec3 area = vertex->way;
        vertex->flat = tlwLength(area) > FLAT * vertex->area;
        vertex->way = findWay(&fit->shown, tlwGetShownPlace(&fit->shown, v), tlwNormalize(area));
        rate += tlwDot(vertex->way, area);
    }
    return rate;
}

// Move along one axis, but stay within the voxel.
static double moveWithin(int detail, double x, double by)
{
    const double margin = 0.01;
    double at = detail * x - 0.5, base = floor(at);
    return by == 0 ? x : (tlwClamp(at + detail * by, base + margin, base + 1 - margin) + 0.5) / detail;
}

// Smooth parts all move by the same distance: staying within voxels would make steps where the surface passes from one
// voxel to the next. Drops and edges stay within their voxels, so that no vertex can meet another.
static void moveRange(void *context, int64_t begin, int64_t end)
{
    const Fit *fit = context;
    const tlwGrid *grid = fit->shown.grid;
    for (int64_t v = begin; v < end; v++) {
        tlwVec3 p = tlwGetShownPlace(&fit->shown, v), by = tlwScale(fit->vertices[v].way, fit->shift);
        tlwVec3 q = tlwAdd(p, by);
        int detail = fit->shown.detail;
        if (!fit->vertices[v].flat)
            q = (tlwVec3){moveWithin(detail, p.x, by.x), moveWithin(detail, p.y, by.y), moveWithin(detail, p.z, by.z)};
        float *x = fit->shown.mesh->positions + 3 * v;
        x[0] = (float)(grid->origin.x + grid->dx * q.x);
        x[1] = (float)(grid->origin.y + grid->dx * q.y);
        x[2] = (float)(grid->origin.z + grid->dx * q.z);
    }
}

// Shift by shift: each one corrects what the one before has gained for its way.
static tlwResult fit(tlwThreads *threads, Fit *fit, double rate, double target, double *volume)
{
    double moved = 0;
    for (int round = 0; round < ROUNDS && rate > 0 && fabs(target - *volume) > CLOSE * target; round++) {
        fit->shift = tlwClamp(moved + (target - *volume) / rate, -MOST_IN, MOST_OUT) - moved;
        if (fit->shift == 0)
            break;
        double before = *volume;
        moved += fit->shift;
        tlwParallelFor(threads, fit->shown.mesh->vertex_count, BLOCK, moveRange, fit);
        TLW_TRY(tlwGetOpenVolume(threads, &fit->shown, volume));
        rate = tlwClamp((*volume - before) / fit->shift, 0.5 * rate, 2 * rate);
    }
    return TLW_OK;
}

tlwResult tlwFitVolume(tlwThreads *threads, const tlwShownMesh *shown, double target, double *volume)
{
    double dx = shown->grid->dx, cell = dx * dx * dx;
    int64_t count = shown->mesh->vertex_count;
    TLW_TRY(tlwGetOpenVolume(threads, shown, volume));
    if (!count || !(target > 0))
        return TLW_OK;
    Fit f = {.shown = *shown,
             .vertices = tlwAlloc((size_t)count, sizeof *f.vertices),
             .thirds = tlwAlloc((size_t)shown->mesh->triangle_count, sizeof *f.thirds)};
    bool ok = f.vertices && f.thirds;
    if (ok)
        addAreas(threads, &f);
    tlwFree(f.thirds);
    double rate = ok ? cell * tlwParallelSum(threads, count, BLOCK, wayRange, &f) : 0;
    tlwResult result = ok ? fit(threads, &f, rate, target, volume) : TLW_OUT_OF_MEMORY;
    tlwFree(f.vertices);
    return result;
}
