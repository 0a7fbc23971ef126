// Reading mesh_*.ply files of a cache with all that their vertices carry.
#ifndef TLW_SHAPE_PLY_SURFACE_H
#define TLW_SHAPE_PLY_SURFACE_H

#include "shape/mesh.h"

enum { TLW_SURFACE_COLUMNS = 32, TLW_COLUMN_NAME = 64 };

typedef struct tlwPlySurface {
    tlwMesh mesh;
    int column_count; // numbers of a vertex beside its position
    char names[TLW_SURFACE_COLUMNS][TLW_COLUMN_NAME];
    float *columns;     // of all vertices one after the other, column by column
    tlwOrigin *origins; // one per vertex; null when the file has none
} tlwPlySurface;

// Plain or compact. TLW_BAD_FILE for anything but a whole file of Tallow. `surface` need not be initialised and is left
// empty on failure.
tlwResult tlwReadPlySurface(const char *path, tlwMessage *message, tlwPlySurface *surface);
void tlwFreePlySurface(tlwPlySurface *surface);

#endif
