// Reads objects, forces and joints from JSON.
#ifndef TLW_SCENE_LOAD_OBJECT_H
#define TLW_SCENE_LOAD_OBJECT_H

#include "scene/json.h"

// The lists `objects`, `forces` and `joints` of a scene.
tlwResult tlwReadObjects(const tlwJson *root, const char *folder, tlwScene *scene);
tlwResult tlwReadForces(const tlwJson *root, tlwScene *scene);
tlwResult tlwReadJoints(const tlwJson *root, tlwScene *scene);

// Joins a file name from a scene to the scene's folder. Fails when the result would lie outside the folder. `path` must
// hold PATH_MAX bytes.
tlwResult tlwJoinScenePath(const tlwJson *value, const char *folder, const char *file, char *path);

#endif
