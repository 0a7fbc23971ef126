// The cache folder: its list of frames, its file names, its JSON.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/memory.h"
#include "cache/folder.h"
#include "cache/index.h"
#include "cache/text.h"
#include "folders.h"

#include <cjson/cJSON.h>
#include <limits.h>
#include <math.h>

static char folder[256];
static tlwContext *context;

static int setUp(void **state)
{
    (void)state;
    makeTemporaryFolder(folder);
    tlwContextDef def = tlwDefaultContextDef();
    def.threads = 1;
    return tlwCreateContext(&def, &context) != TLW_OK;
}

static int tearDown(void **state)
{
    (void)state;
    removeFolder(folder);
    tlwDestroyContext(context);
    return 0;
}

static void test_json_is_valid_whatever_the_name(void **state)
{
    (void)state;
    const char *names[] = {"plain", "quote \" and \\", "line\nbreak\ttab\x01", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80",
                           "broken \xc3 \xff \xed\xa0\x80 \xf5\x80\x80\x80 \xc0\xaf"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        tlwText text = {0};
        tlwAddText(&text, "{");
        tlwAddJsonStringMember(&text, "name", names[i]);
        tlwAddJsonMember(&text, "number", 0.1 + i);
        tlwAddJsonMember(&text, "bad", NAN);
        tlwAddText(&text, "}");
        cJSON *json = cJSON_Parse(text.data);
        assert_non_null(json);
        if (i < 4)
            assert_string_equal(cJSON_GetObjectItem(json, "name")->valuestring, names[i]);
        else
            assert_null(strchr(text.data, (char)0xff));
        assert_true(cJSON_GetObjectItem(json, "number")->valuedouble == 0.1 + i);
        assert_true(cJSON_IsNull(cJSON_GetObjectItem(json, "bad")));
        cJSON_Delete(json);
        tlwFreeText(&text);
    }
}

static void test_numbers_read_back_as_the_same_bits(void **state)
{
    (void)state;
    const double numbers[] = {0.1, 1.0 / 3, 1e-300, 123456789.123456789, -0.0, 5e-324, 1.7976931348623157e308, 42};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        tlwText text = {0};
        tlwAddJsonNumber(&text, numbers[i]);
        assert_true(strtod(text.data, NULL) == numbers[i]);
        tlwFreeText(&text);
    }
}

static tlwIndex makeIndex(int frames)
{
    tlwMessage message = {""};
    tlwIndex index = {.library = tlwCopyString("1.2.3"),
                      .scene_name = tlwCopyString("A \"scene\""),
                      .scene_hash = UINT64_C(0xfedcba9876543210),
                      .fps = 24,
                      .cell_size = 0.04,
                      .frame_start = 1,
                      .frame_end = 100,
                      .domain_min = {-1.2, 0, 0},
                      .domain_max = {1, 1, 1}};
    for (int i = 1; i <= frames; i++) {
        char entry[64];
        snprintf(entry, sizeof entry, "{\"frame\": %d, \"time\": %.17g}", i, (i - 1) / 24.0);
        assert_int_equal(tlwAddIndexFrame(&index, i, entry, &message), TLW_OK);
    }
    return index;
}

static void test_index_comes_back(void **state)
{
    (void)state;
    tlwMessage message = {""};
    tlwIndex index = makeIndex(30), back;
    assert_int_equal(tlwWriteIndex(&index, folder, &message), TLW_OK);
    assert_int_equal(tlwReadIndex(context, folder, &back), TLW_OK);
    assert_string_equal(back.scene_name, "A \"scene\"");
    assert_true(back.scene_hash == index.scene_hash && back.cell_size == 0.04 && back.domain_min.x == -1.2);
    assert_int_equal(back.frame_count, 30);
    assert_true(tlwHasIndexFrame(&back, 30) && !tlwHasIndexFrame(&back, 31) && !tlwHasIndexFrame(&back, 0));
    tlwCutIndex(&back, 12);
    assert_int_equal(back.frame_count, 12);
    assert_true(tlwHasIndexFrame(&back, 12) && !tlwHasIndexFrame(&back, 13));
    tlwFreeIndex(&back);
    tlwFreeIndex(&index);
}

static bool describedAsMelted(const char *entry)
{
    tlwMessage message = {""};
    tlwIndex index = makeIndex(0);
    assert_int_equal(tlwAddIndexFrame(&index, 1, entry, &message), TLW_OK);
    assert_int_equal(tlwWriteIndex(&index, folder, &message), TLW_OK);
    tlwFreeIndex(&index);
    char text[4096];
    assert_int_equal(tlwDescribe(context, folder, text, sizeof text), TLW_OK);
    assert_non_null(strstr(text, "7 triangles"));
    return strstr(text, "40 % melted") != NULL;
}

static void test_only_what_can_melt_is_described_as_melted(void **state)
{
    (void)state;
    assert_true(describedAsMelted("{\"frame\": 1, \"triangles\": 7, \"melted\": 0.4}"));
    assert_false(describedAsMelted("{\"frame\": 1, \"triangles\": 7}"));
}

