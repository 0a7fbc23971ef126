#include "shape/sdf_sample.h"

#include "base/vec.h"
#include "shape/sdf_data.h"

#include <string.h>

typedef struct Sampler {
    const tlwSdf *sdf;
    float origin[3], inverse, limit[3];
    int64_t stride_y, stride_z; // of the block table
} Sampler;

static Sampler makeSampler(const tlwSdf *sdf)
{
    Sampler s = {.sdf = sdf,
                 .inverse = (float)(1 / sdf->voxel),
                 .stride_y = sdf->blocks[0],
                 .stride_z = (int64_t)sdf->blocks[0] * sdf->blocks[1]};
    for (int a = 0; a < 3; a++) {
        s.origin[a] = (float)sdf->origin[a];
        s.limit[a] = (float)(8 * sdf->blocks[a]);
    }
    return s;
}

// Data block of a position in voxels and the place in that block. Negative as in the table when there is no data. NaN
// counts as outside.
static inline int32_t locate(const Sampler *s, const float g[3], int *node, float f[3])
{
    if (!(g[0] >= 0 && g[1] >= 0 && g[2] >= 0 && g[0] < s->limit[0] && g[1] < s->limit[1] && g[2] < s->limit[2]))
        return TLW_SDF_OUTSIDE;
    int x = (int)g[0], y = (int)g[1], z = (int)g[2];
    f[0] = g[0] - (float)x;
    f[1] = g[1] - (float)y;
    f[2] = g[2] - (float)z;
    *node = (x & 7) + 9 * (y & 7) + 81 * (z & 7);
    return s->sdf->table[(x >> 3) + s->stride_y * (y >> 3) + s->stride_z * (z >> 3)];
}

static inline float mix(float a, float b, float t)
{
    return a + t * (b - a);
}

static inline float sampleAt(const Sampler *s, const float g[3])
{
    int node;
    float f[3];
    int32_t block = locate(s, g, &node, f);
    if (block < 0)
        return block == TLW_SDF_OUTSIDE ? s->sdf->exterior : -s->sdf->interior;
    const float *v = s->sdf->values + (int64_t)block * TLW_SDF_BLOCK + node;
    float y0 = mix(mix(v[0], v[1], f[0]), mix(v[9], v[10], f[0]), f[1]);
    float y1 = mix(mix(v[81], v[82], f[0]), mix(v[90], v[91], f[0]), f[1]);
    return mix(y0, y1, f[2]);
}

void tlwSampleSdf(const tlwSdf *sdf, const float *points, int64_t count, float *distance)
{
    Sampler s = makeSampler(sdf);
    for (int64_t i = 0; i < count; i++) {
        float g[3];
        for (int a = 0; a < 3; a++)
            g[a] = (points[3 * i + a] - s.origin[a]) * s.inverse;
        distance[i] = sampleAt(&s, g);
    }
}

static float sampleWithGradient(const Sampler *s, const float g[3], float gradient[3])
{
    int node;
    float f[3];
    int32_t block = locate(s, g, &node, f);
    if (block < 0) {
        memset(gradient, 0, 3 * sizeof *gradient);
        return block == TLW_SDF_OUTSIDE ? s->sdf->exterior : -s->sdf->interior;
    }
    const float *v = s->sdf->values + (int64_t)block * TLW_SDF_BLOCK + node;
    float x00 = mix(v[0], v[1], f[0]), x10 = mix(v[9], v[10], f[0]), x01 = mix(v[81], v[82], f[0]),
          x11 = mix(v[90], v[91], f[0]);
    float y0 = mix(x00, x10, f[1]), y1 = mix(x01, x11, f[1]);
    float dx0 = mix(v[1] - v[0], v[10] - v[9], f[1]), dx1 = mix(v[82] - v[81], v[91] - v[90], f[1]);
    gradient[0] = mix(dx0, dx1, f[2]) * s->inverse;
    gradient[1] = mix(x10 - x00, x11 - x01, f[2]) * s->inverse;
    gradient[2] = (y1 - y0) * s->inverse;
    return mix(y0, y1, f[2]);
}

