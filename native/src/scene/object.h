// Objects of a scene: copies of what their Defs hold.
#ifndef TLW_SCENE_OBJECT_H
#define TLW_SCENE_OBJECT_H

#include "scene/scene.h"

// Box of an object's mesh in world space at a time.
void tlwGetObjectBounds(const tlwObject *object, double time, tlwVec3 *low, tlwVec3 *high);

void tlwFreeObject(tlwObject *object);

// A copy of the keys with unit rotations and simulated times. Null when memory is out.
tlwKey *tlwCopyKeys(const tlwScene *scene, const tlwKey *keys, int count);

#endif
