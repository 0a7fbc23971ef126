#include "rigid/clusters.h"

#include "base/memory.h"
#include "base/sets.h"
#include "rigid/solver.h"

// Sets of body + 1; 0 is the world. Number the clusters in the order of their first body.
static void numberClusters(tlwSolver *solver, int *parent, const tlwBody *bodies, int body_count,
                           const tlwRigidJoint *joints, int joint_count)
{
    tlwInitSets(parent, body_count + 1);
    for (int i = 0; i < joint_count; i++)
        if (joints[i].used && joints[i].kind == TLW_JOINT_FIXED)
            tlwJoinSets(parent, joints[i].body_a + 1, joints[i].body_b + 1);
    solver->cluster_count = 1;
    for (int i = 0; i < body_count; i++) {
        int root = tlwFindRoot(parent, i + 1);
        solver->cluster_of[i] = -1;
        if (!bodies[i].used)
            continue;
        if (root == 0)
            solver->cluster_of[i] = 0;
        else if (root == i + 1)
            solver->cluster_of[i] = solver->cluster_count++;
        else
            solver->cluster_of[i] = solver->cluster_of[root - 1];
    }
}

// Mass, centre and root of each cluster. One static or kinematic body makes its whole cluster move as that body does.
static void sumMass(tlwSolver *solver, const tlwBody *bodies, int body_count)
{
    for (int i = 0; i < solver->cluster_count; i++)
        solver->clusters[i] = (tlwCluster){.rotation = {1, 0, 0, 0}, .root = -1};
    for (int i = 0; i < body_count; i++) {
        if (solver->cluster_of[i] <= 0)
            continue;
        tlwCluster *p = &solver->clusters[solver->cluster_of[i]];
        bool held = p->root >= 0 && bodies[p->root].motion != TLW_MOTION_DYNAMIC;
        p->body_count++;
        if (p->root < 0 || (!held && bodies[i].motion != TLW_MOTION_DYNAMIC))
            p->root = i;
        if (bodies[i].motion == TLW_MOTION_DYNAMIC) {
            p->inverse_mass += bodies[i].mass; // holds the mass until finishCluster inverts it
            p->position = tlwMulAdd(p->position, bodies[i].mass, bodies[i].position);
        }
    }
    for (int i = 1; i < solver->cluster_count; i++) {
        tlwCluster *p = &solver->clusters[i];
        const tlwBody *root = &bodies[p->root];
        p->rotation = root->rotation;
        bool one = p->body_count == 1 || root->motion != TLW_MOTION_DYNAMIC;
        p->position = one ? root->position : tlwScale(p->position, 1 / p->inverse_mass);
        if (root->motion != TLW_MOTION_DYNAMIC) {
            bool moves = root->motion == TLW_MOTION_KINEMATIC;
            p->inverse_mass = 0;
            p->velocity = moves ? root->velocity : (tlwVec3){0, 0, 0};
            p->spin = moves ? root->spin : (tlwVec3){0, 0, 0};
        }
    }
}

// Inertia about the cluster's centre, in the cluster's axes (Steiner).
static void addInertia(tlwCluster *p, const tlwBody *body, tlwVec3 offset, tlwQuat rotation)
{
    tlwMat3 own = p->body_count == 1 ? body->inertia : tlwRotateMat3(rotation, body->inertia);
    double d[3] = {offset.x, offset.y, offset.z}, square = tlwDot(offset, offset);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            p->inertia.m[i][j] += own.m[i][j] + body->mass * ((i == j) * square - d[i] * d[j]);
}

// Momentum and outer forces of one body go to its cluster: `velocity` and `spin` hold momenta until all are in.
static void addMotion(tlwCluster *p, const tlwBody *body, tlwVec3 gravity)
{
    tlwVec3 arm = tlwSub(body->position, p->position), momentum = tlwScale(body->velocity, body->mass);
    tlwVec3 force = tlwMulAdd(body->force, body->mass * body->gravity_scale, gravity);
    tlwMat3 inertia = tlwRotateMat3(body->rotation, body->inertia);
    p->velocity = tlwAdd(p->velocity, momentum);
    p->spin = tlwAdd(p->spin, tlwAdd(tlwMulMat3(inertia, body->spin), tlwCross(arm, momentum)));
    p->acceleration = tlwAdd(p->acceleration, force);
    p->torque = tlwAdd(p->torque, tlwAdd(body->torque, tlwCross(arm, force)));
}

