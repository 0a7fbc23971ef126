// The whole step through the public interface: small scenes that must come out right.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "sim_helpers.h"
#include "step/sim.h"

static void test_falling_box_follows_gravity(void **state)
{
    (void)state;
    tlwSceneDef def = smallTank();
    World w = begin(2, &def);
    addBox(&w, TLW_ROLE_LIQUID, "Drop", (tlwVec3){0.12, 0.04, 0.14}, (tlwVec3){0.2, 0.12, 0.22}, (tlwVec3){0.2, 0, 0});
    run(&w);
    tlwStats before, after;
    tlwGetStats(w.sim, &before);
    print_message("volume %g of %g, particles %d\n", before.particle_volume, 0.08 * 0.08 * 0.08, (int)before.particles);
    OUTCOME(fabs(before.particle_volume - 0.08 * 0.08 * 0.08) < 0.02 * 0.08 * 0.08 * 0.08);
    for (int frame = 0; frame < FRAMES(2); frame++)
        advance(&w, 1.0 / 24);
    tlwGetStats(w.sim, &after);
    double fall = before.centre_of_mass.z - after.centre_of_mass.z, exact = 0.5 * 9.81 / 144;
    print_message("fell %.4f of %.4f m\n", fall, exact);
    OUTCOME(fabs(fall - exact) < 0.02 * exact);
    OUTCOME(fabs(after.centre_of_mass.x - before.centre_of_mass.x - 0.2 / 12) < 0.0005);
    OUTCOME(fabs(after.surface_volume / before.surface_volume - 1) < 0.01);
    end(&w);
}

static World splash(int64_t frugal_from)
{
    tlwSceneDef def = smallTank();
    World w = begin(2, &def);
    addBox(&w, TLW_ROLE_LIQUID, "Pool", (tlwVec3){-0.05, -0.05, -0.05}, (tlwVec3){0.37, 0.21, 0.05},
           (tlwVec3){0, 0, 0});
    addBox(&w, TLW_ROLE_LIQUID, "Drop", (tlwVec3){0.12, 0.04, 0.14}, (tlwVec3){0.2, 0.12, 0.22}, (tlwVec3){0.2, 0, 0});
    run(&w);
    w.sim->frugal_from = frugal_from;
    for (int frame = 0; frame < FRAMES(4); frame++)
        advance(&w, 1.0 / 24);
    return w;
}

static void test_memory_that_is_given_back_changes_no_bit(void **state)
{
    (void)state;
    World plain = splash(INT64_MAX), frugal = splash(0);
    tlwParticles *a = &plain.sim->particles, *b = &frugal.sim->particles;
    tlwParticleArray from[TLW_PARTICLE_ARRAYS], to[TLW_PARTICLE_ARRAYS];
    tlwListParticleArrays(a, from);
    tlwListParticleArrays(b, to);
    assert_int_equal(a->count, b->count);
    for (int n = 0; n < TLW_PARTICLE_ARRAYS; n++)
        assert_memory_equal(*from[n].data, *to[n].data, from[n].element * (size_t)a->count);
    tlwSurfaceView one, other;
    assert_int_equal(tlwGetSurface(plain.sim, &one), TLW_OK);
    assert_int_equal(tlwGetSurface(frugal.sim, &other), TLW_OK);
    assert_int_equal(one.vertex_count, other.vertex_count);
    assert_int_equal(one.attribute_count, other.attribute_count);
    for (int a = 0; a < one.attribute_count; a++)
        assert_memory_equal(one.attributes[a].values, other.attributes[a].values,
                            sizeof(float) * (size_t)(one.attributes[a].components * one.vertex_count));
    end(&plain);
    end(&frugal);
}

static void test_water_at_rest_stays_at_rest(void **state)
{
    (void)state;
    tlwSceneDef def = smallTank();
    World w = begin(2, &def);
    addBox(&w, TLW_ROLE_LIQUID, "Pool", (tlwVec3){-0.05, -0.05, -0.05}, (tlwVec3){0.37, 0.21, 0.113},
           (tlwVec3){0, 0, 0});
    run(&w);
    double fastest = 0;
    tlwStats stats;
    for (int frame = 0; frame < FRAMES(6); frame++) {
        advance(&w, 1.0 / 24);
        tlwGetStats(w.sim, &stats);
        fastest = fmax(fastest, stats.max_speed);
    }
    print_message("fastest %.2e m/s\n", fastest);
    OUTCOME(fastest < 1e-3);
    end(&w);
}

