#include "cache/frame.h"

#include "base/clock.h"
#include "base/context.h"
#include "base/file.h"
#include "cache/folder.h"
#include "scene/role.h"
#include "scene/scene.h"
#include "scene/world.h"
#include "shape/ply_compact.h"
#include "shape/ply_write.h"
#include "step/views/vdb.h"

#include <limits.h>
#include <math.h>

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

static void addPiece(tlwText *text, const tlwScene *scene, const tlwPieceState *piece)
{
    const char *holder = piece->object == -1 ? "" : piece->object < 0 ? "wall" : scene->objects[piece->object].def.name;
    tlwAddText(text, "{");
    tlwAddJsonMember(text, "id", piece->id);
    tlwAddJsonStringMember(text, "held_by", holder);
    addVec3(text, "position", piece->centre);
    tlwQuat q = piece->rotation;
    tlwAddJsonNumbers(text, "rotation", (const double[]){q.w, q.x, q.y, q.z}, 4);
    addVec3(text, "velocity", piece->velocity);
    addVec3(text, "spin", piece->spin);
    tlwAddJsonMember(text, "mass", piece->mass);
    tlwAddText(text, "}");
}

tlwResult tlwDescribeBodies(const tlwSim *sim, const tlwScene *scene, int frame, tlwText *text)
{
    tlwStats stats;
    tlwGetStats(sim, &stats);
    int count = 0, pieces = stats.pieces;
    tlwClearText(text);
    tlwAddText(text, "{");
    tlwAddJsonMember(text, "frame", frame);
    tlwAddText(text, ", \"bodies\": [");
    for (int i = 0; i < scene->object_count; i++) {
        tlwBodyState body;
        if (!tlwGetTraits(&scene->objects[i].def)->body)
            continue;
        TLW_TRY(tlwGetBody(sim, i, &body));
        tlwAddText(text, count++ ? ",\n  " : "\n  ");
        addBody(text, scene->objects[i].def.name, &body);
    }
    tlwAddText(text, "], \"pieces\": [");
    for (int n = 0; n < pieces; n++) {
        tlwPieceState piece;
        TLW_TRY(tlwGetPiece(sim, n, &piece));
        tlwAddText(text, n ? ",\n  " : "\n  ");
        addPiece(text, scene, &piece);
    }
    tlwAddText(text, "]}\n");
    if (!count && !pieces && !text->failed)
        tlwClearText(text);
    return text->failed ? tlwFailMemory(&scene->context->message, "the rigid bodies of a frame") : TLW_OK;
}

static tlwResult writeText(const char *path, const tlwText *text, tlwMessage *message)
{
    tlwWriter *writer = NULL;
    TLW_TRY(tlwBeginWrite(path, message, &writer));
    tlwWrite(writer, text->data, (size_t)text->size);
    return tlwEndWrite(writer, message);
}

static bool canMelt(const tlwScene *scene)
{
    for (int i = 0; i < scene->material_count; i++)
        if (scene->materials[i].melts)
            return true;
    return false;
}

// Kelvin, of all the material.
static void findTemperatures(const tlwFrameState *state, double *coldest, double *hottest)
{
    const tlwParticles *particles = state->particles;
    *coldest = INFINITY;
    *hottest = -INFINITY;
    for (int64_t n = 0; n < particles->count; n++) {
        const tlwMaterial *material = &state->scene->materials[particles->material[n]];
        double temperature = tlwGetTemperature(material, particles->enthalpy[n]);
        *coldest = fmin(*coldest, temperature);
        *hottest = fmax(*hottest, temperature);
    }
}

