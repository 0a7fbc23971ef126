// Reading PLY meshes. Numbers in the file are not trusted: no allocation and no loop is larger than the bytes of the
// file can fill.
#ifndef TLW_SHAPE_PLY_READ_H
#define TLW_SHAPE_PLY_READ_H

#include "shape/mesh.h"
#include "shape/ply.h"

// Read the triangles of a binary little-endian or ascii PLY file. Polygons become fans. Only x y z and the faces'
// vertex lists are read; other properties and elements are skipped. TLW_BAD_FILE with a sentence for anything missing,
// cut off or damaged. `mesh` need not be initialised and is left empty on failure.
tlwResult tlwReadPlyMesh(const char *path, tlwMessage *message, tlwMesh *mesh);
// The same from memory; `name` appears in messages.
tlwResult tlwParsePlyMesh(const char *data, int64_t size, const char *name, tlwMessage *message, tlwMesh *mesh);

// Reads only the header.
tlwResult tlwInspectPly(const char *path, tlwMessage *message, tlwPlyInfo *info);

#endif
