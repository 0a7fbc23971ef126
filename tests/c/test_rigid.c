// Rigid bodies by themselves: resting, sliding, spinning, bouncing, not passing through each other.
#include "rigid_helpers.h"

#include "rigid/overlap.h"
#include "rigid/step.h"

#define DT (1.0 / 240)

// Ten boxes with half side `a`, one on the other, after 3 s.
static void checkStack(double a)
{
    Scene s;
    openScene(&s, v3(0, 0, -9.81));
    int floor = addWall(&s, v3(0, 0, 1), 0, 0.5), boxes[10];
    for (int i = 0; i < 10; i++)
        boxes[i] = addBody(&s, boxBody(&s, 1, v3(a, a, a), v3(0, 0, a * (2 * i + 1))));
    run(&s, 3, DT);
    for (int i = 0; i < 10; i++) {
        const tlwBody *b = body(&s, boxes[i]);
        assert_true(hypot(b->position.x, b->position.y) < 2e-4 * fmin(1, 10 * a));
        assert_true(tlwLength(b->velocity) < 1e-6);
        assert_true(tlwLength(b->spin) * a < 1e-6);
        assert_true(fabs(b->position.z - a * (2 * i + 1)) < 4e-4);
    }
    assert_true(deepest(&s) < 1e-4);
    assert_true(fabs(-body(&s, floor)->contact_impulse.z / DT - 98.1) < 1e-3);
    closeScene(&s);
}

static void test_stack_of_ten_comes_to_rest(void **state)
{
    (void)state;
    checkStack(0.1);
}

static void test_stack_rests_at_any_size(void **state)
{
    (void)state;
    checkStack(0.005);
    checkStack(5);
}

static void test_stack_rests_when_dropped_crooked(void **state)
{
    (void)state;
    Scene s;
    openScene(&s, v3(0, 0, -9.81));
    addWall(&s, v3(0, 0, 1), 0, 0.6);
    for (int i = 0; i < 6; i++) {
        tlwBody b = boxBody(&s, 1, v3(0.1, 0.1, 0.1), v3(0.02 * (i % 2), 0.015 * (i % 3), 0.1 + 0.21 * i));
        b.rotation = tlwQuatFromRotationVector(v3(0, 0, 0.3 * i));
        b.friction = 0.6;
        addBody(&s, b);
    }
    run(&s, 4, DT);
    for (int i = 1; i <= 6; i++) {
        assert_true(tlwLength(body(&s, i)->velocity) < 1e-4);
        assert_true(fabs(body(&s, i)->position.z - 0.1 - 0.2 * (i - 1)) < 2e-3);
    }
    closeScene(&s);
}

static void test_heavy_box_rests_on_light_one(void **state)
{
    (void)state;
    Scene s;
    openScene(&s, v3(0, 0, -9.81));
    int floor = addWall(&s, v3(0, 0, 1), 0, 0.5);
    int light = addBody(&s, boxBody(&s, 0.05, v3(0.1, 0.1, 0.1), v3(0, 0, 0.1)));
    int heavy = addBody(&s, boxBody(&s, 20, v3(0.1, 0.1, 0.1), v3(0, 0, 0.3)));
    run(&s, 3, DT);
    assert_true(fabs(body(&s, heavy)->position.z - 0.3) < 1.7e-3);
    assert_true(hypot(body(&s, heavy)->position.x, body(&s, heavy)->position.y) < 1e-3);
    assert_true(tlwLength(body(&s, heavy)->velocity) < 1e-4 && tlwLength(body(&s, light)->velocity) < 1e-4);
    assert_true(fabs(-body(&s, floor)->contact_impulse.z / DT - 20.05 * 9.81) < 0.05);
    closeScene(&s);
}

