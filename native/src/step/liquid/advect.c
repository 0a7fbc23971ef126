#include "step/liquid/advect.h"

#include "base/kernel.h"
#include "base/memory.h"
#include "grid/sample.h"
#include "grid/sample_lanes.h"
#include "shape/affine.h"

#include <math.h>
#include <string.h>

typedef struct Advect {
    const tlwFlow *flow;
    const tlwGrid *grid;
    float *velocity[3];
    float step; // cells per (m/s)
    tlwParticles *particles;
    bool own; // several materials: particles may be marked (step/liquid/own_motion.h)
    const float *from;
    float *to;
    float far; // m: cells farther than this from the surface keep their value
    bool thin; // particles must be stopped at thin walls
} Advect;

static Advect makeAdvect(const tlwFlow *flow, double dt)
{
    Advect a = {.flow = flow, .grid = &flow->grid, .step = (float)(dt / flow->grid.dx)};
    for (int axis = 0; axis < 3; axis++)
        a.velocity[axis] = tlwGetFloats(&flow->grid, flow->velocity[axis]);
    return a;
}

// Where a point is after a step along the field; a negative step goes back in time.
static inline __attribute__((always_inline)) void trace(const Advect *a, float step, const float p[3], float out[3])
{
    float k1[3], k2[3], k3[3], q[3];
    tlwSampleVelocity(a->grid, a->velocity, p, k1);
    for (int n = 0; n < 3; n++)
        q[n] = p[n] + 0.5f * step * k1[n];
    tlwSampleVelocity(a->grid, a->velocity, q, k2);
    for (int n = 0; n < 3; n++)
        q[n] = p[n] + 0.75f * step * k2[n];
    tlwSampleVelocity(a->grid, a->velocity, q, k3);
    for (int n = 0; n < 3; n++)
        out[n] = p[n] + step * ((2.0f / 9) * k1[n] + (3.0f / 9) * k2[n] + (4.0f / 9) * k3[n]);
}

// The same for eight points.
static inline __attribute__((always_inline)) void traceLanes(const Advect *a, float step, const float (*p)[TLW_LANES],
                                                             float (*out)[TLW_LANES])
{
    float k1[3][TLW_LANES], k2[3][TLW_LANES], k3[3][TLW_LANES], q[3][TLW_LANES];
    tlwSampleVelocityLanes(a->grid, a->velocity, p, k1);
    for (int n = 0; n < 3; n++)
        for (int l = 0; l < TLW_LANES; l++)
            q[n][l] = p[n][l] + 0.5f * step * k1[n][l];
    tlwSampleVelocityLanes(a->grid, a->velocity, (const float(*)[TLW_LANES])q, k2);
    for (int n = 0; n < 3; n++)
        for (int l = 0; l < TLW_LANES; l++)
            q[n][l] = p[n][l] + 0.75f * step * k2[n][l];
    tlwSampleVelocityLanes(a->grid, a->velocity, (const float(*)[TLW_LANES])q, k3);
    for (int n = 0; n < 3; n++)
        for (int l = 0; l < TLW_LANES; l++)
            out[n][l] = p[n][l] + step * ((2.0f / 9) * k1[n][l] + (3.0f / 9) * k2[n][l] + (4.0f / 9) * k3[n][l]);
}

#define SHORT 0.5f   // cells: a shorter way ends before the middle of the thinnest wall
#define STRIDE 0.25f // cells between the places of a way that are looked at
#define MOST_PLACES 4096

