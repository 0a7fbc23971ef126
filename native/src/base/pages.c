#include "base/pages.h"

#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#ifdef TLW_SANITIZED
#include <sanitizer/asan_interface.h>
#endif

#define PAGE 4096
#define LINE 64
#define SPREAD 11               // lines
#define LEAST (16 * PAGE)       // smaller blocks are not kept
#define MOST_BLOCKS 256         // kept at a time
#define MOST_BYTES (1ull << 30) // kept, counted in addresses: most pages of sparse blocks were never written
#define MOST_ROUNDS 4           // calls of tlwCleanPages, three a step, after which an unused block is dropped
#define MOST_USES 64            // then a sparse block is dropped: it has gathered the pages of all its users
#define ROOM 4                  // a dense block may exceed the size asked for by 1 / ROOM
#define CHUNK 512               // pages cleaned at a time: one large page, aligned like one
#define MOST_MARKED (16 << 20)  // bytes, see mark
#define PRESENT (1ull << 63)    // bits of an entry of /proc/self/pagemap
#define SWAPPED (1ull << 62)
#define COOKIE 0x74616c6cu

// Stored before a block's first byte, on its first page.
typedef struct Head {
    size_t size;  // bytes that are mapped
    size_t shift; // from the first page to the block
    unsigned cookie, uses, round;
    bool dense, hidden;
    bool zero;     // all bytes are zero
    bool for_zero; // its user asked for zeros, so the next one probably will
} Head;

_Static_assert(sizeof(Head) <= LINE, "the head fits before every block");

static struct {
    pthread_mutex_t lock;
    Head *blocks[MOST_BLOCKS]; // oldest first
    int count;
    size_t bytes;
    unsigned round;
    int map; // see openMap
    pid_t map_of;
} kept = {.lock = PTHREAD_MUTEX_INITIALIZER, .map = -1};

// Per thread, so that a large simulation does not decide for a small one beside it.
static _Thread_local bool not_kept;

// Lets sanitizers report the use of a freed block. The marks take a byte for every eight bytes of the block, so large
// sparse blocks, which are mostly untouched, go without.
static void mark(Head *head, bool hidden)
{
    if (head->hidden == hidden || head->size > MOST_MARKED)
        return;
    head->hidden = hidden;
#ifdef TLW_SANITIZED
    void *block = (char *)head + head->shift;
    if (hidden)
        __asan_poison_memory_region(block, head->size - head->shift);
    else
        __asan_unpoison_memory_region(block, head->size - head->shift);
#endif
}

static Head *headOf(void *block)
{
    Head *head = (Head *)((uintptr_t)block / PAGE * PAGE);
    assert(head->cookie == COOKIE);
    return head;
}

static void *blockOf(Head *head)
{
    return (char *)head + head->shift;
}

// Bytes to map for a block: whole pages, and one more for the head and the shift.
static size_t sizeOf(size_t bytes)
{
    return (bytes + 2 * PAGE - 1) / PAGE * PAGE;
}

// Every block begins some cache lines further into its page than the block before. A first-level cache places lines by
// their address within a page. If more than eight arrays that a loop reads together all began at a page, their lines
// would evict each other.
static size_t chooseShift(size_t bytes)
{
    static unsigned blocks; // so far; nothing but addresses depends on it
    const unsigned lines = PAGE / LINE - 1;
    return LINE + (bytes < LEAST ? 0 : __atomic_fetch_add(&blocks, SPREAD, __ATOMIC_RELAXED) % lines * LINE);
}

static Head *mapBlock(size_t bytes, bool dense)
{
    size_t size = sizeOf(bytes);
    Head *head = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (head == MAP_FAILED)
        return NULL;
    madvise(head, size, dense ? MADV_HUGEPAGE : MADV_NOHUGEPAGE); // the whole mapping: mremap cannot resize two kinds
    *head = (Head){.size = size, .shift = chooseShift(bytes), .cookie = COOKIE, .dense = dense, .zero = true};
    return head;
}

static void unmapBlock(Head *head)
{
    mark(head, false);
    munmap(head, head->size);
}

// Append untouched pages or cut pages off. NULL when there is no room; the block then stays as it was.
static Head *resizeBlock(Head *head, size_t size)
{
    mark(head, false);
    Head *resized = mremap(head, head->size, size, MREMAP_MAYMOVE);
    if (resized == MAP_FAILED)
        return NULL;
    resized->size = size;
    return resized;
}

// Whether the file can be trusted: it must list a page that was just written as present.
static bool isPageMap(int map)
{
    uint64_t entry = 0;
    volatile char written = 1;
    uintptr_t page = (uintptr_t)&written / PAGE;
    return sysconf(_SC_PAGESIZE) == PAGE &&
           pread(map, &entry, sizeof entry, (off_t)(page * sizeof entry)) == sizeof entry && (entry & PRESENT);
}

