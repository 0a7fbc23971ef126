// Where a body lies on a solid, against a wall or on another body, the gap between them holds no liquid that the grid
// could see: its cells have no open face and no pressure. A light body on the floor would be held down for ever, since
// pressure acts on its upper side only. In life liquid creeps into the gap and has the pressure of the liquid around
// it.
//
// So the body's surface in such cells is given to the nearest liquid beside the gap: pressure there pushes it, and what
// the gap opens by is taken from there. Parts of a gap that lie nearer to air are dry.
#ifndef TLW_STEP_BODIES_GAPS_H
#define TLW_STEP_BODIES_GAPS_H

#include "step/bodies/coupling.h"

// Add rows to the bodies of `coupling`; `type` as in solve/poisson/poisson.h. Frozen wax is no gap.
tlwResult tlwAddGapPatches(tlwThreads *threads, const tlwFlow *flow, const tlwPlacedMeshes *solids, const uint8_t *type,
                           tlwBodyCoupling *coupling);

#endif
