// Large blocks in pages of their own.
//
// Solvers allocate and free the same blocks in every step. A fresh small page from the system costs 1.9 us, and two
// threads get pages no faster than one. Finding the written pages of a used block and zeroing them costs 0.2 us a page.
// So freed blocks are kept for reuse for a while.
#ifndef TLW_BASE_PAGES_H
#define TLW_BASE_PAGES_H

#include "base/parallel.h"

#include <stdbool.h>
#include <stddef.h>

// A sparse block: zeroed, aligned to 64 bytes. Only pages that are written take physical memory.
void *tlwAllocPages(size_t bytes);
// A dense block: zeroed, for contents that fill the block from end to end. Uses large pages where the system has them;
// touching those takes a tenth of the time. The functions below take blocks of all three kinds.
void *tlwAllocDense(size_t bytes);
// A dense block with unspecified contents.
void *tlwAllocScratch(size_t bytes);
void tlwFreePages(void *block); // may be null
// Free a block without keeping it, because nobody will ask for its size soon.
void tlwUnmapPages(void *block);
// Zero the blocks by giving their physical memory back to the system. The blocks stay valid. Entries may be null.
void tlwReleasePages(tlwThreads *threads, void *const *blocks, int count);
// Resize a block. The contents stay, the address may change. Null when memory is out; the block is then unchanged. New
// bytes are zero, except in scratch blocks. A null block becomes a dense one.
void *tlwGrowPages(void *block, size_t bytes);

// Whether blocks that this thread frees are kept for reuse; true at the start. Otherwise dense blocks go back to the
// system at once and sparse ones with the next tlwCleanPages. All threads share the kept blocks. Passing false also
// drops all kept blocks.
void tlwKeepPages(bool keep);
bool tlwArePagesKept(void);
// Zero, on all threads, the kept blocks whose last user asked for zeros. Otherwise a block's next user zeroes it on one
// thread. When this thread does not keep blocks, give all of them back to the system instead, also on all threads.
void tlwCleanPages(tlwThreads *threads);
// Give the kept blocks back to the system.
void tlwDropPages(void);

#endif
