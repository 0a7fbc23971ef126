// The compact form of the cache's PLY files (docs/scene-format.md): the same header, then every property as a column of
// its own, packed with zlib. Positions of meshes stay exact. Attributes and particles are kept to 16 bits of the range
// that they have in the file.
#ifndef TLW_SHAPE_PLY_COMPACT_H
#define TLW_SHAPE_PLY_COMPACT_H

#include "base/result.h"

#include <stdint.h>

// As tlwWritePlySurface and tlwWritePlyParticles.
tlwResult tlwWriteCompactSurface(const char *path, const tlwSurfaceView *surface, tlwMessage *message);
tlwResult tlwWriteCompactParticles(const char *path, const tlwParticleView *particles, tlwMessage *message);

bool tlwIsCompactPly(const char *data, int64_t size);

// The same file as a plain binary PLY, in memory that the caller frees with tlwFree. `name` appears in messages.
tlwResult tlwUnpackPly(const char *data, int64_t size, const char *name, tlwMessage *message, char **plain,
                       int64_t *plain_size);

#endif
