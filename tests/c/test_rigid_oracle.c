// Our solver against another: the Open Dynamics Engine's exact (Lemke) stepper, on scenes where it is right.
#include "rigid_helpers.h"

#include <ode/ode.h>

#define DT (1.0 / 240)
#define MOST 16

// One scene in both engines. Body 0 is the floor when there is one.
typedef struct Twin {
    Scene ours;
    dWorldID world;
    dSpaceID space;
    dJointGroupID contacts;
    dBodyID bodies[MOST]; // by our index; null for the floor
    double friction, restitution;
} Twin;

static void openTwin(Twin *t, tlwVec3 gravity, double friction, double restitution)
{
    *t = (Twin){.friction = friction, .restitution = restitution};
    openScene(&t->ours, gravity);
    dInitODE2(0);
    t->world = dWorldCreate();
    t->space = dSimpleSpaceCreate(NULL);
    t->contacts = dJointGroupCreate(0);
    dWorldSetGravity(t->world, gravity.x, gravity.y, gravity.z);
    dWorldSetERP(t->world, 0.2);
    dWorldSetCFM(t->world, 1e-10);
}

static void closeTwin(Twin *t)
{
    closeScene(&t->ours);
    dJointGroupDestroy(t->contacts);
    dSpaceDestroy(t->space);
    dWorldDestroy(t->world);
    dCloseODE();
}

static void addFloor(Twin *t)
{
    addWall(&t->ours, v3(0, 0, 1), 0, t->friction);
    dCreatePlane(t->space, 0, 0, 1, 0);
}

static int addTwin(Twin *t, tlwBody b, dGeomID geometry)
{
    b.friction = t->friction;
    b.restitution = t->restitution;
    int index = addBody(&t->ours, b);
    dBodyID o = t->bodies[index] = dBodyCreate(t->world);
    dMass mass;
    dMassSetParameters(&mass, b.mass, 0, 0, 0, b.inertia.m[0][0], b.inertia.m[1][1], b.inertia.m[2][2], 0, 0, 0);
    dBodySetMass(o, &mass);
    dBodySetPosition(o, b.position.x, b.position.y, b.position.z);
    dQuaternion q = {b.rotation.w, b.rotation.x, b.rotation.y, b.rotation.z};
    dBodySetQuaternion(o, q);
    dBodySetLinearVel(o, b.velocity.x, b.velocity.y, b.velocity.z);
    dBodySetAngularVel(o, b.spin.x, b.spin.y, b.spin.z);
    dGeomSetBody(geometry, o);
    return index;
}

static int addTwinBox(Twin *t, double mass, tlwVec3 half, tlwVec3 position, tlwVec3 velocity)
{
    tlwBody b = boxBody(&t->ours, mass, half, position);
    b.velocity = velocity;
    return addTwin(t, b, dCreateBox(t->space, 2 * half.x, 2 * half.y, 2 * half.z));
}

static int addTwinBall(Twin *t, double mass, double radius, tlwVec3 position, tlwVec3 velocity)
{
    tlwBody b = ballBody(&t->ours, mass, radius, position);
    b.velocity = velocity;
    return addTwin(t, b, dCreateSphere(t->space, radius));
}

static void addTwinHinge(Twin *t, int a, int b, tlwVec3 anchor, tlwVec3 axis)
{
    int joint;
    assert_int_equal(tlwAddRigidJoint(t->ours.world, TLW_JOINT_HINGE, a, b, anchor, axis, &joint, NULL), TLW_OK);
    dJointID hinge = dJointCreateHinge(t->world, NULL);
    dJointAttach(hinge, t->bodies[a], b < 0 ? NULL : t->bodies[b]);
    dJointSetHingeAnchor(hinge, anchor.x, anchor.y, anchor.z);
    dJointSetHingeAxis(hinge, axis.x, axis.y, axis.z);
}

