#include "rigid/step.h"

#include "base/memory.h"
#include "rigid/clusters.h"
#include "rigid/solver.h"
#include "rigid/world.h"

#include <string.h>

// rad. Bodies that turn further between two searches would have wrong contact normals.
#define MAX_TURN 0.35

static int countSteps(const tlwRigidWorld *world, double dt)
{
    double fastest = 0;
    for (int64_t i = 0; i < world->body_count; i++) {
        const tlwBody *b = &world->bodies[i];
        bool round = !b->collider || b->collider->core_radius > 0;
        if (b->used && !round && b->motion != TLW_MOTION_STATIC)
            fastest = fmax(fastest, tlwLength(b->spin));
    }
    double steps = fmax(1, ceil(dt / world->def.max_step - 1e-9));
    return (int)fmax(steps, fmin(4 * steps, ceil(fastest * dt / MAX_TURN)));
}

static tlwContactSearch makeSearch(const tlwRigidWorld *world, const tlwBody *bodies, const tlwSolver *solver,
                                   double dt)
{
    return (tlwContactSearch){.bodies = bodies,
                              .body_count = (int)world->body_count,
                              .group = solver->cluster_of,
                              .free = solver->body_free,
                              .joints = world->joints,
                              .joint_count = (int)world->joint_count,
                              .gravity = world->def.gravity,
                              .dt = dt,
                              .reach = 1,
                              .max_per_pair = world->def.max_contacts,
                              .threads = world->def.threads};
}

// Impulses of the step just solved, about each body's own centre.
static void addContactImpulses(const tlwSolver *solver, const tlwContactList *contacts, tlwBody *bodies)
{
    for (int64_t i = 0; i < contacts->count; i++) {
        const tlwContact *c = &contacts->items[i];
        const tlwContactRow *row = &solver->contacts[i];
        for (int side = 0; side < 2; side++) {
            int index = side ? c->body_b : c->body_a, cluster = side ? row->b : row->a;
            double sign = side ? 1 : -1;
            tlwBody *body = &bodies[index];
            tlwVec3 shift = tlwSub(body->position, solver->clusters[cluster].position);
            tlwVec3 moment = tlwSub(side ? row->moment_b : row->moment_a, tlwCross(shift, row->impulse));
            body->contact_impulse = tlwMulAdd(body->contact_impulse, sign, row->impulse);
            body->contact_angular_impulse = tlwMulAdd(body->contact_angular_impulse, sign, moment);
        }
    }
}

static tlwResult solveSteps(tlwRigidWorld *world, tlwSolver *solver, tlwBody *bodies, double dt, tlwMessage *message)
{
    const tlwRigidWorldDef *def = &world->def;
    int body_count = (int)world->body_count, joint_count = (int)world->joint_count;
    world->steps = countSteps(world, dt);
    double step = dt / world->steps;
    world->substeps = (int)fmax(4, ceil(step / def->substep - 1e-9));
    double h = step / world->substeps;
    tlwSolverTuning tuning = {fmin(def->contact_hertz, 0.125 / h), def->contact_damping, def->push_speed,
                              fmin(def->joint_hertz, 0.25 / h), def->joint_damping};
    for (int k = 0; k < world->steps; k++) {
        tlwContactList swap = world->previous;
        world->previous = world->contacts;
        world->contacts = swap;
        tlwContactSearch search = makeSearch(world, bodies, solver, step);
        search.elapsed = k * step;
        TLW_TRY(tlwFindContacts(&search, &world->previous, &world->contacts, message));
        double warm_scale = world->warm_substep > 0 ? h / world->warm_substep : 1;
        TLW_TRY(tlwSolveStep(solver, bodies, &world->contacts, world->joints, joint_count, &tuning, step,
                             world->substeps, warm_scale, message));
        world->warm_substep = h;
        tlwScatterClusters(solver, bodies, body_count);
        addContactImpulses(solver, &world->contacts, bodies);
    }
    return TLW_OK;
}

// The impulse of joints is the change of momentum that neither contacts nor outer forces explain.
static void setJointImpulses(const tlwRigidWorld *world, tlwBody *solved, double dt)
{
    for (int64_t i = 0; i < world->joint_count; i++) {
        const tlwRigidJoint *j = &world->joints[i];
        for (int side = 0; side < 2 && j->used; side++) {
            int index = side ? j->body_b : j->body_a;
            if (index < 0 || world->bodies[index].motion != TLW_MOTION_DYNAMIC)
                continue;
            const tlwBody *before = &world->bodies[index];
            tlwBody *after = &solved[index];
            tlwVec3 force = tlwMulAdd(before->force, before->mass * before->gravity_scale, world->def.gravity);
            tlwVec3 change = tlwScale(tlwSub(after->velocity, before->velocity), before->mass);
            after->joint_impulse = tlwSub(tlwMulAdd(change, -dt, force), after->contact_impulse);
            tlwVec3 spin_before = tlwMulMat3(tlwRotateMat3(before->rotation, before->inertia), before->spin);
            tlwVec3 spin_after = tlwMulMat3(tlwRotateMat3(after->rotation, after->inertia), after->spin);
            change = tlwMulAdd(tlwSub(spin_after, spin_before), -dt, before->torque);
            after->joint_angular_impulse = tlwSub(change, after->contact_angular_impulse);
        }
    }
}

