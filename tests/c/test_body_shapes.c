// Solids that grow or deform push and carry bodies and frozen pieces.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "sim_helpers.h"

// A little water in a room of 0.4 x 0.2 x 0.3 m.
static World room(void)
{
    tlwSceneDef def = smallTank();
    def.domain_max = (tlwVec3){0.4, 0.2, 0.3};
    def.cell_size = 0.02;
    World w = begin(2, &def);
    addBox(&w, TLW_ROLE_LIQUID, "Pool", (tlwVec3){-1, -1, -1}, (tlwVec3){1, 1, 0.02}, (tlwVec3){0, 0, 0});
    return w;
}

// A cube of 8 cm about (0.2, 0.1, 0.1) that grows by 46 % in half a second, and more slowly in z than in x and y.
static void addGrowing(World *w)
{
    float positions[24];
    tlwObjectDef def = tlwDefaultObjectDef();
    tlwKey keys[2] = {tlwDefaultKey(), tlwDefaultKey()};
    keys[0].position = keys[1].position = (tlwVec3){0.2, 0.1, 0.1};
    keys[1].time = 0.5;
    keys[1].scale = (tlwVec3){1.2, 1.2, 1.46};
    def.name = "Grow";
    def.role = TLW_ROLE_SOLID;
    def.mesh = boxMesh(positions, (tlwVec3){-0.04, -0.04, -0.04}, (tlwVec3){0.04, 0.04, 0.04});
    def.keys = keys;
    def.key_count = 2;
    assert_int_equal(tlwAddObject(w->scene, &def, NULL), TLW_OK);
}

static void test_box_rises_on_a_solid_that_grows(void **state)
{
    (void)state;
    World w = room();
    addGrowing(&w);
    int box = addBody(&w, "Box", (tlwVec3){0.17, 0.07, 0.1405}, (tlwVec3){0.23, 0.13, 0.2005}, 2000);
    run(&w);
    double worst = 0;
    for (int frame = 1; frame <= FRAMES(15); frame++) {
        advance(&w, 1.0 / 24);
        double top = 0.1 + 0.04 * (1 + 0.46 * fmin(frame / 12.0, 1));
        worst = fmax(worst, fabs(bodyOf(&w, box).centre.z - 0.03 - top));
    }
    print_message("never more than %.2f mm from the top, %.4f m/s at the end\n", 1000 * worst,
                  tlwLength(bodyOf(&w, box).velocity));
    OUTCOME(worst < 1e-3);
    OUTCOME(tlwLength(bodyOf(&w, box).velocity) < 0.01);
    end(&w);
}

// Deforming boxes: each frame's mesh from a function of time.
typedef struct Bending {
    float positions[24];
    void (*place)(double time, tlwVec3 corners[8]);
} Bending;

static tlwResult bend(void *user, int frame, tlwMeshData *mesh)
{
    Bending *b = user;
    tlwVec3 corners[8];
    b->place((frame - 1) / 24.0, corners);
    for (int n = 0; n < 8; n++) {
        b->positions[3 * n] = (float)corners[n].x;
        b->positions[3 * n + 1] = (float)corners[n].y;
        b->positions[3 * n + 2] = (float)corners[n].z;
    }
    *mesh = (tlwMeshData){b->positions, 8, box_triangles, 12};
    return TLW_OK;
}

static void addBending(World *w, const char *name, Bending *bending, void (*place)(double, tlwVec3 *))
{
    tlwObjectDef def = tlwDefaultObjectDef();
    tlwKey key = tlwDefaultKey();
    bending->place = place;
    def.name = name;
    def.role = TLW_ROLE_SOLID;
    assert_int_equal(bend(bending, 1, &def.mesh), TLW_OK);
    def.keys = &key;
    def.key_count = 1;
    def.deform = bend;
    def.deform_user = bending;
    assert_int_equal(tlwAddObject(w->scene, &def, NULL), TLW_OK);
}

static void setCorners(tlwVec3 low, tlwVec3 high, tlwVec3 corners[8])
{
    for (int n = 0; n < 8; n++)
        corners[n] = (tlwVec3){n & 1 ? high.x : low.x, n & 2 ? high.y : low.y, n & 4 ? high.z : low.z};
}

// Its front goes from 0.1 to 0.3 m in half a second, after a moment of rest; its back stays.
static double pistonFront(double time)
{
    return 0.1 + 0.4 * tlwClamp(time - 1.0 / 12, 0, 0.5);
}

static void placePiston(double time, tlwVec3 corners[8])
{
    setCorners((tlwVec3){-0.05, 0.03, 0.005}, (tlwVec3){pistonFront(time), 0.17, 0.08}, corners);
}

