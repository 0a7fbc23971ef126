#include "step/transfer.h"

#include "base/kernel.h"
#include "grid/sample.h"

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
