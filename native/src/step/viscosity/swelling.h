// Resistance of thick liquid to a change of volume; private to native/src/step/viscosity.
//
// Viscosity alone lets a strand stretch without growing thinner: it resists with twice its viscosity. Pressure, which
// comes later, makes the strand thinner but no stiffer. With a bulk viscosity the same solve does both. The resistance
// then is that of Poisson's ratio 1/3, and grows towards three times the viscosity as the solve aims at the opposite of
// what the volume still grew by in the last step (the method of multipliers, Powell 1969). What is kept from step to
// step is a stress, since viscosity may change by many powers of ten where a cell freezes or melts.
#ifndef TLW_STEP_VISCOSITY_SWELLING_H
#define TLW_STEP_VISCOSITY_SWELLING_H

#include "step/viscosity/weights.h"

#define TLW_BULK_RATIO 2       // bulk viscosity over what viscosity exceeds the least by
#define TLW_BULK_FROM 0.5      // that least, of density x cell area / time step: below, pressure alone keeps the volume
#define TLW_SWELLING_KEPT 0.9f // from step to step: old errors fade, and drift cannot build up
#define TLW_SWELLING_MOST 0.1f // of its volume that a cell is made to grow or shrink by in a step

// Bulk viscosity, Pa s, of liquid with a viscosity where bulk viscosity begins with `from`.
static inline float tlwGetBulkViscosity(float viscosity, float from)
{
    return viscosity > from ? TLW_BULK_RATIO * (viscosity - from) : 0;
}

// Before the tiles are built: give the system bulk samples. False when memory is out.
bool tlwAddBulkSamples(tlwViscosityBuild *build);

// After the tiles are built: aim at the swelling of the last step. Cells with a face that is partly open have no bulk
// samples: the pressure stage measures the flow through them in another way.
void tlwLoadSwelling(tlwThreads *threads, const tlwViscosityBuild *build);

// After the solve: the swelling for the next step.
void tlwKeepSwelling(tlwThreads *threads, const tlwViscosityBuild *build);

#endif
