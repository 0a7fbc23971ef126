#include "shape/particles.h"

#include "base/pages.h"

#include <string.h>

void tlwListParticleArrays(tlwParticles *p, tlwParticleArray arrays[TLW_PARTICLE_ARRAYS])
{
    const tlwParticleArray list[TLW_PARTICLE_ARRAYS] = {
        {"position_x", (void **)&p->position[0], sizeof(float), true},
        {"position_y", (void **)&p->position[1], sizeof(float), true},
        {"position_z", (void **)&p->position[2], sizeof(float), true},
        {"velocity_x", (void **)&p->velocity[0], sizeof(float), true},
        {"velocity_y", (void **)&p->velocity[1], sizeof(float), true},
        {"velocity_z", (void **)&p->velocity[2], sizeof(float), true},
        {"gradient_0", (void **)&p->affine[0], sizeof(uint32_t), false},
        {"gradient_1", (void **)&p->affine[1], sizeof(uint32_t), false},
        {"gradient_2", (void **)&p->affine[2], sizeof(uint32_t), false},
        {"gradient_3", (void **)&p->affine[3], sizeof(uint32_t), false},
        {"gradient_4", (void **)&p->affine[4], sizeof(uint32_t), false},
        {"rest_x", (void **)&p->rest[0], sizeof(float), true},
        {"rest_y", (void **)&p->rest[1], sizeof(float), true},
        {"rest_z", (void **)&p->rest[2], sizeof(float), true},
        {"enthalpy", (void **)&p->enthalpy, sizeof(float), true},
        {"mass", (void **)&p->mass, sizeof(float), true},
        {"id", (void **)&p->id, sizeof(uint32_t), true},
        {"frozen", (void **)&p->frozen, sizeof(uint32_t), false},
        {"material", (void **)&p->material, sizeof(uint8_t), true},
        {"origin", (void **)&p->origin, sizeof(uint8_t), true},
    };
    memcpy(arrays, list, sizeof list);
}

void tlwFreeParticles(tlwParticles *particles)
{
    tlwParticleArray arrays[TLW_PARTICLE_ARRAYS];
    tlwListParticleArrays(particles, arrays);
    for (int n = 0; n < TLW_PARTICLE_ARRAYS; n++)
        tlwFreePages(*arrays[n].data);
    memset(particles, 0, sizeof *particles);
}

tlwResult tlwReserveParticles(tlwParticles *particles, int64_t count)
{
    if (count <= particles->capacity)
        return TLW_OK;
    int64_t capacity = particles->capacity + particles->capacity / 4;
    if (capacity < count)
        capacity = count;
    tlwParticleArray arrays[TLW_PARTICLE_ARRAYS];
    tlwListParticleArrays(particles, arrays);
    size_t old = (size_t)particles->capacity, grown = (size_t)capacity;
    for (int n = 0; n < TLW_PARTICLE_ARRAYS; n++) {
        size_t element = arrays[n].element;
        void *block = tlwGrowPages(*arrays[n].data, element * grown);
        if (block) {
            *arrays[n].data = block;
            continue;
        }
        while (--n >= 0) // shrink the arrays that grew: all arrays have one capacity
            *arrays[n].data = tlwGrowPages(*arrays[n].data, arrays[n].element * old);
        return TLW_OUT_OF_MEMORY;
    }
    particles->capacity = capacity;
    return TLW_OK;
}

typedef struct Reorder {
    const uint32_t *order;
    const void *from;
    void *to;
    size_t element;
} Reorder;

static void reorderRange(void *context, int64_t begin, int64_t end)
{
    const Reorder *r = context;
    if (r->element == 1) {
        const uint8_t *from = r->from;
        uint8_t *to = r->to;
        for (int64_t n = begin; n < end; n++)
            to[n] = from[r->order[n]];
        return;
    }
    const uint32_t *from = r->from;
    uint32_t *to = r->to;
    for (int64_t n = begin; n < end; n++)
        to[n] = from[r->order[n]];
}

typedef struct Uniform {
    const char *data;
    size_t element;
} Uniform;

// 1 when some particle differs from the first.
static double differRange(void *context, int64_t begin, int64_t end)
{
    const Uniform *u = context;
    size_t first = (size_t)begin * u->element, bytes = (size_t)(end - begin) * u->element;
    if (memcmp(u->data, u->data + first, u->element))
        return 1;
    return memcmp(u->data + first, u->data + first + u->element, bytes - u->element) != 0;
}

// Whether all particles have the same value in an array, as in scenes of one material or where nothing freezes. Such an
// array need not be reordered, and its untouched zero pages stay without memory.
static bool isUniform(tlwThreads *threads, const void *data, size_t element, int64_t count)
{
    Uniform u = {data, element};
    if (count < 2)
        return false;
    const char *middle = u.data + (size_t)(count / 2) * element, *last = u.data + (size_t)(count - 1) * element;
    if (memcmp(u.data, middle, element) || memcmp(u.data, last, element))
        return false;
    return tlwParallelMax(threads, count, 65536, differRange, &u) == 0;
}

// Each array moves into a spare block, which becomes the array; its old block is the next spare.
tlwResult tlwReorderParticlesBy(tlwThreads *threads, tlwParticles *particles, const uint32_t *order, int64_t count,
                                void **spare)
{
    tlwParticleArray arrays[TLW_PARTICLE_ARRAYS];
    tlwListParticleArrays(particles, arrays);
    void *byte_spare = tlwAllocScratch((size_t)particles->capacity);
    if (!byte_spare)
        return TLW_OUT_OF_MEMORY;
    for (int a = 0; a < TLW_PARTICLE_ARRAYS; a++) {
        if (isUniform(threads, *arrays[a].data, arrays[a].element, particles->count))
            continue;
        void **target = arrays[a].element == 1 ? &byte_spare : spare;
        Reorder r = {order, *arrays[a].data, *target, arrays[a].element};
        tlwParallelFor(threads, count, 32768, reorderRange, &r);
        void *old = *arrays[a].data;
        *arrays[a].data = *target;
        *target = old;
    }
    tlwFreePages(byte_spare);
    particles->count = count;
    return TLW_OK;
}

tlwResult tlwReorderParticles(tlwThreads *threads, tlwParticles *particles, const uint32_t *order, int64_t count)
{
    void *spare = tlwAllocScratch((size_t)particles->capacity * sizeof(float));
    if (!spare)
        return TLW_OUT_OF_MEMORY;
    tlwResult result = tlwReorderParticlesBy(threads, particles, order, count, &spare);
    tlwFreePages(spare);
    return result;
}

void tlwRestParticles(tlwThreads *threads, tlwParticles *particles)
{
    void *blocks[TLW_AFFINE_WORDS];
    for (int w = 0; w < TLW_AFFINE_WORDS; w++)
        blocks[w] = particles->affine[w];
    tlwReleasePages(threads, blocks, TLW_AFFINE_WORDS);
}

void tlwCopyParticle(tlwParticles *particles, int64_t to, int64_t from)
{
    tlwParticleArray arrays[TLW_PARTICLE_ARRAYS];
    tlwListParticleArrays(particles, arrays);
    for (int n = 0; n < TLW_PARTICLE_ARRAYS; n++) {
        char *data = *arrays[n].data;
        memcpy(data + (size_t)to * arrays[n].element, data + (size_t)from * arrays[n].element, arrays[n].element);
    }
}
