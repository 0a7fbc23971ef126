// Scenes: what the library takes, what it refuses, and in which words.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "folders.h"

#include "base/memory.h"
#include "base/vec.h"
#include "scene/check.h"
#include "scene/hash.h"
#include "scene/object.h"
#include "scene/scene.h"

typedef struct Log {
    char text[4096];
} Log;

static void onLog(void *user, tlwLogLevel level, const char *text)
{
    Log *log = user;
    size_t used = strlen(log->text);
    snprintf(log->text + used, sizeof log->text - used, "%d %s\n", (int)level, text);
}

typedef struct Fixture {
    tlwContext *context;
    tlwScene *scene;
    Log log;
} Fixture;

static int setUp(void **state)
{
    Fixture *f = calloc(1, sizeof *f);
    tlwContextDef def = tlwDefaultContextDef();
    def.threads = 1;
    def.log = onLog;
    def.user = &f->log;
    assert_int_equal(tlwCreateContext(&def, &f->context), TLW_OK);
    tlwSceneDef scene = tlwDefaultSceneDef();
    assert_int_equal(tlwCreateScene(f->context, &scene, &f->scene), TLW_OK);
    *state = f;
    return 0;
}

static int tearDown(void **state)
{
    Fixture *f = *state;
    tlwDestroyScene(f->scene);
    tlwDestroyContext(f->context);
    free(f);
    return 0;
}

static tlwKey one_key;

static tlwObjectDef cubeDef(const char *name, tlwRole role)
{
    one_key = tlwDefaultKey();
    one_key.scale = (tlwVec3){0.25, 0.25, 0.25};
    tlwObjectDef def = tlwDefaultObjectDef();
    def.name = name;
    def.role = role;
    def.mesh = (tlwMeshData){cube_positions, 8, cube_triangles, 12};
    def.keys = &one_key;
    def.key_count = 1;
    return def;
}

static void addWater(Fixture *f)
{
    tlwMaterialDef def = tlwDefaultMaterialDef();
    def.name = "Water";
    assert_int_equal(tlwAddMaterial(f->scene, &def, NULL), TLW_OK);
}

#define EXPECT(f, call, result, words)                                                                                 \
    do {                                                                                                               \
        assert_int_equal(call, result);                                                                                \
        if (!strstr(tlwGetMessage((f)->context), words))                                                               \
            fail_msg("\"%s\" does not say \"%s\"", tlwGetMessage((f)->context), words);                                \
    } while (0)

static void test_bad_domains_are_refused(void **state)
{
    Fixture *f = *state;
    tlwScene *scene = NULL;
    tlwSceneDef def = tlwDefaultSceneDef();
    def.cookie = 7;
    EXPECT(f, tlwCreateScene(f->context, &def, &scene), TLW_BAD_ARGUMENT, "tlwDefaultSceneDef");
    const double sizes[] = {0, -1, NAN, INFINITY};
    for (int i = 0; i < 4; i++) {
        def = tlwDefaultSceneDef();
        def.cell_size = sizes[i];
        EXPECT(f, tlwCreateScene(f->context, &def, &scene), TLW_BAD_ARGUMENT, "cell size");
    }
    def = tlwDefaultSceneDef();
    def.domain_max.y = def.domain_min.y + 0.01;
    EXPECT(f, tlwCreateScene(f->context, &def, &scene), TLW_BAD_ARGUMENT, "along y, smaller than one cell");
    def = tlwDefaultSceneDef();
    def.domain_max.z = NAN;
    EXPECT(f, tlwCreateScene(f->context, &def, &scene), TLW_BAD_ARGUMENT, "corners of the domain");
    def = tlwDefaultSceneDef();
    def.cell_size = 2.0 / 5000;
    EXPECT(f, tlwCreateScene(f->context, &def, &scene), TLW_BAD_ARGUMENT, "5000 cells along x");
    def.cell_size = 2.0 / 2000;
    EXPECT(f, tlwCreateScene(f->context, &def, &scene), TLW_BAD_ARGUMENT, "8e+09 cells");
    def = tlwDefaultSceneDef();
    def.frame_end = -3;
    EXPECT(f, tlwCreateScene(f->context, &def, &scene), TLW_BAD_ARGUMENT, "last frame");
    def = tlwDefaultSceneDef();
    def.walls[3] = (tlwWall)9;
    EXPECT(f, tlwCreateScene(f->context, &def, &scene), TLW_BAD_ARGUMENT, "Wall +y");
    def = tlwDefaultSceneDef();
    def.emissivity = 1.5;
    EXPECT(f, tlwCreateScene(f->context, &def, &scene), TLW_BAD_ARGUMENT, "emissivity");
    assert_null(scene);
}

