#include "base/memory.h"

#include "base/pages.h"

#include <stdio.h>
#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <string.h>
#include <sys/resource.h>

void *tlwAlloc(size_t count, size_t size)
{
    return calloc(count ? count : 1, size ? size : 1);
}

void *tlwRealloc(void *block, size_t count, size_t size)
{
    return reallocarray(block, count ? count : 1, size);
}

void tlwFree(void *block)
{
    free(block);
}

char *tlwCopyString(const char *text)
{
    return text ? strdup(text) : NULL;
}

bool tlwReserve(void **array, int64_t *capacity, int64_t needed, size_t size)
{
    if (needed <= *capacity)
        return true;
    int64_t grown = *capacity + *capacity / 2;
    if (grown < needed)
        grown = needed;
    void *block = tlwRealloc(*array, (size_t)grown, size);
    if (!block)
        return false;
    *array = block;
    *capacity = grown;
    return true;
}

void tlwTrimMemory(void)
{
    tlwDropPages();
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

// VmHWM, or -1 where the system does not have it. A process inherits ru_maxrss from the process that started it, so a
// bake started by Blender would show Blender's peak.
static int64_t readPeak(void)
{
    long long kilobytes = -1;
    char line[256];
    FILE *file = fopen("/proc/self/status", "r");
    while (file && kilobytes < 0 && fgets(line, sizeof line, file))
        if (sscanf(line, "VmHWM: %lld kB", &kilobytes) != 1)
            kilobytes = -1;
    if (file)
        fclose(file);
    return kilobytes < 0 ? -1 : (int64_t)kilobytes * 1024;
}

int64_t tlwGetPeakMemory(void)
{
    int64_t peak = readPeak();
    if (peak >= 0)
        return peak;
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (int64_t)usage.ru_maxrss * 1024;
}