// Let a particle that goes from p to q stop at the first wall. The way is seen from the wall, which moves meanwhile.
// Spreading may have put the particle into a wall, from where it must not go deeper.
static void stopAtWall(const Advect *a, const float p[3], float q[3])
{
    float way[3], wall[3], square = 0, before = 0;
    for (int n = 0; n < 3; n++) {
        wall[n] = a->step * tlwSampleFace(a->grid, tlwGetFloats(a->grid, a->flow->solid_velocity[n]), n, p);
        way[n] = q[n] - wall[n] - p[n];
        square += way[n] * way[n];
    }
    if (!(square > SHORT * SHORT))
        return;
    const float *solid = tlwGetFloats(a->grid, a->flow->solid);
    float length = sqrtf(square), start = tlwSampleNode(a->grid, solid, p), deepest = start < 0 ? start : 0;
    int places = (int)fminf(length / STRIDE, MOST_PLACES);
    for (int place = 1; place <= places; place++) {
        float share = (float)place * STRIDE / length,
              r[3] = {p[0] + share * way[0], p[1] + share * way[1], p[2] + share * way[2]};
        if (tlwSampleNode(a->grid, solid, r) < deepest) {
            for (int n = 0; n < 3; n++)
                q[n] = p[n] + before * way[n] + wall[n];
            return;
        }
        before = share;
    }
}

static void stopLanes(const Advect *a, const float (*p)[TLW_LANES], float (*q)[TLW_LANES])
{
    for (int lane = 0; lane < TLW_LANES; lane++) {
        float from[3] = {p[0][lane], p[1][lane], p[2][lane]}, to[3] = {q[0][lane], q[1][lane], q[2][lane]};
        stopAtWall(a, from, to);
        for (int n = 0; n < 3; n++)
            q[n][lane] = to[n];
    }
}

// Where a marked particle is after a step: along its own velocity, as its gradient turns that.
static void moveOwn(const Advect *a, int64_t n, const float p[3], float out[3])
{
    const tlwParticles *q = a->particles;
    float gradient[9], half = 0.5f * a->step * (float)a->grid->dx; // s
    tlwGetAffine(q, n, gradient);
    for (int b = 0; b < 3; b++) {
        float turn = gradient[3 * b] * q->velocity[0][n] + gradient[3 * b + 1] * q->velocity[1][n] +
                     gradient[3 * b + 2] * q->velocity[2][n];
        out[b] = p[b] + a->step * (q->velocity[b][n] + half * turn);
    }
}

static void moveOwnRange(const Advect *a, int64_t begin, int64_t end, const float (*before)[TLW_LANES])
{
    for (int64_t n = begin; n < end; n++)
        if (tlwHasOwnMotion(a->particles, n) && !a->particles->frozen[n]) {
            float p[3] = {before[0][n - begin], before[1][n - begin], before[2][n - begin]}, q[3];
            moveOwn(a, n, p, q);
            if (a->thin)
                stopAtWall(a, p, q);
            for (int axis = 0; axis < 3; axis++)
                a->particles->position[axis][n] = q[axis];
        }
}

TLW_KERNEL static void particleRange(void *context, int64_t begin, int64_t end)
{
    const Advect *a = context;
    float *const *position = a->particles->position;
    const uint32_t *frozen = a->particles->frozen; // pieces carry these particles
    int64_t n = begin;
    for (; tlwFitsLanes(a->grid) && n + TLW_LANES <= end; n += TLW_LANES) {
        float p[3][TLW_LANES], q[3][TLW_LANES];
        for (int axis = 0; axis < 3; axis++)
            memcpy(p[axis], position[axis] + n, sizeof p[axis]);
        traceLanes(a, a->step, (const float(*)[TLW_LANES])p, q);
        if (a->thin)
            stopLanes(a, (const float(*)[TLW_LANES])p, q);
        for (int axis = 0; axis < 3; axis++)
            for (int lane = 0; lane < TLW_LANES; lane++)
                position[axis][n + lane] = frozen[n + lane] ? p[axis][lane] : q[axis][lane];
        if (a->own)
            moveOwnRange(a, n, n + TLW_LANES, (const float(*)[TLW_LANES])p);
    }
    for (; n < end; n++) {
        if (frozen[n])
            continue;
        float p[3] = {position[0][n], position[1][n], position[2][n]}, q[3];
        if (a->own && tlwHasOwnMotion(a->particles, n))
            moveOwn(a, n, p, q);
        else
            trace(a, a->step, p, q);
        if (a->thin)
            stopAtWall(a, p, q);
        for (int axis = 0; axis < 3; axis++)
            position[axis][n] = q[axis];
    }
}

