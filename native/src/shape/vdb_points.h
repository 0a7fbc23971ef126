// Particles as an OpenVDB point grid.
#ifndef TLW_SHAPE_VDB_POINTS_H
#define TLW_SHAPE_VDB_POINTS_H

#include "base/parallel.h"
#include "base/result.h"

#ifdef __cplusplus
extern "C" {
#endif

// A file with one PointDataGrid, "particles": P, v (vec3s), temperature (float), mass (float), id (int32). `voxel_size`
// groups the points.
tlwResult tlwWriteVdbPoints(const char *path, const tlwParticleView *particles, double voxel_size, tlwThreads *threads,
                            tlwMessage *message);

#ifdef __cplusplus
}
#endif

#endif
