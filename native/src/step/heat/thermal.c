#include "step/heat/thermal.h"

#include "base/context.h"
#include "base/memory.h"
#include "base/vec.h"
#include "scene/object.h"
#include "scene/world.h"
#include "shape/sdf_sample.h"
#include "step/heat/advance.h"

#include <string.h>

// Default conductivity of a hot solid: a metal's, so that its surface has its temperature.
#define HEATER_CONDUCTIVITY 400.0

static double conductivityOf(const tlwObjectDef *def)
{
    if (!tlwIsObstacle(def))
        return 0;
    return tlwGetTraits(def)->heats && def->conductivity == 0 ? HEATER_CONDUCTIVITY : def->conductivity;
}

// Heat capacity of an object; 0 = held at its temperature. Only bodies without a fixed temperature have one.
static double capacityOf(const tlwObject *object)
{
    const tlwObjectDef *def = &object->def;
    if (!tlwGetTraits(def)->body || def->fixed_temperature)
        return 0;
    double scale = fabs(def->keys[0].scale.x * def->keys[0].scale.y * def->keys[0].scale.z);
    double mass = def->mass > 0 ? def->mass : def->density * tlwGetMeshVolume(&object->mesh) * scale;
    return mass * def->specific_heat;
}

// Whether any temperature differs from the air's or anything heats.
static bool anythingWarm(const tlwScene *scene)
{
    tlwWorldKey world = tlwSampleWorld(scene, 0);
    if (tlwIsWorldKeyed(scene))
        return true;
    if (!(world.thermal_speed > 0))
        return false;
    for (int o = 0; o < scene->object_count; o++) {
        const tlwObjectDef *def = &scene->objects[o].def;
        if (tlwGetTraits(def)->shines || tlwIsHeatedVolume(def))
            return true;
        bool insulated = tlwIsObstacle(def) && !(conductivityOf(def) > 0);
        for (int k = 0; k < def->key_count && !insulated && !tlwGetTraits(def)->takes; k++)
            if (fabs(def->keys[k].temperature - world.ambient_temperature) > 1e-6)
                return true;
    }
    return false;
}

tlwResult tlwCreateThermal(tlwContext *context, const tlwScene *scene, const tlwPlacedMeshes *obstacles, double dx,
                           tlwThermal *thermal)
{
    memset(thermal, 0, sizeof *thermal);
    thermal->scene = scene;
    thermal->obstacles = obstacles;
    thermal->active = anythingWarm(scene);
    thermal->objects = tlwAlloc((size_t)scene->object_count, sizeof *thermal->objects);
    thermal->sources = tlwAlloc((size_t)scene->object_count, sizeof *thermal->sources);
    if (!thermal->objects || !thermal->sources)
        return tlwFailMemory(&context->message, "the heat sources");
    for (int o = 0; o < scene->object_count; o++) {
        const tlwObject *object = &scene->objects[o];
        thermal->objects[o].temperature = object->def.keys[0].temperature;
        thermal->objects[o].conductivity = conductivityOf(&object->def);
        thermal->objects[o].capacity = capacityOf(object);
    }
    return tlwPlaceMeshes(context, scene, dx, tlwIsHeatedVolume, &thermal->volumes);
}

void tlwDestroyThermal(tlwThermal *thermal)
{
    tlwDestroyPlacedMeshes(&thermal->volumes);
    tlwFree(thermal->objects);
    tlwFree(thermal->sources);
    memset(thermal, 0, sizeof *thermal);
}

static tlwVec3 toMeshSpace(const tlwPlacedMesh *solid, tlwVec3 p)
{
    return tlwRotate(tlwQuatConjugate(solid->frame.rotation), tlwSub(p, solid->frame.position));
}

static float getDistance(const tlwPlacedMesh *solid, tlwVec3 mesh_point)
{
    float p[3] = {(float)mesh_point.x, (float)mesh_point.y, (float)mesh_point.z}, distance;
    tlwSampleSdf(solid->sdf, p, 1, &distance);
    return distance;
}

static void distanceToVolume(const void *user, const float *points, int count, float *distance)
{
    const tlwPlacedMesh *solid = user;
    for (int n = 0; n < count; n++)
        distance[n] =
            getDistance(solid, toMeshSpace(solid, (tlwVec3){points[3 * n], points[3 * n + 1], points[3 * n + 2]}));
}

// Part of the segment from + t (to - from) inside a box. False when they miss.
static bool clipSegment(const double from[3], const double to[3], const double low[3], const double high[3],
                        double *enter, double *leave)
{
    *enter = 0;
    *leave = 1;
    for (int a = 0; a < 3; a++) {
        double d = to[a] - from[a];
        if (fabs(d) < 1e-12) {
            if (from[a] < low[a] || from[a] > high[a])
                return false;
            continue;
        }
        double t0 = (low[a] - from[a]) / d, t1 = (high[a] - from[a]) / d;
        *enter = fmax(*enter, fmin(t0, t1));
        *leave = fmin(*leave, fmax(t0, t1));
    }
    return *enter < *leave;
}

