// `tallow info`: a scene folder, a cache folder or one of their files in words.
#include "base/context.h"
#include "base/memory.h"
#include "base/state.h"
#include "cache/folder.h"
#include "cache/index.h"
#include "cache/text.h"
#include "scene/hash.h"
#include "scene/role.h"
#include "scene/scene.h"
#include "shape/ply.h"
#include "shape/ply_read.h"
#include "shape/topology.h"
#include "shape/vdb_read.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static bool exists(const char *folder, const char *file)
{
    char path[PATH_MAX];
    struct stat info;
    return snprintf(path, sizeof path, "%s/%s", folder, file) < (int)sizeof path && stat(path, &info) == 0;
}

static void addMaterial(tlwText *text, const tlwMaterialDef *def)
{
    tlwAddFormat(text, "  material %s: ", def->name);
    if (def->latent_heat > 0)
        tlwAddFormat(text, "%g / %g kg/m3 solid / liquid, melts from %.1f to %.1f C with %g kJ/kg, ",
                     def->density_solid, def->density_liquid, def->solidus - 273.15, def->liquidus - 273.15,
                     def->latent_heat / 1000);
    else
        tlwAddFormat(text, "%g kg/m3, never freezes, ", def->density_liquid);
    int last = def->viscosity.count - 1;
    if (last == 0)
        tlwAddFormat(text, "viscosity %g Pa s\n", def->viscosity.value[0]);
    else
        tlwAddFormat(text, "viscosity %g Pa s at %.0f C to %g Pa s at %.0f C\n", def->viscosity.value[0],
                     def->viscosity.temperature[0] - 273.15, def->viscosity.value[last],
                     def->viscosity.temperature[last] - 273.15);
}

static void addObject(tlwText *text, const tlwScene *scene, const tlwObject *object)
{
    const tlwObjectDef *def = &object->def;
    tlwAddFormat(text, "  %s %s: %lld triangles, %d %s", tlwGetRoleName(def->role), def->name,
                 (long long)object->mesh.triangle_count, def->key_count, def->key_count == 1 ? "key" : "keys");
    if (tlwGetTraits(def)->has_material)
        tlwAddFormat(text, ", %s at %.1f C", scene->materials[def->material].def.name,
                     def->keys[0].temperature - 273.15);
    tlwAddText(text, def->deform ? ", deforming\n" : "\n");
}

static tlwResult describeScene(tlwContext *context, const char *folder, tlwText *text)
{
    tlwScene *scene = NULL;
    TLW_TRY(tlwLoadScene(context, folder, &scene));
    const tlwSceneDef *def = &scene->def;
    tlwAddFormat(text, "Scene %s: frames %d to %d at %g per second\n", def->name[0] ? def->name : "(no name)",
                 def->frame_start, def->frame_end, def->fps);
    if (def->world_key_count)
        tlwAddFormat(text, "  world with %d %s\n", def->world_key_count, def->world_key_count == 1 ? "key" : "keys");
    if (scene->retimed)
        tlwAddFormat(text, "  %g s of simulated time in %g s of the shot\n", tlwGetFrameTime(scene, def->frame_end),
                     (def->frame_end - def->frame_start) / def->fps);
    tlwAddFormat(text, "  domain of %d x %d x %d cells of %g m, from (%g, %g, %g) to (%g, %g, %g)\n", scene->dims[0],
                 scene->dims[1], scene->dims[2], def->cell_size, def->domain_min.x, def->domain_min.y,
                 def->domain_min.z, def->domain_max.x, def->domain_max.y, def->domain_max.z);
    for (int i = 0; i < scene->material_count; i++)
        addMaterial(text, &scene->materials[i].def);
    for (int i = 0; i < scene->object_count; i++)
        addObject(text, scene, &scene->objects[i]);
    for (int i = 0; i < scene->force_count; i++)
        tlwAddFormat(text, "  force %s\n", scene->forces[i].def.name);
    for (int i = 0; i < scene->joint_count; i++)
        tlwAddFormat(text, "  joint %s\n", scene->joints[i].def.name);
    tlwAddFormat(text, "  hash %016" PRIx64 "\n", tlwHashScene(scene, scene->def.frame_end));
    tlwDestroyScene(scene);
    return TLW_OK;
}

static double getNumber(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
    return cJSON_IsNumber(item) ? item->valuedouble : 0;
}

