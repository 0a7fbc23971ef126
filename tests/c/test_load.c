// The scene folder reader: what it takes, and that no broken file brings it down.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "folders.h"

#include "base/context.h"
#include "base/vec.h"
#include "scene/hash.h"
#include "scene/load_material.h"
#include "scene/scene.h"

#include <dirent.h>

static const char full_scene[] =
    "{\n"
    "  \"format\": \"tallow-scene\", \"version\": 1, \"name\": \"Test \\u00e9\",\n"
    "  \"frames\": {\"start\": 3, \"end\": 30, \"fps\": 25},\n"
    "  \"domain\": {\"min\": [-1, -1, -1], \"max\": [1, 1, 1.5], \"cell_size\": 0.1,\n"
    "             \"walls\": {\"-x\": \"open\", \"+z\": \"no_slip\"}, \"wall_friction\": 0.25},\n"
    "  \"world\": {\"gravity\": [0, 0, -5], \"ambient_temperature\": 300, \"film_coefficient\": 12, \"emissivity\": "
    "0.5,\n"
    "            \"thermal_speed\": 60, \"time_scale\": 0.5, \"keys\": [{\"time\": 0}, {\"time\": 1, "
    "\"ambient_temperature\": 320}]},\n"
    "  \"solver\": {\"transport\": \"flip\", \"coupling\": \"split\", \"flip_blend\": 0.9, \"cfl\": 3, \"seed\": "
    "4000000000,\n"
    "             \"threads\": 2},\n"
    "  \"output\": {\"particles\": false, \"vdb\": true, \"mesh_detail\": 2, \"checkpoint_every\": 5},\n"
    "  \"materials\": [{\"name\": \"Wax\", \"density\": [900, 780], \"solidus\": 328.15, \"liquidus\": 333.15,\n"
    "                 \"latent_heat\": 210000, \"viscosity\": [[333.15, 0.0075], [353.15, 0.005]], \"frozen\": "
    "\"soft\"},\n"
    "                {\"name\": \"Oil\", \"density\": 850, \"viscosity\": 0.1}],\n"
    "  \"objects\": [\n"
    "    {\"name\": \"Drop\", \"role\": \"liquid\", \"mesh\": \"meshes/cube.ply\", \"material\": \"Oil\",\n"
    "     \"keys\": [{\"time\": 0, \"position\": [0, 0, 0.5], \"scale\": [0.2, 0.2, 0.2], \"temperature\": 350}],\n"
    "     \"velocity\": [1, 2, 3]},\n"
    "    {\"name\": \"Ball\", \"role\": \"rigid\", \"mesh\": \"meshes/cube.ply\", \"mass\": 2, \"surface\": \"slip\",\n"
    "     \"keys\": [{\"position\": [0.5, 0, 0], \"scale\": [0.1, 0.1, 0.1]}]},\n"
    "    {\"name\": \"Cloth\", \"role\": \"solid\", \"deform\": {\"pattern\": \"meshes/cloth_%04d.ply\", \"first\": 3, "
    "\"last\": 4},\n"
    "     \"keys\": [{\"time\": 0, \"temperature\": 310}, {\"time\": 1, \"enabled\": false}]},\n"
    "    {\"name\": \"Lamp\", \"role\": \"heat\", \"heat_kind\": \"lamp\", \"heat_range\": 4, \"mesh\": "
    "\"meshes/cube.ply\",\n"
    "     \"keys\": [{\"time\": 0, \"power\": 100}]}],\n"
    "  \"forces\": [{\"name\": \"Wind\", \"kind\": \"vortex\", \"keys\": [{\"time\": 0, \"power\": 3}], \"falloff\": "
    "2}],\n"
    "  \"joints\": [{\"name\": \"Axle\", \"kind\": \"hinge\", \"a\": \"Ball\", \"b\": null, \"anchor\": [0, 0, 0], "
    "\"axis\": [0, 2, 0]}],\n"
    "  \"colour_of_the_sky\": 1\n"
    "}\n";

typedef struct Fixture {
    tlwContext *context;
    char folder[256];
    char log[4096];
} Fixture;

static void onLog(void *user, tlwLogLevel level, const char *text)
{
    Fixture *f = user;
    size_t used = strlen(f->log);
    snprintf(f->log + used, sizeof f->log - used, "%d %s\n", (int)level, text);
}

static int setUp(void **state)
{
    Fixture *f = calloc(1, sizeof *f);
    tlwContextDef def = tlwDefaultContextDef();
    def.threads = 1;
    def.log = onLog;
    def.user = f;
    assert_int_equal(tlwCreateContext(&def, &f->context), TLW_OK);
    makeTemporaryFolder(f->folder);
    writeCube(f->folder, "cube.ply", false);
    writeCube(f->folder, "cloth_0003.ply", false);
    writeCube(f->folder, "cloth_0004.ply", false);
    *state = f;
    return 0;
}

