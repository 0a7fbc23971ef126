#include "step/material_state.h"

#include <math.h>

typedef struct State {
    const tlwGrid *grid;
    const tlwMaterial *materials;
    const float *fill, *melt;
    const uint8_t *material;
    float *temperature, *viscosity, *density;
    uint8_t *frozen;
} State;

static void stateRange(void *context, int64_t begin, int64_t end)
{
    State *s = context;
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(s->grid, &s->grid->tiles[t], j, k, row) for (int64_t c = row; c < row + TLW_TILE; c++)
        {
            if (s->frozen)
                s->frozen[c] = 0;
            if (!(s->fill[c] > 0)) {
                s->viscosity[c] = 0;
                continue;
            }
            const tlwMaterial *m = &s->materials[s->material[c]];
            s->viscosity[c] = (float)tlwGetViscosity(m, s->temperature[c], s->melt[c]);
            if (s->frozen)
                s->frozen[c] = m->melts && m->def.frozen == TLW_FROZEN_RIGID && s->melt[c] < TLW_FROZEN_MELT;
        }
}

static void extendCell(State *s, int64_t c)
{
    double density = 0, temperature = 0, log_viscosity = 0;
    int count = 0;
    for (int dk = -1; dk <= 1; dk++)
        for (int dj = -1; dj <= 1; dj++)
            for (int di = -1; di <= 1; di++) {
                int64_t n = c + di + dj * s->grid->stride_y + dk * s->grid->stride_z;
                if (!(s->fill[n] > 0))
                    continue;
                density += s->density[n];
                temperature += s->temperature[n];
                log_viscosity += log(s->viscosity[n]);
                count++;
            }
    if (count == 0)
        return;
    s->density[c] = (float)(density / count);
    s->temperature[c] = (float)(temperature / count);
    s->viscosity[c] = (float)exp(log_viscosity / count);
}

// Reads filled cells and writes empty ones, so the order does not matter.
static void extendRange(void *context, int64_t begin, int64_t end)
{
    State *s = context;
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(s->grid, &s->grid->tiles[t], j, k, row)
        for (int64_t c = row; c < row + TLW_TILE; c++) if (!(s->fill[c] > 0)) extendCell(s, c);
}

void tlwUpdateMaterialState(tlwThreads *threads, tlwFlow *flow, const tlwMaterial *materials, int frozen)
{
    const tlwGrid *grid = &flow->grid;
    State s = {.grid = grid,
               .materials = materials,
               .fill = tlwGetFloats(grid, flow->fill),
               .melt = tlwGetFloats(grid, flow->melt),
               .material = tlwGetBytes(grid, flow->material),
               .temperature = tlwGetFloats(grid, flow->temperature),
               .viscosity = tlwGetFloats(grid, flow->viscosity),
               .density = tlwGetFloats(grid, flow->density),
               .frozen = frozen >= 0 ? tlwGetBytes(grid, frozen) : NULL};
    tlwParallelFor(threads, grid->tile_count, TLW_TILE_BLOCK, stateRange, &s);
    tlwParallelFor(threads, grid->tile_count, TLW_TILE_BLOCK, extendRange, &s);
}
