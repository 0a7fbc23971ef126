#include "step/liquid/close.h"

typedef struct Close {
    const tlwGrid *grid;
    const float *phi, *open[3], *solid[3];
    float *velocity[3];
    int64_t stride[3];
} Close;

// Whether the lower face of c along an axis bounds a liquid cell.
static inline bool isLiquidFace(const Close *s, int axis, int64_t c)
{
    return (s->phi[c] < 0 || s->phi[c - s->stride[axis]] < 0) && s->open[axis][c] > 0;
}

// The one side (2 * axis + upper) from which liquid at least two cells deep reaches an air cell. -1 where there is no
// such side or more than one: at a film, a drop or the inside of a fold.
static inline int findBulk(const Close *s, int64_t c)
{
    int side = -1;
    for (int n = 0; n < 6; n++) {
        int64_t step = n & 1 ? s->stride[n / 2] : -s->stride[n / 2];
        if (!isLiquidFace(s, n / 2, n & 1 ? c + step : c))
            continue;
        if (side >= 0 || !(s->phi[c + 2 * step] < 0))
            return -1;
        side = n;
    }
    return side;
}

static inline bool touchesLiquid(const Close *s, int64_t c)
{
    for (int a = 0; a < 3; a++)
        if (isLiquidFace(s, a, c) || isLiquidFace(s, a, c + s->stride[a]))
            return true;
    return false;
}

// What flows out of a cell less what flows in, m/s.
static inline float getOutflow(const Close *s, int64_t c)
{
    float out = 0;
    for (int n = 0; n < 6; n++) {
        int64_t f = n & 1 ? c + s->stride[n / 2] : c;
        float open = s->open[n / 2][f], flow = open * s->velocity[n / 2][f] + (1 - open) * s->solid[n / 2][f];
        out += n & 1 ? flow : -flow;
    }
    return out;
}

// Cells that the surface of a pool has entered but not half filled: as much must flow out as in. The face that looks
// away from the liquid takes what the copied velocities miss, so that waves move the surface without gain or loss of
// volume.
static void closeRange(void *context, int64_t begin, int64_t end)
{
    const Close *s = context;
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(s->grid, &s->grid->tiles[t], j, k, row)
            for (int64_t c = row; c < row + TLW_TILE; c++) {
                int side = s->phi[c] < 0 || s->phi[c] > 2 * (float)s->grid->dx ? -1 : findBulk(s, c);
                if (side < 0)
                    continue;
                int axis = side / 2, away = side & 1 ? -1 : 1;
                int64_t face = away > 0 ? c + s->stride[axis] : c;
                // A face between two such cells stays as it is: each of the cells would change what the other reads.
                if (s->open[axis][face] < 0.5f || touchesLiquid(s, c + away * s->stride[axis]))
                    continue;
                s->velocity[axis][face] -= (float)away * getOutflow(s, c) / s->open[axis][face];
            }
}

void tlwCloseVelocity(tlwThreads *threads, tlwFlow *flow)
{
    const tlwGrid *grid = &flow->grid;
    Close s = {.grid = grid, .phi = tlwGetFloats(grid, flow->phi), .stride = {1, grid->stride_y, grid->stride_z}};
    for (int a = 0; a < 3; a++) {
        s.open[a] = tlwGetFloats(grid, flow->open[a]);
        s.solid[a] = tlwGetFloats(grid, flow->solid_velocity[a]);
        s.velocity[a] = tlwGetFloats(grid, flow->velocity[a]);
    }
    tlwParallelFor(threads, grid->tile_count, TLW_TILE_BLOCK, closeRange, &s);
}
