// Parts of the scene folder reader.
#ifndef TLW_SCENE_LOAD_H
#define TLW_SCENE_LOAD_H

#include "scene/json.h"
#include "scene/scene.h"

// A material's members on top of the defaults. The name lives as long as the JSON.
tlwResult tlwReadMaterial(const tlwJson *json, tlwMaterialDef *def);

// A file of presets/materials. Free with tlwFreeMaterial.
tlwResult tlwLoadMaterial(tlwContext *context, const char *path, tlwMaterial *material);

// A list of keys; missing members repeat the previous key. `*keys` is the caller's to free, also after a failure.
tlwResult tlwReadKeys(const tlwJson *object, tlwKey **keys, int *count);

// The lists `objects`, `forces` and `joints` of a scene.
tlwResult tlwReadObjects(const tlwJson *root, const char *folder, tlwScene *scene);
tlwResult tlwReadForces(const tlwJson *root, tlwScene *scene);
tlwResult tlwReadJoints(const tlwJson *root, tlwScene *scene);

// Joins a file named by a scene to its folder; refuses what leads out of it. `path` must hold PATH_MAX bytes.
tlwResult tlwJoinScenePath(const tlwJson *value, const char *folder, const char *file, char *path);

#endif