void tlwAdvectParticles(tlwThreads *threads, const tlwFlow *flow, double dt, bool thin, tlwParticles *particles)
{
    if (!flow->grid.tile_count)
        return;
    Advect a = makeAdvect(flow, dt);
    a.particles = particles;
    a.own = flow->fluidity_slope[0] >= 0;
    a.thin = thin;
    tlwParallelFor(threads, particles->count, 4096, particleRange, &a);
}

TLW_KERNEL void tlwTraceParticles(const tlwFlow *flow, double dt, const tlwParticles *particles, int64_t begin,
                                  int64_t end, float *const to[3])
{
    Advect a = makeAdvect(flow, dt);
    for (int64_t n = begin; n < end; n++) {
        float p[3] = {particles->position[0][n], particles->position[1][n], particles->position[2][n]}, q[3];
        trace(&a, a.step, p, q);
        for (int axis = 0; axis < 3; axis++)
            to[axis][n - begin] = q[axis];
    }
}

typedef struct Shift {
    const tlwGrid *grid;
    float *shift[3];
    const tlwStiffness *stiffness;
    tlwParticles *particles;
} Shift;

static inline bool isPushed(const Shift *s, int64_t n)
{
    return !s->particles->frozen[n] &&
           (!s->stiffness || tlwGetOwnViscosity(s->stiffness->materials, s->particles, n) < s->stiffness->limit);
}

static inline float limitShift(float cells)
{
    return cells > 0.25f ? 0.25f : cells < -0.25f ? -0.25f : cells;
}

// Eight at a time; the last ones alone.
TLW_KERNEL static void shiftRange(void *context, int64_t begin, int64_t end)
{
    const Shift *s = context;
    float per_cell = (float)(1 / s->grid->dx), *const *position = s->particles->position;
    int64_t n = begin;
    for (; tlwFitsLanes(s->grid) && n + TLW_LANES <= end; n += TLW_LANES) {
        float p[3][TLW_LANES], d[3][TLW_LANES];
        bool pushed[TLW_LANES];
        for (int a = 0; a < 3; a++)
            memcpy(p[a], position[a] + n, sizeof p[a]);
        tlwSampleVelocityLanes(s->grid, s->shift, (const float(*)[TLW_LANES])p, d);
        for (int l = 0; l < TLW_LANES; l++)
            pushed[l] = isPushed(s, n + l);
        for (int a = 0; a < 3; a++)
            for (int l = 0; l < TLW_LANES; l++) {
                float moved = p[a][l] + limitShift(d[a][l] * per_cell);
                position[a][n + l] = pushed[l] ? moved : p[a][l];
            }
    }
    for (; n < end; n++) {
        if (!isPushed(s, n))
            continue;
        float p[3] = {position[0][n], position[1][n], position[2][n]}, d[3];
        tlwSampleVelocity(s->grid, s->shift, p, d);
        for (int a = 0; a < 3; a++)
            position[a][n] += limitShift(d[a] * per_cell);
    }
}

void tlwShiftParticles(tlwThreads *threads, const tlwGrid *grid, const int shift[3], const tlwStiffness *stiffness,
                       tlwParticles *particles)
{
    Shift s = {.grid = grid, .stiffness = stiffness, .particles = particles};
    for (int a = 0; a < 3; a++)
        s.shift[a] = tlwGetFloats(grid, shift[a]);
    tlwParallelFor(threads, particles->count, 4096, shiftRange, &s);
}

