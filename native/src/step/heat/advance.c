#include "step/heat/advance.h"

#include <math.h>

#define SAME_KELVIN 1e-3 // temperatures that differ by less are the same

typedef struct Look {
    const tlwGrid *grid;
    const double *mass;
    const float *temperature;
    double ambient;
} Look;

static double differenceRange(void *context, int64_t begin, int64_t end)
{
    const Look *l = context;
    double most = 0;
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(l->grid, &l->grid->tiles[t], j, k, row)
            for (int64_t c = row; c < row + TLW_TILE; c++)
                if (l->mass[c] > 0)
                    most = fmax(most, fabs(l->temperature[c] - l->ambient));
    return most;
}

// Whether anything has a temperature of its own, so that heat would move. Plain water scenes do not pay for heat.
static bool isThermal(tlwThreads *threads, const tlwFlow *flow, const tlwHeatDef *def, int mass)
{
    if (!(def->dt * def->thermal_speed > 0))
        return false;
    for (int s = 0; s < def->source_count; s++)
        if (def->sources[s].power != 0)
            return true;
    for (int o = 0; o < def->object_count; o++)
        if (def->objects[o].conductivity > 0 &&
            fabs(def->objects[o].temperature - def->ambient_temperature) > SAME_KELVIN)
            return true;
    Look look = {&flow->grid, tlwGetDoubles(&flow->grid, mass), tlwGetFloats(&flow->grid, flow->temperature),
                 def->ambient_temperature};
    return tlwParallelMax(threads, flow->grid.tile_count, TLW_TILE_BLOCK, differenceRange, &look) > SAME_KELVIN;
}

static void forgetHeat(const tlwHeatDef *def)
{
    for (int o = 0; o < def->object_count; o++)
        def->objects[o].heat = 0;
}

tlwResult tlwAdvanceHeat(tlwThreads *threads, tlwFlow *flow, tlwParticles *particles, const tlwParticleOrder *order,
                         const tlwHeatDef *def, tlwHeatStats *stats, tlwMessage *message)
{
    *stats = (tlwHeatStats){0};
    int mass = tlwBorrowField(&flow->grid, sizeof(double)), heat = tlwBorrowField(&flow->grid, sizeof(double));
    tlwResult result = TLW_OK;
    bool thermal = false;
    if (mass < 0 || heat < 0)
        result = tlwFailMemory(message, "the heat step");
    if (result == TLW_OK) {
        tlwGatherHeat(threads, flow, particles, order, def->materials, def->ambient_temperature, mass);
        forgetHeat(def);
        thermal = isThermal(threads, flow, def, mass);
        if (thermal)
            result = tlwSolveHeat(threads, flow, def, mass, heat, stats, message);
    }
    if (result == TLW_OK && thermal &&
        tlwReturnHeat(threads, flow, particles, order, def->materials, stats->diffusion_number, mass, heat) != TLW_OK)
        result = tlwFailMemory(message, "the heat step");
    tlwReturnField(&flow->grid, heat);
    tlwReturnField(&flow->grid, mass);
    return result;
}
