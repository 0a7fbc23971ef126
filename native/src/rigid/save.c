#include "rigid/save.h"

#include "base/memory.h"
#include "rigid/world.h"

#include <string.h>

#define MAGIC 0x31444947524c5754u // "TWLRGID1"

typedef struct Stream {
    unsigned char *bytes; // null while counting
    size_t size, at;
    bool writing, failed;
} Stream;

static void passBytes(Stream *s, void *data, size_t n)
{
    if (s->writing) {
        if (s->bytes)
            memcpy(s->bytes + s->at, data, n);
    } else if (s->failed || s->size - s->at < n) {
        s->failed = true;
        memset(data, 0, n);
        return;
    } else {
        memcpy(data, s->bytes + s->at, n);
    }
    s->at += n;
}

static void passInt(Stream *s, int *value)
{
    int64_t wide = *value;
    passBytes(s, &wide, sizeof wide);
    *value = (int)wide;
}

static void passBool(Stream *s, bool *value)
{
    int wide = *value;
    passInt(s, &wide);
    *value = wide != 0;
}

static void passDouble(Stream *s, double *value)
{
    passBytes(s, value, sizeof *value);
}

static void passVec3(Stream *s, tlwVec3 *v)
{
    passDouble(s, &v->x);
    passDouble(s, &v->y);
    passDouble(s, &v->z);
}

static void passQuat(Stream *s, tlwQuat *q)
{
    passDouble(s, &q->w);
    passDouble(s, &q->x);
    passDouble(s, &q->y);
    passDouble(s, &q->z);
}

static void passBody(Stream *s, tlwBody *b)
{
    int motion = (int)b->motion;
    passInt(s, &motion);
    b->motion = (tlwBodyMotion)motion;
    passDouble(s, &b->mass);
    for (int i = 0; i < 9; i++)
        passDouble(s, &b->inertia.m[i / 3][i % 3]);
    tlwVec3 *vectors[] = {&b->centre,
                          &b->position,
                          &b->velocity,
                          &b->spin,
                          &b->force,
                          &b->torque,
                          &b->contact_impulse,
                          &b->joint_impulse,
                          &b->contact_angular_impulse,
                          &b->next_position,
                          &b->solved_spin,
                          &b->joint_angular_impulse,
                          &b->solved_velocity};
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++)
        passVec3(s, vectors[i]);
    passQuat(s, &b->rotation);
    passQuat(s, &b->next_rotation);
    passDouble(s, &b->gravity_scale);
    passDouble(s, &b->friction);
    passDouble(s, &b->restitution);
    passBool(s, &b->used);
}

static void passJoint(Stream *s, tlwRigidJoint *j)
{
    int kind = (int)j->kind;
    passInt(s, &kind);
    j->kind = (tlwJointKind)kind;
    passInt(s, &j->body_a);
    passInt(s, &j->body_b);
    passBool(s, &j->collide);
    tlwVec3 *vectors[] = {&j->anchor_a,       &j->anchor_b,        &j->axis_a,  &j->axis_b,
                          &j->linear_impulse, &j->angular_impulse, &j->impulse, &j->moment};
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++)
        passVec3(s, vectors[i]);
    passQuat(s, &j->relative);
    passBool(s, &j->used);
}

static void passContact(Stream *s, tlwContact *c)
{
    passInt(s, &c->body_a);
    passInt(s, &c->body_b);
    passBytes(s, &c->feature, sizeof c->feature);
    passBool(s, &c->owner_b);
    tlwVec3 *vectors[] = {&c->ball, &c->point, &c->normal, &c->local_a, &c->friction_impulse, &c->impulse};
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++)
        passVec3(s, vectors[i]);
    double *numbers[] = {&c->separation, &c->friction, &c->restitution, &c->normal_impulse};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        passDouble(s, numbers[i]);
}

// A count larger than the remaining bytes can hold means damage, and must not reach an allocation.
static int64_t passCount(Stream *s, int64_t count)
{
    passBytes(s, &count, sizeof count);
    if (!s->writing && (count < 0 || (uint64_t)count > (s->size - s->at) / 64)) {
        s->failed = true;
        return 0;
    }
    return count;
}

