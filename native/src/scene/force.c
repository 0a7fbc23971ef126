// Force fields and joints of a scene.
#include "base/context.h"
#include "base/memory.h"
#include "base/vec.h"
#include "scene/keys.h"
#include "scene/object.h"
#include "scene/role.h"
#include "scene/scene.h"

#include <stdio.h>

tlwForceDef tlwDefaultForceDef(void)
{
    return (tlwForceDef){.cookie = TLW_FORCE_COOKIE};
}

static tlwResult checkForce(const tlwForceDef *def, tlwMessage *message)
{
    if (!def || def->cookie != TLW_FORCE_COOKIE)
        return tlwFail(message, TLW_BAD_ARGUMENT,
                       "A force was not made by tlwDefaultForceDef of this version of Tallow.");
    TLW_TRY(tlwCheckName("force", def->name, message));
    if ((int)def->kind < TLW_FORCE_WIND || (int)def->kind > TLW_FORCE_DRAG)
        return tlwFail(message, TLW_BAD_ARGUMENT, "Force %s: its kind is %d, but must be wind, point, vortex or drag.",
                       def->name, (int)def->kind);
    const struct {
        const char *member;
        double value, high;
    } ranges[] = {{"falloff", def->falloff, 10},
                  {"min_distance", def->min_distance, 1e6},
                  {"max_distance", def->max_distance, 1e6}};
    for (int i = 0; i < 3; i++)
        if (!(ranges[i].value >= 0 && ranges[i].value <= ranges[i].high))
            return tlwFail(message, TLW_BAD_ARGUMENT, "Force %s: %s is %g, but must lie between 0 and %g.", def->name,
                           ranges[i].member, ranges[i].value, ranges[i].high);
    if (def->max_distance > 0 && def->max_distance < def->min_distance)
        return tlwFail(message, TLW_BAD_ARGUMENT, "Force %s: its max_distance (%g m) is below its min_distance (%g m).",
                       def->name, def->max_distance, def->min_distance);
    char who[300];
    snprintf(who, sizeof who, "Force %s", def->name);
    return tlwCheckKeys(who, def->keys, def->key_count, message);
}

tlwResult tlwAddForce(tlwScene *scene, const tlwForceDef *def)
{
    if (!scene)
        return TLW_BAD_ARGUMENT;
    tlwMessage *message = &scene->context->message;
    TLW_TRY(checkForce(def, message));
    if (!tlwReserve((void **)&scene->forces, &scene->force_capacity, scene->force_count + 1, sizeof *scene->forces))
        return tlwFailMemory(message, "a force");
    tlwForce force = {.def = *def};
    force.def.name = tlwCopyString(def->name);
    force.def.keys = tlwCopyKeys(scene, def->keys, def->key_count);
    if (!force.def.name || !force.def.keys) {
        tlwFree((char *)force.def.name);
        tlwFree((tlwKey *)force.def.keys);
        return tlwFailMemory(message, "a force");
    }
    scene->forces[scene->force_count++] = force;
    return TLW_OK;
}

tlwJointDef tlwDefaultJointDef(void)
{
    return (tlwJointDef){.object_a = -1, .object_b = -1, .axis = {0, 0, 1}, .cookie = TLW_JOINT_COOKIE};
}

static tlwResult checkJointBody(const tlwScene *scene, const char *name, const char *member, int index,
                                tlwMessage *message)
{
    if (index < 0 || index >= scene->object_count)
        return tlwFail(message, TLW_BAD_ARGUMENT, "Joint %s: its %s is object %d, which is not in the scene.", name,
                       member, index);
    const tlwObjectDef *object = &scene->objects[index].def;
    if (!tlwIsObstacle(object))
        return tlwFail(message, TLW_BAD_ARGUMENT,
                       "Joint %s: %s has the role %s; a joint holds rigid bodies and solids, so give it one of these.",
                       name, object->name, tlwGetRoleName(object->role));
    return TLW_OK;
}

static tlwResult checkJoint(const tlwScene *scene, const tlwJointDef *def, tlwMessage *message)
{
    if (!def || def->cookie != TLW_JOINT_COOKIE)
        return tlwFail(message, TLW_BAD_ARGUMENT,
                       "A joint was not made by tlwDefaultJointDef of this version of Tallow.");
    TLW_TRY(tlwCheckName("joint", def->name, message));
    if ((int)def->kind < TLW_JOINT_FIXED || (int)def->kind > TLW_JOINT_SLIDER)
        return tlwFail(message, TLW_BAD_ARGUMENT, "Joint %s: its kind is %d, but must be fixed, ball, hinge or slider.",
                       def->name, (int)def->kind);
    TLW_TRY(checkJointBody(scene, def->name, "body a", def->object_a, message));
    const tlwObjectDef *a = &scene->objects[def->object_a].def;
    if (!tlwGetTraits(a)->body)
        return tlwFail(message, TLW_BAD_ARGUMENT,
                       "Joint %s: %s has the role %s; body a of a joint must be rigid, body b may be a solid.",
                       def->name, a->name, tlwGetRoleName(a->role));
    if (def->object_b != -1)
        TLW_TRY(checkJointBody(scene, def->name, "body b", def->object_b, message));
    if (def->object_a == def->object_b)
        return tlwFail(message, TLW_BAD_ARGUMENT,
                       "Joint %s ties %s to itself; choose two bodies, or one and the world.", def->name,
                       scene->objects[def->object_a].def.name);
    if (!tlwIsFinite(def->anchor) || tlwLength(def->anchor) > 1e9)
        return tlwFail(message, TLW_BAD_ARGUMENT, "Joint %s: its anchor is not a usable point.", def->name);
    double length = tlwLength(def->axis);
    if (!isfinite(length) || length < 1e-9)
        return tlwFail(message, TLW_BAD_ARGUMENT, "Joint %s: its axis (%g, %g, %g) has no direction.", def->name,
                       def->axis.x, def->axis.y, def->axis.z);
    return TLW_OK;
}

tlwResult tlwAddJoint(tlwScene *scene, const tlwJointDef *def)
{
    if (!scene)
        return TLW_BAD_ARGUMENT;
    tlwMessage *message = &scene->context->message;
    TLW_TRY(checkJoint(scene, def, message));
    if (!tlwReserve((void **)&scene->joints, &scene->joint_capacity, scene->joint_count + 1, sizeof *scene->joints))
        return tlwFailMemory(message, "a joint");
    tlwJoint joint = {.def = *def};
    joint.def.axis = tlwNormalize(def->axis);
    joint.def.name = tlwCopyString(def->name);
    if (!joint.def.name)
        return tlwFailMemory(message, "a joint");
    scene->joints[scene->joint_count++] = joint;
    return TLW_OK;
}
