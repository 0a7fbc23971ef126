#include "rigid/joint_solver.h"

#include "rigid/solver.h"

static tlwVec3 anchorInCluster(const tlwSolver *solver, const tlwBody *bodies, int body, tlwVec3 anchor)
{
    if (body < 0)
        return anchor;
    tlwVec3 from_centre = tlwSub(anchor, bodies[body].centre);
    return tlwAdd(solver->body_offset[body], tlwRotate(solver->body_rotation[body], from_centre));
}

static tlwQuat rotationInCluster(const tlwSolver *solver, int body)
{
    return body < 0 ? (tlwQuat){1, 0, 0, 0} : solver->body_rotation[body];
}

void tlwSetupJoints(tlwSolver *solver, const tlwBody *bodies, const tlwRigidJoint *joints, int joint_count,
                    const tlwSolverTuning *tuning, double h, double warm_scale)
{
    solver->joint_count = 0;
    for (int i = 0; i < joint_count; i++) {
        const tlwRigidJoint *j = &joints[i];
        if (!j->used || j->kind == TLW_JOINT_FIXED)
            continue;
        tlwJointRow row = {.joint = i, .kind = j->kind, .a = solver->cluster_of[j->body_a]};
        row.b = j->body_b < 0 ? 0 : solver->cluster_of[j->body_b];
        if (row.a == row.b || (solver->clusters[row.a].inverse_mass == 0 && solver->clusters[row.b].inverse_mass == 0))
            continue;
        row.local_a = anchorInCluster(solver, bodies, j->body_a, j->anchor_a);
        row.local_b = anchorInCluster(solver, bodies, j->body_b, j->anchor_b);
        tlwQuat turn_a = rotationInCluster(solver, j->body_a), turn_b = rotationInCluster(solver, j->body_b);
        row.axis_a = tlwRotate(turn_a, j->axis_a);
        row.axis_b = tlwRotate(turn_b, j->axis_b);
        row.turn_a = tlwQuatMul(turn_a, j->relative);
        row.turn_b = turn_b;
        row.rail_b = solver->clusters[row.b].inverse_mass < solver->clusters[row.a].inverse_mass;
        row.softness = tlwMakeSoftness(tuning->joint_hertz, tuning->joint_damping, h);
        row.linear_impulse = tlwScale(j->linear_impulse, warm_scale);
        row.angular_impulse = tlwScale(j->angular_impulse, warm_scale);
        solver->joints[solver->joint_count++] = row;
    }
}

// Add the matrix from an impulse at `arm` to the change of velocity there.
static void addPointResponse(tlwMat3 *k, const tlwCluster *cluster, tlwVec3 arm)
{
    for (int j = 0; j < 3; j++) {
        tlwVec3 e = {j == 0, j == 1, j == 2};
        tlwVec3 turn = tlwMulMat3(cluster->world_inverse_inertia, tlwCross(arm, e));
        tlwVec3 v = tlwMulAdd(tlwCross(turn, arm), cluster->inverse_mass, e);
        k->m[0][j] += v.x;
        k->m[1][j] += v.y;
        k->m[2][j] += v.z;
    }
}

static tlwVec3 dropAlong(tlwVec3 v, tlwVec3 axis)
{
    return tlwMulAdd(v, -tlwDot(v, axis), axis);
}

// Inverse of K restricted to the plane across `axis`. The axis gets a block of its own, which does not matter: vectors
// are projected onto the plane.
static tlwMat3 inverseAcross(tlwMat3 k, tlwVec3 axis)
{
    double a[3] = {axis.x, axis.y, axis.z}, scale = (k.m[0][0] + k.m[1][1] + k.m[2][2]) / 3;
    tlwMat3 p;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            p.m[i][j] = (i == j) - a[i] * a[j];
    k = tlwMat3Mul(tlwMat3Mul(p, k), p);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            k.m[i][j] += scale * a[i] * a[j];
    return tlwMat3Inverse(k);
}

static void prepareLinear(const tlwSolver *solver, tlwJointRow *row)
{
    const tlwCluster *a = &solver->clusters[row->a], *b = &solver->clusters[row->b];
    tlwVec3 at_a = tlwAdd(a->position, tlwRotate(a->rotation, row->local_a));
    tlwVec3 at_b = tlwAdd(b->position, tlwRotate(b->rotation, row->local_b));
    bool slides = row->kind == TLW_JOINT_SLIDER;
    // Both bodies use one point, which conserves angular momentum. For a slider that is where the lighter body is on
    // the heavier one's rail.
    tlwVec3 point = slides ? (row->rail_b ? at_a : at_b) : tlwScale(tlwAdd(at_a, at_b), 0.5);
    row->arm_a = tlwSub(point, a->position);
    row->arm_b = tlwSub(point, b->position);
    row->gap = tlwSub(at_b, at_a);
    tlwMat3 k = {0};
    addPointResponse(&k, a, row->arm_a);
    addPointResponse(&k, b, row->arm_b);
    if (slides)
        row->gap = dropAlong(row->gap, row->axis);
    row->linear_mass = slides ? inverseAcross(k, row->axis) : tlwMat3Inverse(k);
}

