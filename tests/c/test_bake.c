// Bakes from folder to folder: resumed ones are the same bit for bit, killed ones go on, refused ones say why.
// Every bake runs in a process of its own, as in life.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "folders.h"
#include "tallow/tallow.h"

#include <cjson/cJSON.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/wait.h>

#ifdef TLW_SANITIZED
int __lsan_do_recoverable_leak_check(void);
#endif

static char root[256];

static void getPath(char path[512], const char *name)
{
    snprintf(path, 512, "%s/%s", root, name);
}

static const char scene_text[] =
    "{\"format\": \"tallow-scene\", \"version\": 1, \"name\": \"Drop\", \"frames\": {\"start\": 1, \"end\": %d, "
    "\"fps\": 24},"
    " \"domain\": {\"min\": [-0.5, -0.5, -0.5], \"max\": [0.5, 0.5, 0.5], \"cell_size\": 0.1},"
    " \"world\": {\"gravity\": [0, 0, %g]}, \"output\": {\"checkpoint_every\": %d},"
    " \"materials\": [{\"name\": \"Water\"}],"
    " \"objects\": [%s]}";
static const char drop_text[] =
    "{\"name\": \"Drop\", \"role\": \"liquid\", \"mesh\": \"meshes/cube.ply\", \"material\": \"Water\","
    " \"keys\": [{\"time\": 0, \"scale\": [0.25, 0.25, 0.25]}]}";

static void writeScene(const char *name, int last, double gravity, int every, const char *objects)
{
    char folder[512], text[4096];
    getPath(folder, name);
    mkdir(folder, 0777);
    writeCube(folder, "cube.ply", false);
    int size = snprintf(text, sizeof text, scene_text, last, gravity, every, objects);
    writeText(folder, "scene.json", text, (size_t)size);
}

static int setUp(void **state)
{
    (void)state;
    makeTemporaryFolder(root);
    writeScene("scene", 6, -9.81, 1, drop_text);
    return 0;
}

static int tearDown(void **state)
{
    (void)state;
    removeFolder(root);
    return 0;
}

typedef struct Job {
    const char *scene, *cache;
    int first, last;
    bool resume;
    int cancel_after; // frames; 0 = never
    int die_after;    // frames: the process kills itself right after the event; 0 = never
    long file_limit;  // bytes a file may have; 0 = any
    FILE *events;
    int frames;
} Job;

static void onEvent(void *user, const char *json)
{
    Job *job = user;
    fprintf(job->events, "%s\n", json);
    fflush(job->events);
    job->frames += strstr(json, "\"event\": \"frame\"") != NULL;
    if (job->die_after && job->frames >= job->die_after)
        kill(getpid(), SIGKILL);
}

static bool isCancelled(void *user)
{
    Job *job = user;
    return job->cancel_after && job->frames >= job->cancel_after;
}

static void runJob(Job *job)
{
    char scene[512], cache[512], events[512];
    getPath(scene, job->scene ? job->scene : "scene");
    getPath(cache, job->cache ? job->cache : "cache");
    getPath(events, "events.txt");
    job->events = fopen(events, "w");
    alarm(200); // a bake that hangs fails
    if (job->file_limit) {
        struct rlimit limit = {(rlim_t)job->file_limit, (rlim_t)job->file_limit};
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &limit);
    }
    tlwContextDef def = tlwDefaultContextDef();
    def.threads = 1;
    def.cancel = isCancelled;
    def.user = job;
    tlwContext *context = NULL;
    if (tlwCreateContext(&def, &context) != TLW_OK)
        _exit(100);
    tlwBakeDef bake = tlwDefaultBakeDef();
    bake.scene = scene;
    bake.cache = cache;
    bake.frame_first = job->first;
    bake.frame_last = job->last;
    bake.resume = job->resume;
    bake.event = onEvent;
    bake.event_user = job;
    tlwResult result = tlwBake(context, &bake);
    tlwDestroyContext(context);
    fclose(job->events);
    fflush(NULL);
#ifdef TLW_SANITIZED
    if (__lsan_do_recoverable_leak_check())
        _exit(99);
#endif
    _exit((int)result); // a library behind OpenVDB waits at exit for threads that a forked process does not have
}

static pid_t startJob(Job job)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        runJob(&job);
    assert_true(child > 0);
    return child;
}

