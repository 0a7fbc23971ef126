// Rigid bodies and liquid act on each other.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "body_helpers.h"

static void test_body_falls_freely_in_air(void **state)
{
    (void)state;
    World w = pool();
    int box = addBody(&w, "Box", (tlwVec3){0.1, 0.1, 0.19}, (tlwVec3){0.14, 0.14, 0.23}, 2000);
    run(&w);
    double before = bodyOf(&w, box).centre.z;
    for (int n = 0; n < 4; n++) // even steps
        advance(&w, 1.0 / 48);
    double fall = before - bodyOf(&w, box).centre.z, exact = 0.5 * 9.81 / 144;
    print_message("fell %.4f of %.4f m\n", fall, exact);
    OUTCOME(fabs(fall - exact) < 0.02 * exact);
    end(&w);
}

// Share of the box below the level of the water at the walls.
static void test_half_dense_box_floats_half_submerged(void **state)
{
    (void)state;
    for (int n = 0; n < 2; n++) {
        double density = n ? 200 : 500;
        World w = pool();
        int box = addBody(&w, "Float", (tlwVec3){0.08, 0.08, 0.085}, (tlwVec3){0.16, 0.16, 0.165}, density);
        run(&w);
        double level = 0, low = 0; // mean height of the underside over the last frames
        for (int frame = 0; frame < FRAMES(32); frame++) {
            advance(&w, 1.0 / 24);
            if (frame >= 16)
                low += (bodyOf(&w, box).centre.z - 0.04) / 16;
        }
        // liquid volume = area * level - submerged part
        tlwStats stats;
        tlwGetStats(w.sim, &stats);
        double submerged = 0;
        for (int pass = 0; pass < 50; pass++) {
            level = (stats.particle_volume + submerged * 0.08 * 0.08) / (0.24 * 0.24);
            submerged = tlwClamp(level - low, 0, 0.08);
        }
        print_message("density %g: %.3f submerged, speed %.3g\n", density, submerged / 0.08,
                      tlwLength(bodyOf(&w, box).velocity));
        OUTCOME(fabs(submerged / 0.08 - density / 998) < 0.06);
        end(&w);
    }
}

static void test_lead_sinks_and_rests_on_the_floor(void **state)
{
    (void)state;
    World w = pool();
    int box = addBody(&w, "Lead", (tlwVec3){0.1, 0.1, 0.13}, (tlwVec3){0.14, 0.14, 0.17}, 11340);
    run(&w);
    double fastest = 0, turns = 0;
    for (int frame = 0; frame < FRAMES(24); frame++) {
        advance(&w, 1.0 / 24);
        tlwBodyState s = bodyOf(&w, box);
        if (frame >= 12) { // a box that lands on an edge may rock for a moment
            fastest = fmax(fastest, tlwLength(s.velocity));
            turns = fmax(turns, tlwLength(s.spin));
        }
    }
    tlwBodyState s = bodyOf(&w, box);
    print_message("height %.4f, at most %.4f m/s and %.3f rad/s\n", s.centre.z, fastest, turns);
    OUTCOME(fabs(s.centre.z - 0.02) < 0.0005);
    OUTCOME(fastest < 0.02 && turns < 0.5);
    end(&w);
}

static void test_styrofoam_is_stable(void **state)
{
    (void)state;
    World w = pool();
    int box = addBody(&w, "Foam", (tlwVec3){0.09, 0.09, 0.03}, (tlwVec3){0.15, 0.15, 0.09}, 50);
    run(&w);
    double fastest = 0;
    for (int frame = 0; frame < FRAMES(24); frame++) {
        advance(&w, 1.0 / 24);
        fastest = fmax(fastest, tlwLength(bodyOf(&w, box).velocity));
    }
    print_message("height %.4f, fastest %.3f m/s\n", bodyOf(&w, box).centre.z, fastest);
    OUTCOME(bodyOf(&w, box).centre.z > 0.1);
    OUTCOME(fastest < 2.5);
    end(&w);
}

// The operator split (Carlson 2004, s. 5.4) is a choice: the same box rises, hangs and sinks with it.
static void test_split_coupling_lifts_and_sinks(void **state)
{
    (void)state;
    const double densities[3] = {500, 998, 3000};
    for (int n = 0; n < 3; n++) {
        tlwSceneDef def = poolDef();
        def.coupling = TLW_COUPLING_SPLIT;
        def.cell_size = 0.02;
        World w = poolOf(&def);
        int box = addBody(&w, "Box", (tlwVec3){0.09, 0.09, 0.03}, (tlwVec3){0.15, 0.15, 0.09}, densities[n]);
        run(&w);
        for (int frame = 0; frame < FRAMES(n == 1 ? 6 : 12); frame++)
            advance(&w, 1.0 / 24);
        tlwBodyState s = bodyOf(&w, box);
        print_message("density %g: height %.4f, speed %.3f\n", densities[n], s.centre.z, tlwLength(s.velocity));
        if (n == 0)
            OUTCOME(s.centre.z > 0.08);
        else if (n == 1)
            OUTCOME(fabs(s.centre.z - 0.06) < 0.01);
        else
            OUTCOME(fabs(s.centre.z - 0.03) < 0.001 && tlwLength(s.velocity) < 0.02);
        end(&w);
    }
}

