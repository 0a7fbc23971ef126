#include "step/liquid/collide.h"

#include "base/kernel.h"
#include "base/memory.h"
#include "grid/sample.h"
#include "grid/sample_lanes.h"

#include <math.h>
#include <string.h>

// A particle this close to a solid is moved out to this distance: cells.
#define CLEARANCE 0.05f

typedef struct Collide {
    const tlwGrid *grid;
    const float *solid;
    tlwParticles *particles;
} Collide;

static void collideOne(const Collide *a, int64_t n)
{
    float *const *position = a->particles->position, per_cell = (float)(1 / a->grid->dx);
    float p[3] = {position[0][n], position[1][n], position[2][n]}, g[3];
    if (a->particles->frozen[n])
        return;
    for (int pass = 0; pass < 3; pass++) {
        float d = tlwSampleGradient(a->grid, a->solid, 0, p, g) * per_cell;
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
    const Collide *a = context;
    float *const *position = a->particles->position, per_cell = (float)(1 / a->grid->dx);
    int64_t n = begin;
    for (; tlwFitsLanes(a->grid) && n + TLW_LANES <= end; n += TLW_LANES) {
        float p[3][TLW_LANES], d[TLW_LANES];
        for (int axis = 0; axis < 3; axis++)
            memcpy(p[axis], position[axis] + n, sizeof p[axis]);
        tlwSampleLanes(a->grid, a->solid, 0, (const float(*)[TLW_LANES])p, d);
        int near = 0;
        for (int lane = 0; lane < TLW_LANES; lane++)
            near |= !(d[lane] * per_cell >= CLEARANCE);
        for (int lane = 0; near && lane < TLW_LANES; lane++)
            collideOne(a, n + lane);
    }
    for (; n < end; n++)
        collideOne(a, n);
}

void tlwCollideParticles(tlwThreads *threads, const tlwFlow *flow, tlwParticles *particles)
{
    Collide a = {&flow->grid, tlwGetFloats(&flow->grid, flow->solid), particles};
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