static void test_sloshing_keeps_volume_and_closes_the_mesh(void **state)
{
    (void)state;
    tlwSceneDef def = smallTank();
    World w = begin(2, &def);
    addBox(&w, TLW_ROLE_LIQUID, "Column", (tlwVec3){0, 0, 0}, (tlwVec3){0.1, 0.16, 0.18}, (tlwVec3){0, 0, 0});
    run(&w);
    tlwStats stats;
    tlwGetStats(w.sim, &stats);
    double start = stats.surface_volume;
    for (int frame = 0; frame < FRAMES(10); frame++) {
        advance(&w, 1.0 / 24);
        tlwGetStats(w.sim, &stats);
        tlwSurfaceView surface;
        assert_int_equal(tlwGetSurface(w.sim, &surface), TLW_OK);
        print_message("%d: particles %.5f surface %.5f mesh %.5f (start %.5f) v %.2f it %d sub %d\n", frame,
                      stats.particle_volume * 1e3, stats.surface_volume * 1e3, surface.volume * 1e3, start * 1e3,
                      stats.max_speed, stats.pressure_iterations, stats.substeps);
        OUTCOME(surface.triangle_count > 100);
        OUTCOME(fabs(surface.volume / stats.particle_volume - 1) < 1e-3);
    }
    assert_true(fabs(stats.particle_volume / start - 1) < 1e-4);
    OUTCOME(fabs(stats.surface_volume / start - 1) < 0.01);
    end(&w);
}

static void test_one_and_three_threads_give_the_same_bits(void **state)
{
    (void)state;
    float *first = NULL;
    int64_t count = 0;
    tlwBodyState crates[2];
    for (int threads = 1; threads <= 3; threads += 2) {
        tlwSceneDef def = smallTank();
        World w = begin(threads, &def);
        addBox(&w, TLW_ROLE_LIQUID, "Column", (tlwVec3){0, 0, 0}, (tlwVec3){0.1, 0.16, 0.18}, (tlwVec3){0, 0, 0});
        addBox(&w, TLW_ROLE_SOLID, "Post", (tlwVec3){0.2, 0.05, -0.1}, (tlwVec3){0.23, 0.11, 0.3}, (tlwVec3){0, 0, 0});
        // stands in the way of the wave and is pushed against the post
        int crate = addBody(&w, "Crate", (tlwVec3){0.13, 0.06, 0.001}, (tlwVec3){0.17, 0.1, 0.041}, 600);
        run(&w);
        advance(&w, 0.2);
        crates[threads / 2] = bodyOf(&w, crate);
        tlwParticleView view;
        assert_int_equal(tlwGetParticles(w.sim, &view), TLW_OK);
        if (!first) {
            count = view.count;
            first = malloc((size_t)count * 3 * sizeof *first);
            memcpy(first, view.position, (size_t)count * 3 * sizeof *first);
        }
        assert_int_equal(view.count, count);
        assert_memory_equal(first, view.position, (size_t)count * 3 * sizeof *first);
        end(&w);
    }
    OUTCOME(crates[0].centre.x > 0.16); // from 0.15 m
    assert_memory_equal(&crates[0], &crates[1], sizeof crates[0]);
    free(first);
}

static void test_checkpoint_goes_on_bit_for_bit(void **state)
{
    (void)state;
    char path[] = "/tmp/tallow_test_XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    tlwSceneDef def = smallTank();
    World a = begin(2, &def), b = begin(2, &def);
    World *both[2] = {&a, &b};
    for (int n = 0; n < 2; n++) {
        addBox(both[n], TLW_ROLE_LIQUID, "Column", (tlwVec3){0, 0, 0}, (tlwVec3){0.1, 0.16, 0.18}, (tlwVec3){0, 0, 0});
        run(both[n]);
    }
    advance(&a, 0.1);
    assert_int_equal(tlwSaveState(a.sim, path), TLW_OK);
    assert_int_equal(tlwLoadState(b.sim, path), TLW_OK);
    tlwParticleView va, vb;
    advance(&a, 0.1);
    advance(&b, 0.1);
    assert_int_equal(tlwGetParticles(a.sim, &va), TLW_OK);
    assert_int_equal(tlwGetParticles(b.sim, &vb), TLW_OK);
    assert_int_equal(va.count, vb.count);
    assert_memory_equal(va.position, vb.position, (size_t)va.count * 3 * sizeof(float));
    assert_memory_equal(va.velocity, vb.velocity, (size_t)va.count * 3 * sizeof(float));
    unlink(path);
    end(&a);
    end(&b);
}

