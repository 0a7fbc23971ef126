#include "scene/load_material.h"

#include "base/context.h"
#include "base/memory.h"

#include <cjson/cJSON.h>
#include <string.h>

static tlwResult readPair(const tlwJson *json, const char *key, double *solid, double *liquid)
{
    double pair[2] = {*solid, *liquid};
    tlwJson value = tlwGetMember(json, key);
    if (value.node && cJSON_IsNumber(value.node)) {
        TLW_TRY(tlwReadNumber(json, key, &pair[0]));
        pair[1] = pair[0];
    } else {
        TLW_TRY(tlwReadNumbers(json, key, 2, pair));
    }
    *solid = pair[0];
    *liquid = pair[1];
    return TLW_OK;
}

static tlwResult readCurve(const tlwJson *json, const char *key, tlwCurve *curve)
{
    static const char wanted[] = "a number, or a list of 1 to 16 pairs [kelvin, Pa s]";
    tlwJson value = tlwGetMember(json, key);
    if (!value.node)
        return TLW_OK;
    tlwCurve made = {.count = 1, .temperature = {293.15}};
    if (cJSON_IsNumber(value.node)) {
        TLW_TRY(tlwReadNumber(json, key, &made.value[0]));
        *curve = made;
        return TLW_OK;
    }
    int count = 0;
    if (!cJSON_IsArray(value.node))
        return tlwFailType(&value, wanted);
    TLW_TRY(tlwCheckList(&value, &count));
    if (count < 1 || count > TLW_MAX_CURVE)
        return tlwFailType(&value, wanted);
    for (tlwJson item = tlwFirstItem(&value); item.node; tlwNextItem(&item)) {
        const cJSON *a = cJSON_IsArray(item.node) ? item.node->child : NULL, *b = a ? a->next : NULL;
        if (!b || !cJSON_IsNumber(a) || !cJSON_IsNumber(b) || b->next)
            return tlwFailType(&item, "a pair [kelvin, Pa s]");
        made.temperature[item.index] = a->valuedouble;
        made.value[item.index] = b->valuedouble;
    }
    made.count = count;
    *curve = made;
    return TLW_OK;
}

tlwResult tlwReadMaterial(const tlwJson *json, tlwMaterialDef *def)
{
    static const char *const frozen_names[] = {"rigid", "soft", NULL};
    TLW_TRY(tlwCheckObject(json));
    tlwWarnUnknown(json, (const char *const[]){"name", "density", "specific_heat", "conductivity", "solidus",
                                               "liquidus", "latent_heat", "viscosity", "solid_viscosity",
                                               "surface_tension", "contact_angle", "frozen", "color", "label",
                                               "description", "sources", "look", NULL});
    TLW_TRY(tlwReadString(json, "name", &def->name));
    TLW_TRY(readPair(json, "density", &def->density_solid, &def->density_liquid));
    TLW_TRY(readPair(json, "specific_heat", &def->specific_heat_solid, &def->specific_heat_liquid));
    TLW_TRY(readPair(json, "conductivity", &def->conductivity_solid, &def->conductivity_liquid));
    TLW_TRY(tlwReadNumber(json, "solidus", &def->solidus));
    TLW_TRY(tlwReadNumber(json, "liquidus", &def->liquidus));
    TLW_TRY(tlwReadNumber(json, "latent_heat", &def->latent_heat));
    TLW_TRY(readCurve(json, "viscosity", &def->viscosity));
    TLW_TRY(tlwReadNumber(json, "solid_viscosity", &def->solid_viscosity));
    TLW_TRY(tlwReadNumber(json, "surface_tension", &def->surface_tension));
    TLW_TRY(tlwReadNumber(json, "contact_angle", &def->contact_angle));
    int frozen = (int)def->frozen;
    TLW_TRY(tlwReadChoice(json, "frozen", frozen_names, &frozen));
    def->frozen = (tlwFrozen)frozen;
    double color[3] = {def->color[0], def->color[1], def->color[2]};
    TLW_TRY(tlwReadNumbers(json, "color", 3, color));
    for (int i = 0; i < 3; i++)
        def->color[i] = (float)color[i];
    return TLW_OK;
}

static tlwResult readKey(const tlwJson *json, tlwKey *key)
{
    TLW_TRY(tlwCheckObject(json));
    tlwWarnUnknown(json, (const char *const[]){"time", "position", "rotation", "scale", "velocity", "temperature",
                                               "power", "enabled", NULL});
    TLW_TRY(tlwReadNumber(json, "time", &key->time));
    TLW_TRY(tlwReadVec3(json, "position", &key->position));
    TLW_TRY(tlwReadQuat(json, "rotation", &key->rotation));
    TLW_TRY(tlwReadVec3(json, "scale", &key->scale));
    TLW_TRY(tlwReadVec3(json, "velocity", &key->velocity));
    TLW_TRY(tlwReadNumber(json, "temperature", &key->temperature));
    TLW_TRY(tlwReadNumber(json, "power", &key->power));
    return tlwReadBool(json, "enabled", &key->enabled);
}

tlwResult tlwReadKeys(const tlwJson *object, tlwKey **keys, int *count)
{
    tlwJson list = tlwGetMember(object, "keys");
    int needed = 0;
    TLW_TRY(tlwCheckList(&list, &needed));
    if (needed < 1)
        return tlwFailType(&list, "a list of at least one key");
    *keys = tlwAlloc((size_t)needed, sizeof **keys);
    if (!*keys)
        return tlwFailMemory(&object->context->message, "the keys of an object");
    tlwKey key = tlwDefaultKey();
    for (tlwJson item = tlwFirstItem(&list); item.node; tlwNextItem(&item)) {
        TLW_TRY(readKey(&item, &key));
        (*keys)[item.index] = key;
    }
    *count = needed;
    return TLW_OK;
}
