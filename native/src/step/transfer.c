#include "step/transfer.h"

#include "base/kernel.h"
#include "grid/sample.h"

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
    int first; // of the colour's tiles
    float *velocity[3], *weight[3], *fill, *density;
} Gather;

// Add one particle's share to the eight faces of one component around it.
static inline void addToFaces(const Gather *g, const tlwGrid *grid, int axis, int64_t n, const float p[3])
{
    const tlwParticles *q = g->particles;
    tlwStencil s =
        tlwFindStencil(grid, p[0], p[1], p[2], axis == 0 ? 0 : 0.5f, axis == 1 ? 0 : 0.5f, axis == 2 ? 0 : 0.5f);
    float mass = q->mass[n], base = q->velocity[axis][n], slope[3] = {0, 0, 0};
    if (g->affine) {
        float dx = (float)grid->dx;
        for (int b = 0; b < 3; b++) {
            slope[b] = q->affine[3 * axis + b][n] * dx;
            base -= slope[b] * s.f[b];
        }
    }
    float *velocity = g->velocity[axis] + s.index, *weight = g->weight[axis] + s.index;
    for (int k = 0; k < 2; k++) {
        float wz = mass * (k ? s.f[2] : 1 - s.f[2]), vz = base + (k ? slope[2] : 0);
        for (int j = 0; j < 2; j++) {
            float wy = wz * (j ? s.f[1] : 1 - s.f[1]), vy = vz + (j ? slope[1] : 0);
            int64_t c = j * grid->stride_y + k * grid->stride_z;
            float w0 = wy * (1 - s.f[0]), w1 = wy * s.f[0];
            velocity[c] += w0 * vy;
            velocity[c + 1] += w1 * (vy + slope[0]);
            weight[c] += w0;
            weight[c + 1] += w1;
        }
    }
}

static inline void addToFill(const Gather *g, const tlwGrid *grid, int64_t n, const float p[3], float per_cell)
{
    tlwStencil s = tlwFindStencil(grid, p[0], p[1], p[2], 0.5f, 0.5f, 0.5f);
    float volume = tlwGetParticleVolume(g->particles, n, g->materials) * per_cell,
          mass = g->particles->mass[n] * per_cell;
    for (int k = 0; k < 2; k++)
        for (int j = 0; j < 2; j++) {
            float w = (k ? s.f[2] : 1 - s.f[2]) * (j ? s.f[1] : 1 - s.f[1]);
            int64_t c = s.index + j * grid->stride_y + k * grid->stride_z;
            g->fill[c] += volume * w * (1 - s.f[0]);
            g->fill[c + 1] += volume * w * s.f[0];
            g->density[c] += mass * w * (1 - s.f[0]);
            g->density[c + 1] += mass * w * s.f[0];
        }
}

// Tiles of one colour never touch, so their halos never overlap and the order of additions is fixed.
static void gatherRange(void *context, int64_t begin, int64_t end)
{
    const Gather *g = context;
    const tlwGrid *grid = &g->flow->grid;
    float per_cell = (float)(1 / (grid->dx * grid->dx * grid->dx));
    for (int64_t t = begin; t < end; t++) {
        int tile = grid->color_tiles[g->first + t];
        for (int64_t n = g->order->tile_start[tile]; n < g->order->tile_start[tile + 1]; n++) {
            float p[3] = {g->particles->position[0][n], g->particles->position[1][n], g->particles->position[2][n]};
            for (int a = 0; a < 3; a++)
                addToFaces(g, grid, a, n, p);
            addToFill(g, grid, n, p, per_cell);
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
                g->density[row + i] = g->fill[row + i] > 0 ? g->density[row + i] / g->fill[row + i] : 0;
        }
}

void tlwGatherParticles(tlwThreads *threads, const tlwParticles *particles, const tlwParticleOrder *order,
                        const tlwMaterial *materials, bool affine, tlwFlow *flow)
{
    tlwGrid *grid = &flow->grid;
    Gather g = {.flow = flow, .particles = particles, .order = order, .materials = materials, .affine = affine};
    for (int a = 0; a < 3; a++) {
        g.velocity[a] = tlwGetFloats(grid, flow->velocity[a]);
        g.weight[a] = tlwGetFloats(grid, flow->mass_weight[a]);
        tlwFillFloats(threads, grid, g.velocity[a], 0);
        tlwFillFloats(threads, grid, g.weight[a], 0);
    }
    g.fill = tlwGetFloats(grid, flow->fill);
    tlwFillFloats(threads, grid, g.fill, 0);
    g.density = tlwGetFloats(grid, flow->density);
    tlwFillFloats(threads, grid, g.density, 0);
    for (int color = 0; color < 8; color++) {
        g.first = grid->color_start[color];
        tlwParallelFor(threads, grid->color_start[color + 1] - g.first, 1, gatherRange, &g);
    }
    tlwParallelFor(threads, grid->tile_count, TLW_TILE_BLOCK, normalizeRange, &g);
}

typedef struct Update {
    const tlwGrid *grid;
    float *velocity[3], *old[3];
    tlwParticles *particles;
    bool affine;
    float blend;
} Update;

static void updateRange(void *context, int64_t begin, int64_t end)
{
    const Update *u = context;
    const tlwGrid *grid = u->grid;
    tlwParticles *q = u->particles;
    float per_metre = (float)(1 / grid->dx);
    int64_t sy = grid->stride_y, sz = grid->stride_z;
    for (int64_t n = begin; n < end; n++) {
        float p[3] = {q->position[0][n], q->position[1][n], q->position[2][n]};
        for (int a = 0; a < 3; a++) {
            tlwStencil s =
                tlwFindStencil(grid, p[0], p[1], p[2], a == 0 ? 0 : 0.5f, a == 1 ? 0 : 0.5f, a == 2 ? 0 : 0.5f);
            float now = tlwInterpolate(grid, u->velocity[a], s);
            if (!u->affine) {
                float before = tlwInterpolate(grid, u->old[a], s);
                q->velocity[a][n] = u->blend * (q->velocity[a][n] + now - before) + (1 - u->blend) * now;
                continue;
            }
            q->velocity[a][n] = now;
            const float *v = u->velocity[a] + s.index;
            float x = s.f[0], y = s.f[1], z = s.f[2];
            q->affine[3 * a][n] = per_metre * ((1 - z) * ((1 - y) * (v[1] - v[0]) + y * (v[sy + 1] - v[sy])) +
                                               z * ((1 - y) * (v[sz + 1] - v[sz]) + y * (v[sy + sz + 1] - v[sy + sz])));
            q->affine[3 * a + 1][n] =
                per_metre * ((1 - z) * ((1 - x) * (v[sy] - v[0]) + x * (v[sy + 1] - v[1])) +
                             z * ((1 - x) * (v[sy + sz] - v[sz]) + x * (v[sy + sz + 1] - v[sz + 1])));
            q->affine[3 * a + 2][n] =
                per_metre * ((1 - y) * ((1 - x) * (v[sz] - v[0]) + x * (v[sz + 1] - v[1])) +
                             y * ((1 - x) * (v[sy + sz] - v[sy]) + x * (v[sy + sz + 1] - v[sy + 1])));
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
