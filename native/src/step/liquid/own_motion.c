#include "step/liquid/own_motion.h"

#include "grid/sample.h"
#include "shape/affine.h"
#include "step/obstacles/face_share.h"

#include <math.h>

enum { WIDE = 4, BLOCK = WIDE * WIDE * WIDE };

static const float SOFT = 0.5f;         // of a particle's viscosity: it does not follow softer faces
static const float FAR_WEIGHT = 0.01f;  // of faces up to two cells away: they decide where no nearer face is stiff
static const float LEAST_STIFF = 1e-3f; // of the particle's viscosity: among softer faces alone it moves with them
static const float LEAST_SHARE = 1e-8f; // of a face that is soft, so that there is always a mean

typedef struct Own {
    const tlwGrid *grid;
    const float *velocity[3], *viscosity, *firm; // `firm` null: no particle is marked
    const uint8_t *reached;
    const tlwMaterial *materials;
    const tlwParticleOrder *order;
    tlwParticles *particles;
    int64_t stride[3];
} Own;

// The faces of one component around a particle, x fastest: velocity, and stiffness relative to the particle.
typedef struct Around {
    float velocity[BLOCK], share[BLOCK]; // share: 0 where momentum rather than stress has set the velocity
    bool soft[BLOCK];
    float near[3][WIDE], far[3][WIDE]; // weights along each axis
    float place[3];                    // of the particle, in cells from the first face
} Around;

static void findAround(const Own *o, const tlwPlace *place, int axis, float own, Around *out)
{
    tlwStencil s = tlwPlaceStencil(place, axis);
    for (int b = 0; b < 3; b++) {
        float f = s.f[b];
        const float near[WIDE] = {0, 1 - f, f, 0}, far[WIDE] = {1 - f, 2 - f, 1 + f, f};
        for (int n = 0; n < WIDE; n++)
            out->near[b][n] = near[n], out->far[b][n] = 0.25f * far[n];
        out->place[b] = 1 + f;
    }
    for (int n = 0; n < BLOCK; n++) {
        int64_t at =
            s.index + (n % WIDE - 1) + (n / WIDE % WIDE - 1) * o->stride[1] + (n / (WIDE * WIDE) - 1) * o->stride[2];
        float firm = fmaxf(o->firm[at], o->firm[at - o->stride[axis]]);
        out->velocity[n] = o->velocity[axis][at];
        out->share[n] = o->reached[at] & TLW_TIED << axis ? fminf(firm / own, 1) : 0;
        out->soft[n] = fmaxf(o->viscosity[at], o->viscosity[at - o->stride[axis]]) < SOFT * own;
    }
}

// Stiffest of all faces around. *soft becomes true when interpolation would read a soft face.
static float findStiffest(const Around *around, bool *soft)
{
    float most = 0;
    for (int n = 0; n < BLOCK; n++) {
        bool near = n % WIDE % 3 && n / WIDE % WIDE % 3 && n / (WIDE * WIDE) % 3;
        *soft = *soft || (near && around->soft[n]);
        most = around->share[n] > most ? around->share[n] : most;
    }
    return most;
}

// Mean velocity of the stiff faces, and the place (cells from the particle) that it belongs to.
static float findMean(const Around *a, float offset[3])
{
    float sum = 0, value = 0, moment[3] = {0};
    for (int n = 0; n < BLOCK; n++) {
        const int at[3] = {n % WIDE, n / WIDE % WIDE, n / (WIDE * WIDE)};
        float near = a->near[0][at[0]] * a->near[1][at[1]] * a->near[2][at[2]];
        float far = a->far[0][at[0]] * a->far[1][at[1]] * a->far[2][at[2]];
        float weight = (near + FAR_WEIGHT * far) * a->share[n];
        sum += weight;
        value += weight * a->velocity[n];
        for (int b = 0; b < 3; b++)
            moment[b] += weight * (float)at[b];
    }
    for (int b = 0; b < 3; b++)
        offset[b] = moment[b] / sum - a->place[b];
    return value / sum;
}

// Slope per cell along an axis, from pairs of stiff faces. Returns how well it is known, 0 to 1.
static float findSlope(const Around *a, int along, float *slope)
{
    const int step[3] = {1, WIDE, WIDE * WIDE}, b = (along + 1) % 3, c = (along + 2) % 3;
    float sum = 0, value = 0;
    for (int n = 0; n < BLOCK; n++) {
        const int at[3] = {n % WIDE, n / WIDE % WIDE, n / (WIDE * WIDE)};
        if (at[along] == WIDE - 1)
            continue;
        int next = n + step[along];
        float near = at[along] == 1 ? a->near[b][at[b]] * a->near[c][at[c]] : 0;
        float far = a->far[b][at[b]] * a->far[c][at[c]] * (a->far[along][at[along]] + a->far[along][at[along] + 1]);
        float weight = (near + FAR_WEIGHT * far) * fminf(a->share[n], a->share[next]);
        sum += weight;
        value += weight * (a->velocity[next] - a->velocity[n]);
    }
    *slope = value / sum;
    return sum / (sum + FAR_WEIGHT * FAR_WEIGHT);
}

