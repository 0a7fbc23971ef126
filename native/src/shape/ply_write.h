// Writing PLY files: fixed-size binary rows, so that numpy reads an element with one call.
#ifndef TLW_SHAPE_PLY_WRITE_H
#define TLW_SHAPE_PLY_WRITE_H

#include "base/result.h"

// The cache's mesh_*.ply and particles_*.ply, all or nothing (base/file.h). Arrays that are null are written as zeros.
tlwResult tlwWritePlySurface(const char *path, const tlwSurfaceView *surface, tlwMessage *message);
tlwResult tlwWritePlyParticles(const char *path, const tlwParticleView *particles, tlwMessage *message);

#endif
