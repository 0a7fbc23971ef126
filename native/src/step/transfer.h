// Particles to grid and back: affine (APIC) and FLIP/PIC.
#ifndef TLW_STEP_TRANSFER_H
#define TLW_STEP_TRANSFER_H

#include "scene/material.h"
#include "step/sorting.h"

// Gather mass-weighted velocity to flow->velocity and flow->reached, the particles' volume to flow->fill
// and their mean density to flow->density (0 where there are none). Faces that no particle reaches get velocity 0.
// `affine` adds the particles' velocity gradients.
tlwResult tlwGatherParticles(tlwThreads *threads, const tlwParticles *particles, const tlwParticleOrder *order,
                             const tlwMaterial *materials, bool affine, tlwFlow *flow);

// Volume that a particle stands for, m3: its mass over the density of its state.
float tlwGetParticleVolume(const tlwParticles *particles, int64_t n, const tlwMaterial *materials);

// Bring the grid's velocity back: affine takes value and gradient; otherwise blend * (old + change) + (1 - blend) *
// grid.
void tlwUpdateParticles(tlwThreads *threads, const tlwFlow *flow, bool affine, float blend, tlwParticles *particles);

#endif
