#include "step/pressure/pressure.h"

#include "base/context.h"
#include "base/memory.h"
#include "grid/components.h"
#include "step/obstacles/face_share.h"
#include "step/pressure/pockets.h"
#include "step/pressure/system.h"

#include <string.h>

static void bindArrays(tlwPressure *p)
{
    const tlwGrid *grid = &p->flow->grid;
    p->phi = tlwGetFloats(grid, p->def.phi);
    p->fill = tlwGetFloats(grid, p->flow->fill);
    p->density = tlwGetFloats(grid, p->flow->density);
    for (int a = 0; a < 3; a++) {
        p->unsolid[a] = tlwGetFloats(grid, p->flow->open[a]);
        p->open[a] = p->pressed[a] >= 0 ? tlwGetFloats(grid, p->pressed[a]) : p->unsolid[a];
        p->solid_velocity[a] = tlwGetFloats(grid, p->flow->solid_velocity[a]);
        p->velocity[a] = tlwGetFloats(grid, p->flow->velocity[a]);
        p->weight[a] = tlwGetFloats(grid, p->system.weight[a]);
    }
    p->given = p->flow->given >= 0 ? tlwGetFloats(grid, p->flow->given) : NULL;
    p->diag = tlwGetFloats(grid, p->system.diag);
    p->type = tlwGetBytes(grid, p->system.type);
    p->rhs = tlwGetFloats(grid, p->b);
    p->unknown = tlwGetFloats(grid, p->x);
}

static void pressedRange(void *context, int64_t begin, int64_t end)
{
    const tlwPressure *p = context;
    const tlwGrid *grid = &p->flow->grid;
    for (int64_t t = begin; t < end; t++)
        for (int a = 0; a < 3; a++) {
            const float *held = tlwGetFloats(grid, p->flow->held_share[a]);
            TLW_FOR_ROWS(grid, &grid->tiles[t], j, k, row)
                for (int64_t c = row; c < row + TLW_TILE; c++)
                    p->open[a][c] = p->unsolid[a][c] > held[c] ? p->unsolid[a][c] - held[c] : 0;
        }
}

// Liquid: the centre is inside the level set and some face is open.
static void typeRange(void *context, int64_t begin, int64_t end)
{
    const tlwPressure *p = context;
    const tlwGrid *grid = &p->flow->grid;
    int64_t stride[3] = {1, grid->stride_y, grid->stride_z};
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(grid, &grid->tiles[t], j, k, row)
            for (int64_t c = row; c < row + TLW_TILE; c++) {
                float open = 0;
                for (int a = 0; a < 3; a++)
                    open += p->open[a][c] + p->open[a][c + stride[a]];
                p->type[c] = !(open > 0) ? TLW_CELL_SOLID : p->phi[c] < 0 ? TLW_CELL_LIQUID : TLW_CELL_AIR;
            }
}

static void assembleRange(void *context, int64_t begin, int64_t end)
{
    const tlwPressure *p = context;
    const tlwGrid *grid = &p->flow->grid;
    int64_t stride[3] = {1, grid->stride_y, grid->stride_z};
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(grid, &grid->tiles[t], j, k, row)
            for (int64_t c = row; c < row + TLW_TILE; c++) {
                float diag = 0;
                bool liquid = p->type[c] == TLW_CELL_LIQUID;
                for (int a = 0; a < 3; a++) {
                    int64_t low = c - stride[a], high = c + stride[a];
                    float w = p->open[a][c] > 0 ? p->open[a][c] / tlwGetFaceDensity(p, low, c) : 0;
                    p->weight[a][c] = liquid && p->type[low] == TLW_CELL_LIQUID ? w : 0;
                    if (!liquid)
                        continue;
                    if (w > 0)
                        diag += p->type[low] == TLW_CELL_LIQUID ? w : w / tlwGetSurfaceTheta(p, c, low);
                    if (p->open[a][high] > 0) {
                        w = p->open[a][high] / tlwGetFaceDensity(p, c, high);
                        diag += p->type[high] == TLW_CELL_LIQUID ? w : w / tlwGetSurfaceTheta(p, c, high);
                    }
                }
                p->diag[c] = liquid && diag > 0 ? diag : 1;
            }
}

