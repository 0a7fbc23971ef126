// Particles in tile and cell order, and the tiles that they need.
#ifndef TLW_STEP_FIELDS_SORTING_H
#define TLW_STEP_FIELDS_SORTING_H

#include "grid/grid.h"
#include "shape/particles.h"

// Where the particles of tiles and cells begin after tlwSortParticles.
typedef struct tlwParticleOrder {
    int64_t *tile_start; // tile_count + 1
    int32_t *cell_start; // per tile TLW_TILE_CELLS + 1, relative to tile_start; cell = i + 8 j + 64 k
    int64_t tile_capacity, cell_capacity;
} tlwParticleOrder;

void tlwFreeParticleOrder(tlwParticleOrder *order);

// Whether some particle in cell `c` of tile `t` is not frozen.
static inline bool tlwHoldsLiquid(const tlwParticleOrder *order, const tlwParticles *particles, int64_t t, int c)
{
    const int32_t *start = order->cell_start + t * (TLW_TILE_CELLS + 1);
    bool liquid = false;
    for (int64_t n = order->tile_start[t] + start[c]; n < order->tile_start[t] + start[c + 1] && !liquid; n++)
        liquid = particles->frozen[n] == 0;
    return liquid;
}

// Activate the tiles within `margin` cells of any particle. Without particles the grid becomes empty.
tlwResult tlwActivateAroundParticles(tlwThreads *threads, const tlwParticles *particles, float margin, tlwGrid *grid);

// Find the order of tlwSortParticles without moving particles: indices[n] is the particle that belongs at place n.
tlwResult tlwIndexParticles(tlwThreads *threads, const tlwGrid *grid, const tlwParticles *particles,
                            tlwParticleOrder *order, uint32_t *indices);

// Sort by tile, then by cell. Particles of one cell keep their order. Every particle must lie in an active tile. After
// a failure the contents of `order` are undefined.
tlwResult tlwSortParticles(tlwThreads *threads, const tlwGrid *grid, tlwParticles *particles, tlwParticleOrder *order);

#endif
