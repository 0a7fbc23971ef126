// What bodies touch: the colliders of obstacles, made anew when an obstacle grows or deforms.
//
// tlwMovePlacedMeshes gives an obstacle the field of the step's end. The real run of the rigid solver starts at the
// step's beginning, with the collider of the field before (tlwPlacedMesh.last_sdf), whose points drift to where the new
// shape has them; the trial run after it has the new field. So a solid that grows or bends pushes bodies as one that
// moves does.
#ifndef TLW_STEP_BODIES_SHAPES_H
#define TLW_STEP_BODIES_SHAPES_H

#include "step/bodies/bodies.h"

// The mesh that an obstacle's field was built from, in the space of the field.
tlwResult tlwCopyShape(const tlwBodies *bodies, const tlwPlacedMesh *solid, tlwMesh *mesh);

// A collider from the obstacle's present field.
tlwResult tlwRenewShape(const tlwBodies *bodies, const tlwPlacedMesh *solid, tlwBodyLink *link);
void tlwFreeBodyShape(tlwBodyLink *link);

// Colliders from the present fields where there are new ones: of all, or only of those whose old field is gone.
tlwResult tlwRenewShapes(tlwBodies *bodies, const tlwPlacedMeshes *solids, bool all);

// How the shapes change over the dt after `time`.
void tlwSetShapeDrifts(tlwBodies *bodies, const tlwPlacedMeshes *solids, double time, double dt);

#endif