static void test_friction_is_a_cone_not_a_pyramid(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        Scene s;
        openScene(&s, v3(0, 0, -9.81));
        addWall(&s, v3(0, 0, 1), 0, 1.5115 / 9.81);
        tlwBody b = boxBody(&s, 1, v3(0.2, 0.2, 0.05), v3(0, 0, 0.05));
        b.friction = 1.5115 / 9.81;
        double angle = k * 0.2617993877991494; // 0, 15, 30, 45 degrees
        b.velocity = v3(2 * cos(angle), 2 * sin(angle), 0);
        int box = addBody(&s, b);
        run(&s, 0.25, DT);
        double before = tlwLength(body(&s, box)->velocity);
        run(&s, 0.5, DT);
        double after = tlwLength(body(&s, box)->velocity);
        assert_true(fabs((before - after) / 0.5 - 1.5115) < 1e-3);
        assert_true(fabs(atan2(body(&s, box)->velocity.y, body(&s, box)->velocity.x) - angle) < 1e-4);
        closeScene(&s);
    }
}

// A box on a slope holds below the angle of friction and slides with g (sin - mu cos) above it.
static void test_slope_holds_until_friction_gives(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        double slope = k ? 0.6 : 0.4, mu = 0.5; // atan(0.5) = 0.4636
        Scene s;
        openScene(&s, v3(9.81 * sin(slope), 0, -9.81 * cos(slope)));
        addWall(&s, v3(0, 0, 1), 0, mu);
        tlwBody b = boxBody(&s, 2, v3(0.2, 0.2, 0.05), v3(0, 0, 0.05));
        b.friction = mu;
        int box = addBody(&s, b);
        run(&s, 1, DT);
        double want = k ? 9.81 * (sin(slope) - mu * cos(slope)) : 0;
        assert_true(fabs(body(&s, box)->velocity.x - want) < 5e-3);
        if (!k)
            assert_true(fabs(body(&s, box)->position.x) < 1e-4);
        closeScene(&s);
    }
}

static void test_ball_spinning_in_a_corner_rubs_both_walls(void **state)
{
    (void)state;
    Scene s;
    openScene(&s, v3(0, 0, -9.81));
    addWall(&s, v3(0, 0, 1), 0, 0);
    int wall = addWall(&s, v3(1, 0, 0), 0, 0.2);
    tlwBody b = ballBody(&s, 1, 0.1, v3(0.1, 0, 0.1));
    b.friction = 0.2;
    b.spin = v3(0, 0, 20);
    int ball = addBody(&s, b);
    for (int i = 0; i < 48; i++) {
        s.world->bodies[ball].force = v3(-9.81, 0, 0);
        run(&s, DT, DT);
    }
    assert_true(fabs(fabs(body(&s, wall)->contact_impulse.y) / DT - 1.962) < 0.005);
    assert_true(fabs(body(&s, wall)->contact_impulse.x / DT + 9.81) < 0.01);
    closeScene(&s);
}

static void test_rolling_ball_reaches_five_sevenths(void **state)
{
    (void)state;
    Scene s;
    openScene(&s, v3(0, 0, -9.81));
    addWall(&s, v3(0, 0, 1), 0, 0.3);
    tlwBody b = ballBody(&s, 1, 0.1, v3(0, 0, 0.1));
    b.friction = 0.3;
    b.velocity = v3(1.4, 0, 0);
    int ball = addBody(&s, b);
    run(&s, 1, DT);
    assert_true(fabs(body(&s, ball)->velocity.x - 1.0) < 1e-3);
    assert_true(fabs(body(&s, ball)->spin.y - 10.0) < 1e-2);
    closeScene(&s);
}

static void test_free_box_keeps_energy_and_momentum(void **state)
{
    (void)state;
    Scene s;
    openScene(&s, v3(0, 0, 0));
    tlwBody b = boxBody(&s, 2, v3(0.3, 0.2, 0.1), v3(0, 0, 0));
    b.spin = v3(0.1, 8, 0.1); // about the middle axis: it flips over and over
    int box = addBody(&s, b);
    double energy = kineticEnergy(body(&s, box)), flipped = 0;
    tlwVec3 momentum = angularMomentum(body(&s, box));
    for (int i = 0; i < 2400; i++) {
        run(&s, DT, DT);
        assert_true(fabs(kineticEnergy(body(&s, box)) / energy - 1) < 5e-6);
        flipped = fmin(flipped, tlwRotate(body(&s, box)->rotation, v3(0, 1, 0)).y);
    }
    tlwVec3 drift = tlwSub(angularMomentum(body(&s, box)), momentum);
    assert_true(tlwLength(drift) < 1e-12 * tlwLength(momentum));
    assert_true(flipped < -0.9);
    closeScene(&s);
}

