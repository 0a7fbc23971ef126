// Inflows through the public interface: same bits whatever the threads, going on from a checkpoint, and odd places.
// How much they give is `tallow verify inflow`.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "sim_helpers.h"

static void addTap(World *w, tlwVec3 low, tlwVec3 high, const tlwKey *keys, int count)
{
    float positions[24];
    tlwObjectDef tap = tlwDefaultObjectDef();
    tap.name = "Tap";
    tap.role = TLW_ROLE_INFLOW;
    tap.mesh = boxMesh(positions, low, high);
    tap.keys = keys;
    tap.key_count = count;
    assert_int_equal(tlwAddObject(w->scene, &tap, NULL), TLW_OK);
}

// A tap that moves, turns, and changes its speed, over a small pool.
static World makeMoving(int threads)
{
    tlwSceneDef def = smallTank();
    World w = begin(threads, &def);
    tlwKey keys[3] = {tlwDefaultKey(), tlwDefaultKey(), tlwDefaultKey()};
    for (int n = 0; n < 3; n++) {
        keys[n].time = 0.1 * n;
        keys[n].position = (tlwVec3){0.03 * n, 0.08, 0.15};
        keys[n].velocity = (tlwVec3){0.1 * n, 0, -0.5 - 0.3 * n};
    }
    keys[1].rotation = (tlwQuat){0.8, 0, 0.6, 0};
    addTap(&w, (tlwVec3){0.04, -0.02, -0.02}, (tlwVec3){0.083, 0.023, 0.02}, keys, 3);
    addBox(&w, TLW_ROLE_LIQUID, "Pool", (tlwVec3){0, 0, 0}, (tlwVec3){0.32, 0.16, 0.04}, (tlwVec3){0, 0, 0});
    run(&w);
    return w;
}

static void compare(World *a, World *b)
{
    tlwParticleView va, vb;
    assert_int_equal(tlwGetParticles(a->sim, &va), TLW_OK);
    assert_int_equal(tlwGetParticles(b->sim, &vb), TLW_OK);
    assert_int_equal(va.count, vb.count);
    assert_memory_equal(va.position, vb.position, (size_t)va.count * 3 * sizeof(float));
    assert_memory_equal(va.velocity, vb.velocity, (size_t)va.count * 3 * sizeof(float));
}

static void test_one_and_three_threads_give_the_same_bits(void **state)
{
    (void)state;
    World a = makeMoving(1), b = makeMoving(3);
    advance(&a, 0.2);
    advance(&b, 0.2);
    compare(&a, &b);
    end(&a);
    end(&b);
}

static void test_checkpoint_goes_on_bit_for_bit(void **state)
{
    (void)state;
    char path[] = "/tmp/tallow_test_XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    World a = makeMoving(2), b = makeMoving(2);
    advance(&a, 0.1);
    assert_int_equal(tlwSaveState(a.sim, path), TLW_OK);
    assert_int_equal(tlwLoadState(b.sim, path), TLW_OK);
    advance(&a, 0.1);
    advance(&b, 0.1);
    compare(&a, &b);
    unlink(path);
    end(&a);
    end(&b);
}

// Volume that comes within a time, once the jet has started.
static double giveFor(World *w, double seconds)
{
    tlwStats before, after;
    advance(w, 0.1);
    tlwGetStats(w->sim, &before);
    advance(w, seconds);
    tlwGetStats(w->sim, &after);
    return after.target_volume - before.target_volume;
}

// Half in a wall, and half outside the domain: only what is free gives, and it gives that.
static void test_tap_in_a_wall_gives_what_is_free(void **state)
{
    (void)state;
    tlwSceneDef def = smallTank();
    World w = begin(2, &def);
    tlwKey key = tlwDefaultKey();
    key.velocity = (tlwVec3){0.5, 0, 0};
    addTap(&w, (tlwVec3){-0.05, 0.04, 0.04}, (tlwVec3){0.04, 0.12, 0.12}, &key, 1);
    addBox(&w, TLW_ROLE_SOLID, "Sill", (tlwVec3){-0.1, -0.1, -0.1}, (tlwVec3){0.06, 0.3, 0.08}, (tlwVec3){0, 0, 0});
    run(&w);
    double given = giveFor(&w, 0.2), expected = 0.5 * 0.08 * 0.04 * 0.2;
    print_message("gave %.3e of %.3e\n", given, expected);
    OUTCOME(fabs(given / expected - 1) < 0.1);
    end(&w);
}

