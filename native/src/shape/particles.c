#include "shape/particles.h"

#include "base/memory.h"

#include <string.h>

void tlwListParticleArrays(tlwParticles *p, tlwParticleArray arrays[TLW_PARTICLE_ARRAYS])
{
    int n = 0;
    for (int a = 0; a < 3; a++)
        arrays[n++] = (tlwParticleArray){(void **)&p->position[a], sizeof(float)};
    for (int a = 0; a < 3; a++)
        arrays[n++] = (tlwParticleArray){(void **)&p->velocity[a], sizeof(float)};
    for (int a = 0; a < 9; a++)
        arrays[n++] = (tlwParticleArray){(void **)&p->affine[a], sizeof(float)};
    for (int a = 0; a < 3; a++)
        arrays[n++] = (tlwParticleArray){(void **)&p->rest[a], sizeof(float)};
    arrays[n++] = (tlwParticleArray){(void **)&p->enthalpy, sizeof(float)};
    arrays[n++] = (tlwParticleArray){(void **)&p->mass, sizeof(float)};
    arrays[n++] = (tlwParticleArray){(void **)&p->id, sizeof(uint32_t)};
    arrays[n++] = (tlwParticleArray){(void **)&p->material, sizeof(uint8_t)};
}

void tlwFreeParticles(tlwParticles *particles)
{
    tlwParticleArray arrays[TLW_PARTICLE_ARRAYS];
    tlwListParticleArrays(particles, arrays);
    for (int n = 0; n < TLW_PARTICLE_ARRAYS; n++)
        tlwFree(*arrays[n].data);
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
    for (int n = 0; n < TLW_PARTICLE_ARRAYS; n++) {
        void *grown = tlwRealloc(*arrays[n].data, (size_t)capacity, arrays[n].element);
        if (!grown)
            return TLW_OUT_OF_MEMORY;
        *arrays[n].data = grown;
    }
    particles->capacity = capacity;
    return TLW_OK;
}

tlwResult tlwReorderParticles(tlwParticles *particles, const int64_t *order, int64_t count)
{
    tlwParticleArray arrays[TLW_PARTICLE_ARRAYS];
    tlwListParticleArrays(particles, arrays);
    uint32_t *moved = tlwAlloc((size_t)(count ? count : 1), sizeof *moved);
    if (!moved)
        return TLW_OUT_OF_MEMORY;
    for (int n = 0; n < TLW_PARTICLE_ARRAYS; n++) {
        if (arrays[n].element == 1) {
            uint8_t *from = *arrays[n].data, *to = (uint8_t *)moved;
            for (int64_t i = 0; i < count; i++)
                to[i] = from[order[i]];
        } else {
            uint32_t *from = *arrays[n].data;
            for (int64_t i = 0; i < count; i++)
                moved[i] = from[order[i]];
        }
        if (count)
            memcpy(*arrays[n].data, moved, (size_t)count * arrays[n].element);
    }
    tlwFree(moved);
    particles->count = count;
    return TLW_OK;
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