static void test_inflow_fills_and_outflow_drains(void **state)
{
    (void)state;
    tlwSceneDef def = smallTank();
    World w = begin(2, &def);
    float positions[24];
    tlwObjectDef tap = tlwDefaultObjectDef();
    tlwKey key = tlwDefaultKey();
    key.velocity = (tlwVec3){0, 0, -0.5};
    tap.name = "Tap";
    tap.role = TLW_ROLE_INFLOW;
    tap.mesh = boxMesh(positions, (tlwVec3){0.04, 0.06, 0.18}, (tlwVec3){0.08, 0.1, 0.22});
    tap.keys = &key;
    tap.key_count = 1;
    assert_int_equal(tlwAddObject(w.scene, &tap, NULL), TLW_OK);
    addBox(&w, TLW_ROLE_OUTFLOW, "Drain", (tlwVec3){0.2, 0, -0.05}, (tlwVec3){0.32, 0.16, 0.02}, (tlwVec3){0, 0, 0});
    run(&w);
    advance(&w, 0.25);
    tlwStats stats;
    tlwGetStats(w.sim, &stats);
    // area x speed x time, and what fills the tap itself
    double expected = 0.04 * 0.04 * 0.5 * 0.25 + 0.04 * 0.04 * 0.04;
    print_message("inflow %.3e expected %.3e\n", stats.particle_volume, expected);
    OUTCOME(fabs(stats.particle_volume / expected - 1) < 0.03);
    for (int n = 0; n < FRAMES(4); n++)
        advance(&w, 0.25);
    double later = stats.particle_volume + 1.0 * 0.04 * 0.04 * 0.5;
    tlwGetStats(w.sim, &stats);
    print_message("after the drain %.3e of %.3e\n", stats.particle_volume, later);
    OUTCOME(stats.particle_volume < 0.9 * later);
    assert_true(fabs(stats.particle_volume / stats.target_volume - 1) < 1e-3);
    end(&w);
}

static void test_questions_that_have_no_answer_are_refused(void **state)
{
    (void)state;
    tlwSceneDef def = smallTank();
    World w = begin(1, &def);
    addBox(&w, TLW_ROLE_LIQUID, "Pool", (tlwVec3){-1, -1, -1}, (tlwVec3){1, 1, 0.08}, (tlwVec3){0, 0, 0});
    run(&w);
    const double point[3] = {0.1, 0.1, 0.05};
    double out[3];
    const int fields[] = {-1, TLW_FIELD_VISCOSITY + 1, 1000000};
    for (size_t n = 0; n < sizeof fields / sizeof fields[0]; n++) {
        assert_int_equal(tlwSampleField(w.sim, (tlwField)fields[n], point, 1, out), TLW_BAD_ARGUMENT);
        assert_non_null(strstr(tlwGetMessage(w.context), "no field"));
    }
    tlwStats stats = {.substeps = 7};
    tlwGetStats(NULL, &stats);
    tlwGetStats(w.sim, NULL);
    assert_int_equal(stats.substeps, 7);
    end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_falling_box_follows_gravity),
        cmocka_unit_test(test_memory_that_is_given_back_changes_no_bit),
        cmocka_unit_test(test_water_at_rest_stays_at_rest),
        cmocka_unit_test(test_sloshing_keeps_volume_and_closes_the_mesh),
        cmocka_unit_test(test_one_and_three_threads_give_the_same_bits),
        cmocka_unit_test(test_checkpoint_goes_on_bit_for_bit),
        cmocka_unit_test(test_inflow_fills_and_outflow_drains),
        cmocka_unit_test(test_questions_that_have_no_answer_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
