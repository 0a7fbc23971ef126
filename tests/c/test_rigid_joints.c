// Joints hold: ball, hinge, slider, fixed; between bodies and to the world.
#include "rigid_helpers.h"

#include "rigid/step.h"

#define DT (1.0 / 240)

static int addJoint(Scene *s, tlwJointKind kind, int a, int b, tlwVec3 anchor, tlwVec3 axis)
{
    int joint = -1;
    assert_int_equal(tlwAddRigidJoint(s->world, kind, a, b, anchor, axis, &joint, &s->message), TLW_OK);
    return joint;
}

// How far a joint is from closed: m at the anchor (across the axis for a slider) and radians.
static void measure(const Scene *s, int index, double *gap, double *angle)
{
    const tlwRigidJoint *joint = &s->world->joints[index];
    const tlwBody *a = body(s, joint->body_a), *b = joint->body_b < 0 ? NULL : body(s, joint->body_b);
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

static void test_chain_of_eight_holds_a_heavy_end(void **state)
{
    (void)state;
    Scene s;
    openScene(&s, v3(0, 0, -9.81));
    int previous = -1;
    for (int i = 0; i < 8; i++) {
        int link = addBody(&s, boxBody(&s, i == 7 ? 10 : 1, v3(0.1, 0.02, 0.02), v3(0.1 + 0.2 * i, 0, 0)));
        addJoint(&s, TLW_JOINT_BALL, link, previous, v3(0.2 * i, 0, 0), v3(0, 0, 0));
        previous = link;
    }
    double worst = 0;
    for (int i = 0; i < 720; i++) {
        run(&s, DT, DT);
        for (int j = 0; j < 8; j++) {
            double gap, angle;
            measure(&s, j, &gap, &angle);
            worst = fmax(worst, gap);
        }
    }
    assert_true(worst < 3e-4); // swinging from horizontal
    closeScene(&s);
}

static void test_hinge_turns_about_its_axis_only(void **state)
{
    (void)state;
    Scene s;
    openScene(&s, v3(0, 0, -9.81));
    int door = addBody(&s, boxBody(&s, 3, v3(0.4, 0.05, 0.3), v3(0.4, 0, 0)));
    int hinge = addJoint(&s, TLW_JOINT_HINGE, door, -1, v3(0, 0, 0), v3(0, 0, 1));
    s.world->bodies[door].spin = v3(0, 0, 4);
    s.world->bodies[door].velocity = v3(0, 1.6, 0);
    double energy = kineticEnergy(body(&s, door)), gap, angle;
    for (int i = 0; i < 480; i++) {
        run(&s, DT, DT);
        measure(&s, hinge, &gap, &angle);
        assert_true(gap < 1e-3 && angle < 2e-3);
    }
    // A frictionless vertical hinge takes no energy.
    assert_true(fabs(kineticEnergy(body(&s, door)) / energy - 1) < 0.02);
    // The world holds its weight.
    assert_true(fabs(body(&s, door)->joint_impulse.z / DT - 3 * 9.81) < 0.05);
    closeScene(&s);
}

static void test_pendulum_keeps_its_period(void **state)
{
    (void)state;
    Scene s;
    openScene(&s, v3(0, 0, -9.81));
    double length = 0.5, swing = 0.05;
    tlwBody b = boxBody(&s, 1, v3(0.05, 0.05, 0.05), v3(length * sin(swing), 0, -length * cos(swing)));
    b.rotation = tlwQuatFromRotationVector(v3(0, -swing, 0));
    int bob = addBody(&s, b);
    addJoint(&s, TLW_JOINT_HINGE, bob, -1, v3(0, 0, 0), v3(0, 1, 0));
    double inertia = b.inertia.m[1][1] + length * length, before = 0, first = -1, last = -1;
    int crossings = 0;
    for (int i = 0; i < 2400; i++) {
        double x = body(&s, bob)->position.x;
        if (i && (x > 0) != (before > 0)) {
            double t = (i - 1 + before / (before - x)) * DT;
            first = first < 0 ? t : first;
            last = t;
            crossings++;
        }
        before = x;
        run(&s, DT, DT);
    }
    double period = 2 * (last - first) / (crossings - 1);
    double want = 2 * 3.141592653589793 * sqrt(inertia / (9.81 * length)) * (1 + swing * swing / 16);
    assert_true(fabs(period / want - 1) < 2e-3);
    assert_true(fabs(body(&s, bob)->position.x) < 1.02 * length * swing);
    closeScene(&s);
}

static void test_slider_slides_and_does_not_turn(void **state)
{
    (void)state;
    Scene s;
    openScene(&s, v3(0, 0, -9.81));
    tlwVec3 axis = tlwNormalize(v3(1, 0, -1));
    int rail = addBody(&s, boxBody(&s, 2, v3(0.1, 0.1, 0.1), v3(0, 0, 0)));
    int joint = addJoint(&s, TLW_JOINT_SLIDER, rail, -1, v3(0, 0.3, 0), axis); // off its centre
    s.world->bodies[rail].torque = v3(0, 0, 0);
    double gap, angle;
    for (int i = 0; i < 240; i++) {
        s.world->bodies[rail].torque = v3(1, 2, 3);
        run(&s, DT, DT);
        measure(&s, joint, &gap, &angle);
        assert_true(gap < 1e-3 && angle < 2e-3);
    }
    double speed = tlwDot(body(&s, rail)->velocity, axis);
    assert_true(fabs(speed / (9.81 * sqrt(0.5)) - 1) < 1e-3);
    closeScene(&s);
}

static void test_slider_between_bodies_keeps_momentum(void **state)
{
    (void)state;
    Scene s;
    openScene(&s, v3(0, 0, 0));
    int a = addBody(&s, boxBody(&s, 2, v3(0.1, 0.1, 0.1), v3(0, 0, 0)));
    int b = addBody(&s, boxBody(&s, 1, v3(0.1, 0.1, 0.1), v3(0.5, 0, 0)));
    int joint = addJoint(&s, TLW_JOINT_SLIDER, a, b, v3(0.25, 0, 0), v3(1, 0, 0));
    s.world->bodies[a].velocity = v3(-0.3, 0, 0);
    s.world->bodies[b].velocity = v3(0.6, 1, 0);
    tlwVec3 l0 = tlwAdd(angularMomentum(body(&s, a)), angularMomentum(body(&s, b)));
    run(&s, 1, DT);
    tlwVec3 l1 = tlwAdd(angularMomentum(body(&s, a)), angularMomentum(body(&s, b)));
    double gap, angle;
    measure(&s, joint, &gap, &angle);
    assert_true(gap < 1e-3 && angle < 1e-3);
    assert_true(tlwLength(tlwSub(l1, l0)) < 1e-12);
    assert_true(fabs(2 * body(&s, a)->velocity.y + body(&s, b)->velocity.y - 1) < 1e-12);
    assert_true(tlwLength(tlwSub(body(&s, a)->position, body(&s, b)->position)) > 1);
    closeScene(&s);
}

// A bar of two boxes behaves as the one box that it is.
static void test_fixed_bodies_move_as_one(void **state)
{
    (void)state;
    Scene two, one;
    openScene(&two, v3(0, 0, -9.81));
    openScene(&one, v3(0, 0, -9.81));
    addWall(&two, v3(0, 0, 1), 0, 0.5);
    addWall(&one, v3(0, 0, 1), 0, 0.5);
    tlwQuat tilt = tlwQuatFromRotationVector(v3(0.3, 0.4, 0.1));
    int ends[2], whole;
    for (int i = 0; i < 2; i++) {
        tlwBody b =
            boxBody(&two, 1, v3(0.1, 0.1, 0.1), tlwAdd(v3(0, 0, 0.6), tlwRotate(tilt, v3(i ? 0.1 : -0.1, 0, 0))));
        b.rotation = tilt;
        b.spin = v3(0, 0, 3);
        b.velocity = tlwCross(b.spin, tlwSub(b.position, v3(0, 0, 0.6)));
        ends[i] = addBody(&two, b);
    }
    addJoint(&two, TLW_JOINT_FIXED, ends[0], ends[1], v3(0, 0, 0.6), v3(0, 0, 0));
    tlwBody b = boxBody(&one, 2, v3(0.2, 0.1, 0.1), v3(0, 0, 0.6));
    b.rotation = tilt;
    b.spin = v3(0, 0, 3);
    whole = addBody(&one, b);
    run(&two, 0.2, DT); // free fall
    run(&one, 0.2, DT);
    tlwVec3 middle = tlwScale(tlwAdd(body(&two, ends[0])->position, body(&two, ends[1])->position), 0.5);
    assert_true(tlwLength(tlwSub(middle, body(&one, whole)->position)) < 1e-12);
    assert_true(tlwLength(tlwSub(body(&two, ends[0])->spin, body(&one, whole)->spin)) < 1e-11);
    run(&two, 2, DT); // lands, and lies
    tlwVec3 apart = tlwSub(body(&two, ends[1])->position, body(&two, ends[0])->position);
    assert_true(fabs(tlwLength(apart) - 0.2) < 1e-12);
    assert_true(tlwLength(body(&two, ends[0])->velocity) < 1e-5);
    assert_true(fabs(body(&two, 0)->contact_impulse.z / DT + 2 * 9.81) < 1e-3);
    closeScene(&two);
    closeScene(&one);
}

// The liquid pushes bodies one by one; what is fixed together must not come apart.
static void test_fixed_bodies_share_a_push_after_the_solve(void **state)
{
    (void)state;
    Scene s;
    openScene(&s, v3(0, 0, 0));
    int a = addBody(&s, boxBody(&s, 1, v3(0.1, 0.1, 0.1), v3(-0.1, 0, 0)));
    int b = addBody(&s, boxBody(&s, 3, v3(0.1, 0.1, 0.1), v3(0.1, 0, 0)));
    addJoint(&s, TLW_JOINT_FIXED, a, b, v3(0, 0, 0), v3(0, 0, 0));
    for (int i = 0; i < 200; i++) {
        assert_int_equal(tlwSolveRigidWorld(s.world, 0.01, &s.message), TLW_OK);
        s.world->bodies[a].velocity.y += 0.02;
        assert_int_equal(tlwMoveRigidWorld(s.world, 0.01, &s.message), TLW_OK);
    }
    assert_true(fabs(tlwLength(tlwSub(body(&s, a)->position, body(&s, b)->position)) - 0.2) < 1e-12);
    assert_true(tlwLength(tlwSub(body(&s, a)->spin, body(&s, b)->spin)) < 1e-12);
    assert_true(fabs(body(&s, a)->velocity.y + 3 * body(&s, b)->velocity.y - 4) < 1e-9);
    assert_true(fabs(body(&s, a)->spin.z) > 1);
    closeScene(&s);
}

static void test_fixed_to_the_world_stays_put_under_any_load(void **state)
{
    (void)state;
    Scene s;
    openScene(&s, v3(0, 0, -9.81));
    int shelf = addBody(&s, boxBody(&s, 0.01, v3(0.3, 0.3, 0.01), v3(0, 0, 0)));
    addJoint(&s, TLW_JOINT_FIXED, shelf, -1, v3(-0.3, 0, 0), v3(0, 0, 0));
    addBody(&s, boxBody(&s, 100, v3(0.1, 0.1, 0.1), v3(0.1, 0, 0.11)));
    run(&s, 1, DT);
    assert_true(tlwLength(body(&s, shelf)->position) == 0);
    // The joint carries the shelf and the load.
    assert_true(fabs(body(&s, shelf)->joint_impulse.z / DT - 100.01 * 9.81) < 0.5);
    closeScene(&s);
}

static void test_kinematic_body_drags_what_hangs_on_it(void **state)
{
    (void)state;
    Scene s;
    openScene(&s, v3(0, 0, -9.81));
    tlwBody h = boxBody(&s, 1, v3(0.05, 0.05, 0.05), v3(0, 0, 1));
    h.motion = TLW_MOTION_KINEMATIC;
    h.velocity = v3(0.5, 0, 0);
    int hand = addBody(&s, h), load = addBody(&s, boxBody(&s, 5, v3(0.05, 0.05, 0.2), v3(0, 0, 0.7)));
    int joint = addJoint(&s, TLW_JOINT_BALL, hand, load, v3(0, 0, 0.95), v3(0, 0, 0));
    double gap, angle, worst = 0;
    for (int i = 0; i < 720; i++) {
        run(&s, DT, DT);
        measure(&s, joint, &gap, &angle);
        worst = fmax(worst, gap);
    }
    assert_true(worst < 1e-3);
    assert_true(fabs(body(&s, hand)->position.x - 1.5) < 1e-9);
    assert_true(fabs(body(&s, load)->position.x - 1.5) < 0.2);
    closeScene(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chain_of_eight_holds_a_heavy_end),
        cmocka_unit_test(test_hinge_turns_about_its_axis_only),
        cmocka_unit_test(test_pendulum_keeps_its_period),
        cmocka_unit_test(test_slider_slides_and_does_not_turn),
        cmocka_unit_test(test_slider_between_bodies_keeps_momentum),
        cmocka_unit_test(test_fixed_bodies_move_as_one),
        cmocka_unit_test(test_fixed_bodies_share_a_push_after_the_solve),
        cmocka_unit_test(test_fixed_to_the_world_stays_put_under_any_load),
        cmocka_unit_test(test_kinematic_body_drags_what_hangs_on_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
