// Reads materials and keys from JSON.
#ifndef TLW_SCENE_LOAD_MATERIAL_H
#define TLW_SCENE_LOAD_MATERIAL_H

#include "scene/json.h"
#include "scene/material.h"

// A material's members on top of the defaults. The name lives as long as the JSON.
tlwResult tlwReadMaterial(const tlwJson *json, tlwMaterialDef *def);

// A list of keys; missing members repeat the previous key. `*keys` is the caller's to free, also after a failure.
tlwResult tlwReadKeys(const tlwJson *object, tlwKey **keys, int *count);

#endif