// The tlwResult, or -1 when the process was killed.
static int endJob(pid_t child)
{
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int bake(Job job)
{
    return endJob(startJob(job));
}

static char *readAll(const char *name, size_t *size)
{
    char path[512];
    getPath(path, name);
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char *data = malloc(*size + 1);
    assert_int_equal(fread(data, 1, *size, file), *size);
    data[*size] = 0;
    fclose(file);
    return data;
}

static bool hasFile(const char *name)
{
    char path[512];
    getPath(path, name);
    return access(path, F_OK) == 0;
}

static bool eventsSay(const char *words)
{
    size_t size;
    char *text = readAll("events.txt", &size);
    bool found = text && strstr(text, words);
    if (!found && text)
        printf("events do not say %s:\n%s", words, text);
    free(text);
    return found;
}

// Number of listed frames, or -1.
static int countFrames(const char *cache, bool *finished)
{
    char name[300];
    size_t size;
    snprintf(name, sizeof name, "%s/bake.json", cache);
    char *text = readAll(name, &size);
    cJSON *json = text ? cJSON_Parse(text) : NULL;
    int count = json ? cJSON_GetArraySize(cJSON_GetObjectItem(json, "frames")) : -1;
    if (json && finished)
        *finished = cJSON_IsTrue(cJSON_GetObjectItem(json, "finished"));
    cJSON_Delete(json);
    free(text);
    return count;
}

// Every mesh, particle and VDB file and the last checkpoint is the same.
static void expectSameCache(const char *a, const char *b, int last)
{
    static const char *const patterns[] = {"mesh/mesh_%06d.ply", "particles/particles_%06d.ply",
                                           "surface/surface_%06d.vdb", "state/state_%06d.tlw"};
    for (int kind = 0; kind < 4; kind++)
        for (int frame = kind == 3 ? last : 1; frame <= last; frame++) {
            char file[64], name[400];
            size_t size_a = 0, size_b = 1;
            snprintf(file, sizeof file, patterns[kind], frame);
            snprintf(name, sizeof name, "%s/%s", a, file);
            char *data_a = readAll(name, &size_a);
            snprintf(name, sizeof name, "%s/%s", b, file);
            char *data_b = readAll(name, &size_b);
            assert_non_null(data_a);
            assert_non_null(data_b);
            assert_int_equal(size_a, size_b);
            assert_memory_equal(data_a, data_b, size_a);
            free(data_a);
            free(data_b);
        }
}

static void test_bake_writes_every_frame_and_lists_it(void **state)
{
    (void)state;
    assert_int_equal(bake((Job){0}), TLW_OK);
    bool finished = false;
    assert_int_equal(countFrames("cache", &finished), 6);
    assert_true(finished);
    assert_true(hasFile("cache/surface/surface_000006.vdb") && hasFile("cache/mesh/mesh_000001.ply"));
    assert_true(hasFile("cache/particles/particles_000006.ply"));
    assert_false(hasFile("cache/rigid/rigid_000001.json")); // there are none
    // The two newest checkpoints are kept.
    assert_true(hasFile("cache/state/state_000006.tlw") && hasFile("cache/state/state_000005.tlw"));
    assert_false(hasFile("cache/state/state_000004.tlw"));
    assert_true(eventsSay("{\"event\": \"start\", \"frames\": [1, 6], \"resume_from\": null"));
    assert_true(eventsSay("{\"event\": \"frame\", \"frame\": 6"));
    assert_true(eventsSay("{\"event\": \"done\", \"frames\": 6"));
    size_t size;
    char *text = readAll("events.txt", &size);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        cJSON *json = cJSON_Parse(line);
        assert_true(cJSON_IsObject(json));
        cJSON_Delete(json);
    }
    free(text);
}

static void test_resumed_bake_is_the_same_bit_for_bit(void **state)
{
    (void)state;
    assert_int_equal(bake((Job){.cache = "whole"}), TLW_OK);
    assert_int_equal(bake((Job){.last = 3}), TLW_OK);
    assert_int_equal(bake((Job){.resume = true}), TLW_OK);
    assert_true(eventsSay("\"resume_from\": 3"));
    assert_int_equal(countFrames("cache", NULL), 6);
    expectSameCache("whole", "cache", 6);
    // Once all is there, nothing is done again.
    assert_int_equal(bake((Job){.resume = true}), TLW_OK);
    assert_true(eventsSay("{\"event\": \"done\", \"frames\": 0"));
}