// The system's list of this process's pages, -1 when there is none. A forked child must open its own. Call with the
// lock held.
static int openMap(void)
{
    if (kept.map_of == getpid())
        return kept.map;
    if (kept.map >= 0)
        close(kept.map);
    kept.map = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    kept.map_of = getpid();
    if (kept.map >= 0 && !isPageMap(kept.map)) {
        close(kept.map);
        kept.map = -1;
    }
    return kept.map;
}

static bool isZeroPage(const char *page)
{
    const uint64_t *words = (const uint64_t *)(const void *)page;
    uint64_t any = 0;
    for (int n = 0; n < PAGE / 8 && !any; n += 16)
        for (int i = 0; i < 16; i++)
            any |= words[n + i];
    return !any;
}

// Zero the pages that were written. A page that was only read has no memory of its own; writing zeros would give it
// some. Without a list all pages go back to the system.
static void cleanPages(int map, char *pages, size_t count)
{
    uint64_t entries[CHUNK];
    ssize_t bytes = (ssize_t)(count * sizeof *entries);
    if (map < 0 || pread(map, entries, (size_t)bytes, (off_t)((uintptr_t)pages / PAGE * sizeof *entries)) != bytes) {
        if (madvise(pages, count * PAGE, MADV_DONTNEED))
            memset(pages, 0, count * PAGE);
        return;
    }
    for (size_t n = 0; n < count; n++)
        if ((entries[n] & (PRESENT | SWAPPED)) && !isZeroPage(pages + n * PAGE))
            memset(pages + n * PAGE, 0, PAGE);
}

typedef struct Cleaning {
    Head *blocks[MOST_BLOCKS];
    int64_t start[MOST_BLOCKS + 1]; // in chunks
    int count, map;
} Cleaning;

static void cleanRange(void *context, int64_t begin, int64_t end)
{
    const Cleaning *c = context;
    int b = 0;
    for (int64_t chunk = begin; chunk < end; chunk++) {
        while (chunk >= c->start[b + 1])
            b++;
        Head *head = c->blocks[b];
        uintptr_t page = (uintptr_t)head / PAGE, begin_page = page + 1, end_page = page + head->size / PAGE;
        uintptr_t first = (page / CHUNK + (uintptr_t)(chunk - c->start[b])) * CHUNK, last = first + CHUNK;
        if (first <= page) // the first page: keep its head
            memset(blockOf(head), 0, PAGE - head->shift);
        first = first < begin_page ? begin_page : first;
        last = last > end_page ? end_page : last;
        if (first < last)
            cleanPages(c->map, (char *)(first * PAGE), last - first);
    }
}

static void addToCleaning(Cleaning *c, Head *head)
{
    mark(head, false);
    uintptr_t page = (uintptr_t)head / PAGE, end = page + head->size / PAGE;
    int64_t chunks = (int64_t)((end + CHUNK - 1) / CHUNK - page / CHUNK);
    c->blocks[c->count] = head;
    c->start[c->count + 1] = c->start[c->count] + chunks;
    c->count++;
}

static void clean(tlwThreads *threads, Cleaning *c)
{
    tlwParallelFor(threads, c->start[c->count], 1, cleanRange, c);
    for (int n = 0; n < c->count; n++)
        c->blocks[n]->zero = true;
}

// The functions from here to the line below are called with the lock held.

static Head *takeOut(int n)
{
    Head *head = kept.blocks[n];
    kept.bytes -= head->size;
    kept.count--;
    memmove(kept.blocks + n, kept.blocks + n + 1, (size_t)(kept.count - n) * sizeof *kept.blocks);
    return head;
}

static void putIn(Head *head)
{
    if ((not_kept && head->dense) || head->size < LEAST || head->size > MOST_BYTES || (!not_kept && openMap() < 0) ||
        (!head->dense && head->uses >= MOST_USES)) {
        unmapBlock(head);
        return;
    }
    while (kept.count == MOST_BLOCKS || kept.bytes + head->size > MOST_BYTES)
        unmapBlock(takeOut(0));
    mark(head, true);
    kept.bytes += head->size;
    kept.blocks[kept.count++] = head;
}

// Whether a kept block may serve a request for `size` bytes. Windows change by layers of tiles from step to step, so
// sizes rarely match. A dense block that is too large wastes memory. A sparse block wastes only the pages written
// beyond `size`, and grows when it is too small.
static bool serves(const Head *head, size_t size, bool dense)
{
    if (head->dense != dense)
        return false;
    return dense ? head->size >= size && head->size <= size + size / ROOM
                 : head->size > size / 2 && head->size / 2 < size;
}

// Prefers, in this order: a block that need not grow, a block that is zero exactly when zeros are wanted, the nearest
// size.
static bool isBetter(const Head *head, const Head *other, size_t size, bool zero)
{
    bool fits = head->size >= size, other_fits = other->size >= size;
    if (fits != other_fits)
        return fits;
    if ((head->zero == zero) != (other->zero == zero))
        return head->zero == zero;
    return fits ? head->size < other->size : head->size > other->size;
}

