// Bakes a scene folder into a cache folder. If the process is killed at any moment, the next bake continues bit for
// bit: a frame's files and its checkpoint are on the disk before bake.json names the frame, and older checkpoints are
// deleted last. A frame is meshed and written while the next one is simulated.
#include "base/clock.h"
#include "base/context.h"
#include "base/memory.h"
#include "base/state.h"
#include "cache/events.h"
#include "cache/folder.h"
#include "cache/index.h"
#include "cache/output.h"
#include "scene/hash.h"
#include "scene/scene.h"
#include "scene/world.h"
#include "step/advance.h"
#include "step/checkpoint.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#define TLW_BAKE_COOKIE (0x7A110007 ^ TLW_ABI_VERSION)
#define KEPT_CHECKPOINTS 2 // the newest one may be damaged if the machine fails

typedef struct Bake {
    tlwContext *context;
    const char *folder;
    tlwScene *scene;
    tlwSim *sim;
    int first, last; // frames that are written
    int frame;       // the simulation's present frame
    bool resumed;
    int lock; // of the folder; -1 = none
    tlwIndex index;
    tlwEvents events;
    tlwOutput *output;
    int pending; // frame whose files are being written
    bool is_pending;
    bool checkpointed; // the pending frame has a checkpoint
} Bake;

tlwBakeDef tlwDefaultBakeDef(void)
{
    return (tlwBakeDef){.cookie = TLW_BAKE_COOKIE};
}

