// Particles to grid and back: affine (APIC) and FLIP/PIC.
#ifndef TLW_STEP_LIQUID_TRANSFER_H
#define TLW_STEP_LIQUID_TRANSFER_H

#include "scene/material.h"
#include "shape/particles.h"
#include "step/fields/flow.h"

// Volume that a particle stands for, m3: its mass over the density of its state.
float tlwGetParticleVolume(const tlwParticles *particles, int64_t n, const tlwMaterial *materials);

// Bring the grid's velocity back: affine takes value and gradient; otherwise blend * (old + change) + (1 - blend) *
// grid.
void tlwUpdateParticles(tlwThreads *threads, const tlwFlow *flow, bool affine, float blend, tlwParticles *particles);

#endif
