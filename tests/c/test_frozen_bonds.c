// Wax that freezes onto a rigid body stays on it, moves as one with it, and holds it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "rigid_solids.h"
#include "wax_scenes.h"

#include "step/bodies/groups.h"
#include "step/sim.h"

// Metal that stays as cold, or as hot, as its keys say.
static int addMetal(World *w, tlwVec3 low, tlwVec3 high, double density, tlwVec3 velocity, const tlwKey *keys,
                    int count)
{
    float positions[24];
    tlwVec3 middle = tlwScale(tlwAdd(low, high), 0.5);
    tlwObjectDef def = tlwDefaultObjectDef();
    tlwKey own[4];
    for (int n = 0; n < count; n++) {
        own[n] = keys[n];
        own[n].position = middle;
    }
    def.name = "Metal";
    def.role = TLW_ROLE_RIGID;
    def.surface = TLW_SURFACE_STICK;
    def.density = density;
    def.conductivity = 200;
    def.fixed_temperature = true;
    def.velocity = velocity;
    def.mesh = boxMesh(positions, tlwSub(low, middle), tlwSub(high, middle));
    def.keys = own;
    def.key_count = count;
    int object = -1;
    if (tlwAddObject(w->scene, &def, &object) != TLW_OK)
        fail_msg("%s", tlwGetMessage(w->context));
    return object;
}

static tlwKey keyAt(double time, double temperature)
{
    tlwKey key = tlwDefaultKey();
    key.time = time;
    key.temperature = temperature;
    return key;
}

static const tlwVec3 none = {0, 0, 0};

// Where a point of the world is, seen from a body.
static tlwVec3 seenFrom(const tlwBodyState *body, tlwVec3 p)
{
    return tlwRotate(tlwQuatConjugate(body->rotation), tlwSub(p, body->position));
}

static tlwPieceState largestPiece(World *w)
{
    tlwPieceState best = {.object = -1};
    for (int n = 0; n < pieceCount(w); n++)
        if (pieceOf(w, n).mass > best.mass)
            best = pieceOf(w, n);
    return best;
}

// A cold block with melt on one of its sides drifts and turns. Nothing presses the two together.
static World drift(int threads, double gravity)
{
    tlwSceneDef def = room();
    def.gravity = (tlwVec3){0, 0, gravity};
    def.thermal_speed = 20000;
    World w = frozenRoom(threads, &def);
    tlwKey cold = keyAt(0, 200);
    addMetal(&w, (tlwVec3){0.043, 0.06, 0.08}, (tlwVec3){0.083, 0.1, 0.12}, 3000, none, &cold, 1);
    addWax(&w, "Melt", (Wax){.low = {0.083, 0.06, 0.08}, .high = {0.113, 0.1, 0.12}, .temperature = 338});
    run(&w);
    return w;
}

static void test_coat_moves_with_its_body(void **state)
{
    (void)state;
    World w = drift(2, 0);
    for (int frame = 0; frame < FRAMES(12); frame++)
        advance(&w, 1.0 / 24);
    // A kick: the body alone is given a motion, and takes the wax along.
    tlwBodyState body = bodyOf(&w, 0);
    tlwPieceState coat = largestPiece(&w);
    tlwBodyLink *link = &w.sim->bodies.links[0];
    link->solve.free_velocity = (tlwVec3){-0.1, 0, 0};
    link->solve.free_spin = (tlwVec3){0, 0, 2};
    double momentum = body.mass * -0.1;
    tlwVec3 before = seenFrom(&body, coat.centre);
    for (int frame = 0; frame < FRAMES(10); frame++)
        advance(&w, 1.0 / 24);
    body = bodyOf(&w, 0);
    coat = largestPiece(&w);
    tlwVec3 slip = tlwSub(seenFrom(&body, coat.centre), before);
    double kept = body.mass * body.velocity.x + coat.mass * coat.velocity.x;
    print_message("coat of object %d, %.3g of the body's mass, slipped %.2g cells; body at %.3f m/s, %.2f rad/s; "
                  "%.4f of the momentum\n",
                  coat.object, coat.mass / body.mass, tlwLength(slip) / 0.01, body.velocity.x, body.spin.z,
                  kept / momentum);
    OUTCOME(coat.object == 0);
    OUTCOME(coat.mass > 0.9 * 900 * 0.03 * 0.04 * 0.04);
    OUTCOME(tlwLength(slip) < 0.01 * 0.01);
    OUTCOME(fabs(kept / momentum - 1) < 0.01);
    OUTCOME(tlwLength(tlwSub(body.spin, coat.spin)) < 1e-6);
    end(&w);
}

