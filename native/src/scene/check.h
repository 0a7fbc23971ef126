// What can be said about a scene only once it is complete.
#ifndef TLW_SCENE_CHECK_H
#define TLW_SCENE_CHECK_H

#include "tallow/tallow.h"

// What can only be checked once the scene is complete: there is liquid or an inflow, some of it lies in the domain, and
// it is not more than a computer holds. tlwCreateSim calls it first.
tlwResult tlwCheckScene(tlwScene *scene);

#endif
