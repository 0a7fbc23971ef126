// Bakes that go on although the scene is not the same in every number.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "bake_jobs.h"

#include "base/file.h"
#include "base/memory.h"
#include "step/checkpoint.h"

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

// Gravity and the time scale change with every frame; `pull` is gravity at frame 2.
static void writeChangingWorld(int last, double pull)
{
    char folder[512], text[4096], keys[2048];
    int size = 0;
    for (int frame = 1; frame <= last + 1; frame++)
        size += snprintf(keys + size, sizeof keys - (size_t)size,
                         "%s{\"time\": %.7g, \"gravity\": [%g, 0, -9.81], \"time_scale\": %g}", frame > 1 ? ", " : "",
                         (frame - 1) / 24.0, frame == 2 ? pull : 0.5 * frame, 1.2 - 0.1 * frame);
    getPath(folder, "scene");
    size =
        snprintf(text, sizeof text,
                 "{\"format\": \"tallow-scene\", \"version\": 1, \"frames\": {\"start\": 1, \"end\": %d, \"fps\": 24},"
                 " \"domain\": {\"min\": [-0.5, -0.5, -0.5], \"max\": [0.5, 0.5, 0.5], \"cell_size\": 0.1},"
                 " \"world\": {\"keys\": [%s]}, \"materials\": [{\"name\": \"Water\"}], \"objects\": [%s]}",
                 last, keys, drop_text);
    writeText(folder, "scene.json", text, (size_t)size);
}

static void test_world_that_changes_goes_on_bit_for_bit(void **state)
{
    (void)state;
    writeChangingWorld(6, 1);
    assert_int_equal(bake((Job){.cache = "whole"}), TLW_OK);
    writeChangingWorld(3, 1);
    assert_int_equal(bake((Job){0}), TLW_OK);
    writeChangingWorld(6, 1);
    assert_int_equal(bake((Job){.resume = true}), TLW_OK);
    assert_true(eventsSay("\"resume_from\": 3"));
    expectSameCache("whole", "cache", 6);
    writeChangingWorld(7, 1.1);
    assert_int_equal(bake((Job){.resume = true}), TLW_OK);
    assert_true(eventsSay("The scene has changed"));
}

// A cube of thick liquid that hangs from a post: it stretches, and resists the growth of its volume.
static void writeThick(int last)
{
    char folder[512], text[4096];
    getPath(folder, "scene");
    int size = snprintf(
        text, sizeof text,
        "{\"format\": \"tallow-scene\", \"version\": 1, \"frames\": {\"start\": 1, \"end\": %d, \"fps\": 24},"
        " \"domain\": {\"min\": [-0.5, -0.5, -0.5], \"max\": [0.5, 0.5, 0.5], \"cell_size\": 0.05},"
        " \"materials\": [{\"name\": \"Water\", \"viscosity\": [[293, 3000]]}], \"objects\": [%s,"
        " {\"name\": \"Post\", \"role\": \"solid\", \"mesh\": \"meshes/cube.ply\", \"surface\": \"stick\", \"keys\":"
        " [{\"time\": 0, \"position\": [0, 0, 0.34], \"scale\": [0.1, 0.1, 0.2]}]}]}",
        last, drop_text);
    writeText(folder, "scene.json", text, (size_t)size);
}

static void test_thick_liquid_goes_on_bit_for_bit(void **state)
{
    (void)state;
    writeThick(6);
    assert_int_equal(bake((Job){.cache = "whole"}), TLW_OK);
    writeThick(3);
    assert_int_equal(bake((Job){0}), TLW_OK);
    writeThick(6);
    assert_int_equal(bake((Job){.resume = true}), TLW_OK);
    assert_true(eventsSay("\"resume_from\": 3"));
    expectSameCache("whole", "cache", 6);
}

static void writeKept(double gravity, double cell, double density, int keep)
{
    char folder[512], text[4096];
    getPath(folder, "scene");
    int size =
        snprintf(text, sizeof text,
                 "{\"format\": \"tallow-scene\", \"version\": 1, \"frames\": {\"start\": 1, \"end\": 6, \"fps\": 24},"
                 " \"domain\": {\"min\": [-0.5, -0.5, -0.5], \"max\": [0.5, 0.5, 0.5], \"cell_size\": %g},"
                 " \"world\": {\"gravity\": [0, 0, %g]}, \"output\": {\"keep_every\": %d},"
                 " \"materials\": [{\"name\": \"Water\", \"density\": [%g, %g]}], \"objects\": [%s]}",
                 cell, gravity, keep, density, density, drop_text);
    writeText(folder, "scene.json", text, (size_t)size);
}

