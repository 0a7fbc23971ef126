// Bodies from meshes: collider from the mesh's distance field, mass from its volume.
#ifndef TLW_RIGID_SDF_COLLIDER_H
#define TLW_RIGID_SDF_COLLIDER_H

#include "rigid/body.h"
#include "shape/sdf.h"

// `sdf` was made from `mesh` and must outlive the collider; the mesh is only read. `target` is the wanted number of
// surface balls, 0 = 1000. Make fields for colliders with
// - interior_band 1e30, so that bodies pushed into each other find the way out, and
// - exterior_band at least 3 times the largest voxel of all bodies, so that the field of a fine body reaches the balls
//   of a coarse one (see tlwCollider.band).
tlwResult tlwCreateSdfCollider(const tlwSdf *sdf, const tlwMesh *mesh, int target, tlwCollider **collider,
                               tlwMessage *message);

// Mass, centre of mass and inertia of the solid that a closed mesh encloses. `mass` 0 = `density` times the volume.
// Refuses, by body->name, meshes without volume and numbers that are not above 0.
tlwResult tlwSetBodyMass(tlwBody *body, const tlwMesh *mesh, double density, double mass, tlwMessage *message);

#endif
