#include "scene/keys.h"

#include "base/vec.h"

tlwKey tlwDefaultKey(void)
{
    return (tlwKey){.rotation = {1, 0, 0, 0}, .scale = {1, 1, 1}, .temperature = 293.15, .enabled = true};
}

static tlwResult checkKey(const char *who, const tlwKey *key, int index, tlwMessage *message)
{
    const struct {
        const char *member;
        tlwVec3 value;
    } vectors[] = {{"position", key->position}, {"scale", key->scale}, {"velocity", key->velocity}};
    for (int i = 0; i < 3; i++) {
        tlwVec3 v = vectors[i].value;
        if (!tlwIsFinite(v) || fabs(v.x) > 1e9 || fabs(v.y) > 1e9 || fabs(v.z) > 1e9)
            return tlwFail(message, TLW_BAD_ARGUMENT, "%s: the %s of key %d is (%g, %g, %g), which is not usable.", who,
                           vectors[i].member, index, v.x, v.y, v.z);
    }
    if (fabs(key->scale.x) < 1e-9 || fabs(key->scale.y) < 1e-9 || fabs(key->scale.z) < 1e-9)
        return tlwFail(message, TLW_BAD_ARGUMENT,
                       "%s: the scale of key %d is (%g, %g, %g); a scale of zero leaves no shape.", who, index,
                       key->scale.x, key->scale.y, key->scale.z);
    tlwQuat q = key->rotation;
    double length = sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    if (!isfinite(length) || length < 1e-6)
        return tlwFail(message, TLW_BAD_ARGUMENT,
                       "%s: the rotation of key %d is (%g, %g, %g, %g), which is not a rotation.", who, index, q.w, q.x,
                       q.y, q.z);
    if (!(key->temperature >= 0 && key->temperature <= 1e5))
        return tlwFail(message, TLW_BAD_ARGUMENT,
                       "%s: the temperature of key %d is %g K, but must lie between 0 and 100000 K.", who, index,
                       key->temperature);
    if (!isfinite(key->power) || fabs(key->power) > 1e15)
        return tlwFail(message, TLW_BAD_ARGUMENT, "%s: the power of key %d is %g, which is not usable.", who, index,
                       key->power);
    return TLW_OK;
}

tlwResult tlwCheckKeys(const char *who, const tlwKey *keys, int count, tlwMessage *message)
{
    if (!keys || count < 1)
        return tlwFail(message, TLW_BAD_ARGUMENT, "%s has no key; give at least one with its position.", who);
    for (int i = 0; i < count; i++) {
        if (!isfinite(keys[i].time))
            return tlwFail(message, TLW_BAD_ARGUMENT, "%s: the time of key %d is not a number.", who, i);
        if (i > 0 && !(keys[i].time > keys[i - 1].time))
            return tlwFail(message, TLW_BAD_ARGUMENT,
                           "%s: its keys must be in rising time, but key %d at %g s follows key %d at %g s.", who, i,
                           keys[i].time, i - 1, keys[i - 1].time);
        TLW_TRY(checkKey(who, &keys[i], i, message));
    }
    for (int i = 1; i < count; i++) {
        tlwVec3 a = keys[i - 1].scale, b = keys[i].scale;
        if (a.x * b.x < 0 || a.y * b.y < 0 || a.z * b.z < 0)
            return tlwFail(message, TLW_BAD_ARGUMENT,
                           "%s: its scale changes sign between key %d and key %d, which passes through zero.", who,
                           i - 1, i);
    }
    return TLW_OK;
}

static tlwVec3 lerp(tlwVec3 a, tlwVec3 b, double t)
{
    return tlwAdd(tlwScale(a, 1 - t), tlwScale(b, t));
}

tlwKey tlwSampleKeys(const tlwKey *keys, int count, double time)
{
    int low = 0, high = count - 1;
    tlwKey key = keys[0];
    if (!(time > keys[0].time)) {
        // before the first key: as the first
    } else if (time >= keys[high].time) {
        key = keys[high];
    } else {
        while (high - low > 1) {
            int middle = (low + high) / 2;
            if (keys[middle].time <= time)
                low = middle;
            else
                high = middle;
        }
        const tlwKey *a = &keys[low], *b = &keys[high];
        double t = (time - a->time) / (b->time - a->time);
        key = (tlwKey){
            .position = lerp(a->position, b->position, t),
            .rotation = tlwSlerp(a->rotation, b->rotation, t),
            .scale = lerp(a->scale, b->scale, t),
            .velocity = lerp(a->velocity, b->velocity, t),
            .temperature = (1 - t) * a->temperature + t * b->temperature,
            .power = (1 - t) * a->power + t * b->power,
            .enabled = a->enabled,
        };
    }
    key.time = time;
    return key;
}

tlwMotion tlwSampleMotion(const tlwKey *keys, int count, double time, double interval)
{
    tlwKey now = tlwSampleKeys(keys, count, time);
    tlwMotion motion = {.origin = now.position};
    if (!(interval > 0))
        return motion;
    tlwKey before = tlwSampleKeys(keys, count, time - 0.5 * interval);
    tlwKey after = tlwSampleKeys(keys, count, time + 0.5 * interval);
    motion.velocity = tlwScale(tlwSub(after.position, before.position), 1 / interval);
    tlwQuat turn = tlwQuatMul(after.rotation, tlwQuatConjugate(before.rotation));
    motion.spin = tlwScale(tlwRotationVectorFromQuat(turn), 1 / interval);
    return motion;
}

bool tlwAreKeysMoving(const tlwKey *keys, int count)
{
    const tlwKey *a = &keys[0];
    for (int i = 1; i < count; i++) {
        const tlwKey *b = &keys[i];
        double dot = a->rotation.w * b->rotation.w + a->rotation.x * b->rotation.x + a->rotation.y * b->rotation.y +
                     a->rotation.z * b->rotation.z;
        if (tlwLength(tlwSub(a->position, b->position)) > 0 || tlwLength(tlwSub(a->scale, b->scale)) > 0 ||
            fabs(dot) < 1 - 1e-15)
            return true;
    }
    return false;
}

tlwVec3 tlwToWorld(const tlwKey *key, tlwVec3 point)
{
    tlwVec3 scaled = {point.x * key->scale.x, point.y * key->scale.y, point.z * key->scale.z};
    return tlwAdd(key->position, tlwRotate(key->rotation, scaled));
}
