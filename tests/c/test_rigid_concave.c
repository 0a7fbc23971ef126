// Concave bodies: hooks, linked rings, gears, cups. Fields are analytic or sampled with a narrow band.
#include "rigid_shapes.h"

#define DT (1.0 / 240)
#define HALF_TURN 3.141592653589793

static void makeHook(Shape *s)
{
    *s = (Shape){0};
    addPart(s, v3(0.3, 0.05, 0.05), v3(0, 0, 0), 0);
    addPart(s, v3(0.05, 0.05, 0.2), v3(-0.25, 0, 0.15), 0);
    addPart(s, v3(0.05, 0.05, 0.2), v3(0.25, 0, 0.15), 0);
}

static void makeGear(Shape *s)
{
    *s = (Shape){0};
    for (int i = 0; i < 8; i++)
        addPart(s, v3(0.2, 0.0399, 0.05), v3(0, 0, 0), HALF_TURN * i / 8);
    for (int i = 0; i < 12; i++) {
        double a = HALF_TURN * i / 6;
        addPart(s, v3(0.05, 0.025, 0.05), v3(0.22 * cos(a), 0.22 * sin(a), 0), a);
    }
}

// A square cup, open at the top, inner side 0.6, walls 2 cm.
static void makeCup(Shape *s)
{
    *s = (Shape){0};
    addPart(s, v3(0.32, 0.32, 0.01), v3(0, 0, -0.01), 0);
    addPart(s, v3(0.01, 0.32, 0.2), v3(-0.31, 0, 0.18), 0);
    addPart(s, v3(0.01, 0.32, 0.2), v3(0.31, 0, 0.18), 0);
    addPart(s, v3(0.32, 0.01, 0.2), v3(0, -0.31, 0.18), 0);
    addPart(s, v3(0.32, 0.01, 0.2), v3(0, 0.31, 0.18), 0);
}

static void test_hooks_hold_each_other(void **state)
{
    (void)state;
    for (int sampled = 0; sampled < 2; sampled++) {
        Scene s;
        Shape lower, upper;
        openScene(&s, v3(0, 0, -9.81));
        makeHook(&lower);
        makeHook(&upper);
        tlwBody a = shapeBody(&s, &lower, 1000, 400, sampled ? 0.0125 : 0);
        a.motion = TLW_MOTION_STATIC;
        tlwPlaceBody(&a, v3(0, 0, 0), (tlwQuat){1, 0, 0, 0});
        addBody(&s, a);
        tlwBody b = shapeBody(&s, &upper, 1000, 400, sampled ? 0.0125 : 0);
        tlwQuat over = tlwQuatFromRotationVector(v3(HALF_TURN, 0, 0));
        tlwPlaceBody(&b, v3(0, 0, 0.12), tlwQuatMul(tlwQuatFromRotationVector(v3(0, 0, HALF_TURN / 2)), over));
        int hook = addBody(&s, b);
        run(&s, 2, DT);
        // It hangs with its bar on the other's: 0.1 above.
        assert_true(fabs(tlwGetBodyOrigin(body(&s, hook)).z - 0.1) < 1e-3);
        assert_true(tlwLength(body(&s, hook)->velocity) < 1e-4);
        closeScene(&s);
        freeShape(&lower);
        freeShape(&upper);
    }
}

static void test_linked_rings_stay_linked(void **state)
{
    (void)state;
    for (int sampled = 0; sampled < 2; sampled++) {
        Scene s;
        Shape shapes[2] = {{.ring_radius = 0.5, .tube_radius = 0.1}, {.ring_radius = 0.5, .tube_radius = 0.1}};
        openScene(&s, v3(0, 0, 0));
        for (int i = 0; i < 2; i++) {
            tlwBody b = shapeBody(&s, &shapes[i], 1000, 400, sampled ? 0.025 : 0);
            tlwPlaceBody(&b, v3(i * 0.5, 0, 0), tlwQuatFromRotationVector(v3(i * HALF_TURN / 2, 0, 0)));
            b.velocity = v3(i ? 6 : -6, i ? 1 : 0, 0);
            b.spin = v3(1, i ? 2 : -3, 1);
            b.restitution = 0.5;
            addBody(&s, b);
        }
        assert_true(deepest(&s) < 1e-9);
        for (int i = 0; i < 360; i++) {
            run(&s, DT, DT);
            double apart = tlwLength(tlwSub(body(&s, 0)->position, body(&s, 1)->position));
            assert_true(apart < 0.81); // linked rings can be 2 (R - r) apart, no more
        }
        assert_true(deepest(&s) < 2e-3);
        closeScene(&s);
        freeShape(&shapes[0]);
        freeShape(&shapes[1]);
    }
}

