// The files of a cache folder by name. Nothing else in the folder is ever touched.
#ifndef TLW_CACHE_FOLDER_H
#define TLW_CACHE_FOLDER_H

#include "base/result.h"

typedef enum tlwCacheKind {
    TLW_CACHE_SURFACE,   // surface/surface_000001.vdb
    TLW_CACHE_MESH,      // mesh/mesh_000001.ply
    TLW_CACHE_PARTICLES, // particles/particles_000001.ply
    TLW_CACHE_RIGID,     // rigid/rigid_000001.json
    TLW_CACHE_STATE,     // state/state_000001.tlw
    TLW_CACHE_KINDS
} tlwCacheKind;

// `path` takes PATH_MAX bytes. False when the folder's path is too long.
bool tlwGetCachePath(const char *folder, tlwCacheKind kind, int frame, char *path);
bool tlwGetIndexPath(const char *folder, char *path); // bake.json

// Make the folder and one subfolder per kind. TLW_WRITE_FAILED when that is impossible.
tlwResult tlwMakeCacheFolders(const char *folder, tlwMessage *message);

// Two bakes into one folder would mix their frames: fails when somebody has the lock. `*lock` is a file to close, or
// -1.
tlwResult tlwLockCacheFolder(const char *folder, tlwMessage *message, int *lock);

// Frames that have a file of this kind, in descending order; free with tlwFree. An unreadable folder has none.
tlwResult tlwListCacheFrames(const char *folder, tlwCacheKind kind, tlwMessage *message, int **frames, int *count);

// Whether to delete a frame's files.
typedef bool tlwFrameFilter(const void *user, int frame);

// Deletes the files of a kind whose frame the filter picks, and every temporary file that a killed bake left behind.
void tlwDeleteCacheFiles(const char *folder, tlwCacheKind kind, tlwFrameFilter *filter, const void *user);

#endif
