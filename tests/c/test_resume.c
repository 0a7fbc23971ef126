// Bakes that go on although the scene is not the same in every number.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "bake_jobs.h"

// A paddle with a key per frame up to one after the last, as the add-on samples it; `turn` is its height at frame 2.
static void writePaddle(int last, double turn)
{
    char text[3000];
    int size = snprintf(text, sizeof text,
                        "%s, {\"name\": \"Paddle\", \"role\": \"solid\", \"mesh\": \"meshes/cube.ply\", \"keys\": [",
                        drop_text);
    for (int frame = 1; frame <= last + 1; frame++)
        size += snprintf(text + size, sizeof text - (size_t)size,
                         "%s{\"time\": %.7g, \"position\": [0.3, 0, %g], \"scale\": [0.1, 0.1, 0.1]}",
                         frame > 1 ? ", " : "", (frame - 1) / 24.0, frame == 2 ? turn : -0.3 + 0.03 * frame * frame);
    snprintf(text + size, sizeof text - (size_t)size, "]}");
    writeScene("scene", last, -9.81, 1, text);
}

static void test_longer_range_of_a_moving_solid_goes_on_bit_for_bit(void **state)
{
    (void)state;
    writePaddle(6, -0.18);
    assert_int_equal(bake((Job){.cache = "whole"}), TLW_OK);
    writePaddle(3, -0.18);
    assert_int_equal(bake((Job){0}), TLW_OK);
    writePaddle(6, -0.18);
    assert_int_equal(bake((Job){.resume = true, .cancel_after = 1}), TLW_CANCELLED);
    assert_true(eventsSay("\"resume_from\": 3"));
    writePaddle(5, -0.18); // shorter again: nothing speaks for frame 6 any more, and frame 5 is still good
    assert_int_equal(bake((Job){.resume = true}), TLW_OK);
    assert_true(eventsSay("\"resume_from\": 5"));
    writePaddle(6, -0.18);
    assert_int_equal(bake((Job){.resume = true}), TLW_OK);
    assert_true(eventsSay("\"resume_from\": 5"));
    expectSameCache("whole", "cache", 6);
    writePaddle(7, -0.17);
    assert_int_equal(bake((Job){.resume = true}), TLW_OK);
    assert_true(eventsSay("The scene has changed"));
    assert_true(eventsSay("\"resume_from\": null"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_longer_range_of_a_moving_solid_goes_on_bit_for_bit, setUp, tearDown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