static Head *findBlock(size_t size, bool dense, bool zero)
{
    int best = -1;
    for (int n = kept.count - 1; n >= 0; n--)
        if (serves(kept.blocks[n], size, dense) &&
            (best < 0 || isBetter(kept.blocks[n], kept.blocks[best], size, zero)))
            best = n;
    return best < 0 ? NULL : takeOut(best);
}

// Take out the blocks that are not zero but whose next user will want zeros, or all blocks.
static void takeOutFor(Cleaning *c, bool all)
{
    for (int n = 0; n < kept.count;)
        if (all || (kept.blocks[n]->for_zero && !kept.blocks[n]->zero))
            addToCleaning(c, takeOut(n));
        else
            n++;
}

static void dropOlderThan(unsigned rounds)
{
    for (int n = kept.count - 1; n >= 0; n--)
        if (kept.round - kept.blocks[n]->round >= rounds)
            unmapBlock(takeOut(n));
}

// ---

static Head *resizeOrUnmap(Head *head, size_t size)
{
    Head *resized = resizeBlock(head, size);
    if (!resized)
        unmapBlock(head);
    return resized;
}

static void *getBlock(size_t bytes, bool dense, bool zero)
{
    Cleaning c = {.map = -1};
    size_t size = sizeOf(bytes);
    pthread_mutex_lock(&kept.lock);
    Head *head = findBlock(size, dense, zero);
    bool shrink = not_kept && !dense; // give back what earlier users wrote beyond `size`
    if (head)
        c.map = openMap();
    pthread_mutex_unlock(&kept.lock);
    if (head && (head->size < size || (shrink && head->size > size)))
        head = resizeOrUnmap(head, size);
    if (!head)
        head = mapBlock(bytes, dense);
    if (!head) { // the kept blocks may hold the memory that is missing
        tlwDropPages();
        head = mapBlock(bytes, dense);
    }
    if (!head)
        return NULL;
    mark(head, false);
    if (zero && !head->zero) {
        addToCleaning(&c, head);
        clean(NULL, &c);
    }
    head->uses++;
    head->for_zero = zero;
    return blockOf(head);
}

void *tlwAllocPages(size_t bytes)
{
    return getBlock(bytes, false, true);
}

void *tlwAllocDense(size_t bytes)
{
    return getBlock(bytes, true, true);
}

void *tlwAllocScratch(size_t bytes)
{
    return getBlock(bytes, true, false);
}

void tlwFreePages(void *block)
{
    if (!block)
        return;
    Head *head = headOf(block);
    pthread_mutex_lock(&kept.lock);
    head->zero = false;
    head->round = kept.round;
    putIn(head);
    pthread_mutex_unlock(&kept.lock);
}

void tlwUnmapPages(void *block)
{
    if (block)
        unmapBlock(headOf(block));
}

void tlwReleasePages(tlwThreads *threads, void *const *blocks, int count)
{
    Cleaning c = {.map = -1};
    for (int n = 0; n < count; n++) {
        if (blocks[n])
            addToCleaning(&c, headOf(blocks[n]));
        if (c.count == MOST_BLOCKS || n == count - 1) {
            tlwParallelFor(threads, c.start[c.count], 1, cleanRange, &c);
            c.count = 0;
        }
    }
}

void *tlwGrowPages(void *block, size_t bytes)
{
    if (!block)
        return tlwAllocDense(bytes);
    Head *head = headOf(block);
    size_t size = sizeOf(bytes);
    if (size == head->size)
        return block;
    head = resizeBlock(head, size);
    return head ? blockOf(head) : NULL;
}

void tlwKeepPages(bool keep)
{
    pthread_mutex_lock(&kept.lock);
    not_kept = !keep;
    if (!keep)
        dropOlderThan(0);
    pthread_mutex_unlock(&kept.lock);
}

bool tlwArePagesKept(void)
{
    return !not_kept;
}

void tlwCleanPages(tlwThreads *threads)
{
    Cleaning c = {0};
    pthread_mutex_lock(&kept.lock);
    kept.round++;
    dropOlderThan(MOST_ROUNDS);
    bool keep = !not_kept;
    takeOutFor(&c, !keep);
    c.map = keep ? openMap() : -1;
    pthread_mutex_unlock(&kept.lock);
    clean(threads, &c);
    pthread_mutex_lock(&kept.lock);
    for (int n = 0; n < c.count; n++)
        if (keep)
            putIn(c.blocks[n]);
        else
            unmapBlock(c.blocks[n]);
    pthread_mutex_unlock(&kept.lock);
}

void tlwDropPages(void)
{
    pthread_mutex_lock(&kept.lock);
    dropOlderThan(0);
    pthread_mutex_unlock(&kept.lock);
}
