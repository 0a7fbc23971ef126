#include "step/liquid/levelset.h"

#include "base/kernel.h"
#include "base/vec.h"
#include "grid/sample.h"
#include "grid/sample_lanes.h"
#include "step/liquid/transfer.h"
#include "step/obstacles/face_share.h"

#include <string.h>

typedef struct LevelSet {
    tlwFlow *flow;
    const tlwGrid *grid;
    float *phi, *out;
    const float *solid;
    const float *fill;
    tlwParticles *particles;
    const tlwParticleOrder *order;
    const tlwMaterial *materials;
    uint8_t *crowded;
    int first;
    float shift;
} LevelSet;

static LevelSet makeLevelSet(tlwFlow *flow)
{
    return (LevelSet){.flow = flow,
                      .grid = &flow->grid,
                      .phi = tlwGetFloats(&flow->grid, flow->phi),
                      .solid = tlwGetFloats(&flow->grid, flow->solid),
                      .fill = tlwGetFloats(&flow->grid, flow->fill)};
}

// ---------------------------------------------------------------------------------------------------------------------
// Particles overrule

#define DRAWN_BACK 0.33f // cells: a particle up to this far outside is drawn back
#define DEPTH 0.1f       // cells inside that it is drawn to
#define BALL 0.5f        // cells: radius of the ball that an escaped particle prints
#define CROWDED 3.0      // cell volumes in one cell; at 1.5 splashes gain energy
#define SMALL 0.25f // cells: radius of the ball that a particle of a crowded cell prints instead of being drawn back
#define REACH 0.75f // cells from the nearest particle at which liquid ends

// Cells whose particles stand for far more than fits: these particles must be let out. Drawing them back would undo
// what spreading does in each step. Melt piles up like that where it runs off in sheets. Liquids that never freeze do
// not count: letting them out doubles the energy of a sloshing pool.
static void crowdRange(void *context, int64_t begin, int64_t end)
{
    const LevelSet *l = context;
    double most = CROWDED * l->grid->dx * l->grid->dx * l->grid->dx;
    for (int64_t t = begin; t < end; t++) {
        const int32_t *start = l->order->cell_start + t * (TLW_TILE_CELLS + 1);
        int c = 0;
        TLW_FOR_ROWS(l->grid, &l->grid->tiles[t], j, k, row)
            for (int i = 0; i < TLW_TILE; i++, c++) {
                double volume = 0;
                for (int64_t n = l->order->tile_start[t] + start[c]; n < l->order->tile_start[t] + start[c + 1]; n++)
                    volume += l->materials[l->particles->material[n]].melts
                                  ? tlwGetParticleVolume(l->particles, n, l->materials)
                                  : 0;
                l->crowded[row + i] = volume > most;
            }
    }
}

static bool isCrowded(const LevelSet *l, const float p[3])
{
    return l->crowded[tlwCellIndex(l->grid, tlwFastFloor(p[0]), tlwFastFloor(p[1]), tlwFastFloor(p[2]))];
}