static void finishCluster(tlwCluster *p, const tlwBody *bodies)
{
    if (p->inverse_mass == 0)
        return;
    p->inverse_mass = 1 / p->inverse_mass;
    p->inverse_inertia = tlwMat3Inverse(p->inertia);
    p->acceleration = tlwScale(p->acceleration, p->inverse_mass);
    if (p->body_count == 1) { // a copy: going through momentum would change the last bits of a free body
        p->velocity = bodies[p->root].velocity;
        p->spin = bodies[p->root].spin;
    } else {
        p->velocity = tlwScale(p->velocity, p->inverse_mass);
        p->spin = tlwMulMat3(tlwRotateMat3(p->rotation, p->inverse_inertia), p->spin);
    }
}

tlwResult tlwBuildClusters(tlwSolver *solver, const tlwBody *bodies, int body_count, const tlwRigidJoint *joints,
                           int joint_count, tlwVec3 gravity, tlwMessage *message)
{
    size_t n = (size_t)body_count + 1;
    int *parent = tlwAlloc(n, sizeof *parent);
    solver->clusters = tlwAlloc(n, sizeof *solver->clusters);
    solver->cluster_of = tlwAlloc(n, sizeof *solver->cluster_of);
    solver->body_offset = tlwAlloc(n, sizeof *solver->body_offset);
    solver->body_rotation = tlwAlloc(n, sizeof *solver->body_rotation);
    solver->body_free = tlwAlloc(n, sizeof *solver->body_free);
    if (!parent || !solver->clusters || !solver->cluster_of || !solver->body_offset || !solver->body_rotation ||
        !solver->body_free) {
        tlwFree(parent);
        return tlwFailMemory(message, "rigid bodies");
    }
    numberClusters(solver, parent, bodies, body_count, joints, joint_count);
    tlwFree(parent);
    sumMass(solver, bodies, body_count);
    for (int i = 0; i < body_count; i++) {
        if (!bodies[i].used)
            continue;
        tlwCluster *p = &solver->clusters[solver->cluster_of[i]];
        tlwQuat back = tlwQuatConjugate(p->rotation);
        bool one = p->body_count == 1;
        solver->body_offset[i] = one ? (tlwVec3){0, 0, 0} : tlwRotate(back, tlwSub(bodies[i].position, p->position));
        solver->body_rotation[i] = one ? (tlwQuat){1, 0, 0, 0} : tlwQuatNormalize(tlwQuatMul(back, bodies[i].rotation));
        solver->body_free[i] = p->inverse_mass > 0;
        if (!solver->body_free[i])
            continue;
        addInertia(p, &bodies[i], solver->body_offset[i], solver->body_rotation[i]);
        addMotion(p, &bodies[i], gravity);
    }
    for (int i = 1; i < solver->cluster_count; i++)
        finishCluster(&solver->clusters[i], bodies);
    return TLW_OK;
}

void tlwScatterClusters(const tlwSolver *solver, tlwBody *bodies, int body_count)
{
    for (int i = 0; i < body_count; i++) {
        if (!bodies[i].used || bodies[i].motion == TLW_MOTION_STATIC)
            continue;
        const tlwCluster *p = &solver->clusters[solver->cluster_of[i]];
        bool one = p->body_count == 1;
        tlwVec3 arm = tlwRotate(p->rotation, solver->body_offset[i]);
        bodies[i].position = one ? p->position : tlwAdd(p->position, arm);
        bodies[i].rotation = one ? p->rotation : tlwQuatNormalize(tlwQuatMul(p->rotation, solver->body_rotation[i]));
        bodies[i].velocity = one ? p->velocity : tlwAdd(p->velocity, tlwCross(p->spin, arm));
        bodies[i].spin = p->spin;
    }
}
