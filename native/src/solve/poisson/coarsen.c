#include "solve/poisson/coarsen.h"

#include "base/memory.h"
#include "base/pages.h"
#include "base/result.h"
#include "solve/poisson/level.h"
#include "solve/poisson/poisson.h"
#include "solve/poisson/rows.h"

#include <string.h>

static bool hasUnknowns(const tlwLevel *level, const tlwTile *tile)
{
    TLW_FOR_ROWS(level->grid, tile, j, k, row)
        if (level->mask[row / TLW_TILE])
            return true;
    return false;
}

// Activate the tiles that hold the parents of fine tiles with unknowns, and one coarse cell around the parents.
static tlwResult activateCoarse(const tlwLevel *fine, tlwGrid *coarse)
{
    int count = 0;
    int(*coords)[3] = tlwAlloc((size_t)fine->grid->tile_count * 8, sizeof *coords);
    if (!coords)
        return TLW_OUT_OF_MEMORY;
    for (int t = 0; t < fine->grid->tile_count; t++) {
        const tlwTile *tile = &fine->grid->tiles[t];
        if (!hasUnknowns(fine, tile))
            continue;
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
    tlwResult result = tlwActivateTiles(NULL, coarse, (const int(*)[3])coords, count);
    tlwFree(coords);
    return result;
}

typedef struct Coarsen {
    const tlwLevel *fine;
    tlwLevel *coarse;
} Coarsen;

// The excess of a fine cell's diagonal over its weights. An excess as small as rounding counts as zero.
static inline float excessOf(const tlwLevel *fine, int64_t c)
{
    int64_t sy = fine->grid->stride_y, sz = fine->grid->stride_z;
    float sum = fine->weight[0][c] + fine->weight[0][c + 1] + fine->weight[1][c] + fine->weight[1][c + sy] +
                fine->weight[2][c] + fine->weight[2][c + sz];
    float excess = fine->diag[c] - sum;
    return excess > 1e-5f * fine->diag[c] ? excess : 0;
}

// Weights of the three lower faces and excess of one coarse cell from its children.
static void coarsenCell(const tlwLevel *fine, int i, int j, int k, float weight[3], float *excess)
{
    const tlwGrid *grid = fine->grid;
    weight[0] = weight[1] = weight[2] = *excess = 0;
    for (int n = 0; n < 8; n++) {
        int ci = 2 * i + (n & 1), cj = 2 * j + (n >> 1 & 1), ck = 2 * k + (n >> 2);
        if (!tlwInWindow(grid, ci, cj, ck))
            continue;
        int64_t c = tlwCellIndex(grid, ci, cj, ck);
        for (int a = 0; a < 3; a++)
            if (!(n >> a & 1))
                weight[a] += 0.5f * fine->weight[a][c];
        if (fine->type[c] == TLW_CELL_LIQUID)
            *excess += 0.5f * excessOf(fine, c);
    }
}

// Types of a coarse row: liquid if a child is liquid, else air if a child is air. The two types are different bits, so
// children can be combined by OR.
static bool coarsenTypes(const tlwGrid *grid, const uint8_t *fine, int i, int j, int k, uint8_t type[TLW_TILE])
{
    uint8_t any[2 * TLW_TILE] = {0};
    for (int n = 0; n < 4; n++)
        for (int half = 0; half < 2; half++) {
            int ci = 2 * i + half * TLW_TILE, cj = 2 * j + (n & 1), ck = 2 * k + (n >> 1);
            if (!tlwInWindow(grid, ci, cj, ck))
                continue;
            const uint8_t *row = fine + tlwCellIndex(grid, ci, cj, ck);
            for (int m = 0; m < TLW_TILE; m++)
                any[half * TLW_TILE + m] |= row[m];
        }
    bool liquid = false;
    for (int m = 0; m < TLW_TILE; m++) {
        uint8_t both = any[2 * m] | any[2 * m + 1];
        type[m] = both & TLW_CELL_LIQUID ? TLW_CELL_LIQUID : both;
        liquid |= type[m] == TLW_CELL_LIQUID;
    }
    return liquid;
}

static void coefficientRange(void *context, int64_t begin, int64_t end)
{
    const Coarsen *s = context;
    tlwLevel *coarse = s->coarse;
    for (int64_t t = begin; t < end; t++) {
        const tlwTile *tile = &coarse->grid->tiles[t];
        TLW_FOR_ROWS(coarse->grid, tile, j, k, row) {
            if (!coarsenTypes(s->fine->grid, s->fine->type, tile->cell[0], (int)j, k, coarse->type + row))
                continue; // weights and diagonal stay zero
            for (int i = 0; i < TLW_TILE; i++) {
                float weight[3];
                coarsenCell(s->fine, tile->cell[0] + i, (int)j, k, weight, &coarse->diag[row + i]);
                for (int a = 0; a < 3; a++)
                    coarse->weight[a][row + i] = weight[a];
            }
        }
    }
}

// Diagonals need a second pass, because a cell's upper faces are stored with its neighbours.
static void diagonalRange(void *context, int64_t begin, int64_t end)
{
    const tlwLevel *level = context;
    int64_t sy = level->grid->stride_y, sz = level->grid->stride_z;
    for (int64_t n = begin; n < end; n++)
        for (int64_t c = TLW_ROW_START(level->rows[n]), last = c + TLW_TILE; c < last; c++) {
            float sum = level->weight[0][c] + level->weight[0][c + 1] + level->weight[1][c] + level->weight[1][c + sy] +
                        level->weight[2][c] + level->weight[2][c + sz];
            level->diag[c] += sum;
            bool unknown = level->type[c] == TLW_CELL_LIQUID;
            if (!unknown || !(level->diag[c] > 0))
                level->diag[c] = 1;
            level->inverse[c] = unknown ? 1 / level->diag[c] : 0;
        }
}

// Sources of a ghost: the unknowns across its faces. If there are none, those across edges, then those across corners.
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

// Cells of a row with an unknown among the 26 around them.
static unsigned maskAround(const tlwLevel *level, int64_t row)
{
    const uint8_t *mask = level->mask + row / TLW_TILE;
    int64_t sy = level->grid->stride_y / TLW_TILE, sz = level->grid->stride_z / TLW_TILE;
    unsigned near = 0;
    for (int dk = -1; dk <= 1; dk++)
        for (int dj = -1; dj <= 1; dj++) {
            const uint8_t *m = mask + dj * sy + dk * sz;
            near |= m[0] | (unsigned)m[0] << 1 | m[0] >> 1 | m[-1] >> 7 | (unsigned)(m[1] & 1) << 7;
        }
    return near & 0xff;
}

typedef struct GhostCounts {
    int64_t ghosts, sources, rows;
} GhostCounts;

typedef struct GhostSearch {
    tlwLevel *level;
    GhostCounts *tiles; // per tile: first its own counts, then the sums over the tiles before it
    bool fill;
} GhostSearch;

// Count a tile's ghosts, or write them from `at` on.
static GhostCounts visitGhosts(const GhostSearch *s, int64_t t, GhostCounts at)
{
    tlwLevel *level = s->level;
    TLW_FOR_ROWS(level->grid, &level->grid->tiles[t], j, k, row) {
        unsigned near = maskAround(level, row), found = 0;
        for (int64_t c = row; near && c < row + TLW_TILE; c++) {
            if (!(near >> (c - row) & 1) || level->type[c] != TLW_CELL_SOLID)
                continue;
            int64_t sources[12];
            int count = findSources(level, c, sources);
            if (s->fill) {
                level->ghosts[at.ghosts] = (tlwGhost){c, (int)at.sources, count};
                memcpy(level->sources + at.sources, sources, (size_t)count * sizeof *sources);
            }
            at.ghosts++;
            at.sources += count;
            found = 1;
        }
        if (!found || level->mask[row / TLW_TILE])
            continue;
        if (s->fill)
            level->ghost_rows[at.rows] = row;
        at.rows++;
    }
    return at;
}

static void ghostRange(void *context, int64_t begin, int64_t end)
{
    GhostSearch *s = context;
    for (int64_t t = begin; t < end; t++)
        if (s->fill)
            visitGhosts(s, t, s->tiles[t]);
        else
            s->tiles[t] = visitGhosts(s, t, (GhostCounts){0});
}

static tlwResult findGhosts(tlwThreads *threads, tlwLevel *level)
{
    int tiles = level->grid->tile_count;
    GhostSearch s = {level, tlwAlloc((size_t)tiles + 1, sizeof *s.tiles), false};
    if (!s.tiles)
        return TLW_OUT_OF_MEMORY;
    tlwParallelFor(threads, tiles, TLW_TILE_BLOCK, ghostRange, &s);
    GhostCounts all = {0};
    for (int t = 0; t < tiles; t++) {
        GhostCounts own = s.tiles[t];
        s.tiles[t] = all;
        all = (GhostCounts){all.ghosts + own.ghosts, all.sources + own.sources, all.rows + own.rows};
    }
    level->ghosts = tlwAlloc((size_t)all.ghosts + 1, sizeof *level->ghosts);
    level->sources = tlwAlloc((size_t)all.sources + 1, sizeof *level->sources);
    level->ghost_rows = tlwAlloc((size_t)all.rows + 1, sizeof *level->ghost_rows);
    bool ok = level->ghosts && level->sources && level->ghost_rows;
    if (ok) {
        level->ghost_count = (int)all.ghosts;
        level->ghost_row_count = all.rows;
        s.fill = true;
        tlwParallelFor(threads, tiles, TLW_TILE_BLOCK, ghostRange, &s);
    }
    tlwFree(s.tiles);
    return ok ? TLW_OK : TLW_OUT_OF_MEMORY;
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
    for (int n = 0; n < 8; n++)
        slots[n] = tlwAddField(grid, sizeof(float), &zero, false);
    slots[8] = tlwAddField(grid, sizeof(uint8_t), &solid, false);
    TLW_TRY(activateCoarse(fine, grid));
    coarse->diag = tlwGetFloats(grid, slots[0]);
    for (int a = 0; a < 3; a++)
        coarse->weight[a] = tlwGetFloats(grid, slots[1 + a]);
    coarse->x = tlwGetFloats(grid, slots[4]);
    coarse->b = tlwGetFloats(grid, slots[5]);
    coarse->r = tlwGetFloats(grid, slots[6]);
    coarse->inverse = tlwGetFloats(grid, slots[7]);
    coarse->type = tlwGetBytes(grid, slots[8]);
    Coarsen s = {fine, coarse};
    tlwParallelFor(threads, grid->tile_count, TLW_TILE_BLOCK, coefficientRange, &s);
    TLW_TRY(tlwListRows(threads, coarse));
    tlwParallelFor(threads, coarse->row_count, TLW_ROW_BLOCK, diagonalRange, coarse);
    return findGhosts(threads, coarse);
}

void tlwFreeLevel(tlwLevel *level)
{
    tlwFree(level->ghosts);
    tlwFree(level->sources);
    tlwFree(level->ghost_rows);
    tlwFree(level->rows);
    tlwFree(level->numbering);
    tlwFree(level->values);
    tlwFreeEnvelope(&level->factors);
    if (level->mask)
        tlwFreePages(level->mask);
    if (level->grid == &level->owned)
        tlwFreeGrid(&level->owned);
    memset(level, 0, sizeof *level);
}
