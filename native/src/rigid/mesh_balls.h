// Surface balls for a mesh: on its corners first, then along sharp edges, then evenly over the rest.
#ifndef TLW_RIGID_MESH_BALLS_H
#define TLW_RIGID_MESH_BALLS_H

#include "rigid/collider.h"

tlwBallDef tlwDefaultBallDef(void); // automatic spacing and inset, 1000 balls

// Any distance field, exact to `band`, with balls placed on the corners, edges and faces of the mesh it was made from.
// `user` must outlive the collider; the mesh is only read. Cost: a few field samples per ball, plus sorting the mesh's
// vertices.
tlwResult tlwCreateFieldCollider(tlwSampleDistanceFn *sample, const void *user, double band, const tlwMeshData *mesh,
                                 const tlwBallDef *def, tlwCollider **collider, tlwMessage *message);

#endif