// A plank of a third of a cell displaces its volume all the same.
static void test_thin_plank_rises_and_floats(void **state)
{
    (void)state;
    tlwSceneDef def = poolDef();
    def.cell_size = 0.02;
    World w = poolOf(&def);
    int plank = addBody(&w, "Plank", (tlwVec3){0.05, 0.08, 0.05}, (tlwVec3){0.19, 0.16, 0.057}, 600);
    run(&w);
    double lowest = 1, highest = 0;
    for (int frame = 0; frame < FRAMES(30); frame++) {
        advance(&w, 1.0 / 24);
        if (frame >= 18) {
            lowest = fmin(lowest, bodyOf(&w, plank).centre.z);
            highest = fmax(highest, bodyOf(&w, plank).centre.z);
        }
    }
    print_message("between %.4f and %.4f m\n", lowest, highest);
    OUTCOME(lowest > 0.12 - 0.015 && highest < 0.12 + 0.015);
    end(&w);
}

// Particles within a cell of a box of 8 cm.
static int countWet(World *w, tlwVec3 centre)
{
    tlwParticleView view;
    assert_int_equal(tlwGetParticles(w->sim, &view), TLW_OK);
    int wet = 0;
    for (int64_t n = 0; n < view.count; n++) {
        const float *p = view.position + 3 * n;
        wet += fabs(p[0] - centre.x) < 0.06 && fabs(p[1] - centre.y) < 0.06 && fabs(p[2] - centre.z) < 0.06;
    }
    return wet;
}

// The water around a box that hangs in it, and that it sticks to, falls out of the open floor: none stays on the box.
static void test_box_that_the_water_has_left_is_dry(void **state)
{
    (void)state;
    tlwSceneDef def = poolDef();
    def.cell_size = 0.02;
    def.domain_max.z = 0.4;
    def.walls[4] = TLW_WALL_OPEN;
    World w = begin(2, &def);
    addBox(&w, TLW_ROLE_LIQUID, "Pool", (tlwVec3){-0.05, -0.05, 0.1}, (tlwVec3){0.3, 0.3, 0.26}, (tlwVec3){0, 0, 0});
    int box = addBody(&w, "Box", (tlwVec3){0.08, 0.08, 0.16}, (tlwVec3){0.16, 0.16, 0.24}, 2000);
    addJoint(&w, "Hang", TLW_JOINT_FIXED, box, -1, (tlwVec3){0.12, 0.12, 0.2});
    run(&w);
    tlwVec3 centre = {0.12, 0.12, 0.2};
    int before = countWet(&w, centre);
    for (int frame = 0; frame < FRAMES(14); frame++)
        advance(&w, 1.0 / 24);
    print_message("%d particles within a cell of the box, %d at first\n", countWet(&w, centre), before);
    OUTCOME(before > 500 && countWet(&w, centre) <= 4); // half a cell's worth
    OUTCOME(tlwLength(tlwSub(bodyOf(&w, box).centre, centre)) < 1e-6);
    end(&w);
}

// A box of 4 cm shot at plates much thinner than a cell, free ones and solids: it never gets to the other side.
static void test_fast_box_does_not_pass_thin_plates(void **state)
{
    (void)state;
    const double thick[3] = {0.02, 0.006, 0.002};
    for (int n = 0; n < FRAMES(12); n++) {
        double t = thick[n % 3], speed = n / 3 % 2 ? 60 : 20;
        bool solid = n >= 6;
        tlwSceneDef def = poolDef();
        def.domain_max = (tlwVec3){0.6, 0.2, 0.3};
        def.cell_size = 0.02;
        World w = begin(2, &def);
        addBox(&w, TLW_ROLE_LIQUID, "Drop", (tlwVec3){0, 0, 0}, (tlwVec3){0.04, 0.04, 0.02}, (tlwVec3){0, 0, 0});
        tlwVec3 low = {0.3 - t / 2, 0.02, 0.07}, high = {0.3 + t / 2, 0.18, 0.23};
        int plate = solid ? addBox(&w, TLW_ROLE_SOLID, "Plate", low, high, (tlwVec3){0, 0, 0})
                          : addBody(&w, "Plate", low, high, 8000);
        int box = addMovingBody(&w, "Box", (tlwVec3){0.16, 0.08, 0.13}, (tlwVec3){0.2, 0.12, 0.17}, 1000,
                                (tlwVec3){speed, 0, 0});
        run(&w);
        advance(&w, 0.3 / speed); // without the plate it would come 30 cm further
        double x = bodyOf(&w, box).centre.x, face = (solid ? 0.3 : bodyOf(&w, plate).centre.x) - t / 2;
        print_message("%s plate of %g mm, %g m/s: box %.2f mm from it\n", solid ? "solid" : "free", 1000 * t, speed,
                      1000 * (face - x - 0.02));
        OUTCOME(x + 0.02 < face + 0.5 * t);
        OUTCOME(bodyOf(&w, box).velocity.x < 0.1 * speed);          // it was stopped
        OUTCOME(solid || bodyOf(&w, plate).centre.x > 0.3 + 0.001); // and a free plate was hit
        end(&w);
    }
}

