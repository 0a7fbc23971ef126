// Large blocks in pages of their own.
//
// Solvers take and give back the same blocks in every step. To have a fresh small page from the system costs 1.9 us
// here, and two threads get them no faster than one; to find out which pages of a used block were written and to make
// those zero costs 0.2. So blocks that are freed are kept for a while.
#ifndef TLW_BASE_PAGES_H
#define TLW_BASE_PAGES_H

#include "base/parallel.h"

#include <stdbool.h>
#include <stddef.h>

// Zeroed, aligned to 64 bytes; physical memory is taken only for the pages that are written.
void *tlwAllocPages(size_t bytes);
// The same for blocks that are written from end to end: in large pages where the system has them, which cost a tenth of
// the time to touch. The functions below take all three.
void *tlwAllocDense(size_t bytes);
// A dense one that holds anything.
void *tlwAllocScratch(size_t bytes);
void tlwFreePages(void *block); // may be null
// The same for a block whose like nobody will ask for soon: it is not kept.
void tlwUnmapPages(void *block);
// The blocks stay and are zero again; their physical memory goes back to the system. Some may be null.
void tlwReleasePages(tlwThreads *threads, void *const *blocks, int count);
// The block with another size and its contents, perhaps elsewhere; null when memory is out (then it is as it was). What
// is new is zero, but for scratch. Null grows to a dense one.
void *tlwGrowPages(void *block, size_t bytes);

// Pages that this thread frees are kept for whoever asks next, or go back to the system: dense ones at once, others
// when they would be cleaned. Kept at the start. All threads share what is kept.
void tlwKeepPages(bool keep);
bool tlwArePagesKept(void);
// Make those that are kept zero on all threads, else whoever gets them does it, on one. Or give them back on all.
void tlwCleanPages(tlwThreads *threads);
// Give those that are kept back to the system.
void tlwDropPages(void);

#endif
