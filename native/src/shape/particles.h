// Marker particles: they carry the material and everything that travels with it. Structure of arrays, one block of
// pages each (tlwGrowPages).
#ifndef TLW_SHAPE_PARTICLES_H
#define TLW_SHAPE_PARTICLES_H

#include "base/parallel.h"
#include "tallow/tallow.h"

#include <stddef.h>

#define TLW_AFFINE_WORDS 5
#define TLW_BOND_BITS 12    // of `frozen`, the lowest; the others are the piece's id
#define TLW_LAST_ORIGIN 255 // all further objects share it

typedef struct tlwParticles {
    int64_t count, capacity;
    float *position[3];                 // cells, domain coordinates: cell (i, j, k) spans [i, i + 1) and so on
    float *velocity[3];                 // m/s
    uint32_t *affine[TLW_AFFINE_WORDS]; // velocity gradient (APIC), packed: shape/affine.h
    float *enthalpy;                    // J/kg above solid at 0 K
    float *mass;                        // kg
    float *rest[3];                     // m, world: where this material was at the start
    uint32_t *id;
    uint32_t *frozen; // rigid piece and bond (step/frozen/pieces.h); 0 = flows
    uint8_t *material;
    uint8_t *origin; // number of the object that this came from (tlwObject.number), at most TLW_LAST_ORIGIN
} tlwParticles;

// The arrays as a table, for code that treats them alike (sort, save, grow).
typedef struct tlwParticleArray {
    const char *name; // in checkpoints
    void **data;
    size_t element;
    bool shown; // output of a frame reads it
} tlwParticleArray;

#define TLW_PARTICLE_ARRAYS (15 + TLW_AFFINE_WORDS)

void tlwListParticleArrays(tlwParticles *particles, tlwParticleArray arrays[TLW_PARTICLE_ARRAYS]);

void tlwFreeParticles(tlwParticles *particles);

// Room for `count` particles in all. The count itself does not change.
tlwResult tlwReserveParticles(tlwParticles *particles, int64_t count);

// Particle order[n] becomes particle n, for n < count. `order` may leave particles out but not repeat them.
tlwResult tlwReorderParticles(tlwThreads *threads, tlwParticles *particles, const uint32_t *order, int64_t count);

// The same with the caller's memory: `*spare` is a block of tlwAllocScratch with a float for each particle of the
// capacity. That block may become one of the arrays; `*spare` is then the block left over. The caller frees `*spare`.
tlwResult tlwReorderParticlesBy(tlwThreads *threads, tlwParticles *particles, const uint32_t *order, int64_t count,
                                void **spare);

// Zero the velocity gradients by giving their memory back to the system.
void tlwRestParticles(tlwThreads *threads, tlwParticles *particles);

// Copy one particle's data over another's, id included.
void tlwCopyParticle(tlwParticles *particles, int64_t to, int64_t from);

#endif