static void test_rotation_in_coarse_steps_does_not_gain_energy(void **state)
{
    (void)state;
    tlwMat3 inertia = boxInertia(2, v3(0.3, 0.2, 0.1)), inverse = tlwMat3Inverse(inertia);
    tlwQuat q = {1, 0, 0, 0};
    tlwVec3 spin = v3(0.1, 8, 0.1);
    double energy = 0.5 * tlwDot(spin, tlwMulMat3(inertia, spin)), worst = 0;
    for (int i = 0; i < 5000; i++) {
        tlwIntegrateRotation(&q, &spin, &inertia, &inverse, 0.04); // a third of a radian each
        worst = fmax(worst, fabs(0.5 * tlwDot(spin, tlwMulMat3(tlwRotateMat3(q, inertia), spin)) / energy - 1));
    }
    assert_true(worst < 0.01);
}

static double nextRandom(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) / 16777216.0 - 0.5;
}

static void totalMomentum(const Scene *s, int count, tlwVec3 *p, tlwVec3 *l)
{
    *p = *l = v3(0, 0, 0);
    for (int i = 0; i < count; i++) {
        *p = tlwMulAdd(*p, body(s, i)->mass, body(s, i)->velocity);
        *l = tlwAdd(*l, angularMomentum(body(s, i)));
    }
}

static void test_collisions_keep_momentum(void **state)
{
    (void)state;
    Scene s;
    openScene(&s, v3(0, 0, 0));
    unsigned seed = 7;
    for (int i = 0; i < 12; i++) {
        tlwBody b =
            i % 2 ? boxBody(&s, 1 + i, v3(0.1, 0.15, 0.2), v3(0, 0, 0)) : ballBody(&s, 1 + 0.3 * i, 0.15, v3(0, 0, 0));
        b.position = v3(i % 3 * 0.5 + 0.1 * nextRandom(&seed), i / 3 % 2 * 0.5 + 0.1 * nextRandom(&seed),
                        i / 6 * 0.5 + 0.1 * nextRandom(&seed));
        b.velocity = tlwScale(tlwSub(v3(0.5, 0.25, 0.25), b.position), 4);
        b.spin = v3(5 * nextRandom(&seed), 5 * nextRandom(&seed), 5 * nextRandom(&seed));
        b.restitution = 0.3;
        addBody(&s, b);
    }
    int joint;
    assert_int_equal(tlwAddRigidJoint(s.world, TLW_JOINT_HINGE, 0, 1, v3(0.25, 0, 0), v3(0, 0, 1), &joint, &s.message),
                     TLW_OK);
    tlwVec3 p0, l0, p1, l1;
    totalMomentum(&s, 12, &p0, &l0);
    double energy = 0, energy_after = 0;
    for (int i = 0; i < 12; i++)
        energy += kineticEnergy(body(&s, i));
    run(&s, 1, DT);
    totalMomentum(&s, 12, &p1, &l1);
    for (int i = 0; i < 12; i++)
        energy_after += kineticEnergy(body(&s, i));
    assert_true(energy_after < 0.9 * energy); // they did hit each other
    assert_true(tlwLength(tlwSub(p1, p0)) < 1e-12 * tlwLength(p0));
    assert_true(tlwLength(tlwSub(l1, l0)) < 1e-12 * tlwLength(p0));
    closeScene(&s);
}

static void test_fast_bodies_do_not_pass_a_thin_wall(void **state)
{
    (void)state;
    for (int k = 0; k < 12; k++) {
        Scene s;
        openScene(&s, v3(0, 0, 0));
        tlwBody w = boxBody(&s, 1, v3(0.01, 1, 1), v3(0, 0, 0));
        w.motion = TLW_MOTION_STATIC;
        addBody(&s, w);
        double start = -1.03 - 0.017 * k; // so that the step ends at ever other places of the wall
        tlwBody b = ballBody(&s, 1, 0.05, v3(start, 0.1, 0.2));
        tlwBody c = boxBody(&s, 1, v3(0.05, 0.05, 0.05), v3(start, -0.3, 0));
        b.velocity = c.velocity = v3(50, 0, 0);
        c.spin = v3(3, 20 * k, 1);
        int ball = addBody(&s, b), box = addBody(&s, c);
        run(&s, 0.1, DT);
        assert_true(body(&s, ball)->position.x < -0.0599 && body(&s, box)->position.x < -0.05);
        closeScene(&s);
    }
}