static void test_settings_are_called_what_the_sidebar_calls_them(void **state)
{
    Fixture *f = *state;
    tlwScene *scene = NULL;
    tlwSceneDef def = tlwDefaultSceneDef();
    def.thermal_speed = 1e7; // the most that the sidebar takes
    assert_int_equal(tlwCreateScene(f->context, &def, &scene), TLW_OK);
    tlwDestroyScene(scene);
    def.thermal_speed = 2e7;
    EXPECT(f, tlwCreateScene(f->context, &def, &scene), TLW_BAD_ARGUMENT,
           "Heat Speed-up (thermal_speed in scene.json) is 20000000, but must lie between 0 and 10000000.");
}

static void test_domain_is_rounded_outwards_to_whole_cells(void **state)
{
    Fixture *f = *state;
    assert_int_equal(f->scene->dims[0], 40); // 2 m / 0.05 m, in spite of rounding
    tlwSceneDef def = tlwDefaultSceneDef();
    def.domain_max = (tlwVec3){0.01, 1, 1};
    tlwScene *scene = NULL;
    assert_int_equal(tlwCreateScene(f->context, &def, &scene), TLW_OK);
    assert_int_equal(scene->dims[0], 21);
    tlwDestroyScene(scene);
}

static void test_bad_objects_are_refused_by_name(void **state)
{
    Fixture *f = *state;
    tlwObjectDef def = cubeDef("Drop", TLW_ROLE_LIQUID);
    EXPECT(f, tlwAddObject(f->scene, &def, NULL), TLW_BAD_ARGUMENT, "Drop: its material is number 0");
    addWater(f);
    def.material = 1;
    EXPECT(f, tlwAddObject(f->scene, &def, NULL), TLW_BAD_ARGUMENT, "Drop: its material is number 1");
    def = cubeDef("Drop", TLW_ROLE_LIQUID);
    def.cookie = 0;
    EXPECT(f, tlwAddObject(f->scene, &def, NULL), TLW_BAD_ARGUMENT, "tlwDefaultObjectDef");
    def = cubeDef("", TLW_ROLE_LIQUID);
    EXPECT(f, tlwAddObject(f->scene, &def, NULL), TLW_BAD_ARGUMENT, "unnamed object");
    def = cubeDef("Ball", TLW_ROLE_RIGID);
    def.density = -5;
    EXPECT(f, tlwAddObject(f->scene, &def, NULL), TLW_BAD_ARGUMENT, "Ball: its density is -5, but must be above 0");
    def.density = 0;
    EXPECT(f, tlwAddObject(f->scene, &def, NULL), TLW_BAD_ARGUMENT, "Ball is a rigid body without mass");
    def = cubeDef("Ball", TLW_ROLE_RIGID);
    def.spin.y = NAN;
    EXPECT(f, tlwAddObject(f->scene, &def, NULL), TLW_BAD_ARGUMENT, "spin");
    def = cubeDef("Ball", TLW_ROLE_RIGID);
    def.key_count = 0;
    EXPECT(f, tlwAddObject(f->scene, &def, NULL), TLW_BAD_ARGUMENT, "Ball has no key");
    def = cubeDef("Ball", (tlwRole)77);
    EXPECT(f, tlwAddObject(f->scene, &def, NULL), TLW_BAD_ARGUMENT, "role");
    assert_int_equal(f->scene->object_count, 0);
    def = cubeDef("Ball", TLW_ROLE_RIGID);
    assert_int_equal(tlwAddObject(f->scene, &def, NULL), TLW_OK);
    EXPECT(f, tlwAddObject(f->scene, &def, NULL), TLW_BAD_ARGUMENT, "Two objects are called Ball");
}

