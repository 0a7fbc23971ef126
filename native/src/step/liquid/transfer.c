#include "step/liquid/transfer.h"

#include "base/kernel.h"
#include "grid/sample.h"
#include "shape/affine.h"

float tlwGetParticleVolume(const tlwParticles *particles, int64_t n, const tlwMaterial *materials)
{
    const tlwMaterial *material = &materials[particles->material[n]];
    double melt = material->melts ? tlwGetMelt(material, particles->enthalpy[n]) : 1;
    return particles->mass[n] / (float)tlwGetDensity(material, melt);
}

typedef struct Update {
    const tlwGrid *grid;
    float *velocity[3], *old[3];
    tlwParticles *particles;
    bool affine;
    float blend;
} Update;

static inline void blendOne(const Update *u, int64_t n)
{
    tlwParticles *q = u->particles;
    float p[3] = {q->position[0][n], q->position[1][n], q->position[2][n]};
    tlwPlace place = tlwFindPlace(u->grid, p);
    for (int a = 0; a < 3; a++) {
        tlwStencil s = tlwPlaceStencil(&place, a);
        float now = tlwInterpolate(u->grid, u->velocity[a], s), before = tlwInterpolate(u->grid, u->old[a], s);
        q->velocity[a][n] = u->blend * (q->velocity[a][n] + now - before) + (1 - u->blend) * now;
    }
}

// Take velocity and gradient. The gradient's numbers are stored `lanes` apart, to be packed with those of other
// particles.
static inline void takeOne(const Update *u, int64_t n, int lanes, float *gradient)
{
    tlwParticles *q = u->particles;
    float p[3] = {q->position[0][n], q->position[1][n], q->position[2][n]}, per_metre = (float)(1 / u->grid->dx), g[3];
    tlwPlace place = tlwFindPlace(u->grid, p);
    for (int a = 0; a < 3; a++) {
        q->velocity[a][n] = tlwInterpolateGradient(u->grid, u->velocity[a], tlwPlaceStencil(&place, a), g);
        for (int b = 0; b < 3; b++)
            gradient[(3 * a + b) * lanes] = per_metre * g[b];
    }
}

TLW_KERNEL static void updateRange(void *context, int64_t begin, int64_t end)
{
    const Update *u = context;
    int64_t n = begin;
    float gradients[9 * TLW_AFFINE_LANES];
    for (; u->affine && n + TLW_AFFINE_LANES <= end; n += TLW_AFFINE_LANES) {
        for (int l = 0; l < TLW_AFFINE_LANES; l++)
            takeOne(u, n + l, TLW_AFFINE_LANES, gradients + l);
        tlwPackAffine(u->particles, n, TLW_AFFINE_LANES, gradients);
    }
    for (; u->affine && n < end; n++) {
        takeOne(u, n, 1, gradients);
        tlwSetAffine(u->particles, n, gradients);
    }
    for (; n < end; n++)
        blendOne(u, n);
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
