// PLY files: meshes in, surfaces and particles out (docs/scene-format.md).
#ifndef TLW_SHAPE_PLY_H
#define TLW_SHAPE_PLY_H

#include "shape/mesh.h"

// Read the triangles of a binary little-endian or ascii PLY file. Polygons become fans, properties and elements other
// than x y z and the faces' vertex lists are skipped. TLW_BAD_FILE with a sentence for anything that is missing, cut
// off or damaged; what a header claims is checked against the size of the file before memory is taken for it. `mesh`
// need not be initialised and is left empty on failure.
tlwResult tlwReadPlyMesh(const char *path, tlwMessage *message, tlwMesh *mesh);
// The same from memory; `name` appears in messages.
tlwResult tlwParsePlyMesh(const char *data, int64_t size, const char *name, tlwMessage *message, tlwMesh *mesh);

// Just x y z and triangles, binary little-endian.
tlwResult tlwWritePlyMesh(const char *path, const tlwMesh *mesh, tlwMessage *message);

// The cache's mesh_*.ply and particles_*.ply, all or nothing (base/file.h). Arrays that are null are written as zeros.
tlwResult tlwWritePlySurface(const char *path, const tlwSurfaceView *surface, tlwMessage *message);
tlwResult tlwWritePlyParticles(const char *path, const tlwParticleView *particles, tlwMessage *message);

typedef struct tlwPlyInfo {
    int64_t vertices, faces;
    bool has_velocity, has_temperature; // written by Tallow
} tlwPlyInfo;

// What the header says.
tlwResult tlwInspectPly(const char *path, tlwMessage *message, tlwPlyInfo *info);

#endif
