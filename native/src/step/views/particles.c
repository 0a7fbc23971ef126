#include "step/views/particles.h"

#include "base/context.h"
#include "base/memory.h"
#include "scene/scene.h"

typedef struct Work {
    const tlwFrameState *state;
    tlwParticleBuffers *out;
} Work;

static void particleRange(void *context, int64_t begin, int64_t end)
{
    const Work *w = context;
    const tlwParticles *q = w->state->particles;
    const tlwGrid *grid = &w->state->flow->grid;
    double origin[3] = {grid->origin.x, grid->origin.y, grid->origin.z};
    for (int64_t n = begin; n < end; n++) {
        const tlwMaterial *material = &w->state->scene->materials[q->material[n]];
        for (int a = 0; a < 3; a++) {
            w->out->position[3 * n + a] = (float)(origin[a] + grid->dx * q->position[a][n]);
            w->out->velocity[3 * n + a] = q->velocity[a][n];
            w->out->rest[3 * n + a] = q->rest[a][n];
        }
        w->out->temperature[n] = (float)tlwGetTemperature(material, q->enthalpy[n]);
        w->out->melt[n] = material->melts ? (float)tlwGetMelt(material, q->enthalpy[n]) : 1;
    }
}

static bool reserve(tlwParticleBuffers *buffers, int64_t count)
{
    if (count <= buffers->capacity)
        return true;
    int64_t c[5] = {3 * buffers->capacity, 3 * buffers->capacity, 3 * buffers->capacity, buffers->capacity,
                    buffers->capacity};
    bool ok = tlwReserve((void **)&buffers->position, &c[0], 3 * count, sizeof(float)) &&
              tlwReserve((void **)&buffers->velocity, &c[1], 3 * count, sizeof(float)) &&
              tlwReserve((void **)&buffers->rest, &c[2], 3 * count, sizeof(float)) &&
              tlwReserve((void **)&buffers->temperature, &c[3], count, sizeof(float)) &&
              tlwReserve((void **)&buffers->melt, &c[4], count, sizeof(float));
    if (ok)
        buffers->capacity = count;
    return ok;
}

tlwResult tlwListParticles(const tlwFrameState *state, tlwParticleBuffers *buffers, tlwParticleView *view)
{
    int64_t count = state->particles->count;
    if (!reserve(buffers, count))
        return tlwFailMemory(&state->context->message, "the particle list");
    Work work = {state, buffers};
    tlwParallelFor(state->context->threads, count, 8192, particleRange, &work);
    *view = (tlwParticleView){.count = count,
                              .position = buffers->position,
                              .velocity = buffers->velocity,
                              .temperature = buffers->temperature,
                              .melt = buffers->melt,
                              .rest_position = buffers->rest,
                              .material = state->particles->material,
                              .id = state->particles->id,
                              .mass = state->particles->mass};
    return TLW_OK;
}

void tlwFreeParticleBuffers(tlwParticleBuffers *buffers)
{
    tlwFree(buffers->position);
    tlwFree(buffers->velocity);
    tlwFree(buffers->rest);
    tlwFree(buffers->temperature);
    tlwFree(buffers->melt);
    *buffers = (tlwParticleBuffers){0};
}
