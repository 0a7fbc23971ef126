// Meshes the frames of a cache again, without simulating. A frame's file is replaced as a whole, so a cache that is
// left in between plays: some frames have the new mesh and some have the old one.
#include "step/views/mesh_again.h"

#include "base/clock.h"
#include "base/context.h"
#include "base/vec.h"
#include "cache/events.h"
#include "cache/folder.h"
#include "cache/index.h"
#include "scene/scene.h"
#include "shape/ply_compact.h"
#include "shape/ply_write.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#define TLW_MESH_COOKIE (0x7A11000B ^ TLW_ABI_VERSION)

typedef struct Again {
    tlwContext *context;
    const char *folder;
    tlwScene *scene;
    tlwIndex index;
    int lock; // of the folder; -1 = none
    int first, last;
    int done; // frames
    tlwEvents events;
    tlwAgainBuffers buffers;
} Again;

tlwMeshDef tlwDefaultMeshDef(void)
{
    return (tlwMeshDef){.cookie = TLW_MESH_COOKIE, .smoothing = -1};
}

static tlwResult openCache(Again *again, const tlwMeshDef *def)
{
    tlwContext *context = again->context;
    tlwMessage *message = &context->message;
    TLW_TRY(tlwLoadScene(context, def->scene, &again->scene));
    tlwSceneDef *scene = &again->scene->def;
    if (def->detail)
        scene->mesh_detail = def->detail;
    if (def->smoothing >= 0)
        scene->mesh_smoothing = def->smoothing;
    if (scene->mesh_detail < 1 || scene->mesh_detail > 2 || scene->mesh_smoothing > 20)
        return tlwFail(message, TLW_BAD_ARGUMENT, "Surface Detail is 1 or 2, and Surface Smoothing 0 to 20.");
    TLW_TRY(tlwLockCacheFolder(again->folder, message, &again->lock));
    TLW_TRY(tlwReadIndex(context, again->folder, &again->index));
    // The level sets have no other scale than the scene's.
    const tlwIndex *index = &again->index;
    bool same = fabs(index->cell_size - scene->cell_size) <= 1e-6 * scene->cell_size &&
                tlwLength(tlwSub(index->domain_min, scene->domain_min)) <= 1e-3 * scene->cell_size &&
                tlwLength(tlwSub(index->domain_max, scene->domain_max)) <= 1e-3 * scene->cell_size;
    if (!same)
        return tlwFail(message, TLW_BAD_ARGUMENT,
                       "This scene has another domain or other cells than the bake in %s: bake it again.",
                       again->folder);
    if (!index->frame_count)
        return tlwFail(message, TLW_BAD_ARGUMENT, "%s has no frames yet: bake first.", again->folder);
    again->first = def->frame_first ? def->frame_first : index->frames[0].frame;
    again->last = def->frame_last ? def->frame_last : index->frames[index->frame_count - 1].frame;
    return TLW_OK;
}

static bool isWanted(const Again *again, int n)
{
    return again->index.frames[n].frame >= again->first && again->index.frames[n].frame <= again->last;
}

static bool getFile(const Again *again, tlwCacheKind kind, int frame, char *path)
{
    return tlwGetCachePath(again->folder, kind, frame, path) && access(path, R_OK) == 0;
}

// Before anything is written: every wanted frame has what it is meshed from.
static tlwResult checkFiles(const Again *again, int *count)
{
    tlwMessage *message = &again->context->message;
    char path[PATH_MAX];
    *count = 0;
    for (int n = 0; n < again->index.frame_count; n++) {
        int frame = again->index.frames[n].frame;
        if (!isWanted(again, n))
            continue;
        (*count)++;
        if (!getFile(again, TLW_CACHE_SURFACE, frame, path))
            return tlwFail(message, TLW_BAD_FILE,
                           "Frame %d cannot be meshed again: it was baked without its volume. Bake once more with "
                           "OpenVDB Volumes turned on under Files.",
                           frame);
        if (!getFile(again, TLW_CACHE_MESH, frame, path))
            return tlwFail(message, TLW_BAD_FILE, "Frame %d has no mesh. Bake once more.", frame);
    }
    return *count ? TLW_OK
                  : tlwFail(message, TLW_BAD_ARGUMENT, "The bake has none of the frames %d to %d.", again->first,
                            again->last);
}

