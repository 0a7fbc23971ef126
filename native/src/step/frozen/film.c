#include "step/frozen/film.h"

#include "base/memory.h"
#include "grid/sample.h"

#include <math.h>

#define THINNEST 0.02 // cells: thinner films cannot be told from none
#define THICKEST 1.0  // cells: thicker ones are liquid that the solves see
#define SEEN 0.5      // cells: from here on the level set knows whether liquid fills the gap
#define PLATE 0.42    // squeezed melt under a square plate: force over viscosity, speed and width^4 / thickness^3
#define FACING 0.2    // least cosine between the normals of piece and solid
#define FLAT 0.9      // the same where a gap counts: cells round off the edges of a foot

typedef struct Films {
    const tlwPieceSearch *search;
    const tlwScene *scene;
    const tlwFlow *flow;
    const tlwGrid *grid;
    const int32_t *near;
    const float *distance, *shift;
    tlwPieces *pieces;
    int64_t strides[3];
} Films;

// A patch of a piece's surface in front of a hot solid.
typedef struct Patch {
    tlwVec3 arm, normal, slide; // from the piece's centre; of the solid; velocity of the solid
    double area, gap;           // m2, along the solid; m
    double facing;              // cosine between the normals of piece and solid
    double viscosity;           // Pa s
} Patch;

// Viscosity of a film between melting wax and a hot solid: the mean of the fluidity over its temperatures.
static double getFilmViscosity(const tlwMaterial *material, double hot)
{
    double cold = material->def.liquidus, fluidity = 0;
    for (int n = 0; n < 3; n++)
        fluidity += (n == 1 ? 4 : 1) / (6 * tlwGetViscosity(material, cold + 0.5 * n * (hot - cold), 1));
    return 1 / fluidity;
}

static tlwVec3 getSlope(const Films *f, int64_t c)
{
    const float *d = f->distance + c;
    return (tlwVec3){d[f->strides[0]] - d[-f->strides[0]], d[f->strides[1]] - d[-f->strides[1]],
                     d[f->strides[2]] - d[-f->strides[2]]};
}

static bool isFilled(const Films *f, const float p[3], tlwVec3 normal, double gap)
{
    float middle[3] = {p[0] - (float)(0.5 * gap * normal.x), p[1] - (float)(0.5 * gap * normal.y),
                       p[2] - (float)(0.5 * gap * normal.z)};
    return gap < SEEN || tlwSampleCentre(f->grid, tlwGetFloats(f->grid, f->flow->phi), middle) < 0;
}

// The object that the deepest corner of a cell names.
static int findObject(const tlwFlow *flow, int64_t c)
{
    const tlwGrid *grid = &flow->grid;
    const float *solid = tlwGetFloats(grid, flow->solid);
    int64_t best = c;
    for (int q = 1; q < 8; q++) {
        int64_t n = c + (q & 1) + (q >> 1 & 1) * grid->stride_y + (q >> 2) * grid->stride_z;
        best = solid[n] < solid[best] ? n : best;
    }
    return ((const int16_t *)grid->fields[flow->solid_object].data)[best];
}

bool tlwIsOnHot(const tlwPieceSearch *search, int64_t cell)
{
    const tlwFlow *flow = search->flow;
    return tlwMeltsOn(search->solids->scene, search->heat, findObject(flow, cell),
                      tlwGetBytes(&flow->grid, flow->material)[cell]);
}

// The surface of a piece crosses the line from the centre of cell c (`at`) to that of its neighbour n. False when no
// film of melt lies between this place and a hot solid.
static bool makePatch(const Films *f, int64_t c, int64_t n, const int at[3], int axis, int side, Patch *patch)
{
    double dx = f->grid->dx, share = f->distance[c] / ((double)f->distance[c] - f->distance[n]);
    float p[3] = {(float)at[0] + 0.5f, (float)at[1] + 0.5f, (float)at[2] + 0.5f}, slope[3];
    p[axis] += (float)(side * share);
    double gap = tlwSampleGradient(f->grid, tlwGetFloats(f->grid, f->flow->solid), 0, p, slope) / dx;
    if (gap > THICKEST)
        return false;
    tlwVec3 out = getSlope(f, c), wall = {slope[0], slope[1], slope[2]};
    double length = tlwLength(out), steep = tlwLength(wall);
    patch->facing = length > 0 && steep > 0 ? -tlwDot(out, wall) / (length * steep) : 0;
    if (patch->facing < FACING)
        return false;
    int object = findObject(f->flow, gap < 0.5 ? n : c), material = tlwGetBytes(f->grid, f->flow->material)[c];
    wall = tlwScale(wall, 1 / steep);
    if (!tlwMeltsOn(f->scene, f->search->heat, object, material) || !isFilled(f, p, wall, gap))
        return false;
    patch->viscosity = getFilmViscosity(&f->scene->materials[material], f->search->heat[object].temperature);
    patch->area = patch->facing * fabs(axis == 0 ? out.x : axis == 1 ? out.y : out.z) / length * dx * dx;
    patch->gap = (gap + f->shift[f->near[c] - 1]) * dx; // a foot is flat
    patch->normal = wall;
    patch->arm =
        tlwSub(tlwMulAdd(f->grid->origin, dx, (tlwVec3){p[0], p[1], p[2]}), f->pieces->items[f->near[c] - 1].centre);
    patch->slide = (tlwVec3){tlwGetFloats(f->grid, f->flow->solid_velocity[0])[n],
                             tlwGetFloats(f->grid, f->flow->solid_velocity[1])[n],
                             tlwGetFloats(f->grid, f->flow->solid_velocity[2])[n]};
    return true;
}

