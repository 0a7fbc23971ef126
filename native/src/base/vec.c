#include "base/vec.h"

tlwMat3 tlwMat3Mul(tlwMat3 a, tlwMat3 b)
{
    tlwMat3 c;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            c.m[i][j] = a.m[i][0] * b.m[0][j] + a.m[i][1] * b.m[1][j] + a.m[i][2] * b.m[2][j];
    return c;
}

tlwMat3 tlwMat3Transpose(tlwMat3 a)
{
    tlwMat3 t;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            t.m[i][j] = a.m[j][i];
    return t;
}

tlwMat3 tlwMat3Inverse(tlwMat3 a)
{
    tlwVec3 r0 = {a.m[0][0], a.m[0][1], a.m[0][2]}, r1 = {a.m[1][0], a.m[1][1], a.m[1][2]},
            r2 = {a.m[2][0], a.m[2][1], a.m[2][2]};
    tlwVec3 c0 = tlwCross(r1, r2), c1 = tlwCross(r2, r0), c2 = tlwCross(r0, r1);
    double s = 1 / tlwDot(r0, c0);
    return (tlwMat3){{{c0.x * s, c1.x * s, c2.x * s}, {c0.y * s, c1.y * s, c2.y * s}, {c0.z * s, c1.z * s, c2.z * s}}};
}

tlwQuat tlwSlerp(tlwQuat a, tlwQuat b, double t)
{
    double dot = a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z;
    double sign = dot < 0 ? -1 : 1;
    double angle = acos(tlwClamp(fabs(dot), 0, 1));
    double wa = 1 - t, wb = t;
    if (angle > 1e-6) {
        wa = sin((1 - t) * angle) / sin(angle);
        wb = sin(t * angle) / sin(angle);
    }
    wb *= sign;
    return tlwQuatNormalize(
        (tlwQuat){wa * a.w + wb * b.w, wa * a.x + wb * b.x, wa * a.y + wb * b.y, wa * a.z + wb * b.z});
}

tlwQuat tlwQuatFromRotationVector(tlwVec3 v)
{
    double angle = tlwLength(v);
    if (angle < 1e-12)
        return tlwQuatNormalize((tlwQuat){1, v.x / 2, v.y / 2, v.z / 2});
    double s = sin(angle / 2) / angle;
    return (tlwQuat){cos(angle / 2), v.x * s, v.y * s, v.z * s};
}

tlwVec3 tlwRotationVectorFromQuat(tlwQuat q)
{
    if (q.w < 0)
        q = (tlwQuat){-q.w, -q.x, -q.y, -q.z};
    tlwVec3 v = {q.x, q.y, q.z};
    double s = tlwLength(v);
    if (s < 1e-12)
        return tlwScale(v, 2);
    return tlwScale(v, 2 * atan2(s, q.w) / s);
}