static void addEntry(tlwText *entry, int frame, const tlwFrameTimes *times, double writing, const tlwFrameState *state,
                     const tlwSurfaceView *surface)
{
    const tlwScene *scene = state->scene;
    const tlwStats *stats = state->stats;
    double coldest, hottest;
    findTemperatures(state, &coldest, &hottest);
    tlwClearText(entry);
    tlwAddText(entry, "{");
    tlwAddJsonMember(entry, "frame", frame);
    tlwAddJsonMember(entry, "time", stats->time);
    if (scene->retimed)
        tlwAddJsonMember(entry, "time_scale", tlwSampleWorld(scene, stats->time).time_scale);
    tlwAddJsonSeconds(entry, "seconds", times->seconds);
    tlwAddJsonSeconds(entry, "writing", writing);
    tlwAddJsonMember(entry, "substeps", stats->substeps);
    tlwAddJsonMember(entry, "particles", (double)stats->particles);
    tlwAddJsonMember(entry, "cells", (double)stats->cells);
    tlwAddJsonMember(entry, "particle_volume", stats->particle_volume);
    tlwAddJsonMember(entry, "surface_volume", stats->surface_volume);
    tlwAddJsonMember(entry, "mesh_volume", surface->volume);
    tlwAddJsonMember(entry, "target_volume", stats->target_volume);
    tlwAddJsonMember(entry, "triangles", surface->triangle_count);
    tlwAddJsonMember(entry, "max_speed", stats->max_speed);
    tlwAddJsonMember(entry, "kinetic_energy", stats->kinetic_energy);
    tlwAddJsonMember(entry, "enthalpy", stats->enthalpy);
    if (coldest <= hottest) {
        tlwAddJsonMember(entry, "coldest", coldest);
        tlwAddJsonMember(entry, "hottest", hottest);
    }
    if (canMelt(scene))
        tlwAddJsonMember(entry, "melted", stats->melted);
    tlwAddJsonMember(entry, "pressure_iterations", stats->pressure_iterations);
    tlwAddJsonMember(entry, "viscosity_iterations", stats->viscosity_iterations);
    tlwAddJsonMember(entry, "heat_iterations", stats->heat_iterations);
    tlwAddJsonMember(entry, "pressure_residual", stats->pressure_residual);
    tlwAddJsonMember(entry, "viscosity_residual", stats->viscosity_residual);
    tlwAddJsonMember(entry, "peak_memory", (double)stats->peak_memory);
    tlwAddText(entry, ", \"stages\": {");
    for (int i = 0; i < stats->stage_count && i < TLW_MAX_STAGES; i++)
        tlwAddJsonSeconds(entry, stats->stage_name[i], stats->stage_seconds[i]);
    tlwAddJsonSeconds(entry, "output", times->waited);
    tlwAddText(entry, "}}");
}

tlwResult tlwWriteFrame(const tlwFrameState *state, tlwFrameBuffers *buffers, const char *folder, int frame,
                        const tlwText *bodies, const tlwFrameTimes *times, tlwText *entry)
{
    const tlwSceneDef *def = &state->scene->def;
    tlwMessage *message = &state->context->message;
    double start = tlwGetClock();
    char path[PATH_MAX];
    tlwSurfaceView surface = {0};
    // The path fits: tlwMakeCacheFolders has checked its length.
    if (def->save_vdb && tlwGetCachePath(folder, TLW_CACHE_SURFACE, frame, path))
        TLW_TRY(tlwWriteSurfaceVdb(state, path));
    if (def->save_mesh && tlwGetCachePath(folder, TLW_CACHE_MESH, frame, path)) {
        TLW_TRY(tlwMakeSurface(state, &buffers->surface, &surface));
        TLW_TRY((def->save_compact ? tlwWriteCompactSurface : tlwWritePlySurface)(path, &surface, message));
    }
    if (def->save_particles && tlwGetCachePath(folder, TLW_CACHE_PARTICLES, frame, path)) {
        tlwParticleView particles;
        TLW_TRY(tlwListParticles(state, &buffers->particles, &particles));
        TLW_TRY((def->save_compact ? tlwWriteCompactParticles : tlwWritePlyParticles)(path, &particles, message));
    }
    if (bodies->size && tlwGetCachePath(folder, TLW_CACHE_RIGID, frame, path))
        TLW_TRY(writeText(path, bodies, message));
    addEntry(entry, frame, times, tlwGetClock() - start, state, &surface);
    return entry->failed ? tlwFailMemory(message, "a frame") : TLW_OK;
}

void tlwFreeFrameBuffers(tlwFrameBuffers *buffers)
{
    tlwFreeSurfaceBuffers(&buffers->surface);
    tlwFreeParticleBuffers(&buffers->particles);
}
