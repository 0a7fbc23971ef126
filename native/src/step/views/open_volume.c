#include "step/views/open_volume.h"

#include "base/memory.h"
#include "step/obstacles/face_share.h"

#include <limits.h>
#include <math.h>

// Vertical lines pierce the mesh. Where a line leaves the mesh, the solid below that place counts; where the line
// enters it, that solid is taken off again. What is left is the solid inside the mesh. Lines stand at random places, so
// that walls along the grid are met as often as they should.
enum { LINES = 3, CELL_LINES = LINES * LINES, STACK_LINES = TLW_TILE * TLW_TILE * CELL_LINES };
#define BLOCK 1024

// Active tiles above each other, near solids.
typedef struct Stack {
    int tile[2];              // their coordinates along x and y
    int64_t first, triangles; // in Pierce.list
} Stack;

typedef struct Pierce {
    const tlwShownMesh *shown;
    int low[3], size[3]; // of the window, in tiles
    int *lookup;         // stack over each tile of the window's floor, or -1
    Stack *stacks;
    int count;
    int64_t *list; // triangles over each stack
} Pierce;

// ---------------------------------------------------------------------------------------------------------------------
// Which tiles are near solids

static bool hasSolid(const tlwGrid *grid, const float *solid, const tlwTile *tile)
{
    TLW_FOR_ROWS(grid, tile, j, k, row) {
        if (j < 0 || j > grid->dims[1] || k < 0 || k > grid->dims[2])
            continue;
        for (int i = 0; i < TLW_TILE; i++) {
            int x = tile->cell[0] + i;
            if (solid[row + i] < 0 && x >= 0 && x <= grid->dims[0])
                return true;
        }
    }
    return false;
}

static void solidRange(void *context, int64_t begin, int64_t end)
{
    const Pierce *p = ((void **)context)[0];
    uint8_t *found = ((void **)context)[1];
    for (int64_t t = begin; t < end; t++)
        found[t] = hasSolid(p->shown->grid, p->shown->solid, &p->shown->grid->tiles[t]);
}

static int floorPlace(const Pierce *p, int x, int y)
{
    return x - p->low[0] + p->size[0] * (y - p->low[1]);
}

// A solid's node also acts on the cells before it, which may belong to the tile before.
static void markStacks(Pierce *p, const uint8_t *found)
{
    const tlwGrid *grid = p->shown->grid;
    for (int t = 0; t < grid->tile_count; t++)
        for (int n = 0; n < 4 && found[t]; n++) {
            int x = tlwFloorDiv(grid->tiles[t].cell[0], TLW_TILE) - (n & 1),
                y = tlwFloorDiv(grid->tiles[t].cell[1], TLW_TILE) - (n >> 1);
            p->lookup[floorPlace(p, x, y)] = 1;
        }
    for (int n = 0; n < p->size[0] * p->size[1]; n++) {
        if (p->lookup[n])
            p->stacks[p->count] = (Stack){.tile = {p->low[0] + n % p->size[0], p->low[1] + n / p->size[0]}};
        p->lookup[n] = p->lookup[n] ? p->count++ : -1;
    }
}

// A triangle of the mesh, in cells, and its bounds.
typedef struct Facet {
    tlwVec3 corner[3];
    const int32_t *vertex;
    double low[2], high[2];
    double bottom; // along z
} Facet;

static inline double least3(double a, double b, double c)
{
    double least = a < b ? a : b;
    return c < least ? c : least;
}

static inline double most3(double a, double b, double c)
{
    return -least3(-a, -b, -c);
}

static inline Facet getFacet(const tlwShownMesh *shown, int64_t triangle)
{
    Facet f = {.vertex = shown->mesh->triangles + 3 * triangle};
    for (int n = 0; n < 3; n++)
        f.corner[n] = tlwGetShownPlace(shown, f.vertex[n]);
    const tlwVec3 *c = f.corner;
    f.bottom = least3(c[0].z, c[1].z, c[2].z);
    f.low[0] = least3(c[0].x, c[1].x, c[2].x);
    f.low[1] = least3(c[0].y, c[1].y, c[2].y);
    f.high[0] = most3(c[0].x, c[1].x, c[2].x);
    f.high[1] = most3(c[0].y, c[1].y, c[2].y);
    return f;
}

