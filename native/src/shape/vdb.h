// OpenVDB files: grids of tiles out, what is in a file back in.
#ifndef TLW_SHAPE_VDB_H
#define TLW_SHAPE_VDB_H

#include "shape/tiles.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tlwVdbClass {
    TLW_VDB_LEVEL_SET = 0, // active where |value| < background; beyond that exactly +background or -background
    TLW_VDB_FOG = 1,       // active where the value is not the background
    TLW_VDB_UNKNOWN = 2    // the same, without a class
} tlwVdbClass;

typedef struct tlwVdbGrid {
    const char *name; // "surface"
    tlwVdbClass kind;
    int components; // 1: float, 3: vec3s
    tlwTileSource source;
    float background; // of all components; level sets: the band's half width in m. Tiles that are not listed have it
} tlwVdbGrid;

// Write the grids, all on the same tiles, into one file, all or nothing (base/file.h). Values that are not finite
// become the background. Blosc-compressed where the library has it.
tlwResult tlwWriteVdb(const char *path, const tlwTileSet *tiles, const tlwVdbGrid *grids, int grid_count,
                      tlwThreads *threads, tlwMessage *message);

// A file with one PointDataGrid, "particles": P, v (vec3s), temperature (float), id (int32). `voxel_size` groups the
// points.
tlwResult tlwWriteVdbPoints(const char *path, const tlwParticleView *particles, double voxel_size, tlwThreads *threads,
                            tlwMessage *message);

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

#ifdef __cplusplus
}
#endif

#endif