static int tearDown(void **state)
{
    Fixture *f = *state;
    removeFolder(f->folder);
    tlwDestroyContext(f->context);
    free(f);
    return 0;
}

static tlwResult load(Fixture *f, const char *text, size_t size, tlwScene **scene)
{
    f->log[0] = 0;
    f->context->message.text[0] = 0;
    writeText(f->folder, "scene.json", text, size);
    return tlwLoadScene(f->context, f->folder, scene);
}

static void test_every_member_arrives(void **state)
{
    Fixture *f = *state;
    tlwScene *scene = NULL;
    assert_int_equal(load(f, full_scene, sizeof full_scene - 1, &scene), TLW_OK);
    assert_string_equal(scene->def.name, "Test \xc3\xa9");
    assert_int_equal(scene->def.frame_start, 3);
    assert_int_equal(scene->def.frame_end, 30);
    assert_true(scene->def.fps == 25 && scene->def.domain_max.z == 1.5 && scene->def.wall_friction == 0.25);
    assert_int_equal(scene->def.walls[0], TLW_WALL_OPEN);
    assert_int_equal(scene->def.walls[1], TLW_WALL_SLIP);
    assert_int_equal(scene->def.walls[5], TLW_WALL_NO_SLIP);
    assert_true(scene->def.gravity.z == -5 && scene->def.thermal_speed == 60);
    assert_int_equal(scene->def.world_key_count, 2);
    assert_true(scene->def.world_keys[1].ambient_temperature == 320 && scene->def.world_keys[1].gravity.z == -5);
    assert_true(scene->def.world_keys[1].time == 1 && scene->world_times[1] == 0.5);
    assert_int_equal(scene->def.transport, TLW_TRANSPORT_FLIP);
    assert_int_equal(scene->def.coupling, TLW_COUPLING_SPLIT);
    assert_true(scene->def.seed == 4000000000u);
    assert_int_equal(scene->threads, 2);
    assert_false(scene->def.save_particles);
    assert_true(scene->def.save_mesh);
    assert_int_equal(scene->def.checkpoint_every, 5);
    assert_int_equal(scene->material_count, 2);
    assert_int_equal(scene->materials[0].def.frozen, TLW_FROZEN_SOFT);
    assert_true(scene->materials[1].def.density_solid == 850 && scene->materials[1].def.density_liquid == 850);
    assert_int_equal(scene->object_count, 4);
    assert_int_equal(scene->objects[0].def.material, 1);
    assert_true(scene->objects[0].def.velocity.z == 3 && scene->objects[0].def.keys[0].temperature == 350);
    assert_int_equal(scene->objects[1].def.surface, TLW_SURFACE_SLIP);
    assert_int_equal(scene->objects[2].def.key_count, 2);
    // Missing members repeat the previous key.
    assert_true(scene->objects[2].def.keys[1].temperature == 310 && !scene->objects[2].def.keys[1].enabled);
    assert_int_equal(scene->forces[0].def.kind, TLW_FORCE_VORTEX);
    assert_int_equal(scene->joints[0].def.object_a, 1);
    assert_int_equal(scene->joints[0].def.object_b, -1);
    assert_non_null(strstr(f->log, "1 colour_of_the_sky is not a member"));
    tlwDestroyScene(scene);
}

static void test_deforming_meshes_are_read_by_frame(void **state)
{
    Fixture *f = *state;
    tlwScene *scene = NULL;
    assert_int_equal(load(f, full_scene, sizeof full_scene - 1, &scene), TLW_OK);
    const tlwObjectDef *cloth = &scene->objects[2].def;
    tlwMeshData mesh = {0};
    assert_non_null(cloth->deform);
    assert_int_equal(cloth->deform(cloth->deform_user, 4, &mesh), TLW_OK);
    assert_int_equal(mesh.triangle_count, 12);
    assert_int_equal(cloth->deform(cloth->deform_user, 400, &mesh), TLW_OK); // holds still after the last
    uint64_t hash = tlwHashScene(scene, 4), before = tlwHashScene(scene, 3);
    writeCube(f->folder, "cloth_0004.ply", true);
    assert_int_equal(cloth->deform(cloth->deform_user, 4, &mesh), TLW_BAD_MESH);
    assert_non_null(strstr(tlwGetMessage(f->context), "Cloth has 11 triangles in frame 4 but 12 before"));
    tlwDestroyScene(scene);
    scene = NULL;
    assert_int_equal(load(f, full_scene, sizeof full_scene - 1, &scene), TLW_OK);
    assert_true(tlwHashScene(scene, 4) != hash);   // deforming files count
    assert_true(tlwHashScene(scene, 3) == before); // but not those of later frames
    tlwDestroyScene(scene);
}

