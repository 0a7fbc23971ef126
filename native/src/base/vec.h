// Small vectors, quaternions and matrices in double precision.
#ifndef TLW_BASE_VEC_H
#define TLW_BASE_VEC_H

#include "tallow/tallow.h"

#include <math.h>

typedef struct tlwMat3 {
    double m[3][3]; // row, column
} tlwMat3;

static inline tlwVec3 tlwAdd(tlwVec3 a, tlwVec3 b)
{
    return (tlwVec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline tlwVec3 tlwSub(tlwVec3 a, tlwVec3 b)
{
    return (tlwVec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline tlwVec3 tlwScale(tlwVec3 a, double s)
{
    return (tlwVec3){a.x * s, a.y * s, a.z * s};
}

// a + s b
static inline tlwVec3 tlwMulAdd(tlwVec3 a, double s, tlwVec3 b)
{
    return (tlwVec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static inline double tlwDot(tlwVec3 a, tlwVec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline tlwVec3 tlwCross(tlwVec3 a, tlwVec3 b)
{
    return (tlwVec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline double tlwLength(tlwVec3 a)
{
    return sqrt(tlwDot(a, a));
}

static inline tlwVec3 tlwNormalize(tlwVec3 a)
{
    double length = tlwLength(a);
    return length > 0 ? tlwScale(a, 1 / length) : (tlwVec3){0, 0, 1};
}

static inline tlwVec3 tlwMin3(tlwVec3 a, tlwVec3 b)
{
    return (tlwVec3){fmin(a.x, b.x), fmin(a.y, b.y), fmin(a.z, b.z)};
}

static inline tlwVec3 tlwMax3(tlwVec3 a, tlwVec3 b)
{
    return (tlwVec3){fmax(a.x, b.x), fmax(a.y, b.y), fmax(a.z, b.z)};
}

static inline bool tlwIsFinite(tlwVec3 a)
{
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

static inline double tlwClamp(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

static inline tlwQuat tlwQuatMul(tlwQuat a, tlwQuat b)
{
    return (tlwQuat){a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                     a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

static inline tlwQuat tlwQuatConjugate(tlwQuat q)
{
    return (tlwQuat){q.w, -q.x, -q.y, -q.z};
}

static inline tlwQuat tlwQuatNormalize(tlwQuat q)
{
    double length = sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    if (!(length > 0))
        return (tlwQuat){1, 0, 0, 0};
    return (tlwQuat){q.w / length, q.x / length, q.y / length, q.z / length};
}

static inline tlwVec3 tlwRotate(tlwQuat q, tlwVec3 v)
{
    tlwVec3 u = {q.x, q.y, q.z};
    tlwVec3 t = tlwScale(tlwCross(u, v), 2);
    return tlwAdd(tlwMulAdd(v, q.w, t), tlwCross(u, t));
}

static inline tlwMat3 tlwQuatToMat3(tlwQuat q)
{
    tlwVec3 c0 = tlwRotate(q, (tlwVec3){1, 0, 0}), c1 = tlwRotate(q, (tlwVec3){0, 1, 0}),
            c2 = tlwRotate(q, (tlwVec3){0, 0, 1});
    return (tlwMat3){{{c0.x, c1.x, c2.x}, {c0.y, c1.y, c2.y}, {c0.z, c1.z, c2.z}}};
}

static inline tlwVec3 tlwMulMat3(tlwMat3 a, tlwVec3 v)
{
    return (tlwVec3){a.m[0][0] * v.x + a.m[0][1] * v.y + a.m[0][2] * v.z,
                     a.m[1][0] * v.x + a.m[1][1] * v.y + a.m[1][2] * v.z,
                     a.m[2][0] * v.x + a.m[2][1] * v.y + a.m[2][2] * v.z};
}

tlwMat3 tlwMat3Mul(tlwMat3 a, tlwMat3 b);
tlwMat3 tlwMat3Transpose(tlwMat3 a);
tlwMat3 tlwMat3Inverse(tlwMat3 a); // of a regular matrix
tlwQuat tlwSlerp(tlwQuat a, tlwQuat b, double t);
tlwQuat tlwQuatFromRotationVector(tlwVec3 axis_times_angle);
tlwVec3 tlwRotationVectorFromQuat(tlwQuat q);

#endif
