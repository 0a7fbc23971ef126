// Values at the centres of a cell's eight octants. Bits 0, 1, 2 of an octant's number say that it is the upper half
// along x, y, z.
#ifndef TLW_STEP_FIELDS_OCTANTS_H
#define TLW_STEP_FIELDS_OCTANTS_H

#include <stdint.h>

enum { TLW_OCTANTS = 8 };

static inline float tlwLean(float near, float far)
{
    return 0.75f * near + 0.25f * far;
}

// Trilinear values at the centres of a cell's octants, axis by axis, from the 27 cells around.
static inline void tlwOctantsFromCells(const int64_t stride[3], const float *field, int64_t at, float out[TLW_OCTANTS])
{
    float x[3][3][2], y[3][2][2];
    for (int k = 0; k < 3; k++)
        for (int j = 0; j < 3; j++) {
            const float *f = field + at + (j - 1) * stride[1] + (k - 1) * stride[2];
            x[k][j][0] = tlwLean(f[0], f[-1]);
            x[k][j][1] = tlwLean(f[0], f[1]);
        }
    for (int k = 0; k < 3; k++)
        for (int b = 0; b < 2; b++)
            for (int a = 0; a < 2; a++)
                y[k][b][a] = tlwLean(x[k][1][a], x[k][2 * b][a]);
    for (int o = 0; o < TLW_OCTANTS; o++)
        out[o] = tlwLean(y[1][o >> 1 & 1][o & 1], y[o >> 2 ? 2 : 0][o >> 1 & 1][o & 1]);
}

// The same from the cell's eight corners.
static inline void tlwOctantsFromNodes(const int64_t stride[3], const float *field, int64_t at, float out[TLW_OCTANTS])
{
    float x[2][2][2], y[2][2][2];
    for (int k = 0; k < 2; k++)
        for (int j = 0; j < 2; j++) {
            const float *f = field + at + j * stride[1] + k * stride[2];
            x[k][j][0] = tlwLean(f[0], f[1]);
            x[k][j][1] = tlwLean(f[1], f[0]);
        }
    for (int k = 0; k < 2; k++)
        for (int b = 0; b < 2; b++)
            for (int a = 0; a < 2; a++)
                y[k][b][a] = tlwLean(x[k][b][a], x[k][1 - b][a]);
    for (int o = 0; o < TLW_OCTANTS; o++)
        out[o] = tlwLean(y[o >> 2][o >> 1 & 1][o & 1], y[1 - (o >> 2)][o >> 1 & 1][o & 1]);
}

#endif
