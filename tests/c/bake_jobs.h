// Bakes of a small scene, each in a process of its own, as in life, and what they leave on the disk. Include after
// cmocka.h.
#ifndef TLW_TEST_BAKE_JOBS_H
#define TLW_TEST_BAKE_JOBS_H

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

static inline void getPath(char path[512], const char *name)
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

static inline void writeScene(const char *name, int last, double gravity, int every, const char *objects)
{
    char folder[512], text[4096];
    getPath(folder, name);
    mkdir(folder, 0777);
    writeCube(folder, "cube.ply", false);
    int size = snprintf(text, sizeof text, scene_text, last, gravity, every, objects);
    writeText(folder, "scene.json", text, (size_t)size);
}

static inline int setUp(void **state)
{
    (void)state;
    makeTemporaryFolder(root);
    writeScene("scene", 6, -9.81, 1, drop_text);
    return 0;
}

static inline int tearDown(void **state)
{
    (void)state;
    removeFolder(root);
    return 0;
}

typedef struct Job {
    const char *scene, *cache;
    int first, last;
    bool resume;
    int from;         // bake again from this frame on; 0 = no
    int cancel_after; // frames; 0 = never
    int die_after;    // frames: the process kills itself right after the event; 0 = never
    long file_limit;  // bytes a file may have; 0 = any
    FILE *events;
    int frames;
} Job;

static inline void onEvent(void *user, const char *json)
{
    Job *job = user;
    fprintf(job->events, "%s\n", json);
    fflush(job->events);
    job->frames += strstr(json, "\"event\": \"frame\"") != NULL;
    if (job->die_after && job->frames >= job->die_after)
        kill(getpid(), SIGKILL);
}

static inline bool isCancelled(void *user)
{
    Job *job = user;
    return job->cancel_after && job->frames >= job->cancel_after;
}

static inline void runJob(Job *job)
{
    char scene[512], cache[512], events[512];
    getPath(scene, job->scene ? job->scene : "scene");
    getPath(cache, job->cache ? job->cache : "cache");
    getPath(events, "events.txt");
    job->events = fopen(events, "w");
    alarm(1800); // a bake that hangs fails
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
    bake.frame_from = job->from;
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

static inline pid_t startJob(Job job)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        runJob(&job);
    assert_true(child > 0);
    return child;
}

// The tlwResult, or -1 when the process was killed.
static inline int endJob(pid_t child)
{
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static inline int bake(Job job)
{
    return endJob(startJob(job));
}

static inline char *readAll(const char *name, size_t *size)
{
    *size = 0;
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

static inline bool hasFile(const char *name)
{
    char path[512];
    getPath(path, name);
    return access(path, F_OK) == 0;
}

static inline bool eventsSay(const char *words)
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
static inline int countFrames(const char *cache, bool *finished)
{
    char name[200];
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
            char file[64], name[240];
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

#endif
