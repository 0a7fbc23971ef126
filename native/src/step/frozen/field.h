// Signed distance to a piece, from its particles.
#ifndef TLW_STEP_FROZEN_FIELD_H
#define TLW_STEP_FROZEN_FIELD_H

#include "grid/grid.h"
#include "scene/material.h"
#include "shape/particles.h"

typedef struct tlwPieceField {
    tlwVec3 origin; // m from the piece's centre, of the first value
    double dx;
    int dims[3];
    float *value; // m, x fastest; null = no field, everything is far away
} tlwPieceField;

// Values on the cell centres of the box of cells low .. high - 1, which should reach 3 cells beyond what is to be
// touched. Exact to a tenth of a cell or so next to the surface.
tlwResult tlwBuildPieceField(const tlwGrid *grid, const tlwParticles *particles, const tlwMaterial *materials,
                             uint32_t id, tlwVec3 centre, const int low[3], const int high[3], tlwPieceField *field);
void tlwFreePieceField(tlwPieceField *field);

// A tlwSampleDistanceFn; `user` is the field.
void tlwSamplePieceField(const void *user, const tlwVec3 *points, int count, double *distance, tlwVec3 *gradient);

#endif
