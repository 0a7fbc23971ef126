// Reading the contents of a VDB file.
#ifndef TLW_SHAPE_VDB_READ_H
#define TLW_SHAPE_VDB_READ_H

#include "base/result.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tlwVdbInfo {
    char name[64];
    char type[64]; // "float", "vec3s", "ptdataidx32"
    char kind[32]; // "level set", "fog volume", "unknown", ...
    int64_t active_voxels;
    int32_t low[3], high[3]; // box of active voxels, inclusive; high < low when there are none
    double voxel_size;
    tlwVec3 origin;          // world position of the centre of voxel (0, 0, 0)
    double minimum, maximum; // of active values; of the length for vectors; 0 for points
    int64_t points;          // of point grids
} tlwVdbInfo;

// List the grids of a file. `*count` says how many there are, at most `capacity` are described.
tlwResult tlwInspectVdb(const char *path, tlwMessage *message, tlwVdbInfo *infos, int capacity, int *count);

// Values of a float grid at voxels (3 indices each), active or not. For tests and `tallow info`.
tlwResult tlwSampleVdb(const char *path, const char *grid, const int32_t *voxels, int64_t count, tlwMessage *message,
                       float *values);

// Liquid cells of a frame's file that the plane across `axis` at `place` (m) goes through: TLW_SLICE_NUMBERS each
// (tlwReadSlice). `*count` says how many there are, at most `capacity` are written.
tlwResult tlwReadVdbSlice(const char *path, int axis, double place, tlwMessage *message, float *cells, int64_t capacity,
                          int64_t *count);

#ifdef __cplusplus
}
#endif

#endif
