#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <string.h>
#include <sys/mman.h>
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

// Arrays that are walked through together must not all begin on a page: a cache of the first level tells lines apart by
// the address within a page, so that more than eight such arrays would throw each other out. Every block begins some
// lines further on than the one before.
#define PAGE 4096
#define LINE 64
#define SPREAD 11 // lines

static size_t shiftOf(const void *block)
{
    return (uintptr_t)block % PAGE;
}

static void *mapPages(size_t bytes, int advice)
{
    static unsigned blocks; // so far; nothing but addresses depends on it
    size_t shift = __atomic_fetch_add(&blocks, 1, __ATOMIC_RELAXED) * SPREAD % (PAGE / LINE) * LINE;
    shift = bytes < 16 * PAGE ? 0 : shift;
    char *pages =
        mmap(NULL, bytes + shift + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED)
        return NULL;
    madvise(pages, bytes + shift + 1, advice); // all of it: a block of two kinds of pages could not grow
    return pages + shift;
}

void *tlwAllocPages(size_t bytes)
{
    return mapPages(bytes, MADV_NOHUGEPAGE);
}

void *tlwAllocDense(size_t bytes)
{
    return mapPages(bytes, MADV_HUGEPAGE);
}

void tlwFreePages(void *block, size_t bytes)
{
    if (block)
        munmap((char *)block - shiftOf(block), bytes + shiftOf(block) + 1);
}

void tlwReleasePages(void *block, size_t bytes)
{
    if (block && madvise((char *)block - shiftOf(block), bytes + shiftOf(block) + 1, MADV_DONTNEED))
        memset(block, 0, bytes);
}

void *tlwGrowPages(void *block, size_t old_bytes, size_t bytes)
{
    if (!block)
        return tlwAllocDense(bytes);
    size_t shift = shiftOf(block);
    char *pages = mremap((char *)block - shift, old_bytes + shift + 1, bytes + shift + 1, MREMAP_MAYMOVE);
    return pages == MAP_FAILED ? NULL : pages + shift;
}

void tlwTrimMemory(void)
{
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

// Not ru_maxrss where the system tells better: a program that another starts inherits the size of the other there, and
// a bake out of Blender would show Blender's.
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
