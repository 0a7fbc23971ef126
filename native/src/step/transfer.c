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

// Sums are kept two by two, so that a particle changes four numbers at a time: momentum and mass of a face; volume and
// mass of a cell.
typedef struct Sum {
    float value, mass;
} Sum;

typedef struct Gather {
    tlwFlow *flow;
    const tlwParticles *particles;
    const tlwParticleOrder *order;
    const tlwMaterial *materials;
    bool affine;
    int first;    // of the colour's tiles
    Sum *sums[4]; // per axis; 3: of cells
    float *velocity[3], *fill, *density;
    uint8_t *reached;
} Gather;

// Two neighbours along x at once: value, mass, value, mass.
static inline void addPair(Sum *at, tlwFloat4 value)
{
    tlwFloat4 sum;
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
    // Weights twice over; beside each velocity a one, which makes the mass.
    const tlwFloat4 wx = {1 - s.f[0], 1 - s.f[0], s.f[0], s.f[0]}, vx = {base, 1, base + slope[0], 1};
    const tlwFloat4 vy = {slope[1], 0, slope[1], 0}, vz = {slope[2], 0, slope[2], 0};
    Sum *sums = g->sums[axis] + s.index;
    for (int k = 0; k < 2; k++) {
        float wz = mass * (k ? s.f[2] : 1 - s.f[2]);
        tlwFloat4 v = k ? vx + vz : vx;
        for (int j = 0; j < 2; j++) {
            tlwFloat4 w = wx * (wz * (j ? s.f[1] : 1 - s.f[1]));
            addPair(sums + j * grid->stride_y + k * grid->stride_z, w * (j ? v + vy : v));
        }
    }
}

static inline void addToCells(const Gather *g, const tlwGrid *grid, int64_t n, tlwStencil s, float per_cell)
{
    float volume = tlwGetParticleVolume(g->particles, n, g->materials) * per_cell,
          mass = g->particles->mass[n] * per_cell;
    const tlwFloat4 wx = {1 - s.f[0], 1 - s.f[0], s.f[0], s.f[0]}, both = {volume, mass, volume, mass};
    for (int k = 0; k < 2; k++)
        for (int j = 0; j < 2; j++) {
            tlwFloat4 w = wx * ((k ? s.f[2] : 1 - s.f[2]) * (j ? s.f[1] : 1 - s.f[1]));
            addPair(g->sums[3] + s.index + j * grid->stride_y + k * grid->stride_z, both * w);
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
            addToCells(g, grid, n, tlwPlaceStencil(&place, 3), per_cell);
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
            uint8_t reached[TLW_TILE] = {0};
            for (int a = 0; a < 3; a++)
                for (int i = 0; i < TLW_TILE; i++) {
                    Sum sum = g->sums[a][row + i];
                    g->velocity[a][row + i] = sum.mass > 0 ? sum.value / sum.mass : 0;
                    reached[i] |= (uint8_t)((sum.mass > 0) << a);
                }
            memcpy(g->reached + row, reached, sizeof reached);
            for (int i = 0; i < TLW_TILE; i++) {
                Sum sum = g->sums[3][row + i];
                g->fill[row + i] = sum.value;
                g->density[row + i] = sum.value > 0 ? sum.mass / sum.value : 0;
            }
        }
}

tlwResult tlwGatherParticles(tlwThreads *threads, const tlwParticles *particles, const tlwParticleOrder *order,
                             const tlwMaterial *materials, bool affine, tlwFlow *flow)
{
    tlwGrid *grid = &flow->grid;
    Gather g = {.flow = flow, .particles = particles, .order = order, .materials = materials, .affine = affine};
    int slots[4];
    bool ok = true;
    for (int n = 0; n < 4; n++)
        ok = (slots[n] = tlwBorrowField(grid, sizeof(Sum))) >= 0 && ok;
    for (int n = 0; ok && n < 4; n++) {
        tlwReleaseField(grid, slots[n]); // so that it is zero
        g.sums[n] = grid->fields[slots[n]].data;
    }
    for (int a = 0; a < 3; a++)
        g.velocity[a] = tlwGetFloats(grid, flow->velocity[a]);
    g.reached = tlwGetBytes(grid, flow->reached);
    g.fill = tlwGetFloats(grid, flow->fill);
    g.density = tlwGetFloats(grid, flow->density);
    for (int color = 0; ok && color < 8; color++) {
        g.first = grid->color_start[color];
        tlwParallelFor(threads, grid->color_start[color + 1] - g.first, 1, gatherRange, &g);
    }
    if (ok)
        tlwParallelFor(threads, grid->tile_count, TLW_TILE_BLOCK, normalizeRange, &g);
    for (int n = 0; n < 4; n++) {
        tlwReleaseField(grid, slots[n]); // stages with large systems follow
        tlwReturnField(grid, slots[n]);
    }
    return ok ? TLW_OK : TLW_OUT_OF_MEMORY;
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
