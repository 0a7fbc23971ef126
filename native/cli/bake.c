// `tallow bake` and `tallow mesh`: both go through the frames of a cache and say how far they are.
#include "cli.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Set by the signal handler. Global, because a handler gets no context.
static volatile sig_atomic_t interrupted;

typedef struct Show {
    bool json, terminal;
    bool meshing;   // nothing is simulated
    bool line_open; // the terminal shows a progress line without a line break
    int first, last;
    double spent; // s, of the frames so far
    int done;
} Show;

static void onSignal(int signal)
{
    (void)signal;
    interrupted = 1;
}

static bool isInterrupted(void *user)
{
    (void)user;
    return interrupted;
}

// A second Ctrl-C ends the process at once; the cache is safe at any moment.
static void catchSignals(void)
{
    struct sigaction action = {.sa_handler = onSignal, .sa_flags = (int)SA_RESETHAND};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

static double getNumber(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsNumber(item) ? item->valuedouble : 0;
}

static const char *getString(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsString(item) ? item->valuestring : "";
}

static void clearLine(Show *show)
{
    if (show->line_open)
        fputs("\r\033[K", stdout);
    show->line_open = false;
}

static void showStart(Show *show, const cJSON *event)
{
    const cJSON *frames = cJSON_GetObjectItemCaseSensitive(event, "frames");
    const cJSON *resume = cJSON_GetObjectItemCaseSensitive(event, "resume_from");
    if (cJSON_GetArraySize(frames) == 2) {
        show->first = (int)cJSON_GetArrayItem(frames, 0)->valuedouble;
        show->last = (int)cJSON_GetArrayItem(frames, 1)->valuedouble;
    }
    printf("Frames %d to %d", show->first, show->last);
    if (!show->meshing)
        printf(", %.0f liquid cells", getNumber(event, "cells"));
    if (cJSON_IsNumber(resume))
        printf(", going on after frame %.0f", resume->valuedouble);
    puts(".");
}

static void showFrame(Show *show, const cJSON *event)
{
    int frame = (int)getNumber(event, "frame");
    if (show->meshing) {
        printf("frame %d/%d: %.0f triangles, volume %.4g m3\n", frame, show->last, getNumber(event, "triangles"),
               getNumber(event, "mesh_volume"));
        return;
    }
    show->spent += getNumber(event, "seconds");
    show->done++;
    printf("frame %d/%d: %.2f s, %.0f substeps, %.0f particles, %.0f triangles, volume %.4g m3", frame, show->last,
           getNumber(event, "seconds"), getNumber(event, "substeps"), getNumber(event, "particles"),
           getNumber(event, "triangles"), getNumber(event, "particle_volume"));
    if (frame < show->last && show->done > 1)
        printf(", %.0f s left", ceil(show->spent / show->done * (show->last - frame)));
    puts("");
}

static void showProgress(Show *show, const cJSON *event)
{
    if (!show->terminal)
        return;
    printf("\r\033[Kframe %.0f/%d: %3.0f %% %s", getNumber(event, "frame"), show->last, 100 * getNumber(event, "done"),
           getString(event, "stage"));
    show->line_open = true;
}

static void onEvent(void *user, const char *line)
{
    Show *show = user;
    if (show->json) {
        puts(line);
        fflush(stdout);
        return;
    }
    cJSON *event = cJSON_Parse(line);
    const char *kind = getString(event, "event");
    if (strcmp(kind, "progress"))
        clearLine(show);
    if (!strcmp(kind, "start"))
        showStart(show, event);
    else if (!strcmp(kind, "progress"))
        showProgress(show, event);
    else if (!strcmp(kind, "frame"))
        showFrame(show, event);
    else if (!strcmp(kind, "log"))
        printf("%s: %s\n", getString(event, "level"), getString(event, "text"));
    else if (!strcmp(kind, "done"))
        printf("Done: %.0f frames in %.1f s.\n", getNumber(event, "frames"), getNumber(event, "seconds"));
    else if (!strcmp(kind, "cancelled"))
        puts(show->meshing ? "Cancelled. The frames so far have the new mesh."
                           : "Cancelled. Finished frames stay; --resume goes on.");
    fflush(stdout);
    cJSON_Delete(event);
}

static bool parseFrames(const char *text, int *first, int *last)
{
    char *end;
    long a = strtol(text, &end, 10), b;
    if (end == text)
        return false;
    if (*end == '-') {
        const char *second = end + 1;
        b = strtol(second, &end, 10);
        if (end == second)
            return false;
    } else {
        b = a;
    }
    *first = (int)a;
    *last = (int)b;
    return !*end && a >= -1000000 && a <= b && b <= 1000000;
}

// What the command does between making and destroying a context.
typedef tlwResult Job(tlwContext *context, const void *def);

static tlwResult runBake(tlwContext *context, const void *def)
{
    return tlwBake(context, def);
}

static tlwResult runMesh(tlwContext *context, const void *def)
{
    return tlwMeshAgain(context, def);
}

static int runJob(int threads, Show *show, Job *job, const void *job_def)
{
    tlwContextDef def = tlwDefaultContextDef();
    def.threads = threads;
    def.cancel = isInterrupted;
    tlwContext *context = NULL;
    if (tlwCreateContext(&def, &context) != TLW_OK) {
        tlwComplain("There is not enough memory to start.");
        return TLW_EXIT_ERROR;
    }
    catchSignals();
    tlwResult result = job(context, job_def);
    clearLine(show);
    if (result != TLW_OK && result != TLW_CANCELLED)
        tlwComplain("%s", tlwGetMessage(context));
    tlwDestroyContext(context);
    return result == TLW_OK ? TLW_EXIT_OK : result == TLW_CANCELLED ? TLW_EXIT_CANCELLED : TLW_EXIT_ERROR;
}

// Folders and frames, which both commands take. Complains about what is wrong.
static void takeCommon(tlwArgs *args, const char *command, const char **scene, const char **cache, int frames[2])
{
    *cache = tlwTakeValue(args, "--out");
    const char *range = tlwTakeValue(args, "--frames");
    *scene = tlwTakeWord(args);
    if (!*scene || !*cache) {
        tlwComplain("%s needs a scene folder and --out with a cache folder.", command);
        args->bad = true;
    }
    if (range && !parseFrames(range, &frames[0], &frames[1])) {
        tlwComplain("--frames must be like 1-120, not \"%s\".", range);
        args->bad = true;
    }
}

int tlwRunBake(tlwArgs *args)
{
    tlwBakeDef bake = tlwDefaultBakeDef();
    Show show = {.json = tlwTakeFlag(args, "--json"), .terminal = isatty(STDOUT_FILENO)};
    int frames[2] = {0, 0};
    bake.resume = tlwTakeFlag(args, "--resume");
    bake.frame_from = tlwTakeInteger(args, "--from", -1000000, 1000000, 0);
    int threads = tlwTakeInteger(args, "--threads", 0, 1024, 0);
    takeCommon(args, "bake", &bake.scene, &bake.cache, frames);
    if (!tlwCheckArgs(args, "bake"))
        return TLW_EXIT_USAGE;
    bake.frame_first = frames[0];
    bake.frame_last = frames[1];
    bake.event = onEvent;
    bake.event_user = &show;
    return runJob(threads, &show, runBake, &bake);
}

int tlwRunMesh(tlwArgs *args)
{
    tlwMeshDef mesh = tlwDefaultMeshDef();
    Show show = {.json = tlwTakeFlag(args, "--json"), .terminal = isatty(STDOUT_FILENO), .meshing = true};
    int frames[2] = {0, 0};
    mesh.detail = tlwTakeInteger(args, "--detail", 1, 2, 0);
    mesh.smoothing = tlwTakeInteger(args, "--smoothing", 0, 20, -1);
    int threads = tlwTakeInteger(args, "--threads", 0, 1024, 0);
    takeCommon(args, "mesh", &mesh.scene, &mesh.cache, frames);
    if (!tlwCheckArgs(args, "mesh"))
        return TLW_EXIT_USAGE;
    mesh.frame_first = frames[0];
    mesh.frame_last = frames[1];
    mesh.event = onEvent;
    mesh.event_user = &show;
    return runJob(threads, &show, runMesh, &mesh);
}
