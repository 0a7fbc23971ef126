#include "cache/frame.h"

#include "base/file.h"
#include "cache/events.h"
#include "cache/folder.h"
#include "shape/ply.h"
#include "step/sim.h"

#include <limits.h>

static void addVec3(tlwText *text, const char *key, tlwVec3 v)
{
    tlwAddJsonNumbers(text, key, (const double[]){v.x, v.y, v.z}, 3);
}

static void addBody(tlwText *text, const char *name, const tlwBodyState *body)
{
    tlwAddText(text, "{");
    tlwAddJsonStringMember(text, "name", name);
    addVec3(text, "position", body->position);
    tlwQuat q = body->rotation;
    tlwAddJsonNumbers(text, "rotation", (const double[]){q.w, q.x, q.y, q.z}, 4);
    addVec3(text, "velocity", body->velocity);
    addVec3(text, "spin", body->spin);
    tlwAddJsonMember(text, "temperature", body->temperature);
    tlwAddText(text, "}");
}

static tlwResult writeRigid(const tlwSim *sim, const tlwScene *scene, int frame, const char *path)
{
    tlwMessage *message = &scene->context->message;
    tlwText text = {0};
    int count = 0;
    tlwAddText(&text, "{");
    tlwAddJsonMember(&text, "frame", frame);
    tlwAddText(&text, ", \"bodies\": [");
    tlwResult result = TLW_OK;
    for (int i = 0; i < scene->object_count && result == TLW_OK; i++) {
        tlwBodyState body;
        if (scene->objects[i].def.role != TLW_ROLE_RIGID)
            continue;
        result = tlwGetBody(sim, i, &body);
        tlwAddText(&text, count++ ? ",\n  " : "\n  ");
        if (result == TLW_OK)
            addBody(&text, scene->objects[i].def.name, &body);
    }
    tlwAddText(&text, "]}\n");
    if (result == TLW_OK && text.failed)
        result = tlwFailMemory(message, "the rigid bodies of a frame");
    tlwWriter *writer = NULL;
    if (result == TLW_OK && count > 0) {
        result = tlwBeginWrite(path, message, &writer);
        if (result == TLW_OK) {
            tlwWrite(writer, text.data, (size_t)text.size);
            result = tlwEndWrite(writer, message);
        }
    }
    tlwFreeText(&text);
    return result;
}

static void addEntry(tlwText *entry, int frame, double seconds, double writing, const tlwStats *stats,
                     const tlwSurfaceView *surface)
{
    tlwClearText(entry);
    tlwAddText(entry, "{");
    tlwAddJsonMember(entry, "frame", frame);
    tlwAddJsonMember(entry, "time", stats->time);
    tlwAddJsonSeconds(entry, "seconds", seconds + writing);
    tlwAddJsonMember(entry, "substeps", stats->substeps);
    tlwAddJsonMember(entry, "particles", (double)stats->particles);
    tlwAddJsonMember(entry, "cells", (double)stats->cells);
    tlwAddJsonMember(entry, "particle_volume", stats->particle_volume);
    tlwAddJsonMember(entry, "surface_volume", stats->surface_volume);
    tlwAddJsonMember(entry, "mesh_volume", surface->volume);
    tlwAddJsonMember(entry, "target_volume", stats->target_volume);
    tlwAddJsonMember(entry, "triangles", surface->triangle_count);
    tlwAddJsonMember(entry, "max_speed", stats->max_speed);
    tlwAddJsonMember(entry, "melted", stats->melted);
    tlwAddJsonMember(entry, "pressure_iterations", stats->pressure_iterations);
    tlwAddJsonMember(entry, "viscosity_iterations", stats->viscosity_iterations);
    tlwAddJsonMember(entry, "peak_memory", (double)stats->peak_memory);
    tlwAddText(entry, ", \"stages\": {");
    for (int i = 0; i < stats->stage_count && i < TLW_MAX_STAGES; i++)
        tlwAddJsonSeconds(entry, stats->stage_name[i], stats->stage_seconds[i]);
    tlwAddJsonSeconds(entry, "output", writing);
    tlwAddText(entry, "}}");
}

tlwResult tlwWriteFrame(tlwSim *sim, const tlwScene *scene, const char *folder, int frame, double seconds,
                        tlwText *entry)
{
    tlwMessage *message = &scene->context->message;
    double start = tlwGetClock();
    char path[PATH_MAX];
    tlwStats stats;
    tlwSurfaceView surface = {0};
    tlwGetStats(sim, &stats);
    // The path fits: tlwMakeCacheFolders has looked.
    if (scene->def.save_vdb && tlwGetCachePath(folder, TLW_CACHE_SURFACE, frame, path))
        TLW_TRY(tlwWriteSurfaceVdb(sim, path));
    if (scene->def.save_mesh && tlwGetCachePath(folder, TLW_CACHE_MESH, frame, path)) {
        TLW_TRY(tlwGetSurface(sim, &surface));
        TLW_TRY(tlwWritePlySurface(path, &surface, message));
    }
    if (scene->def.save_particles && tlwGetCachePath(folder, TLW_CACHE_PARTICLES, frame, path)) {
        tlwParticleView particles;
        TLW_TRY(tlwGetParticles(sim, &particles));
        TLW_TRY(tlwWritePlyParticles(path, &particles, message));
    }
    if (tlwGetCachePath(folder, TLW_CACHE_RIGID, frame, path))
        TLW_TRY(writeRigid(sim, scene, frame, path));
    addEntry(entry, frame, seconds, tlwGetClock() - start, &stats, &surface);
    return entry->failed ? tlwFailMemory(message, "a frame") : TLW_OK;
}
