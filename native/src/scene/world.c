#include "scene/world.h"

#include "base/context.h"
#include "base/memory.h"
#include "base/vec.h"
#include "scene/scene.h"

#include <stdio.h>
#include <string.h>

tlwWorldKey tlwDefaultWorldKey(void)
{
    return (tlwWorldKey){.gravity = {0, 0, -9.81},
                         .ambient_temperature = 293.15,
                         .film_coefficient = 10,
                         .emissivity = 0.9,
                         .thermal_speed = 1,
                         .time_scale = 1};
}

// The world of a definition without keys.
static tlwWorldKey getStill(const tlwSceneDef *def)
{
    return (tlwWorldKey){.gravity = def->gravity,
                         .ambient_temperature = def->ambient_temperature,
                         .film_coefficient = def->film_coefficient,
                         .emissivity = def->emissivity,
                         .thermal_speed = def->thermal_speed,
                         .time_scale = def->time_scale};
}

// `who` begins the message: empty, or "Key 3 of the world: ".
static tlwResult checkNumbers(const char *who, const tlwWorldKey *key, tlwMessage *message)
{
    const struct {
        const char *label, *member; // in the add-on's sidebar, and in scene.json
        double value, low, high;
    } ranges[] = {
        {"Gravity X", "gravity.x", key->gravity.x, -1e5, 1e5},
        {"Gravity Y", "gravity.y", key->gravity.y, -1e5, 1e5},
        {"Gravity Z", "gravity.z", key->gravity.z, -1e5, 1e5},
        {"Air temperature", "ambient_temperature", key->ambient_temperature, 0, 1e5},
        {"Air Cooling", "film_coefficient", key->film_coefficient, 0, 1e6},
        {"Glow Cooling", "emissivity", key->emissivity, 0, 1},
        {"Heat Speed-up", "thermal_speed", key->thermal_speed, 0, 1e7},
        {"Time Scale", "time_scale", key->time_scale, 1e-4, 1e4},
    };
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++)
        if (!(ranges[i].value >= ranges[i].low && ranges[i].value <= ranges[i].high))
            return tlwFail(message, TLW_BAD_ARGUMENT,
                           "%s%s (%s in scene.json) is %.10g, but must lie between %.10g and %.10g.", who,
                           ranges[i].label, ranges[i].member, ranges[i].value, ranges[i].low, ranges[i].high);
    return TLW_OK;
}

tlwResult tlwCheckWorld(const tlwSceneDef *def, tlwMessage *message)
{
    tlwWorldKey still = getStill(def);
    const tlwWorldKey *keys = def->world_keys;
    TLW_TRY(checkNumbers("", &still, message));
    if (def->world_key_count < 0 || (def->world_key_count > 0 && !keys))
        return tlwFail(message, TLW_BAD_ARGUMENT, "The world has %d keys, but none were given.", def->world_key_count);
    for (int i = 0; i < def->world_key_count; i++) {
        char who[64];
        snprintf(who, sizeof who, "Key %d of the world: ", i);
        if (!isfinite(keys[i].time))
            return tlwFail(message, TLW_BAD_ARGUMENT, "%sits time is not a number.", who);
        if (i > 0 && !(keys[i].time > keys[i - 1].time))
            return tlwFail(message, TLW_BAD_ARGUMENT,
                           "%sit is at %g s, but must be later than the key before, at %g s.", who, keys[i].time,
                           keys[i - 1].time);
        TLW_TRY(checkNumbers(who, &keys[i], message));
    }
    return TLW_OK;
}

tlwResult tlwCopyWorldKeys(tlwScene *scene)
{
    const tlwWorldKey *keys = scene->def.world_keys;
    int count = scene->def.world_key_count;
    scene->def.world_keys = NULL;
    scene->gravity = scene->def.gravity;
    scene->retimed = scene->def.time_scale != 1;
    if (!count)
        return TLW_OK;
    tlwWorldKey *copy = tlwAlloc((size_t)count, sizeof *copy);
    scene->def.world_keys = copy;
    scene->world_times = tlwAlloc((size_t)count, sizeof *scene->world_times);
    if (!copy || !scene->world_times)
        return tlwFailMemory(&scene->context->message, "the keys of the world");
    memcpy(copy, keys, (size_t)count * sizeof *copy);
    scene->gravity = keys[0].gravity;
    scene->retimed = false;
    for (int i = 0; i < count; i++)
        scene->retimed = scene->retimed || keys[i].time_scale != 1;
    for (int i = 0; i < count; i++)
        scene->world_times[i] = !scene->retimed ? keys[i].time
                                : i == 0
                                    ? keys[0].time * keys[0].time_scale
                                    : scene->world_times[i - 1] + (keys[i].time - keys[i - 1].time) * 0.5 *
                                                                      (keys[i - 1].time_scale + keys[i].time_scale);
    return TLW_OK;
}

