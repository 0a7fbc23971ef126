// Reads scene.json (docs/scene-format.md).

#include "base/context.h"
#include "base/memory.h"
#include "scene/load_material.h"
#include "scene/load_object.h"
#include "scene/scene.h"

#include <cjson/cJSON.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

static tlwResult readFrames(const tlwJson *root, tlwSceneDef *def)
{
    tlwJson frames = tlwGetMember(root, "frames");
    if (!frames.node)
        return TLW_OK;
    TLW_TRY(tlwCheckObject(&frames));
    tlwWarnUnknown(&frames, (const char *const[]){"start", "end", "fps", NULL});
    TLW_TRY(tlwReadInteger(&frames, "start", &def->frame_start));
    TLW_TRY(tlwReadInteger(&frames, "end", &def->frame_end));
    return tlwReadNumber(&frames, "fps", &def->fps);
}

static tlwResult readDomain(const tlwJson *root, tlwSceneDef *def)
{
    static const char *const sides[] = {"-x", "+x", "-y", "+y", "-z", "+z", NULL};
    static const char *const kinds[] = {"slip", "no_slip", "open", NULL};
    tlwJson domain = tlwGetMember(root, "domain");
    if (!domain.node)
        return TLW_OK;
    TLW_TRY(tlwCheckObject(&domain));
    tlwWarnUnknown(&domain, (const char *const[]){"min", "max", "cell_size", "walls", "wall_friction", NULL});
    TLW_TRY(tlwReadVec3(&domain, "min", &def->domain_min));
    TLW_TRY(tlwReadVec3(&domain, "max", &def->domain_max));
    TLW_TRY(tlwReadNumber(&domain, "cell_size", &def->cell_size));
    TLW_TRY(tlwReadNumber(&domain, "wall_friction", &def->wall_friction));
    tlwJson walls = tlwGetMember(&domain, "walls");
    if (!walls.node)
        return TLW_OK;
    TLW_TRY(tlwCheckObject(&walls));
    tlwWarnUnknown(&walls, sides);
    for (int i = 0; i < 6; i++) {
        int kind = (int)def->walls[i];
        TLW_TRY(tlwReadChoice(&walls, sides[i], kinds, &kind));
        def->walls[i] = (tlwWall)kind;
    }
    return TLW_OK;
}

static tlwResult readWorldValues(const tlwJson *world, tlwWorldKey *key)
{
    TLW_TRY(tlwReadVec3(world, "gravity", &key->gravity));
    TLW_TRY(tlwReadNumber(world, "ambient_temperature", &key->ambient_temperature));
    TLW_TRY(tlwReadNumber(world, "film_coefficient", &key->film_coefficient));
    TLW_TRY(tlwReadNumber(world, "emissivity", &key->emissivity));
    TLW_TRY(tlwReadNumber(world, "thermal_speed", &key->thermal_speed));
    return tlwReadNumber(world, "time_scale", &key->time_scale);
}

// `keys` becomes memory that the caller frees. A missing member repeats the key before; that of the first, the world.
static tlwResult readWorldKeys(const tlwJson *world, tlwWorldKey key, tlwSceneDef *def, tlwWorldKey **keys)
{
    tlwJson list = tlwGetMember(world, "keys");
    int count = 0;
    if (!list.node)
        return TLW_OK;
    TLW_TRY(tlwCheckList(&list, &count));
    *keys = tlwAlloc((size_t)count + 1, sizeof **keys);
    if (!*keys)
        return tlwFailMemory(&world->context->message, "the keys of the world");
    for (tlwJson item = tlwFirstItem(&list); item.node; tlwNextItem(&item)) {
        TLW_TRY(tlwCheckObject(&item));
        tlwWarnUnknown(&item, (const char *const[]){"time", "gravity", "ambient_temperature", "film_coefficient",
                                                    "emissivity", "thermal_speed", "time_scale", NULL});
        TLW_TRY(tlwReadNumber(&item, "time", &key.time));
        TLW_TRY(readWorldValues(&item, &key));
        (*keys)[item.index] = key;
    }
    def->world_keys = *keys;
    def->world_key_count = count;
    return TLW_OK;
}

