#include "cache/index.h"

#include "base/context.h"
#include "base/file.h"
#include "base/memory.h"
#include "cache/folder.h"
#include "cache/text.h"
#include "scene/json.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Prints numbers with tlwAddJsonNumber, so that reading and rewriting the list changes nothing. cJSON's own printer
// rounds.
static void addNode(tlwText *text, const cJSON *node)
{
    if (cJSON_IsNumber(node)) {
        tlwAddJsonNumber(text, node->valuedouble);
    } else if (cJSON_IsString(node)) {
        tlwAddJsonString(text, node->valuestring);
    } else if (cJSON_IsObject(node) || cJSON_IsArray(node)) {
        bool object = cJSON_IsObject(node);
        tlwAddText(text, object ? "{" : "[");
        for (const cJSON *child = node->child; child; child = child->next) {
            if (object)
                tlwAddJsonKey(text, child->string);
            else if (child != node->child)
                tlwAddText(text, ", ");
            addNode(text, child);
        }
        tlwAddText(text, object ? "}" : "]");
    } else {
        tlwAddText(text, cJSON_IsTrue(node) ? "true" : cJSON_IsFalse(node) ? "false" : "null");
    }
}

static tlwResult readFrame(const tlwJson *item, tlwIndex *index)
{
    int frame = INT_MIN;
    TLW_TRY(tlwCheckObject(item));
    TLW_TRY(tlwReadInteger(item, "frame", &frame));
    if (frame == INT_MIN || (index->frame_count > 0 && frame <= index->frames[index->frame_count - 1].frame))
        return tlwFailType(item, "a frame with a number above that of the one before");
    tlwText entry = {0};
    addNode(&entry, item->node);
    tlwResult result = entry.failed ? tlwFailMemory(&item->context->message, "the list of frames")
                                    : tlwAddIndexFrame(index, frame, entry.data, &item->context->message);
    tlwFreeText(&entry);
    return result;
}

static tlwResult readHeader(const tlwJson *root, const char *path, tlwIndex *index)
{
    tlwMessage *message = &root->context->message;
    TLW_TRY(tlwCheckObject(root));
    const char *format = "", *library = "", *name = "", *hash = "";
    int version = 0;
    TLW_TRY(tlwReadString(root, "format", &format));
    TLW_TRY(tlwReadInteger(root, "version", &version));
    if (strcmp(format, "tallow-cache") || version != 1)
        return tlwFail(message, TLW_BAD_FILE, "%s is not a list of frames that this version of Tallow reads.", path);
    TLW_TRY(tlwReadString(root, "library", &library));
    TLW_TRY(tlwReadString(root, "scene_name", &name));
    TLW_TRY(tlwReadString(root, "scene_hash", &hash));
    TLW_TRY(tlwReadNumber(root, "fps", &index->fps));
    TLW_TRY(tlwReadNumber(root, "cell_size", &index->cell_size));
    TLW_TRY(tlwReadInteger(root, "frame_start", &index->frame_start));
    TLW_TRY(tlwReadInteger(root, "frame_end", &index->frame_end));
    TLW_TRY(tlwReadVec3(root, "domain_min", &index->domain_min));
    TLW_TRY(tlwReadVec3(root, "domain_max", &index->domain_max));
    TLW_TRY(tlwReadBool(root, "finished", &index->finished));
    index->scene_hash = strtoull(hash, NULL, 16);
    index->library = tlwCopyString(library);
    index->scene_name = tlwCopyString(name);
    return index->library && index->scene_name ? TLW_OK : tlwFailMemory(message, "the list of frames");
}

tlwResult tlwReadIndex(tlwContext *context, const char *folder, tlwIndex *index)
{
    *index = (tlwIndex){0};
    char path[PATH_MAX];
    if (!tlwGetIndexPath(folder, path))
        return tlwFail(&context->message, TLW_BAD_FILE, "The path of the cache folder is too long.");
    tlwJson root;
    TLW_TRY(tlwOpenJson(context, path, &root));
    tlwResult result = readHeader(&root, path, index);
    tlwJson list = tlwGetMember(&root, "frames");
    int count = 0;
    if (result == TLW_OK)
        result = tlwCheckList(&list, &count);
    if (result == TLW_OK)
        for (tlwJson item = tlwFirstItem(&list); item.node && result == TLW_OK; tlwNextItem(&item))
            result = readFrame(&item, index);
    tlwFreeJson(&root);
    if (result != TLW_OK)
        tlwFreeIndex(index);
    return result;
}

