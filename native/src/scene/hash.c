#include "scene/hash.h"

#include "scene/scene.h"

#include "base/hash.h"
#include "scene/deform.h"
#include "scene/keys.h"
#include "scene/role.h"
#include "scene/world.h"

#include <math.h>
#include <string.h>

#define SLACK 0.05 // frames by which a key may miss its frame: scene.json holds times to seven digits

// Where a bake ends. Later keys do not affect the result.
typedef struct End {
    int frame;
    double time, slack; // s
} End;

static void addNumber(uint64_t *hash, double value)
{
    value += 0.0; // -0 is 0
    *hash = tlwHashBytes(*hash, &value, sizeof value);
}

static void addNumbers(uint64_t *hash, const double *values, int count)
{
    for (int i = 0; i < count; i++)
        addNumber(hash, values[i]);
}

static void addVec3(uint64_t *hash, tlwVec3 v)
{
    addNumbers(hash, (const double[]){v.x, v.y, v.z}, 3);
}

static void addText(uint64_t *hash, const char *text)
{
    *hash = tlwHashBytes(*hash, text, strlen(text));
}

static uint64_t hashKeyValues(uint64_t hash, const tlwKey *k)
{
    addVec3(&hash, k->position);
    addNumbers(&hash, (const double[]){k->rotation.w, k->rotation.x, k->rotation.y, k->rotation.z}, 4);
    addVec3(&hash, k->scale);
    addVec3(&hash, k->velocity);
    addNumbers(&hash, (const double[]){k->temperature, k->power, k->enabled}, 3);
    return hash;
}

static bool haveSameValues(const tlwKey *a, const tlwKey *b)
{
    return hashKeyValues(TLW_HASH_SEED, a) == hashKeyValues(TLW_HASH_SEED, b);
}

// The key at the end of the bake; `before` is the number of keys before the end.
static tlwKey getEndKey(const tlwKey *keys, int count, int before, End end)
{
    if (before < count && keys[before].time <= end.time + end.slack)
        return keys[before];
    tlwKey key = tlwSampleKeys(keys, count, end.time);
    // Between two equal keys, rounding of the interpolation must not change the hash.
    if (before > 0 && before < count && haveSameValues(&keys[before - 1], &keys[before]))
        key = keys[before - 1];
    key.time = end.time;
    return key;
}

// Keys up to the end. Of a stretch where nothing changes, keys in the middle are skipped, and so is the last key if the
// bake ends with the stretch: exporters write or omit these keys, depending on what comes after.
static void addKeys(uint64_t *hash, const tlwKey *keys, int count, End end)
{
    int before = 0, kept = 0;
    while (before < count && keys[before].time < end.time - end.slack)
        before++;
    tlwKey last = getEndKey(keys, count, before, end);
    for (int i = 0; i <= before; i++) {
        const tlwKey *key = i < before ? &keys[i] : &last;
        const tlwKey *next = i + 1 < before ? &keys[i + 1] : &last;
        if (i > 0 && haveSameValues(&keys[i - 1], key) && haveSameValues(key, next))
            continue;
        addNumber(hash, key->time);
        *hash = hashKeyValues(*hash, key);
        kept++;
    }
    addNumber(hash, kept);
}

// Leaves out `name`, `frame_end` and the settings of output (save_*, mesh_detail, checkpoint_every), so that a bake can
// resume after these change.
static void addSettings(uint64_t *hash, const tlwSceneDef *def)
{
    addVec3(hash, def->domain_min);
    addVec3(hash, def->domain_max);
    addNumber(hash, def->cell_size);
    for (int i = 0; i < 6; i++)
        addNumber(hash, def->walls[i]);
    // Keys take the place of these; addWorldKeys counts them.
    tlwWorldKey world = def->world_key_count ? def->world_keys[0]
                                             : (tlwWorldKey){.gravity = def->gravity,
                                                             .ambient_temperature = def->ambient_temperature,
                                                             .film_coefficient = def->film_coefficient,
                                                             .emissivity = def->emissivity,
                                                             .thermal_speed = def->thermal_speed,
                                                             .time_scale = def->time_scale};
    addVec3(hash, world.gravity);
    if (world.time_scale != 1)
        addNumber(hash, world.time_scale);
    const double numbers[] = {def->wall_friction,
                              world.ambient_temperature,
                              world.film_coefficient,
                              world.emissivity,
                              world.thermal_speed,
                              def->fps,
                              def->frame_start,
                              def->transport,
                              def->coupling,
                              def->flip_blend,
                              def->particles_per_axis,
                              def->cfl,
                              def->max_substeps,
                              def->pressure_tolerance,
                              def->viscosity_tolerance,
                              def->max_iterations,
                              def->seed};
    addNumbers(hash, numbers, (int)(sizeof numbers / sizeof numbers[0]));
}

