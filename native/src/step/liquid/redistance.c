#include "step/liquid/redistance.h"

#include "base/memory.h"
#include "step/obstacles/face_share.h"

#include <math.h>
#include <string.h>

#define PASSES 6 // red-black passes carry distances across the band

// Next to the surface, values with a slope in this range stay as they are. Scaling moves the surface a little where it
// is curved: over 3 s it makes dimples of a quarter of a cell in a ball at rest.
#define LEAST_SLOPE 0.85f
#define MOST_SLOPE 1.2f

typedef struct Redistance {
    const tlwGrid *grid;
    float *phi;
    float *out;     // scaled values next to the surface
    uint8_t *fixed; // cell is next to the surface, or closed by a solid
    const float *solid, *open[3];
    uint8_t *work; // tile has a cell next to the surface, or touches a tile that has one
    uint8_t *has;
    int color;
} Redistance;

enum { NEXT = 1, INSIDE = 2 };

static inline bool isOpen(const Redistance *r, int64_t c)
{
    return tlwGetCentreSolid(r->grid, r->solid, c) >= 0;
}

// Whether liquid could be in a cell whose centre is inside a solid.
static inline bool isCut(const Redistance *r, int64_t c)
{
    int64_t sy = r->grid->stride_y, sz = r->grid->stride_z;
    return r->open[0][c] > 0 || r->open[0][c + 1] > 0 || r->open[1][c] > 0 || r->open[1][c + sy] > 0 ||
           r->open[2][c] > 0 || r->open[2][c + sz] > 0;
}

// Whether the surface passes near a cell outside solids: a cell around it has an open centre on the surface's other
// side.
static bool isPassed(const Redistance *r, int64_t c)
{
    for (int n = 0; n < 27; n++) {
        int64_t other = c + n % 3 - 1 + (n / 3 % 3 - 1) * r->grid->stride_y + (n / 9 - 1) * r->grid->stride_z;
        if ((r->phi[other] < 0) != (r->phi[c] < 0) && isOpen(r, other))
            return true;
    }
    return false;
}

// Next to the surface, divide phi by the steepest difference there, so that the zero stays where it is.
static void nearRange(void *context, int64_t begin, int64_t end)
{
    const Redistance *r = context;
    int64_t stride[3] = {1, r->grid->stride_y, r->grid->stride_z};
    float dx = (float)r->grid->dx;
    for (int64_t t = begin; t < end; t++) {
        r->has[t] = 0;
        TLW_FOR_ROWS(r->grid, &r->grid->tiles[t], j, k, row)
            for (int64_t c = row; c < row + TLW_TILE; c++) {
                float phi = r->phi[c];
                if (!isOpen(r, c)) {
                    // The value that was continued into a cut cell hands its distance on. Without it the cells above a
                    // slanted wall would hold the distance around the wall, and the surface would bend where it meets
                    // the wall.
                    bool hands_on = fabsf(phi) < dx && isCut(r, c) && isPassed(r, c);
                    r->fixed[c] = hands_on ? NEXT : INSIDE;
                    r->out[c] = phi;
                    continue;
                }
                r->fixed[c] = 0;
                float square = 0, steepest = 1e-3f * dx;
                bool crossing = false, into_solid = false;
                for (int a = 0; a < 3; a++) {
                    float low = r->phi[c - stride[a]], high = r->phi[c + stride[a]];
                    bool has_low = isOpen(r, c - stride[a]), has_high = isOpen(r, c + stride[a]);
                    bool cross_low = (low < 0) != (phi < 0), cross_high = (high < 0) != (phi < 0);
                    float left = has_low ? phi - low : 0, right = has_high ? high - phi : 0;
                    crossing = crossing || (has_low && cross_low) || (has_high && cross_high);
                    into_solid = into_solid || cross_low || cross_high;
                    float centre = has_low && has_high ? 0.5f * (left + right) : left + right;
                    square += centre * centre;
                    steepest = fmaxf(steepest, fmaxf(fabsf(left), fabsf(right)));
                }
                // The surface goes on into a solid only if it is near: the far side of a thin wall stays dry.
                if (!crossing && !(into_solid && fabsf(phi) < dx))
                    continue;
                r->fixed[c] = NEXT;
                float slope = sqrtf(square);
                bool kept = slope > LEAST_SLOPE * dx && slope < MOST_SLOPE * dx;
                r->out[c] = crossing && !kept ? phi * dx / fmaxf(steepest, slope) : phi;
                r->has[t] = 1;
            }
    }
}