// Tiles of the floor under a triangle: the range, within the window.
static void findTiles(const Pierce *p, int64_t triangle, int low[2], int high[2])
{
    Facet f = getFacet(p->shown, triangle);
    for (int a = 0; a < 2; a++) {
        low[a] = (int)fmax(floor(f.low[a] / TLW_TILE), p->low[a]);
        high[a] = (int)fmin(floor(f.high[a] / TLW_TILE), p->low[a] + p->size[a] - 1);
    }
}

// Count the triangles over each stack, then list them.
static tlwResult listTriangles(Pierce *p)
{
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t t = 0; t < p->shown->mesh->triangle_count; t++) {
            int low[2], high[2];
            findTiles(p, t, low, high);
            for (int y = low[1]; y <= high[1]; y++)
                for (int x = low[0]; x <= high[0]; x++) {
                    int s = p->lookup[floorPlace(p, x, y)];
                    if (s >= 0 && pass)
                        p->list[p->stacks[s].first + p->stacks[s].triangles] = t;
                    if (s >= 0)
                        p->stacks[s].triangles++;
                }
        }
        int64_t sum = 0;
        for (int s = 0; s < p->count && !pass; s++) {
            p->stacks[s].first = sum;
            sum += p->stacks[s].triangles;
            p->stacks[s].triangles = 0;
        }
        if (!pass && !(p->list = tlwAlloc((size_t)sum + 1, sizeof *p->list)))
            return TLW_OUT_OF_MEMORY;
    }
    return TLW_OK;
}

// ---------------------------------------------------------------------------------------------------------------------
// The lines of a stack

typedef struct Lines {
    const tlwGrid *grid;
    const float *solid;
    int cell[2];  // the stack's first
    int *level;   // per tile of the window's height: how many active tiles of the stack are below it
    float *below; // [line][cell, counted through the active tiles]: solid below the cell's lower side, in cells
    int height;   // cells of a line
    bool met[TLW_TILE * TLW_TILE];                 // whether the mesh is over the cells above each other
    int top[TLW_TILE * TLW_TILE];                  // above this height no solid is in them
    double at[TLW_TILE * TLW_TILE][CELL_LINES][2]; // places of their lines within a cell
} Lines;

// Place of a line within its cell. From cell to cell the places move on by powers of the inverse plastic number, with
// which no wall can keep step: lines at random places would need to be many more.
static void getLine(int i, int j, int n, double at[2])
{
    const double a = 0.7548776662466927, b = 0.5698402909980532;
    double x = a * i + b * j + b * n, y = b * i - a * j + a * n;
    int row = n / LINES;
    at[0] = (n % LINES + x - floor(x)) / LINES;
    at[1] = (row + y - floor(y)) / LINES;
}

// Distances at the corners of a cell and how they bend between the corners.
typedef struct Bent {
    float corner[8];
    float bend[3]; // second differences along each axis
} Bent;

// Straight lines between nodes would leave a film around a ball and fill the corners of a room. Of the second
// differences at the corners the smallest counts, and none where they disagree: that is a kink. Corners inside the
// solid do not count: thin walls have a kink there.
static Bent getBent(const Lines *l, int64_t c)
{
    const int64_t stride[3] = {1, l->grid->stride_y, l->grid->stride_z};
    Bent b;
    for (int a = 0; a < 3; a++) {
        float least = INFINITY, most = -INFINITY;
        for (int q = 0; q < 8; q++) {
            const float *s = l->solid + c + (q & 1) * stride[0] + (q >> 1 & 1) * stride[1] + (q >> 2) * stride[2];
            float second = s[-stride[a]] - 2 * s[0] + s[stride[a]];
            b.corner[q] = s[0];
            if (s[0] < 0)
                continue;
            least = second < least ? second : least;
            most = second > most ? second : most;
        }
        b.bend[a] = most < least ? 0 : least > 0 ? least : most < 0 ? most : 0;
    }
    return b;
}