static tlwResult writeMesh(Again *again, const tlwVdbTiles *tiles, const char *path, double *gained, int *triangles)
{
    tlwMessage *message = &again->context->message;
    tlwPlySurface old;
    TLW_TRY(tlwReadPlySurface(path, message, &old));
    tlwSurfaceView view;
    double before = tlwGetMeshVolume(&old.mesh);
    tlwResult result = tlwMeshAgainFrom(again->context, again->scene, tiles, &old, &again->buffers, &view);
    if (result == TLW_OK)
        result = (again->scene->def.save_compact ? tlwWriteCompactSurface : tlwWritePlySurface)(path, &view, message);
    tlwFreePlySurface(&old);
    TLW_TRY(result);
    *gained = view.volume - before;
    *triangles = view.triangle_count;
    return TLW_OK;
}

static tlwResult meshFrame(Again *again, int n)
{
    tlwMessage *message = &again->context->message;
    int frame = again->index.frames[n].frame, triangles = 0;
    double gained = 0;
    char volume[PATH_MAX], mesh[PATH_MAX];
    if (!getFile(again, TLW_CACHE_SURFACE, frame, volume) || !getFile(again, TLW_CACHE_MESH, frame, mesh))
        return tlwFail(message, TLW_BAD_FILE, "A file of frame %d has gone.", frame);
    tlwVdbTiles tiles;
    TLW_TRY(tlwReadVdbTiles(volume, "surface", again->scene->dims, message, &tiles));
    tlwResult result = writeMesh(again, &tiles, mesh, &gained, &triangles);
    tlwFreeVdbTiles(&tiles);
    TLW_TRY(result);
    TLW_TRY(tlwChangeIndexFrame(&again->index, frame, "triangles", triangles, message));
    return tlwChangeIndexFrame(&again->index, frame, "mesh_volume",
                               tlwGetIndexNumber(&again->index, frame, "mesh_volume") + gained, message);
}

static tlwResult meshFrames(Again *again)
{
    for (int n = 0; n < again->index.frame_count; n++) {
        if (!isWanted(again, n))
            continue;
        if (tlwIsCancelled(again->context))
            return tlwFail(&again->context->message, TLW_CANCELLED, "Meshing was cancelled after %d frames.",
                           again->done);
        again->events.frame = again->index.frames[n].frame;
        TLW_TRY(meshFrame(again, n));
        again->done++;
        tlwSendFrame(&again->events, again->index.frames[n].entry);
    }
    return TLW_OK;
}

static tlwResult run(Again *again, const tlwMeshDef *def)
{
    double start = tlwGetClock();
    int count;
    TLW_TRY(openCache(again, def));
    TLW_TRY(checkFiles(again, &count));
    tlwSendStart(&again->events, again->first, again->last, false, 0, 0);
    tlwResult result = meshFrames(again);
    tlwMessage message = again->context->message;
    tlwResult written = tlwWriteIndex(&again->index, again->folder, &again->context->message);
    if (result != TLW_OK) {
        again->context->message = message;
        return result;
    }
    TLW_TRY(written);
    tlwSendDone(&again->events, count, tlwGetClock() - start);
    return TLW_OK;
}

tlwResult tlwMeshAgain(tlwContext *context, const tlwMeshDef *def)
{
    if (!context)
        return TLW_BAD_ARGUMENT;
    if (!def || def->cookie != TLW_MESH_COOKIE)
        return tlwFail(&context->message, TLW_BAD_ARGUMENT,
                       "This was not made by tlwDefaultMeshDef of this version of Tallow.");
    if (!def->scene || !def->scene[0] || !def->cache || !def->cache[0])
        return tlwFail(&context->message, TLW_BAD_ARGUMENT, "Meshing needs a scene folder and a cache folder.");
    Again again = {.context = context, .folder = def->cache, .lock = -1};
    tlwBeginEvents(&again.events, context, def->event, def->event_user);
    tlwResult result = run(&again, def);
    if (result == TLW_CANCELLED)
        tlwSendCancelled(&again.events, again.done > 0, again.events.frame);
    else if (result != TLW_OK)
        tlwSendError(&again.events, result, context->message.text);
    tlwFreeAgainBuffers(&again.buffers);
    tlwDestroyScene(again.scene);
    tlwFreeIndex(&again.index);
    tlwEndEvents(&again.events);
    if (again.lock >= 0)
        close(again.lock);
    return result;
}
