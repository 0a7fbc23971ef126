#include "step/heat_stage.h"

tlwResult tlwAdvanceHeat(tlwThreads *threads, tlwFlow *flow, tlwParticles *particles, const tlwSortedCells *sorted,
                         const tlwHeatDef *def, tlwHeatStats *stats, tlwMessage *message)
{
    *stats = (tlwHeatStats){0};
    int mass = tlwBorrowField(&flow->grid, sizeof(double)), heat = tlwBorrowField(&flow->grid, sizeof(double));
    tlwResult result = TLW_OK;
    if (mass < 0 || heat < 0)
        result = tlwFailMemory(message, "the heat step");
    if (result == TLW_OK) {
        tlwGatherHeat(threads, flow, particles, sorted, def->materials, def->ambient_temperature, mass);
        if (def->dt * def->thermal_speed > 0)
            result = tlwSolveHeat(threads, flow, def, mass, heat, stats, message);
    }
    if (result == TLW_OK && def->dt * def->thermal_speed > 0 &&
        tlwReturnHeat(threads, flow, particles, sorted, def->materials, stats->diffusion_number, mass, heat) != TLW_OK)
        result = tlwFailMemory(message, "the heat step");
    tlwReturnField(&flow->grid, heat);
    tlwReturnField(&flow->grid, mass);
    return result;
}
