#include "rigid/world.h"

#include "base/memory.h"

tlwRigidWorldDef tlwDefaultRigidWorldDef(void)
{
    return (tlwRigidWorldDef){.gravity = {0, 0, -9.81},
                              .max_step = 1.0 / 240,
                              .substep = 1.0 / 1920,
                              .contact_hertz = 240,
                              .contact_damping = 10,
                              .push_speed = 4,
                              .joint_hertz = 1000,
                              .joint_damping = 5,
                              .max_contacts = 24};
}

tlwResult tlwCreateRigidWorld(const tlwRigidWorldDef *def, tlwRigidWorld **world, tlwMessage *message)
{
    bool good = tlwIsFinite(def->gravity) && def->max_step > 0 && def->substep > 0 && def->contact_hertz > 0 &&
                def->contact_damping >= 0 && def->push_speed > 0 && def->joint_hertz > 0 && def->joint_damping >= 0 &&
                def->max_contacts >= 4 && def->max_contacts <= 256;
    if (!good)
        return tlwFail(message, TLW_BAD_ARGUMENT,
                       "The settings for rigid bodies are not usable; start from the defaults.");
    tlwRigidWorld *w = tlwAlloc(1, sizeof *w);
    if (!w)
        return tlwFailMemory(message, "rigid bodies");
    w->def = *def;
    *world = w;
    return TLW_OK;
}

void tlwDestroyRigidWorld(tlwRigidWorld *world)
{
    if (!world)
        return;
    tlwFree(world->bodies);
    tlwFree(world->joints);
    tlwFreeContacts(&world->contacts);
    tlwFreeContacts(&world->previous);
    tlwFree(world);
}

static bool isPositiveDefinite(tlwMat3 a)
{
    double sum = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            sum += fabs(a.m[i][j]);
    double minor = a.m[0][0] * a.m[1][1] - a.m[0][1] * a.m[1][0];
    tlwVec3 r0 = {a.m[0][0], a.m[0][1], a.m[0][2]}, r1 = {a.m[1][0], a.m[1][1], a.m[1][2]},
            r2 = {a.m[2][0], a.m[2][1], a.m[2][2]};
    return isfinite(sum) && a.m[0][0] > 0 && minor > 0 && tlwDot(r0, tlwCross(r1, r2)) > 0;
}

static tlwResult checkBody(const tlwBody *b, tlwMessage *message)
{
    const char *name = b->name ? b->name : "A rigid body";
    if (b->motion == TLW_MOTION_DYNAMIC && (!(b->mass > 0) || !isfinite(b->mass)))
        return tlwFail(message, TLW_BAD_ARGUMENT, "%s has a mass of %g kg; give it a density or mass above 0.", name,
                       b->mass);
    if (b->motion == TLW_MOTION_DYNAMIC && !isPositiveDefinite(b->inertia))
        return tlwFail(message, TLW_BAD_ARGUMENT, "%s has no volume that could turn; check that its mesh is closed.",
                       name);
    if (!tlwIsFinite(b->position) || !tlwIsFinite(b->velocity) || !tlwIsFinite(b->spin) || !tlwIsFinite(b->centre))
        return tlwFail(message, TLW_BAD_ARGUMENT, "%s has a position or velocity that is not a number.", name);
    if (!(b->friction >= 0) || !(b->restitution >= 0 && b->restitution <= 1))
        return tlwFail(message, TLW_BAD_ARGUMENT, "%s needs a friction of 0 or more and a restitution from 0 to 1.",
                       name);
    return TLW_OK;
}

tlwResult tlwAddRigidBody(tlwRigidWorld *world, const tlwBody *body, int *index, tlwMessage *message)
{
    TLW_TRY(checkBody(body, message));
    int64_t slot = 0;
    while (slot < world->body_count && world->bodies[slot].used)
        slot++;
    if (!tlwReserve((void **)&world->bodies, &world->body_capacity, slot + 1, sizeof *world->bodies))
        return tlwFailMemory(message, "rigid bodies");
    if (slot == world->body_count)
        world->body_count++;
    tlwBody *b = &world->bodies[slot];
    *b = *body;
    b->used = true;
    b->rotation = b->next_rotation = tlwQuatNormalize(b->rotation);
    b->next_position = b->position;
    b->solved_velocity = b->velocity;
    b->solved_spin = b->spin;
    if (index)
        *index = (int)slot;
    return TLW_OK;
}

void tlwRemoveRigidBody(tlwRigidWorld *world, int index)
{
    if (index < 0 || index >= world->body_count)
        return;
    world->bodies[index] = (tlwBody){0};
    for (int64_t i = 0; i < world->joint_count; i++)
        if (world->joints[i].body_a == index || world->joints[i].body_b == index)
            world->joints[i].used = false;
    int64_t kept = 0;
    for (int64_t i = 0; i < world->contacts.count; i++) {
        const tlwContact *c = &world->contacts.items[i];
        if (c->body_a != index && c->body_b != index)
            world->contacts.items[kept++] = *c;
    }
    world->contacts.count = kept;
}

static bool isBody(const tlwRigidWorld *world, int index)
{
    return index >= 0 && index < world->body_count && world->bodies[index].used;
}

tlwResult tlwAddRigidJoint(tlwRigidWorld *world, tlwJointKind kind, int body_a, int body_b, tlwVec3 anchor,
                           tlwVec3 axis, int *index, tlwMessage *message)
{
    if (!isBody(world, body_a) || (body_b != -1 && !isBody(world, body_b)) || body_a == body_b)
        return tlwFail(message, TLW_BAD_ARGUMENT, "A joint needs two different rigid bodies, or one and the world.");
    bool needs_axis = kind == TLW_JOINT_HINGE || kind == TLW_JOINT_SLIDER;
    if (!tlwIsFinite(anchor) || !tlwIsFinite(axis) || (needs_axis && !(tlwLength(axis) > 0)))
        return tlwFail(message, TLW_BAD_ARGUMENT, "The joint of %s needs an axis that is not zero.",
                       world->bodies[body_a].name ? world->bodies[body_a].name : "a rigid body");
    int64_t slot = 0;
    while (slot < world->joint_count && world->joints[slot].used)
        slot++;
    if (!tlwReserve((void **)&world->joints, &world->joint_capacity, slot + 1, sizeof *world->joints))
        return tlwFailMemory(message, "rigid joints");
    if (slot == world->joint_count)
        world->joint_count++;
    const tlwBody *b = body_b < 0 ? NULL : &world->bodies[body_b];
    world->joints[slot] = tlwMakeJoint(kind, body_a, &world->bodies[body_a], body_b, b, anchor, axis);
    if (index)
        *index = (int)slot;
    return TLW_OK;
}

void tlwSetPredictedVelocity(tlwRigidWorld *world, int index, tlwVec3 velocity, tlwVec3 spin, double dt)
{
    tlwBody *b = &world->bodies[index];
    if (b->motion != TLW_MOTION_DYNAMIC)
        return;
    b->force = tlwScale(tlwSub(velocity, b->velocity), b->mass / dt);
    tlwMat3 inertia = tlwRotateMat3(b->rotation, b->inertia);
    b->torque = tlwScale(tlwMulMat3(inertia, tlwSub(spin, b->spin)), 1 / dt);
}
