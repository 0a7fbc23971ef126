#include "rigid/body.h"

tlwBody tlwDefaultBody(void)
{
    return (tlwBody){.mass = 1,
                     .inertia = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
                     .rotation = {1, 0, 0, 0},
                     .next_rotation = {1, 0, 0, 0},
                     .gravity_scale = 1,
                     .friction = 0.5,
                     .used = true};
}

tlwVec3 tlwGetBodyOrigin(const tlwBody *body)
{
    return tlwBodyToWorld(body, (tlwVec3){0, 0, 0});
}

void tlwPlaceBody(tlwBody *body, tlwVec3 origin, tlwQuat rotation)
{
    body->rotation = tlwQuatNormalize(rotation);
    body->position = tlwAdd(origin, tlwRotate(body->rotation, body->centre));
}

tlwVec3 tlwWorldToBody(const tlwBody *body, tlwVec3 world)
{
    return tlwAdd(body->centre, tlwRotate(tlwQuatConjugate(body->rotation), tlwSub(world, body->position)));
}

tlwVec3 tlwBodyToWorld(const tlwBody *body, tlwVec3 local)
{
    return tlwAdd(body->position, tlwRotate(body->rotation, tlwSub(local, body->centre)));
}

tlwVec3 tlwGetSurfaceDrift(const tlwBody *body, double elapsed, tlwVec3 world)
{
    tlwVec3 v = {0, 0, 0};
    if (!body->drift.sample)
        return v;
    tlwVec3 local = tlwWorldToBody(body, world);
    body->drift.sample(body->drift.user, &local, 1, &v);
    if (elapsed > 0) { // look up the point where this one was when the collider was exact
        local = tlwMulAdd(local, -elapsed, v);
        body->drift.sample(body->drift.user, &local, 1, &v);
    }
    return tlwRotate(body->rotation, v);
}

tlwMat3 tlwRotateMat3(tlwQuat rotation, tlwMat3 m)
{
    tlwMat3 r = tlwQuatToMat3(rotation);
    return tlwMat3Mul(tlwMat3Mul(r, m), tlwMat3Transpose(r));
}

static tlwVec3 mulInBody(tlwQuat q, const tlwMat3 *m, tlwVec3 v)
{
    return tlwRotate(q, tlwMulMat3(*m, tlwRotate(tlwQuatConjugate(q), v)));
}

// The spin w of the whole step solves w = I^-1 L, with the inertia I at the pose after half a step of w.
static void turnOnce(tlwQuat *q, tlwVec3 momentum, tlwVec3 *spin, const tlwMat3 *inertia,
                     const tlwMat3 *inverse_inertia, double dt)
{
    tlwVec3 w = *spin;
    for (int i = 0; i < 30; i++) {
        tlwQuat middle = tlwQuatMul(tlwQuatFromRotationVector(tlwScale(w, 0.5 * dt)), *q);
        tlwVec3 next = mulInBody(middle, inverse_inertia, momentum);
        double change = tlwLength(tlwSub(next, w));
        w = next;
        if (change <= 1e-15 * tlwLength(w))
            break;
    }
    *q = tlwQuatNormalize(tlwQuatMul(tlwQuatFromRotationVector(tlwScale(w, dt)), *q));
    w = mulInBody(*q, inverse_inertia, momentum);
    // Inertia times its inverse is not exactly one. The error would add up over thousands of steps, so correct it.
    tlwVec3 lost = tlwSub(momentum, mulInBody(*q, inertia, w));
    *spin = tlwAdd(w, mulInBody(*q, inverse_inertia, lost));
}

void tlwIntegrateRotation(tlwQuat *rotation, tlwVec3 *spin, const tlwMat3 *inertia, const tlwMat3 *inverse_inertia,
                          double dt)
{
    double angle = tlwLength(*spin) * dt;
    if (angle == 0)
        return;
    // The fixed-point iteration may not converge for turns beyond about half a radian.
    int parts = angle > 0.4 ? (int)fmin(ceil(angle / 0.4), 64) : 1;
    tlwVec3 momentum = mulInBody(*rotation, inertia, *spin);
    for (int i = 0; i < parts; i++)
        turnOnce(rotation, momentum, spin, inertia, inverse_inertia, dt / parts);
}
