#include "solve/stress/walls.h"

#include <string.h>

typedef struct Job {
    const tlwStressLevel *fine;
    tlwStressLevel *coarse;
} Job;

// How far a coarse value reaches across and along, as in stress/transfer.c.
static const float ACROSS[4] = {0.25f, 0.75f, 0.75f, 0.25f}; // from the fine index 2 I - 1 on
static const float ALONG[3] = {0.5f, 1, 0.5f};
static const float SHARE = 0.25f; // of a fine coefficient in a coarse one

enum { MARGIN = 2, SIDE = 2 * TLW_TILE + 2 * MARGIN }; // fine faces around a coarse tile

// The fine faces around a coarse tile, a bit each along x. Faces count from the corner of the margin.
typedef struct Faces {
    const tlwStressLevel *fine;
    int corner[3];
    uint32_t prescribed[3][SIDE][SIDE], unknown[3][SIDE][SIDE];
} Faces;

// Returns whether any face is prescribed.
static bool readFaces(Faces *faces, const tlwTile *coarse)
{
    const tlwGrid *grid = &faces->fine->grid;
    int low[3], high[3];
    uint32_t any = 0;
    memset(faces->prescribed, 0, sizeof faces->prescribed);
    memset(faces->unknown, 0, sizeof faces->unknown);
    for (int a = 0; a < 3; a++) {
        int first = grid->window_min[a], end = first + grid->window_size[a];
        faces->corner[a] = 2 * coarse->cell[a] - MARGIN;
        low[a] = faces->corner[a] > first ? faces->corner[a] : first;
        high[a] = faces->corner[a] + SIDE < end ? faces->corner[a] + SIDE : end;
    }
    for (int a = 0; a < 3; a++)
        for (int k = low[2]; k < high[2]; k++)
            for (int j = low[1]; j < high[1] && low[0] < high[0]; j++) {
                const float *mass = faces->fine->mass[a] + tlwCellIndex(grid, low[0], j, k);
                uint32_t prescribed = 0, unknown = 0;
                for (int i = 0; i < high[0] - low[0]; i++) {
                    prescribed |= (uint32_t)(mass[i] < 0) << i;
                    unknown |= (uint32_t)(mass[i] > 0) << i;
                }
                int shift = low[0] - faces->corner[0], y = j - faces->corner[1], z = k - faces->corner[2];
                faces->prescribed[a][z][y] = prescribed << shift;
                faces->unknown[a][z][y] = unknown << shift;
                any |= prescribed;
            }
    return any;
}

static inline bool isIn(const uint32_t bits[SIDE][SIDE], const int f[3])
{
    return bits[f[2]][f[1]] >> f[0] & 1;
}

// The prescribed faces near enough to affect the coarse row (j, k) of the tile, a bit each along x.
static uint32_t wallsNear(const Faces *faces, int axis, int j, int k)
{
    uint32_t any = 0;
    for (int z = 2 * k; z < 2 * k + 2 + 2 * MARGIN; z++)
        for (int y = 2 * j; y < 2 * j + 2 + 2 * MARGIN; y++)
            any |= faces->prescribed[axis][z][y];
    return any;
}

// Whether any of the four fine faces on the coarse face at `at`, moved by `shift` along the axis, has its bit set.
static bool isOneOf(const uint32_t bits[SIDE][SIDE], int axis, const int at[3], int shift)
{
    bool found = false;
    for (int n = 0; n < 4; n++) {
        int f[3] = {at[0], at[1], at[2]};
        f[axis] += shift;
        f[(axis + 1) % 3] += n & 1;
        f[(axis + 2) % 3] += n >> 1;
        found |= isIn(bits, f);
    }
    return found;
}

// A coarse face is prescribed when one of the four fine faces on it is. A coarse face without unknowns is also
// prescribed when a fine face beside it is: it lies behind a wall, and coarser grids would lose the wall without it.
static bool isPrescribed(const Faces *faces, int axis, const int at[3])
{
    const uint32_t(*prescribed)[SIDE] = faces->prescribed[axis];
    return isOneOf(prescribed, axis, at, 0) ||
           (!isOneOf(faces->unknown[axis], axis, at, 0) &&
            (isOneOf(prescribed, axis, at, -1) || isOneOf(prescribed, axis, at, 1)));
}

// Window index of a fine face that is counted from the corner.
static int64_t indexOf(const Faces *faces, const int f[3])
{
    return tlwCellIndex(&faces->fine->grid, faces->corner[0] + f[0], faces->corner[1] + f[1], faces->corner[2] + f[2]);
}