// Add the forces for each of the six parts of a motion of unit size: `along` the solid and `across`, N s/m.
static void addForces(const Patch *patch, double along, double across, tlwFilm *film)
{
    for (int n = 0; n < 7; n++) {
        tlwVec3 unit = {n % 3 == 0, n % 3 == 1, n % 3 == 2};
        tlwVec3 v = n == 6 ? patch->slide : n < 3 ? unit : tlwCross(unit, patch->arm);
        tlwVec3 force = tlwMulAdd(tlwScale(v, along), (across - along) * tlwDot(v, patch->normal), patch->normal);
        tlwVec3 torque = tlwCross(patch->arm, force);
        const double all[6] = {force.x, force.y, force.z, torque.x, torque.y, torque.z};
        for (int m = 0; m < 6; m++)
            *(n == 6 ? &film->still[m] : &film->drag[m][n]) += all[m];
    }
}

// A patch alone knows its gap only to a tenth of a cell, from a few particles; all of them together know the film's
// thickness much better. Melt leaves a film at its edges, so across it the drag grows with the film's width squared.
static void addPatch(const Films *f, const Patch *patch, tlwFilm *film)
{
    double thickness = film->flat > 0 ? fmax(film->gap / film->flat, THINNEST * f->grid->dx) : f->grid->dx;
    double along = patch->viscosity * patch->area / thickness;
    addForces(patch, along, PLATE * along * film->area / (thickness * thickness), film);
}

// First add up area and gap of the films, then their drag.
static void addCell(const Films *f, int64_t c, const int at[3], bool measure)
{
    tlwFilm *film = &f->pieces->films[f->near[c] - 1];
    for (int axis = 0; axis < 3; axis++)
        for (int side = -1; side <= 1; side += 2) {
            int64_t n = c + side * f->strides[axis];
            Patch patch;
            if (f->distance[n] < 0 || !makePatch(f, c, n, at, axis, side, &patch))
                continue;
            if (!measure) {
                addPatch(f, &patch, film);
                continue;
            }
            film->area += patch.area;
            film->flat += patch.facing > FLAT ? patch.area : 0;
            film->gap += patch.facing > FLAT ? patch.area * patch.gap : 0;
        }
}

bool tlwIsAnythingHot(const tlwPieceSearch *search)
{
    const tlwScene *scene = search->solids->scene;
    for (int o = 0; search->heat && o < scene->object_count; o++)
        for (int m = 0; m < scene->material_count; m++)
            if (scene->materials[m].melts && tlwMeltsOn(scene, search->heat, o, m))
                return true;
    return false;
}

// In the order of the tiles, so that the sums are the same on any number of threads.
static void addCells(const Films *f, const bool *dragged, bool measure)
{
    for (int t = 0; t < f->grid->tile_count; t++)
        TLW_FOR_ROWS(f->grid, &f->grid->tiles[t], j, k, row)
            for (int i = 0; i < TLW_TILE; i++) {
                int64_t c = row + i;
                if (f->near[c] && f->distance[c] < 0 && f->distance[c] > -1 && !dragged[f->near[c] - 1])
                    addCell(f, c, (int[3]){f->grid->tiles[t].cell[0] + i, (int)j, k}, measure);
            }
}

tlwResult tlwFindFilms(const tlwPieceSearch *search, const int32_t *near, const float *distance, const float *shift,
                       tlwPieces *pieces)
{
    if (!tlwIsAnythingHot(search))
        return TLW_OK;
    const tlwGrid *grid = &search->flow->grid;
    Films f = {.search = search,
               .scene = search->solids->scene,
               .flow = search->flow,
               .grid = grid,
               .near = near,
               .distance = distance,
               .shift = shift,
               .pieces = pieces,
               .strides = {1, grid->stride_y, grid->stride_z}};
    bool *dragged = tlwAlloc((size_t)pieces->count, sizeof *dragged);
    pieces->films = tlwAlloc((size_t)pieces->count, sizeof *pieces->films);
    bool ok = dragged && pieces->films;
    for (int64_t n = 0; ok && n < pieces->shape_count; n++)
        dragged[pieces->shapes[n].piece - 1] = true;
    if (ok) {
        addCells(&f, dragged, true);
        addCells(&f, dragged, false);
    }
    tlwFree(dragged);
    return ok ? TLW_OK : TLW_OUT_OF_MEMORY;
}

// Solve a x = b by elimination; a is symmetric and positive. b becomes x.
static void solve6(double a[6][6], double b[6])
{
    for (int n = 0; n < 6; n++)
        for (int m = n + 1; m < 6; m++) {
            double part = a[m][n] / a[n][n];
            for (int k = n; k < 6; k++)
                a[m][k] -= part * a[n][k];
            b[m] -= part * b[n];
        }
    for (int n = 5; n >= 0; n--) {
        for (int k = n + 1; k < 6; k++)
            b[n] -= a[n][k] * b[k];
        b[n] /= a[n][n];
    }
}

void tlwDragPiece(const tlwFilm *film, const tlwPiece *piece, double dt, tlwVec3 *velocity, tlwVec3 *spin)
{
    double a[6][6] = {{0}};
    tlwVec3 p = tlwScale(*velocity, piece->mass), l = tlwMulMat3(piece->inertia, *spin);
    double b[6] = {p.x, p.y, p.z, l.x, l.y, l.z};
    for (int n = 0; n < 6; n++) {
        for (int m = 0; m < 6; m++)
            a[n][m] = dt * film->drag[n][m] + (n < 3   ? (n == m) * piece->mass
                                               : m < 3 ? 0
                                                       : piece->inertia.m[n - 3][m - 3]);
        b[n] += dt * film->still[n];
    }
    solve6(a, b);
    *velocity = (tlwVec3){b[0], b[1], b[2]};
    *spin = (tlwVec3){b[3], b[4], b[5]};
}
