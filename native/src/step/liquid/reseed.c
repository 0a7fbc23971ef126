#include "step/liquid/reseed.h"

#include "base/memory.h"
#include "base/pages.h"
#include "shape/affine.h"
#include "step/fields/flow.h"

#include <string.h>

typedef struct Reseed {
    const tlwFlow *flow;
    const tlwParticleOrder *order;
    tlwParticles *particles;
    uint8_t *dropped; // per particle: merged into another
    int64_t *splits;  // particles to split, in order
    int64_t split_count, split_capacity;
    int per_cell;
} Reseed;

// Add the mass of `from` to `to`, and mix what the two carry by mass.
static void mergeInto(tlwParticles *q, int64_t to, int64_t from)
{
    float a = q->mass[to] / (q->mass[to] + q->mass[from]), b = 1 - a, into[9], more[9];
    float *const mixed[] = {q->position[0], q->position[1], q->position[2], q->velocity[0], q->velocity[1],
                            q->velocity[2], q->rest[0],     q->rest[1],     q->rest[2],     q->enthalpy};
    for (size_t n = 0; n < sizeof mixed / sizeof *mixed; n++)
        mixed[n][to] = a * mixed[n][to] + b * mixed[n][from];
    tlwGetAffine(q, to, into);
    tlwGetAffine(q, from, more);
    for (int n = 0; n < 9; n++)
        into[n] = a * into[n] + b * more[n];
    tlwSetAffine(q, to, into);
    q->mass[to] += q->mass[from];
}

// Merge the lightest particle into its nearest companion of the same material. Particles of rigid pieces stay as they
// are.
static bool mergeLightest(const Reseed *r, int64_t first, int64_t last)
{
    tlwParticles *q = r->particles;
    int64_t light = -1, mate = -1;
    for (int64_t n = first; n < last; n++)
        if (!r->dropped[n] && !q->frozen[n] && (light < 0 || q->mass[n] < q->mass[light]))
            light = n;
    float best = 1e30f;
    for (int64_t n = first; n < last && light >= 0; n++) {
        if (r->dropped[n] || n == light || q->frozen[n] || q->material[n] != q->material[light])
            continue;
        float d = 0;
        for (int a = 0; a < 3; a++) {
            float x = q->position[a][n] - q->position[a][light];
            d += x * x;
        }
        if (d < best) {
            best = d;
            mate = n;
        }
    }
    if (mate < 0)
        return false;
    mergeInto(q, mate, light);
    r->dropped[light] = 1;
    return true;
}

// Returns the number of particles that were merged away.
static double mergeRange(void *context, int64_t begin, int64_t end)
{
    const Reseed *r = context;
    int64_t gone = 0;
    for (int64_t t = begin; t < end; t++) {
        const int32_t *start = r->order->cell_start + t * (TLW_TILE_CELLS + 1);
        for (int c = 0; c < TLW_TILE_CELLS; c++) {
            int64_t first = r->order->tile_start[t] + start[c], last = r->order->tile_start[t] + start[c + 1];
            for (int64_t left = last - first; left > 2 * r->per_cell; left--, gone++)
                if (!mergeLightest(r, first, last))
                    break;
        }
    }
    return (double)gone;
}

// List all particles of cells deep in the liquid that hold few, except those that have been split already. Empty cells
// need nothing here: the density solve draws particles into them (`test_flow`), which keeps the liquid's centre where
// it is. Halves of a neighbour's particles would shift it.
static tlwResult planSplits(Reseed *r, int64_t t, float usual_mass)
{
    const tlwGrid *grid = &r->flow->grid;
    const float *phi = tlwGetFloats(grid, r->flow->phi);
    const int32_t *start = r->order->cell_start + t * (TLW_TILE_CELLS + 1);
    float deep = -1.5f * (float)grid->dx;
    for (int c = 0; c < TLW_TILE_CELLS; c++) {
        int64_t count = start[c + 1] - start[c];
        if (count == 0 || count * 3 >= r->per_cell)
            continue;
        int64_t cell = grid->tiles[t].base + c % 8 + grid->stride_y * (c / 8 % 8) + grid->stride_z * (c / 64);
        if (phi[cell] > deep)
            continue;
        for (int64_t n = r->order->tile_start[t] + start[c]; n < r->order->tile_start[t] + start[c + 1]; n++) {
            if (r->particles->mass[n] < 0.5f * usual_mass || r->particles->frozen[n])
                continue;
            if (!tlwReserve((void **)&r->splits, &r->split_capacity, r->split_count + 1, sizeof *r->splits))
                return TLW_OUT_OF_MEMORY;
            r->splits[r->split_count++] = n;
        }
    }
    return TLW_OK;
}