static void prepareAngular(const tlwSolver *solver, tlwJointRow *row)
{
    const tlwCluster *a = &solver->clusters[row->a], *b = &solver->clusters[row->b];
    tlwMat3 k;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            k.m[i][j] = a->world_inverse_inertia.m[i][j] + b->world_inverse_inertia.m[i][j];
    if (row->kind == TLW_JOINT_HINGE) {
        row->angle = tlwCross(tlwRotate(a->rotation, row->axis_a), tlwRotate(b->rotation, row->axis_b));
        row->angular_mass = inverseAcross(k, row->axis);
    } else {
        tlwQuat want = tlwQuatMul(a->rotation, row->turn_a), is = tlwQuatMul(b->rotation, row->turn_b);
        row->angle = tlwRotationVectorFromQuat(tlwQuatMul(is, tlwQuatConjugate(want)));
        row->angular_mass = tlwMat3Inverse(k);
    }
}

void tlwPrepareJoints(tlwSolver *solver)
{
    for (int64_t i = 0; i < solver->joint_count; i++) {
        tlwJointRow *row = &solver->joints[i];
        row->axis = row->rail_b ? tlwRotate(solver->clusters[row->b].rotation, row->axis_b)
                                : tlwRotate(solver->clusters[row->a].rotation, row->axis_a);
        prepareLinear(solver, row);
        if (row->kind != TLW_JOINT_BALL)
            prepareAngular(solver, row);
    }
}

static void applyLinear(tlwSolver *solver, const tlwJointRow *row, tlwVec3 impulse)
{
    tlwApplyImpulse(&solver->clusters[row->a], row->arm_a, impulse, -1);
    tlwApplyImpulse(&solver->clusters[row->b], row->arm_b, impulse, 1);
}

static void applyAngular(tlwSolver *solver, const tlwJointRow *row, tlwVec3 impulse)
{
    tlwCluster *a = &solver->clusters[row->a], *b = &solver->clusters[row->b];
    a->spin = tlwSub(a->spin, tlwMulMat3(a->world_inverse_inertia, impulse));
    b->spin = tlwAdd(b->spin, tlwMulMat3(b->world_inverse_inertia, impulse));
}

void tlwWarmStartJoints(tlwSolver *solver)
{
    for (int64_t i = 0; i < solver->joint_count; i++) {
        tlwJointRow *row = &solver->joints[i];
        if (row->kind == TLW_JOINT_SLIDER)
            row->linear_impulse = dropAlong(row->linear_impulse, row->axis);
        if (row->kind == TLW_JOINT_HINGE)
            row->angular_impulse = dropAlong(row->angular_impulse, row->axis);
        applyLinear(solver, row, row->linear_impulse);
        if (row->kind != TLW_JOINT_BALL)
            applyAngular(solver, row, row->angular_impulse);
    }
}

// The impulse that brings `speed` to the speed that the spring asks for.
static tlwVec3 softImpulse(const tlwMat3 *mass, const tlwSoftness *soft, bool springs, tlwVec3 speed, tlwVec3 error,
                           tlwVec3 sum)
{
    if (!springs)
        return tlwScale(tlwMulMat3(*mass, speed), -1);
    tlwVec3 wanted = tlwMulAdd(speed, soft->bias_rate, error);
    return tlwMulAdd(tlwScale(tlwMulMat3(*mass, wanted), -soft->mass_scale), -soft->impulse_scale, sum);
}

static void solveAngular(tlwSolver *solver, tlwJointRow *row, bool springs)
{
    tlwVec3 speed = tlwSub(solver->clusters[row->b].spin, solver->clusters[row->a].spin);
    if (row->kind == TLW_JOINT_HINGE)
        speed = dropAlong(speed, row->axis);
    tlwVec3 impulse = softImpulse(&row->angular_mass, &row->softness, springs, speed, row->angle, row->angular_impulse);
    row->angular_impulse = tlwAdd(row->angular_impulse, impulse);
    applyAngular(solver, row, impulse);
}

static void solveLinear(tlwSolver *solver, tlwJointRow *row, bool springs)
{
    tlwVec3 speed = tlwSub(tlwPointVelocity(&solver->clusters[row->b], row->arm_b),
                           tlwPointVelocity(&solver->clusters[row->a], row->arm_a));
    if (row->kind == TLW_JOINT_SLIDER)
        speed = dropAlong(speed, row->axis);
    tlwVec3 impulse = softImpulse(&row->linear_mass, &row->softness, springs, speed, row->gap, row->linear_impulse);
    row->linear_impulse = tlwAdd(row->linear_impulse, impulse);
    applyLinear(solver, row, impulse);
}

void tlwSolveJoints(tlwSolver *solver, bool springs)
{
    for (int64_t i = 0; i < solver->joint_count; i++) {
        tlwJointRow *row = &solver->joints[i];
        if (row->kind != TLW_JOINT_BALL)
            solveAngular(solver, row, springs);
        solveLinear(solver, row, springs);
    }
}

void tlwSumJoints(tlwSolver *solver)
{
    for (int64_t i = 0; i < solver->joint_count; i++) {
        tlwJointRow *row = &solver->joints[i];
        row->impulse = tlwAdd(row->impulse, row->linear_impulse);
        row->moment = tlwAdd(row->moment, row->angular_impulse);
    }
}

void tlwStoreJoints(const tlwSolver *solver, tlwRigidJoint *joints)
{
    for (int64_t i = 0; i < solver->joint_count; i++) {
        const tlwJointRow *row = &solver->joints[i];
        tlwRigidJoint *j = &joints[row->joint];
        j->linear_impulse = row->linear_impulse;
        j->angular_impulse = row->angular_impulse;
        j->impulse = tlwAdd(j->impulse, row->impulse);
        j->moment = tlwAdd(j->moment, row->moment);
    }
}
