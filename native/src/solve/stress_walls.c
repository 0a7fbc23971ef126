#include "solve/stress_walls.h"

typedef struct Job {
    const tlwStressLevel *fine;
    tlwStressLevel *coarse;
} Job;

// How far a coarse value reaches across and along, as in stress_transfer.c.
static const float ACROSS[4] = {0.25f, 0.75f, 0.75f, 0.25f}; // from the fine index 2 I - 1 on
static const float ALONG[3] = {0.5f, 1, 0.5f};
static const float SHARE = 0.25f; // of a fine coefficient in a coarse one

static float massAt(const tlwStressLevel *level, int axis, const int at[3])
{
    return tlwInWindow(&level->grid, at[0], at[1], at[2])
               ? level->mass[axis][tlwCellIndex(&level->grid, at[0], at[1], at[2])]
               : 0;
}

// Whether a prescribed face is near enough to a coarse tile to count in it.
static bool isWallNear(const tlwStressLevel *fine, const tlwTile *coarse)
{
    const tlwGrid *grid = &fine->grid;
    int low[3], high[3];
    for (int a = 0; a < 3; a++) {
        int end = grid->window_min[a] + grid->window_size[a];
        low[a] = 2 * coarse->cell[a] - 2;
        high[a] = 2 * (coarse->cell[a] + TLW_TILE) + 2;
        low[a] = low[a] > grid->window_min[a] ? low[a] : grid->window_min[a];
        high[a] = high[a] < end ? high[a] : end;
    }
    for (int k = low[2]; k < high[2]; k++)
        for (int j = low[1]; j < high[1]; j++)
            for (int a = 0; a < 3; a++) {
                const float *mass = fine->mass[a] + tlwCellIndex(grid, low[0], j, k);
                int found = 0;
                for (int i = 0; i < high[0] - low[0]; i++)
                    found |= mass[i] < 0;
                if (found)
                    return true;
            }
    return false;
}

// Of the four fine faces that lie `shift` from a coarse one along its axis: whether one is prescribed, or unknown.
static void lookAtFaces(const tlwStressLevel *fine, int axis, const int at[3], int shift, bool *prescribed,
                        bool *unknown)
{
    for (int n = 0; n < 4; n++) {
        int f[3] = {2 * at[0], 2 * at[1], 2 * at[2]};
        f[axis] += shift;
        f[(axis + 1) % 3] += n & 1;
        f[(axis + 2) % 3] += n >> 1;
        float mass = massAt(fine, axis, f);
        *prescribed |= mass < 0;
        *unknown |= mass > 0;
    }
}

// A coarse face is prescribed when one of the four fine faces on it is. So it is when no unknown is on it and a fine
// face beside it is prescribed: it lies behind a wall, and without it coarser grids lose the wall.
static bool isPrescribed(const tlwStressLevel *fine, int axis, const int at[3])
{
    bool prescribed = false, unknown = false, beside = false;
    lookAtFaces(fine, axis, at, 0, &prescribed, &unknown);
    for (int shift = -1; shift <= 1 && !prescribed && !unknown; shift += 2)
        lookAtFaces(fine, axis, at, shift, &prescribed, &beside);
    return prescribed;
}

// A coarse motion stretches the two fine cells along it by half of its own strain each. Where the face between them is
// prescribed it stretches one by all of it.
static float addedNormal(const tlwStressLevel *fine, int axis, const int at[3])
{
    const int64_t stride[3] = {1, fine->grid.stride_y, fine->grid.stride_z};
    float sum = 0;
    for (int n = 0; n < 16; n++) {
        int f[3] = {2 * at[0], 2 * at[1], 2 * at[2]};
        f[axis]++;
        f[(axis + 1) % 3] += (n & 3) - 1;
        f[(axis + 2) % 3] += (n >> 2) - 1;
        if (!(massAt(fine, axis, f) < 0))
            continue;
        int64_t cell = tlwCellIndex(&fine->grid, f[0], f[1], f[2]);
        sum += ACROSS[n & 3] * ACROSS[n >> 2] * (fine->c[axis][cell] + fine->c[axis][cell - stride[axis]]);
    }
    return (4 - 1) * SHARE * sum;
}

// Across a coarse edge faces differ by half of what they differ on the coarse grid, from 1/4 to 3/4. Where the nearer
// one is prescribed they differ by 3/4.
static float addedShear(const tlwStressLevel *fine, int kind, const int at[3])
{
    const tlwGrid *grid = &fine->grid;
    const int64_t stride[3] = {1, grid->stride_y, grid->stride_z};
    const int first = kind == TLW_YZ ? 1 : 0, second = kind == TLW_XY ? 1 : 2, third = 3 - first - second;
    float sum = 0;
    for (int way = 0; way < 2; way++) {
        int axis = way ? second : first, across = way ? first : second;
        for (int n = 0; n < 12; n++) {
            int f[3] = {2 * at[0], 2 * at[1], 2 * at[2]};
            f[axis] += n % 3 - 1;
            f[third] += n / 3 - 1;
            if (!tlwInWindow(grid, f[0], f[1], f[2]))
                continue;
            int64_t edge = tlwCellIndex(grid, f[0], f[1], f[2]);
            if ((fine->mass[axis][edge] < 0) != (fine->mass[axis][edge - stride[across]] < 0))
                sum += ALONG[n % 3] * ACROSS[n / 3] * fine->c[kind][edge];
        }
    }
    return (2.25f - 1) * SHARE * sum;
}

static void wallRange(void *context, int64_t begin, int64_t end)
{
    const Job *job = context;
    tlwStressLevel *coarse = job->coarse;
    for (int64_t t = begin; t < end; t++) {
        const tlwTile *tile = &coarse->grid.tiles[t];
        if (!isWallNear(job->fine, tile))
            continue;
        TLW_FOR_ROWS(&coarse->grid, tile, j, k, row)
        for (int i = 0; i < TLW_TILE; i++) {
            const int at[3] = {tile->cell[0] + i, (int)j, k};
            for (int a = 0; a < 3; a++) {
                if (isPrescribed(job->fine, a, at))
                    coarse->mass[a][row + i] = -1;
                if (coarse->c[a][row + i] > 0)
                    coarse->c[a][row + i] += addedNormal(job->fine, a, at);
                if (coarse->c[TLW_XY + a][row + i] > 0)
                    coarse->c[TLW_XY + a][row + i] += addedShear(job->fine, TLW_XY + a, at);
            }
        }
    }
}

void tlwCoarsenWalls(tlwThreads *threads, const tlwStressLevel *fine, tlwStressLevel *coarse)
{
    Job job = {fine, coarse};
    tlwParallelFor(threads, coarse->grid.tile_count, 1, wallRange, &job);
}
