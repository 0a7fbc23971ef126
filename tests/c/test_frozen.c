// Frozen material moves as rigid pieces: held by what it froze onto, free when that bond melts.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "step/sim.h"
#include "wax_scenes.h"

// Positions by particle id.
static float *positionsOf(World *w, int64_t *count)
{
    tlwParticleView view;
    assert_int_equal(tlwGetParticles(w->sim, &view), TLW_OK);
    float *positions = calloc((size_t)view.count + 1, 3 * sizeof(float));
    assert_non_null(positions);
    for (int64_t n = 0; n < view.count; n++) {
        assert_true(view.id[n] < view.count); // nothing was added or taken away
        memcpy(positions + 3 * view.id[n], view.position + 3 * n, 3 * sizeof(float));
    }
    *count = view.count;
    return positions;
}

// Largest change of the distance between particles that start far apart, m.
static double deformation(const float *a, const float *b, int64_t count)
{
    double most = 0;
    for (int64_t n = 0; n < count; n++) {
        int64_t m = (n * 7919 + count / 2) % count;
        double before = 0, after = 0;
        for (int c = 0; c < 3; c++) {
            before += pow((double)a[3 * n + c] - a[3 * m + c], 2);
            after += pow((double)b[3 * n + c] - b[3 * m + c], 2);
        }
        most = fmax(most, fabs(sqrt(before) - sqrt(after)));
    }
    return most;
}

static void test_frozen_wax_does_not_creep(void **state)
{
    (void)state;
    tlwSceneDef def = room();
    World w = frozenRoom(2, &def);
    addBox(&w, TLW_ROLE_SOLID, "Plate", (tlwVec3){0.03, 0.03, 0.01}, (tlwVec3){0.13, 0.13, 0.0237}, (tlwVec3){0, 0, 0});
    addWax(&w, "Foot", (Wax){.low = {0.06, 0.06, 0.0237}, .high = {0.1, 0.1, 0.1}});
    addWax(&w, "Arm", (Wax){.low = {0.04, 0.06, 0.1}, .high = {0.14, 0.1, 0.14}});
    run(&w);
    int64_t count, later;
    float *before = positionsOf(&w, &count);
    for (int frame = 0; frame < FRAMES(24); frame++)
        advance(&w, 1.0 / 24);
    float *after = positionsOf(&w, &later);
    assert_int_equal(count, later);
    assert_memory_equal(before, after, 3 * sizeof(float) * (size_t)count); // not even by a rounding error
    assert_int_equal(pieceCount(&w), 1);
    assert_int_equal(pieceOf(&w, 0).object, 0); // the plate holds it
    free(before);
    free(after);
    end(&w);
}

static void test_spinning_piece_keeps_shape_and_momentum(void **state)
{
    (void)state;
    tlwSceneDef def = room();
    def.gravity = (tlwVec3){0, 0, 0};
    World w = frozenRoom(2, &def);
    addWax(&w, "Block", (Wax){.low = {0.05, 0.06, 0.09}, .high = {0.11, 0.1, 0.11}, .spin = {1, 0.5, 9}});
    run(&w);
    int64_t count, later;
    float *before = positionsOf(&w, &count);
    tlwStats start, stats;
    tlwGetStats(w.sim, &start);
    for (int frame = 0; frame < FRAMES(24); frame++)
        advance(&w, 1.0 / 24);
    tlwGetStats(w.sim, &stats);
    float *after = positionsOf(&w, &later);
    tlwVec3 lost = tlwSub(stats.angular_momentum, start.angular_momentum);
    double share = tlwLength(lost) / tlwLength(start.angular_momentum), change = deformation(before, after, count);
    print_message("angular momentum off by %.2g of it, shape by %.2g cells\n", share, change / 0.01);
    assert_int_equal(count, later);
    assert_true(change < 1e-4 * 0.01);
    assert_true(share < 3e-3); // the statistics leave out what particles turn about themselves
    free(before);
    free(after);
    end(&w);
}