static uint64_t hashWorldValues(uint64_t hash, const tlwWorldKey *k)
{
    addVec3(&hash, k->gravity);
    addNumbers(
        &hash,
        (const double[]){k->ambient_temperature, k->film_coefficient, k->emissivity, k->thermal_speed, k->time_scale},
        5);
    return hash;
}

static bool isSameWorld(const tlwWorldKey *a, const tlwWorldKey *b)
{
    return hashWorldValues(TLW_HASH_SEED, a) == hashWorldValues(TLW_HASH_SEED, b);
}

// Keys of the world up to the end of the bake, in simulated time, without those in stretches where nothing changes. A
// world that does not change up to there counts as one without keys.
static void addWorldKeys(uint64_t *hash, const tlwScene *scene, End end)
{
    const tlwWorldKey *keys = scene->def.world_keys;
    int count = scene->def.world_key_count, before = 0;
    while (before < count && scene->world_times[before] < end.time - end.slack)
        before++;
    tlwWorldKey last = tlwSampleWorld(scene, end.time);
    if (before < count && scene->world_times[before] <= end.time + end.slack)
        last = keys[before];
    else if (before > 0 && before < count && isSameWorld(&keys[before - 1], &keys[before]))
        last = keys[before - 1];
    for (int i = 1; i <= before; i++) {
        const tlwWorldKey *key = i < before ? &keys[i] : &last, *next = i + 1 < before ? &keys[i + 1] : &last;
        if (isSameWorld(&keys[i - 1], key) && isSameWorld(key, next))
            continue;
        addNumber(hash, i < before ? scene->world_times[i] : end.time);
        *hash = hashWorldValues(*hash, key);
    }
}

static void addMaterial(uint64_t *hash, const tlwMaterialDef *def)
{
    addText(hash, def->name);
    const double numbers[] = {def->density_solid,
                              def->density_liquid,
                              def->specific_heat_solid,
                              def->specific_heat_liquid,
                              def->conductivity_solid,
                              def->conductivity_liquid,
                              def->solidus,
                              def->liquidus,
                              def->latent_heat,
                              def->solid_viscosity,
                              def->surface_tension,
                              def->contact_angle,
                              def->frozen,
                              def->viscosity.count};
    addNumbers(hash, numbers, (int)(sizeof numbers / sizeof numbers[0]));
    addNumbers(hash, def->viscosity.temperature, def->viscosity.count);
    addNumbers(hash, def->viscosity.value, def->viscosity.count);
}

static void addMesh(uint64_t *hash, const tlwObject *object)
{
    *hash = tlwHashBytes(*hash, object->mesh.positions, (size_t)object->mesh.vertex_count * 3 * sizeof(float));
    *hash = tlwHashBytes(*hash, object->mesh.triangles, (size_t)object->mesh.triangle_count * 3 * sizeof(int32_t));
}

static void addObject(uint64_t *hash, const tlwObject *object, End end)
{
    const tlwObjectDef *def = &object->def;
    addText(hash, def->name);
    const double numbers[] = {def->role,          def->material,          def->surface,   def->friction,
                              def->restitution,   def->density,           def->mass,      def->conductivity,
                              def->specific_heat, def->fixed_temperature, def->heat_kind, def->heat_range,
                              def->deform != NULL};
    addNumbers(hash, numbers, (int)(sizeof numbers / sizeof numbers[0]));
    addVec3(hash, def->velocity);
    addVec3(hash, def->spin);
    addKeys(hash, def->keys, def->key_count, end);
    if (object->deform_files) {
        uint64_t files = tlwGetDeformHash(object->deform_files, end.frame);
        *hash = tlwHashBytes(*hash, &files, sizeof files);
    }
    addMesh(hash, object);
}