// Totals over all frames, and the statistics of the last frame in words.
static void addFrames(tlwText *text, const tlwIndex *index)
{
    double seconds = 0, memory = 0;
    for (int i = 0; i < index->frame_count; i++) {
        cJSON *entry = cJSON_Parse(index->frames[i].entry);
        seconds += getNumber(entry, "seconds");
        memory = fmax(memory, getNumber(entry, "peak_memory"));
        if (i == index->frame_count - 1) {
            tlwAddFormat(text, "  frame %d: %.0f particles, %.0f cells, %.0f triangles", index->frames[i].frame,
                         getNumber(entry, "particles"), getNumber(entry, "cells"), getNumber(entry, "triangles"));
            if (cJSON_HasObjectItem(entry, "melted")) // missing when no material can melt
                tlwAddFormat(text, ", %.0f %% melted", 100 * getNumber(entry, "melted"));
            tlwAddText(text, "\n");
            tlwAddFormat(text, "    volume %.6g m3 (particles), %.6g m3 (mesh), %.6g m3 expected; fastest %.3g m/s\n",
                         getNumber(entry, "particle_volume"), getNumber(entry, "mesh_volume"),
                         getNumber(entry, "target_volume"), getNumber(entry, "max_speed"));
        }
        cJSON_Delete(entry);
    }
    tlwAddFormat(text, "  baked in %.1f s, %.2f s per frame, with at most %.0f MB of memory\n", seconds,
                 seconds / index->frame_count, memory / 1e6);
}

static tlwResult describeCache(tlwContext *context, const char *folder, tlwText *text)
{
    tlwIndex index;
    TLW_TRY(tlwReadIndex(context, folder, &index));
    tlwAddFormat(text, "Cache of %s, baked by Tallow %s: ", index.scene_name[0] ? index.scene_name : "(no name)",
                 index.library);
    if (index.frame_count > 0)
        tlwAddFormat(text, "%d frames, %d to %d of %d to %d", index.frame_count, index.frames[0].frame,
                     index.frames[index.frame_count - 1].frame, index.frame_start, index.frame_end);
    else
        tlwAddFormat(text, "no frames yet of %d to %d", index.frame_start, index.frame_end);
    tlwAddFormat(text, " at %g per second, %s\n", index.fps, index.finished ? "finished" : "not finished");
    tlwAddFormat(text, "  cells of %g m, domain from (%g, %g, %g) to (%g, %g, %g)\n  scene hash %016" PRIx64 "\n",
                 index.cell_size, index.domain_min.x, index.domain_min.y, index.domain_min.z, index.domain_max.x,
                 index.domain_max.y, index.domain_max.z, index.scene_hash);
    static const char *const kinds[] = {"surface grids", "meshes", "particle files", "rigid body files", "checkpoints"};
    tlwResult result = TLW_OK;
    for (int kind = 0; kind < TLW_CACHE_KINDS && result == TLW_OK; kind++) {
        int *frames = NULL, count = 0;
        result = tlwListCacheFrames(folder, (tlwCacheKind)kind, &context->message, &frames, &count);
        if (count > 0)
            tlwAddFormat(text, "  %d %s\n", count, kinds[kind]);
        tlwFree(frames);
    }
    if (index.frame_count > 0)
        addFrames(text, &index);
    tlwFreeIndex(&index);
    return result;
}

static tlwResult describePly(tlwContext *context, const char *path, tlwText *text)
{
    tlwPlyInfo info;
    TLW_TRY(tlwInspectPly(path, &context->message, &info));
    if (info.faces == 0) {
        tlwAddFormat(text, "PLY file: %lld points%s\n", (long long)info.vertices,
                     info.has_velocity && info.has_temperature ? ", particles of a Tallow cache" : "");
        return TLW_OK;
    }
    tlwMesh mesh;
    TLW_TRY(tlwReadPlyMesh(path, &context->message, &mesh));
    tlwVec3 low, high;
    tlwGetMeshBounds(&mesh, &low, &high);
    tlwMeshCheck check;
    tlwResult result = tlwCheckMesh(&mesh, &context->message, &check);
    if (result == TLW_OK) {
        tlwAddFormat(text, "PLY file: %lld vertices, %lld faces%s\n", (long long)info.vertices, (long long)info.faces,
                     info.has_velocity && info.has_temperature ? ", surface of a Tallow cache" : "");
        tlwAddFormat(text, "  from (%g, %g, %g) to (%g, %g, %g), %s\n", low.x, low.y, low.z, high.x, high.y, high.z,
                     check.closed && check.oriented ? "closed" : "not closed");
        tlwAddFormat(text, "  area %g m2, volume %g m3\n", check.area, check.volume);
    }
    tlwDestroyMesh(&mesh);
    return result;
}