tlwResult tlwCreatePressure(tlwContext *context, tlwFlow *flow, const tlwPressureDef *def, tlwPressure **pressure)
{
    tlwPressure *p = tlwAlloc(1, sizeof *p);
    if (!p)
        return tlwFailMemory(&context->message, "the pressure solve");
    tlwGrid *grid = &flow->grid;
    *p = (tlwPressure){.context = context, .flow = flow, .def = *def, .system.grid = grid};
    p->system.diag = tlwBorrowField(grid, sizeof(float));
    for (int a = 0; a < 3; a++)
        p->system.weight[a] = tlwBorrowField(grid, sizeof(float));
    p->system.type = tlwBorrowField(grid, 1);
    p->b = tlwBorrowField(grid, sizeof(float));
    p->x = tlwBorrowField(grid, sizeof(float));
    p->labels = tlwBorrowField(grid, sizeof(int32_t));
    bool held = flow->given >= 0, ok = true;
    for (int a = 0; a < 3; a++) {
        p->pressed[a] = held ? tlwBorrowField(grid, sizeof(float)) : -1;
        ok = ok && (!held || p->pressed[a] >= 0);
    }
    tlwResult result = ok && p->system.diag >= 0 && p->system.weight[2] >= 0 && p->system.type >= 0 && p->labels >= 0
                           ? TLW_OK
                           : TLW_OUT_OF_MEMORY;
    if (result == TLW_OK) {
        bindArrays(p);
        if (held)
            tlwParallelFor(context->threads, grid->tile_count, TLW_TILE_BLOCK, pressedRange, p);
        tlwParallelFor(context->threads, grid->tile_count, TLW_TILE_BLOCK, typeRange, p);
        tlwParallelFor(context->threads, grid->tile_count, TLW_TILE_BLOCK, assembleRange, p);
        result = tlwFindPockets(p);
        tlwReturnField(grid, p->labels); // for the solver to borrow
        p->labels = -1;
    }
    if (result == TLW_OK && def->coupling && def->coupling->count) {
        result = tlwFindCoupledCells(context->threads, flow, def->solids, p->type, def->coupling);
        p->system.apply_extra = tlwApplyBodyCoupling;
        p->system.user = def->coupling;
    }
    if (result == TLW_OK) {
        p->poisson = tlwCreatePoisson(context, &p->system);
        result = p->poisson ? TLW_OK : TLW_OUT_OF_MEMORY;
    }
    if (result != TLW_OK) {
        tlwDestroyPressure(p);
        return tlwFailMemory(&context->message, "the pressure solve");
    }
    *pressure = p;
    return TLW_OK;
}

void tlwDestroyPressure(tlwPressure *p)
{
    if (!p)
        return;
    tlwDestroyPoisson(p->poisson);
    tlwGrid *grid = &p->flow->grid;
    tlwReturnField(grid, p->system.diag);
    for (int a = 0; a < 3; a++)
        tlwReturnField(grid, p->system.weight[a]);
    tlwReturnField(grid, p->system.type);
    tlwReturnField(grid, p->b);
    tlwReturnField(grid, p->x);
    tlwReturnField(grid, p->labels);
    for (int a = 0; a < 3; a++)
        tlwReturnField(grid, p->pressed[a]);
    tlwFree(p->pockets);
    tlwFree(p->pocket_cells);
    tlwFree(p);
}

// Unknown: pressure * dt / dx, so that a velocity changes by its difference over the density. Starts from the last
// pressure, which saves iterations; the right-hand side is minus the flow out of the cell.
static void divergenceRange(void *context, int64_t begin, int64_t end)
{
    const tlwPressure *p = context;
    const tlwGrid *grid = &p->flow->grid;
    const float *pressure = tlwGetFloats(grid, p->flow->pressure),
                *viscous = tlwGetFloats(grid, p->flow->viscous_pressure);
    float scale = (float)(p->def.dt / grid->dx);
    int64_t stride[3] = {1, grid->stride_y, grid->stride_z};
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(grid, &grid->tiles[t], j, k, row)
            for (int64_t c = row; c < row + TLW_TILE; c++) {
                p->rhs[c] = p->unknown[c] = 0;
                if (p->type[c] != TLW_CELL_LIQUID)
                    continue;
                float out = 0;
                for (int a = 0; a < 3; a++) {
                    int64_t high = c + stride[a];
                    out += p->open[a][high] * p->velocity[a][high] +
                           (1 - p->unsolid[a][high]) * p->solid_velocity[a][high];
                    out -= p->open[a][c] * p->velocity[a][c] + (1 - p->unsolid[a][c]) * p->solid_velocity[a][c];
                }
                out -= p->given ? p->given[c] : 0;
                p->rhs[c] = -out;
                p->unknown[c] = p->correction ? 0 : (pressure[c] - viscous[c]) * scale;
            }
}

