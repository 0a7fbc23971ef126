#include "scene/deform.h"

#include "base/context.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "shape/ply_read.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#define MAX_DEFORM_FILES 1000000

struct tlwDeformFiles {
    tlwContext *context;
    char *object;
    char *before, *after; // the pattern around its number
    int digits;           // least width of the number
    int first, last;
    int64_t triangle_count; // of the first frame read; -1 before that
    tlwMesh mesh;
    uint64_t *hashes; // per file: hash of all files up to it, owned; null until tlwHashDeformFiles
};

// Splits at "%d" or "%06d". The pattern comes from a file, so it never reaches printf as a format.
static bool splitPattern(const char *pattern, size_t *start, size_t *end, int *digits)
{
    const char *percent = strchr(pattern, '%');
    if (!percent || strchr(percent + 1, '%'))
        return false;
    const char *c = percent + 1;
    *digits = 1;
    if (*c == '0' && isdigit((unsigned char)c[1])) {
        *digits = c[1] - '0';
        c += 2;
    }
    if (*c != 'd')
        return false;
    *start = (size_t)(percent - pattern);
    *end = (size_t)(c + 1 - pattern);
    return true;
}

tlwResult tlwOpenDeformFiles(tlwContext *context, const char *object, const char *folder, const char *pattern,
                             int first, int last, tlwDeformFiles **files)
{
    tlwMessage *message = &context->message;
    size_t start, end;
    int digits;
    if (!splitPattern(pattern, &start, &end, &digits))
        return tlwFail(message, TLW_BAD_FILE,
                       "%s: the pattern of its deforming meshes must hold one number like %%06d.", object);
    if (last < first || first < -MAX_DEFORM_FILES || (int64_t)last - first >= MAX_DEFORM_FILES)
        return tlwFail(message, TLW_BAD_FILE, "%s: its deforming meshes run from frame %d to %d, which is not a range.",
                       object, first, last);
    tlwDeformFiles *made = tlwAlloc(1, sizeof *made);
    if (!made)
        return tlwFailMemory(message, "a deforming mesh");
    made->context = context;
    made->object = tlwCopyString(object);
    made->before = tlwAlloc(strlen(folder) + start + 2, 1);
    made->after = tlwCopyString(pattern + end);
    made->digits = digits;
    made->first = first;
    made->last = last;
    made->triangle_count = -1;
    if (!made->object || !made->before || !made->after) {
        tlwFreeDeformFiles(made);
        return tlwFailMemory(message, "a deforming mesh");
    }
    snprintf(made->before, strlen(folder) + start + 2, "%s/%.*s", folder, (int)start, pattern);
    *files = made;
    return TLW_OK;
}

void tlwFreeDeformFiles(tlwDeformFiles *files)
{
    if (!files)
        return;
    tlwDestroyMesh(&files->mesh);
    tlwFree(files->object);
    tlwFree(files->before);
    tlwFree(files->after);
    tlwFree(files->hashes);
    tlwFree(files);
}

static int clampFrame(const tlwDeformFiles *files, int frame)
{
    return frame < files->first ? files->first : frame > files->last ? files->last : frame;
}

static bool getPath(const tlwDeformFiles *files, int frame, char path[PATH_MAX])
{
    frame = clampFrame(files, frame);
    return snprintf(path, PATH_MAX, "%s%0*d%s", files->before, files->digits, frame, files->after) < PATH_MAX;
}

tlwResult tlwReadDeformFrame(void *user, int frame, tlwMeshData *mesh)
{
    tlwDeformFiles *files = user;
    tlwMessage *message = &files->context->message;
    char path[PATH_MAX];
    if (!getPath(files, frame, path))
        return tlwFail(message, TLW_BAD_FILE, "%s: the path of its mesh for frame %d is too long.", files->object,
                       frame);
    tlwMesh read;
    TLW_TRY(tlwReadPlyMesh(path, message, &read));
    if (files->triangle_count >= 0 && files->triangle_count != read.triangle_count) {
        int64_t count = read.triangle_count;
        tlwDestroyMesh(&read);
        return tlwFail(message, TLW_BAD_MESH,
                       "%s has %lld triangles in frame %d but %lld before; a deforming solid must keep its triangles.",
                       files->object, (long long)count, frame, (long long)files->triangle_count);
    }
    files->triangle_count = read.triangle_count;
    tlwDestroyMesh(&files->mesh);
    files->mesh = read;
    *mesh = (tlwMeshData){read.positions, (int)read.vertex_count, read.triangles, (int)read.triangle_count};
    return TLW_OK;
}

tlwResult tlwHashDeformFiles(tlwDeformFiles *files)
{
    tlwMessage *message = &files->context->message;
    uint64_t hash = TLW_HASH_SEED;
    tlwFree(files->hashes);
    files->hashes = tlwAlloc((size_t)files->last - (size_t)files->first + 1, sizeof *files->hashes);
    if (!files->hashes)
        return tlwFailMemory(message, "a deforming mesh");
    for (int frame = files->first; frame <= files->last; frame++) {
        char path[PATH_MAX], *data = NULL;
        int64_t size = 0;
        if (!getPath(files, frame, path))
            return tlwFail(message, TLW_BAD_FILE, "%s: the path of its mesh for frame %d is too long.", files->object,
                           frame);
        TLW_TRY(tlwReadFile(path, 0, message, &data, &size));
        hash = tlwHashBytes(hash, data, (size_t)size);
        files->hashes[frame - files->first] = hash;
        tlwFree(data);
    }
    return TLW_OK;
}

uint64_t tlwGetDeformHash(const tlwDeformFiles *files, int last_frame)
{
    return files->hashes ? files->hashes[clampFrame(files, last_frame) - files->first] : TLW_HASH_SEED;
}