static void touch(void *data, dGeomID a, dGeomID b)
{
    Twin *t = data;
    dContact contacts[8] = {0};
    dBodyID body_a = dGeomGetBody(a), body_b = dGeomGetBody(b);
    if (body_a && body_b && dAreConnectedExcluding(body_a, body_b, dJointTypeContact))
        return;
    int count = dCollide(a, b, 8, &contacts[0].geom, sizeof(dContact));
    for (int i = 0; i < count; i++) {
        contacts[i].surface.mode = dContactApprox1 | dContactBounce;
        contacts[i].surface.mu = t->friction;
        contacts[i].surface.bounce = t->restitution;
        contacts[i].surface.bounce_vel = 0.1;
        dJointAttach(dJointCreateContact(t->world, t->contacts, &contacts[i]), body_a, body_b);
    }
}

// Both engines for `seconds`; the oracle in steps `finer` times shorter.
static void runTwin(Twin *t, double seconds, int finer)
{
    run(&t->ours, seconds, DT);
    int steps = (int)lround(seconds / DT) * finer;
    for (int i = 0; i < steps; i++) {
        dSpaceCollide(t->space, t, touch);
        dWorldStep(t->world, DT / finer);
        dJointGroupEmpty(t->contacts);
    }
}

static tlwVec3 oraclePosition(const Twin *t, int index)
{
    const dReal *p = dBodyGetPosition(t->bodies[index]);
    return v3(p[0], p[1], p[2]);
}

static tlwVec3 oracleVelocity(const Twin *t, int index)
{
    const dReal *p = dBodyGetLinearVel(t->bodies[index]);
    return v3(p[0], p[1], p[2]);
}

static tlwVec3 oracleSpin(const Twin *t, int index)
{
    const dReal *p = dBodyGetAngularVel(t->bodies[index]);
    return v3(p[0], p[1], p[2]);
}

static void assertNear(tlwVec3 a, tlwVec3 b, double limit)
{
    if (!(tlwLength(tlwSub(a, b)) < limit))
        fail_msg("(%g %g %g) is %g from (%g %g %g), more than %g", a.x, a.y, a.z, tlwLength(tlwSub(a, b)), b.x, b.y,
                 b.z, limit);
}

static void test_stack_stands_as_the_oracle_says(void **state)
{
    (void)state;
    Twin t;
    openTwin(&t, v3(0, 0, -9.81), 0.5, 0);
    addFloor(&t);
    int boxes[6];
    for (int i = 0; i < 6; i++) // dropped from a little above, not quite centred
        boxes[i] = addTwinBox(&t, 1 + i % 3, v3(0.1, 0.1, 0.1), v3(0.02 * (i % 2), 0.01 * (i % 3), 0.1 + 0.202 * i),
                              v3(0, 0, 0));
    runTwin(&t, 2, 1);
    for (int i = 0; i < 6; i++) {
        assertNear(body(&t.ours, boxes[i])->position, oraclePosition(&t, boxes[i]), 1.5e-3);
        assertNear(body(&t.ours, boxes[i])->velocity, oracleVelocity(&t, boxes[i]), 1e-4);
    }
    closeTwin(&t);
}

static void test_sliding_box_stops_where_the_oracle_says(void **state)
{
    (void)state;
    Twin t;
    openTwin(&t, v3(0, 0, -9.81), 0.3, 0);
    addFloor(&t);
    int box = addTwinBox(&t, 2, v3(0.2, 0.2, 0.05), v3(0, 0, 0.05), v3(2, 0, 0));
    for (int i = 0; i < 10; i++) {
        runTwin(&t, 0.1, 4);
        assertNear(body(&t.ours, box)->position, oraclePosition(&t, box), 3e-3);
        assertNear(body(&t.ours, box)->velocity, oracleVelocity(&t, box), 1e-2);
    }
    assert_true(body(&t.ours, box)->position.x > 0.6 && body(&t.ours, box)->velocity.x < 1e-4);
    closeTwin(&t);
}