// Distances at the lower end, the middle and the upper end of a line through a cell.
static void getDistances(const Bent *b, const double at[2], double distance[3])
{
    double x = at[0], y = at[1], bent = 0.5 * (x * (1 - x) * b->bend[0] + y * (1 - y) * b->bend[1]);
    for (int n = 0; n < 2; n++) {
        const float *s = b->corner + 4 * n;
        distance[2 * n] = (1 - y) * ((1 - x) * s[0] + x * s[1]) + y * ((1 - x) * s[2] + x * s[3]) - bent;
    }
    distance[1] = 0.5 * (distance[0] + distance[2]) - 0.125 * b->bend[2];
}

// Length below zero, up to the share `part`, of a line whose values go from one end to the other.
static double lengthBelowZero(double low, double high, double part)
{
    if (low < 0 && high < 0)
        return part;
    if (low >= 0 && high >= 0)
        return 0;
    double zero = low / (low - high);
    return low < 0 ? fmin(part, zero) : fmax(part - zero, 0);
}

static double lengthInside(const double distance[3], double part)
{
    return 0.5 * (lengthBelowZero(distance[0], distance[1], fmin(2 * part, 1)) +
                  lengthBelowZero(distance[1], distance[2], fmax(2 * part - 1, 0)));
}

// Whether a solid is in a cell, and whether all corners are inside it. Sides of the domain do not count: the mesh ends
// there.
static bool nearsSolid(const Lines *l, int64_t c, bool *whole)
{
    const float *s = l->solid + c;
    float sides[3];
    int64_t sy = l->grid->stride_y, sz = l->grid->stride_z;
    int inside = (s[0] < 0) + (s[1] < 0) + (s[sy] < 0) + (s[sy + 1] < 0) + (s[sz] < 0) + (s[sz + 1] < 0) +
                 (s[sy + sz] < 0) + (s[sy + sz + 1] < 0);
    *whole = inside == 8;
    return inside && !tlwIsCutBySides(l->grid, l->solid, tlwGetCellPlace(l->grid, c).cell, sides);
}

// Solid along the lines of the cells above cell `column` of the stack.
static void fillLines(Lines *l, const Pierce *p, int column)
{
    double sum[CELL_LINES] = {0}, distance[3];
    l->top[column] = INT_MIN;
    int i = l->cell[0] + column % TLW_TILE, j = l->cell[1] + column / TLW_TILE;
    float *below = l->below + (int64_t)column * CELL_LINES * l->height;
    for (int n = 0; n < CELL_LINES; n++)
        getLine(i, j, n, l->at[column][n]);
    for (int z = 0, done = 0; z < p->size[2]; z++) {
        if (l->level[z + 1] == l->level[z])
            continue;
        for (int k = TLW_TILE * (p->low[2] + z); k < TLW_TILE * (p->low[2] + z + 1); k++, done++) {
            int64_t c = tlwCellIndex(l->grid, i, j, k);
            bool whole = false, near = k >= 0 && k < l->grid->dims[2] && nearsSolid(l, c, &whole);
            l->top[column] = near ? k + 1 : l->top[column];
            for (int n = 0; n < CELL_LINES; n++)
                below[n * l->height + done] = (float)sum[n];
            Bent bent = near && !whole ? getBent(l, c) : (Bent){0};
            for (int n = 0; n < CELL_LINES && near; n++) {
                if (!whole)
                    getDistances(&bent, l->at[column][n], distance);
                sum[n] += whole ? 1 : lengthInside(distance, 1);
            }
        }
    }
    for (int n = 0; n < CELL_LINES; n++)
        below[n * l->height + l->height - 1] = (float)sum[n];
}

// Solid below a place on line n of the cells above `column`.
static double getSolidBelow(const Lines *l, const Pierce *p, int column, int n, double height)
{
    const float *below = l->below + ((int64_t)column * CELL_LINES + n) * l->height;
    int k = (int)floor(height), z = tlwFloorDiv(k, TLW_TILE) - p->low[2];
    if (z < 0 || z >= p->size[2])
        return z < 0 ? 0 : below[l->height - 1];
    if (l->level[z + 1] == l->level[z]) // between active tiles
        return below[TLW_TILE * l->level[z]];
    double sum = below[TLW_TILE * l->level[z] + (k & (TLW_TILE - 1))], distance[3];
    int64_t c = tlwCellIndex(l->grid, l->cell[0] + column % TLW_TILE, l->cell[1] + column / TLW_TILE, k);
    bool whole;
    if (k < 0 || k >= l->grid->dims[2] || !nearsSolid(l, c, &whole))
        return sum;
    if (whole)
        return sum + height - k;
    Bent bent = getBent(l, c);
    getDistances(&bent, l->at[column][n], distance);
    return sum + lengthInside(distance, height - k);
}

