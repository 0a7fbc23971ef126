#include "grid/sample.h"

static void cubicWeights(float t, float w[4])
{
    w[0] = t * (-0.5f + t * (1.0f - 0.5f * t));
    w[1] = 1.0f + t * t * (-2.5f + 1.5f * t);
    w[2] = t * (0.5f + t * (2.0f - 1.5f * t));
    w[3] = t * t * (-0.5f + 0.5f * t);
}

float tlwSampleCubic(const tlwGrid *grid, const float *field, const float p[3])
{
    tlwStencil s = tlwFindStencil(grid, p[0], p[1], p[2], 0.5f, 0.5f, 0.5f);
    float wx[4], wy[4], wz[4], sum = 0;
    cubicWeights(s.f[0], wx);
    cubicWeights(s.f[1], wy);
    cubicWeights(s.f[2], wz);
    const float *v = field + s.index - 1 - grid->stride_y - grid->stride_z;
    for (int k = 0; k < 4; k++, v += grid->stride_z) {
        const float *row = v;
        float plane = 0;
        for (int j = 0; j < 4; j++, row += grid->stride_y)
            plane += wy[j] * (wx[0] * row[0] + wx[1] * row[1] + wx[2] * row[2] + wx[3] * row[3]);
        sum += wz[k] * plane;
    }
    return sum;
}