static void startRange(void *context, int64_t begin, int64_t end)
{
    const Redistance *r = context;
    float band = (float)(TLW_PHI_BAND * r->grid->dx);
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(r->grid, &r->grid->tiles[t], j, k, row)
            for (int64_t c = row; c < row + TLW_TILE; c++)
                r->phi[c] = r->fixed[c] == NEXT ? r->out[c] : r->phi[c] < 0 ? -band : band;
}

// fminf and fmaxf are function calls, since they handle NaNs.
static inline float smaller(float a, float b)
{
    return a < b ? a : b;
}

static inline float larger(float a, float b)
{
    return a > b ? a : b;
}

// Smallest u with sum_a max(u - v_a, 0)^2 = dx^2, for a <= b <= c.
static inline float solveEikonal(float a, float b, float c, float dx)
{
    float u = a + dx;
    if (u <= b)
        return u;
    float s = a + b;
    u = 0.5f * (s + sqrtf(larger(2 * dx * dx - (a - b) * (a - b), 0)));
    if (u <= c)
        return u;
    s += c;
    float q = s * s - 3 * (a * a + b * b + c * c - dx * dx);
    return (s + sqrtf(larger(q, 0))) / 3;
}

static void sweepRange(void *context, int64_t begin, int64_t end)
{
    const Redistance *r = context;
    int64_t sy = r->grid->stride_y, sz = r->grid->stride_z;
    float dx = (float)r->grid->dx;
    for (int64_t t = begin; t < end; t++) {
        if (!r->work[t])
            continue;
        TLW_FOR_ROWS(r->grid, &r->grid->tiles[t], j, k, row)
            for (int64_t c = row + ((j + k + r->color) & 1); c < row + TLW_TILE; c += 2) {
                if (r->fixed[c])
                    continue;
                float phi = r->phi[c];
                float x = smaller(fabsf(r->phi[c - 1]), fabsf(r->phi[c + 1]));
                float y = smaller(fabsf(r->phi[c - sy]), fabsf(r->phi[c + sy]));
                float z = smaller(fabsf(r->phi[c - sz]), fabsf(r->phi[c + sz]));
                float a = smaller(x, smaller(y, z)), d = larger(x, larger(y, z)),
                      b = larger(smaller(x, y), smaller(larger(x, y), z));
                if (a + dx >= fabsf(phi) && a >= fabsf(phi))
                    continue;
                float u = solveEikonal(a, b, d, dx);
                if (u < fabsf(phi))
                    r->phi[c] = phi < 0 ? -u : u;
            }
    }
}

// Tiles to sweep: those with surface cells and all that touch them.
static void spreadWork(const Redistance *r)
{
    for (int t = 0; t < r->grid->tile_count; t++) {
        const int *c = r->grid->tiles[t].cell;
        r->work[t] = 0;
        for (int n = 0; n < 27 && !r->work[t]; n++) {
            int other =
                tlwFindTile(r->grid, tlwFloorDiv(c[0], TLW_TILE) + n % 3 - 1,
                            tlwFloorDiv(c[1], TLW_TILE) + n / 3 % 3 - 1, tlwFloorDiv(c[2], TLW_TILE) + n / 9 - 1);
            r->work[t] = other >= 0 && r->has[other];
        }
    }
}

tlwResult tlwRedistance(tlwThreads *threads, tlwFlow *flow)
{
    tlwGrid *grid = &flow->grid;
    int slot = tlwBorrowField(grid, sizeof(float)), bytes = tlwBorrowField(grid, 1);
    uint8_t *tiles = tlwAlloc((size_t)grid->tile_count * 2, 1);
    tlwResult result = slot < 0 || bytes < 0 || !tiles ? TLW_OUT_OF_MEMORY : TLW_OK;
    if (result == TLW_OK) {
        Redistance r = {.grid = grid,
                        .phi = tlwGetFloats(grid, flow->phi),
                        .out = tlwGetFloats(grid, slot),
                        .fixed = tlwGetBytes(grid, bytes),
                        .solid = tlwGetFloats(grid, flow->solid),
                        .open = {tlwGetFloats(grid, flow->open[0]), tlwGetFloats(grid, flow->open[1]),
                                 tlwGetFloats(grid, flow->open[2])},
                        .work = tiles,
                        .has = tiles + grid->tile_count};
        tlwParallelFor(threads, grid->tile_count, TLW_TILE_BLOCK, nearRange, &r);
        spreadWork(&r);
        tlwParallelFor(threads, grid->tile_count, TLW_TILE_BLOCK, startRange, &r);
        for (int pass = 0; pass < PASSES; pass++)
            for (r.color = 0; r.color < 2; r.color++)
                tlwParallelFor(threads, grid->tile_count, TLW_TILE_BLOCK, sweepRange, &r);
    }
    tlwReturnField(grid, slot);
    tlwReturnField(grid, bytes);
    tlwFree(tiles);
    return result;
}
