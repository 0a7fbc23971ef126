// Inside of tlwPressure, for the files of this room.
#ifndef TLW_STEP_PRESSURE_SYSTEM_H
#define TLW_STEP_PRESSURE_SYSTEM_H

#include "solve/poisson/poisson.h"
#include "step/pressure/pressure.h"

#include <math.h>

#define MIN_THETA 1e-3f // cells from a centre to the surface. At 0.02 waves grow, at 1e-5 single faces shoot off
#define JITTER 0.25f    // of the mean fill of two cells: jittered particles at a calm surface stay within

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
    float *phi, *fill, *density, *open[3], *unsolid[3], *solid_velocity[3], *given, *velocity[3], *diag, *weight[3],
        *rhs, *unknown;
    uint8_t *type;
    float *shift[3];
    bool correction;
    bool recalling; // the pressure is that of the last step, and so is the surface that it belongs to
};

// Share of the way from a liquid cell's centre to its air neighbour's that is liquid.
static inline float tlwGetTheta(float liquid, float air)
{
    float t = liquid / (liquid - air);
    return t > MIN_THETA ? t : MIN_THETA;
}

// The same, told by the particles where the level set misses many of them. A flat surface fills the two cells by
// 0.25 + theta / 2 on average. Without this, the pressure that moves a few particles would act on a thousandth of their
// mass, and the particles would shoot off.
static inline float tlwGetSurfaceTheta(const tlwPressure *p, int64_t liquid, int64_t air)
{
    float level_set = tlwGetTheta(p->phi[liquid], fmaxf(p->phi[air], 0));
    float particles = p->fill[liquid] + p->fill[air] - 2 * (0.25f + JITTER);
    return particles > level_set ? fminf(particles, 1) : level_set;
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
        difference /= tlwGetSurfaceTheta(p, low, c);
    else if (!there)
        difference /= tlwGetSurfaceTheta(p, c, low);
    *gradient = difference / tlwGetFaceDensity(p, low, c);
    return true;
}

#endif