// Two bakes into one folder would mix their frames.
static tlwResult lockFolder(Bake *bake)
{
    bake->lock = open(bake->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (bake->lock >= 0 && flock(bake->lock, LOCK_EX | LOCK_NB) == 0)
        return TLW_OK;
    return tlwFail(&bake->context->message, TLW_WRITE_FAILED,
                   "Another bake is writing to %s; wait for it, cancel it or choose another folder.", bake->folder);
}

static tlwResult startIndex(Bake *bake)
{
    const tlwSceneDef *def = &bake->scene->def;
    tlwIndex *index = &bake->index;
    tlwFree(index->library);
    tlwFree(index->scene_name);
    index->library = tlwCopyString(tlwGetVersion());
    index->scene_name = tlwCopyString(def->name);
    if (!index->library || !index->scene_name)
        return tlwFailMemory(&bake->context->message, "the list of frames");
    index->scene_hash = tlwHashScene(bake->scene, bake->last);
    index->fps = def->fps;
    index->cell_size = def->cell_size;
    index->frame_start = def->frame_start;
    index->frame_end = bake->last;
    index->domain_min = def->domain_min;
    index->domain_max = def->domain_max;
    index->finished = false;
    return TLW_OK;
}

// Whether the cache has every wanted frame up to this one.
static bool isCovered(const Bake *bake, int frame)
{
    for (int f = bake->first; f <= frame; f++)
        if (!tlwHasIndexFrame(&bake->index, f))
            return false;
    return true;
}

static tlwResult tryCheckpoint(Bake *bake, int frame)
{
    tlwMessage *message = &bake->context->message;
    char path[PATH_MAX];
    if (!tlwGetCachePath(bake->folder, TLW_CACHE_STATE, frame, path))
        return TLW_BAD_FILE;
    tlwStateReader *reader = NULL;
    TLW_TRY(tlwOpenState(path, message, &reader));
    tlwStateHeader header = tlwGetStateHeader(reader);
    tlwCloseState(reader);
    if (header.scene_hash != tlwHashScene(bake->scene, frame) || header.frame != frame)
        return tlwFail(message, TLW_BAD_FILE, "The checkpoint of frame %d belongs to another scene.", frame);
    return tlwLoadState(bake->sim, path); // checks every checksum before it changes anything
}

static void startAnew(Bake *bake, const char *why)
{
    tlwLog(bake->context, TLW_LOG_WARNING, "%s since this cache was baked; it is baked again from the first frame.",
           why);
    tlwFreeIndex(&bake->index);
}

// Resume from the newest usable checkpoint of a listed frame. Without one, bake from the first frame.
static tlwResult resume(Bake *bake)
{
    tlwContext *context = bake->context;
    if (tlwReadIndex(context, bake->folder, &bake->index) != TLW_OK)
        return TLW_OK;
    // When the range got shorter, the scene lacks the keys up to the old end, so the index's hash cannot match. Then
    // the hashes of the checkpoints decide.
    bool is_same = bake->index.scene_hash == tlwHashScene(bake->scene, bake->index.frame_end);
    bool has_changed = !is_same && bake->index.frame_end <= bake->last;
    if (has_changed || strcmp(bake->index.library, tlwGetVersion())) {
        startAnew(bake, has_changed ? "The scene has changed" : "Tallow has changed");
        return TLW_OK;
    }
    if (is_same && isCovered(bake, bake->last)) {
        bake->frame = bake->last;
        bake->resumed = true;
        return TLW_OK;
    }
    int *frames = NULL, count = 0;
    TLW_TRY(tlwListCacheFrames(bake->folder, TLW_CACHE_STATE, &context->message, &frames, &count));
    for (int i = 0; i < count && !bake->resumed; i++) {
        if (frames[i] > bake->last || !tlwHasIndexFrame(&bake->index, frames[i]) || !isCovered(bake, frames[i]))
            continue;
        if (tryCheckpoint(bake, frames[i]) == TLW_OK) {
            bake->frame = frames[i];
            bake->resumed = true;
        } else {
            tlwLog(context, TLW_LOG_WARNING, "%s", context->message.text);
        }
    }
    tlwFree(frames);
    if (!bake->resumed && !is_same) {
        startAnew(bake, "The scene has changed");
    } else if (!bake->resumed) {
        if (bake->index.frame_count > 0)
            tlwLog(context, TLW_LOG_WARNING,
                   "No usable checkpoint was found; the bake starts again from the first frame.");
        tlwFreeIndex(&bake->index);
    }
    return TLW_OK;
}

// Go on from the last kept checkpoint up to a frame, although the scene has changed. Fails without touching the cache.
static tlwResult startFrom(Bake *bake, int from)
{
    tlwContext *context = bake->context;
    tlwMessage *message = &context->message;
    TLW_TRY(tlwReadIndex(context, bake->folder, &bake->index));
    if (strcmp(bake->index.library, tlwGetVersion()))
        return tlwFail(message, TLW_BAD_ARGUMENT,
                       "This cache was baked by Tallow %s, and this is %s: bake again from the start.",
                       bake->index.library, tlwGetVersion());
    int *frames = NULL, count = 0, first = 0;
    TLW_TRY(tlwListCacheFrames(bake->folder, TLW_CACHE_STATE, message, &frames, &count));
    tlwResult result = TLW_BAD_FILE;
    for (int i = 0; i < count && result == TLW_BAD_FILE; i++) { // newest first
        char path[PATH_MAX];
        if (!tlwHasIndexFrame(&bake->index, frames[i]) ||
            !tlwGetCachePath(bake->folder, TLW_CACHE_STATE, frames[i], path))
            continue;
        first = frames[i];
        if (frames[i] > from || frames[i] >= bake->last)
            continue;
        result = tlwLoadChangedState(bake->sim, path);
        bake->frame = frames[i];
    }
    bool none = count == 0 || first > from;
    tlwFree(frames);
    bake->resumed = result == TLW_OK;
    if (result == TLW_BAD_FILE && none)
        return tlwFail(message, TLW_BAD_ARGUMENT,
                       first > from
                           ? "No state is kept at or before frame %d; the first one is of frame %d. Bake from "
                             "there, or bake again from the start."
                           : "No state is kept up to frame %d. Bake again from the start, with Keep State Every "
                             "under Files.",
                       from, first);
    return result;
}

static bool isUnlisted(const void *user, int frame)
{
    return !tlwHasIndexFrame(user, frame);
}

// Cut the list before deleting files: if the process is killed in between, only unlisted files are left over.
static tlwResult clearAfter(Bake *bake)
{
    if (bake->resumed)
        tlwCutIndex(&bake->index, bake->frame);
    TLW_TRY(startIndex(bake));
    TLW_TRY(tlwWriteIndex(&bake->index, bake->folder, &bake->context->message));
    for (int kind = 0; kind < TLW_CACHE_KINDS; kind++)
        tlwDeleteCacheFiles(bake->folder, (tlwCacheKind)kind, isUnlisted, &bake->index);
    return TLW_OK;
}

typedef struct KeptFrames {
    int frames[KEPT_CHECKPOINTS];
    int count;
    int start, every; // the scene's keep_every
} KeptFrames;

static bool isKept(int frame, int start, int every)
{
    return every > 0 && (frame - start) % every == 0;
}

static bool isOldCheckpoint(const void *user, int frame)
{
    const KeptFrames *kept = user;
    for (int i = 0; i < kept->count; i++)
        if (kept->frames[i] == frame)
            return false;
    return !isKept(frame, kept->start, kept->every);
}

static tlwResult dropOldCheckpoints(Bake *bake)
{
    int *frames = NULL, count = 0;
    TLW_TRY(tlwListCacheFrames(bake->folder, TLW_CACHE_STATE, &bake->context->message, &frames, &count));
    const tlwSceneDef *def = &bake->scene->def;
    KeptFrames kept = {.count = count < KEPT_CHECKPOINTS ? count : KEPT_CHECKPOINTS,
                       .start = def->frame_start,
                       .every = def->keep_every};
    for (int i = 0; i < kept.count; i++)
        kept.frames[i] = frames[i];
    tlwFree(frames);
    tlwDeleteCacheFiles(bake->folder, TLW_CACHE_STATE, isOldCheckpoint, &kept);
    return TLW_OK;
}

// Wait for the frame that is being written, then name it in the list.
static tlwResult listPending(Bake *bake)
{
    if (!bake->is_pending)
        return TLW_OK;
    tlwMessage *message = &bake->context->message;
    const tlwText *entry;
    bake->is_pending = false;
    TLW_TRY(tlwFinishOutput(bake->output, &entry));
    TLW_TRY(tlwAddIndexFrame(&bake->index, bake->pending, entry->data, message));
    bake->index.finished = bake->pending == bake->last;
    TLW_TRY(tlwWriteIndex(&bake->index, bake->folder, message));
    if (bake->checkpointed)
        TLW_TRY(dropOldCheckpoints(bake));
    tlwSendFrame(&bake->events, entry->data);
    return TLW_OK;
}

// Hand the present frame to the writer and save its checkpoint. `start` is when the frame began.
static tlwResult finishFrame(Bake *bake, double start)
{
    if (bake->frame < bake->first)
        return TLW_OK;
    const tlwSceneDef *def = &bake->scene->def;
    double stepped = tlwGetClock();
    TLW_TRY(listPending(bake));
    double now = tlwGetClock();
    TLW_TRY(tlwStartOutput(bake->output, bake->sim, bake->frame, now - start, now - stepped));
    bake->pending = bake->frame;
    bake->is_pending = true;
    int every = def->checkpoint_every;
    bake->checkpointed = (every > 0 && ((bake->frame - def->frame_start) % every == 0 || bake->frame == bake->last)) ||
                         isKept(bake->frame, def->frame_start, def->keep_every);
    char path[PATH_MAX];
    if (bake->checkpointed && tlwGetCachePath(bake->folder, TLW_CACHE_STATE, bake->frame, path)) {
        tlwResult result = tlwSaveState(bake->sim, path);
        bake->is_pending = result == TLW_OK; // a frame without its checkpoint is not listed
        TLW_TRY(result);
    }
    return TLW_OK;
}

// Put "Frame 12: " before the message.
static tlwResult nameFrame(Bake *bake, tlwResult result)
{
    tlwMessage cause = bake->context->message;
    return tlwFail(&bake->context->message, result, "Frame %d: %s", bake->frame + 1, cause.text);
}

// From the last frame to the next.
static tlwResult advanceFrame(Bake *bake, double seconds)
{
    char path[PATH_MAX], name[32];
    bool saved = tlwGetCachePath(bake->folder, TLW_CACHE_STATE, bake->frame, path) && access(path, R_OK) == 0;
    snprintf(name, sizeof name, "Frame %d", bake->frame + 1);
    tlwResult result = tlwAdvanceFrame(bake->sim, seconds, saved ? path : NULL, name);
    return result == TLW_OK || result == TLW_CANCELLED ? result : nameFrame(bake, result);
}

static tlwResult simulateFrames(Bake *bake)
{
    if (!bake->resumed) {
        bake->frame = bake->scene->def.frame_start;
        bake->events.frame = bake->frame;
        TLW_TRY(finishFrame(bake, tlwGetClock()));
    }
    while (bake->frame < bake->last) {
        if (tlwIsCancelled(bake->context))
            return tlwFail(&bake->context->message, TLW_CANCELLED, "The bake was cancelled after frame %d.",
                           bake->frame);
        bake->events.frame = bake->frame + 1;
        double start = tlwGetClock();
        TLW_TRY(advanceFrame(bake, tlwGetFrameLength(bake->scene, bake->frame)));
        bake->frame++;
        TLW_TRY(finishFrame(bake, start));
    }
    return TLW_OK;
}

// Lists the frame that is still being written, even if the simulation failed.
static tlwResult runFrames(Bake *bake)
{
    tlwResult result = simulateFrames(bake);
    tlwMessage message = bake->context->message;
    tlwResult written = listPending(bake);
    if (result == TLW_OK)
        return written;
    bake->context->message = message;
    return result;
}

static tlwResult openScene(Bake *bake, const tlwBakeDef *def)
{
    tlwContext *context = bake->context;
    TLW_TRY(tlwLoadScene(context, def->scene, &bake->scene));
    const tlwSceneDef *scene = &bake->scene->def;
    bake->first = def->frame_first ? def->frame_first : scene->frame_start;
    bake->last = def->frame_last ? def->frame_last : scene->frame_end;
    if (bake->first < scene->frame_start || bake->last < bake->first)
        return tlwFail(&context->message, TLW_BAD_ARGUMENT,
                       "Frames %d to %d cannot be baked: the scene starts at frame %d and ends at frame %d.",
                       bake->first, bake->last, scene->frame_start, scene->frame_end);
    if (bake->scene->threads > 0 && context->def.threads == 0) {
        tlwThreads *threads = tlwCreateThreads(bake->scene->threads);
        if (!threads)
            return tlwFailMemory(&context->message, "the worker threads");
        tlwDestroyThreads(context->threads);
        context->threads = threads;
    }
    TLW_TRY(tlwCreateSim(bake->scene, &bake->sim));
    bake->output = tlwCreateOutput(bake->scene, bake->folder);
    return bake->output ? TLW_OK : tlwFailMemory(&context->message, "the bake");
}

static tlwResult runBake(Bake *bake, const tlwBakeDef *def)
{
    double start = tlwGetClock();
    TLW_TRY(openScene(bake, def));
    TLW_TRY(tlwMakeCacheFolders(bake->folder, &bake->context->message));
    TLW_TRY(lockFolder(bake));
    if (def->frame_from)
        TLW_TRY(startFrom(bake, def->frame_from));
    else if (def->resume)
        TLW_TRY(resume(bake));
    tlwStats stats;
    tlwGetStats(bake->sim, &stats);
    tlwSendStart(&bake->events, bake->first, bake->last, bake->resumed, bake->frame, stats.cells);
    int done_before = bake->frame;
    if (!bake->resumed || bake->frame < bake->last) {
        TLW_TRY(clearAfter(bake));
        TLW_TRY(runFrames(bake));
    }
    int frames = bake->last - (bake->resumed ? done_before : bake->first - 1);
    tlwSendDone(&bake->events, frames, tlwGetClock() - start);
    return TLW_OK;
}

tlwResult tlwBake(tlwContext *context, const tlwBakeDef *def)
{
    if (!context)
        return TLW_BAD_ARGUMENT;
    if (!def || def->cookie != TLW_BAKE_COOKIE)
        return tlwFail(&context->message, TLW_BAD_ARGUMENT,
                       "A bake was not made by tlwDefaultBakeDef of this version of Tallow.");
    if (!def->scene || !def->scene[0] || !def->cache || !def->cache[0])
        return tlwFail(&context->message, TLW_BAD_ARGUMENT, "A bake needs a scene folder and a cache folder.");
    Bake bake = {.context = context, .folder = def->cache, .lock = -1};
    tlwBeginEvents(&bake.events, context, def->event, def->event_user);
    tlwResult result = runBake(&bake, def);
    if (result == TLW_CANCELLED)
        tlwSendCancelled(&bake.events, bake.index.frame_count > 0, bake.frame);
    else if (result != TLW_OK)
        tlwSendError(&bake.events, result, context->message.text);
    tlwDestroyOutput(bake.output);
    tlwDestroySim(bake.sim);
    tlwDestroyScene(bake.scene);
    tlwFreeIndex(&bake.index);
    tlwEndEvents(&bake.events);
    if (bake.lock >= 0)
        close(bake.lock);
    return result;
}
