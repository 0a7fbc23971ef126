// The scene hash: what a result depends on, number by number, so that neither the order of members in scene.json nor
// padding in a struct counts.
#ifndef TLW_SCENE_HASH_H
#define TLW_SCENE_HASH_H

#include "tallow/tallow.h"

#include <stdint.h>

// 64 bits over everything that the result up to `last_frame` depends on: not the name, what is written to disk, the
// scene's own last frame, or what keys and deforming meshes do after `last_frame`.
uint64_t tlwHashScene(const tlwScene *scene, int last_frame);

#endif
