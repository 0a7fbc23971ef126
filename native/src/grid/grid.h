// The sparse grid. Cells are cubes of side dx; dims[0] x dims[1] x dims[2] of them cover the domain, numbered from its
// minimum corner. Work and memory follow the active tiles (8^3 cells), not the domain:
//
// - A *window* is a box of tiles around the active ones, with at least one inactive tile on every side. Every field has
//   one value per window cell in plain x-fastest order, so a neighbour is `index +- 1`, `+- stride_y`, `+- stride_z`
//   and needs no look-up. The memory is virtual: pages of the window that are never written cost nothing.
// - Loops visit the active tiles only, in an order that depends on the set of tiles and nothing else.
// - Outside the active tiles every field holds its background value; stages write to active tiles only. So a stencil
//   may read one tile beyond what is active.
//
// Velocity components are staggered: u[index(i, j, k)] lives on the face between cells i - 1 and i.
// The window of a set of tiles may depend on earlier windows; no result may depend on the window.
#ifndef TLW_GRID_GRID_H
#define TLW_GRID_GRID_H

#include "base/parallel.h"
#include "tallow/tallow.h"

#include <stdbool.h>
#include <stddef.h>

#define TLW_TILE 8
#define TLW_TILE_CELLS (TLW_TILE * TLW_TILE * TLW_TILE)
#define TLW_MAX_FIELDS 96

typedef struct tlwTile {
    int cell[3];  // domain coordinates of the first cell, multiples of 8
    int64_t base; // window index of the first cell
} tlwTile;

typedef struct tlwFieldSlot {
    void *data;
    size_t element; // bytes per cell; 0 = the slot is unused
    unsigned char background[8];
    bool keep; // contents of tiles that stay active survive a change of tiles
    bool borrowed;
    bool scratch;
} tlwFieldSlot;

typedef struct tlwGrid {
    double dx;
    tlwVec3 origin; // world position of the minimum corner of cell (0, 0, 0)
    int dims[3];
    double extent[3]; // cells from the origin to the domain's upper sides: more than dims - 1, at most dims

    int window_min[3];  // domain coordinates of the window's first cell, multiples of 8
    int window_size[3]; // cells, multiples of 8; 0 before the first activation
    int64_t stride_y, stride_z, cell_count;

    tlwTile *tiles; // active, sorted by z, y, x
    int tile_count;
    int *tile_lookup;    // window tile -> index into tiles, or -1
    uint8_t *tile_state; // window tile -> untouched, clean or active (see grid.c)
    int *color_tiles;    // tile indices grouped by parity: tiles of one colour never touch
    int color_start[9];

    tlwFieldSlot fields[TLW_MAX_FIELDS];
    int field_count;
} tlwGrid;

void tlwInitGrid(tlwGrid *grid, tlwVec3 origin, const int dims[3], double dx);
void tlwFreeGrid(tlwGrid *grid);

// Make `coords` (tile coordinates = cell / 8 rounded down, any order, repeats allowed) the active tiles.
// Kept fields keep what they held on tiles that stay; every other cell of a newly active tile has the background value.
tlwResult tlwActivateTiles(tlwThreads *threads, tlwGrid *grid, const int (*coords)[3], int count);

// Add a field for the grid's whole life. `background` points to one element. Returns a slot number, -1 when memory is
// out.
int tlwAddField(tlwGrid *grid, size_t element, const void *background, bool keep);

// A scratch field with background zero; its contents inside the active tiles are unspecified. Give it back after use.
int tlwBorrowField(tlwGrid *grid, size_t element);
void tlwReturnField(tlwGrid *grid, int slot);

// Zero borrowed fields by giving their memory back to the system. The fields stay borrowed. Slots of -1 are skipped.
void tlwReleaseFields(tlwThreads *threads, tlwGrid *grid, const int *slots, int count);
// The same for all scratch fields of `element` bytes per cell that nobody has borrowed; 0 = of any size.
void tlwReleaseScratch(tlwThreads *threads, tlwGrid *grid, size_t element);

static inline float *tlwGetFloats(const tlwGrid *grid, int slot)
{
    return (float *)grid->fields[slot].data;
}

static inline double *tlwGetDoubles(const tlwGrid *grid, int slot)
{
    return (double *)grid->fields[slot].data;
}

static inline uint8_t *tlwGetBytes(const tlwGrid *grid, int slot)
{
    return (uint8_t *)grid->fields[slot].data;
}

static inline int32_t *tlwGetInts(const tlwGrid *grid, int slot)
{
    return (int32_t *)grid->fields[slot].data;
}

// Window index of the cell with domain coordinates i, j, k.
static inline int64_t tlwCellIndex(const tlwGrid *grid, int i, int j, int k)
{
    return (i - grid->window_min[0]) + grid->stride_y * (j - grid->window_min[1]) +
           grid->stride_z * (k - grid->window_min[2]);
}

typedef struct tlwCellPlace {
    int cell[3]; // domain coordinates
} tlwCellPlace;

// The cell at a window index.
static inline tlwCellPlace tlwGetCellPlace(const tlwGrid *grid, int64_t index)
{
    return (tlwCellPlace){{grid->window_min[0] + (int)(index % grid->stride_y),
                           grid->window_min[1] + (int)(index % grid->stride_z / grid->stride_y),
                           grid->window_min[2] + (int)(index / grid->stride_z)}};
}

static inline bool tlwInWindow(const tlwGrid *grid, int i, int j, int k)
{
    return i >= grid->window_min[0] && i < grid->window_min[0] + grid->window_size[0] && j >= grid->window_min[1] &&
           j < grid->window_min[1] + grid->window_size[1] && k >= grid->window_min[2] &&
           k < grid->window_min[2] + grid->window_size[2];
}

// The last cell along an axis whose centre is inside the domain.
static inline int tlwGetLastCell(const tlwGrid *grid, int axis)
{
    return grid->dims[axis] - (grid->extent[axis] > grid->dims[axis] - 0.5 ? 1 : 2);
}

static inline int tlwFloorDiv(int a, int b)
{
    return a >= 0 ? a / b : -((-a + b - 1) / b);
}

// Index into grid->tiles of the tile with these tile coordinates, -1 when it is not active.
int tlwFindTile(const tlwGrid *grid, int ti, int tj, int tk);

// Visit the 64 rows of a tile: `row` is the window index of a row's first cell, j and k its domain coordinates.
#define TLW_FOR_ROWS(grid, tile, j, k, row)                                                                            \
    for (int k = (tile)->cell[2], k##_end = k + TLW_TILE; k < k##_end; k++)                                            \
        for (int64_t j = (tile)->cell[1], j##_end = j + TLW_TILE,                                                      \
                     row = (tile)->base + (grid)->stride_z * (k - (tile)->cell[2]);                                    \
             j < j##_end; j++, row += (grid)->stride_y)

// Tiles in a parallel block: enough work to pay for handing a block to a thread.
#define TLW_TILE_BLOCK 4

// Fill a field's active tiles with one float.
void tlwFillFloats(tlwThreads *threads, const tlwGrid *grid, float *field, float value);

// Copy a field's active tiles to another field.
void tlwCopyFloats(tlwThreads *threads, const tlwGrid *grid, const float *from, float *to);

#endif
