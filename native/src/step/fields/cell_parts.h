// How much of a cell lies inside a shape, from distances (in cells) at its centre and its neighbours'.
#ifndef TLW_STEP_FIELDS_CELL_PARTS_H
#define TLW_STEP_FIELDS_CELL_PARTS_H

#include <math.h>

enum { TLW_CELL_SIDE = 4, TLW_CELL_PARTS = TLW_CELL_SIDE * TLW_CELL_SIDE * TLW_CELL_SIDE };

// Distances at the centres of a cell and its 26 neighbours, [z][y][x].
typedef struct tlwAround {
    float d[3][3][3];
} tlwAround;

// Interpolate along one axis, from the centres of three cells to the centres of the middle cell's parts. These lie 1/8
// and 3/8 of a cell to either side of its centre.
static inline void tlwRefineLine(float low, float centre, float high, float out[TLW_CELL_SIDE])
{
    out[0] = low + 0.625f * (centre - low);
    out[1] = low + 0.875f * (centre - low);
    out[2] = centre + 0.125f * (high - centre);
    out[3] = centre + 0.375f * (high - centre);
}

// Distances at the centres of a cell's parts, x fastest. Interpolates along z, y and x in turn, as tlwSampleCentre
// does: the result is the same to the last bit, at a third of the work.
static inline void tlwRefineCell(const tlwAround *around, float parts[TLW_CELL_PARTS])
{
    float along_z[3][3][TLW_CELL_SIDE], along_y[3][TLW_CELL_SIDE];
    for (int q = 0; q < 9; q++)
        tlwRefineLine(around->d[0][q / 3][q % 3], around->d[1][q / 3][q % 3], around->d[2][q / 3][q % 3],
                      along_z[q / 3][q % 3]);
    for (int z = 0; z < TLW_CELL_SIDE; z++) {
        for (int x = 0; x < 3; x++)
            tlwRefineLine(along_z[0][x][z], along_z[1][x][z], along_z[2][x][z], along_y[x]);
        for (int y = 0; y < TLW_CELL_SIDE; y++)
            tlwRefineLine(along_y[0][y], along_y[1][y], along_y[2][y], parts + TLW_CELL_SIDE * (y + TLW_CELL_SIDE * z));
    }
}

// Share of a cell inside the shape moved outwards by `shift` cells.
static inline float tlwGetInsideShare(const float parts[TLW_CELL_PARTS], float shift)
{
    float sum = 0;
    for (int n = 0; n < TLW_CELL_PARTS; n++) {
        float x = 0.5f - TLW_CELL_SIDE * (parts[n] - shift);
        sum += x < 0 ? 0 : x > 1 ? 1 : x;
    }
    return sum / TLW_CELL_PARTS;
}

// Distance in cells from a cell's centre to a plane that leaves this share of the cell inside. The share is a mean
// weighted by a tent two cells wide.
static inline float tlwGetPlaneDistance(float share)
{
    if (share < 0.5f)
        return 1 - sqrtf(2 * (share > 0 ? share : 0));
    return sqrtf(2 * (1 - (share < 1 ? share : 1))) - 1;
}

#endif