TLW_KERNEL static void levelSetRange(void *context, int64_t begin, int64_t end)
{
    const Advect *a = context;
    float band = (float)(TLW_PHI_BAND * a->grid->dx), near = 0.6f * band;
    for (int64_t t = begin; t < end; t++) {
        const tlwTile *tile = &a->grid->tiles[t];
        TLW_FOR_ROWS(a->grid, tile, j, k, row)
            for (int i = 0; i < TLW_TILE; i++) {
                float p[3] = {(float)(tile->cell[0] + i) + 0.5f, (float)j + 0.5f, (float)k + 0.5f}, q[3];
                float here = a->from[row + i];
                if (fabsf(here) >= a->far) { // the surface cannot come near in this step
                    a->to[row + i] = here;
                    continue;
                }
                trace(a, -a->step, p, q);
                // Keep the value where nothing moves, free of rounding.
                if (q[0] == p[0] && q[1] == p[1] && q[2] == p[2]) {
                    a->to[row + i] = here;
                    continue;
                }
                float v = tlwSampleCentre(a->grid, a->from, q);
                a->to[row + i] = fabsf(v) < near ? tlwSampleCubic(a->grid, a->from, q) : v;
            }
    }
}

static double fastestRange(void *context, int64_t begin, int64_t end)
{
    const Advect *a = context;
    float fastest = 0;
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(a->grid, &a->grid->tiles[t], j, k, row)
            for (int n = 0; n < 3; n++)
                for (int i = 0; i < TLW_TILE; i++) {
                    float speed = fabsf(a->velocity[n][row + i]);
                    fastest = speed > fastest ? speed : fastest;
                }
    return fastest;
}

tlwResult tlwAdvectLevelSet(tlwThreads *threads, tlwFlow *flow, double dt)
{
    int slot = tlwBorrowField(&flow->grid, sizeof(float));
    if (slot < 0)
        return TLW_OUT_OF_MEMORY;
    Advect a = makeAdvect(flow, dt);
    a.from = tlwGetFloats(&flow->grid, flow->phi);
    a.to = tlwGetFloats(&flow->grid, slot);
    // Cells farther from the surface than the longest path plus two cells keep their sign, which is all that
    // redistancing needs.
    double path = sqrt(3) * a.step * tlwParallelMax(threads, flow->grid.tile_count, 16, fastestRange, &a);
    a.far = (float)(flow->grid.dx * (path + 2 < TLW_PHI_BAND ? path + 2 : 1e9));
    tlwParallelFor(threads, flow->grid.tile_count, TLW_TILE_BLOCK, levelSetRange, &a);
    tlwCopyFloats(threads, &flow->grid, a.to, tlwGetFloats(&flow->grid, flow->phi));
    tlwReturnField(&flow->grid, slot);
    return TLW_OK;
}

// One component by one backward (or forward) trace from every face.
typedef struct FaceAdvect {
    Advect trace;
    int axis;
    float step;
    const float *from;
    float *to;
} FaceAdvect;

static void faceRange(void *context, int64_t begin, int64_t end)
{
    const FaceAdvect *f = context;
    const tlwGrid *grid = f->trace.grid;
    for (int64_t t = begin; t < end; t++) {
        const tlwTile *tile = &grid->tiles[t];
        TLW_FOR_ROWS(grid, tile, j, k, row)
            for (int i = 0; i < TLW_TILE; i++) {
                float p[3] = {(float)(tile->cell[0] + i) + 0.5f, (float)j + 0.5f, (float)k + 0.5f}, q[3];
                p[f->axis] -= 0.5f;
                trace(&f->trace, f->step, p, q);
                f->to[row + i] = tlwSampleFace(grid, f->from, f->axis, q);
            }
    }
}

typedef struct Blend {
    const FaceAdvect *f;
    const float *back, *old;
    float *value;
    bool limit;
} Blend;

