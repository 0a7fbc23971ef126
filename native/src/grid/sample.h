// Interpolation on the grid. Coordinates are domain cells: the centre of cell (i, j, k) is at (i, j, k) + 1/2.
// Points outside the window are moved to its border, so a stray point reads something finite, never memory beyond.
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

static inline tlwStencil tlwFindStencil(const tlwGrid *grid, float x, float y, float z, float ox, float oy, float oz)
{
    tlwStencil s;
    float p[3] = {x - ox, y - oy, z - oz};
    int c[3];
    for (int a = 0; a < 3; a++) {
        float low = (float)(grid->window_min[a] + 1), high = (float)(grid->window_min[a] + grid->window_size[a] - 2);
        p[a] = p[a] > low ? p[a] : low; // also catches a NaN
        p[a] = p[a] < high ? p[a] : high;
        c[a] = tlwFastFloor(p[a]);
        s.f[a] = p[a] - (float)c[a];
    }
    s.index = tlwCellIndex(grid, c[0], c[1], c[2]);
    return s;
}

static inline float tlwInterpolate(const tlwGrid *grid, const float *field, tlwStencil s)
{
    const float *v = field + s.index;
    int64_t sy = grid->stride_y, sz = grid->stride_z;
    float a = v[0] + s.f[0] * (v[1] - v[0]), b = v[sy] + s.f[0] * (v[sy + 1] - v[sy]);
    float c = v[sz] + s.f[0] * (v[sz + 1] - v[sz]), d = v[sy + sz] + s.f[0] * (v[sy + sz + 1] - v[sy + sz]);
    float e = a + s.f[1] * (b - a), f = c + s.f[1] * (d - c);
    return e + s.f[2] * (f - e);
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
    for (int a = 0; a < 3; a++)
        out[a] = tlwSampleFace(grid, field[a], a, p);
}

// Value and gradient (per cell) of a field at cell centres (offset 1/2) or nodes (offset 0).
float tlwSampleGradient(const tlwGrid *grid, const float *field, float offset, const float p[3], float gradient[3]);

// Catmull-Rom interpolation of a field at cell centres; follows a curved level set better than trilinear.
float tlwSampleCubic(const tlwGrid *grid, const float *field, const float p[3]);

#endif