// It falls as gravity says, does not stick where it lands, and comes to rest.
static void test_loose_block_falls_and_rests(void **state)
{
    (void)state;
    tlwSceneDef def = room();
    World w = frozenRoom(2, &def);
    addWax(&w, "Block", (Wax){.low = {0.05, 0.05, 0.1}, .high = {0.11, 0.11, 0.15}});
    run(&w);
    int64_t count, later;
    float *before = positionsOf(&w, &count);
    for (int n = 0; n < 4; n++)
        advance(&w, 1.0 / 48);
    double fall = 0.125 - pieceOf(&w, 0).centre.z, exact = 0.5 * 9.81 / 144;
    print_message("fell %.5f of %.5f m\n", fall, exact);
    assert_true(fabs(fall - exact) < 0.01 * exact);
    for (int frame = 0; frame < FRAMES(16); frame++)
        advance(&w, 1.0 / 24);
    tlwPieceState piece = pieceOf(&w, 0);
    float *after = positionsOf(&w, &later);
    print_message("rests %.3f cells above the floor at %.2g m/s\n", (piece.centre.z - 0.025) / 0.01,
                  tlwLength(piece.velocity));
    assert_int_equal(piece.object, -1);
    OUTCOME(fabs(piece.centre.z - 0.025) < 0.2 * 0.01);
    OUTCOME(tlwLength(piece.velocity) < 1e-3);
    assert_true(deformation(before, after, count) < 1e-4 * 0.01);
    free(before);
    free(after);
    end(&w);
}

// Fastest part of a piece of so many cells in the last half second of 42 frames, on the floor or on a plate of that
// height.
static double restlessness(const double cells[3], double plate, double aside)
{
    tlwSceneDef def = room();
    World w = frozenRoom(2, &def);
    double low = plate + 0.02, most = 0, radius = 0.005 * tlwLength((tlwVec3){cells[0], cells[1], cells[2]});
    if (plate > 0)
        addBox(&w, TLW_ROLE_SOLID, "Plate", (tlwVec3){0.01, 0.01, -0.01}, (tlwVec3){0.15, 0.15, plate},
               (tlwVec3){0, 0, 0});
    tlwVec3 from = {0.06 + aside, 0.06 + 0.5 * aside, low};
    tlwVec3 to = tlwMulAdd(from, 0.01, (tlwVec3){cells[0], cells[1], cells[2]});
    addWax(&w, "Crumb", (Wax){.low = from, .high = to});
    run(&w);
    for (int frame = 0; frame < FRAMES(42); frame++) {
        advance(&w, 1.0 / 24);
        tlwPieceState piece = pieceOf(&w, 0);
        most = frame >= 30 ? fmax(most, tlwLength(piece.velocity) + radius * tlwLength(piece.spin)) : 0;
        OUTCOME(piece.object == -1);
    }
    end(&w);
    return most;
}

// Also where the floor lies between two layers of cells, and a crumb within one.
static void test_crumbs_come_to_rest(void **state)
{
    (void)state;
    const double sizes[6][3] = {{2, 1, 1}, {2, 1, 1}, {2, 2, 1}, {3, 2, 1}, {5, 2, 1}, {4, 4, 3}},
                 plates[6] = {0, 0.0237, 0.026, 0, 0.0251, 0.0237}, aside[6] = {0.003, 0.003, 0.004, 0.004, 0.004, 0};
    double worst = 0;
    for (int n = 0; n < FRAMES(6); n++) {
        double speed = restlessness(sizes[n], plates[n], aside[n]);
        print_message("%g x %g x %g cells: %.2g m/s\n", sizes[n][0], sizes[n][1], sizes[n][2], speed);
        worst = fmax(worst, speed);
    }
    OUTCOME(worst < 1e-3);
}

static void test_tall_block_off_balance_topples(void **state)
{
    (void)state;
    tlwSceneDef def = room();
    World w = frozenRoom(2, &def);
    double turn = 0.5 * 0.35; // 20 degrees; it stands up to 14
    addWax(&w, "Tower",
           (Wax){.low = {-0.015, -0.03, 0},
                 .high = {0.015, 0.03, 0.12},
                 .position = {0.05, 0.08, 0.025},
                 .rotation = {cos(turn), 0, sin(turn), 0}});
    run(&w);
    for (int frame = 0; frame < FRAMES(20); frame++)
        advance(&w, 1.0 / 24);
    tlwPieceState piece = pieceOf(&w, 0);
    double angle = 2 * acos(fmin(1, fabs(piece.rotation.w))) * 180 / 3.14159265;
    print_message("turned by %.1f degrees, centre %.4f m high\n", angle, piece.centre.z);
    OUTCOME(fabs(angle - 70) < 6);
    OUTCOME(fabs(piece.centre.z - 0.015) < 0.003);
    end(&w);
}

