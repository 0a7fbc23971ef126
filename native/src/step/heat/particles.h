// Heat between particles and cells. A particle belongs to the cell that it was sorted into.
#ifndef TLW_STEP_HEAT_PARTICLES_H
#define TLW_STEP_HEAT_PARTICLES_H

#include "scene/material.h"
#include "shape/particles.h"
#include "step/fields/flow.h"
#include "step/fields/sorting.h"

// Particles to cells. Writes `mass` (double, kg) and of `flow`: fill, density, material, enthalpy, temperature and
// melt; all zero, and the temperature ambient, where a cell of an active tile holds no particle. The material is the
// one with the most mass; what others hold counts at the enthalpy that the cell's material has at their temperature.
void tlwGatherHeat(tlwThreads *threads, tlwFlow *flow, const tlwParticles *particles, const tlwParticleOrder *order,
                   const tlwMaterial *materials, double ambient_temperature, int mass);

// Cells to particles: `heat` (double, J) is what each cell received. Particles take the interpolated change, keep most
// of what makes them differ from it (FLIP) and take a share of the interpolated state (PIC): what conduction evens out
// within a cell during `conduction` = k dt / (rho c dx^2), at least a little. Where frozen and molten material meet,
// only temperatures even out: mixing their heat contents would melt ice in ice water. No particle is pushed beyond the
// smallest and largest new value of the cells around it. The particles of a cell receive exactly the cell's heat;
// rounding is carried on from particle to particle, so that slow heating is not lost in it. Also brings enthalpy,
// temperature and melt of `flow` up to date.
tlwResult tlwReturnHeat(tlwThreads *threads, tlwFlow *flow, tlwParticles *particles, const tlwParticleOrder *order,
                        const tlwMaterial *materials, double conduction, int mass, int heat);

#endif