void tlwFreeWorldKeys(tlwScene *scene)
{
    tlwFree((tlwWorldKey *)scene->def.world_keys);
    tlwFree(scene->world_times);
    scene->def.world_keys = NULL;
    scene->world_times = NULL;
    scene->def.world_key_count = 0;
}

// The last key at or before a simulated time. The time lies after the first and before the last key.
static int findKey(const tlwScene *scene, double time)
{
    int low = 0, high = scene->def.world_key_count - 1;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        *(scene->world_times[middle] <= time ? &low : &high) = middle;
    }
    return low;
}

tlwWorldKey tlwSampleWorld(const tlwScene *scene, double time)
{
    const tlwWorldKey *keys = scene->def.world_keys;
    const double *times = scene->world_times;
    int last = scene->def.world_key_count - 1;
    tlwWorldKey key = last < 0 ? getStill(&scene->def) : !(time > times[0]) ? keys[0] : keys[last];
    if (last > 0 && time > times[0] && time < times[last]) {
        int i = findKey(scene, time);
        const tlwWorldKey *a = &keys[i], *b = &keys[i + 1];
        double t = (time - times[i]) / (times[i + 1] - times[i]), scale = 1;
        if (scene->retimed) { // all is linear in the shot's time, so in simulated time the square of the scale is
            scale = sqrt((1 - t) * a->time_scale * a->time_scale + t * b->time_scale * b->time_scale);
            t = (time - times[i]) / (0.5 * (a->time_scale + scale) * (b->time - a->time));
        }
        double s = 1 - t;
        key = (tlwWorldKey){.gravity = tlwAdd(tlwScale(a->gravity, s), tlwScale(b->gravity, t)),
                            .ambient_temperature = s * a->ambient_temperature + t * b->ambient_temperature,
                            .film_coefficient = s * a->film_coefficient + t * b->film_coefficient,
                            .emissivity = s * a->emissivity + t * b->emissivity,
                            .thermal_speed = s * a->thermal_speed + t * b->thermal_speed,
                            .time_scale = scale};
    }
    key.time = time;
    return key;
}

bool tlwIsWorldKeyed(const tlwScene *scene)
{
    const tlwWorldKey *keys = scene->def.world_keys;
    for (int i = 1; i < scene->def.world_key_count; i++) {
        tlwWorldKey key = keys[i];
        key.time = keys[0].time;
        if (memcmp(&key, &keys[0], sizeof key))
            return true;
    }
    return false;
}

void tlwSetThermalSpeed(tlwScene *scene, double speed)
{
    tlwWorldKey *keys = (tlwWorldKey *)scene->def.world_keys; // the scene's own copy
    scene->def.thermal_speed = speed;
    for (int i = 0; i < scene->def.world_key_count; i++)
        keys[i].thermal_speed = speed;
}

double tlwGetSimulatedTime(const tlwScene *scene, double shot)
{
    const tlwWorldKey *keys = scene->def.world_keys;
    int last = scene->def.world_key_count - 1, i = 0;
    if (!scene->retimed)
        return shot;
    if (last < 0)
        return shot * scene->def.time_scale;
    while (i < last && keys[i + 1].time <= shot)
        i++;
    double since = shot - keys[i].time;
    double slope =
        i < last && since > 0 ? (keys[i + 1].time_scale - keys[i].time_scale) / (keys[i + 1].time - keys[i].time) : 0;
    return scene->world_times[i] + since * (keys[i].time_scale + 0.5 * slope * since);
}

double tlwGetShotTime(const tlwScene *scene, double simulated)
{
    const tlwWorldKey *keys = scene->def.world_keys;
    int last = scene->def.world_key_count - 1;
    if (!scene->retimed)
        return simulated;
    if (last < 0)
        return simulated / scene->def.time_scale;
    int i = simulated >= scene->world_times[last] ? last
            : simulated > scene->world_times[0]   ? findKey(scene, simulated)
                                                  : 0;
    // The mean scale since the key is that of its ends, since the scale is linear in the shot's time.
    double since = simulated - scene->world_times[i];
    double scale = i < last && since > 0 ? 0.5 * (keys[i].time_scale + tlwSampleWorld(scene, simulated).time_scale)
                                         : keys[i].time_scale;
    return keys[i].time + since / scale;
}

double tlwGetFrameTime(const tlwScene *scene, int frame)
{
    return scene ? tlwGetSimulatedTime(scene, (frame - scene->def.frame_start) / scene->def.fps) : 0;
}

double tlwGetFrameLength(const tlwScene *scene, int frame)
{
    if (!scene->def.world_key_count || !scene->retimed)
        return scene->retimed ? scene->def.time_scale / scene->def.fps : 1 / scene->def.fps;
    return tlwGetFrameTime(scene, frame + 1) - tlwGetFrameTime(scene, frame);
}
