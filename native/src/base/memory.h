// Memory: plain blocks, growing arrays, and large zeroed fields whose untouched pages cost nothing.
#ifndef TLW_BASE_MEMORY_H
#define TLW_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Null when memory is out or `count * size` overflows. Only `tlwAlloc` zeroes the block.
void *tlwAlloc(size_t count, size_t size);
void *tlwRealloc(void *block, size_t count, size_t size);
void tlwFree(void *block);
char *tlwCopyString(const char *text); // null stays null

// Make `*array` hold at least `needed` elements, growing by half. False when memory is out; the array stays valid.
bool tlwReserve(void **array, int64_t *capacity, int64_t needed, size_t size);

// Give freed memory that the allocator still holds back to the system.
void tlwTrimMemory(void);

// Largest resident size of this process so far, bytes. The size of the process that started this one does not count.
int64_t tlwGetPeakMemory(void);

#ifdef __cplusplus
}
#endif

#endif