static tlwResult describeVdb(tlwContext *context, const char *path, tlwText *text)
{
    tlwVdbInfo infos[16];
    int count = 0;
    TLW_TRY(tlwInspectVdb(path, &context->message, infos, 16, &count));
    tlwAddFormat(text, "OpenVDB file: %d %s\n", count, count == 1 ? "grid" : "grids");
    for (int i = 0; i < count && i < 16; i++) {
        const tlwVdbInfo *grid = &infos[i];
        tlwAddFormat(text, "  %s (%s, %s): %lld active voxels of %g m, values %g to %g", grid->name, grid->type,
                     grid->kind, (long long)grid->active_voxels, grid->voxel_size, grid->minimum, grid->maximum);
        tlwAddFormat(text, grid->points ? ", %lld points\n" : "\n", (long long)grid->points);
    }
    return TLW_OK;
}

static tlwResult describeState(tlwContext *context, const char *path, tlwText *text)
{
    tlwStateReader *reader = NULL;
    TLW_TRY(tlwOpenState(path, &context->message, &reader));
    tlwStateHeader header = tlwGetStateHeader(reader);
    tlwAddFormat(text, "Checkpoint of frame %lld, scene hash %016" PRIx64 "\n", (long long)header.frame,
                 header.scene_hash);
    for (int i = 0; i < tlwGetSectionCount(reader); i++) {
        char name[TLW_SECTION_NAME];
        int64_t size = tlwGetSectionName(reader, i, name);
        tlwAddFormat(text, "  %s: %lld bytes\n", name, (long long)size);
    }
    tlwResult result = tlwVerifyState(reader, &context->message);
    if (result == TLW_OK)
        tlwAddText(text, "  every checksum is right\n");
    tlwCloseState(reader);
    return result;
}

static bool endsWith(const char *path, const char *end)
{
    size_t a = strlen(path), b = strlen(end);
    return a >= b && !strcmp(path + a - b, end);
}

static tlwResult describe(tlwContext *context, const char *path, tlwText *text)
{
    struct stat info;
    if (stat(path, &info) != 0)
        return tlwFail(&context->message, TLW_BAD_FILE, "%s does not exist.", path);
    if (S_ISDIR(info.st_mode) && exists(path, "scene.json"))
        return describeScene(context, path, text);
    if (S_ISDIR(info.st_mode) && exists(path, "bake.json"))
        return describeCache(context, path, text);
    if (S_ISDIR(info.st_mode))
        return tlwFail(&context->message, TLW_BAD_FILE, "%s is neither a scene folder nor a cache folder.", path);
    if (endsWith(path, ".ply"))
        return describePly(context, path, text);
    if (endsWith(path, ".vdb"))
        return describeVdb(context, path, text);
    if (endsWith(path, ".tlw"))
        return describeState(context, path, text);
    bool scene = endsWith(path, "scene.json"), cache = endsWith(path, "bake.json");
    if (!scene && !cache)
        return tlwFail(&context->message, TLW_BAD_FILE, "%s is not a file that Tallow knows.", path);
    char *folder = tlwCopyString(path);
    if (!folder)
        return tlwFailMemory(&context->message, "a path");
    char *slash = strrchr(folder, '/');
    if (slash)
        *slash = 0;
    const char *where = slash ? (slash == folder ? "/" : folder) : ".";
    tlwResult result = scene ? describeScene(context, where, text) : describeCache(context, where, text);
    tlwFree(folder);
    return result;
}

tlwResult tlwDescribe(tlwContext *context, const char *path, char *text, size_t size)
{
    if (!context)
        return TLW_BAD_ARGUMENT;
    if (!path || !text || size == 0)
        return tlwFail(&context->message, TLW_BAD_ARGUMENT, "Nothing was given to describe.");
    tlwText words = {0};
    tlwResult result = describe(context, path, &words);
    if (result == TLW_OK && words.failed)
        result = tlwFailMemory(&context->message, "a description");
    if (result == TLW_OK)
        snprintf(text, size, "%s", words.data ? words.data : "");
    tlwFreeText(&words);
    return result;
}
