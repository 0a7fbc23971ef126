// What the coefficients of a tile of the viscosity system are made from; private to viscosity/weights.c.
#ifndef TLW_STEP_VISCOSITY_TILE_H
#define TLW_STEP_VISCOSITY_TILE_H

#include "step/fields/octants.h"
#include "step/viscosity/weights.h"

// A cell is cut into eight octants; cells, faces and edges own whole octants of the cells around them, so one fraction
// per octant gives every control volume. Bit 0, 1, 2 of an octant's number: upper half along x, y, z.
enum { TLW_VISCOUS_SIDE = TLW_TILE + 1 }; // cells -1 .. 7 of a tile

enum { TLW_ALL_WET = 1, TLW_ALL_DRY = 2 };

typedef struct tlwViscosityTile {
    const tlwViscosityBuild *build;
    const tlwGrid *flow;
    const float *phi, *solid, *viscosity, *density;
    const uint8_t *stick, *frozen; // null: none
    int64_t base;                  // flow index of the tile's first cell
    int64_t stride[3];             // of the flow
    float dx;
    bool full, open;                                                              // no surface, no solid near the tile
    float wet[TLW_VISCOUS_SIDE][TLW_VISCOUS_SIDE][TLW_VISCOUS_SIDE][TLW_OCTANTS]; // share of the octant that is liquid
    float vacant[TLW_VISCOUS_SIDE][TLW_VISCOUS_SIDE][TLW_VISCOUS_SIDE][TLW_OCTANTS]; // share that is not solid
    uint8_t content[TLW_VISCOUS_SIDE][TLW_VISCOUS_SIDE][TLW_VISCOUS_SIDE];           // TLW_ALL_WET, TLW_ALL_DRY or 0
    float mu[TLW_VISCOUS_SIDE][TLW_VISCOUS_SIDE][TLW_VISCOUS_SIDE];
    float averaged[TLW_VISCOUS_SIDE][TLW_VISCOUS_SIDE]
                  [TLW_VISCOUS_SIDE]; // 1 / mu, log mu or mu: what the edges average
    float slope[3][TLW_VISCOUS_SIDE][TLW_VISCOUS_SIDE]
               [TLW_VISCOUS_SIDE]; // of 1 / mu, to the middle of a cell's upper half
    bool layered;                  // some slope is not zero; only with the harmonic mean
    float rho[TLW_VISCOUS_SIDE][TLW_VISCOUS_SIDE][TLW_VISCOUS_SIDE];
    uint8_t kind[3][TLW_VISCOUS_SIDE + 1][TLW_VISCOUS_SIDE + 1][TLW_VISCOUS_SIDE + 1]; // kind of faces -1 .. 8
} tlwViscosityTile;

static inline int64_t tlwGetFlowIndex(const tlwViscosityTile *work, int i, int j, int k)
{
    return work->base + i + j * work->stride[1] + k * work->stride[2];
}

// Octants, viscosities and densities of a tile's cells; `work` knows the tile and its arrays.
void tlwFillViscosityTile(tlwViscosityTile *work);

#endif
