#include "grid/sample.h"

float tlwSampleGradient(const tlwGrid *grid, const float *field, float offset, const float p[3], float g[3])
{
    tlwStencil s = tlwFindStencil(grid, p[0], p[1], p[2], offset, offset, offset);
    const float *v = field + s.index;
    int64_t sy = grid->stride_y, sz = grid->stride_z;
    float x = s.f[0], y = s.f[1], z = s.f[2];
    float v0 = v[0], v1 = v[1], v2 = v[sy], v3 = v[sy + 1], v4 = v[sz], v5 = v[sz + 1], v6 = v[sy + sz],
          v7 = v[sy + sz + 1];
    g[0] = (1 - z) * ((1 - y) * (v1 - v0) + y * (v3 - v2)) + z * ((1 - y) * (v5 - v4) + y * (v7 - v6));
    g[1] = (1 - z) * ((1 - x) * (v2 - v0) + x * (v3 - v1)) + z * ((1 - x) * (v6 - v4) + x * (v7 - v5));
    g[2] = (1 - y) * ((1 - x) * (v4 - v0) + x * (v5 - v1)) + y * ((1 - x) * (v6 - v2) + x * (v7 - v3));
    return tlwInterpolate(grid, field, s);
}

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
