#include "step/heat/material_state.h"

#include "step/fields/flow.h"

#include <math.h>

typedef struct State {
    const tlwGrid *grid;
    const tlwMaterial *materials;
    const float *enthalpy, *melt;
    const uint8_t *material;
    float *temperature, *viscosity;
    uint8_t *frozen;
} State;

static void stateRange(void *context, int64_t begin, int64_t end)
{
    State *s = context;
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(s->grid, &s->grid->tiles[t], j, k, row)
            for (int64_t c = row; c < row + TLW_TILE; c++) {
                if (s->frozen && s->frozen[c]) // scenes without frozen cells do not touch these pages
                    s->frozen[c] = 0;
                if (!(s->enthalpy[c] > 0)) {
                    s->viscosity[c] = 0;
                    continue;
                }
                const tlwMaterial *m = &s->materials[s->material[c]];
                s->viscosity[c] = (float)tlwGetViscosity(m, s->temperature[c], s->melt[c]);
                if (s->frozen && m->melts && m->def.frozen == TLW_FROZEN_RIGID && s->melt[c] < TLW_FROZEN_MELT)
                    s->frozen[c] = 1;
            }
}

static void extendCell(State *s, int64_t c)
{
    double temperature = 0, log_viscosity = 0;
    int count = 0;
    for (int dk = -1; dk <= 1; dk++)
        for (int dj = -1; dj <= 1; dj++)
            for (int di = -1; di <= 1; di++) {
                int64_t n = c + di + dj * s->grid->stride_y + dk * s->grid->stride_z;
                if (!(s->enthalpy[n] > 0))
                    continue;
                temperature += s->temperature[n];
                log_viscosity += log(s->viscosity[n]);
                count++;
            }
    if (count == 0)
        return;
    s->temperature[c] = (float)(temperature / count);
    s->viscosity[c] = (float)exp(log_viscosity / count);
}

// Bits of the filled cells in a row of a tile and in the cell before and after it.
static unsigned getFilledBits(const State *s, int64_t row)
{
    unsigned bits = 0;
    for (int i = 0; i < TLW_TILE + 2; i++)
        bits |= (unsigned)(s->enthalpy[row - 1 + i] > 0) << i;
    return bits;
}

// Reads filled cells and writes empty ones, so the order does not matter.
static void extendRange(void *context, int64_t begin, int64_t end)
{
    State *s = context;
    for (int64_t t = begin; t < end; t++) {
        unsigned bits[TLW_TILE + 2][TLW_TILE + 2];
        for (int k = 0; k < TLW_TILE + 2; k++)
            for (int j = 0; j < TLW_TILE + 2; j++)
                bits[k][j] = getFilledBits(s, s->grid->tiles[t].base + (k - 1) * s->grid->stride_z +
                                                  (j - 1) * s->grid->stride_y);
        TLW_FOR_ROWS(s->grid, &s->grid->tiles[t], j, k, row) {
            int y = (int)j - s->grid->tiles[t].cell[1], z = k - s->grid->tiles[t].cell[2];
            unsigned near = 0;
            for (int q = 0; q < 9; q++)
                near |= bits[z + q / 3][y + q % 3];
            near = (near | near << 1 | near >> 1) & ~bits[z + 1][y + 1];
            for (int i = 0; i < TLW_TILE; i++)
                if (near >> (i + 1) & 1)
                    extendCell(s, row + i);
        }
    }
}

void tlwUpdateMaterialState(tlwThreads *threads, tlwFlow *flow, const tlwMaterial *materials, int frozen)
{
    const tlwGrid *grid = &flow->grid;
    State s = {.grid = grid,
               .materials = materials,
               .enthalpy = tlwGetFloats(grid, flow->enthalpy),
               .melt = tlwGetFloats(grid, flow->melt),
               .material = tlwGetBytes(grid, flow->material),
               .temperature = tlwGetFloats(grid, flow->temperature),
               .viscosity = tlwGetFloats(grid, flow->viscosity),
               .frozen = frozen >= 0 ? tlwGetBytes(grid, frozen) : NULL};
    tlwParallelFor(threads, grid->tile_count, TLW_TILE_BLOCK, stateRange, &s);
    tlwParallelFor(threads, grid->tile_count, TLW_TILE_BLOCK, extendRange, &s);
}

typedef struct Mix {
    const tlwFlow *flow;
    const tlwMaterial *materials;
    const tlwParticles *particles;
    const tlwParticleOrder *order;
} Mix;

// Volume and volume / viscosity of the particles in a part of a cell.
typedef struct Part {
    double volume, fluidity;
} Part;

static void mixCell(const Mix *m, int64_t cell, const int at[3], int64_t begin, int64_t end)
{
    const tlwParticles *p = m->particles;
    const tlwGrid *grid = &m->flow->grid;
    double temperature = tlwGetFloats(grid, m->flow->temperature)[cell];
    Part whole = {0}, half[3][2] = {0};
    for (int64_t n = begin; n < end; n++) {
        const tlwMaterial *material = &m->materials[p->material[n]];
        double melt = material->melts ? tlwGetMelt(material, p->enthalpy[n]) : 1;
        double volume = p->mass[n] / tlwGetDensity(material, melt);
        double fluidity = volume / tlwGetViscosity(material, temperature, melt);
        whole = (Part){whole.volume + volume, whole.fluidity + fluidity};
        for (int a = 0; a < 3; a++) {
            Part *part = &half[a][p->position[a][n] >= (float)at[a] + 0.5f];
            *part = (Part){part->volume + volume, part->fluidity + fluidity};
        }
    }
    tlwGetFloats(grid, m->flow->viscosity)[cell] = (float)(whole.volume / whole.fluidity);
    for (int a = 0; a < 3; a++)
        if (half[a][0].volume > 0 && half[a][1].volume > 0)
            tlwGetFloats(grid, m->flow->fluidity_slope[a])[cell] =
                (float)(0.5 * (half[a][1].fluidity / half[a][1].volume - half[a][0].fluidity / half[a][0].volume));
}

static void mixRange(void *context, int64_t begin, int64_t end)
{
    const Mix *m = context;
    const tlwGrid *grid = &m->flow->grid;
    const uint8_t *material = m->particles->material;
    for (int64_t t = begin; t < end; t++) {
        const tlwTile *tile = &grid->tiles[t];
        const int32_t *cells = m->order->cell_start + t * (TLW_TILE_CELLS + 1);
        for (int c = 0; c < TLW_TILE_CELLS; c++) {
            int64_t first = m->order->tile_start[t] + cells[c], last = m->order->tile_start[t] + cells[c + 1];
            int i = c % TLW_TILE, j = c / TLW_TILE % TLW_TILE, k = c / (TLW_TILE * TLW_TILE);
            int64_t cell = tile->base + i + j * grid->stride_y + k * grid->stride_z;
            bool mixed = false;
            for (int64_t n = first + 1; n < last; n++)
                mixed |= material[n] != material[first];
            for (int a = 0; a < 3; a++)
                tlwGetFloats(grid, m->flow->fluidity_slope[a])[cell] = 0;
            if (mixed)
                mixCell(m, cell, (int[3]){tile->cell[0] + i, tile->cell[1] + j, tile->cell[2] + k}, first, last);
        }
    }
}

void tlwMixViscosities(tlwThreads *threads, tlwFlow *flow, const tlwMaterial *materials, const tlwParticles *particles,
                       const tlwParticleOrder *order)
{
    Mix m = {flow, materials, particles, order};
    tlwParallelFor(threads, flow->grid.tile_count, TLW_TILE_BLOCK, mixRange, &m);
}