// Replaces the first `from` in the scene and expects `words` in the refusal.
static void expectRefusal(Fixture *f, const char *from, const char *to, const char *words)
{
    char text[sizeof full_scene + 256];
    const char *at = strstr(full_scene, from);
    assert_non_null(at);
    int before = (int)(at - full_scene);
    int size = snprintf(text, sizeof text, "%.*s%s%s", before, full_scene, to, at + strlen(from));
    tlwScene *scene = NULL;
    tlwResult result = load(f, text, (size_t)size, &scene);
    assert_null(scene);
    assert_true(result == TLW_BAD_FILE || result == TLW_BAD_ARGUMENT);
    if (!strstr(tlwGetMessage(f->context), words))
        fail_msg("\"%s\" does not say \"%s\"", tlwGetMessage(f->context), words);
}

static void test_wrong_members_are_refused_by_path(void **state)
{
    Fixture *f = *state;
    expectRefusal(f, "\"version\": 1", "\"version\": 2", "version 2");
    expectRefusal(f, "tallow-scene", "something", "tallow-scene");
    expectRefusal(f, "[0.2, 0.2, 0.2]", "[0.2, 0.2]", "objects[0].keys[0].scale must be three numbers");
    expectRefusal(f, "[0.2, 0.2, 0.2]", "\"big\"", "objects[0].keys[0].scale must be three numbers");
    expectRefusal(f, "\"enabled\": false", "\"enabled\": 0", "objects[2].keys[1].enabled must be true or false");
    expectRefusal(f, "\"-x\": \"open\"", "\"-x\": \"glass\"", "domain.walls.-x must be one of slip, no_slip, open");
    expectRefusal(f, "\"start\": 3", "\"start\": 3.5", "frames.start must be a whole number");
    expectRefusal(f, "\"start\": 3", "\"start\": 1e30", "frames.start must be a whole number");
    expectRefusal(f, "\"fps\": 25", "\"fps\": 1e999", "frames.fps must be a number");
    expectRefusal(f, "\"fps\": 25", "\"fps\": 0", "fps");
    expectRefusal(f, "4000000000", "-1", "solver.seed");
    expectRefusal(f, "[353.15, 0.005]", "[353.15]", "materials[0].viscosity[1] must be a pair");
    expectRefusal(f, "\"density\": 850", "\"density\": -850", "Oil: density_solid");
    expectRefusal(f, "\"material\": \"Oil\"", "\"material\": \"Gold\"", "Drop: its material Gold");
    expectRefusal(f, "\"role\": \"rigid\"", "\"role\": \"flying\"", "objects[1].role must be one of liquid");
    expectRefusal(f, "\"a\": \"Ball\"", "\"a\": \"Bill\"", "joints[0].a must be the name of an object");
    expectRefusal(f, "\"name\": \"Ball\"", "\"name\": \"Drop\"", "Two objects are called Drop");
    expectRefusal(f, "\"keys\": [{\"time\": 0, \"power\": 3}]", "\"keys\": []",
                  "forces[0].keys must be a list of at least one");
    expectRefusal(f, "\"domain\": {", "\"domain\": 5, \"x\": {", "domain must be an object");
    expectRefusal(f, "\"objects\": [", "\"objects\": 5, \"x\": [", "objects must be a list");
}

static void test_paths_stay_inside_the_scene_folder(void **state)
{
    Fixture *f = *state;
    const char *words = "objects[0].mesh must be a file inside the scene folder";
    expectRefusal(f, "meshes/cube.ply", "/etc/passwd", words);
    expectRefusal(f, "meshes/cube.ply", "../cube.ply", words);
    expectRefusal(f, "meshes/cube.ply", "meshes/../../cube.ply", words);
    expectRefusal(f, "meshes/cube.ply", "meshes/..", words);
    expectRefusal(f, "meshes/cube.ply", "C:\\\\cube.ply", words);
    expectRefusal(f, "meshes/cube.ply", "", words);
    expectRefusal(f, "meshes/cube.ply", "meshes/missing.ply", "missing.ply does not exist");
    expectRefusal(f, "cloth_%04d.ply", "cloth_%s.ply", "must hold one number");
    expectRefusal(f, "cloth_%04d.ply", "cloth_%04d_%n.ply", "must hold one number");
    expectRefusal(f, "meshes/cloth_%04d.ply", "../cloth_%04d.ply", "deform.pattern must be a file inside");
    expectRefusal(f, "\"last\": 4", "\"last\": 5", "cloth_0005.ply does not exist");
}

