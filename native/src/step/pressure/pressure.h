// Pressure: makes the velocity divergence free. Cut-cell solids (Batty, Bertails and Bridson 2007; Ng, Min and Gibou
// 2009), second-order free surface (Gibou et al. 2002), pockets without air (Carlson 2004, s. 3.3.2).
#ifndef TLW_STEP_PRESSURE_PRESSURE_H
#define TLW_STEP_PRESSURE_PRESSURE_H

#include "solve/poisson/poisson.h"
#include "step/bodies/coupling.h"
#include "step/fields/flow.h"

typedef struct tlwPressure tlwPressure;

// What the pressure stage takes beside the fields. Reads phi, density, open, solid_velocity; changes velocity,
// pressure.
typedef struct tlwPressureDef {
    double dt;
    double tolerance;
    int max_iterations;
    double default_density;        // kg/m3, for faces without particles
    int phi;                       // level set to use, a slot
    tlwBodyCoupling *coupling;     // rigid bodies that pressure moves; may be null
    const tlwPlacedMeshes *solids; // meshes of these bodies; null in the operator split, where bodies leave faces open
} tlwPressureDef;

// Assemble the system and its multigrid hierarchy. On success the caller destroys it.
tlwResult tlwCreatePressure(tlwContext *context, tlwFlow *flow, const tlwPressureDef *def, tlwPressure **pressure);
void tlwDestroyPressure(tlwPressure *pressure);

// Solve and subtract the gradient; the coupled bodies get their new velocities. May be called again after the velocity
// has changed: then `correction` is true and the pressure is added to what is there.
tlwResult tlwProjectVelocity(tlwPressure *pressure, bool correction, tlwSolveStats *stats);

// Between two projections: give back the memory that only a solve needs.
void tlwRestPressure(tlwPressure *pressure);

// Before viscosity: apply the pressure that answered viscosity in the last step. The correction after viscosity is then
// only the change since that step (van Kan 1986). Without this the correction slips along walls, and a steady flow
// depends on the step.
void tlwApplyViscousPressure(tlwPressure *pressure);

#endif
