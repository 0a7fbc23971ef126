// What the cells' temperatures mean for their flow: viscosity, and which cells are frozen (Carlson 2004, s. 4.3).
#ifndef TLW_STEP_HEAT_MATERIAL_STATE_H
#define TLW_STEP_HEAT_MATERIAL_STATE_H

#include "scene/material.h"
#include "step/fields/flow.h"
#include "step/fields/sorting.h"

// A cell of a material that freezes rigid belongs to a rigid piece while less than this share of it is molten.
#define TLW_FROZEN_MELT 0.05

// Reads of `flow`: enthalpy (0 = the cell holds nothing), material, temperature, melt. Writes the viscosity of cells
// that hold material. It follows the material's curve; in the melting range it lies between that and the solid's
// viscosity, on a logarithmic scale. `frozen` (uint8, -1 = not wanted) becomes 1 in rigid cells, 0 elsewhere. Empty
// cells next to material take the mean of their neighbours' temperature and (logarithmic) viscosity, so that stencils
// across the surface find sensible values. Farther away the viscosity is 0.
void tlwUpdateMaterialState(tlwThreads *threads, tlwFlow *flow, const tlwMaterial *materials, int frozen);

// For cells that hold several materials: viscosity becomes the harmonic mean by volume, because layers that shear past
// each other carry the same stress. fluidity_slope tells how it differs between the cell's halves. Reads temperature of
// `flow`. Particles as tlwSortParticles left them.
void tlwMixViscosities(tlwThreads *threads, tlwFlow *flow, const tlwMaterial *materials, const tlwParticles *particles,
                       const tlwParticleOrder *order);

#endif
