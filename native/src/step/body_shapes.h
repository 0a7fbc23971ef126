// What bodies touch: the colliders of obstacles, made anew when an obstacle grows or deforms.
//
// tlwMoveSolids gives an obstacle the field of the step's end. The real run of the rigid solver starts at the step's
// beginning, with the collider of the field before (tlwSolid.last_sdf), whose points drift to where the new shape has
// them; the trial run after it has the new field. So a solid that grows or bends pushes bodies as one that moves does.
#ifndef TLW_STEP_BODY_SHAPES_H
#define TLW_STEP_BODY_SHAPES_H

#include "step/bodies.h"

// The mesh that an obstacle's field was built from, in the space of the field.
tlwResult tlwCopyShape(const tlwBodies *bodies, const tlwSolid *solid, tlwMesh *mesh);

// A collider from the obstacle's present field.
tlwResult tlwRenewShape(const tlwBodies *bodies, const tlwSolid *solid, tlwBodyLink *link);
void tlwFreeShape(tlwBodyLink *link);

// Colliders from the present fields where there are new ones: of all, or only of those whose old field is gone.
tlwResult tlwRenewShapes(tlwBodies *bodies, const tlwSolids *solids, bool all);

// How the shapes change over the dt after `time`.
void tlwSetShapeDrifts(tlwBodies *bodies, const tlwSolids *solids, double time, double dt);

#endif