static void test_bake_goes_on_from_a_kept_frame_with_other_settings(void **state)
{
    (void)state;
    writeKept(-9.81, 0.1, 1000, 2);
    assert_int_equal(bake((Job){.cache = "whole"}), TLW_OK);
    assert_int_equal(bake((Job){0}), TLW_OK);
    writeKept(-2, 0.1, 1000, 2);
    assert_int_equal(bake((Job){.from = 4}), TLW_OK); // of 1, 3 and 5 checkpoints are kept
    assert_true(eventsSay("\"resume_from\": 3"));
    expectSameCache("whole", "cache", 3);
    char a[600], b[600], *first, *second;
    int64_t sizes[2];
    snprintf(a, sizeof a, "%s/whole/mesh/mesh_000006.ply", root);
    snprintf(b, sizeof b, "%s/cache/mesh/mesh_000006.ply", root);
    assert_int_equal(tlwReadFile(a, 0, NULL, &first, &sizes[0]), TLW_OK);
    assert_int_equal(tlwReadFile(b, 0, NULL, &second, &sizes[1]), TLW_OK);
    assert_true(sizes[0] != sizes[1] || memcmp(first, second, (size_t)sizes[0]));
    tlwFree(first);
    tlwFree(second);
    assert_int_equal(bake((Job){.resume = true}), TLW_OK); // it is a whole bake of the new scene
    assert_true(eventsSay("\"resume_from\": 6"));
    writeKept(-9.81, 0.1, 1000, 2);
    assert_int_equal(bake((Job){.from = 3}), TLW_OK); // and back
    expectSameCache("whole", "cache", 6);
}

static void test_bake_from_a_frame_is_refused_in_words(void **state)
{
    (void)state;
    writeKept(-9.81, 0.1, 1000, 0);
    assert_int_equal(bake((Job){.cache = "whole"}), TLW_OK);
    assert_int_equal(bake((Job){0}), TLW_OK);
    assert_int_equal(bake((Job){.from = 2}), TLW_BAD_ARGUMENT);
    assert_true(eventsSay("No state is kept at or before frame 2; the first one is of frame 5."));
    writeKept(-9.81, 0.09, 1000, 0);
    assert_int_equal(bake((Job){.from = 5}), TLW_BAD_ARGUMENT);
    assert_true(eventsSay("cannot go on from frame 5, because this changed: the domain, its cells"));
    writeKept(-9.81, 0.1, 900, 0);
    assert_int_equal(bake((Job){.from = 5}), TLW_BAD_ARGUMENT);
    assert_true(eventsSay("because this changed: a material."));
    expectSameCache("whole", "cache", 6); // nothing is lost
    assert_int_equal(bake((Job){.cache = "none", .from = 5}), TLW_BAD_FILE);
}

// What a drop does in four frames.
static tlwStats fall(tlwSim *sim)
{
    tlwStats stats;
    for (int n = 0; n < 4; n++)
        assert_int_equal(tlwAdvance(sim, 1.0 / 24), TLW_OK);
    tlwGetStats(sim, &stats);
    return stats;
}

static void test_a_simulation_that_goes_back_to_its_start_is_as_a_new_one(void **state)
{
    (void)state;
    tlwContextDef def = tlwDefaultContextDef();
    tlwContext *context = NULL;
    tlwScene *scene = NULL;
    tlwSim *sim = NULL;
    tlwStateReader *start = NULL;
    char folder[512];
    writeScene("scene", 6, -9.81, 1, drop_text);
    getPath(folder, "scene");
    assert_int_equal(tlwCreateContext(&def, &context), TLW_OK);
    assert_int_equal(tlwLoadScene(context, folder, &scene), TLW_OK);
    assert_int_equal(tlwCreateSim(scene, &sim), TLW_OK);
    assert_int_equal(tlwKeepStart(sim, &start), TLW_OK);
    tlwStats first = fall(sim);
    for (int n = 0; n < 2; n++) {
        assert_int_equal(tlwRewind(sim, start), TLW_OK);
        tlwStats again = fall(sim);
        assert_true(first.time == again.time && first.substeps == again.substeps);
        assert_true(first.kinetic_energy == again.kinetic_energy && first.surface_volume == again.surface_volume);
        assert_memory_equal(&first.centre_of_mass, &again.centre_of_mass, sizeof first.centre_of_mass);
    }
    assert_true(first.kinetic_energy > 0);
    tlwCloseState(start);
    tlwDestroySim(sim);
    tlwDestroyScene(scene);
    tlwDestroyContext(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_longer_range_of_a_moving_solid_goes_on_bit_for_bit, setUp, tearDown),
        cmocka_unit_test_setup_teardown(test_world_that_changes_goes_on_bit_for_bit, setUp, tearDown),
        cmocka_unit_test_setup_teardown(test_thick_liquid_goes_on_bit_for_bit, setUp, tearDown),
        cmocka_unit_test_setup_teardown(test_bake_goes_on_from_a_kept_frame_with_other_settings, setUp, tearDown),
        cmocka_unit_test_setup_teardown(test_bake_from_a_frame_is_refused_in_words, setUp, tearDown),
        cmocka_unit_test_setup_teardown(test_a_simulation_that_goes_back_to_its_start_is_as_a_new_one, setUp, tearDown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
