// The world over time: keyed gravity, air and heat, and the time scale.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "scene/hash.h"
#include "scene/keys.h"
#include "scene/scene.h"
#include "scene/world.h"
#include "sim_helpers.h"

static tlwScene *makeScene(World *w, const tlwWorldKey *keys, int count)
{
    tlwSceneDef def = smallTank();
    def.world_keys = keys;
    def.world_key_count = count;
    *w = begin(1, &def);
    return w->scene;
}

static void test_keys_interpolate_and_hold_beyond_their_ends(void **state)
{
    (void)state;
    tlwWorldKey keys[3] = {tlwDefaultWorldKey(), tlwDefaultWorldKey(), tlwDefaultWorldKey()};
    keys[0].time = 0.5;
    keys[1].time = 1;
    keys[2].time = 3;
    keys[2].gravity = (tlwVec3){4, 0, 0.19};
    keys[2].ambient_temperature = 393.15;
    keys[2].thermal_speed = 101;
    keys[2].film_coefficient = 30;
    keys[2].emissivity = 0.1;
    World w;
    tlwScene *scene = makeScene(&w, keys, 3);
    tlwWorldKey middle = tlwSampleWorld(scene, 2);
    assert_true(tlwLength(tlwSub(middle.gravity, (tlwVec3){2, 0, -4.81})) < 1e-12);
    assert_true(fabs(middle.ambient_temperature - 343.15) < 1e-9 && fabs(middle.thermal_speed - 51) < 1e-9);
    assert_true(fabs(middle.film_coefficient - 20) < 1e-9 && fabs(middle.emissivity - 0.5) < 1e-9);
    assert_true(middle.time_scale == 1 && middle.time == 2);
    assert_true(tlwSampleWorld(scene, -4).thermal_speed == 1 && tlwSampleWorld(scene, 0.7).thermal_speed == 1);
    assert_true(tlwSampleWorld(scene, 3).thermal_speed == 101 && tlwSampleWorld(scene, 9).thermal_speed == 101);
    assert_true(tlwGetSimulatedTime(scene, 0.123) == 0.123 && tlwGetShotTime(scene, 0.123) == 0.123);
    end(&w);
}

static void test_bad_keys_are_refused_in_words(void **state)
{
    (void)state;
    tlwContextDef cdef = tlwDefaultContextDef();
    tlwContext *context;
    tlwScene *scene = NULL;
    assert_int_equal(tlwCreateContext(&cdef, &context), TLW_OK);
    tlwWorldKey keys[2] = {tlwDefaultWorldKey(), tlwDefaultWorldKey()};
    tlwSceneDef def = smallTank();
    def.world_keys = keys;
    def.world_key_count = 2;
    assert_int_equal(tlwCreateScene(context, &def, &scene), TLW_BAD_ARGUMENT);
    assert_non_null(strstr(tlwGetMessage(context), "Key 1 of the world: it is at 0 s, but must be later"));
    keys[1].time = 1;
    keys[1].thermal_speed = -3;
    assert_int_equal(tlwCreateScene(context, &def, &scene), TLW_BAD_ARGUMENT);
    assert_non_null(strstr(tlwGetMessage(context), "Key 1 of the world: Heat Speed-up (thermal_speed"));
    keys[1].thermal_speed = 1;
    keys[0].time_scale = 0;
    assert_int_equal(tlwCreateScene(context, &def, &scene), TLW_BAD_ARGUMENT);
    assert_non_null(strstr(tlwGetMessage(context), "Time Scale"));
    assert_null(scene);
    tlwDestroyContext(context);
}

// A cube that falls freely while gravity grows from nothing: v = g t2 / 2T, way = g t3 / 6T.
static void test_a_fall_follows_gravity_that_grows(void **state)
{
    (void)state;
    tlwWorldKey keys[2] = {tlwDefaultWorldKey(), tlwDefaultWorldKey()};
    keys[0].gravity.z = 0;
    keys[1].time = 0.25;
    keys[1].gravity.z = -10;
    World w;
    makeScene(&w, keys, 2);
    addBox(&w, TLW_ROLE_LIQUID, "Drop", (tlwVec3){0.1, 0.04, 0.14}, (tlwVec3){0.18, 0.12, 0.22}, (tlwVec3){0, 0, 0});
    int ball = addBody(&w, "Ball", (tlwVec3){0.24, 0.06, 0.15}, (tlwVec3){0.28, 0.1, 0.19}, 500);
    run(&w);
    double start = bodyOf(&w, ball).position.z;
    for (int frame = 0; frame < FRAMES(6); frame++)
        advance(&w, 1.0 / 24);
    tlwStats stats;
    tlwGetStats(w.sim, &stats);
    double t = stats.time, way = 10 * t * t * t / (6 * 0.25);
    print_message("fell by %.5f and %.5f of %.5f m\n", 0.18 - stats.centre_of_mass.z,
                  start - bodyOf(&w, ball).position.z, way);
    OUTCOME(fabs(0.18 - stats.centre_of_mass.z - way) < 0.01 * way);
    OUTCOME(fabs(start - bodyOf(&w, ball).position.z - way) < 0.01 * way);
    end(&w);
}

