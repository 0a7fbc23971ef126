#include "rigid/joint.h"

static tlwVec3 turnBack(const tlwBody *body, tlwVec3 v)
{
    return body ? tlwRotate(tlwQuatConjugate(body->rotation), v) : v;
}

tlwRigidJoint tlwMakeJoint(tlwJointKind kind, int index_a, const tlwBody *a, int index_b, const tlwBody *b,
                           tlwVec3 anchor, tlwVec3 axis)
{
    axis = tlwNormalize(axis);
    tlwQuat rotation_b = b ? b->rotation : (tlwQuat){1, 0, 0, 0};
    return (tlwRigidJoint){.kind = kind,
                           .body_a = index_a,
                           .body_b = b ? index_b : -1,
                           .anchor_a = tlwWorldToBody(a, anchor),
                           .anchor_b = b ? tlwWorldToBody(b, anchor) : anchor,
                           .axis_a = turnBack(a, axis),
                           .axis_b = turnBack(b, axis),
                           .relative = tlwQuatMul(tlwQuatConjugate(a->rotation), rotation_b),
                           .used = true};
}
