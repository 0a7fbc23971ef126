// The open shares of faces and cells: what obstacles do not cover, from the distances at the nodes (flow->solid).
#ifndef TLW_STEP_OBSTACLES_FACE_SHARE_H
#define TLW_STEP_OBSTACLES_FACE_SHARE_H

#include "step/fields/flow.h"

// Share of a square outside obstacles, from the distances at its corners in cyclic order. Exact for straight cuts.
float tlwGetOpenSquare(float a, float b, float c, float d);

// Share of a face outside obstacles, from the distances at its corners in cyclic order. A share below SLIVER becomes 0.
float tlwGetFaceShare(const float corner[4], float dx);

// The same from distances at (TLW_FACE_PARTS + 1)^2 points of the face, row after row.
#define TLW_FACE_PARTS 4
float tlwGetPartsShare(const float *distances, float dx);

// Distance in m from a point (in cells) to the nearest obstacle or closed wall, and its gradient per cell.
float tlwSampleSolid(const tlwFlow *flow, const float p[3], float gradient[3]);

// Whether an upper side of the domain passes through a cell: the cell is the last one along the axis, and not whole.
static inline bool tlwIsCutBySide(const tlwGrid *grid, int axis, int cell)
{
    return cell == grid->dims[axis] - 1 && grid->extent[axis] < grid->dims[axis];
}

// Whether upper sides of the domain pass through a cell and no solid does. Distances interpolated between nodes round
// the edges of such a room off; share[a], what the sides leave of the cell along each axis, does not.
bool tlwIsCutBySides(const tlwGrid *grid, const float *solid, const int cell[3], float share[3]);

// Share of the face below a cell along an axis that upper sides of the domain leave open, where no solid cuts the face.
// Negative for faces that sides do not cut, or not alone.
float tlwGetSideShare(const tlwGrid *grid, const float *solid, int axis, const int cell[3]);

// Distance of a cell's centre to solids, from its nodes; m.
static inline float tlwGetCentreSolid(const tlwGrid *grid, const float *solid, int64_t cell)
{
    int64_t sy = grid->stride_y, sz = grid->stride_z;
    const float *s = solid + cell;
    return 0.125f * ((s[0] + s[1] + s[sy] + s[sy + 1]) + (s[sz] + s[sz + 1] + s[sy + sz] + s[sy + sz + 1]));
}

// The node whose solid_object names the solid that covers a face: the deepest of the face's corners and of the nodes
// one cell to either side. The face's own corners are not enough: where two solids meet, a corner may name the other
// solid.
static inline int64_t tlwFindDeepestNode(const tlwGrid *grid, const float *solid, int axis, int64_t face)
{
    const int64_t stride[3] = {1, grid->stride_y, grid->stride_z};
    const int64_t b = stride[(axis + 1) % 3], c = stride[(axis + 2) % 3];
    int64_t deepest = face;
    for (int n = 1; n < 12; n++) {
        int64_t node = face + (n & 1 ? b : 0) + (n & 2 ? c : 0) + (n < 4 ? 0 : n < 8 ? -stride[axis] : stride[axis]);
        if (solid[node] < solid[deepest])
            deepest = node;
    }
    return deepest;
}

#endif
