// The first half of finding stiff parts: the liquid cut into basins.
#ifndef TLW_SOLVE_STRESS_BASINS_H
#define TLW_SOLVE_STRESS_BASINS_H

#include "grid/grid.h"

enum { TLW_STIFF_CLASSES = 5, TLW_SMALLEST_PART = 10 }; // cells

typedef struct tlwBasins {
    const tlwGrid *grid;
    const float *c;                 // stiffness of cells
    float limit[TLW_STIFF_CLASSES]; // of c
    uint8_t *class;                 // per cell: limits it exceeds
    uint8_t *depth;                 // per cell: cells below the surface of its class, as far as that is of interest
    uint8_t *before;                // as large, for what is on the way; changes places with depth
    int16_t *basin;                 // per cell: 0 = in none
    int count;
} tlwBasins;

// From `grid`, `c` and `limit` to classes, depths and basins, at most `most`. `basin` is zero on entry.
//
// Flooding begins with the stiffest and deepest cells and goes on to softer and shallower ones. What hangs together at
// a level is a new basin, grows a basin that it touches, or is shared among those that meet in it.
tlwResult tlwFindBasins(tlwThreads *threads, tlwBasins *basins, int most);

// Whether the eight cells of a row are all of one basin: most rows are, and are dealt with at once.
static inline bool tlwIsRowOf(const int16_t *row, int basin)
{
    int differs = 0;
    for (int i = 0; i < TLW_TILE; i++)
        differs |= row[i] ^ basin;
    return !differs;
}

#endif
