// The scene hash covers everything that a result depends on, number by number. So neither the order of members in
// scene.json nor padding in a struct changes the hash.
#ifndef TLW_SCENE_HASH_H
#define TLW_SCENE_HASH_H

#include "tallow/tallow.h"

#include <stdint.h>

// 64 bits over everything that the result up to `last_frame` depends on. The hash excludes the name, the choice of
// output files, the scene's own last frame, and keys and deforming meshes after `last_frame`.
uint64_t tlwHashScene(const tlwScene *scene, int last_frame);

#endif
