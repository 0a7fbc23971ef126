#include "cache/folder.h"

#include "base/file.h"
#include "base/memory.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static const struct {
    const char *folder, *suffix;
} kinds[TLW_CACHE_KINDS] = {
    {"surface", ".vdb"}, {"mesh", ".ply"}, {"particles", ".ply"}, {"rigid", ".json"}, {"state", ".tlw"},
};

bool tlwGetCachePath(const char *folder, tlwCacheKind kind, int frame, char *path)
{
    const char *name = kinds[kind].folder;
    return snprintf(path, PATH_MAX, "%s/%s/%s_%06d%s", folder, name, name, frame, kinds[kind].suffix) < PATH_MAX;
}

bool tlwGetIndexPath(const char *folder, char *path)
{
    return snprintf(path, PATH_MAX, "%s/bake.json", folder) < PATH_MAX;
}

static bool getFolder(const char *folder, tlwCacheKind kind, char *path)
{
    return snprintf(path, PATH_MAX, "%s/%s", folder, kinds[kind].folder) < PATH_MAX;
}

tlwResult tlwMakeCacheFolders(const char *folder, tlwMessage *message)
{
    char path[PATH_MAX];
    TLW_TRY(tlwMakeFolder(folder, message));
    for (int kind = 0; kind < TLW_CACHE_KINDS; kind++) {
        // The file names inside the folder must fit as well.
        if (!getFolder(folder, (tlwCacheKind)kind, path) || strlen(path) + 64 > PATH_MAX)
            return tlwFail(message, TLW_WRITE_FAILED,
                           "The path of the cache folder is too long; choose a shorter one.");
        TLW_TRY(tlwMakeFolder(path, message));
    }
    return TLW_OK;
}

// Whether `name` is a cache file: `mesh_000012.ply`, or the same with `.tmp` after it.
static bool parseName(tlwCacheKind kind, const char *name, int *frame, bool *temporary)
{
    size_t length = strlen(kinds[kind].folder);
    if (strncmp(name, kinds[kind].folder, length) || name[length] != '_')
        return false;
    const char *digits = name + length + 1;
    const char *c = digits + (*digits == '-');
    if (!isdigit((unsigned char)*c))
        return false;
    char *end;
    long number = strtol(digits, &end, 10);
    size_t width = (size_t)(end - digits);
    if (width < 6 || width > 8 || number < INT_MIN || number > INT_MAX)
        return false;
    length = strlen(kinds[kind].suffix);
    if (strncmp(end, kinds[kind].suffix, length))
        return false;
    *temporary = !strcmp(end + length, ".tmp");
    *frame = (int)number;
    return *temporary || !end[length];
}

static int compareFalling(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x < y) - (x > y);
}

tlwResult tlwListCacheFrames(const char *folder, tlwCacheKind kind, tlwMessage *message, int **frames, int *count)
{
    char path[PATH_MAX];
    int *list = NULL;
    int64_t capacity = 0;
    *count = 0;
    *frames = NULL;
    DIR *dir = getFolder(folder, kind, path) ? opendir(path) : NULL;
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        int frame;
        bool temporary;
        if (!parseName(kind, entry->d_name, &frame, &temporary) || temporary)
            continue;
        if (!tlwReserve((void **)&list, &capacity, *count + 1, sizeof *list)) {
            closedir(dir);
            tlwFree(list);
            return tlwFailMemory(message, "a list of frames");
        }
        list[(*count)++] = frame;
    }
    if (dir)
        closedir(dir);
    if (list)
        qsort(list, (size_t)*count, sizeof *list, compareFalling);
    *frames = list;
    return TLW_OK;
}

void tlwDeleteCacheFiles(const char *folder, tlwCacheKind kind, tlwFrameFilter *filter, const void *user)
{
    char path[PATH_MAX];
    DIR *dir = getFolder(folder, kind, path) ? opendir(path) : NULL;
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        int frame;
        bool temporary;
        if (parseName(kind, entry->d_name, &frame, &temporary) && (temporary || filter(user, frame)))
            unlinkat(dirfd(dir), entry->d_name, 0);
    }
    if (dir)
        closedir(dir);
}

tlwResult tlwLockCacheFolder(const char *folder, tlwMessage *message, int *lock)
{
    *lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (*lock < 0)
        return tlwFail(message, TLW_WRITE_FAILED, "The folder %s cannot be opened; choose another folder.", folder);
    if (flock(*lock, LOCK_EX | LOCK_NB) == 0)
        return TLW_OK;
    return tlwFail(message, TLW_WRITE_FAILED,
                   "Another bake is writing to %s; wait for it, cancel it or choose another folder.", folder);
}
