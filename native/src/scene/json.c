#include "scene/json.h"

#include "base/context.h"
#include "base/file.h"
#include "base/memory.h"

#include <cjson/cJSON.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define MAX_FILE ((int64_t)512 << 20)
#define MAX_UNKNOWN 20 // warnings per object, so that a file of another kind does not flood the log

static tlwResult failParse(tlwContext *context, const char *path, const char *text, const char *end)
{
    int line = 1;
    for (const char *c = text; c < end; c++)
        line += *c == '\n';
    return tlwFail(&context->message, TLW_BAD_FILE,
                   "%s is not valid JSON: line %d cannot be read; export the scene again.", path, line);
}

tlwResult tlwOpenJson(tlwContext *context, const char *path, tlwJson *root)
{
    char *text = NULL;
    int64_t size = 0;
    TLW_TRY(tlwReadFile(path, MAX_FILE, &context->message, &text, &size));
    const char *end = text;
    cJSON *node = cJSON_ParseWithLengthOpts(text, (size_t)size + 1, &end, 1);
    if (!node) {
        if (!end || end < text || end > text + size)
            end = text;
        tlwResult result = failParse(context, path, text, end);
        tlwFree(text);
        return result;
    }
    // The parser stops at a zero byte and would ignore everything after it.
    const char *zero = memchr(text, 0, (size_t)size);
    if (zero) {
        cJSON_Delete(node);
        tlwResult result = failParse(context, path, text, zero);
        tlwFree(text);
        return result;
    }
    tlwFree(text);
    *root = (tlwJson){.node = node, .context = context};
    return TLW_OK;
}

void tlwFreeJson(tlwJson *root)
{
    cJSON_Delete((cJSON *)root->node);
    root->node = NULL;
}

void tlwGetJsonPath(const tlwJson *value, char *path, size_t size)
{
    const tlwJson *chain[16];
    int depth = 0;
    for (const tlwJson *v = value; v && v->parent && depth < 16; v = v->parent)
        chain[depth++] = v;
    size_t used = 0;
    path[0] = 0;
    while (depth-- > 0 && used < size) {
        const tlwJson *v = chain[depth];
        int wrote = v->key ? snprintf(path + used, size - used, "%s%.60s", used ? "." : "", v->key)
                           : snprintf(path + used, size - used, "[%d]", v->index);
        used += wrote > 0 ? (size_t)wrote : 0;
    }
    if (!path[0])
        snprintf(path, size, "scene.json");
}

tlwResult tlwFailType(const tlwJson *value, const char *wanted)
{
    char path[256];
    tlwGetJsonPath(value, path, sizeof path);
    return tlwFail(&value->context->message, TLW_BAD_FILE, "%s must be %s.", path, wanted);
}

tlwJson tlwGetMember(const tlwJson *object, const char *key)
{
    const cJSON *node = cJSON_IsObject(object->node) ? cJSON_GetObjectItemCaseSensitive(object->node, key) : NULL;
    return (tlwJson){.node = node, .parent = object, .key = key, .context = object->context};
}

tlwResult tlwCheckObject(const tlwJson *value)
{
    return cJSON_IsObject(value->node) ? TLW_OK : tlwFailType(value, "an object in braces");
}

tlwResult tlwCheckList(const tlwJson *value, int *count)
{
    if (!cJSON_IsArray(value->node))
        return tlwFailType(value, "a list in brackets");
    *count = cJSON_GetArraySize(value->node);
    return TLW_OK;
}

tlwJson tlwFirstItem(const tlwJson *list)
{
    return (tlwJson){.node = list->node->child, .parent = list, .context = list->context};
}

void tlwNextItem(tlwJson *item)
{
    item->node = item->node->next;
    item->index++;
}

static bool getNumber(const cJSON *node, double *out)
{
    if (!cJSON_IsNumber(node) || !isfinite(node->valuedouble))
        return false;
    *out = node->valuedouble;
    return true;
}

tlwResult tlwReadNumber(const tlwJson *object, const char *key, double *out)
{
    tlwJson value = tlwGetMember(object, key);
    return !value.node || getNumber(value.node, out) ? TLW_OK : tlwFailType(&value, "a number");
}

