// A manufactured solution for the viscosity stage: the velocity that one step must end with is chosen, the one it
// starts from follows by hand, and the stage has to find the way back. The one file of the command line that looks
// behind tallow.h: a scene cannot prescribe a velocity.
#ifndef TLW_CLI_MANUFACTURED_H
#define TLW_CLI_MANUFACTURED_H

#include "tallow/tallow.h"

// One viscosity step in a closed box of `cells` cells a side whose walls stick, with constant viscosity or one that
// varies by a factor of five. `error` is the largest error of a velocity; the largest velocity is 1 m/s. Takes
// milliseconds at 16 cells, a second at 64.
tlwResult tlwMeasureViscosity(tlwContext *context, int cells, bool varying, double *error);

#endif
