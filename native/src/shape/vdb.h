// OpenVDB files: grids of tiles out. shape/vdb_read.h reads them back, shape/vdb_points.h writes points.
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

#ifdef __cplusplus
}
#endif

#endif
