// Deforming solids of a scene folder: one numbered PLY file per frame.
#ifndef TLW_SCENE_DEFORM_H
#define TLW_SCENE_DEFORM_H

#include "scene/scene.h"

// `pattern` is a file in `folder` with one %d or %06d in its name. Takes copies; reads nothing yet.
tlwResult tlwOpenDeformFiles(tlwContext *context, const char *object, const char *folder, const char *pattern,
                             int first, int last, tlwDeformFiles **files);
void tlwFreeDeformFiles(tlwDeformFiles *files);

// A tlwDeformFn; `files` is a tlwDeformFiles. Frames before the first and after the last hold still. The mesh lives
// until the next call.
tlwResult tlwReadDeformFrame(void *files, int frame, tlwMeshData *mesh);

// Reads and hashes all files. A missing file is thus reported before the bake starts.
tlwResult tlwHashDeformFiles(tlwDeformFiles *files);

// Hash of the files up to that frame. Call tlwHashDeformFiles first.
uint64_t tlwGetDeformHash(const tlwDeformFiles *files, int last_frame);

#endif