// Slopes that the stiff faces do not tell are those of a rigid motion: stiff material turns more readily than it
// strains.
static void completeGradient(float slope[3][3], const float known[3][3], float gradient[9])
{
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            gradient[3 * a + b] =
                known[a][b] * slope[a][b] - (a == b ? 0 : (1 - known[a][b]) * known[b][a] * slope[b][a]);
}

static void updateOne(const Own *o, int64_t n)
{
    tlwParticles *q = o->particles;
    float own = tlwGetOwnViscosity(o->materials, q, n), most = 0;
    float p[3] = {q->position[0][n], q->position[1][n], q->position[2][n]};
    bool soft = false;
    tlwPlace place = tlwFindPlace(o->grid, p);
    Around around[3];
    for (int a = 0; a < 3; a++) {
        findAround(o, &place, a, own, &around[a]);
        most = fmaxf(most, findStiffest(&around[a], &soft));
    }
    if (!soft || most < LEAST_STIFF)
        return;
    float mean[3], offset[3][3], slope[3][3], known[3][3], gradient[9];
    for (int a = 0; a < 3; a++) {
        for (int i = 0; i < BLOCK; i++) {
            float share = around[a].share[i] / most;
            around[a].share[i] = share > LEAST_SHARE ? share : LEAST_SHARE;
        }
        mean[a] = findMean(&around[a], offset[a]);
        for (int b = 0; b < 3; b++)
            known[a][b] = findSlope(&around[a], b, &slope[a][b]);
    }
    completeGradient(slope, (const float(*)[3])known, gradient);
    for (int a = 0; a < 3; a++) {
        q->velocity[a][n] = mean[a];
        for (int b = 0; b < 3; b++)
            q->velocity[a][n] -= gradient[3 * a + b] * offset[a][b];
    }
    float per_metre = (float)(1 / o->grid->dx);
    for (int i = 0; i < 9; i++)
        gradient[i] *= per_metre;
    tlwSetAffine(q, n, gradient);
    tlwMarkOwnMotion(q, n);
}

// Whether viscosities differ much among a cube of `size` cells and `reach` cells around it.
static bool differs(const tlwGrid *grid, const float *viscosity, int64_t first, int size, int reach)
{
    float least = INFINITY, most = 0;
    for (int k = -reach; k < size + reach; k++)
        for (int j = -reach; j < size + reach; j++)
            for (int i = -reach; i < size + reach; i++) {
                float mu = viscosity[first + i + j * grid->stride_y + k * grid->stride_z];
                most = mu > most ? mu : most;
                least = mu > 0 && mu < least ? mu : least;
            }
    return least < SOFT * most;
}

static void updateRange(void *context, int64_t begin, int64_t end)
{
    const Own *o = context;
    for (int64_t t = begin; t < end; t++) {
        const int32_t *start = o->order->cell_start + t * (TLW_TILE_CELLS + 1);
        int64_t first = o->order->tile_start[t], last = o->order->tile_start[t + 1], base = o->grid->tiles[t].base;
        for (int64_t n = first; n < last; n++)
            tlwUnmarkOwnMotion(o->particles, n);
        if (!o->firm || first == last || !differs(o->grid, o->viscosity, base, TLW_TILE, 3))
            continue;
        for (int c = 0; c < TLW_TILE_CELLS; c++) {
            int64_t cell = base + c % TLW_TILE + o->stride[1] * (c / TLW_TILE % TLW_TILE) +
                           o->stride[2] * (c / (TLW_TILE * TLW_TILE));
            if (start[c] == start[c + 1] || !differs(o->grid, o->viscosity, cell, 1, 2))
                continue;
            for (int64_t n = first + start[c]; n < first + start[c + 1]; n++)
                if (!o->particles->frozen[n])
                    updateOne(o, n);
        }
    }
}