// On which side of an edge a line is. Both triangles at an edge get the same number with opposite signs, so that no
// line slips between them.
static double getSide(const Facet *f, int from, int to, double x, double y)
{
    double sign = f->vertex[from] < f->vertex[to] ? 1 : -1;
    const tlwVec3 *u = &f->corner[sign > 0 ? from : to], *v = &f->corner[sign > 0 ? to : from];
    double side = (v->x - u->x) * (y - u->y) - (v->y - u->y) * (x - u->x);
    return sign * (side == 0 ? 1e-300 : side);
}

// Solid below a triangle, over all lines that it meets in a cell; negative when the triangle looks down. What a line
// finds on all its way is taken off both where it enters and where it leaves: so triangles above all solids add
// nothing.
static double pierceCell(const Lines *l, const Pierce *p, const Facet *f, int column)
{
    double sum = 0;
    const int corner[2] = {l->cell[0] + column % TLW_TILE, l->cell[1] + column / TLW_TILE};
    for (int n = 0; n < CELL_LINES; n++) {
        double x = corner[0] + l->at[column][n][0], y = corner[1] + l->at[column][n][1], side[3];
        if (x < f->low[0] || x > f->high[0] || y < f->low[1] || y > f->high[1])
            continue;
        for (int e = 0; e < 3; e++)
            side[e] = getSide(f, (e + 1) % 3, (e + 2) % 3, x, y);
        bool up = side[0] > 0 && side[1] > 0 && side[2] > 0, down = side[0] < 0 && side[1] < 0 && side[2] < 0;
        if (!up && !down)
            continue;
        double height = (side[0] * f->corner[0].z + side[1] * f->corner[1].z + side[2] * f->corner[2].z) /
                        (side[0] + side[1] + side[2]);
        double all = l->below[((int64_t)column * CELL_LINES + n + 1) * l->height - 1];
        sum += (up ? 1 : -1) * (getSolidBelow(l, p, column, n, height) - all);
    }
    return sum;
}

// Cells of the stack under a triangle: the range.
static void findCells(const Lines *l, const Facet *f, int low[2], int high[2])
{
    for (int a = 0; a < 2; a++) {
        low[a] = (int)fmax(floor(f->low[a]) - l->cell[a], 0);
        high[a] = (int)fmin(floor(f->high[a]) - l->cell[a], TLW_TILE - 1);
    }
}

static void meetTriangle(Lines *l, const Pierce *p, int64_t triangle)
{
    Facet f = getFacet(p->shown, triangle);
    int low[2], high[2];
    findCells(l, &f, low, high);
    for (int j = low[1]; j <= high[1]; j++)
        for (int i = low[0]; i <= high[0]; i++)
            l->met[i + TLW_TILE * j] = true;
}

static double pierceTriangle(const Lines *l, const Pierce *p, int64_t triangle)
{
    Facet f = getFacet(p->shown, triangle);
    int low[2], high[2];
    double sum = 0;
    findCells(l, &f, low, high);
    for (int j = low[1]; j <= high[1]; j++)
        for (int i = low[0]; i <= high[0]; i++)
            if (l->met[i + TLW_TILE * j] && l->top[i + TLW_TILE * j] > f.bottom)
                sum += pierceCell(l, p, &f, i + TLW_TILE * j);
    return sum;
}

static bool makeLines(const Pierce *p, const Stack *stack, Lines *l)
{
    *l = (Lines){.grid = p->shown->grid,
                 .solid = p->shown->solid,
                 .cell = {TLW_TILE * stack->tile[0], TLW_TILE * stack->tile[1]},
                 .level = tlwAlloc((size_t)p->size[2] + 1, sizeof *l->level)};
    for (int z = 0; l->level && z < p->size[2]; z++)
        l->level[z + 1] =
            l->level[z] + (tlwFindTile(l->grid, stack->tile[0], stack->tile[1], p->low[2] + z) >= 0 ? 1 : 0);
    l->height = l->level ? TLW_TILE * l->level[p->size[2]] + 1 : 1;
    l->below = tlwAlloc((size_t)STACK_LINES * (size_t)l->height, sizeof *l->below);
    return l->level && l->below;
}