static void test_killed_bake_goes_on_bit_for_bit(void **state)
{
    (void)state;
    assert_int_equal(bake((Job){.cache = "whole"}), TLW_OK);
    for (int i = 1; i <= 3; i++)
        assert_int_equal(bake((Job){.resume = true, .die_after = 1 + i % 2}), -1);
    assert_int_equal(bake((Job){.resume = true}), TLW_OK);
    expectSameCache("whole", "cache", 6);
    // At any moment: the parent kills after a while that grows.
    bool ended = false;
    for (int wait = 1000; !ended; wait += wait / 3) {
        pid_t child = startJob((Job){.cache = "other", .resume = true});
        usleep((useconds_t)wait);
        kill(child, SIGKILL);
        int result = endJob(child);
        assert_true(result == -1 || result == TLW_OK);
        ended = result == TLW_OK;
    }
    assert_int_equal(countFrames("other", NULL), 6);
    expectSameCache("whole", "other", 6);
}

static void test_frames_after_the_checkpoint_are_baked_again(void **state)
{
    (void)state;
    assert_int_equal(bake((Job){.cache = "whole"}), TLW_OK);
    writeScene("scene", 6, -9.81, 3, drop_text);
    assert_int_equal(bake((Job){.die_after = 5}), -1); // checkpoints of frames 1 and 4
    assert_int_equal(countFrames("cache", NULL), 5);
    assert_int_equal(bake((Job){.resume = true}), TLW_OK);
    assert_true(eventsSay("\"resume_from\": 4"));
    assert_int_equal(countFrames("cache", NULL), 6);
    expectSameCache("whole", "cache", 6);
}

static void damage(const char *name, bool cut)
{
    char path[512];
    size_t size;
    getPath(path, name);
    char *data = readAll(name, &size);
    assert_non_null(data);
    data[size / 2] ^= 4;
    FILE *file = fopen(path, "wb");
    fwrite(data, 1, cut ? size / 2 : size, file);
    fclose(file);
    free(data);
}

static void test_damaged_checkpoint_falls_back_on_the_older(void **state)
{
    (void)state;
    assert_int_equal(bake((Job){.cache = "whole"}), TLW_OK);
    for (int cut = 0; cut < 2; cut++) {
        assert_int_equal(bake((Job){.last = 4}), TLW_OK);
        damage("cache/state/state_000004.tlw", cut);
        assert_int_equal(bake((Job){.resume = true}), TLW_OK);
        assert_true(eventsSay("is damaged"));
        assert_true(eventsSay("\"resume_from\": 3"));
        expectSameCache("whole", "cache", 6);
    }
    // None left: from the start.
    assert_int_equal(bake((Job){.last = 4}), TLW_OK);
    damage("cache/state/state_000004.tlw", true);
    damage("cache/state/state_000003.tlw", true);
    assert_int_equal(bake((Job){.resume = true}), TLW_OK);
    assert_true(eventsSay("No usable checkpoint"));
    expectSameCache("whole", "cache", 6);
}

static void test_damaged_list_starts_again(void **state)
{
    (void)state;
    assert_int_equal(bake((Job){.last = 3}), TLW_OK);
    damage("cache/bake.json", true);
    assert_int_equal(bake((Job){.resume = true}), TLW_OK);
    assert_true(eventsSay("\"resume_from\": null"));
    assert_int_equal(countFrames("cache", NULL), 6);
}

static void test_changed_scene_is_baked_again_and_a_longer_one_goes_on(void **state)
{
    (void)state;
    assert_int_equal(bake((Job){.last = 3}), TLW_OK);
    writeScene("scene", 7, -9.81, 2, drop_text); // longer, other checkpoints
    assert_int_equal(bake((Job){.resume = true}), TLW_OK);
    assert_true(eventsSay("\"resume_from\": 3"));
    assert_int_equal(countFrames("cache", NULL), 7);
    writeScene("scene", 3, -5, 1, drop_text);
    assert_int_equal(bake((Job){.resume = true}), TLW_OK);
    assert_true(eventsSay("The scene has changed"));
    assert_true(eventsSay("\"resume_from\": null"));
    assert_int_equal(countFrames("cache", NULL), 3);
    assert_false(hasFile("cache/mesh/mesh_000004.ply")); // of the old scene
}