void tlwUpdateStiffParticles(tlwThreads *threads, const tlwFlow *flow, int firm, const tlwMaterial *materials,
                             const tlwParticleOrder *order, tlwParticles *particles)
{
    const tlwGrid *grid = &flow->grid;
    Own o = {.grid = grid,
             .viscosity = tlwGetFloats(grid, flow->viscosity),
             .firm = firm >= 0 ? tlwGetFloats(grid, firm) : NULL,
             .reached = tlwGetBytes(grid, flow->reached),
             .materials = materials,
             .order = order,
             .particles = particles,
             .stride = {1, grid->stride_y, grid->stride_z}};
    for (int a = 0; a < 3; a++)
        o.velocity[a] = tlwGetFloats(grid, flow->velocity[a]);
    tlwParallelFor(threads, grid->tile_count, 1, updateRange, &o);
}

typedef struct Firm {
    const tlwGrid *grid;
    const float *phi, *solid, *viscosity;
    const uint8_t *frozen;
    float *out;
} Firm;

// The largest of the cell's nodes, each as soft as the softest cell around it. Air is soft. Solids and frozen cells do
// not count.
static float findFirmness(const Firm *f, int64_t cell)
{
    const int64_t y = f->grid->stride_y, z = f->grid->stride_z;
    float around[3][3][3], most = 0;
    for (int n = 0; n < 27; n++) {
        int64_t at = cell + n % 3 - 1 + (n / 3 % 3 - 1) * y + (n / 9 - 1) * z;
        bool solid = f->frozen[at] || tlwGetCentreSolid(f->grid, f->solid, at) < 0;
        around[n / 9][n / 3 % 3][n % 3] = solid ? INFINITY : f->phi[at] < 0 ? f->viscosity[at] : 0;
    }
    for (int n = 0; n < 8; n++) {
        float least = INFINITY;
        for (int m = 0; m < 8; m++) {
            float mu = around[(n >> 2) + (m >> 2)][(n >> 1 & 1) + (m >> 1 & 1)][(n & 1) + (m & 1)];
            least = mu < least ? mu : least;
        }
        most = least < INFINITY && least > most ? least : most;
    }
    return most < f->viscosity[cell] ? most : f->viscosity[cell];
}

static void firmRange(void *context, int64_t begin, int64_t end)
{
    const Firm *f = context;
    for (int64_t t = begin; t < end; t++) {
        bool differ = differs(f->grid, f->viscosity, f->grid->tiles[t].base, TLW_TILE, 1);
        TLW_FOR_ROWS(f->grid, &f->grid->tiles[t], j, k, row)
            for (int64_t c = row; c < row + TLW_TILE; c++)
                f->out[c] = f->frozen[c] ? 0 : differ ? findFirmness(f, c) : f->viscosity[c];
    }
}

void tlwFindFirmness(tlwThreads *threads, const tlwFlow *flow, int firm)
{
    const tlwGrid *grid = &flow->grid;
    Firm f = {.grid = grid,
              .phi = tlwGetFloats(grid, flow->phi),
              .solid = tlwGetFloats(grid, flow->solid),
              .viscosity = tlwGetFloats(grid, flow->viscosity),
              .frozen = tlwGetBytes(grid, flow->frozen),
              .out = tlwGetFloats(grid, firm)};
    tlwParallelFor(threads, grid->tile_count, TLW_TILE_BLOCK, firmRange, &f);
}

typedef struct Hold {
    const tlwGrid *grid;
    const float *firm, *to[3];
    float *values[3], limit;
} Hold;

static void holdRange(void *context, int64_t begin, int64_t end)
{
    const Hold *h = context;
    const int64_t stride[3] = {1, h->grid->stride_y, h->grid->stride_z};
    for (int64_t t = begin; t < end; t++)
        for (int a = 0; a < 3; a++)
            TLW_FOR_ROWS(h->grid, &h->grid->tiles[t], j, k, row)
                for (int64_t c = row; c < row + TLW_TILE; c++) {
                    float ratio = fmaxf(h->firm[c], h->firm[c - stride[a]]) / h->limit, square = ratio * ratio;
                    if (square > LEAST_STIFF)
                        h->values[a][c] += square / (square + 1) * ((h->to[a] ? h->to[a][c] : 0) - h->values[a][c]);
                }
}

void tlwHoldFirmFaces(tlwThreads *threads, const tlwGrid *grid, int firm, float limit, const int to[3],
                      const int values[3])
{
    Hold h = {.grid = grid, .firm = tlwGetFloats(grid, firm), .limit = limit};
    for (int a = 0; a < 3; a++) {
        h.to[a] = to ? tlwGetFloats(grid, to[a]) : NULL;
        h.values[a] = tlwGetFloats(grid, values[a]);
    }
    tlwParallelFor(threads, grid->tile_count, TLW_TILE_BLOCK, holdRange, &h);
}