// A coarse motion stretches the two fine cells along it by half of its strain each. Where the face between them is
// prescribed, one of them takes the whole strain: a factor of 2, squared.
static float addedNormal(const Faces *faces, int axis, const int at[3])
{
    const tlwStressLevel *fine = faces->fine;
    const int64_t stride[3] = {1, fine->grid.stride_y, fine->grid.stride_z};
    float sum = 0;
    for (int n = 0; n < 16; n++) {
        int f[3] = {at[0], at[1], at[2]};
        f[axis]++;
        f[(axis + 1) % 3] += (n & 3) - 1;
        f[(axis + 2) % 3] += (n >> 2) - 1;
        if (!isIn(faces->prescribed[axis], f))
            continue;
        int64_t cell = indexOf(faces, f);
        sum += ACROSS[n & 3] * ACROSS[n >> 2] * (fine->c[axis][cell] + fine->c[axis][cell - stride[axis]]);
    }
    return (4 - 1) * SHARE * sum;
}

// Across a coarse edge, fine faces differ by half of the coarse difference, from 1/4 to 3/4. Where the nearer one is
// prescribed, they differ by 3/4: a factor of 1.5, squared.
static float addedShear(const Faces *faces, int kind, const int at[3])
{
    const int first = kind == TLW_YZ ? 1 : 0, second = kind == TLW_XY ? 1 : 2, third = 3 - first - second;
    float sum = 0;
    for (int way = 0; way < 2; way++) {
        int axis = way ? second : first, across = way ? first : second;
        for (int n = 0; n < 12; n++) {
            int f[3] = {at[0], at[1], at[2]};
            f[axis] += n % 3 - 1;
            f[third] += n / 3 - 1;
            int below[3] = {f[0], f[1], f[2]};
            below[across]--;
            if (isIn(faces->prescribed[axis], f) != isIn(faces->prescribed[axis], below))
                sum += ALONG[n % 3] * ACROSS[n / 3] * faces->fine->c[kind][indexOf(faces, f)];
        }
    }
    return (2.25f - 1) * SHARE * sum;
}

// Coarsen cell, edges and faces at index `i`. `near`: which of the three components have walls around.
static void coarsenOne(const Faces *faces, const int at[3], const bool near[3], tlwStressLevel *coarse, int64_t i)
{
    for (int a = 0; a < 3; a++) {
        if (near[a] && isPrescribed(faces, a, at))
            coarse->mass[a][i] = -1;
        if (near[a] && coarse->c[a][i] > 0)
            coarse->c[a][i] += addedNormal(faces, a, at);
    }
    for (int kind = TLW_XY; kind <= TLW_YZ; kind++)
        if ((near[kind == TLW_YZ ? 1 : 0] || near[kind == TLW_XY ? 1 : 2]) && coarse->c[kind][i] > 0)
            coarse->c[kind][i] += addedShear(faces, kind, at);
}

static void wallRange(void *context, int64_t begin, int64_t end)
{
    const Job *job = context;
    const uint32_t reach = (1 << (2 + 2 * MARGIN)) - 1;
    Faces faces = {.fine = job->fine};
    for (int64_t t = begin; t < end; t++) {
        const tlwTile *tile = &job->coarse->grid.tiles[t];
        if (!readFaces(&faces, tile))
            continue;
        TLW_FOR_ROWS(&job->coarse->grid, tile, j, k, row) {
            int y = (int)j - tile->cell[1], z = k - tile->cell[2];
            uint32_t walls[3];
            for (int a = 0; a < 3; a++)
                walls[a] = wallsNear(&faces, a, y, z);
            for (int i = 0; i < TLW_TILE; i++) {
                const int at[3] = {2 * i + MARGIN, 2 * y + MARGIN, 2 * z + MARGIN};
                bool near[3];
                for (int a = 0; a < 3; a++)
                    near[a] = walls[a] >> 2 * i & reach;
                if (near[0] || near[1] || near[2])
                    coarsenOne(&faces, at, near, job->coarse, row + i);
            }
        }
    }
}

void tlwCoarsenWalls(tlwThreads *threads, const tlwStressLevel *fine, tlwStressLevel *coarse)
{
    Job job = {fine, coarse};
    tlwParallelFor(threads, coarse->grid.tile_count, 1, wallRange, &job);
}
