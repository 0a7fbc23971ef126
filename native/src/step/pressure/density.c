#include "step/pressure/density.h"

#include "base/context.h"
#include "step/obstacles/face_share.h"
#include "step/pressure/system.h"

#define TOLERATED 0.1f // difference of fill that jitter alone may cause
#define LARGEST 0.5f   // difference that one step may mend

// Expected fill of a cell whose centre is t cells outside a flat surface, for particles spread trilinearly.
static inline float flatProfile(float t)
{
    if (t <= -1)
        return 1;
    if (t >= 1)
        return 0;
    return t < 0 ? 1 - 0.5f * (1 + t) * (1 + t) : 0.5f * (1 - t) * (1 - t);
}

static double crowdRange(void *context, int64_t begin, int64_t end)
{
    const tlwPressure *p = context;
    const tlwGrid *grid = &p->flow->grid;
    const float *fill = tlwGetFloats(grid, p->flow->fill), *solid = tlwGetFloats(grid, p->flow->solid);
    float dx = (float)grid->dx, per_cell = 1 / dx;
    double most = 0;
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(grid, &grid->tiles[t], j, k, row)
            for (int64_t c = row; c < row + TLW_TILE; c++) {
                p->rhs[c] = p->unknown[c] = 0;
                if (p->type[c] != TLW_CELL_LIQUID)
                    continue;
                float surface = p->phi[c] * per_cell, wall = -tlwGetCentreSolid(grid, solid, c) * per_cell;
                float excess = fill[c] - flatProfile(surface) * flatProfile(wall);
                // Near the surface or a wall a low fill is normal.
                if (excess < 0 && (surface > -1 || wall > -1))
                    continue;
                float fault = fabsf(excess) - TOLERATED;
                if (fault <= 0)
                    continue;
                fault = fault < LARGEST ? fault : LARGEST;
                p->rhs[c] = (excess > 0 ? fault : -fault) * dx;
                most = fmax(most, fault);
            }
    return most;
}

static void shiftRange(void *context, int64_t begin, int64_t end)
{
    const tlwPressure *p = context;
    const tlwGrid *grid = &p->flow->grid;
    int64_t stride[3] = {1, grid->stride_y, grid->stride_z};
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(grid, &grid->tiles[t], j, k, row)
            for (int64_t c = row; c < row + TLW_TILE; c++)
                for (int a = 0; a < 3; a++) {
                    float gradient = 0;
                    if (!(p->open[a][c] > 0) || !tlwGetFaceGradient(p, c - stride[a], c, &gradient))
                        gradient = 0;
                    p->shift[a][c] = -gradient;
                }
}

tlwResult tlwSolveDensity(tlwPressure *p, int shift[3], bool *needed, tlwSolveStats *stats)
{
    tlwThreads *threads = p->context->threads;
    const tlwGrid *grid = &p->flow->grid;
    *needed = tlwParallelMax(threads, grid->tile_count, TLW_TILE_BLOCK, crowdRange, p) > 0;
    *stats = (tlwSolveStats){0};
    if (!*needed)
        return TLW_OK;
    // Particles make room for bodies, not bodies for particles, so bodies take no part here. A rough answer will do:
    // the next step corrects the rest.
    int bodies = p->def.coupling ? p->def.coupling->count : 0;
    if (bodies)
        p->def.coupling->count = 0;
    tlwResult result = tlwSolvePoisson(p->poisson, p->x, p->b, 0.05, 10, stats);
    if (bodies)
        p->def.coupling->count = bodies;
    if (result == TLW_CANCELLED)
        return result;
    for (int a = 0; a < 3; a++) {
        shift[a] = p->system.weight[a];
        p->shift[a] = p->weight[a];
    }
    tlwParallelFor(threads, grid->tile_count, TLW_TILE_BLOCK, shiftRange, p);
    return TLW_OK;
}