// One gear is turned and drives another on an axle, at the same rate the other way round, but for the play of the
// teeth.
static void test_gear_drives_another(void **state)
{
    (void)state;
    Scene s;
    Shape shapes[2];
    int gears[2];
    openScene(&s, v3(0, 0, 0));
    for (int i = 0; i < 2; i++) {
        makeGear(&shapes[i]);
        tlwBody b = shapeBody(&s, &shapes[i], 1000, 1200, 0.0125);
        b.motion = i ? TLW_MOTION_DYNAMIC : TLW_MOTION_KINEMATIC;
        b.spin = v3(0, 0, i ? 0 : 2);
        tlwPlaceBody(&b, v3(0.5 * i, 0, 0), tlwQuatFromRotationVector(v3(0, 0, i * HALF_TURN / 12)));
        gears[i] = addBody(&s, b);
    }
    assert_int_equal(
        tlwAddRigidJoint(s.world, TLW_JOINT_HINGE, gears[1], -1, v3(0.5, 0, 0), v3(0, 0, 1), NULL, &s.message), TLW_OK);
    assert_true(deepest(&s) == 0);
    double turned[2] = {0, 0}, deep = 0, off = 0;
    for (int step = 0; step < 360; step++) {
        run(&s, DT, DT);
        for (int i = 0; i < 2; i++)
            turned[i] += DT * body(&s, gears[i])->spin.z;
        deep = fmax(deep, deepest(&s));
        off = fmax(off, tlwLength(tlwSub(body(&s, gears[1])->position, v3(0.5, 0, 0))));
    }
    print_message("turned by %.3f and %.3f, at most %.2g m inside each other, %.2g m off the axle\n", turned[0],
                  turned[1], deep, off);
    assert_true(fabs(turned[0] - 3) < 1e-9);
    assert_true(fabs(turned[0] + turned[1]) < 0.2); // a tooth and its gap are 0.52
    assert_true(deep < 2e-3 && off < 1e-4);
    closeScene(&s);
    freeShape(&shapes[0]);
    freeShape(&shapes[1]);
}

static void test_pile_of_gears_comes_to_rest(void **state)
{
    (void)state;
    enum { GEARS = 6 };
    Scene s;
    Shape shapes[GEARS];
    openScene(&s, v3(0, 0, -9.81));
    addWall(&s, v3(0, 0, 1), 0, 0.4);
    for (int i = 0; i < 4; i++)
        addWall(&s, v3(i == 0 ? 1 : i == 1 ? -1 : 0, i == 2 ? 1 : i == 3 ? -1 : 0, 0), -0.4, 0.4);
    for (int i = 0; i < GEARS; i++) {
        makeGear(&shapes[i]);
        tlwBody b = shapeBody(&s, &shapes[i], 1000, 1200, 0.0125);
        tlwPlaceBody(&b, v3(0.1 * (i % 2) - 0.05, 0.1 * (i % 3) - 0.1, 0.35 + 0.56 * i),
                     tlwQuatFromRotationVector(v3(0.5 * i, 0.3 * i, 0.2 * i)));
        addBody(&s, b);
    }
    assert_true(deepest(&s) == 0);
    run(&s, 4.5, DT);
    double weight = 0;
    for (int i = 5; i < 5 + GEARS; i++) {
        weight += 9.81 * body(&s, i)->mass;
        assert_true(tlwLength(body(&s, i)->velocity) < 1e-3);
        assert_true(body(&s, i)->position.z > 0.04 && body(&s, i)->position.z < 1);
    }
    assert_true(deepest(&s) < 5e-4);
    // Friction at the side walls carries some; what is left stands on the floor.
    double carried = 0;
    for (int i = 0; i < 5; i++)
        carried -= body(&s, i)->contact_impulse.z / DT;
    assert_true(fabs(carried / weight - 1) < 1e-3);
    closeScene(&s);
    for (int i = 0; i < GEARS; i++)
        freeShape(&shapes[i]);
}

