// Coarse levels of the Poisson hierarchy: tiles, coefficients, ghosts.
#include "solve/poisson_level.h"

#include "base/memory.h"

#include <string.h>

// Tiles that hold the coarse cells of the fine tiles with unknowns, and one coarse cell around them.
static tlwResult activateCoarse(const tlwLevel *fine, tlwGrid *coarse)
{
    int count = 0;
    int(*coords)[3] = tlwAlloc((size_t)fine->grid->tile_count * 8, sizeof *coords);
    if (!coords)
        return TLW_OUT_OF_MEMORY;
    for (int t = 0; t < fine->grid->tile_count; t++) {
        const tlwTile *tile = &fine->grid->tiles[t];
        int low[3], high[3];
        for (int a = 0; a < 3; a++) {
            low[a] = tlwFloorDiv(tile->cell[a] / 2 - 1, TLW_TILE);
            high[a] = tlwFloorDiv(tile->cell[a] / 2 + TLW_TILE / 2, TLW_TILE);
        }
        for (int k = low[2]; k <= high[2]; k++)
            for (int j = low[1]; j <= high[1]; j++)
                for (int i = low[0]; i <= high[0]; i++) {
                    coords[count][0] = i;
                    coords[count][1] = j;
                    coords[count++][2] = k;
                }
    }
    tlwResult result = tlwActivateTiles(coarse, (const int(*)[3])coords, count);
    tlwFree(coords);
    return result;
}

typedef struct Coarsen {
    const tlwLevel *fine;
    tlwLevel *coarse;
} Coarsen;

// What a fine cell's diagonal holds beyond its weights; rounding does not count.
static inline float excessOf(const tlwLevel *fine, int64_t c)
{
    int64_t sy = fine->grid->stride_y, sz = fine->grid->stride_z;
    float sum = fine->weight[0][c] + fine->weight[0][c + 1] + fine->weight[1][c] + fine->weight[1][c + sy] +
                fine->weight[2][c] + fine->weight[2][c + sz];
    float excess = fine->diag[c] - sum;
    return excess > 1e-5f * fine->diag[c] ? excess : 0;
}

// Weights of the three lower faces, excess and type of one coarse cell from its children.
static void coarsenCell(const tlwLevel *fine, int i, int j, int k, float weight[3], float *excess, uint8_t *type)
{
    const tlwGrid *grid = fine->grid;
    weight[0] = weight[1] = weight[2] = *excess = 0;
    *type = TLW_CELL_SOLID;
    for (int n = 0; n < 8; n++) {
        int ci = 2 * i + (n & 1), cj = 2 * j + (n >> 1 & 1), ck = 2 * k + (n >> 2);
        if (!tlwInWindow(grid, ci, cj, ck))
            continue;
        int64_t c = tlwCellIndex(grid, ci, cj, ck);
        uint8_t child = fine->type[c];
        for (int a = 0; a < 3; a++)
            if (!(n >> a & 1))
                weight[a] += 0.5f * fine->weight[a][c];
        if (child == TLW_CELL_LIQUID) {
            *excess += 0.5f * excessOf(fine, c);
            *type = TLW_CELL_LIQUID;
        } else if (child == TLW_CELL_AIR && *type == TLW_CELL_SOLID) {
            *type = TLW_CELL_AIR;
        }
    }
}

static void coefficientRange(void *context, int64_t begin, int64_t end)
{
    const Coarsen *s = context;
    tlwLevel *coarse = s->coarse;
    for (int64_t t = begin; t < end; t++) {
        const tlwTile *tile = &coarse->grid->tiles[t];
        TLW_FOR_ROWS(coarse->grid, tile, j, k, row)
        for (int i = 0; i < TLW_TILE; i++) {
            float weight[3], excess;
            coarsenCell(s->fine, tile->cell[0] + i, (int)j, k, weight, &excess, &coarse->type[row + i]);
            for (int a = 0; a < 3; a++)
                coarse->weight[a][row + i] = weight[a];
            coarse->diag[row + i] = excess;
        }
    }
}

// A second pass, since the upper faces belong to neighbours.
static void diagonalRange(void *context, int64_t begin, int64_t end)
{
    const tlwLevel *level = context;
    int64_t sy = level->grid->stride_y, sz = level->grid->stride_z;
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(level->grid, &level->grid->tiles[t], j, k, row)
    for (int64_t c = row; c < row + TLW_TILE; c++) {
        float sum = level->weight[0][c] + level->weight[0][c + 1] + level->weight[1][c] + level->weight[1][c + sy] +
                    level->weight[2][c] + level->weight[2][c + sz];
        level->diag[c] += sum;
        if (level->type[c] != TLW_CELL_LIQUID || !(level->diag[c] > 0))
            level->diag[c] = 1;
    }
}