// A body in melt on a plate. The melt hardens and the plate turns over: the body hangs in the wax below. When it is hot
// at last, it falls out.
static World turnOver(int threads, double hot)
{
    tlwSceneDef def = room();
    def.thermal_speed = 20000;
    World w = frozenRoom(threads, &def);
    enum { REST = 8, TURN = 10, KEYS = TURN + 2 };
    tlwKey keys[KEYS];
    for (int n = 0; n < KEYS; n++) {
        double half = 1.5707963 * tlwClamp(n / (double)TURN, 0, 1);
        keys[n] = keyAt((REST + n) / 24.0, 200);
        keys[n].position = (tlwVec3){0.08, 0.08, 0.1};
        keys[n].rotation = (tlwQuat){cos(half), 0, sin(half), 0};
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
    addWax(&w, "Melt", (Wax){.low = {0.05, 0.05, 0.11}, .high = {0.11, 0.11, 0.125}, .temperature = 338});
    const tlwKey metal[3] = {keyAt(0, 200), keyAt(22 / 24.0, 200), keyAt(23 / 24.0, hot)};
    addMetal(&w, (tlwVec3){0.067, 0.067, 0.1101}, (tlwVec3){0.097, 0.097, 0.1401}, 3000, none, metal, 3);
    run(&w);
    return w;
}

static void test_wax_that_hardens_around_a_body_holds_it(void **state)
{
    (void)state;
    World w = turnOver(2, 420);
    tlwBodyState before = {0}, turned = {0};
    for (int frame = 1; frame <= FRAMES(22); frame++) {
        advance(&w, 1.0 / 24);
        before = frame == 8 ? bodyOf(&w, 2) : before;
    }
    turned = bodyOf(&w, 2);
    tlwVec3 exact = {0.16 - before.centre.x, before.centre.y, 0.2 - before.centre.z};
    double off = tlwLength(tlwSub(turned.centre, exact)) / 0.01;
    int frame = 0;
    for (; frame < FRAMES(40) && bodyOf(&w, 2).centre.z > turned.centre.z - 0.02; frame++)
        advance(&w, 1.0 / 24);
    print_message("%.2g cells from where the plate brings it; falls out %d frames after it is heated\n", off, frame);
    OUTCOME(off < 0.02);
    OUTCOME(frame > 1 && frame < 40);
    end(&w);
}

// A light body floats in melt that freezes onto it. Crumbs that only touch it throw it about, at 0.4 m/s.
static void test_cold_body_floats_quietly_in_melt(void **state)
{
    (void)state;
    tlwSceneDef def = room();
    def.thermal_speed = 1000;
    World w = frozenRoom(2, &def);
    tlwKey cold = keyAt(0, 250);
    int body = addMetal(&w, (tlwVec3){0.053, 0.057, 0.08}, (tlwVec3){0.103, 0.107, 0.12}, 400, none, &cold, 1);
    addWax(&w, "Melt", (Wax){.low = {-1, -1, -1}, .high = {1, 1, 0.11}, .temperature = 345});
    run(&w);
    double fastest = 0;
    for (int frame = 0; frame < FRAMES(14); frame++) {
        advance(&w, 1.0 / 24);
        fastest = fmax(fastest, tlwLength(bodyOf(&w, body).velocity));
    }
    print_message("never faster than %.2g m/s; its coat is %.2g of its mass\n", fastest,
                  largestPiece(&w).mass / bodyOf(&w, body).mass);
    OUTCOME(fastest < 0.3);
    OUTCOME(largestPiece(&w).object == body);
    end(&w);
}

// An arm dips a cold body into melt and takes it out again.
static void test_dipped_body_comes_out_with_a_coat(void **state)
{
    (void)state;
    enum { KEYS = 27 };
    tlwSceneDef def = room();
    def.thermal_speed = 1500;
    World w = frozenRoom(2, &def);
    tlwKey cold = keyAt(0, 250), keys[KEYS];
    int body = addMetal(&w, (tlwVec3){0.063, 0.067, 0.1}, (tlwVec3){0.093, 0.097, 0.15}, 3000, none, &cold, 1),
        arm = -1;
    addWax(&w, "Melt", (Wax){.low = {-1, -1, -1}, .high = {1, 1, 0.08}, .temperature = 345});
    for (int n = 0; n < KEYS; n++) {
        keys[n] = keyAt(n / 24.0, 300);
        keys[n].position = (tlwVec3){0.078, 0.082, 0.17 - 0.006 * (n < 10 ? n : n < 16 ? 10 : 26 - n)};
    }
    float positions[24];
    tlwObjectDef solid = tlwDefaultObjectDef();
    solid.name = "Arm";
    solid.role = TLW_ROLE_SOLID;
    solid.mesh = boxMesh(positions, (tlwVec3){-0.01, -0.01, -0.005}, (tlwVec3){0.01, 0.01, 0.005});
    solid.keys = keys;
    solid.key_count = KEYS;
    assert_int_equal(tlwAddObject(w.scene, &solid, &arm), TLW_OK);
    tlwJointDef grip = tlwDefaultJointDef();
    grip.name = "Grip";
    grip.kind = TLW_JOINT_FIXED;
    grip.object_a = body;
    grip.object_b = arm;
    grip.anchor = (tlwVec3){0.078, 0.082, 0.16};
    assert_int_equal(tlwAddJoint(w.scene, &grip), TLW_OK);
    run(&w);
    for (int frame = 0; frame < FRAMES(KEYS); frame++)
        advance(&w, 1.0 / 24);
    double coat = 0;
    for (int n = 0; n < pieceCount(&w); n++)
        coat += pieceOf(&w, n).object == body && pieceOf(&w, n).centre.z > 0.09 ? pieceOf(&w, n).mass : 0;
    tlwBodyState out = bodyOf(&w, body);
    print_message("%.4f m high, with %.2f of its mass in wax\n", out.centre.z, coat / out.mass);
    OUTCOME(fabs(out.centre.z - 0.125) < 1e-5);
    OUTCOME(coat > 0.2 * out.mass);
    end(&w);
}

// What starts frozen touches a body and no more: an ornament that lies on wax can be lifted off.
static void test_body_is_not_glued_to_wax_that_starts_frozen(void **state)
{
    (void)state;
    tlwSceneDef def = room();
    def.gravity = (tlwVec3){0, 0, 0};
    World w = frozenRoom(2, &def);
    tlwKey cold = keyAt(0, 293.15);
    int body =
        addMetal(&w, (tlwVec3){0.06, 0.06, 0.0401}, (tlwVec3){0.1, 0.1, 0.06}, 3000, (tlwVec3){0, 0, 0.2}, &cold, 1);
    addWax(&w, "Slab", (Wax){.low = {0.02, 0.02, 0}, .high = {0.14, 0.14, 0.04}});
    run(&w);
    for (int frame = 0; frame < FRAMES(6); frame++)
        advance(&w, 1.0 / 24);
    print_message("rises at %.3f m/s\n", bodyOf(&w, body).velocity.z);
    OUTCOME(fabs(bodyOf(&w, body).velocity.z - 0.2) < 1e-3);
    end(&w);
}

static tlwVec3 pull(int n, double scale)
{
    return (tlwVec3){scale * sin(1.7 * n + 1), scale * sin(2.3 * n + 2), scale * sin(3.1 * n + 3)};
}

static tlwCoupledBody makeCoupled(double mass, tlwVec3 centre, tlwMat3 inertia, int64_t *cells, float (*rows)[6],
                                  int count)
{
    return (tlwCoupledBody){.inverse_mass = 1 / mass,
                            .inverse_inertia = tlwMat3Inverse(inertia),
                            .centre = centre,
                            .cells = cells,
                            .rows = rows,
                            .count = count};
}

// Two bodies that are joined answer to pressure as the one that they are made of does.
static void test_joined_bodies_are_one_to_the_pressure(void **state)
{
    (void)state;
    enum { CELLS = 12, HALF = CELLS / 2 };
    int64_t cells[CELLS], low[HALF], high[HALF];
    float whole_rows[CELLS][6], low_rows[HALF][6], high_rows[HALF][6], x[CELLS], split[CELLS] = {0}, one[CELLS] = {0};
    const tlwVec3 half = {0.1, 0.05, 0.02}, places[2] = {{-0.1, 0, 0}, {0.1, 0, 0}};
    const tlwVec3 full = {0.2, 0.05, 0.02}, origin = {0, 0, 0};
    for (int n = 0; n < CELLS; n++) { // a push at a place, about the centre of the whole and of its own half
        tlwVec3 at = pull(n, 0.1), force = pull(n + 50, 1), own = tlwSub(at, places[n / HALF]);
        tlwVec3 turn = tlwCross(at, force), own_turn = tlwCross(own, force);
        const double row[6] = {force.x, force.y, force.z, turn.x, turn.y, turn.z},
                     own_row[6] = {force.x, force.y, force.z, own_turn.x, own_turn.y, own_turn.z};
        for (int m = 0; m < 6; m++) {
            whole_rows[n][m] = (float)row[m];
            (n < HALF ? low_rows : high_rows)[n % HALF][m] = (float)own_row[m];
        }
        cells[n] = (n < HALF ? low : high)[n % HALF] = n;
        x[n] = (float)sin(n);
    }
    tlwCoupledBody parts[2] = {makeCoupled(2, places[0], boxInertia(2, half), low, low_rows, HALF),
                               makeCoupled(2, places[1], boxInertia(2, half), high, high_rows, HALF)};
    tlwCoupledBody body = makeCoupled(4, origin, boxInertia(4, full), cells, whole_rows, CELLS);
    tlwBodyCoupling joined = {.bodies = parts, .count = 2, .cell_volume = 1e-3},
                    single = {.bodies = &body, .count = 1, .cell_volume = 1e-3};
    tlwJoinCoupled(&joined, 1, 0);
    tlwApplyBodyCoupling(&joined, x, split);
    tlwApplyBodyCoupling(&single, x, one);
    double worst = 0, most = 0;
    for (int n = 0; n < CELLS; n++) {
        worst = fmax(worst, fabs(split[n] - one[n]));
        most = fmax(most, fabs(one[n]));
    }
    tlwPushBodies(&joined, x);
    tlwPushBodies(&single, x);
    tlwVec3 middle = tlwScale(tlwAdd(parts[0].velocity, parts[1].velocity), 0.5);
    print_message("answers differ by %.2g of %.2g\n", worst, most);
    assert_true(worst < 1e-5 * most);
    assert_true(tlwLength(tlwSub(middle, body.velocity)) < 1e-6 * tlwLength(body.velocity));
    assert_true(tlwLength(tlwSub(parts[1].spin, body.spin)) < 1e-5 * tlwLength(body.spin));
    // One that nothing moves holds the other.
    parts[1].inverse_mass = 0;
    parts[1].inverse_inertia = (tlwMat3){0};
    parts[1].velocity = parts[1].spin = (tlwVec3){0, 0, 1};
    tlwShareMotion(&joined);
    tlwPushBodies(&joined, x);
    assert_true(tlwLength(tlwSub(parts[0].velocity, (tlwVec3){0, -0.2, 1})) < 1e-12);
}

static void test_bonds_are_the_same_on_any_number_of_threads(void **state)
{
    (void)state;
    World a = turnOver(1, 420), b = turnOver(3, 420);
    for (int frame = 0; frame < FRAMES(12); frame++) {
        advance(&a, 1.0 / 24);
        advance(&b, 1.0 / 24);
    }
    assertSameParticles(&a, &b);
    end(&a);
    end(&b);
}

static void resume(World a, World b, int frames)
{
    char path[64];
    snprintf(path, sizeof path, "/tmp/tlw_bonds_%d.tlw", (int)getpid());
    for (int frame = 0; frame < FRAMES(frames); frame++)
        advance(&a, 1.0 / 24);
    assert_int_equal(tlwSaveState(a.sim, path), TLW_OK);
    if (tlwLoadState(b.sim, path) != TLW_OK)
        fail_msg("%s", tlwGetMessage(b.context));
    for (int frame = 0; frame < FRAMES(3); frame++) {
        advance(&a, 1.0 / 24);
        advance(&b, 1.0 / 24);
    }
    assertSameParticles(&a, &b);
    assert_int_equal(largestPiece(&a).object, largestPiece(&b).object);
    remove(path);
    end(&a);
    end(&b);
}

static void test_checkpoint_keeps_bonds(void **state)
{
    (void)state;
    resume(turnOver(2, 420), turnOver(2, 420), 10);
    resume(drift(2, -9.81), drift(2, -9.81), 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_coat_moves_with_its_body),
        cmocka_unit_test(test_wax_that_hardens_around_a_body_holds_it),
        cmocka_unit_test(test_cold_body_floats_quietly_in_melt),
        cmocka_unit_test(test_dipped_body_comes_out_with_a_coat),
        cmocka_unit_test(test_body_is_not_glued_to_wax_that_starts_frozen),
        cmocka_unit_test(test_joined_bodies_are_one_to_the_pressure),
        cmocka_unit_test(test_bonds_are_the_same_on_any_number_of_threads),
        cmocka_unit_test(test_checkpoint_keeps_bonds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
