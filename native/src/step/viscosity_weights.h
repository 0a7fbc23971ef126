// The coefficients of the viscosity system, tile by tile; private to viscosity.c.
#ifndef TLW_STEP_VISCOSITY_WEIGHTS_H
#define TLW_STEP_VISCOSITY_WEIGHTS_H

#include "step/viscosity.h"

// Piece labels of the flow (any numbers) to 1 .. count of the system.
typedef struct tlwPieceMap {
    int32_t flow_label[TLW_MAX_RIGID_PIECES]; // sorted
    int count;
} tlwPieceMap;

typedef struct tlwViscosityBuild {
    const tlwViscosityDef *def;
    tlwStressSystem *system;
    const tlwPieceMap *pieces;
    float density;  // kg/m3, where a cell has none
    float stiffest; // viscosity is clamped to this, Pa s
    float piece_viscosity;
} tlwViscosityBuild;

// Fill c, mass, b and x of a system tile; prescribed faces carry their velocity in b.
void tlwBuildViscosityTile(const tlwViscosityBuild *build, const tlwTile *tile);

#endif
