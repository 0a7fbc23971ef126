#include "step/frozen/squeeze.h"

#include "base/memory.h"
#include "step/obstacles/face_share.h"

#include <math.h>

#define JITTER 0.1f   // of a cell: more fill than this is too much
#define MOST 4.0f     // cells of melt: what one step lets out of a cell
#define SHALLOW 0.25f // of a cell: depth of melt below which flow moves it as if it were this deep
#define FARTHEST 0.5f // cells that melt moves in a step
#define TOLERANCE 1e-3
#define ITERATIONS 400

typedef struct FilmCell {
    int64_t cell;
    int tile, within;
    int32_t next[6]; // film cell beyond a side (2 * axis + upper), OUTLET or CLOSED
    float share[6];  // of a side that is open
    double excess;
} FilmCell;

enum { CLOSED = -1, OUTLET = -2 };

typedef struct Squeeze {
    const tlwFlow *flow;
    const tlwGrid *grid;
    const float *solid, *fill;
    const int32_t *piece;
    int32_t *index; // per cell: number of the film cell + 1
    int64_t stride[3];
    FilmCell *cells;
    int64_t count;
    double *x, *r, *p, *q;        // of the solve
    float *velocity[3], per_step; // m/s of a cell per step
} Squeeze;

// Expected fill of an open cell t cells in front of a wall, for particles spread trilinearly.
static float getRoom(float t)
{
    if (t >= 1)
        return 1;
    return t <= -1 ? 0 : t > 0 ? 1 - 0.5f * (1 - t) * (1 - t) : 0.5f * (1 + t) * (1 + t);
}

static float getSideShare(const Squeeze *s, int axis, int64_t c)
{
    int64_t u = s->stride[(axis + 1) % 3], v = s->stride[(axis + 2) % 3];
    const float corner[4] = {s->solid[c], s->solid[c + u], s->solid[c + u + v], s->solid[c + v]};
    return tlwGetFaceShare(corner, (float)s->grid->dx);
}

// List the film cells, tile by tile, so that the order does not depend on threads.
static bool listCells(Squeeze *s, const tlwPieces *pieces)
{
    for (int64_t n = 0; n < pieces->cut_count; n++)
        s->count += pieces->cuts[n].film;
    s->cells = tlwAlloc((size_t)s->count + 1, sizeof *s->cells);
    s->r = tlwAlloc(5 * (size_t)s->count + 1, sizeof *s->r);
    if (!s->cells || !s->r)
        return false;
    s->p = s->r + s->count;
    s->q = s->p + s->count;
    s->x = s->q + s->count;
    for (int64_t n = 0, at = 0; n < pieces->cut_count; n++)
        if (pieces->cuts[n].film) {
            s->cells[at].cell = pieces->cuts[n].cell;
            s->index[pieces->cuts[n].cell] = (int32_t)++at;
        }
    for (int t = 0; t < s->grid->tile_count; t++)
        for (int c = 0; c < TLW_TILE_CELLS; c++) {
            int64_t cell = s->grid->tiles[t].base + c % TLW_TILE + s->stride[1] * (c / TLW_TILE % TLW_TILE) +
                           s->stride[2] * (c / (TLW_TILE * TLW_TILE));
            if (s->index[cell]) {
                s->cells[s->index[cell] - 1].tile = t;
                s->cells[s->index[cell] - 1].within = c;
            }
        }
    return true;
}

static bool describe(Squeeze *s, const tlwParticles *particles, const tlwParticleOrder *order)
{
    bool any = false;
    for (int64_t n = 0; n < s->count; n++) {
        FilmCell *f = &s->cells[n];
        int64_t c = f->cell;
        float wall = tlwGetCentreSolid(s->grid, s->solid, c) / (float)s->grid->dx;
        float excess = s->fill[c] - getRoom(wall) - JITTER;
        f->excess = excess > 0 && tlwHoldsLiquid(order, particles, f->tile, f->within) ? fminf(excess, MOST) : 0;
        any = any || f->excess > 0;
        for (int side = 0; side < 6; side++) {
            int64_t beyond = c + (side & 1 ? 1 : -1) * s->stride[side / 2];
            f->share[side] = getSideShare(s, side / 2, side & 1 ? beyond : c);
            f->next[side] = !(f->share[side] > 0.01f) ? CLOSED
                            : s->index[beyond]        ? s->index[beyond] - 1
                            : s->piece[beyond]        ? CLOSED
                                                      : OUTLET;
        }
    }
    return any;
}

static double getFlow(const Squeeze *s, const FilmCell *f, const double *x, int side)
{
    int32_t next = f->next[side];
    double here = x[f - s->cells];
    return next == CLOSED ? 0 : f->share[side] * (next == OUTLET ? 2 * here : here - x[next]);
}

