// What the cells' temperatures mean for their flow: viscosity, and which cells are frozen (Carlson 2004, s. 4.3).
#ifndef TLW_STEP_HEAT_MATERIAL_STATE_H
#define TLW_STEP_HEAT_MATERIAL_STATE_H

#include "scene/material.h"
#include "step/fields/flow.h"
#include "step/fields/sorting.h"

// A cell of a material that freezes rigid belongs to a rigid piece while less than this share of it is molten.
#define TLW_FROZEN_MELT 0.05

// Reads of `flow`: enthalpy (0 = the cell holds nothing), material, temperature, melt. Writes viscosity of cells that
// hold material: the material's curve, in the melting range between that and the solid's on a logarithmic scale.
// `frozen` (uint8, -1 = not wanted) becomes 1 in rigid cells, 0 elsewhere. Empty cells next to material take the mean
// of their neighbours' temperature and (logarithmic) viscosity, so that stencils across the surface find sensible
// values; farther away the viscosity is 0.
void tlwUpdateMaterialState(tlwThreads *threads, tlwFlow *flow, const tlwMaterial *materials, int frozen);

// Cells that hold several materials: the harmonic mean of their viscosities by volume, since layers that shear past
// each other carry the same stress, and how it differs between the cell's halves. Reads temperature of `flow`; changes
// viscosity, writes fluidity_slope. Particles as tlwSortParticles left them.
void tlwMixViscosities(tlwThreads *threads, tlwFlow *flow, const tlwMaterial *materials, const tlwParticles *particles,
                       const tlwParticleOrder *order);

#endif