static void test_bad_meshes_are_refused_and_open_ones_filled(void **state)
{
    Fixture *f = *state;
    addWater(f);
    float broken[24];
    memcpy(broken, cube_positions, sizeof broken);
    broken[7] = NAN;
    tlwObjectDef def = cubeDef("Drop", TLW_ROLE_LIQUID);
    def.mesh.positions = broken;
    EXPECT(f, tlwAddObject(f->scene, &def, NULL), TLW_BAD_MESH, "Drop");
    def.mesh = (tlwMeshData){cube_positions, 8, cube_triangles, 0};
    EXPECT(f, tlwAddObject(f->scene, &def, NULL), TLW_BAD_MESH, "Drop");
    def.mesh = (tlwMeshData){cube_positions, 8, cube_triangles, 2}; // flat
    EXPECT(f, tlwAddObject(f->scene, &def, NULL), TLW_BAD_MESH, "Drop");
    assert_int_equal(f->scene->object_count, 0);
    def.mesh.triangle_count = 11;
    int index = -1;
    assert_int_equal(tlwAddObject(f->scene, &def, &index), TLW_OK);
    assert_int_equal(index, 0);
    assert_non_null(strstr(f->log.text, "Drop is not closed: 3 open edges"));
    assert_true(fabs(tlwGetMeshVolume(&f->scene->objects[0].mesh) - 8) < 1e-6);
    // A lamp shines from its centre: a flat mesh will do.
    def = cubeDef("Lamp", TLW_ROLE_HEAT);
    def.heat_kind = TLW_HEAT_LAMP;
    def.mesh.triangle_count = 2;
    assert_int_equal(tlwAddObject(f->scene, &def, NULL), TLW_OK);
}

static void test_names_and_keys_are_copied(void **state)
{
    Fixture *f = *state;
    char name[] = "Wall";
    tlwObjectDef def = cubeDef(name, TLW_ROLE_SOLID);
    one_key.rotation = (tlwQuat){2, 0, 0, 0};
    assert_int_equal(tlwAddObject(f->scene, &def, NULL), TLW_OK);
    name[0] = 'X';
    one_key.position.x = 99;
    assert_string_equal(f->scene->objects[0].def.name, "Wall");
    assert_true(f->scene->objects[0].def.keys[0].position.x == 0);
    assert_true(f->scene->objects[0].def.keys[0].rotation.w == 1);
    tlwVec3 low, high;
    tlwGetObjectBounds(&f->scene->objects[0], 0, &low, &high);
    assert_true(tlwLength(tlwSub(high, (tlwVec3){0.25, 0.25, 0.25})) < 1e-6);
}

static void test_scene_without_liquid_in_the_domain_is_refused(void **state)
{
    Fixture *f = *state;
    EXPECT(f, tlwCheckScene(f->scene), TLW_BAD_ARGUMENT, "no liquid");
    addWater(f);
    tlwObjectDef def = cubeDef("Far", TLW_ROLE_LIQUID);
    one_key.position = (tlwVec3){50, 0, 0};
    assert_int_equal(tlwAddObject(f->scene, &def, NULL), TLW_OK);
    EXPECT(f, tlwCheckScene(f->scene), TLW_BAD_ARGUMENT, "Far lies outside the domain");
    def = cubeDef("Near", TLW_ROLE_LIQUID);
    assert_int_equal(tlwAddObject(f->scene, &def, NULL), TLW_OK);
    f->log.text[0] = 0;
    assert_int_equal(tlwCheckScene(f->scene), TLW_OK);
    assert_non_null(strstr(f->log.text, "1 Far lies outside the domain"));
}

