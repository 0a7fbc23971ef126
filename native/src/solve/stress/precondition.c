#include "solve/stress/precondition.h"

#include "base/memory.h"
#include "base/result.h"
#include "solve/stress/components.h"
#include "solve/stress/stencil.h"

#include <string.h>

static const double JACOBI_STIFFNESS = 1;
static const int AGGREGATE_LIMIT = 600; // parts of the fallback's coarse space
static const int AGGREGATION_DEGREE = 6;
static const double AGGREGATION_SHARE = 0.02;

static double stiffestRange(void *context, int64_t begin, int64_t end)
{
    const tlwStressLevel *level = context;
    float stiffest = 0;
    for (int kind = TLW_ZZ; kind <= TLW_YZ; kind++)
        TLW_FOR_SPAN_ROWS(level, begin, end, row)
            for (int64_t i = row; i < row + TLW_TILE; i++)
                stiffest = level->c[kind][i] > stiffest ? level->c[kind][i] : stiffest;
    return stiffest;
}

tlwStressMethod tlwChooseStressMethod(tlwThreads *threads, const tlwStressSystem *system)
{
    double stiffest =
        tlwParallelMax(threads, system->level.span_count, TLW_SPAN_BLOCK, stiffestRange, (void *)&system->level);
    return stiffest < JACOBI_STIFFNESS * system->unit_mass ? TLW_STRESS_JACOBI : TLW_STRESS_MULTIGRID;
}

// Parts of the fallback: cubes of cells, as small as AGGREGATE_LIMIT allows.
static tlwResult labelAggregates(tlwStressSystem *system, int16_t *label, int *count)
{
    const tlwGrid *grid = &system->level.grid;
    for (int size = 4;; size *= 2) {
        int n[3], low[3];
        for (int a = 0; a < 3; a++) {
            low[a] = tlwFloorDiv(grid->window_min[a], size);
            n[a] = tlwFloorDiv(grid->window_min[a] + grid->window_size[a] - 1, size) - low[a] + 1;
        }
        int64_t cubes = (int64_t)n[0] * n[1] * n[2];
        int *number = tlwAlloc((size_t)cubes, sizeof *number);
        if (!number)
            return TLW_OUT_OF_MEMORY;
        *count = 0;
        for (int t = 0; t < grid->tile_count; t++)
            TLW_FOR_ROWS(grid, &grid->tiles[t], j, k, row)
                for (int i = 0; i < TLW_TILE; i++) {
                    int64_t cube = (tlwFloorDiv(grid->tiles[t].cell[0] + i, size) - low[0]) +
                                   (int64_t)n[0] * ((tlwFloorDiv((int)j, size) - low[1]) +
                                                    (int64_t)n[1] * (tlwFloorDiv(k, size) - low[2]));
                    bool used = system->level.c[TLW_XX][row + i] > 0;
                    if (used && !number[cube])
                        number[cube] = ++*count;
                    label[row + i] = (int16_t)(used && *count <= AGGREGATE_LIMIT ? number[cube] : 0);
                }
        tlwFree(number);
        if (*count <= AGGREGATE_LIMIT)
            return TLW_OK;
    }
}

tlwResult tlwInitStressPreconditioner(tlwThreads *threads, tlwStressPreconditioner *pre, tlwStressSystem *system,
                                      tlwStressMethod method)
{
    memset(pre, 0, sizeof *pre);
    tlwStressLevel *level = &system->level;
    pre->method = method;
    pre->additive = system->bodies != NULL;
    pre->level = level;
    int16_t none = 0;
    int slot = tlwAddField(&level->grid, sizeof none, &none, false);
    if (slot < 0 || !tlwAddFaceFloats(level, &pre->b) || !tlwAddFaceFloats(level, &pre->x) ||
        !tlwAddFaceFloats(level, &pre->y))
        return TLW_OUT_OF_MEMORY;
    int16_t *label = level->grid.fields[slot].data;
    int count = 0;
    pre->bound = tlwBoundStress(threads, level);
    if (method == TLW_STRESS_MULTIGRID) {
        TLW_TRY(tlwInitStressMultigrid(threads, &pre->multigrid, level, &pre->x, &pre->y, &pre->b));
        TLW_TRY(tlwFindStiffParts(threads, level, system->unit_mass, label, &count));
    } else if (method == TLW_STRESS_AGGREGATION) {
        TLW_TRY(labelAggregates(system, label, &count));
    }
    if (count)
        TLW_TRY(tlwInitStressDeflation(threads, &pre->deflation, level, label, count));
    return TLW_OK;
}

void tlwFreeStressPreconditioner(tlwStressPreconditioner *pre)
{
    tlwFreeStressMultigrid(&pre->multigrid);
    tlwFreeStressDeflation(&pre->deflation);
}

double tlwCountPreconditionerBytes(const tlwStressPreconditioner *pre)
{
    if (pre->method == TLW_STRESS_MULTIGRID)
        return tlwCountCycleBytes(&pre->multigrid);
    int own = countCoefficients(pre->level), steps = pre->method == TLW_STRESS_JACOBI ? 0 : AGGREGATION_DEGREE - 1;
    return countSpanCells(pre->level) * (3 + 3 + own + steps * (3 + 6 + 3 + own)) * sizeof(float);
}

const tlwFaceFloats *tlwPrecondition(tlwThreads *threads, tlwStressPreconditioner *pre, const tlwFaceDoubles *r,
                                     double scale)
{
    tlwFaceFloats *z = &pre->x;
    if (pre->method == TLW_STRESS_MULTIGRID) {
        tlwCycleStress(threads, &pre->multigrid);
        z = &pre->multigrid.x[0];
    } else if (pre->method == TLW_STRESS_JACOBI) {
        tlwScaleByDiagonal(threads, pre->level, &pre->b, 1, z);
    } else {
        tlwChebyshevStress(threads, pre->level, NULL, &pre->b, AGGREGATION_DEGREE, AGGREGATION_SHARE * pre->bound,
                           pre->bound, true, &pre->x, &pre->y);
    }
    if (pre->deflation.parts.count && pre->additive)
        tlwAddDeflation(threads, &pre->deflation, r, scale, z);
    else if (pre->deflation.parts.count)
        tlwDeflateCorrection(threads, &pre->deflation, r, scale, z);
    return z;
}