static void test_ball_goes_from_sliding_to_rolling_like_the_oracle(void **state)
{
    (void)state;
    Twin t;
    openTwin(&t, v3(1, 0, -9.81), 0.2, 0);
    addFloor(&t);
    int ball = addTwinBall(&t, 1, 0.1, v3(0, 0, 0.1), v3(2, 0, 0));
    for (int i = 0; i < 8; i++) {
        runTwin(&t, 0.1, 4);
        assertNear(body(&t.ours, ball)->velocity, oracleVelocity(&t, ball), 1e-2);
        assertNear(body(&t.ours, ball)->spin, oracleSpin(&t, ball), 0.15);
    }
    closeTwin(&t);
}

static void test_double_pendulum_swings_like_the_oracle(void **state)
{
    (void)state;
    Twin t;
    openTwin(&t, v3(0, 0, -9.81), 0, 0);
    int upper = addTwinBox(&t, 1, v3(0.2, 0.05, 0.05), v3(0.2, 0, 0), v3(0, 0, 0));
    int lower = addTwinBox(&t, 3, v3(0.2, 0.05, 0.05), v3(0.6, 0, 0), v3(0, 0, 0));
    addTwinHinge(&t, upper, -1, v3(0, 0, 0), v3(0, 1, 0));
    addTwinHinge(&t, lower, upper, v3(0.4, 0, 0), v3(0, 1, 0));
    for (int i = 0; i < 12; i++) { // beyond a second or so it is chaotic
        runTwin(&t, 0.1, 20);
        assertNear(body(&t.ours, upper)->position, oraclePosition(&t, upper), 5e-3);
        assertNear(body(&t.ours, lower)->position, oraclePosition(&t, lower), 5e-3);
    }
    closeTwin(&t);
}

static void test_four_balls_scatter_like_the_oracle(void **state)
{
    (void)state;
    for (int k = 1; k < 3; k++) { // not without bounce: there the oracle's answer depends on its step length
        Twin t;
        openTwin(&t, v3(0, 0, 0), 0, 0.4 * k);
        int balls[4];
        balls[0] = addTwinBall(&t, 1, 0.1, v3(-0.6, 0.03, 0), v3(3, 0, 0));
        balls[1] = addTwinBall(&t, 2, 0.1, v3(0, 0, 0.02), v3(0, 0, 0));
        balls[2] = addTwinBall(&t, 0.5, 0.08, v3(0.5, -0.05, 0), v3(-0.5, 0, 0));
        balls[3] = addTwinBall(&t, 4, 0.15, v3(0.35, 0.7, 0), v3(0, -1, 0));
        runTwin(&t, 1.2, 40);
        double scattered = 0;
        for (int i = 0; i < 4; i++) {
            assertNear(body(&t.ours, balls[i])->velocity, oracleVelocity(&t, balls[i]), 0.02);
            scattered += fabs(body(&t.ours, balls[i])->velocity.y);
        }
        assert_true(scattered > 0.3);
        closeTwin(&t);
    }
}

static void test_box_knocks_over_a_box_like_the_oracle(void **state)
{
    (void)state;
    Twin t;
    openTwin(&t, v3(0, 0, 0), 0, 0);
    int hit = addTwinBox(&t, 2, v3(0.1, 0.1, 0.3), v3(0, 0, 0), v3(0, 0, 0));
    int bullet = addTwinBall(&t, 1, 0.05, v3(-0.6, 0.03, 0.2), v3(4, 0, 0));
    runTwin(&t, 0.2, 10);
    assertNear(body(&t.ours, hit)->velocity, oracleVelocity(&t, hit), 0.01);
    assertNear(body(&t.ours, bullet)->velocity, oracleVelocity(&t, bullet), 0.02);
    assertNear(body(&t.ours, hit)->spin, oracleSpin(&t, hit), 0.1);
    assert_true(tlwLength(body(&t.ours, hit)->spin) > 3);
    closeTwin(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stack_stands_as_the_oracle_says),
        cmocka_unit_test(test_sliding_box_stops_where_the_oracle_says),
        cmocka_unit_test(test_ball_goes_from_sliding_to_rolling_like_the_oracle),
        cmocka_unit_test(test_double_pendulum_swings_like_the_oracle),
        cmocka_unit_test(test_four_balls_scatter_like_the_oracle),
        cmocka_unit_test(test_box_knocks_over_a_box_like_the_oracle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
