#include "step/fields/flow.h"

bool tlwInitFlow(tlwFlow *flow, tlwVec3 origin, const int dims[3], double dx)
{
    tlwGrid *grid = &flow->grid;
    tlwInitGrid(grid, origin, dims, dx);
    const float zero = 0, one = 1, band = (float)(TLW_PHI_BAND * dx);
    const uint8_t byte = 0;
    const int16_t none = -1;
    const int32_t no_piece = 0;
    flow->phi = tlwAddField(grid, sizeof(float), &band, true);
    flow->solid = tlwAddField(grid, sizeof(float), &band, false);
    flow->solid_object = tlwAddField(grid, sizeof none, &none, false);
    for (int a = 0; a < 3; a++) {
        flow->velocity[a] = tlwAddField(grid, sizeof(float), &zero, true);
        flow->old_velocity[a] = tlwAddField(grid, sizeof(float), &zero, false);
        flow->open[a] = tlwAddField(grid, sizeof(float), &one, false);
        flow->solid_velocity[a] = tlwAddField(grid, sizeof(float), &zero, false);
    }
    flow->density = tlwAddField(grid, sizeof(float), &zero, false);
    flow->viscosity = tlwAddField(grid, sizeof(float), &zero, false);
    flow->fill = tlwAddField(grid, sizeof(float), &zero, false);
    flow->pressure = tlwAddField(grid, sizeof(float), &zero, true);
    flow->viscous_pressure = tlwAddField(grid, sizeof(float), &zero, true);
    flow->swelling = tlwAddField(grid, sizeof(float), &zero, true);
    flow->temperature = tlwAddField(grid, sizeof(float), &zero, false);
    flow->enthalpy = tlwAddField(grid, sizeof(float), &zero, false);
    flow->melt = tlwAddField(grid, sizeof(float), &zero, false);
    flow->material = tlwAddField(grid, 1, &byte, false);
    flow->reached = tlwAddField(grid, 1, &byte, false);
    flow->stick = tlwAddField(grid, 1, &byte, false);
    flow->frozen = tlwAddField(grid, 1, &byte, false);
    flow->label = tlwAddField(grid, sizeof no_piece, &no_piece, true);
    flow->piece = tlwAddField(grid, sizeof no_piece, &no_piece, false);
    flow->cover = tlwAddField(grid, sizeof no_piece, &no_piece, true);
    for (int a = 0; a < 3; a++)
        flow->fluidity_slope[a] = flow->held_share[a] = flow->held_velocity[a] = flow->grip[a] = -1;
    flow->given = flow->squeeze = -1;
    return flow->cover >= 0;
}

bool tlwAddFluiditySlopes(tlwFlow *flow)
{
    const float zero = 0;
    for (int a = 0; a < 3; a++)
        flow->fluidity_slope[a] = tlwAddField(&flow->grid, sizeof(float), &zero, false);
    return flow->fluidity_slope[2] >= 0;
}

bool tlwAddNozzleFields(tlwFlow *flow)
{
    const float zero = 0;
    for (int a = 0; a < 3; a++) {
        flow->held_share[a] = tlwAddField(&flow->grid, sizeof(float), &zero, false);
        flow->held_velocity[a] = tlwAddField(&flow->grid, sizeof(float), &zero, false);
    }
    flow->given = tlwAddField(&flow->grid, sizeof(float), &zero, false);
    return flow->given >= 0;
}
