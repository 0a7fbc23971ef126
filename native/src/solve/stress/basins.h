// The first half of finding stiff parts: cutting the liquid into basins.
#ifndef TLW_SOLVE_STRESS_BASINS_H
#define TLW_SOLVE_STRESS_BASINS_H

#include "grid/grid.h"

enum { TLW_STIFF_CLASSES = 5, TLW_SMALLEST_PART = 10 }; // cells

typedef struct tlwBasins {
    const tlwGrid *grid;
    const float *c;                 // stiffness of cells
    float limit[TLW_STIFF_CLASSES]; // of c, rising
    uint8_t *class;                 // per cell: the number of limits that its c exceeds
    uint8_t *depth;                 // per cell: cells to the surface of its class, at most 6
    uint8_t *before;                // scratch of the same size; the pointers swap between passes
    int16_t *basin;                 // per cell: 0 = in no basin
    int count;
} tlwBasins;

// Fills class, depth and basin from `grid`, `c` and `limit`; makes at most `most` basins. `basin` is zero on entry.
//
// Flooding begins with the stiffest and deepest cells and goes on to softer and shallower ones. At each level the
// flooded cells form connected components. A component without a basin becomes a new one. A component with one basin
// joins that basin. Several basins in one component share its new cells.
tlwResult tlwFindBasins(tlwThreads *threads, tlwBasins *basins, int most);

// Whether all eight cells of a row are in this basin. Most rows are in one basin, which allows a shortcut.
static inline bool tlwIsRowOf(const int16_t *row, int basin)
{
    int differs = 0;
    for (int i = 0; i < TLW_TILE; i++)
        differs |= row[i] ^ basin;
    return !differs;
}

#endif
