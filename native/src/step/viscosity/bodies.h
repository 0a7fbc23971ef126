// Rigid bodies and frozen pieces in the viscosity solve; private to the stage.
#ifndef TLW_STEP_VISCOSITY_BODIES_H
#define TLW_STEP_VISCOSITY_BODIES_H

#include "step/viscosity/weights.h"

// Bodies that fit into the owners' bytes beside the other kinds of faces.
#define TLW_MAX_VISCOUS_BODIES 200

// The free piece that a node's distance is to; 0 = that of a solid.
int32_t tlwGetNodePiece(const tlwViscosityDef *def, int64_t node);

// The body or piece that a node inside a solid belongs to, 1 .. body_count, or 0.
int tlwFindNodeBody(const tlwViscosityBuild *build, int64_t node);

// Whether viscosity drags a free piece.
bool tlwIsDraggedPiece(const tlwViscosityBuild *build, int32_t label);

// Room for the faces' owners.
bool tlwAddBodyOwners(tlwViscosityBuild *build);

// Before the tiles are built: list the faces that move with every body, and mark them. Bodies of too few faces have
// none. Writes `build->owner` and `dragged`.
tlwResult tlwFindViscousBodies(tlwThreads *threads, tlwViscosityBuild *build, bool *dragged, tlwStressBodies *bodies);

// After: the bodies' faces get a mass and their body's velocity.
void tlwLoadBodies(const tlwViscosityBuild *build, tlwStressBodies *bodies);

// After the solve: the bodies' new motion.
void tlwDragBodies(const tlwViscosityBuild *build, const tlwStressBodies *bodies);

#endif