static void test_broken_json_names_the_line(void **state)
{
    Fixture *f = *state;
    expectRefusal(f, "\"world\": {", "\"world\" {", "line 6");
    tlwScene *scene = NULL;
    assert_int_equal(load(f, "", 0, &scene), TLW_BAD_FILE);
    assert_int_equal(load(f, "{}", 2, &scene), TLW_BAD_FILE);
    assert_int_equal(load(f, "[1, 2]", 6, &scene), TLW_BAD_FILE);
    assert_int_equal(tlwLoadScene(f->context, "/nowhere/at/all", &scene), TLW_BAD_FILE);
    assert_non_null(strstr(tlwGetMessage(f->context), "does not exist"));
}

static void test_deep_nesting_is_refused(void **state)
{
    Fixture *f = *state;
    size_t size = 1000000;
    char *text = malloc(size);
    memset(text, '[', size);
    tlwScene *scene = NULL;
    assert_int_equal(load(f, text, size, &scene), TLW_BAD_FILE);
    free(text);
}

// The sanitizers watch; a result of any kind will do as long as a failure has a sentence.
static void test_cut_and_damaged_files_never_crash(void **state)
{
    Fixture *f = *state;
    char text[sizeof full_scene];
    size_t size = sizeof full_scene - 1;
    uint32_t random = 1;
    int refused = 0;
    for (size_t i = 0; i < size; i++) {
        tlwScene *scene = NULL;
        assert_int_equal(load(f, full_scene, i, &scene), i < size - 1 ? TLW_BAD_FILE : TLW_OK);
        tlwDestroyScene(scene);
        scene = NULL;
        memcpy(text, full_scene, size);
        random = random * 1664525u + 1013904223u;
        text[i] = (char)(text[i] ^ (1 << (random >> 29)));
        tlwResult result = load(f, text, size, &scene);
        if (result != TLW_OK) {
            assert_true(strlen(tlwGetMessage(f->context)) > 10);
            assert_null(scene);
            refused++;
        }
        tlwDestroyScene(scene);
    }
    assert_true(refused > (int)size / 2);
}

static void test_every_preset_loads_with_its_sources(void **state)
{
    Fixture *f = *state;
    DIR *dir = opendir(TLW_SOURCE_DIR "/presets/materials");
    assert_non_null(dir);
    int count = 0;
    for (struct dirent *entry; (entry = readdir(dir));) {
        if (!strstr(entry->d_name, ".json"))
            continue;
        char path[1024];
        snprintf(path, sizeof path, TLW_SOURCE_DIR "/presets/materials/%s", entry->d_name);
        tlwMaterial material;
        tlwMaterialDef def = tlwDefaultMaterialDef();
        tlwJson root;
        f->log[0] = 0;
        if (tlwOpenJson(f->context, path, &root) != TLW_OK || tlwReadMaterial(&root, &def) != TLW_OK ||
            tlwMakeMaterial(&def, &material, &f->context->message) != TLW_OK)
            fail_msg("%s: %s", entry->d_name, tlwGetMessage(f->context));
        assert_string_equal(f->log, ""); // no unknown members
        // Viscosity falls as temperature rises.
        const tlwCurve *curve = &material.def.viscosity;
        for (int i = 1; i < curve->count; i++)
            assert_true(curve->value[i] < curve->value[i - 1]);
        tlwFreeMaterial(&material);
        const char *label = NULL, *description = NULL;
        tlwJson sources = tlwGetMember(&root, "sources");
        int source_count = 0;
        assert_int_equal(tlwReadString(&root, "label", &label), TLW_OK);
        assert_int_equal(tlwReadString(&root, "description", &description), TLW_OK);
        assert_int_equal(tlwCheckList(&sources, &source_count), TLW_OK);
        assert_true(label && description && source_count > 0);
        tlwFreeJson(&root);
        count++;
    }
    closedir(dir);
    assert_true(count >= 12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_every_member_arrives, setUp, tearDown),
        cmocka_unit_test_setup_teardown(test_deforming_meshes_are_read_by_frame, setUp, tearDown),
        cmocka_unit_test_setup_teardown(test_wrong_members_are_refused_by_path, setUp, tearDown),
        cmocka_unit_test_setup_teardown(test_paths_stay_inside_the_scene_folder, setUp, tearDown),
        cmocka_unit_test_setup_teardown(test_broken_json_names_the_line, setUp, tearDown),
        cmocka_unit_test_setup_teardown(test_deep_nesting_is_refused, setUp, tearDown),
        cmocka_unit_test_setup_teardown(test_cut_and_damaged_files_never_crash, setUp, tearDown),
        cmocka_unit_test_setup_teardown(test_every_preset_loads_with_its_sources, setUp, tearDown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