static void test_too_many_liquid_cells_are_refused_with_the_memory(void **state)
{
    Fixture *f = *state;
    tlwSceneDef sdef = tlwDefaultSceneDef();
    sdef.cell_size = 2.0 / 1200; // 1.7e9 cells: sparse storage takes it while little of it is liquid
    tlwScene *scene = NULL;
    assert_int_equal(tlwCreateScene(f->context, &sdef, &scene), TLW_OK);
    tlwMaterialDef water = tlwDefaultMaterialDef();
    water.name = "Water";
    assert_int_equal(tlwAddMaterial(scene, &water, NULL), TLW_OK);
    tlwObjectDef def = cubeDef("Drop", TLW_ROLE_LIQUID);
    assert_int_equal(tlwAddObject(scene, &def, NULL), TLW_OK);
    assert_int_equal(tlwCheckScene(scene), TLW_OK); // 300^3 = 27 million
    def = cubeDef("Sea", TLW_ROLE_LIQUID);
    one_key.scale = (tlwVec3){1, 1, 1};
    assert_int_equal(tlwAddObject(scene, &def, NULL), TLW_OK);
    EXPECT(f, tlwCheckScene(scene), TLW_BAD_ARGUMENT, "GB of memory");
    tlwDestroyScene(scene);
}

static void test_joints_hold_a_rigid_body(void **state)
{
    Fixture *f = *state;
    tlwObjectDef wall = cubeDef("Wall", TLW_ROLE_SOLID), ball = cubeDef("Ball", TLW_ROLE_RIGID);
    int a = -1, b = -1;
    assert_int_equal(tlwAddObject(f->scene, &wall, &a), TLW_OK);
    assert_int_equal(tlwAddObject(f->scene, &ball, &b), TLW_OK);
    tlwJointDef def = tlwDefaultJointDef();
    def.name = "Axle";
    def.object_a = a;
    EXPECT(f, tlwAddJoint(f->scene, &def), TLW_BAD_ARGUMENT, "Wall has the role solid");
    def.object_b = b;
    EXPECT(f, tlwAddJoint(f->scene, &def), TLW_BAD_ARGUMENT, "body a of a joint must be rigid");
    tlwObjectDef drain = cubeDef("Drain", TLW_ROLE_OUTFLOW);
    def.object_a = b;
    assert_int_equal(tlwAddObject(f->scene, &drain, &def.object_b), TLW_OK);
    EXPECT(f, tlwAddJoint(f->scene, &def), TLW_BAD_ARGUMENT, "Drain has the role outflow");
    def.object_a = 5;
    EXPECT(f, tlwAddJoint(f->scene, &def), TLW_BAD_ARGUMENT, "object 5");
    def.object_a = def.object_b = b;
    EXPECT(f, tlwAddJoint(f->scene, &def), TLW_BAD_ARGUMENT, "to itself");
    def.object_b = -1;
    def.axis = (tlwVec3){0, 0, 0};
    EXPECT(f, tlwAddJoint(f->scene, &def), TLW_BAD_ARGUMENT, "axis");
    def.axis = (tlwVec3){0, 0, 4};
    assert_int_equal(tlwAddJoint(f->scene, &def), TLW_OK);
    assert_true(f->scene->joints[0].def.axis.z == 1);
    def.object_b = a; // a solid
    assert_int_equal(tlwAddJoint(f->scene, &def), TLW_OK);
    assert_int_equal(f->scene->joint_count, 2);
}

static void test_forces_are_checked(void **state)
{
    Fixture *f = *state;
    tlwKey key = tlwDefaultKey();
    tlwForceDef def = tlwDefaultForceDef();
    def.name = "Wind";
    EXPECT(f, tlwAddForce(f->scene, &def), TLW_BAD_ARGUMENT, "Force Wind has no key");
    def.keys = &key;
    def.key_count = 1;
    def.min_distance = 2;
    def.max_distance = 1;
    EXPECT(f, tlwAddForce(f->scene, &def), TLW_BAD_ARGUMENT, "max_distance");
    def.max_distance = 0;
    assert_int_equal(tlwAddForce(f->scene, &def), TLW_OK);
}

static void test_hash_follows_what_the_result_depends_on(void **state)
{
    Fixture *f = *state;
    uint64_t empty = tlwHashScene(f->scene, 1);
    f->scene->def.frame_end += 100;
    f->scene->def.checkpoint_every = 7;
    f->scene->def.save_vdb = false;
    assert_true(tlwHashScene(f->scene, 1) == empty);
    f->scene->def.gravity.x = -0.0;
    assert_true(tlwHashScene(f->scene, 1) == empty);
    f->scene->def.gravity.x = 1e-9;
    assert_true(tlwHashScene(f->scene, 1) != empty);
    f->scene->def.gravity.x = 0;
    addWater(f);
    uint64_t wet = tlwHashScene(f->scene, 1);
    assert_true(wet != empty);
    tlwObjectDef def = cubeDef("Drop", TLW_ROLE_LIQUID);
    assert_int_equal(tlwAddObject(f->scene, &def, NULL), TLW_OK);
    uint64_t full = tlwHashScene(f->scene, 1);
    assert_true(full != wet);
    f->scene->objects[0].mesh.positions[5] += 1e-3f;
    assert_true(tlwHashScene(f->scene, 1) != full);
}

