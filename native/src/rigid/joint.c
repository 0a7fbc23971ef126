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

void tlwMeasureJoint(const tlwRigidJoint *joint, const tlwBody *a, const tlwBody *b, double *gap, double *angle)
{
    tlwVec3 at_a = tlwBodyToWorld(a, joint->anchor_a), at_b = b ? tlwBodyToWorld(b, joint->anchor_b) : joint->anchor_b;
    tlwVec3 axis_a = tlwRotate(a->rotation, joint->axis_a);
    tlwVec3 axis_b = b ? tlwRotate(b->rotation, joint->axis_b) : joint->axis_b;
    tlwQuat want = tlwQuatMul(a->rotation, joint->relative), is = b ? b->rotation : (tlwQuat){1, 0, 0, 0};
    tlwVec3 d = tlwSub(at_b, at_a);
    bool rail_b = !b || b->motion != TLW_MOTION_DYNAMIC || (a->motion == TLW_MOTION_DYNAMIC && b->mass > a->mass);
    tlwVec3 rail = rail_b ? axis_b : axis_a;
    if (joint->kind == TLW_JOINT_SLIDER)
        d = tlwMulAdd(d, -tlwDot(d, rail), rail);
    *gap = tlwLength(d);
    *angle = 0;
    if (joint->kind == TLW_JOINT_HINGE)
        *angle = atan2(tlwLength(tlwCross(axis_a, axis_b)), tlwDot(axis_a, axis_b));
    else if (joint->kind != TLW_JOINT_BALL)
        *angle = tlwLength(tlwRotationVectorFromQuat(tlwQuatMul(is, tlwQuatConjugate(want))));
}
