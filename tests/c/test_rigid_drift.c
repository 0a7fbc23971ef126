// Surfaces that move by themselves: shapes that change while their body stands still.
#include "rigid_helpers.h"

static void sampleDrift(const void *user, const tlwVec3 *points, int count, tlwVec3 *drift)
{
    (void)points;
    for (int i = 0; i < count; i++)
        drift[i] = *(const tlwVec3 *)user;
}

// A slab of 2 x 2 x 0.2 m whose top is at z = 0.
static int addSlab(Scene *s, const tlwVec3 *drift)
{
    tlwBody b = boxBody(s, 1, v3(1, 1, 0.1), v3(0, 0, -0.1));
    b.motion = TLW_MOTION_KINEMATIC;
    b.drift = (tlwSurfaceDrift){sampleDrift, drift, tlwLength(*drift)};
    return addBody(s, b);
}

static void test_surface_that_runs_drags_a_box_along(void **state)
{
    (void)state;
    const tlwVec3 run_by = {0.3, 0, 0};
    Scene s;
    openScene(&s, v3(0, 0, -9.81));
    addSlab(&s, &run_by);
    int box = addBody(&s, boxBody(&s, 1, v3(0.05, 0.05, 0.05), v3(0, 0, 0.05)));
    run(&s, 0.5, 1.0 / 240);
    // Friction of 0.5 brings it up to 0.3 m/s in 0.061 s.
    assert_true(fabs(body(&s, box)->velocity.x - 0.3) < 1e-3);
    assert_true(fabs(body(&s, box)->position.x - (0.15 - 0.5 * 0.09 / (0.5 * 9.81))) < 2e-3);
    assert_true(fabs(body(&s, box)->position.z - 0.05) < 1e-3);
    closeScene(&s);
}

// One solve of a frame looks for contacts ten times, each time where the surface has got to. The body that it belongs
// to is put in its place after the solve, as the step does with a new field.
static void test_surface_that_rises_lifts_a_box_within_a_long_solve(void **state)
{
    (void)state;
    const tlwVec3 rise = {0, 0, 1};
    const double dt = 1.0 / 24;
    Scene s;
    openScene(&s, v3(0, 0, -9.81));
    int slab = addSlab(&s, &rise), box = addBody(&s, boxBody(&s, 1, v3(0.05, 0.05, 0.05), v3(0, 0, 0.05)));
    double worst = 0;
    for (int frame = 1; frame <= 12; frame++) {
        run(&s, dt, dt);
        s.world->bodies[slab].position.z = rise.z * dt * frame - 0.1;
        worst = fmax(worst, fabs(body(&s, box)->position.z - 0.05 - rise.z * dt * frame));
    }
    print_message("never more than %.3f mm from the surface\n", 1000 * worst);
    assert_true(worst < 2e-3);
    assert_true(fabs(body(&s, box)->velocity.z - rise.z) < 0.01);
    closeScene(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_surface_that_runs_drags_a_box_along),
        cmocka_unit_test(test_surface_that_rises_lifts_a_box_within_a_long_solve),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