// How far a particle is from the sides of its cell along an axis.
static float getRoom(const tlwParticles *q, int axis, int64_t n)
{
    float x = q->position[axis][n], within = x - floorf(x);
    return within < 0.5f ? within : 1 - within;
}

// Split into two halves a quarter of a cell apart, with their middle where the whole was. The direction differs from
// particle to particle, but keeps both halves in the cell where it can.
static void split(tlwParticles *q, int64_t n, int64_t twin, uint32_t id)
{
    tlwCopyParticle(q, twin, n);
    q->mass[n] *= 0.5f;
    q->mass[twin] = q->mass[n];
    int axis = (int)(q->id[n] % 3);
    for (int a = 0; a < 3 && getRoom(q, axis, n) < 0.125f; a++)
        axis = getRoom(q, a, n) > getRoom(q, axis, n) ? a : axis;
    q->id[twin] = id;
    q->position[axis][n] -= 0.125f;
    q->position[axis][twin] += 0.125f;
}

static double massRange(void *context, int64_t begin, int64_t end)
{
    const Reseed *r = context;
    double sum = 0;
    for (int64_t n = begin; n < end; n++)
        sum += r->particles->mass[n];
    return sum;
}

// Only the first `count` particles can be dropped; the others are new.
static tlwResult removeDropped(tlwThreads *threads, const Reseed *r, int64_t count)
{
    tlwParticles *q = r->particles;
    int64_t kept = 0;
    size_t bytes = (size_t)q->count * sizeof(uint32_t);
    uint32_t *keep = tlwAllocScratch(bytes);
    if (!keep)
        return TLW_OUT_OF_MEMORY;
    for (int64_t n = 0; n < q->count; n++)
        if (n >= count || !r->dropped[n])
            keep[kept++] = (uint32_t)n;
    tlwResult result = tlwReorderParticles(threads, q, keep, kept);
    tlwFreePages(keep);
    return result;
}

tlwResult tlwReseedParticles(tlwThreads *threads, const tlwFlow *flow, int per_cell, const tlwParticleOrder *order,
                             tlwParticles *particles, uint32_t *next_id)
{
    int64_t count = particles->count;
    if (!count)
        return TLW_OK;
    Reseed r = {.flow = flow, .order = order, .particles = particles, .per_cell = per_cell};
    r.dropped = tlwAlloc((size_t)count, 1);
    tlwResult result = r.dropped ? TLW_OK : TLW_OUT_OF_MEMORY;
    double mean = tlwParallelSum(threads, count, 65536, massRange, &r) / (double)count;
    for (int64_t t = 0; result == TLW_OK && t < flow->grid.tile_count; t++)
        result = planSplits(&r, t, (float)mean);
    if (result == TLW_OK)
        result = tlwReserveParticles(particles, count + r.split_count);
    if (result == TLW_OK) {
        double gone = tlwParallelSum(threads, flow->grid.tile_count, TLW_TILE_BLOCK, mergeRange, &r);
        for (int64_t n = 0; n < r.split_count; n++)
            split(particles, r.splits[n], count + n, (*next_id)++);
        particles->count = count + r.split_count;
        if (gone > 0)
            result = removeDropped(threads, &r, count);
    }
    tlwFree(r.dropped);
    tlwFree(r.splits);
    return result;
}
