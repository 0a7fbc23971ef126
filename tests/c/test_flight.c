// Blobs in flight: each keeps its momentum, with the body in it, and nothing depends on threads or a break.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "sim_helpers.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int beginFlight(World *w, int threads)
{
    tlwSceneDef def = tlwDefaultSceneDef();
    def.cell_size = 0.01;
    def.domain_min = (tlwVec3){-0.2, -0.2, -0.2};
    def.domain_max = (tlwVec3){0.2, 0.2, 0.2};
    def.gravity = (tlwVec3){0, 0, 0};
    *w = begin(threads, &def);
    tlwObjectDef blob = tlwDefaultObjectDef();
    blob.role = TLW_ROLE_LIQUID;
    blob.velocity = (tlwVec3){0.1, 0.2, 0};
    blob.spin = (tlwVec3){0, 0, 4};
    addBoxAs(w, blob, "Left", (tlwVec3){-0.14, -0.05, -0.05}, (tlwVec3){-0.05, 0.05, 0.05});
    blob.velocity = (tlwVec3){0, -0.2, 0.3};
    blob.spin = (tlwVec3){3, 0, -2};
    addBoxAs(w, blob, "Right", (tlwVec3){0.04, -0.05, -0.05}, (tlwVec3){0.14, 0.05, 0.05});
    int body = addMovingBody(w, "Stone", (tlwVec3){0.07, -0.02, -0.02}, (tlwVec3){0.11, 0.02, 0.02}, 2000,
                             (tlwVec3){0, -0.1, 0.3});
    run(w);
    return body;
}

static double distance(tlwVec3 a, tlwVec3 b)
{
    return sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z));
}

static void test_two_blobs_keep_their_momentum(void **state)
{
    (void)state;
    const tlwVec3 none = {0, 0, 0};
    World w;
    tlwStats start, stats;
    beginFlight(&w, 2);
    tlwGetStats(w.sim, &start);
    advance(&w, 0.2);
    tlwGetStats(w.sim, &stats);
    double linear = distance(stats.momentum, start.momentum) / distance(start.momentum, none);
    double angular = distance(stats.angular_momentum, start.angular_momentum) / distance(start.angular_momentum, none);
    print_message("momentum off by %.2g of it, angular momentum by %.2g\n", linear, angular);
    OUTCOME(linear < 1e-5);
    OUTCOME(angular < 1e-5);
    end(&w);
}

static void test_threads_and_a_break_change_no_bit(void **state)
{
    (void)state;
    char path[] = "/tmp/tallow_test_XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    float *first = NULL;
    int64_t count = 0;
    tlwBodyState stones[3];
    for (int pass = 0; pass < 3; pass++) {
        World w;
        int stone = beginFlight(&w, pass == 1 ? 3 : 1);
        if (pass < 2)
            advance(&w, 0.05);
        if (pass == 0)
            assert_int_equal(tlwSaveState(w.sim, path), TLW_OK);
        if (pass == 2)
            assert_int_equal(tlwLoadState(w.sim, path), TLW_OK);
        advance(&w, 0.05);
        stones[pass] = bodyOf(&w, stone);
        tlwParticleView view;
        assert_int_equal(tlwGetParticles(w.sim, &view), TLW_OK);
        size_t bytes = (size_t)view.count * 3 * sizeof *first;
        if (!first) {
            count = view.count;
            first = malloc(2 * bytes);
            memcpy(first, view.position, bytes);
            memcpy(first + 3 * count, view.velocity, bytes);
        }
        assert_int_equal(view.count, count);
        assert_memory_equal(first, view.position, bytes);
        assert_memory_equal(first + 3 * count, view.velocity, bytes);
        assert_memory_equal(&stones[0], &stones[pass], sizeof stones[0]);
        end(&w);
    }
    free(first);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_blobs_keep_their_momentum),
        cmocka_unit_test(test_threads_and_a_break_change_no_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