tlwResult tlwReadInteger(const tlwJson *object, const char *key, int *out)
{
    tlwJson value = tlwGetMember(object, key);
    if (!value.node)
        return TLW_OK;
    double number;
    if (!getNumber(value.node, &number) || number != floor(number) || fabs(number) > INT_MAX)
        return tlwFailType(&value, "a whole number");
    *out = (int)number;
    return TLW_OK;
}

tlwResult tlwReadBool(const tlwJson *object, const char *key, bool *out)
{
    tlwJson value = tlwGetMember(object, key);
    if (!value.node)
        return TLW_OK;
    if (!cJSON_IsBool(value.node))
        return tlwFailType(&value, "true or false");
    *out = cJSON_IsTrue(value.node);
    return TLW_OK;
}

tlwResult tlwReadNumbers(const tlwJson *object, const char *key, int count, double *out)
{
    static const char *const words[] = {"no", "one", "two", "three", "four"};
    tlwJson value = tlwGetMember(object, key);
    if (!value.node)
        return TLW_OK;
    char wanted[32];
    snprintf(wanted, sizeof wanted, "%s numbers", words[count]);
    double numbers[4];
    int found = 0;
    const cJSON *item = cJSON_IsArray(value.node) ? value.node->child : NULL;
    for (; item; item = item->next, found++)
        if (found >= count || !getNumber(item, &numbers[found]))
            return tlwFailType(&value, wanted);
    if (found != count)
        return tlwFailType(&value, wanted);
    memcpy(out, numbers, (size_t)count * sizeof *out);
    return TLW_OK;
}

tlwResult tlwReadVec3(const tlwJson *object, const char *key, tlwVec3 *out)
{
    double v[3] = {out->x, out->y, out->z};
    TLW_TRY(tlwReadNumbers(object, key, 3, v));
    *out = (tlwVec3){v[0], v[1], v[2]};
    return TLW_OK;
}

tlwResult tlwReadQuat(const tlwJson *object, const char *key, tlwQuat *out)
{
    double q[4] = {out->w, out->x, out->y, out->z};
    TLW_TRY(tlwReadNumbers(object, key, 4, q));
    *out = (tlwQuat){q[0], q[1], q[2], q[3]};
    return TLW_OK;
}

tlwResult tlwReadString(const tlwJson *object, const char *key, const char **out)
{
    tlwJson value = tlwGetMember(object, key);
    if (!value.node)
        return TLW_OK;
    if (!cJSON_IsString(value.node) || !value.node->valuestring)
        return tlwFailType(&value, "a text in quotes");
    *out = value.node->valuestring;
    return TLW_OK;
}

tlwResult tlwReadChoice(const tlwJson *object, const char *key, const char *const *names, int *out)
{
    tlwJson value = tlwGetMember(object, key);
    if (!value.node)
        return TLW_OK;
    char wanted[200] = "one of ";
    for (int i = 0; names[i]; i++) {
        if (cJSON_IsString(value.node) && !strcmp(value.node->valuestring, names[i])) {
            *out = i;
            return TLW_OK;
        }
        size_t used = strlen(wanted);
        snprintf(wanted + used, sizeof wanted - used, "%s%s", i ? ", " : "", names[i]);
    }
    if (cJSON_IsString(value.node)) {
        size_t used = strlen(wanted);
        snprintf(wanted + used, sizeof wanted - used, ", not \"%.40s\"", value.node->valuestring);
    }
    return tlwFailType(&value, wanted);
}

void tlwWarnUnknown(const tlwJson *object, const char *const *known)
{
    int warned = 0;
    for (const cJSON *item = object->node->child; item && warned < MAX_UNKNOWN; item = item->next) {
        int i = 0;
        while (known[i] && strcmp(known[i], item->string))
            i++;
        if (known[i])
            continue;
        tlwJson value = {.node = item, .parent = object, .key = item->string, .context = object->context};
        char path[256];
        tlwGetJsonPath(&value, path, sizeof path);
        tlwLog(object->context, TLW_LOG_WARNING, "%s is not a member that this version of Tallow knows; it is ignored.",
               path);
        warned++;
    }
}