static double apply(const Squeeze *s, const double *x, double *out)
{
    double product = 0;
    for (int64_t n = 0; n < s->count; n++) {
        out[n] = 1e-6 * x[n]; // a film without an edge
        for (int side = 0; side < 6; side++)
            out[n] += getFlow(s, &s->cells[n], x, side);
        product += out[n] * x[n];
    }
    return product;
}

// Conjugate gradients. A film has at most some thousand cells.
static void solve(Squeeze *s)
{
    double square = 0, first;
    for (int64_t n = 0; n < s->count; n++) {
        s->r[n] = s->p[n] = s->cells[n].excess;
        square += s->r[n] * s->r[n];
    }
    first = square;
    for (int k = 0; k < ITERATIONS && square > TOLERANCE * TOLERANCE * first; k++) {
        double step = square / apply(s, s->p, s->q), before = square;
        square = 0;
        for (int64_t n = 0; n < s->count; n++) {
            s->x[n] += step * s->p[n];
            s->r[n] -= step * s->q[n];
            square += s->r[n] * s->r[n];
        }
        for (int64_t n = 0; n < s->count; n++)
            s->p[n] = s->r[n] + square / before * s->p[n];
    }
}

// Depth of the melt in a film cell, in cells.
static float getDepth(const Squeeze *s, const FilmCell *f, const tlwParticles *q, const tlwParticleOrder *order)
{
    double melt = 0, all = 0;
    const int32_t *start = order->cell_start + (int64_t)f->tile * (TLW_TILE_CELLS + 1);
    int64_t first = order->tile_start[f->tile];
    for (int64_t n = first + start[f->within]; n < first + start[f->within + 1]; n++) {
        all += q->mass[n];
        melt += q->frozen[n] ? 0 : q->mass[n];
    }
    return all > 0 ? fmaxf((float)(melt / all) * s->fill[f->cell], SHALLOW) : SHALLOW;
}

// Flow through a side becomes a velocity by the depth of the film cell that it leaves. Melt keeps half of the velocity
// that it has, so that flow does not jump from step to step.
static void drive(const Squeeze *s, const float *depth)
{
    for (int64_t n = 0; n < s->count; n++)
        for (int side = 0; side < 6; side++) {
            const FilmCell *f = &s->cells[n];
            int32_t next = f->next[side];
            if (next == CLOSED || (next >= 0 && !(side & 1))) // between film cells, the lower one sets the velocity
                continue;
            float way = (float)getFlow(s, f, s->x, side);
            way /= way < 0 && next >= 0 ? depth[next] : depth[n];
            float speed = fminf(fmaxf(way, -FARTHEST), FARTHEST) * s->per_step * (side & 1 ? 1 : -1);
            float *face = s->velocity[side / 2] + f->cell + (side & 1 ? s->stride[side / 2] : 0);
            *face = 0.5f * (*face + speed);
        }
}

tlwResult tlwSqueezeFilms(tlwFlow *flow, const tlwPieces *pieces, const tlwParticles *particles,
                          const tlwParticleOrder *order, double dt)
{
    if (!pieces->films)
        return TLW_OK;
    tlwGrid *grid = &flow->grid;
    int slot = tlwBorrowField(grid, sizeof(int32_t));
    if (slot < 0)
        return TLW_OUT_OF_MEMORY;
    Squeeze s = {.flow = flow,
                 .grid = grid,
                 .solid = tlwGetFloats(grid, flow->solid),
                 .fill = tlwGetFloats(grid, flow->fill),
                 .piece = tlwGetInts(grid, flow->piece),
                 .index = tlwGetInts(grid, slot),
                 .per_step = (float)(grid->dx / dt),
                 .stride = {1, grid->stride_y, grid->stride_z}};
    for (int a = 0; a < 3; a++)
        s.velocity[a] = tlwGetFloats(grid, flow->velocity[a]);
    for (int t = 0; t < grid->tile_count; t++)
        TLW_FOR_ROWS(grid, &grid->tiles[t], j, k, row)
            for (int64_t c = row; c < row + TLW_TILE; c++)
                s.index[c] = 0;
    bool ok = listCells(&s, pieces);
    float *depth = ok ? tlwAlloc((size_t)s.count + 1, sizeof *depth) : NULL;
    ok = depth != NULL;
    if (ok && describe(&s, particles, order)) {
        solve(&s);
        for (int64_t n = 0; n < s.count; n++)
            depth[n] = getDepth(&s, &s.cells[n], particles, order);
        drive(&s, depth);
    }
    tlwFree(depth);
    tlwFree(s.r);
    tlwFree(s.cells);
    tlwReturnField(grid, slot);
    return ok ? TLW_OK : TLW_OUT_OF_MEMORY;
}