tlwResult tlwWriteIndex(const tlwIndex *index, const char *folder, tlwMessage *message)
{
    char path[PATH_MAX];
    if (!tlwGetIndexPath(folder, path))
        return tlwFail(message, TLW_WRITE_FAILED, "The path of the cache folder is too long.");
    tlwText text = {0};
    char hash[17];
    snprintf(hash, sizeof hash, "%016" PRIx64, index->scene_hash);
    tlwAddText(&text, "{\"format\": \"tallow-cache\", \"version\": 1");
    tlwAddJsonStringMember(&text, "library", index->library);
    tlwAddJsonStringMember(&text, "scene_hash", hash);
    tlwAddJsonStringMember(&text, "scene_name", index->scene_name);
    tlwAddJsonMember(&text, "fps", index->fps);
    tlwAddJsonMember(&text, "frame_start", index->frame_start);
    tlwAddJsonMember(&text, "frame_end", index->frame_end);
    tlwAddJsonMember(&text, "cell_size", index->cell_size);
    tlwVec3 a = index->domain_min, b = index->domain_max;
    tlwAddJsonNumbers(&text, "domain_min", (const double[]){a.x, a.y, a.z}, 3);
    tlwAddJsonNumbers(&text, "domain_max", (const double[]){b.x, b.y, b.z}, 3);
    tlwAddFormat(&text, ",\n \"finished\": %s,\n \"frames\": [", index->finished ? "true" : "false");
    for (int i = 0; i < index->frame_count; i++) {
        tlwAddText(&text, i ? ",\n  " : "\n  ");
        tlwAddText(&text, index->frames[i].entry);
    }
    tlwAddText(&text, "\n ]}\n");
    tlwResult result = text.failed ? tlwFailMemory(message, "the list of frames") : TLW_OK;
    tlwWriter *writer = NULL;
    if (result == TLW_OK)
        result = tlwBeginWrite(path, message, &writer);
    if (result == TLW_OK) {
        tlwWrite(writer, text.data, (size_t)text.size);
        result = tlwEndWrite(writer, message);
    }
    tlwFreeText(&text);
    return result;
}

void tlwFreeIndex(tlwIndex *index)
{
    for (int i = 0; i < index->frame_count; i++)
        tlwFree(index->frames[i].entry);
    tlwFree(index->frames);
    tlwFree(index->library);
    tlwFree(index->scene_name);
    *index = (tlwIndex){0};
}

tlwResult tlwAddIndexFrame(tlwIndex *index, int frame, const char *entry, tlwMessage *message)
{
    char *copy = tlwCopyString(entry);
    if (!copy ||
        !tlwReserve((void **)&index->frames, &index->frame_capacity, index->frame_count + 1, sizeof *index->frames)) {
        tlwFree(copy);
        return tlwFailMemory(message, "the list of frames");
    }
    index->frames[index->frame_count++] = (tlwIndexFrame){frame, copy};
    return TLW_OK;
}

// The place of the first frame that is not before `frame`.
static int findFrame(const tlwIndex *index, int frame)
{
    int low = 0, high = index->frame_count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (index->frames[middle].frame < frame)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool tlwHasIndexFrame(const tlwIndex *index, int frame)
{
    int n = findFrame(index, frame);
    return n < index->frame_count && index->frames[n].frame == frame;
}

double tlwGetIndexNumber(const tlwIndex *index, int frame, const char *key)
{
    if (!tlwHasIndexFrame(index, frame))
        return 0;
    cJSON *entry = cJSON_Parse(index->frames[findFrame(index, frame)].entry);
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(entry, key);
    double value = cJSON_IsNumber(item) ? item->valuedouble : 0;
    cJSON_Delete(entry);
    return value;
}

tlwResult tlwChangeIndexFrame(tlwIndex *index, int frame, const char *key, double value, tlwMessage *message)
{
    if (!tlwHasIndexFrame(index, frame))
        return TLW_OK;
    tlwIndexFrame *item = &index->frames[findFrame(index, frame)];
    cJSON *entry = cJSON_Parse(item->entry), *number = cJSON_GetObjectItemCaseSensitive(entry, key);
    if (number)
        cJSON_SetNumberValue(number, value);
    else
        cJSON_AddNumberToObject(entry, key, value);
    tlwText text = {0};
    addNode(&text, entry);
    cJSON_Delete(entry);
    char *copy = text.failed ? NULL : tlwCopyString(text.data);
    tlwFreeText(&text);
    if (!copy)
        return tlwFailMemory(message, "the list of frames");
    tlwFree(item->entry);
    item->entry = copy;
    return TLW_OK;
}

void tlwCutIndex(tlwIndex *index, int frame)
{
    while (index->frame_count > 0 && index->frames[index->frame_count - 1].frame > frame)
        tlwFree(index->frames[--index->frame_count].entry);
}
