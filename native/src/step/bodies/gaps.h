// A body may lie on a solid, against a wall or on another body. The gap between them is too thin for the grid: its
// cells have no open face and no pressure. Pressure would then act on the upper side of the body only, and hold a light
// body on the floor for ever. In life, liquid creeps into the gap and has the pressure of the liquid around it.
//
// So the body's surface in a gap belongs to the nearest liquid beside the gap. The pressure there pushes the body, and
// the liquid that fills an opening gap comes from there. Parts of a gap that lie nearer to air are dry.
#ifndef TLW_STEP_BODIES_GAPS_H
#define TLW_STEP_BODIES_GAPS_H

#include "step/bodies/coupling.h"

// Add rows to the bodies of `coupling`; `type` as in solve/poisson/poisson.h. Frozen wax does not count as a gap.
tlwResult tlwAddGapPatches(tlwThreads *threads, const tlwFlow *flow, const tlwPlacedMeshes *solids, const uint8_t *type,
                           tlwBodyCoupling *coupling);

#endif