static tlwResult readWorld(const tlwJson *root, tlwSceneDef *def, tlwWorldKey **keys)
{
    tlwJson world = tlwGetMember(root, "world");
    if (!world.node)
        return TLW_OK;
    TLW_TRY(tlwCheckObject(&world));
    tlwWarnUnknown(&world, (const char *const[]){"gravity", "ambient_temperature", "film_coefficient", "emissivity",
                                                 "thermal_speed", "time_scale", "keys", NULL});
    tlwWorldKey still = tlwDefaultWorldKey();
    TLW_TRY(readWorldValues(&world, &still));
    def->gravity = still.gravity;
    def->ambient_temperature = still.ambient_temperature;
    def->film_coefficient = still.film_coefficient;
    def->emissivity = still.emissivity;
    def->thermal_speed = still.thermal_speed;
    def->time_scale = still.time_scale;
    return readWorldKeys(&world, still, def, keys);
}

static tlwResult readSolver(const tlwJson *root, tlwSceneDef *def, int *threads)
{
    static const char *const transports[] = {"apic", "flip", "semi_lagrangian", "maccormack", "bfecc", NULL};
    static const char *const couplings[] = {"joint", "split", NULL};
    tlwJson solver = tlwGetMember(root, "solver");
    if (!solver.node)
        return TLW_OK;
    TLW_TRY(tlwCheckObject(&solver));
    tlwWarnUnknown(&solver, (const char *const[]){"transport", "coupling", "flip_blend", "particles_per_axis", "cfl",
                                                  "max_substeps", "pressure_tolerance", "viscosity_tolerance",
                                                  "max_iterations", "seed", "threads", NULL});
    int transport = (int)def->transport, coupling = (int)def->coupling;
    double seed = def->seed;
    TLW_TRY(tlwReadChoice(&solver, "transport", transports, &transport));
    TLW_TRY(tlwReadChoice(&solver, "coupling", couplings, &coupling));
    TLW_TRY(tlwReadNumber(&solver, "flip_blend", &def->flip_blend));
    TLW_TRY(tlwReadInteger(&solver, "particles_per_axis", &def->particles_per_axis));
    TLW_TRY(tlwReadNumber(&solver, "cfl", &def->cfl));
    TLW_TRY(tlwReadInteger(&solver, "max_substeps", &def->max_substeps));
    TLW_TRY(tlwReadNumber(&solver, "pressure_tolerance", &def->pressure_tolerance));
    TLW_TRY(tlwReadNumber(&solver, "viscosity_tolerance", &def->viscosity_tolerance));
    TLW_TRY(tlwReadInteger(&solver, "max_iterations", &def->max_iterations));
    TLW_TRY(tlwReadNumber(&solver, "seed", &seed));
    TLW_TRY(tlwReadInteger(&solver, "threads", threads));
    if (!(seed >= 0 && seed <= UINT32_MAX)) {
        tlwJson value = tlwGetMember(&solver, "seed");
        return tlwFailType(&value, "a whole number from 0 to 4294967295");
    }
    if (*threads < 0 || *threads > 1024) {
        tlwJson value = tlwGetMember(&solver, "threads");
        return tlwFailType(&value, "a whole number from 0 (one per core) to 1024");
    }
    def->transport = (tlwTransport)transport;
    def->coupling = (tlwCoupling)coupling;
    def->seed = (uint32_t)seed;
    return TLW_OK;
}