// Least distance between a centre and the surface in cells, for the pressure of the last step. The surface may have
// come next to the centre since. A pressure that acted over half a cell would then act over a thousandth, and the face
// would shoot off. The correction finds the rest.
#define NEAREST_RECALLED 0.5f

// What is left of a recalled gradient across the lower face of c.
static float softenRecalled(const tlwPressure *p, int64_t low, int64_t c)
{
    bool here = p->type[c] == TLW_CELL_LIQUID, there = p->type[low] == TLW_CELL_LIQUID;
    int64_t liquid = here ? c : low, air = here ? low : c;
    float theta = here && there ? 1 : tlwGetSurfaceTheta(p, liquid, air);
    return theta < NEAREST_RECALLED ? theta / NEAREST_RECALLED : 1;
}

static void subtractRange(void *context, int64_t begin, int64_t end)
{
    const tlwPressure *p = context;
    const tlwGrid *grid = &p->flow->grid;
    float *pressure = tlwGetFloats(grid, p->flow->pressure), scale = (float)(grid->dx / p->def.dt);
    float *viscous = tlwGetFloats(grid, p->flow->viscous_pressure);
    int64_t stride[3] = {1, grid->stride_y, grid->stride_z};
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(grid, &grid->tiles[t], j, k, row)
            for (int64_t c = row; c < row + TLW_TILE; c++) {
                for (int a = 0; a < 3; a++) {
                    float gradient;
                    if (p->open[a][c] > 0 && tlwGetFaceGradient(p, c - stride[a], c, &gradient))
                        p->velocity[a][c] -= p->recalling ? gradient * softenRecalled(p, c - stride[a], c) : gradient;
                }
                float made = p->type[c] == TLW_CELL_LIQUID ? p->unknown[c] * scale : 0;
                pressure[c] = p->correction ? pressure[c] + made : made;
                if (p->correction)
                    viscous[c] += made;
            }
}

static void recallRange(void *context, int64_t begin, int64_t end)
{
    const tlwPressure *p = context;
    const tlwGrid *grid = &p->flow->grid;
    float *viscous = tlwGetFloats(grid, p->flow->viscous_pressure), scale = (float)(p->def.dt / grid->dx);
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(grid, &grid->tiles[t], j, k, row)
            for (int64_t c = row; c < row + TLW_TILE; c++) {
                p->unknown[c] = p->type[c] == TLW_CELL_LIQUID ? viscous[c] * scale : 0;
                viscous[c] = 0; // the subtraction adds it again
            }
}

void tlwRestPressure(tlwPressure *p)
{
    tlwRestPoisson(p->poisson);
    tlwReleaseFields(p->context->threads, &p->flow->grid, &p->b, 1);
}

void tlwApplyViscousPressure(tlwPressure *p)
{
    tlwThreads *threads = p->context->threads;
    int64_t tiles = p->flow->grid.tile_count;
    p->correction = p->recalling = true;
    tlwParallelFor(threads, tiles, TLW_TILE_BLOCK, recallRange, p);
    tlwParallelFor(threads, tiles, TLW_TILE_BLOCK, subtractRange, p);
    p->recalling = false;
    if (p->def.coupling)
        tlwPushBodies(p->def.coupling, p->unknown);
}

tlwResult tlwProjectVelocity(tlwPressure *p, bool correction, tlwSolveStats *stats)
{
    p->correction = correction;
    tlwThreads *threads = p->context->threads;
    int64_t tiles = p->flow->grid.tile_count;
    tlwParallelFor(threads, tiles, TLW_TILE_BLOCK, divergenceRange, p);
    if (p->def.coupling)
        tlwAddUnseenFlow(p->def.coupling, p->rhs);
    tlwResult result = tlwSolvePoisson(p->poisson, p->x, p->b, p->def.tolerance, p->def.max_iterations, stats);
    if (result == TLW_NOT_CONVERGED)
        return tlwFail(&p->context->message, result,
                       "The pressure could not be solved: %.1e is left of it after %d iterations, where %.0e is "
                       "allowed. Lower Step Length under Bake, Solver, or change the resolution a little.",
                       stats->residual, stats->iterations, p->def.tolerance);
    if (result != TLW_OK)
        return result;
    tlwParallelFor(threads, tiles, TLW_TILE_BLOCK, subtractRange, p);
    if (p->def.coupling)
        tlwPushBodies(p->def.coupling, p->unknown);
    return TLW_OK;
}