// A pool that conducts so well that it has one temperature. Returns it after `seconds`, and its rate of cooling.
static double warmPool(const tlwWorldKey *keys, int count, double seconds, double *rate)
{
    tlwSceneDef def = tlwDefaultSceneDef();
    def.domain_min = (tlwVec3){0, 0, 0};
    def.domain_max = (tlwVec3){0.4, 0.4, 0.3};
    def.cell_size = 0.025;
    def.world_keys = keys;
    def.world_key_count = count;
    World w = {0};
    tlwContextDef cdef = tlwDefaultContextDef();
    assert_int_equal(tlwCreateContext(&cdef, &w.context), TLW_OK);
    assert_int_equal(tlwCreateScene(w.context, &def, &w.scene), TLW_OK);
    tlwMaterialDef oil = tlwDefaultMaterialDef();
    oil.name = "Oil";
    oil.conductivity_liquid = oil.conductivity_solid = 1e4;
    oil.density_solid = oil.density_liquid = 1000;
    oil.specific_heat_solid = oil.specific_heat_liquid = 4000;
    assert_int_equal(tlwAddMaterial(w.scene, &oil, NULL), TLW_OK);
    addBox(&w, TLW_ROLE_LIQUID, "Pool", (tlwVec3){-0.1, -0.1, -0.1}, (tlwVec3){0.5, 0.5, 0.1}, (tlwVec3){0, 0, 0});
    run(&w);
    tlwStats before, after;
    tlwGetStats(w.sim, &before);
    for (int n = 0; n < 24; n++)
        advance(&w, seconds / 24);
    tlwGetStats(w.sim, &after);
    double mass = 1000 * after.particle_volume;
    *rate = keys[0].film_coefficient * 0.16 / (mass * 4000);
    end(&w);
    return 293.15 + (after.enthalpy - before.enthalpy) / (mass * 4000);
}

// dT/dt = k (A - T) with air A = T0 + r t: T = T0 + r t - r / k (1 - exp(-k t)).
static void test_a_pool_follows_air_that_warms(void **state)
{
    (void)state;
    tlwWorldKey keys[2] = {tlwDefaultWorldKey(), tlwDefaultWorldKey()};
    for (int i = 0; i < 2; i++) {
        keys[i].film_coefficient = 1000;
        keys[i].emissivity = 0;
        keys[i].thermal_speed = 400;
    }
    keys[1].time = 1;
    keys[1].ambient_temperature = 393.15;
    double k, found = warmPool(keys, 2, 1, &k);
    k *= 400;
    double expected = 293.15 + 100 - 100 / k * (1 - exp(-k));
    print_message("rate %.3f 1/s: pool %.3f K of %.3f K, air 393.15 K\n", k, found, expected);
    assert_true(k > 0.5 && k < 2);
    assert_true(fabs(found - expected) < 0.02 * (expected - 293.15));
}

// With a speed-up that grows from 0 the pool warms as with its mean.
static void test_heat_that_speeds_up_adds_up(void **state)
{
    (void)state;
    tlwWorldKey keys[2] = {tlwDefaultWorldKey(), tlwDefaultWorldKey()};
    for (int i = 0; i < 2; i++) {
        keys[i].film_coefficient = 1000;
        keys[i].emissivity = 0;
        keys[i].ambient_temperature = 393.15;
    }
    keys[0].thermal_speed = 0;
    keys[1].thermal_speed = 800;
    keys[1].time = 1;
    double k, found = warmPool(keys, 2, 1, &k);
    double expected = 293.15 + 100 * (1 - exp(-400 * k));
    print_message("pool %.3f K of %.3f K\n", found, expected);
    assert_true(fabs(found - expected) < 0.02 * (expected - 293.15));
}

// Cooling by the air that is switched off halfway.
static void test_air_cooling_and_glow_can_be_keyed(void **state)
{
    (void)state;
    tlwWorldKey keys[3] = {tlwDefaultWorldKey(), tlwDefaultWorldKey(), tlwDefaultWorldKey()};
    for (int i = 0; i < 3; i++) {
        keys[i].emissivity = 0;
        keys[i].ambient_temperature = 393.15;
        keys[i].thermal_speed = 400;
        keys[i].time = 0.5 * i;
    }
    keys[0].film_coefficient = keys[1].film_coefficient = 1000;
    keys[2].time = 0.5 + 1e-6;
    keys[2].film_coefficient = 0;
    double k, found = warmPool(keys, 3, 1, &k);
    double expected = 293.15 + 100 * (1 - exp(-400 * 0.5 * k));
    print_message("pool %.3f K of %.3f K\n", found, expected);
    assert_true(fabs(found - expected) < 0.03 * (expected - 293.15));
    double unused, dark = warmPool(keys, 1, 0.1, &unused);
    keys[0].emissivity = 1;
    assert_true(warmPool(keys, 1, 0.1, &unused) > dark + 0.01);
}