// Solid inside the mesh, in cells. Not a number when memory is out.
static double stackRange(void *context, int64_t begin, int64_t end)
{
    const Pierce *p = context;
    const int *dims = p->shown->grid->dims;
    double sum = 0;
    for (int64_t s = begin; s < end; s++) {
        const Stack *stack = &p->stacks[s];
        Lines l;
        if (!stack->triangles)
            continue;
        bool ok = makeLines(p, stack, &l);
        for (int64_t t = 0; ok && t < stack->triangles; t++)
            meetTriangle(&l, p, p->list[stack->first + t]);
        for (int n = 0; ok && n < TLW_TILE * TLW_TILE; n++) {
            int x = l.cell[0] + n % TLW_TILE, y = l.cell[1] + n / TLW_TILE;
            l.met[n] = l.met[n] && x >= 0 && x < dims[0] && y >= 0 && y < dims[1];
            if (l.met[n])
                fillLines(&l, p, n);
        }
        for (int64_t t = 0; ok && t < stack->triangles; t++)
            sum += pierceTriangle(&l, p, p->list[stack->first + t]);
        tlwFree(l.level);
        tlwFree(l.below);
        if (!ok)
            return NAN;
    }
    return sum / CELL_LINES;
}

static tlwResult findSolidInside(tlwThreads *threads, Pierce *p, double *cells)
{
    const tlwGrid *grid = p->shown->grid;
    for (int a = 0; a < 3; a++) {
        p->low[a] = grid->window_min[a] / TLW_TILE;
        p->size[a] = grid->window_size[a] / TLW_TILE;
    }
    size_t places = (size_t)p->size[0] * (size_t)p->size[1];
    uint8_t *found = tlwAlloc((size_t)grid->tile_count + 1, 1);
    p->lookup = tlwAlloc(places + 1, sizeof *p->lookup);
    p->stacks = tlwAlloc(places + 1, sizeof *p->stacks);
    if (found && p->lookup && p->stacks) {
        tlwParallelFor(threads, grid->tile_count, TLW_TILE_BLOCK, solidRange, (void *[2]){p, found});
        markStacks(p, found);
    }
    tlwFree(found);
    if (!found || !p->lookup || !p->stacks)
        return TLW_OUT_OF_MEMORY;
    if (!p->count)
        return TLW_OK;
    TLW_TRY(listTriangles(p));
    *cells = tlwParallelSum(threads, p->count, 1, stackRange, p);
    return isnan(*cells) ? TLW_OUT_OF_MEMORY : TLW_OK;
}

// ---------------------------------------------------------------------------------------------------------------------

// Volume in cells: the flow of p / 3 about the domain's middle.
static double wholeRange(void *context, int64_t begin, int64_t end)
{
    const tlwShownMesh *shown = context;
    const int *dims = shown->grid->dims;
    tlwVec3 centre = {0.5 * dims[0], 0.5 * dims[1], 0.5 * dims[2]};
    double sum = 0;
    for (int64_t t = begin; t < end; t++) {
        Facet f = getFacet(shown, t);
        tlwVec3 u = tlwSub(f.corner[1], f.corner[0]), v = tlwSub(f.corner[2], f.corner[0]);
        sum += tlwDot(tlwSub(f.corner[0], centre), tlwCross(u, v)) / 6;
    }
    return sum;
}

tlwResult tlwGetOpenVolume(tlwThreads *threads, const tlwShownMesh *shown, double *volume)
{
    double dx = shown->grid->dx, solid = 0;
    double whole = tlwParallelSum(threads, shown->mesh->triangle_count, BLOCK, wholeRange, (void *)shown);
    Pierce p = {.shown = shown};
    tlwResult result = shown->solid && shown->mesh->triangle_count ? findSolidInside(threads, &p, &solid) : TLW_OK;
    tlwFree(p.lookup);
    tlwFree(p.stacks);
    tlwFree(p.list);
    *volume = dx * dx * dx * (whole - solid);
    return result;
}