static void test_deforming_piston_pushes_a_box(void **state)
{
    (void)state;
    World w = room();
    Bending piston;
    addBending(&w, "Piston", &piston, placePiston);
    int box = addBody(&w, "Box", (tlwVec3){0.12, 0.07, 0.001}, (tlwVec3){0.18, 0.13, 0.061}, 2000);
    run(&w);
    double deepest = 0, gap = 0, early = 0;
    for (int frame = 1; frame <= FRAMES(16); frame++) {
        advance(&w, 1.0 / 24);
        gap = bodyOf(&w, box).centre.x - 0.03 - pistonFront(frame / 24.0);
        deepest = fmax(deepest, -gap);
        if (frame == 2)
            early = fabs(bodyOf(&w, box).centre.x - 0.15);
    }
    print_message("at %.3f m, gap %.2f mm, at most %.2f mm inside, moved %.2f mm before it is touched\n",
                  bodyOf(&w, box).centre.x, 1000 * gap, 1000 * deepest, 1000 * early);
    OUTCOME(bodyOf(&w, box).centre.x > 0.32);
    OUTCOME(deepest < 1.5e-3 && gap < 0.03);
    OUTCOME(early < 1e-3);
    end(&w);
}

// A bascule: the end at x = 0.4 rises by 8 cm in half a second and stays there.
static double slope(double time)
{
    return 0.2 * tlwClamp(2 * time, 0, 1);
}

static void placeBascule(double time, tlwVec3 corners[8])
{
    setCorners((tlwVec3){0, 0, 0.03}, (tlwVec3){0.4, 0.2, 0.06}, corners);
    for (int n = 0; n < 8; n++)
        corners[n].z += slope(time) * corners[n].x;
}

static void test_box_is_lifted_by_a_floor_that_bends(void **state)
{
    (void)state;
    World w = room();
    Bending floor;
    addBending(&w, "Floor", &floor, placeBascule);
    int box = addBody(&w, "Box", (tlwVec3){0.27, 0.07, 0.0605}, (tlwVec3){0.33, 0.13, 0.1205}, 2000);
    run(&w);
    double worst = 0;
    for (int frame = 1; frame <= FRAMES(16); frame++) {
        advance(&w, 1.0 / 24);
        tlwBodyState s = bodyOf(&w, box);
        double grade = slope(frame / 24.0), height = (s.centre.z - 0.06 - grade * s.centre.x) / sqrt(1 + grade * grade);
        worst = fmax(worst, fabs(height - 0.03)); // of its centre over the slanted floor
    }
    tlwBodyState s = bodyOf(&w, box);
    print_message("never more than %.2f mm from the floor, %.4f m high, tilted by %.3f rad\n", 1000 * worst, s.centre.z,
                  2 * asin(fabs(s.rotation.y)));
    OUTCOME(worst < 1.5e-3);
    OUTCOME(fabs(2 * asin(fabs(s.rotation.y)) - atan(0.2)) < 0.01);
    OUTCOME(fabs(s.centre.x - 0.3) < 0.02); // friction of 0.5 holds it on a slope of 0.2
    end(&w);
}

static void placeLift(double time, tlwVec3 corners[8])
{
    setCorners((tlwVec3){0.02, 0.02, 0.03}, (tlwVec3){0.38, 0.18, 0.07 + 0.08 * tlwClamp(time - 0.25, 0, 0.25)},
               corners);
}

static void test_frozen_piece_rests_on_a_deforming_floor(void **state)
{
    (void)state;
    World w = room();
    tlwMaterialDef wax = tlwDefaultMaterialDef();
    wax.name = "Wax";
    wax.solidus = 328;
    wax.liquidus = 333;
    wax.latent_heat = 2e5;
    assert_int_equal(tlwAddMaterial(w.scene, &wax, NULL), TLW_OK);
    Bending floor;
    addBending(&w, "Floor", &floor, placeLift);
    float positions[24];
    tlwObjectDef def = tlwDefaultObjectDef();
    tlwKey key = tlwDefaultKey();
    def.name = "Block";
    def.role = TLW_ROLE_LIQUID;
    def.material = 1;
    def.mesh = boxMesh(positions, (tlwVec3){0.16, 0.06, 0.1}, (tlwVec3){0.24, 0.14, 0.16});
    def.keys = &key;
    def.key_count = 1;
    assert_int_equal(tlwAddObject(w.scene, &def, NULL), TLW_OK);
    run(&w);
    tlwPieceState piece;
    double low = 0, high = 0; // mean heights before and after the lift
    for (int frame = 1; frame <= FRAMES(18); frame++) {
        advance(&w, 1.0 / 24);
        assert_int_equal(tlwGetPiece(w.sim, 0, &piece), TLW_OK);
        assert_int_equal(piece.object, -1);
        low += frame > 3 && frame <= 6 ? piece.centre.z / 3 : 0;
        high += frame > 12 ? piece.centre.z / 6 : 0;
    }
    print_message("rests %.2f cells over the floor, was lifted by %.1f mm\n", (low - 0.1) / 0.02, 1000 * (high - low));
    OUTCOME(fabs(low - 0.1) < 0.25 * 0.02);
    OUTCOME(fabs(high - low - 0.02) < 0.005);
    end(&w);
}