static void test_ball_in_the_corner_of_one_field_touches_three_walls(void **state)
{
    (void)state;
    Scene s;
    Shape shape;
    openScene(&s, v3(4, 4, -9.81));
    makeCup(&shape);
    tlwBody cup = shapeBody(&s, &shape, 1000, 60, 0); // too few balls of its own to help
    cup.motion = TLW_MOTION_STATIC;
    tlwPlaceBody(&cup, v3(0, 0, 0), (tlwQuat){1, 0, 0, 0});
    addBody(&s, cup);
    int ball = addBody(&s, ballBody(&s, 1, 0.08, v3(0.1, 0.1, 0.1)));
    run(&s, 3, DT);
    tlwVec3 want = v3(0.3 - 0.08, 0.3 - 0.08, 0.08);
    assert_true(tlwLength(tlwSub(body(&s, ball)->position, want)) < 1e-3);
    assert_true(tlwLength(body(&s, ball)->velocity) < 1e-3);
    assert_true(s.world->contacts.count >= 3);
    closeScene(&s);
    freeShape(&shape);
}

static void test_moving_cup_keeps_what_is_in_it(void **state)
{
    (void)state;
    Scene s;
    Shape shape;
    openScene(&s, v3(0, 0, -9.81));
    makeCup(&shape);
    tlwBody c = shapeBody(&s, &shape, 1000, 600, 0);
    c.motion = TLW_MOTION_KINEMATIC;
    tlwPlaceBody(&c, v3(0, 0, 0), (tlwQuat){1, 0, 0, 0});
    int cup = addBody(&s, c);
    int ball = addBody(&s, ballBody(&s, 1, 0.05, v3(0.1, 0, 0.06)));
    int box = addBody(&s, boxBody(&s, 2, v3(0.05, 0.06, 0.04), v3(-0.1, 0.05, 0.06)));
    for (int i = 0; i < 480; i++) {
        double t = i * DT;
        s.world->bodies[cup].velocity = v3(2 * cos(9 * t), 1.5 * sin(7 * t), 0);
        s.world->bodies[cup].spin = v3(0, 0, 2 * sin(3 * t));
        run(&s, DT, DT);
        for (int k = 0; k < 2; k++) {
            tlwVec3 p = tlwWorldToBody(body(&s, cup), body(&s, k ? box : ball)->position);
            assert_true(fabs(p.x) < 0.3 && fabs(p.y) < 0.3 && p.z > 0.03 && p.z < 0.36);
        }
    }
    closeScene(&s);
    freeShape(&shape);
}

// A sphere is one exact ball only where the other field sees that far; elsewhere its shell takes over.
static void test_ball_rests_on_a_field_with_a_narrow_band(void **state)
{
    (void)state;
    Scene s;
    Shape shape = {0};
    openScene(&s, v3(0, 0, -9.81));
    addPart(&shape, v3(1, 1, 0.1), v3(0, 0, -0.1), 0);
    tlwBody slab = shapeBody(&s, &shape, 1000, 400, 0.02); // band 8 cm
    slab.motion = TLW_MOTION_STATIC;
    tlwPlaceBody(&slab, v3(0, 0, 0), (tlwQuat){1, 0, 0, 0});
    addBody(&s, slab);
    int ball = addBody(&s, ballBody(&s, 1, 0.3, v3(0, 0, 0.5)));
    run(&s, 0.1, DT);
    assert_true(body(&s, ball)->contact_impulse.z == 0); // still falling: no contact out of thin air
    run(&s, 2, DT);
    assert_true(fabs(body(&s, ball)->position.z - 0.3) < 4e-3);
    closeScene(&s);
    freeShape(&shape);
}

