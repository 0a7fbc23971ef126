// Reading PLY meshes. Every number in the file is doubted: nothing is allocated or looped over that the bytes which are
// there cannot fill.
#ifndef TLW_SHAPE_PLY_READ_H
#define TLW_SHAPE_PLY_READ_H

#include "shape/mesh.h"
#include "shape/ply.h"

// Read the triangles of a binary little-endian or ascii PLY file. Polygons become fans, properties and elements other
// than x y z and the faces' vertex lists are skipped. TLW_BAD_FILE with a sentence for anything that is missing, cut
// off or damaged; what a header claims is checked against the size of the file before memory is taken for it. `mesh`
// need not be initialised and is left empty on failure.
tlwResult tlwReadPlyMesh(const char *path, tlwMessage *message, tlwMesh *mesh);
// The same from memory; `name` appears in messages.
tlwResult tlwParsePlyMesh(const char *data, int64_t size, const char *name, tlwMessage *message, tlwMesh *mesh);

// What the header says.
tlwResult tlwInspectPly(const char *path, tlwMessage *message, tlwPlyInfo *info);

#endif
