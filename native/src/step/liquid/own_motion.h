// Stiff material beside thin liquid: its particles move with their own material.
//
// A face has one velocity. Around a particle near the edge of a stiff block, half of the faces are the thin liquid's.
// Plain interpolation would let that liquid carry the particle off, and the block would dissolve. So such a particle
// takes velocity and gradient from the faces that are as stiff as itself, continued as a rigid motion, and goes where
// they say.
#ifndef TLW_STEP_LIQUID_OWN_MOTION_H
#define TLW_STEP_LIQUID_OWN_MOTION_H

#include "scene/material.h"
#include "shape/particles.h"
#include "step/fields/flow.h"
#include "step/fields/sorting.h"

typedef struct tlwStiffness {
    const tlwMaterial *materials;
    float limit; // Pa s: stiffer material does not yield to thin liquid
} tlwStiffness;

// Viscosity of a particle by itself, whatever is in its cell.
static inline float tlwGetOwnViscosity(const tlwMaterial *materials, const tlwParticles *particles, int64_t n)
{
    const tlwMaterial *material = &materials[particles->material[n]];
    double melt = material->melts ? tlwGetMelt(material, particles->enthalpy[n]) : 1;
    return (float)tlwGetViscosity(material, tlwGetTemperature(material, particles->enthalpy[n]), melt);
}

// Viscosity of cells, where features thinner than two cells are as soft as their surroundings: little ties such cells
// to each other. 0 in frozen cells, which move with their pieces. Fills the float slot `firm`.
void tlwFindFirmness(tlwThreads *threads, const tlwFlow *flow, int firm);

// Bring the values of firm faces (three float slots) back to those of `to`; null = zero. Where the faces' firmness is
// the limit, half of the way.
void tlwHoldFirmFaces(tlwThreads *threads, const tlwGrid *grid, int firm, float limit, const int to[3],
                      const int values[3]);

// Velocity and gradient of the particles among faces softer than themselves; marks these particles (shape/affine.h) and
// no other. Reads flow->velocity and reached. Without `firm` (-1) no particle is marked.
void tlwUpdateStiffParticles(tlwThreads *threads, const tlwFlow *flow, int firm, const tlwMaterial *materials,
                             const tlwParticleOrder *order, tlwParticles *particles);

#endif
