#include "step/liquid/walls.h"

#include "base/cholesky.h"
#include "grid/sample.h"
#include "step/obstacles/face_share.h"

#include <math.h>

typedef struct Walls {
    const tlwGrid *grid;
    float *phi, *out;
    const float *solid;
    bool wet; // all solids next to liquid are wet, so the surface does not go on into them
} Walls;

static Walls makeWalls(tlwFlow *flow)
{
    return (Walls){.grid = &flow->grid,
                   .phi = tlwGetFloats(&flow->grid, flow->phi),
                   .solid = tlwGetFloats(&flow->grid, flow->solid)};
}

static tlwResult replaceLevelSet(tlwThreads *threads, tlwFlow *flow, tlwRangeFn *fill, bool wet)
{
    tlwGrid *grid = &flow->grid;
    int slot = tlwBorrowField(grid, sizeof(float));
    if (slot < 0)
        return TLW_OUT_OF_MEMORY;
    Walls l = makeWalls(flow);
    l.out = tlwGetFloats(grid, slot);
    l.wet = wet;
    tlwParallelFor(threads, grid->tile_count, TLW_TILE_BLOCK, fill, &l);
    tlwCopyFloats(threads, grid, l.out, l.phi);
    tlwReturnField(grid, slot);
    return TLW_OK;
}

// Gradient (per cell) at the centre of an open cell, from open cells only: values that were continued into a solid must
// not leak out at its other side.
static void openGradient(const Walls *l, int64_t c, float g[3])
{
    int64_t stride[3] = {1, l->grid->stride_y, l->grid->stride_z};
    for (int a = 0; a < 3; a++) {
        bool low = tlwGetCentreSolid(l->grid, l->solid, c - stride[a]) >= 0,
             high = tlwGetCentreSolid(l->grid, l->solid, c + stride[a]) >= 0;
        float before = low ? l->phi[c] - l->phi[c - stride[a]] : 0,
              after = high ? l->phi[c + stride[a]] - l->phi[c] : 0;
        g[a] = low && high ? 0.5f * (before + after) : before + after;
    }
}

bool tlwFindOpenCell(const tlwGrid *grid, const float *solid, const float p[3], int64_t *c, float q[3])
{
    float g[3], per_cell = (float)(1 / grid->dx), start = 0.5f - tlwSampleGradient(grid, solid, 0, p, g) * per_cell;
    float length = sqrtf(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    if (length * per_cell < 0.1f)
        return false;
    float step = start;
    while (step < start + 2) {
        int cell[3];
        for (int a = 0; a < 3; a++) {
            cell[a] = tlwFastFloor(p[a] + step * g[a] / length);
            q[a] = (float)cell[a] + 0.5f;
        }
        if (tlwFindTile(grid, tlwFloorDiv(cell[0], TLW_TILE), tlwFloorDiv(cell[1], TLW_TILE),
                        tlwFloorDiv(cell[2], TLW_TILE)) < 0)
            return false;
        *c = tlwCellIndex(grid, cell[0], cell[1], cell[2]);
        if (tlwGetCentreSolid(grid, solid, *c) >= 0)
            return true;
        step += 0.5f;
    }
    return false;
}

#define FIT_REACH 2    // cells around p that are used
#define FIT_PRIOR 0.01 // weight of the estimate from one cell
#define FIT_NEAR 2.0f  // cells from the surface within which a distance counts: a longer one may lead around a wall

// The level set at p, inside a solid. A plane is fitted to the cells in front of the solid that have open centres and
// are near the surface. `value` and `slope` (m, per cell) are the estimate from one cell alone. That estimate is off
// where a wall is curved: the first open cell straight away from the wall often does not know the surface best.
static float fitPlane(const Walls *l, const float p[3], float value, const float slope[3])
{
    const tlwGrid *grid = l->grid;
    float per_cell = (float)(1 / grid->dx), n[3];
    int at[3] = {tlwFastFloor(p[0]), tlwFastFloor(p[1]), tlwFastFloor(p[2])};
    double m[4][4] = {{0}}, b[4] = {0};
    tlwSampleGradient(grid, l->solid, 0, p, n);
    for (int z = -FIT_REACH; z <= FIT_REACH; z++)
        for (int y = -FIT_REACH; y <= FIT_REACH; y++)
            for (int x = -FIT_REACH; x <= FIT_REACH; x++) {
                int64_t c = tlwCellIndex(grid, at[0] + x, at[1] + y, at[2] + z);
                float near = FIT_NEAR - fabsf(l->phi[c]) * per_cell;
                if (!(near > 0) || !((float)x * n[0] + (float)y * n[1] + (float)z * n[2] > 0) ||
                    tlwGetCentreSolid(grid, l->solid, c) < 0)
                    continue;
                // The nearest cells weigh most: with a wider mean, cells at a wall would not follow their own waves.
                double d[4] = {1, x, y, z}, square = x * x + y * y + z * z;
                double weight = (near < 1 ? near * near : 1) / (square * square * square);
                double off = l->phi[c] - value - slope[0] * d[1] - slope[1] * d[2] - slope[2] * d[3];
                for (int i = 0; i < 4; i++) {
                    for (int j = 0; j <= i; j++)
                        m[i][j] += weight * d[i] * d[j];
                    b[i] += weight * d[i] * off;
                }
            }
    for (int i = 0; i < 4; i++)
        m[i][i] += FIT_PRIOR;
    tlwFactorCholesky(4, m[0]);
    tlwSolveCholesky(4, m[0], b);
    return value + (float)b[0];
}

static void extendRange(void *context, int64_t begin, int64_t end)
{
    const Walls *l = context;
    const tlwGrid *grid = l->grid;
    float dx = (float)grid->dx;
    for (int64_t t = begin; t < end; t++) {
        const tlwTile *tile = &grid->tiles[t];
        TLW_FOR_ROWS(grid, tile, j, k, row)
            for (int i = 0; i < TLW_TILE; i++) {
                l->out[row + i] = l->phi[row + i];
                if (tlwGetCentreSolid(grid, l->solid, row + i) >= 0)
                    continue;
                float p[3] = {(float)(tile->cell[0] + i) + 0.5f, (float)j + 0.5f, (float)k + 0.5f}, slope[3], q[3];
                int64_t c;
                if (!tlwFindOpenCell(grid, l->solid, p, &c, q))
                    continue;
                openGradient(l, c, slope);
                float v = l->phi[c], rise = 0, steep = 0, way = 0;
                for (int a = 0; a < 3; a++) {
                    rise += slope[a] * (p[a] - q[a]);
                    steep += slope[a] * slope[a];
                    way += (p[a] - q[a]) * (p[a] - q[a]);
                }
                // A surface that runs along the wall within a cell of it has wetted the wall: no layer of air is left
                // between.
                bool wetted = v < 0 && (l->wet || rise > 0.8f * sqrtf(way * steep));
                l->out[row + i] = wetted ? v : fabsf(v) < 3 * dx ? fitPlane(l, p, v + rise, slope) : v + rise;
            }
    }
}

tlwResult tlwWetWalls(tlwThreads *threads, tlwFlow *flow)
{
    return replaceLevelSet(threads, flow, extendRange, true);
}

tlwResult tlwExtendIntoSolids(tlwThreads *threads, tlwFlow *flow)
{
    return replaceLevelSet(threads, flow, extendRange, false);
}