// Copy velocities and results to the world. tlwMoveRigidWorld changes the poses.
static void takeResults(tlwRigidWorld *world, const tlwBody *solved)
{
    for (int64_t i = 0; i < world->body_count; i++) {
        tlwBody *b = &world->bodies[i];
        tlwVec3 position = b->position;
        tlwQuat rotation = b->rotation;
        *b = solved[i];
        b->next_position = b->position;
        b->next_rotation = b->rotation;
        b->position = position;
        b->rotation = rotation;
        b->solved_velocity = b->velocity;
        b->solved_spin = b->spin;
        b->force = b->torque = (tlwVec3){0, 0, 0};
    }
}

tlwResult tlwSolveRigidWorld(tlwRigidWorld *world, double dt, tlwMessage *message)
{
    if (!(dt > 0) || !isfinite(dt))
        return tlwFail(message, TLW_BAD_ARGUMENT, "Rigid bodies cannot be moved by %g seconds.", dt);
    size_t count = (size_t)world->body_count;
    if (count == 0)
        return TLW_OK;
    tlwBody *bodies = tlwAlloc(count, sizeof *bodies);
    if (!bodies)
        return tlwFailMemory(message, "rigid bodies");
    memcpy(bodies, world->bodies, count * sizeof *bodies);
    for (size_t i = 0; i < count; i++) {
        bodies[i].contact_impulse = bodies[i].contact_angular_impulse = (tlwVec3){0, 0, 0};
        bodies[i].joint_impulse = bodies[i].joint_angular_impulse = (tlwVec3){0, 0, 0};
    }
    for (int64_t i = 0; i < world->joint_count; i++)
        world->joints[i].impulse = world->joints[i].moment = (tlwVec3){0, 0, 0};
    tlwSolver solver = {0};
    tlwResult result = tlwBuildClusters(&solver, bodies, (int)count, world->joints, (int)world->joint_count,
                                        world->def.gravity, message);
    if (result == TLW_OK)
        result = solveSteps(world, &solver, bodies, dt, message);
    if (result == TLW_OK) {
        setJointImpulses(world, bodies, dt);
        takeResults(world, bodies);
    }
    tlwFreeSolver(&solver);
    tlwFree(bodies);
    return result;
}

// Bodies at their next poses, with velocities that are only the changes made after the solve.
static void takeDifferences(const tlwRigidWorld *world, tlwBody *bodies)
{
    for (int64_t i = 0; i < world->body_count; i++) {
        bodies[i] = world->bodies[i];
        bodies[i].position = bodies[i].next_position;
        bodies[i].rotation = bodies[i].next_rotation;
        bodies[i].velocity = tlwSub(bodies[i].velocity, bodies[i].solved_velocity);
        bodies[i].spin = tlwSub(bodies[i].spin, bodies[i].solved_spin);
        bodies[i].force = bodies[i].torque = (tlwVec3){0, 0, 0};
    }
}

static void moveClusters(tlwSolver *solver, double dt)
{
    for (int i = 1; i < solver->cluster_count; i++) {
        tlwCluster *p = &solver->clusters[i];
        p->position = tlwMulAdd(p->position, dt, p->velocity);
        if (tlwDot(p->spin, p->spin) > 0)
            p->rotation = tlwQuatNormalize(tlwQuatMul(tlwQuatFromRotationVector(tlwScale(p->spin, dt)), p->rotation));
    }
}

// Moves cluster by cluster, so that fixed bodies stay together however their velocities were changed.
tlwResult tlwMoveRigidWorld(tlwRigidWorld *world, double dt, tlwMessage *message)
{
    int count = (int)world->body_count;
    tlwBody *moved = tlwAlloc((size_t)count, sizeof *moved);
    if (!moved)
        return tlwFailMemory(message, "rigid bodies");
    takeDifferences(world, moved);
    tlwSolver solver = {0};
    tlwResult result =
        tlwBuildClusters(&solver, moved, count, world->joints, (int)world->joint_count, (tlwVec3){0, 0, 0}, message);
    if (result == TLW_OK) {
        moveClusters(&solver, dt);
        tlwScatterClusters(&solver, moved, count);
    }
    for (int i = 0; i < count && result == TLW_OK; i++) {
        tlwBody *b = &world->bodies[i];
        if (!b->used || b->motion == TLW_MOTION_STATIC)
            continue;
        b->position = b->next_position = moved[i].position;
        b->rotation = b->next_rotation = moved[i].rotation;
        if (solver.clusters[solver.cluster_of[i]].body_count > 1) {
            b->velocity = tlwAdd(b->solved_velocity, moved[i].velocity);
            b->spin = tlwAdd(b->solved_spin, moved[i].spin);
        }
        b->solved_velocity = b->velocity;
        b->solved_spin = b->spin;
    }
    tlwFreeSolver(&solver);
    tlwFree(moved);
    return result;
}
