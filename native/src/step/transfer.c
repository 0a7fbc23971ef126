#include "step/transfer.h"

#include "base/kernel.h"
#include "grid/sample.h"

#include <string.h>

float tlwGetParticleVolume(const tlwParticles *particles, int64_t n, const tlwMaterial *materials)
{
    const tlwMaterial *material = &materials[particles->material[n]];
    double melt = material->melts ? tlwGetMelt(material, particles->enthalpy[n]) : 1;
    return particles->mass[n] / (float)tlwGetDensity(material, melt);
}

typedef struct Gather {
    tlwFlow *flow;
    const tlwParticles *particles;
    const tlwParticleOrder *order;
    const tlwMaterial *materials;
    bool affine;
    int first;                                       // of the colour's tiles
    float *velocity[3], *weight[3], *fill, *density; // weight: the mass that stands behind a face's velocity
    uint8_t *reached;
} Gather;

// Two neighbours along x at once.
typedef float Pair __attribute__((vector_size(8)));

static inline void addPair(float *at, Pair value)
{
    Pair sum;
    memcpy(&sum, at, sizeof sum);
    sum += value;
    memcpy(at, &sum, sizeof sum);
}

// Add one particle's share to the eight faces of one component around it.
static inline void addToFaces(const Gather *g, const tlwGrid *grid, int axis, int64_t n, tlwStencil s)
{
    const tlwParticles *q = g->particles;
    float mass = q->mass[n], base = q->velocity[axis][n], slope[3] = {0, 0, 0};
    if (g->affine) {
        float dx = (float)grid->dx;
        for (int b = 0; b < 3; b++) {
            slope[b] = q->affine[3 * axis + b][n] * dx;
            base -= slope[b] * s.f[b];
        }
    }
    Pair wx = {1 - s.f[0], s.f[0]}, vx = {base, base + slope[0]};
    float *velocity = g->velocity[axis] + s.index, *weight = g->weight[axis] + s.index;
    for (int k = 0; k < 2; k++) {
        float wz = mass * (k ? s.f[2] : 1 - s.f[2]);
        Pair vz = vx + (k ? slope[2] : 0);
        for (int j = 0; j < 2; j++) {
            Pair w = wx * (wz * (j ? s.f[1] : 1 - s.f[1])), v = vz + (j ? slope[1] : 0);
            int64_t c = j * grid->stride_y + k * grid->stride_z;
            addPair(velocity + c, w * v);
            addPair(weight + c, w);
        }
    }
}

static inline void addToFill(const Gather *g, const tlwGrid *grid, int64_t n, tlwStencil s, float per_cell)
{
    float volume = tlwGetParticleVolume(g->particles, n, g->materials) * per_cell,
          mass = g->particles->mass[n] * per_cell;
    Pair wx = {1 - s.f[0], s.f[0]};
    for (int k = 0; k < 2; k++)
        for (int j = 0; j < 2; j++) {
            Pair w = wx * ((k ? s.f[2] : 1 - s.f[2]) * (j ? s.f[1] : 1 - s.f[1]));
            int64_t c = s.index + j * grid->stride_y + k * grid->stride_z;
            addPair(g->fill + c, volume * w);
            addPair(g->density + c, mass * w);
        }
}

// Tiles of one colour never touch, so their halos never overlap and the order of additions is fixed.
TLW_KERNEL static void gatherRange(void *context, int64_t begin, int64_t end)
{
    const Gather *g = context;
    const tlwGrid *grid = &g->flow->grid;
    float per_cell = (float)(1 / (grid->dx * grid->dx * grid->dx));
    for (int64_t t = begin; t < end; t++) {
        int tile = grid->color_tiles[g->first + t];
        for (int64_t n = g->order->tile_start[tile]; n < g->order->tile_start[tile + 1]; n++) {
            float p[3] = {g->particles->position[0][n], g->particles->position[1][n], g->particles->position[2][n]};
            tlwPlace place = tlwFindPlace(grid, p);
            for (int a = 0; a < 3; a++)
                addToFaces(g, grid, a, n, tlwPlaceStencil(&place, a));
            addToFill(g, grid, n, tlwPlaceStencil(&place, 3), per_cell);
        }
    }
}