// Frozen wax on a floor that tilts.
static World tiltWax(Bending *floor)
{
    World w = room();
    tlwMaterialDef wax = tlwDefaultMaterialDef();
    wax.name = "Wax";
    wax.solidus = 328;
    wax.liquidus = 333;
    wax.latent_heat = 2e5;
    assert_int_equal(tlwAddMaterial(w.scene, &wax, NULL), TLW_OK);
    addBending(&w, "Floor", floor, placeBascule);
    tlwObjectDef def = tlwDefaultObjectDef();
    def.role = TLW_ROLE_LIQUID;
    def.material = 1;
    addBoxAs(&w, def, "Block", (tlwVec3){0.26, 0.06, 0.06}, (tlwVec3){0.34, 0.14, 0.12});
    run(&w);
    return w;
}

static void test_deforming_solid_carries_what_is_frozen_onto_it(void **state)
{
    (void)state;
    Bending floor;
    World w = tiltWax(&floor);
    tlwPieceState piece = {0};
    double start = 0, worst = 0;
    for (int frame = 1; frame <= FRAMES(16); frame++) {
        advance(&w, 1.0 / 24);
        assert_int_equal(tlwGetPiece(w.sim, 0, &piece), TLW_OK);
        double grade = slope(frame / 24.0),
               height = (piece.centre.z - 0.06 - grade * piece.centre.x) / sqrt(1 + grade * grade);
        start = frame == 1 ? height : start;
        worst = fmax(worst, fabs(height - start));
    }
    double tilt = 2 * asin(fabs(piece.rotation.y));
    print_message("held by %d, never more than %.2g mm from its place, tilted by %.4f rad of %.4f\n", piece.object,
                  1000 * worst, tilt, atan(0.2));
    OUTCOME(piece.object == 1);
    OUTCOME(worst < 1e-4);
    OUTCOME(fabs(tilt - atan(0.2)) < 1e-3);
    end(&w);
}

static void test_checkpoint_with_wax_on_a_changing_shape(void **state)
{
    (void)state;
    char path[] = "/tmp/tallow_test_XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    Bending floor[2];
    World w[2] = {tiltWax(&floor[0]), tiltWax(&floor[1])};
    advance(&w[0], 0.1);
    assert_int_equal(tlwSaveState(w[0].sim, path), TLW_OK);
    if (tlwLoadState(w[1].sim, path) != TLW_OK)
        fail_msg("%s", tlwGetMessage(w[1].context));
    tlwPieceState s[2];
    for (int n = 0; n < 2; n++) {
        advance(&w[n], 0.1);
        assert_int_equal(tlwGetPiece(w[n].sim, 0, &s[n]), TLW_OK);
        end(&w[n]);
    }
    assert_true(tlwLength(s[0].velocity) > 0.05);
    assert_memory_equal(&s[0].centre, &s[1].centre, sizeof s[0].centre);
    assert_memory_equal(&s[0].rotation, &s[1].rotation, sizeof s[0].rotation);
    unlink(path);
}

static void test_checkpoint_with_changing_shapes_goes_on_bit_for_bit(void **state)
{
    (void)state;
    char path[] = "/tmp/tallow_test_XXXXXX";
    int fd = mkstemp(path), box = 0;
    assert_true(fd >= 0);
    close(fd);
    World w[2];
    Bending floor[2];
    for (int n = 0; n < 2; n++) {
        w[n] = room();
        addBending(&w[n], "Floor", &floor[n], placeBascule);
        box = addBody(&w[n], "Box", (tlwVec3){0.27, 0.07, 0.0605}, (tlwVec3){0.33, 0.13, 0.1205}, 2000);
        run(&w[n]);
    }
    advance(&w[0], 0.1);
    assert_int_equal(tlwSaveState(w[0].sim, path), TLW_OK);
    if (tlwLoadState(w[1].sim, path) != TLW_OK)
        fail_msg("%s", tlwGetMessage(w[1].context));
    tlwBodyState s[2];
    for (int n = 0; n < 2; n++) {
        advance(&w[n], 0.1);
        s[n] = bodyOf(&w[n], box);
        end(&w[n]);
    }
    assert_memory_equal(&s[0], &s[1], sizeof s[0]);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_box_rises_on_a_solid_that_grows),
        cmocka_unit_test(test_deforming_piston_pushes_a_box),
        cmocka_unit_test(test_box_is_lifted_by_a_floor_that_bends),
        cmocka_unit_test(test_frozen_piece_rests_on_a_deforming_floor),
        cmocka_unit_test(test_deforming_solid_carries_what_is_frozen_onto_it),
        cmocka_unit_test(test_checkpoint_with_wax_on_a_changing_shape),
        cmocka_unit_test(test_checkpoint_with_changing_shapes_goes_on_bit_for_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
