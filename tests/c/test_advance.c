// What a caller of tlwAdvance and tlwBake is told on the way: progress, warnings, cancels, and solves that fail.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "folders.h"
#include "sim_helpers.h"
#include "step/sim.h"

#include <time.h>

typedef struct Told {
    double last;           // of `done`
    int reports, between;  // progress reports; those within a step that rise
    int polls, cancel_at;  // cancel at this poll; 0 = never
    double last_poll, gap; // processor seconds: longest time between two polls
    int warnings;
    char warning[512], all[4096];
} Told;

static double processorTime(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void onProgress(void *user, double done, const char *stage)
{
    Told *told = user;
    assert_true(done >= told->last - 1e-12 && done <= 1 + 1e-12);
    told->between += done > told->last && strcmp(stage, "step") != 0;
    told->last = done;
    told->reports++;
}

static void onLog(void *user, tlwLogLevel level, const char *text)
{
    Told *told = user;
    if (level == TLW_LOG_WARNING) {
        told->warnings++;
        snprintf(told->warning, sizeof told->warning, "%s", text);
    }
    size_t used = strlen(told->all);
    snprintf(told->all + used, sizeof told->all - used, "%s\n", text);
}

static bool onCancel(void *user)
{
    Told *told = user;
    double now = processorTime();
    told->gap = told->polls ? fmax(told->gap, now - told->last_poll) : 0;
    told->last_poll = now;
    return ++told->polls == told->cancel_at;
}

static World beginTold(const tlwSceneDef *def, Told *told)
{
    World w = {0};
    tlwContextDef cdef = tlwDefaultContextDef();
    cdef.threads = 1;
    cdef.log = onLog;
    cdef.progress = onProgress;
    cdef.cancel = onCancel;
    cdef.user = told;
    assert_int_equal(tlwCreateContext(&cdef, &w.context), TLW_OK);
    assert_int_equal(tlwCreateScene(w.context, def, &w.scene), TLW_OK);
    tlwMaterialDef water = tlwDefaultMaterialDef();
    water.name = "Water";
    assert_int_equal(tlwAddMaterial(w.scene, &water, NULL), TLW_OK);
    return w;
}

static void test_progress_rises_within_a_frame(void **state)
{
    (void)state;
    Told told = {0};
    tlwSceneDef def = smallTank();
    World w = beginTold(&def, &told);
    addBox(&w, TLW_ROLE_LIQUID, "Drop", (tlwVec3){0.1, 0.04, 0.1}, (tlwVec3){0.2, 0.12, 0.2}, (tlwVec3){2, 0, 0});
    run(&w);
    advance(&w, 1.0 / 24);
    told = (Told){0};
    advance(&w, 1.0 / 24);
    print_message("%d reports, %d of them on the way, the last %.3f\n", told.reports, told.between, told.last);
    assert_true(told.between >= 10);
    assert_true(told.last > 0.95);
    end(&w);
}

// Between two looks at the cancel no more than a stage passes.
static void test_a_cancel_is_looked_at_between_stages(void **state)
{
    (void)state;
    Told told = {0};
    tlwSceneDef def = smallTank();
    World w = beginTold(&def, &told);
    addBox(&w, TLW_ROLE_LIQUID, "Pool", (tlwVec3){-0.05, -0.05, -0.05}, (tlwVec3){0.37, 0.21, 0.15},
           (tlwVec3){0, 0, 0});
    run(&w);
    advance(&w, 1.0 / 24);
    told = (Told){0};
    double start = processorTime();
    advance(&w, 1.0 / 24);
    double whole = processorTime() - start;
    tlwStats stats;
    tlwGetStats(w.sim, &stats);
    print_message("%d polls in %d steps, longest gap %.2f of a step\n", told.polls, stats.substeps,
                  told.gap * stats.substeps / whole);
    assert_true(told.polls >= 8 * stats.substeps);
    OUTCOME(told.gap < 0.5 * whole / stats.substeps);
    for (int n = 1; n < told.polls && n < 12; n++) { // it answers wherever it is asked
        Told again = {.cancel_at = n};
        World x = beginTold(&def, &again);
        addBox(&x, TLW_ROLE_LIQUID, "Pool", (tlwVec3){-0.05, -0.05, -0.05}, (tlwVec3){0.37, 0.21, 0.05},
               (tlwVec3){0, 0, 0});
        tlwResult result = tlwCreateSim(x.scene, &x.sim);
        if (result == TLW_OK)
            result = tlwAdvance(x.sim, 1.0 / 24);
        assert_int_equal(result, TLW_CANCELLED);
        end(&x);
    }
    end(&w);
}

static void test_too_few_steps_are_told_once(void **state)
{
    (void)state;
    Told told = {0};
    tlwSceneDef def = smallTank();
    def.max_substeps = 2;
    World w = beginTold(&def, &told);
    addBox(&w, TLW_ROLE_LIQUID, "Jet", (tlwVec3){0.02, 0.04, 0.1}, (tlwVec3){0.1, 0.12, 0.2}, (tlwVec3){5, 0, 0});
    run(&w);
    for (int frame = 0; frame < 2; frame++) {
        told.last = 0;
        advance(&w, 1.0 / 24);
    }
    print_message("%s\n", told.warning);
    assert_int_equal(told.warnings, 1);
    assert_non_null(strstr(told.warning, "Most Steps"));
    end(&w);
}

// Liquid whose mesh reaches far beyond the domain is cut off at its sides and no more.
static void test_overhang_adds_no_volume(void **state)
{
    (void)state;
    for (int cells = 0; cells <= 30; cells += 10) {
        Told told = {0};
        tlwSceneDef def = smallTank();
        def.cell_size = 0.01;
        double far = cells * 0.01;
        World w = beginTold(&def, &told);
        addBox(&w, TLW_ROLE_LIQUID, "Pool", (tlwVec3){-far, -far, -far}, (tlwVec3){0.32 + far, 0.16 + far, 0.10},
               (tlwVec3){0, 0, 0});
        run(&w);
        tlwStats stats;
        tlwGetStats(w.sim, &stats);
        print_message("%d cells beyond: %.6f of the volume, %d cells\n", cells,
                      stats.particle_volume / (0.32 * 0.16 * 0.10), (int)stats.cells);
        assert_true(fabs(stats.particle_volume / (0.32 * 0.16 * 0.10) - 1) < 1e-3);
        assert_int_equal(stats.cells, 32 * 16 * 10);
        end(&w);
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Solves that fail

static const char goo_text[] =
    "{\"format\": \"tallow-scene\", \"version\": 1, \"name\": \"Goo\", \"frames\": {\"start\": 1, \"end\": 3, \"fps\": "
    "24},"
    " \"domain\": {\"min\": [-0.25, -0.25, 0], \"max\": [0.25, 0.25, 0.5], \"cell_size\": 0.025},"
    " \"solver\": {\"max_iterations\": %d, \"pressure_tolerance\": 0.01, \"viscosity_tolerance\": 1e-9, \"cfl\": 4},"
    " \"output\": {\"checkpoint_every\": %d, \"vdb\": false, \"particles\": false},"
    " \"materials\": [{\"name\": \"Goo\", \"density\": [1000, 1000], \"latent_heat\": 0, \"viscosity\": 3000}],"
    " \"objects\": [{\"name\": \"Block\", \"role\": \"liquid\", \"mesh\": \"meshes/cube.ply\", \"material\": \"Goo\","
    "  \"keys\": [{\"time\": 0, \"position\": [0, 0, 0.1], \"scale\": [0.1, 0.1, 0.1]}]}]}";

static tlwResult bakeGoo(int iterations, int every, Told *told, char sentence[512])
{
    char root[256], scene[300], cache[300], text[2048];
    makeTemporaryFolder(root);
    snprintf(scene, sizeof scene, "%s/scene", root);
    snprintf(cache, sizeof cache, "%s/cache", root);
    mkdir(scene, 0777);
    writeCube(scene, "cube.ply", false);
    int size = snprintf(text, sizeof text, goo_text, iterations, every);
    writeText(scene, "scene.json", text, (size_t)size);
    tlwContextDef cdef = tlwDefaultContextDef();
    cdef.threads = 1;
    cdef.log = onLog;
    cdef.user = told;
    tlwContext *context = NULL;
    assert_int_equal(tlwCreateContext(&cdef, &context), TLW_OK);
    tlwBakeDef def = tlwDefaultBakeDef();
    def.scene = scene;
    def.cache = cache;
    tlwResult result = tlwBake(context, &def);
    snprintf(sentence, 512, "%s", tlwGetMessage(context));
    tlwDestroyContext(context);
    removeFolder(root);
    return result;
}

static void test_a_failed_solve_names_the_frame(void **state)
{
    (void)state;
    Told told = {0};
    char sentence[512];
    assert_int_equal(bakeGoo(5, 0, &told, sentence), TLW_NOT_CONVERGED);
    print_message("%s\n", sentence);
    assert_non_null(strstr(sentence, "Frame 2: "));
    assert_non_null(strstr(sentence, "Step Length"));
}

static void test_a_failed_frame_is_tried_again_with_shorter_steps(void **state)
{
    (void)state;
    Told told = {0};
    char sentence[512];
    OUTCOME(bakeGoo(5, 1, &told, sentence) == TLW_OK);
    assert_non_null(strstr(told.all, "Frame 2 is tried again with steps half as long"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_progress_rises_within_a_frame),
        cmocka_unit_test(test_a_cancel_is_looked_at_between_stages),
        cmocka_unit_test(test_too_few_steps_are_told_once),
        cmocka_unit_test(test_overhang_adds_no_volume),
        cmocka_unit_test(test_a_failed_solve_names_the_frame),
        cmocka_unit_test(test_a_failed_frame_is_tried_again_with_shorter_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
