// The liquid's level set: kept true by the particles, a distance again after every step, and at the right volume.
//
// Level set and particles travel through the same velocity. The level set alone keeps a calm surface smooth and flat;
// the particles alone know where thin sheets and drops are, and they hold the mass. So the level set leads wherever
// both agree to a fraction of a cell, and the particles overrule it where they do not (after Enright et al. 2002).
#ifndef TLW_STEP_LIQUID_LEVELSET_H
#define TLW_STEP_LIQUID_LEVELSET_H

#include "scene/material.h"
#include "step/fields/flow.h"
#include "step/fields/sorting.h"

// Particles outside by less than a third of a cell are drawn back in; those farther out, and those that are crowded,
// print a small ball into the level set; liquid without particles is removed. Reads positions, writes positions and
// flow->phi.
tlwResult tlwCorrectLevelSet(tlwThreads *threads, const tlwParticleOrder *order, const tlwMaterial *materials,
                             tlwParticles *particles, tlwFlow *flow);

// Volume inside flow->phi and outside solids, and its growth per metre of outward shift (the surface area).
double tlwGetLevelSetVolume(tlwThreads *threads, const tlwFlow *flow, double *area);

// Shift flow->phi towards a volume, by at most a tenth of a cell.
void tlwCorrectVolume(tlwThreads *threads, tlwFlow *flow, double target);

// Share of a cell that no solid fills.
float tlwGetOpenShare(const tlwGrid *grid, const float *solid, int64_t cell);

#endif