static void writeWorld(Stream *s, const tlwRigidWorld *world)
{
    uint64_t magic = MAGIC;
    passBytes(s, &magic, sizeof magic);
    double warm = world->warm_substep;
    passDouble(s, &warm);
    passCount(s, world->body_count);
    passCount(s, world->joint_count);
    passCount(s, world->contacts.count);
    for (int64_t i = 0; i < world->body_count; i++)
        passBody(s, &world->bodies[i]);
    for (int64_t i = 0; i < world->joint_count; i++)
        passJoint(s, &world->joints[i]);
    for (int64_t i = 0; i < world->contacts.count; i++)
        passContact(s, &world->contacts.items[i]);
}

tlwResult tlwSaveRigidWorld(const tlwRigidWorld *world, unsigned char **bytes, size_t *size, tlwMessage *message)
{
    Stream s = {.writing = true};
    writeWorld(&s, world);
    unsigned char *buffer = tlwAlloc(s.at, 1);
    if (!buffer)
        return tlwFailMemory(message, "a checkpoint");
    s = (Stream){.writing = true, .bytes = buffer, .size = s.at};
    writeWorld(&s, world);
    *bytes = buffer;
    *size = s.at;
    return TLW_OK;
}

static bool isBody(const tlwRigidWorld *world, int index)
{
    return index >= 0 && index < world->body_count && world->bodies[index].used;
}

static bool isSound(const tlwRigidWorld *w)
{
    for (int64_t i = 0; i < w->body_count; i++) {
        const tlwBody *b = &w->bodies[i];
        bool massive = b->motion != TLW_MOTION_DYNAMIC || b->mass > 0;
        if (b->used && (!massive || (unsigned)b->motion > TLW_MOTION_STATIC || !tlwIsFinite(b->position)))
            return false;
    }
    for (int64_t i = 0; i < w->joint_count; i++) {
        const tlwRigidJoint *j = &w->joints[i];
        bool bodies = isBody(w, j->body_a) && (j->body_b == -1 || isBody(w, j->body_b));
        if (j->used && (!bodies || (unsigned)j->kind > TLW_JOINT_SLIDER))
            return false;
    }
    for (int64_t i = 0; i < w->contacts.count; i++)
        if (!isBody(w, w->contacts.items[i].body_a) || !isBody(w, w->contacts.items[i].body_b))
            return false;
    return true;
}

static bool readWorld(Stream *s, tlwRigidWorld *w)
{
    uint64_t magic = 0;
    passBytes(s, &magic, sizeof magic);
    if (magic != MAGIC)
        return false;
    passDouble(s, &w->warm_substep);
    w->body_count = w->body_capacity = passCount(s, 0);
    w->joint_count = w->joint_capacity = passCount(s, 0);
    w->contacts.count = w->contacts.capacity = passCount(s, 0);
    w->bodies = tlwAlloc((size_t)w->body_count, sizeof *w->bodies);
    w->joints = tlwAlloc((size_t)w->joint_count, sizeof *w->joints);
    w->contacts.items = tlwAlloc((size_t)w->contacts.count, sizeof *w->contacts.items);
    if (s->failed || !w->bodies || !w->joints || !w->contacts.items)
        return false;
    for (int64_t i = 0; i < w->body_count; i++)
        passBody(s, &w->bodies[i]);
    for (int64_t i = 0; i < w->joint_count; i++)
        passJoint(s, &w->joints[i]);
    for (int64_t i = 0; i < w->contacts.count; i++)
        passContact(s, &w->contacts.items[i]);
    return !s->failed && s->at == s->size && isSound(w);
}

tlwResult tlwLoadRigidWorld(tlwRigidWorld *world, const unsigned char *bytes, size_t size, tlwMessage *message)
{
    tlwRigidWorld fresh = {.def = world->def};
    Stream s = {.bytes = (unsigned char *)bytes, .size = size};
    tlwRigidWorld old;
    bool good = readWorld(&s, &fresh);
    if (good) {
        for (int64_t i = 0; i < fresh.body_count && i < world->body_count; i++) {
            fresh.bodies[i].collider = world->bodies[i].collider;
            fresh.bodies[i].name = world->bodies[i].name;
            fresh.bodies[i].drift = world->bodies[i].drift;
        }
        old = *world;
        *world = fresh;
    } else {
        old = fresh;
    }
    tlwFree(old.bodies);
    tlwFree(old.joints);
    tlwFreeContacts(&old.contacts);
    tlwFreeContacts(&old.previous);
    return good ? TLW_OK
                : tlwFail(message, TLW_BAD_FILE,
                          "The rigid bodies of the checkpoint are damaged; bake from an earlier one.");
}