static void test_thin_plate_stops_on_a_thin_post(void **state)
{
    (void)state;
    Scene s;
    openScene(&s, v3(0, 0, -9.81));
    tlwBody post = boxBody(&s, 1, v3(0.01, 0.01, 0.5), v3(0.037, 0.021, -0.5));
    post.motion = TLW_MOTION_STATIC;
    addBody(&s, post);
    tlwBody plate = boxBody(&s, 1, v3(0.5, 0.5, 0.005), v3(0, 0, 1));
    plate.velocity = v3(0, 0, -40);
    int index = addBody(&s, plate);
    run(&s, 0.03, DT);
    assert_true(body(&s, index)->position.z > -0.02);
    closeScene(&s);
}

static void test_ball_bounces_as_high_as_restitution_says(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        double e = 0.25 + 0.25 * k;
        Scene s;
        openScene(&s, v3(0, 0, -9.81));
        addWall(&s, v3(0, 0, 1), 0, 0.5);
        tlwBody b = ballBody(&s, 1, 0.1, v3(0, 0, 1.1));
        b.restitution = e;
        int ball = addBody(&s, b);
        double top = 0;
        bool hit = false;
        for (int i = 0; i < 300; i++) {
            run(&s, DT, DT);
            hit = hit || body(&s, ball)->velocity.z > 0.1;
            if (hit)
                top = fmax(top, body(&s, ball)->position.z - 0.1);
        }
        assert_true(fabs(top / (e * e) - 1) < 0.05);
        run(&s, 4, DT);
        assert_true(tlwLength(body(&s, ball)->velocity) < 1e-3);
        closeScene(&s);
    }
}

static void test_flat_landing_bounces_without_turning(void **state)
{
    (void)state;
    Scene s;
    openScene(&s, v3(0, 0, 0));
    addWall(&s, v3(0, 0, 1), 0, 0.5);
    tlwBody b = boxBody(&s, 1, v3(0.2, 0.1, 0.1), v3(0, 0, 0.3));
    b.velocity = v3(0, 0, -2);
    b.restitution = 0.8;
    int box = addBody(&s, b);
    run(&s, 0.25, DT);
    assert_true(fabs(body(&s, box)->velocity.z - 1.6) < 1e-3);
    assert_true(tlwLength(body(&s, box)->spin) < 1e-3);
    closeScene(&s);
}

static void test_moving_floor_carries_a_box(void **state)
{
    (void)state;
    Scene s;
    openScene(&s, v3(0, 0, -9.81));
    tlwBody belt = boxBody(&s, 1, v3(5, 1, 0.1), v3(0, 0, -0.1));
    belt.motion = TLW_MOTION_KINEMATIC;
    belt.velocity = v3(0.7, 0, 0.1);
    int carrier = addBody(&s, belt), box = addBody(&s, boxBody(&s, 3, v3(0.1, 0.1, 0.1), v3(0, 0, 0.1)));
    run(&s, 1, DT);
    assert_true(tlwLength(tlwSub(body(&s, box)->velocity, belt.velocity)) < 1e-4);
    assert_true(fabs(body(&s, carrier)->position.x - 0.7) < 1e-12);
    assert_true(fabs(body(&s, box)->position.z - body(&s, carrier)->position.z - 0.2) < 1e-3);
    closeScene(&s);
}

