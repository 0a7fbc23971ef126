#include "step/liquid/gather.h"

#include "base/kernel.h"
#include "base/pages.h"
#include "grid/sample.h"
#include "shape/affine.h"
#include "step/liquid/transfer.h"

#include <string.h>

#define ASIDE 88                    // sums between the four arrays, so that these begin at different places of a page
#define SUMS 4                      // arrays of sums: one per axis, and one of cells
#define LEAST_PLANES (4 * TLW_TILE) // two layers of tiles that are not finished and the two that come next
#define CLEARED 65536               // sums that a thread clears at a time
#define BYTES 16000000              // limit for more planes; with more tiles at once threads share the work better

// A particle changes two sums at a time, four numbers: momentum and mass of faces, or volume and mass of cells.
typedef struct Sum {
    float value, mass;
} Sum;

typedef struct Gather {
    const tlwGrid *grid;
    const tlwParticles *particles;
    const tlwParticleOrder *order;
    const tlwMaterial *materials;
    bool affine;
    const int *tiles; // of one colour in one layer
    int first;        // first tile that is not finished
    Sum *sums[SUMS];
    int planes; // planes of cells in memory, a power of two; plane z of the window is the (z % planes)-th
    float *velocity[3], *fill, *density;
    uint8_t *reached;
} Gather;

// Where a particle lies among values at whole (0) and half (1) coordinates. Offsets of rows and of the lower and the
// upper plane are found once for all components.
typedef struct Place {
    int64_t x[2], y[2], z[2][2];
    float f[2][3];
} Place;

static inline Place findPlace(const Gather *g, int64_t n)
{
    const tlwGrid *grid = g->grid;
    Place place;
    for (int half = 0; half < 2; half++) {
        float p[3], *f = place.f[half];
        for (int a = 0; a < 3; a++)
            p[a] = g->particles->position[a][n] - (half ? 0.5f : 0);
        place.x[half] = tlwSplitCoordinate(grid, 0, p[0], &f[0]);
        place.y[half] = grid->stride_y * tlwSplitCoordinate(grid, 1, p[1], &f[1]);
        int z = tlwSplitCoordinate(grid, 2, p[2], &f[2]), mask = g->planes - 1;
        place.z[half][0] = grid->stride_z * (z & mask);
        place.z[half][1] = grid->stride_z * ((z + 1) & mask);
    }
    return place;
}

// The stencil of one component; `axis` 3 is the cell centres.
typedef struct Stencil {
    int64_t index[2]; // in the lower and the upper plane
    float f[3];
} Stencil;

static inline Stencil findStencil(const Place *place, int axis)
{
    int64_t row = place->x[axis != 0] + place->y[axis != 1];
    const int64_t *plane = place->z[axis != 2];
    return (Stencil){{row + plane[0], row + plane[1]},
                     {place->f[axis != 0][0], place->f[axis != 1][1], place->f[axis != 2][2]}};
}

// Two neighbours along x at once: value, mass, value, mass.
static inline void addPair(Sum *at, tlwFloat4 value)
{
    tlwFloat4 sum;
    memcpy(&sum, at, sizeof sum);
    sum += value;
    memcpy(at, &sum, sizeof sum);
}

// Add one particle's share to the eight faces of one component around it; slopes per cell.
static inline void addToFaces(const Gather *g, int axis, int64_t n, Stencil s, const float slope[3])
{
    const tlwParticles *q = g->particles;
    float mass = q->mass[n], base = q->velocity[axis][n];
    for (int b = 0; b < 3; b++)
        base -= slope[b] * s.f[b];
    // Every weight appears twice: for a velocity and for the 1 beside it, which adds up to the mass.
    const tlwFloat4 wx = {1 - s.f[0], 1 - s.f[0], s.f[0], s.f[0]}, vx = {base, 1, base + slope[0], 1};
    const tlwFloat4 vy = {slope[1], 0, slope[1], 0}, vz = {slope[2], 0, slope[2], 0};
    for (int k = 0; k < 2; k++) {
        float wz = mass * (k ? s.f[2] : 1 - s.f[2]);
        tlwFloat4 v = k ? vx + vz : vx;
        for (int j = 0; j < 2; j++) {
            tlwFloat4 w = wx * (wz * (j ? s.f[1] : 1 - s.f[1]));
            addPair(g->sums[axis] + s.index[k] + j * g->grid->stride_y, w * (j ? v + vy : v));
        }
    }
}

static inline void addToCells(const Gather *g, int64_t n, Stencil s, float per_cell)
{
    float volume = tlwGetParticleVolume(g->particles, n, g->materials) * per_cell,
          mass = g->particles->mass[n] * per_cell;
    const tlwFloat4 wx = {1 - s.f[0], 1 - s.f[0], s.f[0], s.f[0]}, both = {volume, mass, volume, mass};
    for (int k = 0; k < 2; k++)
        for (int j = 0; j < 2; j++) {
            tlwFloat4 w = wx * ((k ? s.f[2] : 1 - s.f[2]) * (j ? s.f[1] : 1 - s.f[1]));
            addPair(g->sums[3] + s.index[k] + j * g->grid->stride_y, both * w);
        }
}