// Two thin plates on edge, crossed, one falling onto the other.
static void test_crossed_plates_do_not_slice_each_other(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; kind++) { // analytic boxes, meshes with an exact field, with a sampled one
        Scene s;
        Shape shapes[2] = {{.part_count = 0}, {.part_count = 0}};
        openScene(&s, v3(0, 0, -9.81));
        for (int i = 0; i < 2; i++) {
            addPart(&shapes[i], v3(0.4, 0.01, 0.2), v3(0, 0, 0), 0);
            tlwBody b = kind ? shapeBody(&s, &shapes[i], 1000, 150, kind == 2 ? 0.005 : 0)
                             : boxBody(&s, 1, v3(0.4, 0.01, 0.2), v3(0, 0, 0));
            double shift = i ? 0.013 : 0.0; // not where balls happen to be
            tlwPlaceBody(&b, v3(shift, 0, 0.45 * i), tlwQuatFromRotationVector(v3(0, 0, i * HALF_TURN / 2 + 0.02 * i)));
            b.motion = i ? TLW_MOTION_DYNAMIC : TLW_MOTION_STATIC;
            b.velocity = v3(0, 0, -2.0 * i);
            addBody(&s, b);
        }
        run(&s, 0.25, DT);
        assert_true(body(&s, 1)->position.z > 0.38);
        closeScene(&s);
        freeShape(&shapes[0]);
        freeShape(&shapes[1]);
    }
}

// A clamped distance is no contact, even when the ball is larger than the band.
static void test_coarse_body_does_not_hover_over_a_fine_one(void **state)
{
    (void)state;
    Scene s;
    Shape shapes[2] = {{.part_count = 0}, {.part_count = 0}};
    openScene(&s, v3(0, 0, -9.81));
    for (int i = 0; i < 2; i++)
        addPart(&shapes[i], v3(0.4, 0.4, 0.2), v3(0, 0, 0), 0);
    tlwBody fine = shapeBody(&s, &shapes[0], 1000, 400, 0.02), coarse = shapeBody(&s, &shapes[1], 1000, 400, 0.1);
    fine.motion = TLW_MOTION_STATIC;
    tlwPlaceBody(&fine, v3(0, 0, 0), (tlwQuat){1, 0, 0, 0});
    tlwPlaceBody(&coarse, v3(0, 0, 0.6), (tlwQuat){1, 0, 0, 0});
    addBody(&s, fine);
    int falling = addBody(&s, coarse);
    run(&s, 0.15, DT);
    assert_true(body(&s, falling)->contact_impulse.z == 0);
    run(&s, 1.5, DT);
    assert_true(fabs(tlwGetBodyOrigin(body(&s, falling)).z - 0.4) < 5e-3);
    closeScene(&s);
    freeShape(&shapes[0]);
    freeShape(&shapes[1]);
}

static void test_balls_cover_corners_and_lie_inside(void **state)
{
    (void)state;
    Scene s;
    Shape shape;
    openScene(&s, v3(0, 0, 0));
    makeHook(&shape);
    tlwBody b = shapeBody(&s, &shape, 1000, 500, 0);
    const tlwCollider *c = b.collider;
    assert_true(c->ball_count > 250 && c->ball_count < 700);
    int corners = 0;
    for (int i = 0; i < c->ball_count; i++) {
        const tlwSurfaceBall *ball = &c->balls[i];
        assert_true(fabs(shapeDistance(&shape, ball->centre) + ball->radius) < 1e-4);
        tlwVec3 p = tlwMulAdd(ball->centre, ball->radius * 1.7320508, ball->normal);
        corners +=
            tlwLength(tlwSub(p, v3(0.3, 0.05, 0.35))) < 1e-3 || tlwLength(tlwSub(p, v3(-0.3, -0.05, -0.05))) < 1e-3;
    }
    assert_int_equal(corners, 2);
    closeScene(&s);
    freeShape(&shape);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hooks_hold_each_other),
        cmocka_unit_test(test_linked_rings_stay_linked),
        cmocka_unit_test(test_gear_drives_another),
        cmocka_unit_test(test_pile_of_gears_comes_to_rest),
        cmocka_unit_test(test_ball_in_the_corner_of_one_field_touches_three_walls),
        cmocka_unit_test(test_moving_cup_keeps_what_is_in_it),
        cmocka_unit_test(test_ball_rests_on_a_field_with_a_narrow_band),
        cmocka_unit_test(test_crossed_plates_do_not_slice_each_other),
        cmocka_unit_test(test_coarse_body_does_not_hover_over_a_fine_one),
        cmocka_unit_test(test_balls_cover_corners_and_lie_inside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