static tlwResult readOutput(const tlwJson *root, tlwSceneDef *def)
{
    tlwJson output = tlwGetMember(root, "output");
    if (!output.node)
        return TLW_OK;
    TLW_TRY(tlwCheckObject(&output));
    tlwWarnUnknown(&output,
                   (const char *const[]){"particles", "vdb", "mesh", "compact", "mesh_detail", "mesh_smoothing",
                                         "keep_detail", "checkpoint_every", "keep_every", NULL});
    TLW_TRY(tlwReadBool(&output, "particles", &def->save_particles));
    TLW_TRY(tlwReadBool(&output, "vdb", &def->save_vdb));
    TLW_TRY(tlwReadBool(&output, "mesh", &def->save_mesh));
    TLW_TRY(tlwReadBool(&output, "compact", &def->save_compact));
    TLW_TRY(tlwReadInteger(&output, "mesh_detail", &def->mesh_detail));
    TLW_TRY(tlwReadInteger(&output, "mesh_smoothing", &def->mesh_smoothing));
    TLW_TRY(tlwReadBool(&output, "keep_detail", &def->keep_detail));
    TLW_TRY(tlwReadInteger(&output, "keep_every", &def->keep_every));
    return tlwReadInteger(&output, "checkpoint_every", &def->checkpoint_every);
}

// Checks the file's format and reads every setting that is not a list.
static tlwResult readSettings(const tlwJson *root, tlwSceneDef *def, tlwWorldKey **keys, int *threads)
{
    TLW_TRY(tlwCheckObject(root));
    const char *format = "";
    int version = 0;
    TLW_TRY(tlwReadString(root, "format", &format));
    if (strcmp(format, "tallow-scene"))
        return tlwFail(&root->context->message, TLW_BAD_FILE,
                       "This file is not a Tallow scene: its format must be \"tallow-scene\".");
    TLW_TRY(tlwReadInteger(root, "version", &version));
    if (version != 1)
        return tlwFail(&root->context->message, TLW_BAD_FILE,
                       "The scene has version %d, but this Tallow reads version 1; export it again.", version);
    tlwWarnUnknown(root, (const char *const[]){"format", "version", "name", "frames", "domain", "world", "solver",
                                               "output", "materials", "objects", "forces", "joints", "display", NULL});
    TLW_TRY(tlwReadString(root, "name", &def->name));
    TLW_TRY(readFrames(root, def));
    TLW_TRY(readDomain(root, def));
    TLW_TRY(readWorld(root, def, keys));
    TLW_TRY(readSolver(root, def, threads));
    return readOutput(root, def);
}

static tlwResult readMaterials(const tlwJson *root, tlwScene *scene)
{
    tlwJson list = tlwGetMember(root, "materials");
    int count = 0;
    if (!list.node)
        return TLW_OK;
    TLW_TRY(tlwCheckList(&list, &count));
    for (tlwJson item = tlwFirstItem(&list); item.node; tlwNextItem(&item)) {
        tlwMaterialDef def = tlwDefaultMaterialDef();
        TLW_TRY(tlwReadMaterial(&item, &def));
        TLW_TRY(tlwAddMaterial(scene, &def, NULL));
    }
    return TLW_OK;
}

tlwResult tlwLoadScene(tlwContext *context, const char *folder, tlwScene **scene)
{
    if (!context)
        return TLW_BAD_ARGUMENT;
    if (!folder || !folder[0] || !scene)
        return tlwFail(&context->message, TLW_BAD_ARGUMENT, "No scene folder was given.");
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/scene.json", folder) >= (int)sizeof path)
        return tlwFail(&context->message, TLW_BAD_FILE, "The path of the scene folder is too long.");
    tlwJson root;
    TLW_TRY(tlwOpenJson(context, path, &root));
    tlwSceneDef def = tlwDefaultSceneDef();
    tlwScene *made = NULL;
    tlwWorldKey *world_keys = NULL;
    int threads = 0;
    tlwResult result = readSettings(&root, &def, &world_keys, &threads);
    if (result == TLW_OK)
        result = tlwCreateScene(context, &def, &made);
    tlwFree(world_keys);
    if (result == TLW_OK) {
        made->threads = threads;
        result = readMaterials(&root, made);
    }
    if (result == TLW_OK)
        result = tlwReadObjects(&root, folder, made);
    if (result == TLW_OK)
        result = tlwReadForces(&root, made);
    if (result == TLW_OK)
        result = tlwReadJoints(&root, made);
    tlwFreeJson(&root);
    if (result != TLW_OK) {
        tlwDestroyScene(made);
        return result;
    }
    *scene = made;
    return TLW_OK;
}