// An animated solid pushes a box along the floor at 0.3 m/s.
static void test_animated_solid_pushes_a_box(void **state)
{
    (void)state;
    tlwSceneDef def = poolDef();
    def.domain_max = (tlwVec3){0.4, 0.2, 0.2};
    def.cell_size = 0.02;
    World w = begin(2, &def);
    addBox(&w, TLW_ROLE_LIQUID, "Puddle", (tlwVec3){-1, -1, -1}, (tlwVec3){1, 1, 0.02}, (tlwVec3){0, 0, 0});
    float positions[24];
    tlwKey keys[2] = {tlwDefaultKey(), tlwDefaultKey()};
    tlwObjectDef push = tlwDefaultObjectDef();
    push.name = "Push";
    push.role = TLW_ROLE_SOLID;
    push.mesh = boxMesh(positions, (tlwVec3){0.04, 0.02, 0.01}, (tlwVec3){0.06, 0.18, 0.09});
    keys[1].time = 0.6;
    keys[1].position.x = 0.18;
    push.keys = keys;
    push.key_count = 2;
    assert_int_equal(tlwAddObject(w.scene, &push, NULL), TLW_OK);
    int box = addBody(&w, "Box", (tlwVec3){0.1, 0.07, 0.001}, (tlwVec3){0.16, 0.13, 0.061}, 2000);
    run(&w);
    double deepest = 0, gap = 0;
    for (int frame = 1; frame <= FRAMES(14); frame++) {
        advance(&w, 1.0 / 24);
        gap = bodyOf(&w, box).centre.x - 0.03 - (0.06 + 0.3 * frame / 24);
        deepest = fmax(deepest, -gap);
    }
    print_message("box at %.3f m, %.2f mm from the solid, at most %.2f mm inside\n", bodyOf(&w, box).centre.x,
                  1000 * gap, 1000 * deepest);
    OUTCOME(deepest < 1e-3 && gap < 5e-3);
    end(&w);
}

// Boxes with a friction of 0.5 slide over the floor; where the scene says nothing, the floor's is 0.5 too.
static void test_wall_friction_acts_on_bodies(void **state)
{
    (void)state;
    const double wall[2] = {0, 0.02}, speed = 0.5, time = 0.25;
    for (int n = 0; n < 2; n++) {
        tlwSceneDef def = poolDef();
        def.domain_max = (tlwVec3){0.4, 0.2, 0.2};
        def.cell_size = 0.02;
        def.wall_friction = wall[n];
        World w = begin(2, &def);
        addBox(&w, TLW_ROLE_LIQUID, "Drop", (tlwVec3){0.36, 0, 0}, (tlwVec3){0.4, 0.04, 0.02}, (tlwVec3){0, 0, 0});
        int box = addMovingBody(&w, "Box", (tlwVec3){0.05, 0.1, 0.0001}, (tlwVec3){0.11, 0.16, 0.0201}, 2000,
                                (tlwVec3){speed, 0, 0});
        run(&w);
        advance(&w, time);
        double slid = bodyOf(&w, box).centre.x - 0.08, brake = 9.81 * sqrt(0.5 * (n ? 0.02 : 0.5));
        double exact = brake * time < speed ? speed * time - 0.5 * brake * time * time : 0.5 * speed * speed / brake;
        print_message("wall friction %g: slid %.1f mm, should %.1f\n", wall[n], 1000 * slid, 1000 * exact);
        OUTCOME(fabs(slid - exact) < 0.01); // friction starts with the first whole step
        end(&w);
    }
}

static void onWarning(void *user, tlwLogLevel level, const char *text)
{
    if (level == TLW_LOG_WARNING && strstr(text, "split"))
        snprintf(user, 256, "%s", text);
}