TLW_KERNEL static void gatherRange(void *context, int64_t begin, int64_t end)
{
    const Gather *g = context;
    const tlwGrid *grid = g->grid;
    float per_cell = (float)(1 / (grid->dx * grid->dx * grid->dx)), dx = (float)grid->dx, slope[9] = {0};
    for (int64_t t = begin; t < end; t++) {
        int tile = g->tiles[t];
        for (int64_t n = g->order->tile_start[tile]; n < g->order->tile_start[tile + 1]; n++) {
            Place place = findPlace(g, n);
            if (g->affine)
                tlwGetAffine(g->particles, n, slope);
            for (int b = 0; g->affine && b < 9; b++)
                slope[b] *= dx;
            for (int a = 0; a < 3; a++)
                addToFaces(g, a, n, findStencil(&place, a), slope + 3 * a);
            addToCells(g, n, findStencil(&place, 3), per_cell);
        }
    }
}

static inline void finishRow(const Gather *g, int64_t row, int64_t at)
{
    uint8_t reached[TLW_TILE] = {0};
    for (int a = 0; a < 3; a++)
        for (int i = 0; i < TLW_TILE; i++) {
            Sum sum = g->sums[a][at + i];
            g->velocity[a][row + i] = sum.mass > 0 ? sum.value / sum.mass : 0;
            reached[i] |= (uint8_t)((sum.mass > 0) << a);
        }
    memcpy(g->reached + row, reached, sizeof reached);
    for (int i = 0; i < TLW_TILE; i++) {
        Sum sum = g->sums[3][at + i];
        g->fill[row + i] = sum.value;
        g->density[row + i] = sum.value > 0 ? sum.mass / sum.value : 0;
    }
    for (int n = 0; n < SUMS; n++) // for the layer that uses this memory next
        memset(g->sums[n] + at, 0, TLW_TILE * sizeof(Sum));
}

TLW_KERNEL static void finishRange(void *context, int64_t begin, int64_t end)
{
    const Gather *g = context;
    const tlwGrid *grid = g->grid;
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(grid, &grid->tiles[g->first + t], j, k, row) {
            int64_t z = k - grid->window_min[2];
            finishRow(g, row, row + grid->stride_z * ((z & (g->planes - 1)) - z));
        }
}

// Clear the sums before anything is added. A page that is read before it is written is mapped twice, and two threads
// that reach a large page at once both clear it.
static void clearRange(void *context, int64_t begin, int64_t end)
{
    memset((Sum *)context + begin, 0, (size_t)(end - begin) * sizeof(Sum));
}

// Add the tiles of the even or the odd layers up to `last`, colour by colour. `next` is the first tile of every colour
// that has not been added.
static void gatherLayers(tlwThreads *threads, Gather *g, int last, int next[8])
{
    const tlwGrid *grid = g->grid;
    for (int color = last & 1 ? 4 : 0, end = color + 4; color < end; color++) {
        int first = next[color];
        while (next[color] < grid->color_start[color + 1] &&
               grid->tiles[grid->color_tiles[next[color]]].cell[2] <= last * TLW_TILE)
            next[color]++;
        g->tiles = grid->color_tiles + first;
        tlwParallelFor(threads, next[color] - first, 1, gatherRange, g);
    }
}

static void finishLayers(tlwThreads *threads, Gather *g, int last)
{
    const tlwGrid *grid = g->grid;
    int end = g->first;
    while (end < grid->tile_count && grid->tiles[end].cell[2] <= last * TLW_TILE)
        end++;
    tlwParallelFor(threads, end - g->first, TLW_TILE_BLOCK, finishRange, g);
    g->first = end;
}

// A layer is finished when its tiles and those of the layers below and above have been added.
static void gatherAll(tlwThreads *threads, Gather *g)
{
    const tlwGrid *grid = g->grid;
    int next[8], at_once = g->planes / TLW_TILE - 2; // layers; even
    memcpy(next, grid->color_start, sizeof next);
    int low = tlwFloorDiv(grid->tiles[0].cell[2], TLW_TILE);
    for (int even = low - (low & 1) + at_once - 2; g->first < grid->tile_count; even += at_once) {
        gatherLayers(threads, g, even, next);
        gatherLayers(threads, g, even - 1, next);
        finishLayers(threads, g, even - 1);
    }
}

static int choosePlanes(const tlwGrid *grid)
{
    int64_t planes = LEAST_PLANES;
    while (planes < grid->window_size[2] && 2 * planes * grid->stride_z * SUMS * (int64_t)sizeof(Sum) <= BYTES)
        planes *= 2;
    return (int)planes;
}

tlwResult tlwGatherParticles(tlwThreads *threads, const tlwParticles *particles, const tlwParticleOrder *order,
                             const tlwMaterial *materials, bool affine, tlwFlow *flow)
{
    const tlwGrid *grid = &flow->grid;
    Gather g = {.grid = grid, .particles = particles, .order = order, .materials = materials, .affine = affine};
    for (int a = 0; a < 3; a++)
        g.velocity[a] = tlwGetFloats(grid, flow->velocity[a]);
    g.reached = tlwGetBytes(grid, flow->reached);
    g.fill = tlwGetFloats(grid, flow->fill);
    g.density = tlwGetFloats(grid, flow->density);
    g.planes = choosePlanes(grid);
    size_t cells = (size_t)(grid->stride_z * g.planes + ASIDE), bytes = SUMS * cells * sizeof(Sum);
    Sum *block = tlwAllocScratch(bytes); // one block, since small blocks get few large pages
    if (!block)
        return TLW_OUT_OF_MEMORY;
    tlwParallelFor(threads, (int64_t)(SUMS * cells), CLEARED, clearRange, block);
    for (int n = 0; n < SUMS; n++)
        g.sums[n] = block + (size_t)n * cells;
    gatherAll(threads, &g);
    tlwFreePages(block);
    return TLW_OK;
}