static void test_split_solve_leaves_poses_until_moved(void **state)
{
    (void)state;
    Scene s;
    openScene(&s, v3(0, 0, -9.81));
    tlwBody b = ballBody(&s, 2, 0.1, v3(0, 0, 5));
    b.gravity_scale = 0;
    int ball = addBody(&s, b);
    tlwSetPredictedVelocity(s.world, ball, v3(1, 0, -0.5), v3(0, 3, 0), 0.01);
    assert_int_equal(tlwSolveRigidWorld(s.world, 0.01, &s.message), TLW_OK);
    assert_true(tlwLength(tlwSub(body(&s, ball)->velocity, v3(1, 0, -0.5))) < 1e-12);
    assert_true(fabs(body(&s, ball)->spin.y - 3) < 1e-12);
    assert_true(body(&s, ball)->position.x == 0);
    s.world->bodies[ball].velocity.y += 2; // the liquid has a say in between
    assert_int_equal(tlwMoveRigidWorld(s.world, 0.01, &s.message), TLW_OK);
    assert_true(fabs(body(&s, ball)->position.y - 0.02) < 1e-12);
    assert_true(body(&s, ball)->position.x > 0.005 && body(&s, ball)->position.x < 0.01);
    closeScene(&s);
}

static void test_long_step_gives_the_same_rest(void **state)
{
    (void)state;
    Scene s;
    openScene(&s, v3(0, 0, -9.81));
    int floor = addWall(&s, v3(0, 0, 1), 0, 0.5);
    for (int i = 0; i < 5; i++)
        addBody(&s, boxBody(&s, 1, v3(0.1, 0.1, 0.1), v3(0, 0, 0.1 + 0.2 * i)));
    run(&s, 2, 1.0 / 24); // a whole frame at once
    assert_true(fabs(-body(&s, floor)->contact_impulse.z * 24 - 49.05) < 1e-3);
    run(&s, 1.0 / 2400, 1.0 / 2400); // and very short steps after it, at once with the right force
    assert_true(fabs(-body(&s, floor)->contact_impulse.z * 2400 - 49.05) < 0.5);
    run(&s, 0.2, 1.0 / 2400);
    assert_true(fabs(-body(&s, floor)->contact_impulse.z * 2400 - 49.05) < 0.05);
    for (int i = 1; i <= 5; i++)
        assert_true(tlwLength(body(&s, i)->velocity) < 1e-4);
    closeScene(&s);
}

// How the liquid drives bodies: each step it says what the velocity would be without contacts.
static void test_predicted_velocities_rest_like_gravity(void **state)
{
    (void)state;
    Scene s;
    openScene(&s, v3(0, 0, -9.81));
    int floor = addWall(&s, v3(0, 0, 1), 0, 0.5), boxes[3];
    for (int i = 0; i < 3; i++) {
        tlwBody b = boxBody(&s, 2, v3(0.1, 0.1, 0.1), v3(0, 0, 0.1 + 0.2 * i));
        b.gravity_scale = 0;
        boxes[i] = addBody(&s, b);
    }
    double dt = 0.01;
    for (int k = 0; k < 200; k++) {
        for (int i = 0; i < 3; i++) {
            const tlwBody *b = body(&s, boxes[i]);
            tlwSetPredictedVelocity(s.world, boxes[i], tlwMulAdd(b->velocity, dt, v3(0, 0, -4)), b->spin, dt);
        }
        run(&s, dt, dt);
    }
    assert_true(fabs(-body(&s, floor)->contact_impulse.z / dt - 24) < 1e-3);
    assert_true(fabs(body(&s, boxes[0])->contact_impulse.z / dt - 8) < 1e-3);
    assert_true(tlwLength(body(&s, boxes[2])->velocity) < 1e-6);
    closeScene(&s);
}

static void test_overlap_at_the_start_is_reported(void **state)
{
    (void)state;
    Scene s;
    openScene(&s, v3(0, 0, -9.81));
    int big = addBody(&s, boxBody(&s, 1, v3(0.5, 0.5, 0.5), v3(0, 0, 0)));
    int apart = addBody(&s, boxBody(&s, 1, v3(0.1, 0.1, 0.1), v3(0.6, 0, 0)));
    int inside = addBody(&s, ballBody(&s, 1, 0.1, v3(0, 0, 0.45)));
    tlwOverlap found[4];
    int count = 0;
    assert_int_equal(tlwFindOverlaps(s.world, 0.02, found, 4, &count, &s.message), TLW_OK);
    assert_int_equal(count, 1);
    assert_int_equal(found[0].body_a, big);
    assert_int_equal(found[0].body_b, inside);
    assert_true(fabs(found[0].depth - 0.15) < 1e-9);
    s.world->bodies[inside].position = v3(0.6, 0, 0);
    assert_int_equal(tlwFindOverlaps(s.world, 0.02, found, 4, &count, &s.message), TLW_OK);
    assert_int_equal(count, 1);
    assert_true(found[0].body_a == apart && found[0].body_b == inside && found[0].depth > 0.15);
    closeScene(&s);
}