TLW_KERNEL static void normalizeRange(void *context, int64_t begin, int64_t end)
{
    const Gather *g = context;
    const tlwGrid *grid = &g->flow->grid;
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(grid, &grid->tiles[t], j, k, row)
        {
            for (int a = 0; a < 3; a++)
                for (int i = 0; i < TLW_TILE; i++) {
                    float w = g->weight[a][row + i];
                    g->velocity[a][row + i] = w > 0 ? g->velocity[a][row + i] / w : 0;
                }
            for (int i = 0; i < TLW_TILE; i++)
                g->reached[row + i] = (uint8_t)((g->weight[0][row + i] > 0) | (g->weight[1][row + i] > 0) << 1 |
                                                (g->weight[2][row + i] > 0) << 2);
            for (int i = 0; i < TLW_TILE; i++)
                g->density[row + i] = g->fill[row + i] > 0 ? g->density[row + i] / g->fill[row + i] : 0;
        }
}

tlwResult tlwGatherParticles(tlwThreads *threads, const tlwParticles *particles, const tlwParticleOrder *order,
                             const tlwMaterial *materials, bool affine, tlwFlow *flow)
{
    tlwGrid *grid = &flow->grid;
    int slots[3] = {tlwBorrowField(grid, sizeof(float)), tlwBorrowField(grid, sizeof(float)),
                    tlwBorrowField(grid, sizeof(float))};
    if (slots[0] < 0 || slots[1] < 0 || slots[2] < 0)
        return TLW_OUT_OF_MEMORY;
    Gather g = {.flow = flow, .particles = particles, .order = order, .materials = materials, .affine = affine};
    for (int a = 0; a < 3; a++) {
        g.velocity[a] = tlwGetFloats(grid, flow->velocity[a]);
        g.weight[a] = tlwGetFloats(grid, slots[a]);
        tlwFillFloats(threads, grid, g.velocity[a], 0);
        tlwFillFloats(threads, grid, g.weight[a], 0);
    }
    g.reached = tlwGetBytes(grid, flow->reached);
    g.fill = tlwGetFloats(grid, flow->fill);
    tlwFillFloats(threads, grid, g.fill, 0);
    g.density = tlwGetFloats(grid, flow->density);
    tlwFillFloats(threads, grid, g.density, 0);
    for (int color = 0; color < 8; color++) {
        g.first = grid->color_start[color];
        tlwParallelFor(threads, grid->color_start[color + 1] - g.first, 1, gatherRange, &g);
    }
    tlwParallelFor(threads, grid->tile_count, TLW_TILE_BLOCK, normalizeRange, &g);
    for (int a = 0; a < 3; a++)
        tlwReturnField(grid, slots[a]);
    return TLW_OK;
}

typedef struct Update {
    const tlwGrid *grid;
    float *velocity[3], *old[3];
    tlwParticles *particles;
    bool affine;
    float blend;
} Update;

TLW_KERNEL static void updateRange(void *context, int64_t begin, int64_t end)
{
    const Update *u = context;
    const tlwGrid *grid = u->grid;
    tlwParticles *q = u->particles;
    float per_metre = (float)(1 / grid->dx);
    for (int64_t n = begin; n < end; n++) {
        float p[3] = {q->position[0][n], q->position[1][n], q->position[2][n]}, gradient[3];
        tlwPlace place = tlwFindPlace(grid, p);
        for (int a = 0; a < 3; a++) {
            tlwStencil s = tlwPlaceStencil(&place, a);
            if (!u->affine) {
                float now = tlwInterpolate(grid, u->velocity[a], s), before = tlwInterpolate(grid, u->old[a], s);
                q->velocity[a][n] = u->blend * (q->velocity[a][n] + now - before) + (1 - u->blend) * now;
                continue;
            }
            q->velocity[a][n] = tlwInterpolateGradient(grid, u->velocity[a], s, gradient);
            for (int b = 0; b < 3; b++)
                q->affine[3 * a + b][n] = per_metre * gradient[b];
        }
    }
}

void tlwUpdateParticles(tlwThreads *threads, const tlwFlow *flow, bool affine, float blend, tlwParticles *particles)
{
    Update u = {.grid = &flow->grid, .particles = particles, .affine = affine, .blend = blend};
    for (int a = 0; a < 3; a++) {
        u.velocity[a] = tlwGetFloats(&flow->grid, flow->velocity[a]);
        u.old[a] = tlwGetFloats(&flow->grid, flow->old_velocity[a]);
    }
    tlwParallelFor(threads, particles->count, 4096, updateRange, &u);
}