static void drawBack(const LevelSet *l, int64_t n)
{
    float per_cell = (float)(1 / l->grid->dx), *const *position = l->particles->position;
    if (l->particles->frozen[n])
        return;
    float p[3] = {position[0][n], position[1][n], position[2][n]}, g[3];
    float d = tlwSampleCentre(l->grid, l->phi, p) * per_cell;
    if (d <= 0 || d > DRAWN_BACK || isCrowded(l, p))
        return;
    tlwSampleGradient(l->grid, l->phi, 0.5f, p, g);
    float length = sqrtf(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    if (length * per_cell < 0.3f)
        return;
    float q[3];
    for (int a = 0; a < 3; a++)
        q[a] = p[a] - (d + DEPTH) * g[a] / length;
    if (tlwSampleNode(l->grid, l->solid, q) > 0)
        for (int a = 0; a < 3; a++)
            position[a][n] = q[a];
}

// Nearly all particles are inside, so eight at a time are tested.
TLW_KERNEL static void drawBackRange(void *context, int64_t begin, int64_t end)
{
    const LevelSet *l = context;
    int64_t n = begin;
    for (; tlwFitsLanes(l->grid) && n + TLW_LANES <= end; n += TLW_LANES) {
        float p[3][TLW_LANES], d[TLW_LANES];
        for (int a = 0; a < 3; a++)
            memcpy(p[a], l->particles->position[a] + n, sizeof p[a]);
        tlwSampleLanes(l->grid, l->phi, 0.5f, (const float(*)[TLW_LANES])p, d);
        int outside = 0;
        for (int lane = 0; lane < TLW_LANES; lane++)
            outside |= !(d[lane] <= 0);
        for (int lane = 0; outside && lane < TLW_LANES; lane++)
            drawBack(l, n + lane);
    }
    for (; n < end; n++)
        drawBack(l, n);
}

// Balls of escaped particles reach two cells at most, so balls from different tiles of one colour do not meet.
TLW_KERNEL static void ballRange(void *context, int64_t begin, int64_t end)
{
    const LevelSet *l = context;
    const tlwGrid *grid = l->grid;
    float per_cell = (float)(1 / grid->dx), dx = (float)grid->dx;
    for (int64_t t = begin; t < end; t++) {
        int tile = grid->color_tiles[l->first + t];
        for (int64_t n = l->order->tile_start[tile]; n < l->order->tile_start[tile + 1]; n++) {
            float p[3] = {l->particles->position[0][n], l->particles->position[1][n], l->particles->position[2][n]};
            // `out` is the level set before any ball, so the order of particles does not matter
            float distance = tlwSampleCentre(grid, l->out, p) * per_cell;
            if (distance <= 0 || (distance <= DRAWN_BACK && (l->particles->frozen[n] || !isCrowded(l, p))))
                continue;
            int c[3] = {tlwFastFloor(p[0]), tlwFastFloor(p[1]), tlwFastFloor(p[2])};
            for (int k = c[2] - 2; k <= c[2] + 2; k++)
                for (int j = c[1] - 2; j <= c[1] + 2; j++)
                    for (int i = c[0] - 2; i <= c[0] + 2; i++) {
                        float x = (float)i + 0.5f - p[0], y = (float)j + 0.5f - p[1], z = (float)k + 0.5f - p[2];
                        float d = (sqrtf(x * x + y * y + z * z) - (distance > DRAWN_BACK ? BALL : SMALL)) * dx;
                        float *phi = &l->phi[tlwCellIndex(grid, i, j, k)];
                        *phi = d < *phi ? d : *phi;
                    }
        }
    }
}

// Distance in cells from a cell's centre to the nearest particle in it or in its 26 neighbours; 9 when there is none.
static float nearestParticle(const LevelSet *l, int i, int j, int k)
{
    float best = 81;
    for (int dk = -1; dk <= 1; dk++)
        for (int dj = -1; dj <= 1; dj++)
            for (int di = -1; di <= 1; di++) {
                int ci = i + di, cj = j + dj, ck = k + dk;
                int t = tlwFindTile(l->grid, tlwFloorDiv(ci, TLW_TILE), tlwFloorDiv(cj, TLW_TILE),
                                    tlwFloorDiv(ck, TLW_TILE));
                if (t < 0)
                    continue;
                int c = (ci & 7) + TLW_TILE * ((cj & 7) + TLW_TILE * (ck & 7));
                const int32_t *start = l->order->cell_start + (int64_t)t * (TLW_TILE_CELLS + 1);
                for (int64_t n = start[c]; n < start[c + 1]; n++) {
                    int64_t q = l->order->tile_start[t] + n;
                    float x = l->particles->position[0][q] - (float)i - 0.5f,
                          y = l->particles->position[1][q] - (float)j - 0.5f,
                          z = l->particles->position[2][q] - (float)k - 0.5f;
                    float d = x * x + y * y + z * z;
                    best = d < best ? d : best;
                }
            }
    return sqrtf(best);
}

// Whether a cell has air beside it in the level set without balls. Enclosed liquid cannot part: an empty cell there
// only means that no particle has found its way in. A void would suck at the body or wall beside it.
static bool meetsAir(const LevelSet *l, int64_t c)
{
    int64_t stride[3] = {1, l->grid->stride_y, l->grid->stride_z};
    for (int a = 0; a < 3; a++)
        for (int side = -1; side <= 1; side += 2) {
            int64_t n = c + side * stride[a];
            if (l->out[n] >= 0 && tlwGetCentreSolid(l->grid, l->solid, n) >= 0)
                return true;
        }
    return false;
}

static void drainRange(void *context, int64_t begin, int64_t end)
{
    const LevelSet *l = context;
    const tlwGrid *grid = l->grid;
    float dx = (float)grid->dx;
    for (int64_t t = begin; t < end; t++) {
        const tlwTile *tile = &grid->tiles[t];
        const int32_t *start = l->order->cell_start + t * (TLW_TILE_CELLS + 1);
        TLW_FOR_ROWS(grid, tile, j, k, row)
            for (int i = 0; i < TLW_TILE; i++) {
                int c = i + TLW_TILE * (((int)j & 7) + TLW_TILE * (k & 7));
                float phi = l->phi[row + i];
                if (phi >= 0 || start[c + 1] > start[c] || tlwGetCentreSolid(grid, l->solid, row + i) < 0 ||
                    !meetsAir(l, row + i))
                    continue;
                float d = (nearestParticle(l, tile->cell[0] + i, (int)j, k) - REACH) * dx;
                if (d > 0 && d > phi)
                    l->phi[row + i] = d < dx ? d : dx;
            }
    }
}

tlwResult tlwCorrectLevelSet(tlwThreads *threads, const tlwParticleOrder *order, const tlwMaterial *materials,
                             tlwParticles *particles, tlwFlow *flow)
{
    tlwGrid *grid = &flow->grid;
    int slot = tlwBorrowField(grid, sizeof(float)), crowded = tlwBorrowField(grid, 1);
    if (slot < 0 || crowded < 0) {
        tlwReturnField(grid, slot);
        tlwReturnField(grid, crowded);
        return TLW_OUT_OF_MEMORY;
    }
    LevelSet l = makeLevelSet(flow);
    l.out = tlwGetFloats(grid, slot);
    l.particles = particles;
    l.order = order;
    l.materials = materials;
    l.crowded = tlwGetBytes(grid, crowded);
    tlwParallelFor(threads, grid->tile_count, TLW_TILE_BLOCK, crowdRange, &l);
    tlwCopyFloats(threads, grid, l.phi, l.out);
    for (int color = 0; color < 8; color++) {
        l.first = grid->color_start[color];
        tlwParallelFor(threads, grid->color_start[color + 1] - l.first, 1, ballRange, &l);
    }
    tlwParallelFor(threads, grid->tile_count, TLW_TILE_BLOCK, drainRange, &l);
    tlwParallelFor(threads, particles->count, 4096, drawBackRange, &l);
    tlwReturnField(grid, crowded);
    tlwReturnField(grid, slot);
    return TLW_OK;
}

// ---------------------------------------------------------------------------------------------------------------------
// Volume

// Share of a box inside a level set, as if the surface crossed it squarely.
static inline float insideShare(float phi, float per_cell)
{
    float f = 0.5f - phi * per_cell;
    return f < 0 ? 0 : f > 1 ? 1 : f;
}

// Values at the middles of a cell's eighths, from those at its corners: weights 3/4 and 1/4 along each axis.
static void findEighths(const float v[8], float out[8])
{
    for (int q = 0; q < 8; q++) {
        float x[4], y[2];
        for (int n = 0; n < 4; n++)
            x[n] = q & 1 ? 0.25f * v[2 * n] + 0.75f * v[2 * n + 1] : 0.75f * v[2 * n] + 0.25f * v[2 * n + 1];
        for (int n = 0; n < 2; n++)
            y[n] = q & 2 ? 0.25f * x[2 * n] + 0.75f * x[2 * n + 1] : 0.75f * x[2 * n] + 0.25f * x[2 * n + 1];
        out[q] = q & 4 ? 0.25f * y[0] + 0.75f * y[1] : 0.75f * y[0] + 0.25f * y[1];
    }
}

// Share of an eighth of a cell that is left where sides of the domain leave these shares of the cell.
static float sideEighth(const float sides[3], int q)
{
    float share = 1;
    for (int a = 0; a < 3; a++)
        share *= fminf(fmaxf(2 * sides[a] - (float)(q >> a & 1), 0), 1);
    return share;
}

// Share of each eighth of a cell that no solid fills. A cell without a corner inside solids is open as a whole: in the
// corners of a room, distances between its corners are not those to a plane.
static void findOpenEighths(const tlwGrid *grid, const float *solid, int64_t c, float share[8])
{
    int64_t sy = grid->stride_y, sz = grid->stride_z;
    const float *s = solid + c;
    float v[8] = {s[0], s[1], s[sy], s[sy + 1], s[sz], s[sz + 1], s[sy + sz], s[sy + sz + 1]}, d[8];
    bool outside = true;
    for (int q = 0; q < 8; q++)
        outside = outside && v[q] >= 0;
    float sides[3];
    bool cut = !outside && tlwIsCutBySides(grid, solid, tlwGetCellPlace(grid, c).cell, sides);
    if (!outside && !cut)
        findEighths(v, d);
    for (int q = 0; q < 8; q++)
        share[q] = outside ? 1 : cut ? sideEighth(sides, q) : insideShare(-d[q], (float)(2 / grid->dx));
}

float tlwGetOpenShare(const tlwGrid *grid, const float *solid, int64_t c)
{
    float share[8], sum = 0;
    findOpenEighths(grid, solid, c, share);
    for (int q = 0; q < 8; q++)
        sum += share[q];
    return 0.125f * sum;
}

// Share of a cell inside the level set and outside solids. The distance at the centre, as if the surface crossed the
// cell squarely, gives a ball of radius r cells 1 + 1/4 r^-2 of its volume. Distances interpolated to the eighths give
// 1 - 1/2 r^-2. Two parts of the first and one of the second are right for balls. The share of an edge then does not
// depend on where in a cell the edge lies.
static float liquidShare(const LevelSet *l, int64_t c, float per_cell)
{
    const float *p = l->phi + c;
    float centre = (p[0] - l->shift) * per_cell, open[8], sum = 0;
    if (centre >= 1)
        return 0;
    findOpenEighths(l->grid, l->solid, c, open);
    int64_t sy = l->grid->stride_y, sz = l->grid->stride_z;
    for (int q = 0; q < 8; q++) {
        float inside = 1;
        if (centre > -1) {
            int64_t x = q & 1 ? 1 : -1, y = q & 2 ? sy : -sy, z = q & 4 ? sz : -sz;
            float d = 27 * p[0] + 9 * (p[x] + p[y] + p[z]) + 3 * (p[x + y] + p[x + z] + p[y + z]) + p[x + y + z];
            inside = (2 * insideShare(centre, 1) + insideShare(d / 64 - l->shift, 2 * per_cell)) / 3;
        }
        sum += open[q] * inside;
    }
    return 0.125f * sum;
}

// Cells outside the domain do not count: meshes are cut off there, and far outside solids are not known.
static double volumeRange(void *context, int64_t begin, int64_t end)
{
    const LevelSet *l = context;
    const int *dims = l->grid->dims;
    float per_cell = (float)(1 / l->grid->dx);
    double sum = 0;
    for (int64_t t = begin; t < end; t++) {
        const tlwTile *tile = &l->grid->tiles[t];
        TLW_FOR_ROWS(l->grid, tile, j, k, row)
            for (int i = 0; i < TLW_TILE; i++) {
                int x = tile->cell[0] + i;
                if (x >= 0 && x < dims[0] && j >= 0 && j < dims[1] && k >= 0 && k < dims[2])
                    sum += liquidShare(l, row + i, per_cell);
            }
    }
    return sum;
}

double tlwGetLevelSetVolume(tlwThreads *threads, const tlwFlow *flow, double *area)
{
    LevelSet l = makeLevelSet((tlwFlow *)flow);
    double dx = flow->grid.dx, cell = dx * dx * dx;
    double volume = cell * tlwParallelSum(threads, l.grid->tile_count, TLW_TILE_BLOCK, volumeRange, &l);
    if (area) {
        l.shift = (float)(0.1 * dx);
        double grown = cell * tlwParallelSum(threads, l.grid->tile_count, TLW_TILE_BLOCK, volumeRange, &l);
        *area = (grown - volume) / l.shift;
    }
    return volume;
}

static void shiftRange(void *context, int64_t begin, int64_t end)
{
    const LevelSet *l = context;
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(l->grid, &l->grid->tiles[t], j, k, row)
            for (int i = 0; i < TLW_TILE; i++)
                l->phi[row + i] -= l->shift;
}

// The drops of a splash have so much surface that one linear step misses the volume by half a percent. So after a large
// shift the volume is measured again.
void tlwCorrectVolume(tlwThreads *threads, tlwFlow *flow, double target)
{
    double area, volume = tlwGetLevelSetVolume(threads, flow, &area), dx = flow->grid.dx, most = 0.1 * dx;
    if (!(area > 0))
        return;
    LevelSet l = makeLevelSet(flow);
    l.shift = (float)tlwClamp((target - volume) / area, -most, most);
    tlwParallelFor(threads, l.grid->tile_count, TLW_TILE_BLOCK, shiftRange, &l);
    if (fabsf(l.shift) < 0.1 * most)
        return;
    volume = tlwGetLevelSetVolume(threads, flow, NULL);
    l.shift = (float)tlwClamp((target - volume) / area, -most - l.shift, most - l.shift);
    tlwParallelFor(threads, l.grid->tile_count, TLW_TILE_BLOCK, shiftRange, &l);
}
