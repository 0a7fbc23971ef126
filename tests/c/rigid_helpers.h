// Small rigid scenes for the tests of the rigid layer.
#ifndef RIGID_HELPERS_H
#define RIGID_HELPERS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "rigid/overlap.h"
#include "rigid/step.h"
#include "rigid/world.h"
#include "rigid_solids.h"

typedef struct Scene {
    tlwRigidWorld *world;
    tlwCollider *colliders[64];
    int collider_count;
    tlwMessage message;
} Scene;

static inline void openScene(Scene *s, tlwVec3 gravity)
{
    *s = (Scene){0};
    tlwRigidWorldDef def = tlwDefaultRigidWorldDef();
    def.gravity = gravity;
    assert_int_equal(tlwCreateRigidWorld(&def, &s->world, &s->message), TLW_OK);
}

static inline void closeScene(Scene *s)
{
    tlwDestroyRigidWorld(s->world);
    for (int i = 0; i < s->collider_count; i++)
        tlwDestroyCollider(s->colliders[i]);
}

static inline const tlwCollider *keep(Scene *s, tlwCollider *collider)
{
    s->colliders[s->collider_count++] = collider;
    return collider;
}

static inline int addBody(Scene *s, tlwBody body)
{
    int index = -1;
    assert_int_equal(tlwAddRigidBody(s->world, &body, &index, &s->message), TLW_OK);
    return index;
}

static inline tlwBody boxBody(Scene *s, double mass, tlwVec3 half, tlwVec3 position)
{
    tlwBody b = tlwDefaultBody();
    b.collider = keep(s, createBoxCollider(half));
    b.mass = mass;
    b.inertia = boxInertia(mass, half);
    b.position = position;
    return b;
}

static inline tlwBody ballBody(Scene *s, double mass, double radius, tlwVec3 position)
{
    tlwBody b = tlwDefaultBody();
    b.collider = keep(s, createBallCollider(radius));
    b.mass = mass;
    b.inertia = ballInertia(mass, radius);
    b.position = position;
    return b;
}

static inline int addWall(Scene *s, tlwVec3 normal, double offset, double friction)
{
    tlwCollider *c = NULL;
    assert_int_equal(tlwCreateHalfSpaceCollider(normal, offset, &c, &s->message), TLW_OK);
    tlwBody b = tlwDefaultBody();
    b.motion = TLW_MOTION_STATIC;
    b.collider = keep(s, c);
    b.friction = friction;
    return addBody(s, b);
}

static inline void run(Scene *s, double seconds, double dt)
{
    int steps = (int)lround(seconds / dt);
    for (int i = 0; i < steps; i++) {
        assert_int_equal(tlwSolveRigidWorld(s->world, dt, &s->message), TLW_OK);
        assert_int_equal(tlwMoveRigidWorld(s->world, dt, &s->message), TLW_OK);
    }
}

static inline const tlwBody *body(const Scene *s, int index)
{
    return &s->world->bodies[index];
}

// Deepest overlap now, m.
static inline double deepest(Scene *s)
{
    tlwOverlap o[64];
    int count = 0;
    assert_int_equal(tlwFindOverlaps(s->world, 0, o, 64, &count, &s->message), TLW_OK);
    return count ? o[0].depth : 0;
}

static inline double kineticEnergy(const tlwBody *b)
{
    tlwVec3 l = tlwMulMat3(tlwRotateMat3(b->rotation, b->inertia), b->spin);
    return 0.5 * b->mass * tlwDot(b->velocity, b->velocity) + 0.5 * tlwDot(l, b->spin);
}

static inline tlwVec3 angularMomentum(const tlwBody *b)
{
    tlwVec3 own = tlwMulMat3(tlwRotateMat3(b->rotation, b->inertia), b->spin);
    return tlwAdd(own, tlwCross(b->position, tlwScale(b->velocity, b->mass)));
}

static inline tlwVec3 v3(double x, double y, double z)
{
    return (tlwVec3){x, y, z};
}

#endif