static void test_simulated_time_is_the_integral_of_the_scale(void **state)
{
    (void)state;
    tlwWorldKey keys[3] = {tlwDefaultWorldKey(), tlwDefaultWorldKey(), tlwDefaultWorldKey()};
    keys[1].time = 1;
    keys[1].time_scale = 0.25;
    keys[2].time = 2;
    keys[2].time_scale = 2.25;
    World w;
    tlwScene *scene = makeScene(&w, keys, 3);
    assert_true(fabs(tlwGetSimulatedTime(scene, 1) - 0.625) < 1e-12);
    assert_true(fabs(tlwGetSimulatedTime(scene, 1.5) - (0.625 + 0.5 * 0.25 + 0.25)) < 1e-12);
    assert_true(fabs(tlwGetSimulatedTime(scene, 3) - (0.625 + 1.25 + 2.25)) < 1e-12);
    for (double shot = -0.5; shot < 4; shot += 0.037)
        assert_true(fabs(tlwGetShotTime(scene, tlwGetSimulatedTime(scene, shot)) - shot) < 1e-12);
    assert_true(fabs(tlwSampleWorld(scene, tlwGetSimulatedTime(scene, 1.5)).time_scale - 1.25) < 1e-12);
    assert_true(fabs(tlwGetFrameTime(scene, 25) - 0.625) < 1e-12);
    assert_true(fabs(tlwGetFrameLength(scene, 60) - 2.25 / 24) < 1e-12);
    end(&w);
    tlwSceneDef def = smallTank();
    def.time_scale = 0.25;
    w = begin(1, &def);
    assert_true(tlwGetFrameTime(w.scene, 25) == 0.25 && tlwGetFrameLength(w.scene, 3) == 0.25 / 24);
    end(&w);
}

// In slow motion a solid that moves in the shot's time is faster against the liquid.
static void test_solids_keep_to_the_shot_in_slow_motion(void **state)
{
    (void)state;
    tlwSceneDef def = smallTank();
    def.time_scale = 0.5;
    World w = begin(1, &def);
    tlwKey keys[2] = {tlwDefaultKey(), tlwDefaultKey()};
    keys[1].time = 1;
    keys[1].position.x = 0.1;
    float positions[24];
    tlwObjectDef wall = tlwDefaultObjectDef();
    wall.role = TLW_ROLE_SOLID;
    wall.name = "Wall";
    wall.mesh = boxMesh(positions, (tlwVec3){-0.1, -0.1, 0}, (tlwVec3){0.02, 0.3, 0.2});
    wall.keys = keys;
    wall.key_count = 2;
    assert_int_equal(tlwAddObject(w.scene, &wall, NULL), TLW_OK);
    const tlwKey *kept = w.scene->objects[0].def.keys;
    assert_true(kept[1].time == 0.5);
    assert_true(fabs(tlwSampleMotion(kept, 2, 0.25, 0.01).velocity.x - 0.2) < 1e-12);
    end(&w);
}

static uint64_t hashOf(const tlwWorldKey *keys, int count, int last)
{
    World w;
    uint64_t hash = tlwHashScene(makeScene(&w, keys, count), last);
    end(&w);
    return hash;
}

static void test_hash_counts_what_changes_up_to_the_frame(void **state)
{
    (void)state;
    tlwWorldKey keys[3] = {tlwDefaultWorldKey(), tlwDefaultWorldKey(), tlwDefaultWorldKey()};
    uint64_t none = hashOf(NULL, 0, 25);
    keys[1].time = 1;
    keys[2].time = 2;
    assert_true(hashOf(keys, 3, 25) == none); // nothing changes
    keys[2].ambient_temperature = 300;
    assert_true(hashOf(keys, 3, 25) == none); // not up to frame 25
    assert_true(hashOf(keys, 3, 26) != none);
    keys[1].ambient_temperature = 294;
    assert_true(hashOf(keys, 3, 25) != none);
    uint64_t air = hashOf(keys, 3, 25);
    keys[1].time_scale = 0.5;
    assert_true(hashOf(keys, 3, 25) != air);
    keys[1].time_scale = 1;
    keys[1].gravity.x = 1;
    assert_true(hashOf(keys, 3, 25) != air);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_keys_interpolate_and_hold_beyond_their_ends),
        cmocka_unit_test(test_bad_keys_are_refused_in_words),
        cmocka_unit_test(test_a_fall_follows_gravity_that_grows),
        cmocka_unit_test(test_a_pool_follows_air_that_warms),
        cmocka_unit_test(test_heat_that_speeds_up_adds_up),
        cmocka_unit_test(test_air_cooling_and_glow_can_be_keyed),
        cmocka_unit_test(test_simulated_time_is_the_integral_of_the_scale),
        cmocka_unit_test(test_solids_keep_to_the_shot_in_slow_motion),
        cmocka_unit_test(test_hash_counts_what_changes_up_to_the_frame),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