// A block comes to rest on a frozen foot and stays a piece of its own.
static void test_pieces_rest_on_each_other(void **state)
{
    (void)state;
    tlwSceneDef def = room();
    World w = frozenRoom(2, &def);
    addWax(&w, "Foot", (Wax){.low = {0.04, 0.04, 0}, .high = {0.12, 0.12, 0.05}});
    addWax(&w, "Block", (Wax){.low = {0.06, 0.06, 0.09}, .high = {0.1, 0.1, 0.13}});
    run(&w);
    for (int frame = 0; frame < FRAMES(16); frame++)
        advance(&w, 1.0 / 24);
    assert_int_equal(pieceCount(&w), 2);
    tlwPieceState piece = pieceOf(&w, pieceOf(&w, 0).object == -1 ? 0 : 1);
    print_message("rests %.3f cells above the foot at %.2g m/s\n", (piece.centre.z - 0.07) / 0.01,
                  tlwLength(piece.velocity));
    assert_int_equal(piece.object, -1);
    OUTCOME(fabs(piece.centre.z - 0.07) < 0.35 * 0.01);
    OUTCOME(tlwLength(piece.velocity) < 1e-2);
    end(&w);
}

// The air beside a frozen block at rest does not hold up what falls through it.
static void test_liquid_that_falls_on_a_block_is_not_crushed(void **state)
{
    (void)state;
    tlwSceneDef def = room();
    def.thermal_speed = 0;
    World w = frozenRoom(2, &def);
    addWax(&w, "Block", (Wax){.low = {0, 0, 0}, .high = {0.16, 0.16, 0.048}});
    addWax(&w, "Melt", (Wax){.low = {0.05, 0.05, 0.1}, .high = {0.11, 0.11, 0.16}, .temperature = 345});
    run(&w);
    tlwStats stats;
    tlwGetStats(w.sim, &stats);
    int64_t particles = stats.particles;
    double worst = 0;
    for (int frame = 0; frame < FRAMES(10); frame++) {
        advance(&w, 1.0 / 24);
        tlwGetStats(w.sim, &stats);
        worst = fmax(worst, fabs(stats.surface_volume / stats.target_volume - 1));
    }
    print_message("volume off by %.2g, %d of %d particles left\n", worst, (int)stats.particles, (int)particles);
    OUTCOME(worst < 0.02);
    OUTCOME(stats.particles > 0.95 * (double)particles); // crowded ones would have been merged
    end(&w);
}

static void test_bond_melts_and_lets_go(void **state)
{
    (void)state;
    tlwSceneDef def = room();
    def.thermal_speed = 100;
    World w = frozenRoom(2, &def);
    float positions[24];
    tlwObjectDef hot = tlwDefaultObjectDef();
    tlwKey keys[2] = {tlwDefaultKey(), tlwDefaultKey()};
    keys[0].temperature = 293.15;
    keys[1].time = 0.1;
    keys[1].temperature = 420;
    hot.name = "Hob";
    hot.role = TLW_ROLE_HEAT;
    hot.heat_kind = TLW_HEAT_SOLID;
    hot.mesh = boxMesh(positions, (tlwVec3){0.02, 0.02, -0.02}, (tlwVec3){0.14, 0.14, 0.02});
    hot.keys = keys;
    hot.key_count = 2;
    assert_int_equal(tlwAddObject(w.scene, &hot, NULL), TLW_OK);
    addWax(&w, "Block", (Wax){.low = {0.05, 0.05, 0.02}, .high = {0.11, 0.11, 0.1}, .temperature = 320});
    run(&w);
    advance(&w, 1.0 / 24);
    assert_int_equal(pieceOf(&w, 0).object, 0);
    double start = pieceOf(&w, 0).mass;
    int frame = 0;
    while (frame < FRAMES(40) && pieceOf(&w, 0).object == 0 && ++frame)
        advance(&w, 1.0 / 24);
    print_message("loose after %d frames with %.0f %% of it still frozen\n", frame, 100 * pieceOf(&w, 0).mass / start);
    OUTCOME(pieceOf(&w, 0).object == -1);
    OUTCOME(pieceOf(&w, 0).mass > 0.5 * start);
    end(&w);
}

