// Keyframes: where things are and how fast they move between keys.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/vec.h"
#include "scene/keys.h"

#include <string.h>

static bool near3(tlwVec3 a, tlwVec3 b, double tolerance)
{
    return tlwLength(tlwSub(a, b)) < tolerance;
}

// Two seconds: 4 m along x, half a turn about z, twice as large along y.
static void makeKeys(tlwKey keys[2])
{
    keys[0] = keys[1] = tlwDefaultKey();
    keys[0].time = 1;
    keys[1].time = 3;
    keys[1].position = (tlwVec3){4, 0, 0};
    keys[1].rotation = (tlwQuat){0, 0, 0, 1};
    keys[1].scale = (tlwVec3){1, 2, 1};
    keys[1].temperature = 393.15;
    keys[1].power = 10;
    keys[0].enabled = false;
}

static void test_keys_interpolate_and_hold_beyond_their_ends(void **state)
{
    (void)state;
    tlwKey keys[2];
    makeKeys(keys);
    tlwKey middle = tlwSampleKeys(keys, 2, 2);
    assert_true(near3(middle.position, (tlwVec3){2, 0, 0}, 1e-12));
    assert_true(near3(tlwRotate(middle.rotation, (tlwVec3){1, 0, 0}), (tlwVec3){0, 1, 0}, 1e-12));
    assert_true(near3(middle.scale, (tlwVec3){1, 1.5, 1}, 1e-12));
    assert_true(fabs(middle.temperature - 343.15) < 1e-12 && fabs(middle.power - 5) < 1e-12);
    assert_false(middle.enabled);
    assert_true(tlwSampleKeys(keys, 2, 3).enabled);
    assert_true(near3(tlwSampleKeys(keys, 2, -5).position, keys[0].position, 1e-15));
    assert_true(near3(tlwSampleKeys(keys, 2, 50).position, keys[1].position, 1e-15));
}

static void test_motion_of_a_substep_leads_to_the_next_pose(void **state)
{
    (void)state;
    tlwKey keys[2];
    makeKeys(keys);
    tlwMotion motion = tlwSampleMotion(keys, 2, 2, 0.1);
    assert_true(near3(motion.velocity, (tlwVec3){2, 0, 0}, 1e-9));
    assert_true(near3(motion.spin, (tlwVec3){0, 0, acos(-1) / 2}, 1e-9));
    // Half of this substep is before the first key, where nothing moves.
    assert_true(near3(tlwSampleMotion(keys, 2, 1, 0.1).velocity, (tlwVec3){1, 0, 0}, 1e-9));
    assert_true(near3(tlwSampleMotion(keys, 2, 9, 0.1).spin, (tlwVec3){0, 0, 0}, 1e-15));
    assert_true(tlwAreKeysMoving(keys, 2));
    keys[1] = keys[0];
    keys[1].temperature = 500;
    assert_false(tlwAreKeysMoving(keys, 2));
}

static void test_motion_is_that_of_every_point_of_the_object(void **state)
{
    (void)state;
    tlwKey keys[2];
    makeKeys(keys);
    keys[0].scale = keys[1].scale; // a motion is rigid
    tlwVec3 own = {0.3, -0.2, 0.5};
    double dt = 1e-4;
    tlwKey a = tlwSampleKeys(keys, 2, 1.7 - dt), now = tlwSampleKeys(keys, 2, 1.7),
           b = tlwSampleKeys(keys, 2, 1.7 + dt);
    tlwVec3 expected = tlwScale(tlwSub(tlwToWorld(&b, own), tlwToWorld(&a, own)), 0.5 / dt);
    tlwMotion motion = tlwSampleMotion(keys, 2, 1.7, 2 * dt);
    tlwVec3 arm = tlwSub(tlwToWorld(&now, own), motion.origin);
    assert_true(near3(tlwAdd(motion.velocity, tlwCross(motion.spin, arm)), expected, 1e-7));
}

static void test_bad_keys_are_refused_by_member(void **state)
{
    (void)state;
    tlwMessage message = {""};
    tlwKey keys[2];
    makeKeys(keys);
    assert_int_equal(tlwCheckKeys("Ball", keys, 0, &message), TLW_BAD_ARGUMENT);
    assert_int_equal(tlwCheckKeys("Ball", keys, 2, &message), TLW_OK);
    keys[1].time = keys[0].time;
    assert_int_equal(tlwCheckKeys("Ball", keys, 2, &message), TLW_BAD_ARGUMENT);
    assert_non_null(strstr(message.text, "Ball: its keys must be in rising time"));
    const struct {
        size_t offset;
        const char *word;
    } members[] = {{offsetof(tlwKey, position), "position"},
                   {offsetof(tlwKey, rotation), "rotation"},
                   {offsetof(tlwKey, scale), "scale"},
                   {offsetof(tlwKey, velocity), "velocity"},
                   {offsetof(tlwKey, temperature), "temperature"},
                   {offsetof(tlwKey, power), "power"}};
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
        makeKeys(keys);
        double nan = NAN;
        memcpy((char *)&keys[1] + members[i].offset, &nan, sizeof nan);
        assert_int_equal(tlwCheckKeys("Ball", keys, 2, &message), TLW_BAD_ARGUMENT);
        assert_non_null(strstr(message.text, members[i].word));
        assert_non_null(strstr(message.text, "key 1"));
    }
    makeKeys(keys);
    keys[0].scale.z = -1;
    assert_int_equal(tlwCheckKeys("Ball", keys, 2, &message), TLW_BAD_ARGUMENT);
    assert_non_null(strstr(message.text, "sign"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_keys_interpolate_and_hold_beyond_their_ends),
        cmocka_unit_test(test_motion_of_a_substep_leads_to_the_next_pose),
        cmocka_unit_test(test_motion_is_that_of_every_point_of_the_object),
        cmocka_unit_test(test_bad_keys_are_refused_by_member),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
