// The substep loop.
#include "rigid/solver.h"

#include "base/memory.h"
#include "rigid/contact_solver.h"
#include "rigid/joint_solver.h"

// One pass is enough for stacks; the second keeps 20 kg steady on 0.05 kg.
#define SPRING_PASSES 2

static void refreshInertia(tlwCluster *cluster)
{
    if (cluster->inverse_mass > 0)
        cluster->world_inverse_inertia = tlwRotateMat3(cluster->rotation, cluster->inverse_inertia);
}

static void applyForces(tlwSolver *solver, double h)
{
    for (int i = 1; i < solver->cluster_count; i++) {
        tlwCluster *p = &solver->clusters[i];
        if (p->inverse_mass == 0)
            continue;
        p->velocity = tlwMulAdd(p->velocity, h, p->acceleration);
        p->spin = tlwMulAdd(p->spin, h, tlwMulMat3(p->world_inverse_inertia, p->torque));
    }
}

static void moveClusters(tlwSolver *solver, double h)
{
    for (int i = 1; i < solver->cluster_count; i++) {
        tlwCluster *p = &solver->clusters[i];
        p->position = tlwMulAdd(p->position, h, p->velocity);
        if (p->inverse_mass > 0)
            tlwIntegrateRotation(&p->rotation, &p->spin, &p->inertia, &p->inverse_inertia, h);
        else if (tlwDot(p->spin, p->spin) > 0)
            p->rotation = tlwQuatNormalize(tlwQuatMul(tlwQuatFromRotationVector(tlwScale(p->spin, h)), p->rotation));
        refreshInertia(p);
    }
}

static bool reserveRows(tlwSolver *solver, int64_t contact_count, int joint_count)
{
    return tlwReserve((void **)&solver->contacts, &solver->contact_capacity, contact_count, sizeof *solver->contacts) &&
           tlwReserve((void **)&solver->joints, &solver->joint_capacity, joint_count, sizeof *solver->joints);
}

tlwResult tlwSolveStep(tlwSolver *solver, const tlwBody *bodies, tlwContactList *contacts, tlwRigidJoint *joints,
                       int joint_count, const tlwSolverTuning *tuning, double dt, int substeps, double warm_scale,
                       tlwMessage *message)
{
    if (!reserveRows(solver, contacts->count, joint_count))
        return tlwFailMemory(message, "rigid contacts");
    double h = dt / substeps;
    for (int i = 0; i < solver->cluster_count; i++)
        refreshInertia(&solver->clusters[i]);
    tlwSetupContacts(solver, bodies, contacts, tuning, dt, h, warm_scale);
    tlwSetupJoints(solver, bodies, joints, joint_count, tuning, h, warm_scale);
    tlwPrepareContacts(solver);
    tlwPrepareJoints(solver);
    for (int k = 0; k < substeps; k++) {
        applyForces(solver, h);
        tlwWarmStartJoints(solver);
        tlwWarmStartContacts(solver);
        for (int pass = 0; pass < SPRING_PASSES; pass++) {
            tlwSolveJoints(solver, true);
            tlwSolveContacts(solver, h, true);
        }
        tlwAdvanceContacts(solver, h);
        moveClusters(solver, h);
        tlwPrepareContacts(solver);
        tlwPrepareJoints(solver);
        tlwSolveJoints(solver, false);
        tlwSolveContacts(solver, h, false);
        tlwSumJoints(solver);
        tlwSumContacts(solver);
        tlwBounceContacts(solver);
    }
    tlwStoreContacts(solver, contacts);
    tlwStoreJoints(solver, joints);
    return TLW_OK;
}

void tlwFreeSolver(tlwSolver *solver)
{
    tlwFree(solver->clusters);
    tlwFree(solver->cluster_of);
    tlwFree(solver->body_offset);
    tlwFree(solver->body_rotation);
    tlwFree(solver->body_free);
    tlwFree(solver->contacts);
    tlwFree(solver->joints);
    *solver = (tlwSolver){0};
}
