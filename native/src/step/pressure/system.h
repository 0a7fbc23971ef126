// Inside of tlwPressure, for the files of this room.
#ifndef TLW_STEP_PRESSURE_SYSTEM_H
#define TLW_STEP_PRESSURE_SYSTEM_H

#include "solve/poisson/poisson.h"
#include "step/pressure/pressure.h"

#include <math.h>

#define MIN_THETA 1e-3f // cells from a centre to the surface. At 0.02 waves grow, at 1e-5 single faces shoot off

struct tlwPressure {
    tlwContext *context;
    tlwFlow *flow;
    tlwPressureDef def;
    tlwPoissonSystem system;
    tlwPoisson *poisson;
    int b, x, labels;
    int pressed[3]; // share of a face that pressure moves: open, less what nozzles hold; -1 in scenes without nozzles
    tlwPocket *pockets;
    int64_t *pocket_cells;
    // arrays of the slots, for the kernels
    float *phi, *density, *open[3], *unsolid[3], *solid_velocity[3], *given, *velocity[3], *diag, *weight[3], *rhs,
        *unknown;
    uint8_t *type;
    float *shift[3];
    bool correction;
};

// Share of the way from a liquid cell's centre to its air neighbour's that is liquid.
static inline float tlwGetTheta(float liquid, float air)
{
    float t = liquid / (liquid - air);
    return t > MIN_THETA ? t : MIN_THETA;
}

// Density at the face between two cells, kg/m3.
static inline float tlwGetFaceDensity(const tlwPressure *p, int64_t a, int64_t b)
{
    float da = p->density[a], db = p->density[b];
    if (da > 0 && db > 0)
        return 0.5f * (da + db);
    return da > 0 ? da : db > 0 ? db : (float)p->def.default_density;
}

// Difference of the unknown across the lower face of c, over density; false where no liquid is.
static inline bool tlwGetFaceGradient(const tlwPressure *p, int64_t low, int64_t c, float *gradient)
{
    bool here = p->type[c] == TLW_CELL_LIQUID, there = p->type[low] == TLW_CELL_LIQUID;
    if (!here && !there)
        return false;
    float difference = p->unknown[c] - p->unknown[low]; // unknowns are zero in air
    if (!here)
        difference /= tlwGetTheta(p->phi[low], fmaxf(p->phi[c], 0));
    else if (!there)
        difference /= tlwGetTheta(p->phi[c], fmaxf(p->phi[low], 0));
    *gradient = difference / tlwGetFaceDensity(p, low, c);
    return true;
}

#endif