// Melt on a cold plate freezes onto it; the plate turns over and the wax goes with it and hangs below.
static void test_melt_freezes_onto_a_plate_and_is_carried_by_it(void **state)
{
    (void)state;
    tlwSceneDef def = room();
    def.thermal_speed = 20000;
    World w = frozenRoom(2, &def);
    enum { REST = 8, TURN = 10, KEYS = TURN + 2 };
    tlwKey keys[KEYS];
    for (int n = 0; n < KEYS; n++) {
        double half = 1.5707963 * tlwClamp(n / (double)TURN, 0, 1);
        keys[n] = tlwDefaultKey();
        keys[n].time = (REST + n) / 24.0;
        keys[n].position = (tlwVec3){0.08, 0.08, 0.1};
        keys[n].rotation = (tlwQuat){cos(half), 0, sin(half), 0};
        keys[n].temperature = 200;
    }
    float positions[24];
    tlwObjectDef plate = tlwDefaultObjectDef();
    plate.name = "Plate";
    plate.role = TLW_ROLE_SOLID;
    plate.surface = TLW_SURFACE_STICK;
    plate.conductivity = 200;
    plate.mesh = boxMesh(positions, (tlwVec3){-0.05, -0.05, -0.01}, (tlwVec3){0.05, 0.05, 0.01});
    plate.keys = keys;
    plate.key_count = KEYS;
    assert_int_equal(tlwAddObject(w.scene, &plate, NULL), TLW_OK);
    addWax(&w, "Melt", (Wax){.low = {0.06, 0.06, 0.11}, .high = {0.1, 0.1, 0.13}, .temperature = 338});
    run(&w);
    tlwStats start;
    tlwGetStats(w.sim, &start);
    tlwPieceState piece = {0};
    tlwVec3 before = {0, 0, 0};
    for (int frame = 1; frame <= FRAMES(REST + TURN + 4); frame++) {
        advance(&w, 1.0 / 24);
        if (frame == REST && pieceCount(&w) > 0)
            before = pieceOf(&w, 0).centre;
    }
    if (pieceCount(&w) > 0)
        piece = pieceOf(&w, 0);
    tlwVec3 exact = {0.16 - before.x, before.y, 0.2 - before.z}; // turned about the plate's middle
    print_message("held by %d, %.0f %% of the wax, %.3f cells from where the plate brings it\n", piece.object,
                  100 * piece.mass / (900 * start.particle_volume), tlwLength(tlwSub(piece.centre, exact)) / 0.01);
    OUTCOME(piece.object == 0);
    OUTCOME(piece.mass > 0.95 * 900 * start.particle_volume);
    OUTCOME(tlwLength(tlwSub(piece.centre, exact)) < 0.05 * 0.01);
    end(&w);
}

// The frozen form of Carlson 2004 is a choice: what is only very viscous sinks together where rigid wax stands.
static void test_soft_solid_creeps_where_a_rigid_one_stands(void **state)
{
    (void)state;
    double sunk[2];
    for (int soft = 0; soft < 2; soft++) {
        tlwSceneDef def = room();
        def.thermal_speed = 0;
        World w = frozenRoom(2, &def);
        tlwMaterialDef wax = tlwDefaultMaterialDef();
        wax.name = "Soft wax";
        wax.solidus = 328;
        wax.liquidus = 333;
        wax.latent_heat = 2e5;
        wax.frozen = TLW_FROZEN_SOFT;
        wax.solid_viscosity = 200;
        assert_int_equal(tlwAddMaterial(w.scene, &wax, NULL), TLW_OK);
        addWax(&w, "Block", (Wax){.low = {0.06, 0.06, 0}, .high = {0.1, 0.1, 0.06}, .material = 1 + soft});
        run(&w);
        for (int frame = 0; frame < FRAMES(12); frame++)
            advance(&w, 1.0 / 24);
        tlwParticleView view;
        assert_int_equal(tlwGetParticles(w.sim, &view), TLW_OK);
        double height = 0;
        for (int64_t n = 0; n < view.count; n++)
            height += view.position[3 * n + 2] / (double)view.count;
        sunk[soft] = 1 - height / 0.03;
        end(&w);
    }
    print_message("rigid wax has sunk by %.2g %%, soft wax by %.2g %%\n", 100 * sunk[0], 100 * sunk[1]);
    OUTCOME(fabs(sunk[0]) < 0.01);
    OUTCOME(sunk[1] > 0.05);
}