// The split method's warning of light bodies looks at the liquids that are there, not at the first material.
static void test_split_warning_names_the_heaviest_liquid(void **state)
{
    (void)state;
    for (int heavy = 0; heavy < 2; heavy++) {
        char warning[256] = "";
        tlwContextDef context = tlwDefaultContextDef();
        context.threads = 1;
        context.log = onWarning;
        context.user = warning;
        World w = {0};
        tlwSceneDef def = poolDef();
        def.cell_size = 0.03;
        def.coupling = TLW_COUPLING_SPLIT;
        assert_int_equal(tlwCreateContext(&context, &w.context), TLW_OK);
        assert_int_equal(tlwCreateScene(w.context, &def, &w.scene), TLW_OK);
        const char *names[2] = {"Foam", "Brine"};
        for (int n = 0; n < 2; n++) {
            tlwMaterialDef material = tlwDefaultMaterialDef();
            material.name = names[n];
            material.density_solid = material.density_liquid = n ? 1200 : 300;
            assert_int_equal(tlwAddMaterial(w.scene, &material, NULL), TLW_OK);
        }
        float positions[24];
        tlwKey key = tlwDefaultKey();
        tlwObjectDef pool = tlwDefaultObjectDef();
        pool.name = "Pool";
        pool.material = heavy;
        pool.mesh = boxMesh(positions, (tlwVec3){-1, -1, -1}, (tlwVec3){1, 1, 0.1});
        pool.keys = &key;
        pool.key_count = 1;
        assert_int_equal(tlwAddObject(w.scene, &pool, NULL), TLW_OK);
        addBody(&w, "Cork", (tlwVec3){0.08, 0.08, 0.12}, (tlwVec3){0.16, 0.16, 0.2}, 240);
        run(&w);
        print_message("%s: %s\n", names[heavy], warning);
        assert_true(heavy ? strstr(warning, "Cork is lighter than 0.45 of Brine") != NULL : !warning[0]);
        end(&w);
    }
}

static void test_bodies_inside_each_other_are_refused_by_name(void **state)
{
    (void)state;
    World w = pool();
    addBody(&w, "Ball", (tlwVec3){0.1, 0.1, 0.13}, (tlwVec3){0.14, 0.14, 0.17}, 1000);
    addBody(&w, "Cup", (tlwVec3){0.11, 0.11, 0.14}, (tlwVec3){0.15, 0.15, 0.18}, 1000);
    assert_int_equal(tlwCreateSim(w.scene, &w.sim), TLW_BAD_ARGUMENT);
    print_message("%s\n", tlwGetMessage(w.context));
    assert_non_null(strstr(tlwGetMessage(w.context), "Ball"));
    assert_non_null(strstr(tlwGetMessage(w.context), "Cup"));
    w.sim = NULL;
    end(&w);
}

static void test_checkpoint_with_bodies_goes_on_bit_for_bit(void **state)
{
    (void)state;
    char path[] = "/tmp/tallow_test_XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    tlwSceneDef def = poolDef();
    def.cell_size = 0.02; // steps as long as the body's speed allows: its motion is part of the state
    World a = poolOf(&def), b = poolOf(&def);
    World *both[2] = {&a, &b};
    int box = 0;
    for (int n = 0; n < 2; n++) {
        box = addBody(both[n], "Box", (tlwVec3){0.09, 0.1, 0.11}, (tlwVec3){0.14, 0.14, 0.15}, 700);
        run(both[n]);
    }
    advance(&a, 0.1);
    assert_int_equal(tlwSaveState(a.sim, path), TLW_OK);
    if (tlwLoadState(b.sim, path) != TLW_OK)
        fail_msg("%s", tlwGetMessage(b.context));
    advance(&a, 0.1);
    advance(&b, 0.1);
    tlwBodyState sa = bodyOf(&a, box), sb = bodyOf(&b, box);
    assert_memory_equal(&sa, &sb, sizeof sa);
    unlink(path);
    end(&a);
    end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_body_falls_freely_in_air),
        cmocka_unit_test(test_half_dense_box_floats_half_submerged),
        cmocka_unit_test(test_lead_sinks_and_rests_on_the_floor),
        cmocka_unit_test(test_styrofoam_is_stable),
        cmocka_unit_test(test_split_coupling_lifts_and_sinks),
        cmocka_unit_test(test_thin_plank_rises_and_floats),
        cmocka_unit_test(test_box_that_the_water_has_left_is_dry),
        cmocka_unit_test(test_fast_box_does_not_pass_thin_plates),
        cmocka_unit_test(test_animated_solid_pushes_a_box),
        cmocka_unit_test(test_wall_friction_acts_on_bodies),
        cmocka_unit_test(test_split_warning_names_the_heaviest_liquid),
        cmocka_unit_test(test_bodies_inside_each_other_are_refused_by_name),
        cmocka_unit_test(test_checkpoint_with_bodies_goes_on_bit_for_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
