// Meshing a cache again: the same detail gives the same surface, another one gives the same volume.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "bake_jobs.h"

#include "base/file.h"
#include "base/memory.h"
#include "shape/ply_surface.h"

#include <math.h>

static tlwResult meshAgain(const char *cache, int detail, int smoothing, char words[512])
{
    tlwContextDef context_def = tlwDefaultContextDef();
    tlwContext *context;
    tlwMeshDef def = tlwDefaultMeshDef();
    char scene[512], folder[512];
    getPath(scene, "scene");
    getPath(folder, cache);
    def.scene = scene;
    def.cache = folder;
    def.detail = detail;
    def.smoothing = smoothing;
    assert_int_equal(tlwCreateContext(&context_def, &context), TLW_OK);
    tlwResult result = tlwMeshAgain(context, &def);
    if (words)
        snprintf(words, 512, "%s", tlwGetMessage(context));
    tlwDestroyContext(context);
    return result;
}

static tlwPlySurface readMesh(const char *cache, int frame)
{
    char name[256], path[512];
    tlwPlySurface surface;
    snprintf(name, sizeof name, "%s/mesh/mesh_%06d.ply", cache, frame);
    getPath(path, name);
    assert_int_equal(tlwReadPlySurface(path, NULL, &surface), TLW_OK);
    return surface;
}

static void test_same_detail_gives_the_same_mesh(void **state)
{
    (void)state;
    assert_int_equal(bake((Job){.cache = "whole"}), TLW_OK);
    assert_int_equal(bake((Job){0}), TLW_OK);
    assert_int_equal(meshAgain("cache", 0, -1, NULL), TLW_OK);
    for (int frame = 1; frame <= 6; frame++) {
        tlwPlySurface a = readMesh("whole", frame), b = readMesh("cache", frame);
        int64_t count = a.mesh.vertex_count;
        assert_true(count > 100 && b.mesh.vertex_count == count && b.mesh.triangle_count == a.mesh.triangle_count);
        assert_memory_equal(a.mesh.triangles, b.mesh.triangles, (size_t)(12 * a.mesh.triangle_count));
        for (int64_t n = 0; n < 3 * count; n++)
            assert_true(fabsf(a.mesh.positions[n] - b.mesh.positions[n]) < 0.1f * 0.05f); // a twentieth of a cell
        assert_int_equal(a.column_count, b.column_count);
        for (int c = 0; c < a.column_count; c++)
            assert_string_equal(a.names[c], b.names[c]);
        tlwFreePlySurface(&a);
        tlwFreePlySurface(&b);
    }
}

static double getRoughness(const tlwMesh *mesh)
{
    return tlwGetMeshArea(mesh) / pow(tlwGetMeshVolume(mesh), 2.0 / 3);
}

static void test_detail_and_smoothing_keep_the_volume(void **state)
{
    (void)state;
    assert_int_equal(bake((Job){0}), TLW_OK);
    tlwPlySurface old = readMesh("cache", 6);
    assert_int_equal(meshAgain("cache", 2, 0, NULL), TLW_OK);
    tlwPlySurface fine = readMesh("cache", 6);
    assert_int_equal(meshAgain("cache", 2, 10, NULL), TLW_OK);
    tlwPlySurface smooth = readMesh("cache", 6);
    double volume = tlwGetMeshVolume(&old.mesh);
    assert_true(fine.mesh.triangle_count > 2 * old.mesh.triangle_count);
    assert_true(fabs(tlwGetMeshVolume(&fine.mesh) / volume - 1) < 0.005);
    assert_true(fabs(tlwGetMeshVolume(&smooth.mesh) / volume - 1) < 0.01);
    assert_int_equal(smooth.mesh.triangle_count, fine.mesh.triangle_count);
    assert_true(getRoughness(&smooth.mesh) < getRoughness(&fine.mesh) - 0.01);
    char path[512], *text;
    int64_t size;
    getPath(path, "cache/bake.json");
    assert_int_equal(tlwReadFile(path, 0, NULL, &text, &size), TLW_OK);
    cJSON *index = cJSON_Parse(text), *frames = cJSON_GetObjectItem(index, "frames");
    const cJSON *last = cJSON_GetArrayItem(frames, 5);
    assert_int_equal((int64_t)cJSON_GetObjectItem(last, "triangles")->valuedouble, smooth.mesh.triangle_count);
    assert_true(cJSON_IsTrue(cJSON_GetObjectItem(index, "finished")));
    cJSON_Delete(index);
    tlwFree(text);
    tlwFreePlySurface(&old);
    tlwFreePlySurface(&fine);
    tlwFreePlySurface(&smooth);
}

static void test_what_is_missing_or_wrong_is_said_before_anything_changes(void **state)
{
    (void)state;
    char words[512], path[512];
    assert_int_not_equal(meshAgain("cache", 0, -1, words), TLW_OK);
    assert_non_null(strstr(words, "cannot be opened"));
    assert_int_equal(bake((Job){0}), TLW_OK);
    assert_int_equal(meshAgain("cache", 3, -1, words), TLW_BAD_ARGUMENT);
    assert_int_equal(meshAgain("cache", 1, 21, words), TLW_BAD_ARGUMENT);
    tlwPlySurface before = readMesh("cache", 1);
    getPath(path, "cache/surface/surface_000004.vdb");
    assert_int_equal(unlink(path), 0);
    assert_int_equal(meshAgain("cache", 2, -1, words), TLW_BAD_FILE);
    assert_non_null(strstr(words, "Frame 4 cannot be meshed again"));
    tlwPlySurface after = readMesh("cache", 1);
    assert_int_equal(before.mesh.triangle_count, after.mesh.triangle_count);
    tlwFreePlySurface(&before);
    tlwFreePlySurface(&after);
    // A file that is no volume is an error of its frame.
    writeText(root, "cache/surface/surface_000004.vdb", "no volume", 9);
    assert_int_equal(meshAgain("cache", 2, -1, words), TLW_BAD_FILE);
    assert_non_null(strstr(words, "surface_000004.vdb"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_same_detail_gives_the_same_mesh, setUp, tearDown),
        cmocka_unit_test_setup_teardown(test_detail_and_smoothing_keep_the_volume, setUp, tearDown),
        cmocka_unit_test_setup_teardown(test_what_is_missing_or_wrong_is_said_before_anything_changes, setUp, tearDown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
