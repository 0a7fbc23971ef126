// The heat stage of a time step: particles to cells, one implicit step of heat (heat/heat.h), cells to particles.
#ifndef TLW_STEP_HEAT_ADVANCE_H
#define TLW_STEP_HEAT_ADVANCE_H

#include "step/fields/sorting.h"
#include "step/heat/heat.h"
#include "step/heat/particles.h"

// Reads of `flow`: phi, solid, open, solid_object. Writes material, enthalpy, temperature, melt, the particles'
// enthalpy and the objects' temperature and heat. When thermal_speed or dt is 0, or everything is as warm as the air,
// no heat moves, but the fields are written all the same. After TLW_NOT_CONVERGED particles and objects are as they
// were: try again with a shorter dt.
tlwResult tlwAdvanceHeat(tlwThreads *threads, tlwFlow *flow, tlwParticles *particles, const tlwParticleOrder *order,
                         const tlwHeatDef *def, tlwHeatStats *stats, tlwMessage *message);

#endif
