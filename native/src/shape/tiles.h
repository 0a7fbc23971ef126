// Sparse grids as the mesher and the VDB writer read them: a list of tiles of 8 x 8 x 8 cells and, for every grid, the
// place of a tile's values. The data stays in its owner's layout.
#ifndef TLW_SHAPE_TILES_H
#define TLW_SHAPE_TILES_H

#include "base/result.h"
#include "grid/grid.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tlwTileSet {
    const int32_t *first_cells; // 3 per tile: index of its first cell, multiples of 8, may be negative; no tile twice
    int64_t count;
    double cell_size; // m
    tlwVec3 origin;   // world position of the CENTRE of cell (0, 0, 0)
    // Cells outside [clip_low, clip_high) are air whatever the tiles hold, and a level set is cut flat on that border.
    // All zero: no clipping.
    int32_t clip_low[3], clip_high[3];
    double clip_beyond[3]; // cells that the border lies beyond the upper faces of these cells, within half a cell
} tlwTileSet;

// Write a tile's values: cell (x, y, z) goes to values[(x + 8 y + 64 z) * components]. Called from several threads at
// once.
typedef void tlwTileFn(void *user, int64_t tile, float *values);

// One grid's values: either `fill`, or a field and where in it each tile's first value lies.
typedef struct tlwTileSource {
    tlwTileFn *fill; // used when not null
    void *user;
    const float *field;
    const int64_t *bases; // one per tile, in floats; negative = every cell of the tile has the value `inside`
    int64_t stride_x, stride_y, stride_z; // floats between neighbouring cells
    float inside;                         // minus the background of a level set
} tlwTileSource;

// Fetch one tile in the layout of tlwTileFn, `components` floats per cell.
void tlwFetchTile(const tlwTileSource *source, int64_t tile, int components, float *values);

struct tlwGrid;

// The active tiles of a simulation grid, clipped to its domain, and the bases for fields of that grid. Arrays to be
// freed with tlwFreeGridTiles.
typedef struct tlwGridTiles {
    tlwTileSet set;
    int32_t *first_cells;
    int64_t *bases;
} tlwGridTiles;

// Clip a list of tiles to a grid's domain.
void tlwClipTiles(const struct tlwGrid *grid, tlwTileSet *set);

tlwResult tlwListGridTiles(const struct tlwGrid *grid, tlwMessage *message, tlwGridTiles *tiles);
void tlwFreeGridTiles(tlwGridTiles *tiles);

// Source for a plain cell-centred field of that grid.
tlwTileSource tlwMakeGridSource(const struct tlwGrid *grid, const tlwGridTiles *tiles, const float *field);

#ifdef __cplusplus
}
#endif

#endif