void tlwSampleSdfGradient(const tlwSdf *sdf, const float *points, int64_t count, float *distance, float *gradient)
{
    Sampler s = makeSampler(sdf);
    for (int64_t i = 0; i < count; i++) {
        float g[3], slope[3];
        for (int a = 0; a < 3; a++)
            g[a] = (points[3 * i + a] - s.origin[a]) * s.inverse;
        float d = sampleWithGradient(&s, g, slope);
        if (distance)
            distance[i] = d;
        if (gradient)
            memcpy(gradient + 3 * i, slope, sizeof slope);
    }
}

// Weights of the corners at the point of triangle abc that is nearest to p (Ericson 2005, s5.1.5).
static void nearestOnTriangle(tlwVec3 p, tlwVec3 a, tlwVec3 b, tlwVec3 c, double w[3])
{
    tlwVec3 ab = tlwSub(b, a), ac = tlwSub(c, a), ap = tlwSub(p, a), bp = tlwSub(p, b), cp = tlwSub(p, c);
    double d1 = tlwDot(ab, ap), d2 = tlwDot(ac, ap), d3 = tlwDot(ab, bp), d4 = tlwDot(ac, bp), d5 = tlwDot(ab, cp),
           d6 = tlwDot(ac, cp);
    double vc = d1 * d4 - d3 * d2, vb = d5 * d2 - d1 * d6, va = d3 * d6 - d5 * d4;
    double u = 0, v = 0; // weights of b and c
    if (d1 <= 0 && d2 <= 0) {
        u = v = 0;
    } else if (d3 >= 0 && d4 <= d3) {
        u = 1;
    } else if (d6 >= 0 && d5 <= d6) {
        v = 1;
    } else if (vc <= 0 && d1 >= 0 && d3 <= 0) {
        u = d1 / (d1 - d3);
    } else if (vb <= 0 && d2 >= 0 && d6 <= 0) {
        v = d2 / (d2 - d6);
    } else if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
        v = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        u = 1 - v;
    } else {
        u = vb / (va + vb + vc);
        v = vc / (va + vb + vc);
    }
    w[0] = 1 - u - v;
    w[1] = u;
    w[2] = v;
}

static tlwVec3 load3(const float *array, int32_t index)
{
    const float *p = array + 3 * (int64_t)index;
    return (tlwVec3){p[0], p[1], p[2]};
}

// The nearest triangles of the eight nodes around a point are the candidates.
static void velocityAt(const Sampler *s, const float *vertex_velocity, const float *point, const float g[3],
                       float *velocity)
{
    static const int around[8] = {0, 1, 9, 10, 81, 82, 90, 91};
    const tlwMesh *mesh = &s->sdf->mesh;
    int node;
    float f[3];
    memset(velocity, 0, 3 * sizeof *velocity);
    int32_t block = locate(s, g, &node, f);
    if (block < 0 || !s->sdf->nearest)
        return;
    const int32_t *nearest = s->sdf->nearest + (int64_t)block * TLW_SDF_BLOCK + node;
    tlwVec3 p = {point[0], point[1], point[2]};
    double best = INFINITY;
    int32_t last = -1;
    for (int i = 0; i < 8; i++) {
        int32_t t = nearest[around[i]];
        if (t < 0 || t == last)
            continue;
        last = t;
        const int32_t *v = mesh->triangles + 3 * (int64_t)t;
        tlwVec3 c[3];
        double w[3];
        for (int k = 0; k < 3; k++)
            c[k] = load3(mesh->positions, v[k]);
        nearestOnTriangle(p, c[0], c[1], c[2], w);
        tlwVec3 q = tlwSub(tlwMulAdd(tlwMulAdd(tlwScale(c[0], w[0]), w[1], c[1]), w[2], c[2]), p);
        double d = tlwDot(q, q);
        if (d >= best)
            continue;
        best = d;
        for (int a = 0; a < 3; a++)
            velocity[a] =
                (float)(w[0] * vertex_velocity[3 * (int64_t)v[0] + a] + w[1] * vertex_velocity[3 * (int64_t)v[1] + a] +
                        w[2] * vertex_velocity[3 * (int64_t)v[2] + a]);
    }
}

void tlwSampleSdfVelocity(const tlwSdf *sdf, const float *vertex_velocity, const float *points, int64_t count,
                          float *velocity)
{
    Sampler s = makeSampler(sdf);
    for (int64_t i = 0; i < count; i++) {
        float g[3];
        for (int a = 0; a < 3; a++)
            g[a] = (points[3 * i + a] - s.origin[a]) * s.inverse;
        velocityAt(&s, vertex_velocity, points + 3 * i, g, velocity + 3 * i);
    }
}