// Thinner than a cell, and faster than its own thickness a step; its back outside the domain.
static void test_thin_tap_gives_all(void **state)
{
    (void)state;
    for (int n = 0; n < 2; n++) {
        tlwSceneDef def = smallTank();
        World w = begin(2, &def);
        tlwKey key = tlwDefaultKey();
        key.velocity = (tlwVec3){0.6, 0, 0};
        addTap(&w, (tlwVec3){n ? -0.007 : 0.053, 0.04, 0.04}, (tlwVec3){n ? 0.033 : 0.059, 0.12, 0.12}, &key, 1);
        run(&w);
        double given = giveFor(&w, 0.2), expected = 0.6 * 0.08 * 0.08 * 0.2;
        print_message("gave %.3e of %.3e\n", given, expected);
        OUTCOME(fabs(given / expected - 1) < 0.05);
        end(&w);
    }
}

// A mouth on the floor has nowhere to give to; the bake goes on.
static void test_blocked_tap_does_no_harm(void **state)
{
    (void)state;
    tlwSceneDef def = smallTank();
    World w = begin(2, &def);
    tlwKey key = tlwDefaultKey();
    key.velocity = (tlwVec3){0, 0, -0.5};
    addTap(&w, (tlwVec3){0.04, 0.04, -0.02}, (tlwVec3){0.08, 0.08, 0.06}, &key, 1);
    run(&w);
    tlwStats stats;
    for (int frame = 0; frame < FRAMES(6); frame++)
        advance(&w, 1.0 / 24);
    tlwGetStats(w.sim, &stats);
    print_message("fastest %.2f m/s, %.3e m3\n", stats.max_speed, stats.particle_volume);
    OUTCOME(stats.max_speed < 5);
    end(&w);
}

// A velocity that passes through zero stops the liquid; it does not let go of it.
static void test_speed_of_zero_stops_the_flow(void **state)
{
    (void)state;
    tlwSceneDef def = smallTank();
    World w = begin(2, &def);
    tlwKey keys[2] = {tlwDefaultKey(), tlwDefaultKey()};
    keys[0].velocity = (tlwVec3){0, 0, -0.5};
    keys[1].time = 0.1;
    addTap(&w, (tlwVec3){0.12, 0.04, 0.12}, (tlwVec3){0.2, 0.12, 0.18}, keys, 2);
    run(&w);
    tlwStats before, after;
    advance(&w, 0.15);
    tlwGetStats(w.sim, &before);
    advance(&w, 0.15);
    tlwGetStats(w.sim, &after);
    print_message("%.4e then %.4e m3\n", before.target_volume, after.target_volume);
    OUTCOME(fabs(after.target_volume / before.target_volume - 1) < 1e-6);
    end(&w);
}

// Along a jet rest positions differ as the places do: what came earlier by dt is ahead by speed x dt in both.
static void test_texture_is_not_drawn_out_along_a_jet(void **state)
{
    (void)state;
    tlwSceneDef def = smallTank();
    def.gravity = (tlwVec3){0, 0, 0};
    World w = begin(2, &def);
    tlwKey key = tlwDefaultKey();
    key.velocity = (tlwVec3){0.5, 0, 0};
    addTap(&w, (tlwVec3){0, 0.04, 0.08}, (tlwVec3){0.04, 0.12, 0.16}, &key, 1);
    run(&w);
    advance(&w, 0.4);
    tlwParticleView view;
    assert_int_equal(tlwGetParticles(w.sim, &view), TLW_OK);
    double low = INFINITY, high = -INFINITY, worst = 0;
    for (int64_t n = 0; n < view.count; n++) {
        double way = view.position[3 * n] - view.rest_position[3 * n];
        low = fmin(low, view.position[3 * n]);
        high = fmax(high, view.position[3 * n]);
        worst = fmax(worst, fabs(way - 0.2));
    }
    print_message("a jet of %.3f m; ways differ from 0.2 m by up to %.4f m\n", high - low, worst);
    OUTCOME(high - low > 0.18);
    OUTCOME(worst < 0.01);
    end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_and_three_threads_give_the_same_bits),
        cmocka_unit_test(test_checkpoint_goes_on_bit_for_bit),
        cmocka_unit_test(test_tap_in_a_wall_gives_what_is_free),
        cmocka_unit_test(test_thin_tap_gives_all),
        cmocka_unit_test(test_blocked_tap_does_no_harm),
        cmocka_unit_test(test_speed_of_zero_stops_the_flow),
        cmocka_unit_test(test_texture_is_not_drawn_out_along_a_jet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