// Solid cells with unknowns beside them: face neighbours count; failing those, the cells across an edge, then a corner.
static int findSources(const tlwLevel *level, int64_t c, int64_t sources[12])
{
    int64_t sy = level->grid->stride_y, sz = level->grid->stride_z;
    for (int order = 1; order <= 3; order++) {
        int count = 0;
        for (int n = 0; n < 27; n++) {
            int di = n % 3 - 1, dj = n / 3 % 3 - 1, dk = n / 9 - 1;
            if (di * di + dj * dj + dk * dk != order)
                continue;
            int64_t s = c + di + dj * sy + dk * sz;
            if (level->type[s] == TLW_CELL_LIQUID)
                sources[count++] = s;
        }
        if (count)
            return count;
    }
    return 0;
}

// Solid cells around unknowns are marked first, so that the many solid cells far from any cost one look.
#define MARKED 3

static void markRange(void *context, int64_t begin, int64_t end)
{
    const tlwLevel *level = context;
    int64_t sy = level->grid->stride_y, sz = level->grid->stride_z;
    uint8_t *type = level->type;
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(level->grid, &level->grid->tiles[t], j, k, row)
    for (int64_t c = row; c < row + TLW_TILE; c++) {
        if (type[c] != TLW_CELL_SOLID)
            continue;
        for (int n = 0; n < 27; n++)
            if (type[c + (n % 3 - 1) + (n / 3 % 3 - 1) * sy + (n / 9 - 1) * sz] == TLW_CELL_LIQUID) {
                level->mark[c] = MARKED;
                break;
            }
    }
}

static tlwResult findGhosts(tlwThreads *threads, tlwLevel *level)
{
    int64_t ghost_capacity = 0, source_capacity = 0, source_count = 0;
    tlwParallelFor(threads, level->grid->tile_count, TLW_TILE_BLOCK, markRange, level);
    for (int t = 0; t < level->grid->tile_count; t++)
        TLW_FOR_ROWS(level->grid, &level->grid->tiles[t], j, k, row)
    for (int64_t c = row; c < row + TLW_TILE; c++) {
        if (level->mark[c] != MARKED)
            continue;
        int64_t sources[12];
        int count = findSources(level, c, sources);
        if (!tlwReserve((void **)&level->ghosts, &ghost_capacity, level->ghost_count + 1, sizeof *level->ghosts) ||
            !tlwReserve((void **)&level->sources, &source_capacity, source_count + count, sizeof *level->sources))
            return TLW_OUT_OF_MEMORY;
        level->ghosts[level->ghost_count++] = (tlwGhost){c, (int)source_count, count};
        for (int n = 0; n < count; n++)
            level->sources[source_count++] = sources[n];
    }
    return TLW_OK;
}

tlwResult tlwCoarsenLevel(tlwThreads *threads, const tlwLevel *fine, tlwLevel *coarse)
{
    memset(coarse, 0, sizeof *coarse);
    int dims[3];
    for (int a = 0; a < 3; a++)
        dims[a] = (fine->grid->dims[a] + 1) / 2;
    tlwGrid *grid = &coarse->owned;
    coarse->grid = grid;
    tlwInitGrid(grid, fine->grid->origin, dims, 2 * fine->grid->dx);
    const float zero = 0;
    const uint8_t solid = TLW_CELL_SOLID;
    int slots[9];
    for (int n = 0; n < 7; n++)
        slots[n] = tlwAddField(grid, sizeof(float), &zero, false);
    slots[7] = tlwAddField(grid, sizeof(uint8_t), &solid, false);
    slots[8] = tlwAddField(grid, sizeof(uint8_t), &solid, false);
    TLW_TRY(activateCoarse(fine, grid));
    coarse->diag = tlwGetFloats(grid, slots[0]);
    for (int a = 0; a < 3; a++)
        coarse->weight[a] = tlwGetFloats(grid, slots[1 + a]);
    coarse->x = tlwGetFloats(grid, slots[4]);
    coarse->b = tlwGetFloats(grid, slots[5]);
    coarse->r = tlwGetFloats(grid, slots[6]);
    coarse->type = tlwGetBytes(grid, slots[7]);
    coarse->mark = tlwGetBytes(grid, slots[8]);
    Coarsen s = {fine, coarse};
    tlwParallelFor(threads, grid->tile_count, TLW_TILE_BLOCK, coefficientRange, &s);
    tlwParallelFor(threads, grid->tile_count, TLW_TILE_BLOCK, diagonalRange, coarse);
    return findGhosts(threads, coarse);
}

void tlwFreeLevel(tlwLevel *level)
{
    tlwFree(level->ghosts);
    tlwFree(level->sources);
    if (level->grid == &level->owned)
        tlwFreeGrid(&level->owned);
    memset(level, 0, sizeof *level);
}
