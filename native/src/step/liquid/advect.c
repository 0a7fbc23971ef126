#include "step/liquid/advect.h"

#include "base/kernel.h"
#include "base/memory.h"
#include "grid/sample.h"
#include "grid/sample_lanes.h"

#include <math.h>
#include <string.h>

typedef struct Advect {
    const tlwFlow *flow;
    const tlwGrid *grid;
    float *velocity[3];
    float step; // cells per (m/s)
    tlwParticles *particles;
    const float *from;
    float *to;
    float far; // m: cells farther than this from the surface keep their value
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
        for (int axis = 0; axis < 3; axis++)
            for (int lane = 0; lane < TLW_LANES; lane++)
                position[axis][n + lane] = frozen[n + lane] ? p[axis][lane] : q[axis][lane];
    }
    for (; n < end; n++) {
        if (frozen[n])
            continue;
        float p[3] = {position[0][n], position[1][n], position[2][n]}, q[3];
        trace(a, a->step, p, q);
        for (int axis = 0; axis < 3; axis++)
            position[axis][n] = q[axis];
    }
}

void tlwAdvectParticles(tlwThreads *threads, const tlwFlow *flow, double dt, tlwParticles *particles)
{
    if (!flow->grid.tile_count)
        return;
    Advect a = makeAdvect(flow, dt);
    a.particles = particles;
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
    tlwParticles *particles;
} Shift;

static inline float limitShift(float cells)
{
    return cells > 0.25f ? 0.25f : cells < -0.25f ? -0.25f : cells;
}

// Eight at a time; the last ones alone.
TLW_KERNEL static void shiftRange(void *context, int64_t begin, int64_t end)
{
    const Shift *s = context;
    float per_cell = (float)(1 / s->grid->dx), *const *position = s->particles->position;
    const uint32_t *frozen = s->particles->frozen;
    int64_t n = begin;
    for (; tlwFitsLanes(s->grid) && n + TLW_LANES <= end; n += TLW_LANES) {
        float p[3][TLW_LANES], d[3][TLW_LANES];
        for (int a = 0; a < 3; a++)
            memcpy(p[a], position[a] + n, sizeof p[a]);
        tlwSampleVelocityLanes(s->grid, s->shift, (const float(*)[TLW_LANES])p, d);
        for (int a = 0; a < 3; a++)
            for (int l = 0; l < TLW_LANES; l++) {
                float moved = p[a][l] + limitShift(d[a][l] * per_cell);
                position[a][n + l] = frozen[n + l] ? p[a][l] : moved;
            }
    }
    for (; n < end; n++) {
        if (frozen[n])
            continue;
        float p[3] = {position[0][n], position[1][n], position[2][n]}, d[3];
        tlwSampleVelocity(s->grid, s->shift, p, d);
        for (int a = 0; a < 3; a++)
            position[a][n] += limitShift(d[a] * per_cell);
    }
}

void tlwShiftParticles(tlwThreads *threads, const tlwGrid *grid, const int shift[3], tlwParticles *particles)
{
    Shift s = {.grid = grid, .particles = particles};
    for (int a = 0; a < 3; a++)
        s.shift[a] = tlwGetFloats(grid, shift[a]);
    tlwParallelFor(threads, particles->count, 4096, shiftRange, &s);
}

// A particle this close to a solid is moved out to this distance: cells.
#define CLEARANCE 0.05f

