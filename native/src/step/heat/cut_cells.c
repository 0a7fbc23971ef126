#include "step/heat/cut_cells.h"

#include "step/obstacles/face_share.h"

#include <math.h>

#define LEAST_COSINE 1e-3 // of a wall's normal: the formulas below divide by cosines

tlwCutCells tlwMakeCutCells(const tlwFlow *flow)
{
    const tlwGrid *grid = &flow->grid;
    tlwCutCells cut = {.grid = grid,
                       .solid = tlwGetFloats(grid, flow->solid),
                       .nearest = (const int16_t *)grid->fields[flow->solid_object].data,
                       .strides = {1, grid->stride_y, grid->stride_z}};
    for (int a = 0; a < 3; a++)
        cut.open[a] = tlwGetFloats(grid, flow->open[a]);
    return cut;
}

// A node on a closed side of the domain knows only that side. The node in front of it stands for it.
static int64_t findNode(const tlwCutCells *cut, int64_t n, const int node[3])
{
    const int *dims = cut->grid->dims;
    if (cut->nearest[n] == TLW_WALL_OBJECT)
        for (int a = 0; a < 3; a++)
            n += node[a] <= 0 ? cut->strides[a] : node[a] >= dims[a] ? -cut->strides[a] : 0;
    return n;
}

static bool isAtSide(const tlwCutCells *cut, const int cell[3])
{
    const int *dims = cut->grid->dims;
    return cell[0] <= 0 || cell[1] <= 0 || cell[2] <= 0 || cell[0] >= dims[0] - 1 || cell[1] >= dims[1] - 1 ||
           cell[2] >= dims[2] - 1;
}

static void findNodes(const tlwCutCells *cut, int64_t c, const int cell[3], int64_t nodes[8])
{
    bool plain = !isAtSide(cut, cell);
    for (int q = 0; q < 8; q++) {
        int x = q & 1, y = q >> 1 & 1, z = q >> 2;
        int64_t n = c + x + y * cut->strides[1] + z * cut->strides[2];
        nodes[q] = plain ? n : findNode(cut, n, (int[3]){cell[0] + x, cell[1] + y, cell[2] + z});
    }
}

static void getNodes(const tlwCutCells *cut, int64_t c, const int cell[3], double d[8])
{
    int64_t nodes[8];
    findNodes(cut, c, cell, nodes);
    for (int q = 0; q < 8; q++)
        d[q] = cut->solid[nodes[q]];
}

int tlwFindCellObject(const tlwCutCells *cut, int64_t c, const int cell[3])
{
    int64_t nodes[8], best = -1;
    findNodes(cut, c, cell, nodes);
    for (int q = 0; q < 8; q++)
        if (cut->nearest[nodes[q]] >= 0 && (best < 0 || cut->solid[nodes[q]] < cut->solid[best]))
            best = nodes[q];
    return best < 0 ? -1 : cut->nearest[best];
}

// Mean distance to a plane of the part of a unit cube in front of it. The cube's centre lies `centre` in front of the
// plane, whose normal is n. With V(s) the volume of the part when the plane is moved back by s, the part's first moment
// of distance is the integral of V. V is a sum over the cube's corners (Scardovelli and Zaleski 2000).
static double getMiddle(double centre, const double n[3])
{
    double m[3], volume = 0, moment = 0;
    for (int a = 0; a < 3; a++)
        m[a] = fmax(fabs(n[a]), LEAST_COSINE);
    double depth = centre + 0.5 * (m[0] + m[1] + m[2]);
    if (depth <= 0)
        return 0;
    for (int q = 0; q < 8; q++) {
        double x = depth - (q & 1 ? m[0] : 0) - (q & 2 ? m[1] : 0) - (q & 4 ? m[2] : 0);
        double sign = (q ^ q >> 1 ^ q >> 2) & 1 ? -1 : 1;
        if (x > 0) {
            volume += sign * x * x * x / 6;
            moment += sign * x * x * x * x / 24;
        }
    }
    double least = 1e-4 * m[0] * m[1] * m[2];
    return volume > least ? moment / volume : 0.25 * depth; // as near a corner
}

tlwCellGap tlwGetCellGap(const tlwCutCells *cut, int64_t c, const int cell[3])
{
    double d[8], sum = 0, least = INFINITY, g[3] = {0, 0, 0}, scale = 1 / cut->grid->dx;
    getNodes(cut, c, cell, d);
    for (int q = 0; q < 8; q++) {
        sum += 0.125 * scale * d[q];
        least = fmin(least, d[q]);
        for (int a = 0; a < 3; a++)
            g[a] += q >> a & 1 ? d[q] : -d[q];
    }
    double length = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    if (least >= 0 || !(length > 0))
        return (tlwCellGap){sum, sum};
    for (int a = 0; a < 3; a++)
        g[a] /= length;
    return (tlwCellGap){getMiddle(sum, g), sum};
}

double tlwGetOpenFace(const tlwCutCells *cut, int64_t c, const int cell[3], int axis)
{
    double share = cut->open[axis][c];
    if (!isAtSide(cut, cell) || cell[axis] <= 0 || cell[axis] >= cut->grid->dims[axis])
        return share;
    float d[4];
    int u = (axis + 1) % 3, v = (axis + 2) % 3;
    for (int q = 0; q < 4; q++) { // in cyclic order
        int node[3] = {cell[0], cell[1], cell[2]}, x = q == 1 || q == 2, y = q >> 1;
        node[u] += x;
        node[v] += y;
        d[q] = cut->solid[findNode(cut, c + x * cut->strides[u] + y * cut->strides[v], node)];
    }
    return tlwGetFaceShare(d, (float)cut->grid->dx);
}

double tlwGetSolidArea(const tlwCutCells *cut, int64_t c, const int cell[3], double away[3])
{
    const int *dims = cut->grid->dims;
    double square = 0;
    for (int axis = 0; axis < 3; axis++) {
        int next[3] = {cell[0], cell[1], cell[2]};
        next[axis]++;
        double low = tlwGetOpenFace(cut, c, cell, axis), high = tlwGetOpenFace(cut, c + cut->strides[axis], next, axis);
        bool at_side = (cell[axis] <= 0 && low == 0) || (cell[axis] >= dims[axis] - 1 && high == 0);
        away[axis] = at_side ? 0 : high - low;
        square += away[axis] * away[axis];
    }
    return sqrt(square);
}

double tlwGetWallCosine(const tlwCutCells *cut, int64_t c, const int cell[3], int axis)
{
    double d[8], g[3] = {0, 0, 0};
    int lower[3] = {cell[0], cell[1], cell[2]};
    lower[axis]--;
    for (int side = 0; side < 2; side++) {
        getNodes(cut, side ? c : c - cut->strides[axis], side ? cell : lower, d);
        for (int q = 0; q < 8; q++)
            for (int a = 0; a < 3; a++)
                g[a] += q >> a & 1 ? d[q] : -d[q];
    }
    double length = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    return length > 0 ? g[axis] / length : 0;
}
