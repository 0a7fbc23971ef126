// Reading JSON with a path for every value, so that a message can say `objects[2].keys[0].scale`.
#ifndef TLW_SCENE_JSON_H
#define TLW_SCENE_JSON_H

#include "tallow/tallow.h"

#include <stdbool.h>
#include <stddef.h>

struct cJSON;

typedef struct tlwJson {
    const struct cJSON *node; // null when the member is missing
    const struct tlwJson *parent;
    const char *key; // null for an item of a list
    int index;
    tlwContext *context;
} tlwJson;

// Parse a whole file; free with tlwFreeJson. The message has the line number of the first error.
tlwResult tlwOpenJson(tlwContext *context, const char *path, tlwJson *root);
void tlwFreeJson(tlwJson *root);

// Member of an object; `node` is null when it is missing.
tlwJson tlwGetMember(const tlwJson *object, const char *key);

// Fail unless the value is an object or a list, respectively. `count` takes the list's length.
tlwResult tlwCheckObject(const tlwJson *value);
tlwResult tlwCheckList(const tlwJson *value, int *count);

// Walks a list: first item, then the next one; `node` null at the end.
tlwJson tlwFirstItem(const tlwJson *list);
void tlwNextItem(tlwJson *item);

// Each leaves `out` unchanged when the member is missing. A wrong type fails with a message that names the path.
tlwResult tlwReadNumber(const tlwJson *object, const char *key, double *out);
tlwResult tlwReadInteger(const tlwJson *object, const char *key, int *out);
tlwResult tlwReadBool(const tlwJson *object, const char *key, bool *out);
tlwResult tlwReadNumbers(const tlwJson *object, const char *key, int count, double *out);
tlwResult tlwReadVec3(const tlwJson *object, const char *key, tlwVec3 *out);
tlwResult tlwReadQuat(const tlwJson *object, const char *key, tlwQuat *out);

// The string lives as long as the file's root.
tlwResult tlwReadString(const tlwJson *object, const char *key, const char **out);

// One of `names`, which ends with null; `out` takes its index.
tlwResult tlwReadChoice(const tlwJson *object, const char *key, const char *const *names, int *out);

// Logs a warning for members that are not among `known`, which ends with null.
void tlwWarnUnknown(const tlwJson *object, const char *const *known);

// Fails with "<path> must be <wanted>."
tlwResult tlwFailType(const tlwJson *value, const char *wanted);

// `objects[2].keys[0].scale`
void tlwGetJsonPath(const tlwJson *value, char *path, size_t size);

#endif
