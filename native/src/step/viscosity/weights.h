// The coefficients of the viscosity system, tile by tile; private to viscosity/viscosity.c.
#ifndef TLW_STEP_VISCOSITY_WEIGHTS_H
#define TLW_STEP_VISCOSITY_WEIGHTS_H

#include "step/viscosity/viscosity.h"

typedef struct tlwViscosityBuild {
    const tlwViscosityDef *def;
    tlwStressSystem *system;
    float density;        // kg/m3, where a cell has none
    float stiffest;       // viscosity is clamped to this, Pa s
    float body_viscosity; // Pa s, between the faces of a rigid body
    float bulk_from;      // Pa s: only what is thicker resists a change of volume
    uint8_t *owner[3];    // per face of the system: body, 1 .. body_count, 0 = none; null without bodies
    const bool *dragged;  // per body: false = it moves as solid_velocity says
    int body_count;       // of def->coupling that the owners can tell apart
} tlwViscosityBuild;

#define TLW_ON_WALL 1e-3f // cells: a face this close to a wall lies on it

// Distance to solids at the centre of a face.
static inline float tlwGetFaceDistance(const tlwGrid *flow, const float *solid, int axis, int64_t at)
{
    const int64_t stride[3] = {1, flow->stride_y, flow->stride_z};
    int64_t b = stride[(axis + 1) % 3], c = stride[(axis + 2) % 3];
    const float *s = solid + at;
    return 0.25f * ((s[0] + s[b]) + (s[c] + s[b + c]));
}

// Fill c, mass, b and x of a system tile; prescribed faces carry their velocity in b.
void tlwBuildViscosityTile(const tlwViscosityBuild *build, const tlwTile *tile);

#endif