static void test_damaged_index_never_crashes(void **state)
{
    (void)state;
    tlwMessage message = {""};
    tlwIndex index = makeIndex(4), back;
    assert_int_equal(tlwReadIndex(context, folder, &back), TLW_BAD_FILE);
    assert_int_equal(tlwWriteIndex(&index, folder, &message), TLW_OK);
    tlwFreeIndex(&index);
    char path[PATH_MAX], text[4096];
    tlwGetIndexPath(folder, path);
    FILE *file = fopen(path, "rb");
    size_t size = fread(text, 1, sizeof text, file);
    fclose(file);
    for (size_t i = 0; i < size; i++) {
        writeText(folder, "bake.json", text, i);
        tlwResult result = tlwReadIndex(context, folder, &back);
        assert_true(result == TLW_BAD_FILE || i + 1 == size);
        tlwFreeIndex(&back);
        char kept = text[i];
        text[i] = (char)(kept ^ (1 << (i % 7)));
        writeText(folder, "bake.json", text, size);
        tlwReadIndex(context, folder, &back);
        tlwFreeIndex(&back);
        text[i] = kept;
    }
}

static void test_thousands_of_frames_are_cheap_to_list(void **state)
{
    (void)state;
    tlwMessage message = {""};
    tlwIndex index = makeIndex(5000), back;
    assert_int_equal(tlwWriteIndex(&index, folder, &message), TLW_OK);
    assert_int_equal(tlwReadIndex(context, folder, &back), TLW_OK);
    assert_int_equal(back.frame_count, 5000);
    tlwFreeIndex(&back);
    tlwFreeIndex(&index);
}

static bool isAbove3(const void *user, int frame)
{
    (void)user;
    return frame > 3;
}

static bool hasFile(const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return access(path, F_OK) == 0;
}

static void test_only_own_files_are_deleted(void **state)
{
    (void)state;
    tlwMessage message = {""};
    assert_int_equal(tlwMakeCacheFolders(folder, &message), TLW_OK);
    const char *kept[] = {"mesh/mesh_000003.ply",    "mesh/mesh_-00001.ply",     "mesh/notes.txt",
                          "mesh/mesh_4.ply",         "mesh/mesh_000004.ply.bak", "mesh/mesh_000004.obj",
                          "mesh/my_mesh_000004.ply", "mesh/mesh_000004x.ply",    "mesh/mesh_ 00004.ply",
                          "state/state_000009.tlw"};
    const char *gone[] = {"mesh/mesh_000004.ply", "mesh/mesh_1000000.ply", "mesh/mesh_000001.ply.tmp"};
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++)
        writeText(folder, kept[i], "x", 1);
    for (size_t i = 0; i < sizeof gone / sizeof gone[0]; i++)
        writeText(folder, gone[i], "x", 1);
    tlwDeleteCacheFiles(folder, TLW_CACHE_MESH, isAbove3, NULL);
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++)
        assert_true(hasFile(kept[i]));
    for (size_t i = 0; i < sizeof gone / sizeof gone[0]; i++)
        assert_false(hasFile(gone[i]));
    int *frames = NULL, count = 0;
    assert_int_equal(tlwListCacheFrames(folder, TLW_CACHE_MESH, &message, &frames, &count), TLW_OK);
    assert_int_equal(count, 2);
    assert_int_equal(frames[0], 3);
    assert_int_equal(frames[1], -1);
    tlwFree(frames);
}

static void test_folders_that_cannot_be_made_are_told(void **state)
{
    (void)state;
    tlwMessage message = {""};
    char path[512];
    writeText(folder, "file", "x", 1);
    snprintf(path, sizeof path, "%s/file", folder);
    assert_int_equal(tlwMakeCacheFolders(path, &message), TLW_WRITE_FAILED);
    assert_non_null(strstr(message.text, "file in the way"));
    snprintf(path, sizeof path, "%s/file/cache", folder);
    assert_int_equal(tlwMakeCacheFolders(path, &message), TLW_WRITE_FAILED);
    assert_int_equal(tlwMakeCacheFolders("/proc/cache", &message), TLW_WRITE_FAILED);
    assert_true(strlen(message.text) > 10);
    char *longer = malloc(PATH_MAX + 10);
    memset(longer, 'a', PATH_MAX + 9);
    longer[0] = '/';
    longer[PATH_MAX + 9] = 0;
    assert_int_equal(tlwMakeCacheFolders(longer, &message), TLW_WRITE_FAILED);
    free(longer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_json_is_valid_whatever_the_name, setUp, tearDown),
        cmocka_unit_test_setup_teardown(test_numbers_read_back_as_the_same_bits, setUp, tearDown),
        cmocka_unit_test_setup_teardown(test_index_comes_back, setUp, tearDown),
        cmocka_unit_test_setup_teardown(test_only_what_can_melt_is_described_as_melted, setUp, tearDown),
        cmocka_unit_test_setup_teardown(test_damaged_index_never_crashes, setUp, tearDown),
        cmocka_unit_test_setup_teardown(test_thousands_of_frames_are_cheap_to_list, setUp, tearDown),
        cmocka_unit_test_setup_teardown(test_only_own_files_are_deleted, setUp, tearDown),
        cmocka_unit_test_setup_teardown(test_folders_that_cannot_be_made_are_told, setUp, tearDown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