static void test_cancelled_bake_keeps_its_frames(void **state)
{
    (void)state;
    assert_int_equal(bake((Job){.cache = "whole"}), TLW_OK);
    assert_int_equal(bake((Job){.cancel_after = 3}), TLW_CANCELLED);
    // When frame 3 is told to be on the disk, frame 4 has been simulated and is being written: it is kept too.
    assert_true(eventsSay("{\"event\": \"cancelled\", \"last_frame\": 4}"));
    bool finished = true;
    assert_int_equal(countFrames("cache", &finished), 4);
    assert_false(finished);
    assert_int_equal(bake((Job){.resume = true}), TLW_OK);
    expectSameCache("whole", "cache", 6);
}

static void test_only_the_frames_asked_for_are_written(void **state)
{
    (void)state;
    assert_int_equal(bake((Job){.cache = "whole"}), TLW_OK);
    assert_int_equal(bake((Job){.first = 4, .last = 5}), TLW_OK);
    assert_int_equal(countFrames("cache", NULL), 2);
    assert_false(hasFile("cache/mesh/mesh_000003.ply"));
    size_t a, b;
    char *x = readAll("cache/mesh/mesh_000005.ply", &a), *y = readAll("whole/mesh/mesh_000005.ply", &b);
    assert_true(x && y && a == b && !memcmp(x, y, a));
    free(x);
    free(y);
}

static void test_foreign_files_stay(void **state)
{
    (void)state;
    assert_int_equal(bake((Job){.last = 2}), TLW_OK);
    writeText(root, "cache/notes.txt", "x", 1);
    writeText(root, "cache/mesh/mesh_final.ply", "x", 1);
    writeText(root, "cache/mesh/mesh_000005.ply", "x", 1);
    assert_int_equal(bake((Job){.last = 1}), TLW_OK);
    assert_true(hasFile("cache/notes.txt") && hasFile("cache/mesh/mesh_final.ply"));
    assert_false(hasFile("cache/mesh/mesh_000005.ply") || hasFile("cache/mesh/mesh_000002.ply"));
}

static void test_what_cannot_be_baked_is_told_in_a_sentence(void **state)
{
    (void)state;
    assert_int_equal(bake((Job){.scene = "nowhere"}), TLW_BAD_FILE);
    assert_true(eventsSay("scene.json does not exist"));
    assert_int_equal(bake((Job){.cache = "scene/scene.json"}), TLW_WRITE_FAILED);
    assert_true(eventsSay("file in the way"));
    assert_int_equal(bake((Job){.cache = "scene/scene.json/cache"}), TLW_WRITE_FAILED);
    assert_int_equal(bake((Job){.cache = "../../../../../../../../proc/tallow"}), TLW_WRITE_FAILED);
    assert_int_equal(bake((Job){.first = 5, .last = 2}), TLW_BAD_ARGUMENT);
    assert_int_equal(bake((Job){.first = -5, .last = 2}), TLW_BAD_ARGUMENT);
    assert_true(eventsSay("the scene starts at frame 1"));
    writeScene("dry", 3, -9.81, 1, "");
    assert_int_equal(bake((Job){.scene = "dry", .cache = "none"}), TLW_BAD_ARGUMENT);
    assert_true(eventsSay("\"result\": \"TLW_BAD_ARGUMENT\""));
    assert_true(eventsSay("no liquid"));
    assert_false(hasFile("none"));
}

static const char second_text[] = "{\"name\": \"Cream\", \"role\": \"%s\", \"mesh\": \"meshes/cube.ply\", "
                                  "\"material\": \"Water\", \"keys\": [{\"time\": 0, \"position\": [0, 0, %g], "
                                  "\"scale\": [0.25, 0.25, %g], \"temperature\": %g}]}";

// Bakes the drop, at 293.15 K, and a second object; whether the events say the words.
static bool secondSays(const char *role, double height, double thickness, double temperature, const char *words)
{
    char second[600], objects[1200];
    snprintf(second, sizeof second, second_text, role, height, thickness, temperature);
    snprintf(objects, sizeof objects, "%s, %s", drop_text, second);
    writeScene("two", 1, -9.81, 1, objects);
    assert_int_equal(bake((Job){.scene = "two", .cache = "two_cache"}), TLW_OK);
    return eventsSay(words);
}