static void addJoints(uint64_t *hash, const tlwScene *scene)
{
    for (int i = 0; i < scene->joint_count; i++) {
        const tlwJointDef *def = &scene->joints[i].def;
        addText(hash, def->name);
        addNumbers(hash, (const double[]){def->kind, def->object_a, def->object_b}, 3);
        addVec3(hash, def->anchor);
        addVec3(hash, def->axis);
    }
}

uint64_t tlwHashScene(const tlwScene *scene, int last_frame)
{
    double slack = SLACK * tlwGetFrameLength(scene, last_frame);
    End end = {last_frame, tlwGetFrameTime(scene, last_frame), slack};
    uint64_t hash = TLW_HASH_SEED;
    addSettings(&hash, &scene->def);
    addWorldKeys(&hash, scene, end);
    for (int i = 0; i < scene->material_count; i++)
        addMaterial(&hash, &scene->materials[i].def);
    for (int i = 0; i < scene->object_count; i++)
        addObject(&hash, &scene->objects[i], end);
    for (int i = 0; i < scene->force_count; i++) {
        const tlwForceDef *def = &scene->forces[i].def;
        addText(&hash, def->name);
        addNumbers(&hash, (const double[]){def->kind, def->falloff, def->min_distance, def->max_distance}, 4);
        addKeys(&hash, def->keys, def->key_count, end);
    }
    addJoints(&hash, scene);
    return hash;
}

static void addShape(uint64_t *hash, const tlwObject *object)
{
    const tlwObjectDef *def = &object->def;
    addText(hash, def->name);
    const double numbers[] = {def->role, def->material, def->heat_kind, def->deform != NULL, def->density, def->mass};
    addNumbers(hash, numbers, (int)(sizeof numbers / sizeof numbers[0]));
    addMesh(hash, object);
}

static void addStart(uint64_t *hash, const tlwObjectDef *def)
{
    tlwKey key = def->keys[0];
    if (!tlwGetTraits(def)->fills)
        key.temperature = 0; // that of a body can be keyed
    key.power = 0;
    *hash = hashKeyValues(*hash, &key);
    addVec3(hash, def->velocity);
    addVec3(hash, def->spin);
}

static void addPlace(uint64_t *hash, const tlwObject *object, double time, int frame)
{
    const tlwObjectDef *def = &object->def;
    tlwKey key = tlwSampleKeys(def->keys, def->key_count, time);
    tlwKey place = {.position = key.position, .rotation = key.rotation, .scale = key.scale};
    *hash = hashKeyValues(*hash, &place);
    if (object->deform_files) {
        uint64_t files = tlwGetDeformHash(object->deform_files, frame);
        *hash = tlwHashBytes(*hash, &files, sizeof files);
    }
}

void tlwHashParts(const tlwScene *scene, int frame, uint64_t parts[TLW_PART_COUNT])
{
    const tlwSceneDef *def = &scene->def;
    double time = tlwGetFrameTime(scene, frame);
    for (int i = 0; i < TLW_PART_COUNT; i++)
        parts[i] = TLW_HASH_SEED;
    addVec3(&parts[TLW_PART_DOMAIN], def->domain_min);
    addVec3(&parts[TLW_PART_DOMAIN], def->domain_max);
    const double settings[] = {def->cell_size, def->fps, def->frame_start, def->transport, def->coupling};
    addNumbers(&parts[TLW_PART_DOMAIN], settings, (int)(sizeof settings / sizeof settings[0]));
    for (int i = 0; i < scene->material_count; i++)
        addMaterial(&parts[TLW_PART_MATERIALS], &scene->materials[i].def);
    addNumber(&parts[TLW_PART_PLACES], time);
    for (int i = 0; i < scene->object_count; i++) {
        const tlwObject *object = &scene->objects[i];
        addShape(&parts[TLW_PART_OBJECTS], object);
        if (tlwGetTraits(&object->def)->fills || tlwGetTraits(&object->def)->body)
            addStart(&parts[TLW_PART_STARTS], &object->def);
        else if (tlwIsObstacle(&object->def))
            addPlace(&parts[TLW_PART_PLACES], object, time, frame);
    }
    addJoints(&parts[TLW_PART_JOINTS], scene);
}
