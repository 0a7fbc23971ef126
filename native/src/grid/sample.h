// Interpolation on the grid. Coordinates are domain cells: the centre of cell (i, j, k) is at (i, j, k) + 1/2.
// Points outside the window are moved to its border, so a stray point never reads memory beyond the field.
#ifndef TLW_GRID_SAMPLE_H
#define TLW_GRID_SAMPLE_H

#include "grid/grid.h"

// Lower corner and weights of the 2x2x2 values around a point, for values that sit at integer + offset.
typedef struct tlwStencil {
    int64_t index;
    float f[3]; // position between the lower and the upper value, 0..1
} tlwStencil;

static inline int tlwFastFloor(float x)
{
    int i = (int)x;
    return i - (x < (float)i);
}

// Where a point lies along each axis, for values at whole (0) and half (1/2) coordinates. Found once per point and used
// for every component and field.
typedef struct tlwPlace {
    int64_t whole[3], half[3]; // offsets in the window
    float whole_f[3], half_f[3];
} tlwPlace;

// Lower neighbour and fraction of a coordinate, clamped to the window.
static inline int tlwSplitCoordinate(const tlwGrid *grid, int axis, float x, float *f)
{
    float low = (float)(grid->window_min[axis] + 1),
          high = (float)(grid->window_min[axis] + grid->window_size[axis] - 3);
    x = x > low ? x : low; // also catches a NaN
    x = x < high ? x : high;
    int c = tlwFastFloor(x);
    *f = x - (float)c;
    return c - grid->window_min[axis];
}

static inline tlwStencil tlwFindStencil(const tlwGrid *grid, float x, float y, float z, float ox, float oy, float oz)
{
    tlwStencil s;
    s.index = tlwSplitCoordinate(grid, 0, x - ox, &s.f[0]);
    s.index += grid->stride_y * tlwSplitCoordinate(grid, 1, y - oy, &s.f[1]);
    s.index += grid->stride_z * tlwSplitCoordinate(grid, 2, z - oz, &s.f[2]);
    return s;
}

static inline tlwPlace tlwFindPlace(const tlwGrid *grid, const float p[3])
{
    const int64_t stride[3] = {1, grid->stride_y, grid->stride_z};
    tlwPlace place;
    for (int a = 0; a < 3; a++) {
        place.whole[a] = stride[a] * tlwSplitCoordinate(grid, a, p[a], &place.whole_f[a]);
        place.half[a] = stride[a] * tlwSplitCoordinate(grid, a, p[a] - 0.5f, &place.half_f[a]);
    }
    return place;
}

// Stencil of one staggered component; `axis` 3 is the cell centres.
static inline tlwStencil tlwPlaceStencil(const tlwPlace *place, int axis)
{
    tlwStencil s = {.index = 0};
    for (int a = 0; a < 3; a++) {
        s.index += a == axis ? place->whole[a] : place->half[a];
        s.f[a] = a == axis ? place->whole_f[a] : place->half_f[a];
    }
    return s;
}

// The four corners of a square, x fastest. On machines without vector registers the compiler splits the operations.
typedef float tlwFloat4 __attribute__((vector_size(16)));

static inline tlwFloat4 tlwLoadSquare(const float *v, int64_t sy)
{
    return (tlwFloat4){v[0], v[1], v[sy], v[sy + 1]};
}

// Along z first, four pairs at once, then two along y, then x.
static inline float tlwInterpolate(const tlwGrid *grid, const float *field, tlwStencil s)
{
    const float *v = field + s.index;
    tlwFloat4 low = tlwLoadSquare(v, grid->stride_y), high = tlwLoadSquare(v + grid->stride_z, grid->stride_y);
    tlwFloat4 q = low + s.f[2] * (high - low), upper = __builtin_shufflevector(q, q, 2, 3, 2, 3);
    q += s.f[1] * (upper - q);
    return q[0] + s.f[0] * (q[1] - q[0]);
}

// The value and its gradient, per cell.
static inline float tlwInterpolateGradient(const tlwGrid *grid, const float *field, tlwStencil s, float gradient[3])
{
    const float *v = field + s.index;
    float x = s.f[0], y = s.f[1];
    tlwFloat4 low = tlwLoadSquare(v, grid->stride_y), high = tlwLoadSquare(v + grid->stride_z, grid->stride_y);
    tlwFloat4 rise = high - low, q = low + s.f[2] * rise;
    tlwFloat4 back = __builtin_shufflevector(q, q, 2, 3, 2, 3), slope = back - q, line = q + y * slope;
    tlwFloat4 climb = rise + y * (__builtin_shufflevector(rise, rise, 2, 3, 2, 3) - rise);
    gradient[0] = line[1] - line[0];
    gradient[1] = slope[0] + x * (slope[1] - slope[0]);
    gradient[2] = climb[0] + x * (climb[1] - climb[0]);
    return line[0] + x * gradient[0];
}

// A field at cell centres.
static inline float tlwSampleCentre(const tlwGrid *grid, const float *field, const float p[3])
{
    return tlwInterpolate(grid, field, tlwFindStencil(grid, p[0], p[1], p[2], 0.5f, 0.5f, 0.5f));
}

// A field at nodes (lower corners of cells).
static inline float tlwSampleNode(const tlwGrid *grid, const float *field, const float p[3])
{
    return tlwInterpolate(grid, field, tlwFindStencil(grid, p[0], p[1], p[2], 0, 0, 0));
}

// One staggered component.
static inline float tlwSampleFace(const tlwGrid *grid, const float *field, int axis, const float p[3])
{
    return tlwInterpolate(
        grid, field,
        tlwFindStencil(grid, p[0], p[1], p[2], axis == 0 ? 0 : 0.5f, axis == 1 ? 0 : 0.5f, axis == 2 ? 0 : 0.5f));
}

static inline void tlwSampleVelocity(const tlwGrid *grid, float *const field[3], const float p[3], float out[3])
{
    tlwPlace place = tlwFindPlace(grid, p);
    for (int a = 0; a < 3; a++)
        out[a] = tlwInterpolate(grid, field[a], tlwPlaceStencil(&place, a));
}

// Value and gradient (per cell) of a field at cell centres (offset 1/2) or nodes (offset 0).
static inline float tlwSampleGradient(const tlwGrid *grid, const float *field, float offset, const float p[3],
                                      float gradient[3])
{
    return tlwInterpolateGradient(grid, field, tlwFindStencil(grid, p[0], p[1], p[2], offset, offset, offset),
                                  gradient);
}

// Catmull-Rom interpolation of a field at cell centres; follows a curved level set better than trilinear.
float tlwSampleCubic(const tlwGrid *grid, const float *field, const float p[3]);

#endif