static void test_liquids_in_one_place_are_named(void **state)
{
    (void)state;
    assert_true(secondSays("liquid", 0.125, 0.25, 350, "Drop and Cream overlap: where both are there is only Drop"));
    assert_true(eventsSay("Cream loses 75 %"));
    assert_false(secondSays("liquid", 0.125, 0.25, 293.15, "overlap")); // one liquid in two meshes
    assert_false(secondSays("liquid", 0.5, 0.25, 350, "overlap"));      // they touch
}

static void test_inflow_thinner_than_a_cell_is_named(void **state)
{
    (void)state;
    assert_true(secondSays("inflow", 0.375, 0.04, 293.15, "Cream is 0.08 m thin, less than a cell (0.1 m)"));
    assert_false(secondSays("inflow", 0.375, 0.06, 293.15, "thin"));
}

static void test_water_has_no_melted_share(void **state)
{
    (void)state;
    size_t size;
    assert_int_equal(bake((Job){.last = 1}), TLW_OK);
    char *text = readAll("cache/bake.json", &size);
    assert_non_null(strstr(text, "\"max_speed\""));
    assert_null(strstr(text, "melted"));
    free(text);
}

static void test_full_disk_is_told_and_leaves_a_good_cache(void **state)
{
    (void)state;
    assert_int_equal(bake((Job){.cache = "whole"}), TLW_OK);
    assert_int_equal(bake((Job){.last = 2}), TLW_OK);
    assert_int_equal(bake((Job){.resume = true, .file_limit = 4000}), TLW_WRITE_FAILED);
    assert_true(eventsSay("could not be written"));
    assert_int_equal(countFrames("cache", NULL), 2);
    assert_int_equal(bake((Job){.resume = true}), TLW_OK);
    expectSameCache("whole", "cache", 6);
}

static void test_two_bakes_do_not_share_a_folder(void **state)
{
    (void)state;
    char path[512];
    getPath(path, "cache");
    mkdir(path, 0777);
    int fd = open(path, O_RDONLY | O_DIRECTORY);
    assert_int_equal(flock(fd, LOCK_EX | LOCK_NB), 0);
    assert_int_equal(bake((Job){0}), TLW_WRITE_FAILED);
    assert_true(eventsSay("Another bake"));
    close(fd);
    assert_int_equal(bake((Job){.last = 1}), TLW_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_bake_writes_every_frame_and_lists_it, setUp, tearDown),
        cmocka_unit_test_setup_teardown(test_resumed_bake_is_the_same_bit_for_bit, setUp, tearDown),
        cmocka_unit_test_setup_teardown(test_killed_bake_goes_on_bit_for_bit, setUp, tearDown),
        cmocka_unit_test_setup_teardown(test_frames_after_the_checkpoint_are_baked_again, setUp, tearDown),
        cmocka_unit_test_setup_teardown(test_damaged_checkpoint_falls_back_on_the_older, setUp, tearDown),
        cmocka_unit_test_setup_teardown(test_damaged_list_starts_again, setUp, tearDown),
        cmocka_unit_test_setup_teardown(test_changed_scene_is_baked_again_and_a_longer_one_goes_on, setUp, tearDown),
        cmocka_unit_test_setup_teardown(test_cancelled_bake_keeps_its_frames, setUp, tearDown),
        cmocka_unit_test_setup_teardown(test_only_the_frames_asked_for_are_written, setUp, tearDown),
        cmocka_unit_test_setup_teardown(test_foreign_files_stay, setUp, tearDown),
        cmocka_unit_test_setup_teardown(test_what_cannot_be_baked_is_told_in_a_sentence, setUp, tearDown),
        cmocka_unit_test_setup_teardown(test_liquids_in_one_place_are_named, setUp, tearDown),
        cmocka_unit_test_setup_teardown(test_inflow_thinner_than_a_cell_is_named, setUp, tearDown),
        cmocka_unit_test_setup_teardown(test_water_has_no_melted_share, setUp, tearDown),
        cmocka_unit_test_setup_teardown(test_full_disk_is_told_and_leaves_a_good_cache, setUp, tearDown),
        cmocka_unit_test_setup_teardown(test_two_bakes_do_not_share_a_folder, setUp, tearDown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
