// Interpolation at eight points at once, bit for bit what sample.h gives one by one. The loops run over lanes, so the
// compiler turns each into a few vector instructions where the machine has them.
#ifndef TLW_GRID_SAMPLE_LANES_H
#define TLW_GRID_SAMPLE_LANES_H

#include "grid/grid.h"

#include <stdbool.h>

#define TLW_LANES 8

// Indices are 32 bits wide here: with a larger window take the points one by one.
static inline bool tlwFitsLanes(const tlwGrid *grid)
{
    return grid->cell_count < INT32_MAX;
}

static inline __attribute__((always_inline)) void tlwSplitLanes(const tlwGrid *grid, int axis, const float x[TLW_LANES],
                                                                float offset, int32_t stride, int32_t index[TLW_LANES],
                                                                float f[TLW_LANES])
{
    const int min = grid->window_min[axis];
    const float low = (float)(min + 1), high = (float)(min + grid->window_size[axis] - 3);
    for (int l = 0; l < TLW_LANES; l++) {
        float p = x[l] - offset;
        p = p > low ? p : low;
        p = p < high ? p : high;
        int c = (int)p;
        c = p < (float)c ? c - 1 : c;
        f[l] = p - (float)c;
        index[l] = stride * (c - min);
    }
}

static inline __attribute__((always_inline)) void
tlwInterpolateLanes(const tlwGrid *grid, const float *field, const int32_t index[TLW_LANES], const float fx[TLW_LANES],
                    const float fy[TLW_LANES], const float fz[TLW_LANES], float out[TLW_LANES])
{
    const float *v0 = field, *v1 = field + 1, *v2 = field + grid->stride_y, *v3 = v2 + 1, *v4 = field + grid->stride_z,
                *v5 = v4 + 1, *v6 = v2 + grid->stride_z, *v7 = v6 + 1;
    for (int l = 0; l < TLW_LANES; l++) {
        int32_t i = index[l];
        float a = v0[i] + fz[l] * (v4[i] - v0[i]), b = v1[i] + fz[l] * (v5[i] - v1[i]);
        float c = v2[i] + fz[l] * (v6[i] - v2[i]), d = v3[i] + fz[l] * (v7[i] - v3[i]);
        a += fy[l] * (c - a);
        b += fy[l] * (d - b);
        out[l] = a + fx[l] * (b - a);
    }
}

// A field at nodes (offset 0) or cell centres (1/2) at eight points, p[axis][lane].
static inline __attribute__((always_inline)) void tlwSampleLanes(const tlwGrid *grid, const float *field, float offset,
                                                                 const float (*p)[TLW_LANES], float out[TLW_LANES])
{
    int32_t at[3][TLW_LANES], index[TLW_LANES];
    float f[3][TLW_LANES];
    const int32_t stride[3] = {1, (int32_t)grid->stride_y, (int32_t)grid->stride_z};
    for (int a = 0; a < 3; a++)
        tlwSplitLanes(grid, a, p[a], offset, stride[a], at[a], f[a]);
    for (int l = 0; l < TLW_LANES; l++)
        index[l] = at[0][l] + at[1][l] + at[2][l];
    tlwInterpolateLanes(grid, field, index, f[0], f[1], f[2], out);
}

// Velocity at eight points, p[axis][lane].
static inline __attribute__((always_inline)) void
tlwSampleVelocityLanes(const tlwGrid *grid, float *const field[3], const float (*p)[TLW_LANES], float (*out)[TLW_LANES])
{
    int32_t whole[3][TLW_LANES], half[3][TLW_LANES], index[TLW_LANES];
    float whole_f[3][TLW_LANES], half_f[3][TLW_LANES];
    const int32_t stride[3] = {1, (int32_t)grid->stride_y, (int32_t)grid->stride_z};
    for (int a = 0; a < 3; a++) {
        tlwSplitLanes(grid, a, p[a], 0, stride[a], whole[a], whole_f[a]);
        tlwSplitLanes(grid, a, p[a], 0.5f, stride[a], half[a], half_f[a]);
    }
    for (int l = 0; l < TLW_LANES; l++)
        index[l] = whole[0][l] + half[1][l] + half[2][l];
    tlwInterpolateLanes(grid, field[0], index, whole_f[0], half_f[1], half_f[2], out[0]);
    for (int l = 0; l < TLW_LANES; l++)
        index[l] = half[0][l] + whole[1][l] + half[2][l];
    tlwInterpolateLanes(grid, field[1], index, half_f[0], whole_f[1], half_f[2], out[1]);
    for (int l = 0; l < TLW_LANES; l++)
        index[l] = half[0][l] + half[1][l] + whole[2][l];
    tlwInterpolateLanes(grid, field[2], index, half_f[0], half_f[1], whole_f[2], out[2]);
}

#endif