static bool standsBetween(const tlwPlacedMesh *solid, tlwVec3 from, tlwVec3 to)
{
    double enter, leave, length = tlwLength(tlwSub(to, from));
    if (!solid->enabled || !clipSegment((double[3]){from.x, from.y, from.z}, (double[3]){to.x, to.y, to.z},
                                        (double[3]){solid->low.x, solid->low.y, solid->low.z},
                                        (double[3]){solid->high.x, solid->high.y, solid->high.z}, &enter, &leave))
        return false;
    tlwVec3 a = toMeshSpace(solid, from), b = toMeshSpace(solid, to);
    double least = 0.5 * tlwGetSdfVoxelSize(solid->sdf);
    while (enter < leave) {
        tlwVec3 p = tlwMulAdd(a, enter, tlwSub(b, a));
        double distance = getDistance(solid, p);
        if (distance < 0)
            return true;
        enter += fmax(distance, least) / fmax(length, 1e-12);
    }
    return false;
}

static bool castShadow(const void *user, tlwVec3 from, tlwVec3 to)
{
    const tlwPlacedMeshes *obstacles = user;
    for (int n = 0; n < obstacles->count; n++)
        if (standsBetween(&obstacles->items[n], from, to))
            return true;
    return false;
}

// Lamps and volumes as they are now; those that are switched off are left out.
static void placeSources(tlwThermal *thermal, double time)
{
    const tlwScene *scene = thermal->scene;
    thermal->source_count = 0;
    for (int o = 0; o < scene->object_count; o++) {
        const tlwObjectDef *def = &scene->objects[o].def;
        if (!tlwGetTraits(def)->shines)
            continue;
        tlwKey key = tlwSampleKeys(def->keys, def->key_count, time);
        tlwVec3 low, high;
        tlwGetObjectBounds(&scene->objects[o], time, &low, &high);
        if (key.enabled && key.power != 0)
            thermal->sources[thermal->source_count++] = (tlwHeatSource){.kind = TLW_HEAT_LAMP,
                                                                        .power = key.power,
                                                                        .position = tlwScale(tlwAdd(low, high), 0.5),
                                                                        .range = def->heat_range,
                                                                        .shadow = castShadow,
                                                                        .user = thermal->obstacles};
    }
    for (int n = 0; n < thermal->volumes.count; n++) {
        const tlwPlacedMesh *solid = &thermal->volumes.items[n];
        const tlwObjectDef *def = &scene->objects[solid->object].def;
        tlwKey key = tlwSampleKeys(def->keys, def->key_count, time);
        if (solid->enabled && key.power != 0)
            thermal->sources[thermal->source_count++] = (tlwHeatSource){.kind = TLW_HEAT_VOLUME,
                                                                        .power = key.power,
                                                                        .low = solid->low,
                                                                        .high = solid->high,
                                                                        .distance = distanceToVolume,
                                                                        .user = solid};
    }
}

tlwResult tlwStepThermal(tlwContext *context, tlwThermal *thermal, const tlwParticleOrder *order, double time,
                         double dt, tlwFlow *flow, tlwParticles *particles, int *iterations)
{
    const tlwScene *scene = thermal->scene;
    TLW_TRY(tlwMovePlacedMeshes(&thermal->volumes, time, dt, flow->grid.dx));
    placeSources(thermal, time + dt);
    for (int o = 0; o < scene->object_count; o++) {
        const tlwObjectDef *object = &scene->objects[o].def;
        tlwKey key = tlwSampleKeys(object->keys, object->key_count, time + dt);
        if (!(thermal->objects[o].capacity > 0))
            thermal->objects[o].temperature = key.temperature;
        // Hot solids that are switched off neither heat nor cool.
        bool off = tlwGetTraits(object)->heats && !key.enabled;
        thermal->objects[o].conductivity = off ? 0 : conductivityOf(object);
    }
    tlwWorldKey world = tlwSampleWorld(scene, time + dt);
    double speed = tlwSampleWorld(scene, time + 0.5 * dt).thermal_speed; // the mean over the step
    tlwHeatDef def = {.materials = scene->materials,
                      .material_count = scene->material_count,
                      .objects = thermal->objects,
                      .object_count = scene->object_count,
                      .sources = thermal->sources,
                      .source_count = thermal->source_count,
                      .ambient_temperature = world.ambient_temperature,
                      .film_coefficient = world.film_coefficient,
                      .emissivity = world.emissivity,
                      .thermal_speed = thermal->active ? speed : 0,
                      .dt = dt};
    tlwHeatStats stats;
    tlwResult result = tlwAdvanceHeat(context->threads, flow, particles, order, &def, &stats, &context->message);
    *iterations = stats.iterations;
    return result;
}
