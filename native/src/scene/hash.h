// The scene hash covers everything that a result depends on, number by number. So neither the order of members in
// scene.json nor padding in a struct changes the hash.
#ifndef TLW_SCENE_HASH_H
#define TLW_SCENE_HASH_H

#include "tallow/tallow.h"

#include <stdint.h>

// 64 bits over everything that the result up to `last_frame` depends on. The hash excludes the name, the choice of
// output files, the scene's own last frame, and keys and deforming meshes after `last_frame`.
uint64_t tlwHashScene(const tlwScene *scene, int last_frame);

// The parts of a scene that a checkpoint holds. A bake that goes on from a checkpoint needs the same ones; all else may
// change.
typedef enum tlwScenePart {
    TLW_PART_DOMAIN, // box, cells, frame rate, how liquid moves
    TLW_PART_MATERIALS,
    TLW_PART_OBJECTS, // names, roles, meshes, weights
    TLW_PART_STARTS,  // how wax, liquids and bodies start
    TLW_PART_JOINTS,
    TLW_PART_PLACES, // where solids are at the frame, and its simulated time
    TLW_PART_COUNT
} tlwScenePart;

// A hash of each part, for a checkpoint of `frame`.
void tlwHashParts(const tlwScene *scene, int frame, uint64_t parts[TLW_PART_COUNT]);

#endif
