#include "step/obstacles/face_share.h"

#include "grid/sample.h"

#define SLIVER 0.02f // a smaller open share counts as closed: it passes little liquid and makes an ill-conditioned row

// Share of the segment between two distances that is outside. A distance of exactly zero is inside: a face that lies in
// the wall is closed.
static inline float openSegment(float a, float b)
{
    if (a > 0 && b > 0)
        return 1;
    if (a <= 0 && b <= 0)
        return 0;
    return a > 0 ? a / (a - b) : b / (b - a);
}

// Share of a square around its only corner with a > 0; b and d are next to it, c lies opposite. The bilinear zero line
// is straight for a plane. In the corner of a room it follows the sides, where a chord would cut off half the square.
static float openCorner(float a, float b, float c, float d)
{
    enum { STRIPS = 4 };
    float width = openSegment(a, b), sum = 0;
    for (int n = 0; n < STRIPS; n++) {
        float x = width * ((float)n + 0.5f) / STRIPS;
        float low = a + x * (b - a), high = d + x * (c - d);
        sum += low > 0 ? low / (low - (high < 0 ? high : 0)) : 0;
    }
    return width * sum / STRIPS;
}

float tlwGetOpenSquare(float a, float b, float c, float d)
{
    float v[4] = {a, b, c, d};
    int outside = 0;
    for (int n = 0; n < 4; n++)
        outside += v[n] > 0;
    if (outside == 0 || outside == 4)
        return outside ? 1 : 0;
    if (outside == 2 && (v[0] > 0) == (v[2] > 0)) { // two opposite corners outside: a triangle at each
        float s = 0;
        for (int n = 0; n < 4; n++)
            if (v[n] > 0)
                s += 0.5f * openSegment(v[n], v[(n + 1) & 3]) * openSegment(v[n], v[(n + 3) & 3]);
        return s;
    }
    if (outside == 2) {
        for (int n = 0; n < 4; n++)
            if (v[n] > 0 && v[(n + 1) & 3] > 0)
                return 0.5f * (openSegment(v[n], v[(n + 3) & 3]) + openSegment(v[(n + 1) & 3], v[(n + 2) & 3]));
    }
    for (int n = 0; n < 4; n++) {
        bool lone = (v[n] > 0) == (outside == 1);
        if (!lone)
            continue;
        float sign = outside == 1 ? 1 : -1;
        float share = openCorner(sign * v[n], sign * v[(n + 1) & 3], sign * v[(n + 2) & 3], sign * v[(n + 3) & 3]);
        return outside == 1 ? share : 1 - share;
    }
    return 1;
}

float tlwGetFaceShare(const float corner[4], float dx)
{
    float slack = 1e-4f * dx; // rounding must not open a face that lies in a wall
    float share = tlwGetOpenSquare(corner[0] - slack, corner[1] - slack, corner[2] - slack, corner[3] - slack);
    return share < SLIVER ? 0 : share > 1 - 1e-4f ? 1 : share;
}

float tlwGetPartsShare(const float *d, float dx)
{
    enum { PARTS = TLW_FACE_PARTS, NODES = PARTS + 1 };
    float slack = 1e-4f * dx, sum = 0;
    for (int j = 0; j < PARTS; j++)
        for (int i = 0; i < PARTS; i++) {
            const float *q = d + j * NODES + i;
            sum += tlwGetOpenSquare(q[0] - slack, q[1] - slack, q[NODES + 1] - slack, q[NODES] - slack);
        }
    float share = sum / (PARTS * PARTS);
    return share < SLIVER ? 0 : share > 1 - 1e-4f ? 1 : share;
}

float tlwSampleSolid(const tlwFlow *flow, const float p[3], float gradient[3])
{
    return tlwSampleGradient(&flow->grid, tlwGetFloats(&flow->grid, flow->solid), 0, p, gradient);
}

bool tlwIsCutBySides(const tlwGrid *grid, const float *solid, const int cell[3], float share[3])
{
    const int64_t stride[3] = {1, grid->stride_y, grid->stride_z};
    int beyond = 0; // corners with one of these bits are outside the domain
    for (int a = 0; a < 3; a++) {
        bool cut = tlwIsCutBySide(grid, a, cell[a]);
        if (cell[a] < 0 || cell[a] >= grid->dims[a])
            return false;
        share[a] = cut ? (float)(grid->extent[a] - cell[a]) : 1;
        beyond |= cut << a;
    }
    const float *corner = solid + tlwCellIndex(grid, cell[0], cell[1], cell[2]);
    for (int q = 0; q < 8 && beyond; q++)
        if (!(q & beyond) && corner[(q & 1) * stride[0] + (q >> 1 & 1) * stride[1] + (q >> 2) * stride[2]] < 0)
            return false;
    return beyond != 0;
}

float tlwGetSideShare(const tlwGrid *grid, const float *solid, int axis, const int cell[3])
{
    const int64_t stride[3] = {1, grid->stride_y, grid->stride_z};
    int u = (axis + 1) % 3, v = (axis + 2) % 3;
    bool over_u = tlwIsCutBySide(grid, u, cell[u]), over_v = tlwIsCutBySide(grid, v, cell[v]);
    if (!(over_u || over_v) || cell[u] < 0 || cell[u] >= grid->dims[u] || cell[v] < 0 || cell[v] >= grid->dims[v] ||
        cell[axis] <= 0 || cell[axis] > grid->extent[axis])
        return -1;
    const float *corner = solid + tlwCellIndex(grid, cell[0], cell[1], cell[2]);
    if (corner[0] < 0 || (!over_u && corner[stride[u]] < 0) || (!over_v && corner[stride[v]] < 0))
        return -1;
    double share = (over_u ? grid->extent[u] - cell[u] : 1) * (over_v ? grid->extent[v] - cell[v] : 1);
    return share < SLIVER ? 0 : (float)share;
}
