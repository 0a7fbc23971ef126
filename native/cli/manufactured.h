// A manufactured solution for the viscosity stage. The velocity after one step is chosen, the velocity before it is
// derived by hand, and the stage must find the first from the second. This is the only file of the command line that
// includes more than tallow.h, because a scene cannot prescribe a velocity field.
#ifndef TLW_CLI_MANUFACTURED_H
#define TLW_CLI_MANUFACTURED_H

#include "tallow/tallow.h"

// One viscosity step in a closed box of `cells` cells a side whose walls stick, with constant viscosity or one that
// varies by a factor of five. `error` is the largest error of a velocity; the largest velocity is 1 m/s. Takes
// milliseconds at 16 cells, a second at 64.
tlwResult tlwMeasureViscosity(tlwContext *context, int cells, bool varying, double *error);

#endif