// World lattice to voxels: g = base + i * step[0] + j * step[1] + k * step[2].
typedef struct Lattice {
    double base[3], step[3][3];
} Lattice;

static Lattice makeLattice(const tlwSdf *sdf, const tlwSdfFrame *frame, const tlwSdfNodes *nodes)
{
    tlwMat3 r = tlwQuatToMat3(frame->rotation); // its transpose goes from the world to the mesh
    tlwVec3 d = tlwSub(nodes->origin, frame->position);
    Lattice lattice;
    for (int a = 0; a < 3; a++) {
        double x = r.m[0][a] * d.x + r.m[1][a] * d.y + r.m[2][a] * d.z;
        lattice.base[a] = (x - sdf->origin[a]) / sdf->voxel;
        for (int axis = 0; axis < 3; axis++)
            lattice.step[axis][a] = r.m[axis][a] * nodes->spacing / sdf->voxel;
    }
    return lattice;
}

static void sampleNodes(const tlwSdf *sdf, const tlwSdfFrame *frame, const tlwSdfNodes *nodes, const int low[3],
                        const int high[3], bool unite, float *out)
{
    Sampler s = makeSampler(sdf);
    Lattice l = makeLattice(sdf, frame, nodes);
    float dx = (float)l.step[0][0], dy = (float)l.step[0][1], dz = (float)l.step[0][2];
    for (int k = low[2]; k < high[2]; k++)
        for (int j = low[1]; j < high[1]; j++) {
            float row[3];
            for (int a = 0; a < 3; a++)
                row[a] = (float)(l.base[a] + low[0] * l.step[0][a] + j * l.step[1][a] + k * l.step[2][a]);
            float *o = out + low[0] * nodes->stride[0] + j * nodes->stride[1] + k * nodes->stride[2];
            for (int i = 0; i < high[0] - low[0]; i++, o += nodes->stride[0]) {
                float t = (float)i;
                float d = sampleAt(&s, (float[3]){row[0] + t * dx, row[1] + t * dy, row[2] + t * dz});
                if (!unite || d < *o)
                    *o = d;
            }
        }
}

// The nodes that the solid's box may reach; false when there are none.
static bool clipNodes(const tlwSdf *sdf, const tlwSdfFrame *frame, const tlwSdfNodes *nodes, int low[3], int high[3])
{
    tlwVec3 a, b;
    tlwGetSdfWorldBounds(sdf, frame, &a, &b);
    tlwVec3 from = tlwScale(tlwSub(a, nodes->origin), 1 / nodes->spacing);
    tlwVec3 to = tlwScale(tlwSub(b, nodes->origin), 1 / nodes->spacing);
    double lows[3] = {from.x, from.y, from.z}, highs[3] = {to.x, to.y, to.z};
    bool any = true;
    for (int i = 0; i < 3; i++) {
        low[i] = (int)tlwClamp(floor(lows[i]), 0, nodes->dims[i]);
        high[i] = (int)tlwClamp(ceil(highs[i]) + 1, 0, nodes->dims[i]);
        any = any && low[i] < high[i];
    }
    return any;
}

void tlwRasterizeSdf(const tlwSdf *sdf, const tlwSdfFrame *frame, const tlwSdfNodes *nodes, float *out)
{
    int zero[3] = {0, 0, 0}, low[3], high[3];
    if (clipNodes(sdf, frame, nodes, low, high)) {
        sampleNodes(sdf, frame, nodes, zero, nodes->dims, false, out);
        return;
    }
    for (int k = 0; k < nodes->dims[2]; k++)
        for (int j = 0; j < nodes->dims[1]; j++)
            for (int i = 0; i < nodes->dims[0]; i++)
                out[i * nodes->stride[0] + j * nodes->stride[1] + k * nodes->stride[2]] = sdf->exterior;
}

void tlwUniteSdf(const tlwSdf *sdf, const tlwSdfFrame *frame, const tlwSdfNodes *nodes, float *out)
{
    int low[3], high[3];
    if (clipNodes(sdf, frame, nodes, low, high))
        sampleNodes(sdf, frame, nodes, low, high, true, out);
}
