// The colliders of obstacles, rebuilt when an obstacle grows or deforms.
//
// tlwMovePlacedMeshes gives an obstacle the field of the step's end. The real run of the rigid solver starts at the
// step's beginning, so it uses the collider of the previous field (tlwPlacedMesh.last_sdf), and the collider's points
// drift to where the new shape has them. The trial run uses the new field. So a solid that grows or bends pushes bodies
// as a moving one does.
#ifndef TLW_STEP_BODIES_SHAPES_H
#define TLW_STEP_BODIES_SHAPES_H

#include "step/bodies/bodies.h"

// The mesh that an obstacle's field was built from, in the space of the field.
tlwResult tlwCopyShape(const tlwBodies *bodies, const tlwPlacedMesh *solid, tlwMesh *mesh);

// Build the collider from the obstacle's present field.
tlwResult tlwRenewShape(const tlwBodies *bodies, const tlwPlacedMesh *solid, tlwBodyLink *link);
void tlwFreeBodyShape(tlwBodyLink *link);

// Rebuild colliders whose obstacle has a new field. Without `all`, only those whose own field is gone.
tlwResult tlwRenewShapes(tlwBodies *bodies, const tlwPlacedMeshes *solids, bool all);

// Tell the rigid world how shapes change over the dt after `time`.
void tlwSetShapeDrifts(tlwBodies *bodies, const tlwPlacedMeshes *solids, double time, double dt);

#endif
