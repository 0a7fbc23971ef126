// Heat between particles and cells. A particle belongs to the cell that it was sorted into.
#ifndef TLW_STEP_HEAT_PARTICLES_H
#define TLW_STEP_HEAT_PARTICLES_H

#include "scene/material.h"
#include "shape/particles.h"
#include "step/fields/flow.h"
#include "step/fields/sorting.h"

// Particles to cells. Writes `mass` (double, kg) and of `flow`: material, enthalpy, temperature and melt. Where a cell
// of an active tile holds no particle, the temperature is ambient and the others are zero. A cell's material is the one
// with the most mass. Particles of another material count with the enthalpy that the cell's material has at their
// temperature.
void tlwGatherHeat(tlwThreads *threads, tlwFlow *flow, const tlwParticles *particles, const tlwParticleOrder *order,
                   const tlwMaterial *materials, double ambient_temperature, int mass);

// Cells to particles: `heat` (double, J) is what each cell received. Also brings enthalpy, temperature and melt of
// `flow` up to date.
//
// A particle takes the interpolated change of the cells around it (FLIP), and a share of their interpolated state
// (PIC). The share is what conduction evens out within a cell during `conduction` = k dt / (rho c dx^2), at least 1 %.
// Where frozen and molten material meet, only temperatures even out, and only by conduction: mixing heat contents would
// melt ice in ice water. A particle stays between the smallest and largest new value of the cells around it. The
// particles of a cell together receive exactly the cell's heat. Rounding is carried on from particle to particle, so
// that slow heating is not lost in it.
tlwResult tlwReturnHeat(tlwThreads *threads, tlwFlow *flow, tlwParticles *particles, const tlwParticleOrder *order,
                        const tlwMaterial *materials, double conduction, int mass, int heat);

#endif