// Latent heat does not leak between particles of a cell: ice lasts in ice water.
static void test_ice_lasts_in_ice_water(void **state)
{
    (void)state;
    tlwSceneDef def = room();
    def.domain_max.z = 0.12;
    World w = frozenRoom(2, &def);
    addWax(&w, "Ice", (Wax){.low = {0.053, 0.048, 0.03}, .high = {0.113, 0.108, 0.07}, .temperature = 327});
    addWax(&w, "Water", (Wax){.low = {-0.05, -0.05, -0.05}, .high = {0.3, 0.3, 0.06}, .temperature = 333.1});
    run(&w);
    advance(&w, 1.0 / 24);
    double start = pieceOf(&w, 0).mass;
    for (int frame = 0; frame < FRAMES(12); frame++)
        advance(&w, 1.0 / 24);
    print_message("%.2f %% of the ice is left\n", 100 * pieceOf(&w, 0).mass / start);
    OUTCOME(pieceOf(&w, 0).mass > 0.99 * start);
    end(&w);
}

static World collapse(int threads)
{
    tlwSceneDef def = room();
    World w = frozenRoom(threads, &def);
    addWax(&w, "Foot", (Wax){.low = {0.04, 0.04, 0}, .high = {0.1, 0.12, 0.03}});
    addWax(&w, "Block", (Wax){.low = {0.07, 0.06, 0.05}, .high = {0.13, 0.1, 0.08}, .spin = {0, 3, 0}});
    addWax(&w, "Melt", (Wax){.low = {0.02, 0.02, 0.1}, .high = {0.06, 0.06, 0.14}, .temperature = 360});
    run(&w);
    return w;
}

static void test_pieces_are_the_same_on_any_number_of_threads(void **state)
{
    (void)state;
    World a = collapse(1), b = collapse(3);
    for (int frame = 0; frame < FRAMES(6); frame++) {
        advance(&a, 1.0 / 24);
        advance(&b, 1.0 / 24);
    }
    assertSameParticles(&a, &b);
    end(&a);
    end(&b);
}

static void test_pieces_do_not_feel_memory_that_is_given_back(void **state)
{
    (void)state;
    World a = collapse(2), b = collapse(2);
    b.sim->frugal_from = 0;
    for (int frame = 0; frame < FRAMES(6); frame++) {
        advance(&a, 1.0 / 24);
        advance(&b, 1.0 / 24);
    }
    assertSameParticles(&a, &b);
    end(&a);
    end(&b);
}

static void test_checkpoint_keeps_pieces(void **state)
{
    (void)state;
    char path[64];
    snprintf(path, sizeof path, "/tmp/tlw_frozen_%d.tlw", (int)getpid());
    World a = collapse(2), b = collapse(2);
    for (int frame = 0; frame < FRAMES(4); frame++)
        advance(&a, 1.0 / 24);
    assert_int_equal(tlwSaveState(a.sim, path), TLW_OK);
    if (tlwLoadState(b.sim, path) != TLW_OK)
        fail_msg("%s", tlwGetMessage(b.context));
    for (int frame = 0; frame < FRAMES(3); frame++) {
        advance(&a, 1.0 / 24);
        advance(&b, 1.0 / 24);
    }
    assertSameParticles(&a, &b);
    assert_int_equal(pieceOf(&a, 0).id, pieceOf(&b, 0).id);
    remove(path);
    end(&a);
    end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frozen_wax_does_not_creep),
        cmocka_unit_test(test_spinning_piece_keeps_shape_and_momentum),
        cmocka_unit_test(test_loose_block_falls_and_rests),
        cmocka_unit_test(test_crumbs_come_to_rest),
        cmocka_unit_test(test_tall_block_off_balance_topples),
        cmocka_unit_test(test_pieces_rest_on_each_other),
        cmocka_unit_test(test_liquid_that_falls_on_a_block_is_not_crushed),
        cmocka_unit_test(test_bond_melts_and_lets_go),
        cmocka_unit_test(test_melt_freezes_onto_a_plate_and_is_carried_by_it),
        cmocka_unit_test(test_soft_solid_creeps_where_a_rigid_one_stands),
        cmocka_unit_test(test_ice_lasts_in_ice_water),
        cmocka_unit_test(test_pieces_are_the_same_on_any_number_of_threads),
        cmocka_unit_test(test_pieces_do_not_feel_memory_that_is_given_back),
        cmocka_unit_test(test_checkpoint_keeps_pieces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
