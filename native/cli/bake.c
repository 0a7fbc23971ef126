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
    printf("Frames %d to %d, %.0f liquid cells", show->first, show->last, getNumber(event, "cells"));
    if (cJSON_IsNumber(resume))
        printf(", going on after frame %.0f", resume->valuedouble);
    puts(".");
}

static void showFrame(Show *show, const cJSON *event)
{
    int frame = (int)getNumber(event, "frame");
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
        puts("Cancelled. Finished frames stay; --resume goes on.");
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

int tlwRunBake(tlwArgs *args)
{
    tlwBakeDef bake = tlwDefaultBakeDef();
    tlwContextDef def = tlwDefaultContextDef();
    Show show = {.json = tlwTakeFlag(args, "--json"), .terminal = isatty(STDOUT_FILENO)};
    bake.resume = tlwTakeFlag(args, "--resume");
    bake.cache = tlwTakeValue(args, "--out");
    const char *frames = tlwTakeValue(args, "--frames");
    bake.frame_from = tlwTakeInteger(args, "--from", -1000000, 1000000, 0);
    def.threads = tlwTakeInteger(args, "--threads", 0, 1024, 0);
    bake.scene = tlwTakeWord(args);
    if (!bake.scene || !bake.cache) {
        tlwComplain("bake needs a scene folder and --out with a cache folder.");
        args->bad = true;
    }
    if (frames && !parseFrames(frames, &bake.frame_first, &bake.frame_last)) {
        tlwComplain("--frames must be like 1-120, not \"%s\".", frames);
        args->bad = true;
    }
    if (!tlwCheckArgs(args, "bake"))
        return TLW_EXIT_USAGE;
    def.cancel = isInterrupted;
    bake.event = onEvent;
    bake.event_user = &show;
    tlwContext *context = NULL;
    if (tlwCreateContext(&def, &context) != TLW_OK) {
        tlwComplain("There is not enough memory to start.");
        return TLW_EXIT_ERROR;
    }
    catchSignals();
    tlwResult result = tlwBake(context, &bake);
    clearLine(&show);
    if (result != TLW_OK && result != TLW_CANCELLED)
        tlwComplain("%s", tlwGetMessage(context));
    tlwDestroyContext(context);
    return result == TLW_OK ? TLW_EXIT_OK : result == TLW_CANCELLED ? TLW_EXIT_CANCELLED : TLW_EXIT_ERROR;
}