static void collideOne(const Advect *a, const float *solid, int64_t n)
{
    float *const *position = a->particles->position, per_cell = (float)(1 / a->grid->dx);
    float p[3] = {position[0][n], position[1][n], position[2][n]}, g[3];
    if (a->particles->frozen[n])
        return;
    for (int pass = 0; pass < 3; pass++) {
        float d = tlwSampleGradient(a->grid, solid, 0, p, g) * per_cell;
        if (d >= CLEARANCE)
            break;
        float length = sqrtf(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
        if (!(length * per_cell > 0.01f))
            break; // deep inside, where the distance has no gradient
        for (int axis = 0; axis < 3; axis++)
            p[axis] += (CLEARANCE - d) * g[axis] / length;
    }
    for (int axis = 0; axis < 3; axis++)
        position[axis][n] = p[axis];
}

// Few particles are near a solid, so eight at a time are tested for their distance.
TLW_KERNEL static void collideRange(void *context, int64_t begin, int64_t end)
{
    const Advect *a = context;
    const float *solid = tlwGetFloats(a->grid, a->flow->solid);
    float *const *position = a->particles->position, per_cell = (float)(1 / a->grid->dx);
    int64_t n = begin;
    for (; tlwFitsLanes(a->grid) && n + TLW_LANES <= end; n += TLW_LANES) {
        float p[3][TLW_LANES], d[TLW_LANES];
        for (int axis = 0; axis < 3; axis++)
            memcpy(p[axis], position[axis] + n, sizeof p[axis]);
        tlwSampleLanes(a->grid, solid, 0, (const float(*)[TLW_LANES])p, d);
        int near = 0;
        for (int lane = 0; lane < TLW_LANES; lane++)
            near |= !(d[lane] * per_cell >= CLEARANCE);
        for (int lane = 0; near && lane < TLW_LANES; lane++)
            collideOne(a, solid, n + lane);
    }
    for (; n < end; n++)
        collideOne(a, solid, n);
}

void tlwCollideParticles(tlwThreads *threads, const tlwFlow *flow, tlwParticles *particles)
{
    Advect a = makeAdvect(flow, 0);
    a.particles = particles;
    tlwParallelFor(threads, particles->count, 4096, collideRange, &a);
}

// Cells that a piece may sink into a side of the domain when it hits the side hard. Holding its particles back one by
// one would deform it.
#define SUNK 0.3f

// Hold a coordinate back at closed sides. False when it is outside the domain even so.
static bool keepInside(const tlwGrid *grid, const tlwWall walls[6], int axis, float clearance, float *x)
{
    float low = clearance, high = (float)grid->extent[axis] - clearance;
    if (*x < low && walls[2 * axis] != TLW_WALL_OPEN)
        *x = low;
    if (*x > high && walls[2 * axis + 1] != TLW_WALL_OPEN)
        *x = high;
    float beyond = clearance < 0 ? 0.01f - clearance : 0;
    return *x > -beyond && *x < (float)grid->dims[axis] + beyond; // false for a NaN
}

typedef struct Inside {
    const tlwGrid *grid;
    const tlwWall *walls;
    tlwParticles *particles;
} Inside;

// How many of the particles are outside after closed sides have held them back.
static double outsideRange(void *context, int64_t begin, int64_t end)
{
    const Inside *s = context;
    int64_t outside = 0;
    for (int64_t n = begin; n < end; n++) {
        bool inside = true;
        // A piece is hard: it sinks into a wall by a little and is not bent.
        float clearance = s->particles->frozen[n] ? -SUNK : CLEARANCE;
        for (int a = 0; a < 3; a++)
            inside = keepInside(s->grid, s->walls, a, clearance, &s->particles->position[a][n]) && inside;
        outside += !inside;
    }
    return (double)outside;
}

tlwResult tlwRemoveOutside(tlwThreads *threads, const tlwGrid *grid, const tlwWall walls[6], tlwParticles *particles,
                           double *mass)
{
    Inside s = {grid, walls, particles};
    *mass = 0;
    if (tlwParallelSum(threads, particles->count, 16384, outsideRange, &s) == 0)
        return TLW_OK;
    int64_t kept = 0;
    uint32_t *order = tlwAlloc((size_t)particles->count, sizeof *order);
    if (!order)
        return TLW_OUT_OF_MEMORY;
    for (int64_t n = 0; n < particles->count; n++) {
        if (outsideRange(&s, n, n + 1) == 0)
            order[kept++] = (uint32_t)n;
        else
            *mass += particles->mass[n];
    }
    tlwResult result = tlwReorderParticles(threads, particles, order, kept);
    tlwFree(order);
    return result;
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
