// Checks of a complete scene.
#ifndef TLW_SCENE_CHECK_H
#define TLW_SCENE_CHECK_H

#include "tallow/tallow.h"

// Checks that need the complete scene: it has liquid or an inflow, some of it inside the domain, and not more liquid
// than a computer can hold. tlwCreateSim calls this first.
tlwResult tlwCheckScene(tlwScene *scene);

#endif