// value + (old - back) / 2, held between the values that the backward trace interpolated.
static void maccormackRange(void *context, int64_t begin, int64_t end)
{
    const Blend *b = context;
    const tlwGrid *grid = b->f->trace.grid;
    int64_t sy = grid->stride_y, sz = grid->stride_z;
    for (int64_t t = begin; t < end; t++) {
        const tlwTile *tile = &grid->tiles[t];
        TLW_FOR_ROWS(grid, tile, j, k, row)
            for (int i = 0; i < TLW_TILE; i++) {
                float corrected = b->value[row + i] + 0.5f * (b->old[row + i] - b->back[row + i]);
                if (!b->limit) {
                    b->value[row + i] = corrected;
                    continue;
                }
                float p[3] = {(float)(tile->cell[0] + i) + 0.5f, (float)j + 0.5f, (float)k + 0.5f}, q[3];
                p[b->f->axis] -= 0.5f;
                trace(&b->f->trace, b->f->step, p, q);
                int a = b->f->axis;
                tlwStencil s =
                    tlwFindStencil(grid, q[0], q[1], q[2], a == 0 ? 0 : 0.5f, a == 1 ? 0 : 0.5f, a == 2 ? 0 : 0.5f);
                float low = 1e30f, high = -1e30f;
                for (int n = 0; n < 8; n++) {
                    float v = b->old[s.index + (n & 1) + (n >> 1 & 1) * sy + (n >> 2) * sz];
                    low = v < low ? v : low;
                    high = v > high ? v : high;
                }
                b->value[row + i] = corrected < low ? low : corrected > high ? high : corrected;
            }
    }
}

static void bfeccRange(void *context, int64_t begin, int64_t end)
{
    const Blend *b = context;
    const tlwGrid *grid = b->f->trace.grid;
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(grid, &grid->tiles[t], j, k, row)
            for (int i = 0; i < TLW_TILE; i++)
                b->value[row + i] = b->old[row + i] + 0.5f * (b->old[row + i] - b->back[row + i]);
}

tlwResult tlwAdvectVelocity(tlwThreads *threads, tlwFlow *flow, tlwTransport transport, double dt)
{
    tlwGrid *grid = &flow->grid;
    int slots[5];
    bool ok = true;
    for (int n = 0; n < 5; n++)
        ok = (slots[n] = tlwBorrowField(grid, sizeof(float))) >= 0 && ok;
    for (int a = 0; ok && a < 3; a++) {
        float *old = tlwGetFloats(grid, flow->velocity[a]), *result = tlwGetFloats(grid, slots[a]),
              *back = tlwGetFloats(grid, slots[3]), *better = tlwGetFloats(grid, slots[4]);
        FaceAdvect f = {makeAdvect(flow, dt), a, -(float)(dt / grid->dx), old, result};
        tlwParallelFor(threads, grid->tile_count, TLW_TILE_BLOCK, faceRange, &f);
        if (transport == TLW_TRANSPORT_SEMI_LAGRANGIAN)
            continue;
        // There and back: the difference is twice the error (Dupont and Liu 2003).
        FaceAdvect g = {makeAdvect(flow, dt), a, (float)(dt / grid->dx), result, back};
        tlwParallelFor(threads, grid->tile_count, TLW_TILE_BLOCK, faceRange, &g);
        if (transport == TLW_TRANSPORT_MACCORMACK) {
            Blend b = {&f, back, old, result, true};
            tlwParallelFor(threads, grid->tile_count, TLW_TILE_BLOCK, maccormackRange, &b);
        } else {
            Blend b = {&f, back, old, better, false};
            tlwParallelFor(threads, grid->tile_count, TLW_TILE_BLOCK, bfeccRange, &b);
            f.from = better;
            tlwParallelFor(threads, grid->tile_count, TLW_TILE_BLOCK, faceRange, &f);
        }
    }
    for (int a = 0; ok && a < 3; a++)
        tlwCopyFloats(threads, grid, tlwGetFloats(grid, slots[a]), tlwGetFloats(grid, flow->velocity[a]));
    for (int n = 0; n < 5; n++)
        tlwReturnField(grid, slots[n]);
    return ok ? TLW_OK : TLW_OUT_OF_MEMORY;
}