// The hash up to frame 3 with these heights, one per frame; NAN for a frame without a key.
static uint64_t hashHeights(Fixture *f, int count, const double *heights)
{
    tlwKey keys[8];
    int made = 0;
    for (int i = 0; i < count; i++)
        if (!isnan(heights[i])) {
            keys[made] = tlwDefaultKey();
            keys[made].position.z = heights[i];
            keys[made++].time = i / f->scene->def.fps * (1 - 1e-7); // as scene.json rounds it
        }
    tlwForceDef def = tlwDefaultForceDef();
    def.name = "Wind";
    def.keys = keys;
    def.key_count = made;
    f->scene->force_count = 0;
    assert_int_equal(tlwAddForce(f->scene, &def), TLW_OK);
    uint64_t hash = tlwHashScene(f->scene, f->scene->def.frame_start + 2);
    tlwFree((char *)f->scene->forces[0].def.name);
    tlwFree((tlwKey *)f->scene->forces[0].def.keys);
    f->scene->force_count = 0;
    return hash;
}

static void test_hash_ends_with_the_frames_that_it_is_asked_for(void **state)
{
    Fixture *f = *state;
    uint64_t moving = hashHeights(f, 3, (double[]){0, 1, 2});
    assert_true(hashHeights(f, 5, (double[]){0, 1, 2, 7, -3}) == moving);
    assert_true(hashHeights(f, 5, (double[]){0, 1.1, 2, 7, -3}) != moving);
    assert_true(hashHeights(f, 5, (double[]){0, 1, 2.1, 7, -3}) != moving);
    // What stands still has a single key, until it has to start later.
    uint64_t still = hashHeights(f, 1, (double[]){0.1});
    assert_true(hashHeights(f, 6, (double[]){0.1, NAN, NAN, NAN, 0.1, 1}) == still);
    assert_true(hashHeights(f, 4, (double[]){0.1, NAN, NAN, 0.2}) != still);
    assert_true(still != moving);
    uint64_t stopped = hashHeights(f, 3, (double[]){0, 0.3, 0.3});
    assert_true(hashHeights(f, 5, (double[]){0, 0.3, NAN, 0.3, 2}) == stopped);
    assert_true(hashHeights(f, 4, (double[]){0, 0.3, NAN, 2}) != stopped);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_bad_domains_are_refused, setUp, tearDown),
        cmocka_unit_test_setup_teardown(test_settings_are_called_what_the_sidebar_calls_them, setUp, tearDown),
        cmocka_unit_test_setup_teardown(test_domain_is_rounded_outwards_to_whole_cells, setUp, tearDown),
        cmocka_unit_test_setup_teardown(test_bad_objects_are_refused_by_name, setUp, tearDown),
        cmocka_unit_test_setup_teardown(test_bad_meshes_are_refused_and_open_ones_filled, setUp, tearDown),
        cmocka_unit_test_setup_teardown(test_names_and_keys_are_copied, setUp, tearDown),
        cmocka_unit_test_setup_teardown(test_scene_without_liquid_in_the_domain_is_refused, setUp, tearDown),
        cmocka_unit_test_setup_teardown(test_too_many_liquid_cells_are_refused_with_the_memory, setUp, tearDown),
        cmocka_unit_test_setup_teardown(test_joints_hold_a_rigid_body, setUp, tearDown),
        cmocka_unit_test_setup_teardown(test_forces_are_checked, setUp, tearDown),
        cmocka_unit_test_setup_teardown(test_hash_follows_what_the_result_depends_on, setUp, tearDown),
        cmocka_unit_test_setup_teardown(test_hash_ends_with_the_frames_that_it_is_asked_for, setUp, tearDown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