static void test_overlapping_bodies_part_gently(void **state)
{
    (void)state;
    Scene s;
    openScene(&s, v3(0, 0, 0));
    addBody(&s, boxBody(&s, 1, v3(0.1, 0.1, 0.1), v3(0, 0, 0)));
    addBody(&s, boxBody(&s, 1, v3(0.1, 0.1, 0.1), v3(0.17, 0.01, 0)));
    run(&s, 1, DT);
    assert_true(deepest(&s) < 1e-3);
    assert_true(tlwLength(body(&s, 0)->velocity) < 0.05 && tlwLength(body(&s, 1)->velocity) < 0.05);
    closeScene(&s);
}

static void test_bad_bodies_are_refused_by_name(void **state)
{
    (void)state;
    Scene s;
    openScene(&s, v3(0, 0, -9.81));
    int index;
    tlwBody b = tlwDefaultBody();
    b.name = "Gear";
    b.mass = 0;
    assert_int_equal(tlwAddRigidBody(s.world, &b, &index, &s.message), TLW_BAD_ARGUMENT);
    assert_non_null(strstr(s.message.text, "Gear"));
    b.mass = 1;
    b.inertia.m[2][2] = 0;
    assert_int_equal(tlwAddRigidBody(s.world, &b, &index, &s.message), TLW_BAD_ARGUMENT);
    b = tlwDefaultBody();
    b.position.y = NAN;
    assert_int_equal(tlwAddRigidBody(s.world, &b, &index, &s.message), TLW_BAD_ARGUMENT);
    assert_int_equal(tlwAddRigidJoint(s.world, TLW_JOINT_BALL, 0, 0, v3(0, 0, 0), v3(0, 0, 0), &index, &s.message),
                     TLW_BAD_ARGUMENT);
    assert_int_equal(s.world->body_count, 0);
    closeScene(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stack_of_ten_comes_to_rest),
        cmocka_unit_test(test_stack_rests_at_any_size),
        cmocka_unit_test(test_stack_rests_when_dropped_crooked),
        cmocka_unit_test(test_heavy_box_rests_on_light_one),
        cmocka_unit_test(test_friction_is_a_cone_not_a_pyramid),
        cmocka_unit_test(test_slope_holds_until_friction_gives),
        cmocka_unit_test(test_ball_spinning_in_a_corner_rubs_both_walls),
        cmocka_unit_test(test_rolling_ball_reaches_five_sevenths),
        cmocka_unit_test(test_free_box_keeps_energy_and_momentum),
        cmocka_unit_test(test_rotation_in_coarse_steps_does_not_gain_energy),
        cmocka_unit_test(test_collisions_keep_momentum),
        cmocka_unit_test(test_fast_bodies_do_not_pass_a_thin_wall),
        cmocka_unit_test(test_thin_plate_stops_on_a_thin_post),
        cmocka_unit_test(test_ball_bounces_as_high_as_restitution_says),
        cmocka_unit_test(test_flat_landing_bounces_without_turning),
        cmocka_unit_test(test_moving_floor_carries_a_box),
        cmocka_unit_test(test_split_solve_leaves_poses_until_moved),
        cmocka_unit_test(test_long_step_gives_the_same_rest),
        cmocka_unit_test(test_predicted_velocities_rest_like_gravity),
        cmocka_unit_test(test_overlap_at_the_start_is_reported),
        cmocka_unit_test(test_overlapping_bodies_part_gently),
        cmocka_unit_test(test_bad_bodies_are_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
