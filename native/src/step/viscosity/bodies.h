// Rigid bodies and frozen pieces in the viscosity solve; private to the stage.
#ifndef TLW_STEP_VISCOSITY_BODIES_H
#define TLW_STEP_VISCOSITY_BODIES_H

#include "step/viscosity/weights.h"

// The most bodies that a byte of tlwViscosityTile.kind can number beside the other kinds of faces.
#define TLW_MAX_VISCOUS_BODIES 200

// Label of the free piece that a node's distance belongs to; 0 = it belongs to a solid.
int32_t tlwGetNodePiece(const tlwViscosityDef *def, int64_t node);

// The body or piece that a node inside a solid belongs to, 1 .. body_count, or 0.
int tlwFindNodeBody(const tlwViscosityBuild *build, int64_t node);

// Whether viscosity drags a free piece.
bool tlwIsDraggedPiece(const tlwViscosityBuild *build, int32_t label);

// Add the fields for the faces' owners. False when memory is out.
bool tlwAddBodyOwners(tlwViscosityBuild *build);

// Before the tiles are built: list the faces that move with each body, and mark them. A body with too few faces is not
// dragged and has none. Writes `build->owner` and `dragged`.
tlwResult tlwFindViscousBodies(tlwThreads *threads, tlwViscosityBuild *build, bool *dragged, tlwStressBodies *bodies);

// After the tiles are built: give the bodies' faces a mass and their body's velocity.
void tlwLoadBodies(const tlwViscosityBuild *build, tlwStressBodies *bodies);

// After the solve: write the bodies' new motion to the coupling.
void tlwDragBodies(const tlwViscosityBuild *build, const tlwStressBodies *bodies);

#endif
