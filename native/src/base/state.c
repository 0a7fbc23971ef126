#include "base/state.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHUNK ((size_t)1 << 20)

static const char header_magic[8] = {'T', 'L', 'W', 'S', 'T', 'A', 'T', 'E'};
static const char trailer_magic[8] = {'T', 'L', 'W', 'T', 'A', 'B', 'L', 'E'};

typedef struct Header {
    char magic[8];
    uint32_t version, abi;
    uint64_t scene_hash;
    int64_t frame;
    uint64_t checksum;
} Header;

typedef struct Section {
    char name[TLW_SECTION_NAME];
    uint64_t offset, size, checksum;
} Section;

typedef struct Trailer {
    uint64_t table_offset, count, checksum;
    char magic[8];
} Trailer;

_Static_assert(sizeof(Header) == 40 && sizeof(Section) == 56 && sizeof(Trailer) == 32, "the file has no padding");

struct tlwStateWriter {
    tlwWriter *file; // null: the sections go to `bytes`
    char *bytes;
    int64_t capacity;
    bool full; // memory is out
    uint64_t offset;
    uint64_t count;
    bool misused; // too many sections, a name too long or used twice: a defect of ours
    Section table[TLW_MAX_SECTIONS];
};

struct tlwStateReader {
    char *path;
    int fd;
    char *bytes; // of a state in memory, which has no file
    Header header;
    uint64_t count;
    Section *table;
};

// Sections are hashed in chunks so that a reader may check one without holding it whole.
static uint64_t hashChunks(uint64_t hash, const void *bytes, size_t size)
{
    for (size_t done = 0; done < size; done += CHUNK)
        hash = tlwHashBytes(hash, (const char *)bytes + done, size - done < CHUNK ? size - done : CHUNK);
    return hash;
}

tlwResult tlwBeginState(const char *path, const tlwStateHeader *header, tlwMessage *message, tlwStateWriter **writer)
{
    tlwStateWriter *made = tlwAlloc(1, sizeof *made);
    if (!made)
        return tlwFailMemory(message, "a checkpoint");
    tlwResult result = tlwBeginWrite(path, message, &made->file);
    if (result != TLW_OK) {
        tlwFree(made);
        return result;
    }
    Header h = {
        .version = TLW_STATE_VERSION, .abi = TLW_ABI_VERSION, .scene_hash = header->scene_hash, .frame = header->frame};
    memcpy(h.magic, header_magic, sizeof h.magic);
    h.checksum = tlwHashBytes(TLW_HASH_SEED, &h, offsetof(Header, checksum));
    tlwWrite(made->file, &h, sizeof h);
    made->offset = sizeof h;
    *writer = made;
    return TLW_OK;
}

tlwResult tlwBeginStateInMemory(tlwMessage *message, tlwStateWriter **writer)
{
    *writer = tlwAlloc(1, sizeof **writer);
    return *writer ? TLW_OK : tlwFailMemory(message, "a checkpoint");
}

static void keepBytes(tlwStateWriter *writer, const void *bytes, size_t size)
{
    int64_t needed = (int64_t)(writer->offset + size);
    writer->full = writer->full || !tlwReserve((void **)&writer->bytes, &writer->capacity, needed, 1);
    if (!writer->full && size > 0)
        memcpy(writer->bytes + writer->offset, bytes, size);
}

void tlwPutSection(tlwStateWriter *writer, const char *name, const void *bytes, size_t size)
{
    if (writer->misused || writer->count >= TLW_MAX_SECTIONS || strlen(name) >= TLW_SECTION_NAME) {
        writer->misused = true;
        return;
    }
    for (uint64_t i = 0; i < writer->count; i++)
        if (!strcmp(writer->table[i].name, name))
            writer->misused = true;
    Section *section = &writer->table[writer->count++];
    memcpy(section->name, name, strlen(name) + 1);
    section->offset = writer->offset;
    section->size = size;
    section->checksum = writer->file ? hashChunks(TLW_HASH_SEED, bytes, size) : 0;
    if (writer->file)
        tlwWrite(writer->file, bytes, size);
    else
        keepBytes(writer, bytes, size);
    writer->offset += size;
}

static tlwResult failMisused(tlwMessage *message)
{
    return tlwFail(message, TLW_INTERNAL, "A checkpoint was put together wrongly; this is a defect in Tallow.");
}

tlwResult tlwEndState(tlwStateWriter *writer, tlwMessage *message)
{
    if (writer->misused) {
        tlwAbortState(writer);
        return failMisused(message);
    }
    size_t bytes = (size_t)writer->count * sizeof(Section);
    Trailer trailer = {.table_offset = writer->offset, .count = writer->count};
    trailer.checksum = tlwHashBytes(TLW_HASH_SEED, writer->table, bytes);
    memcpy(trailer.magic, trailer_magic, sizeof trailer.magic);
    tlwWrite(writer->file, writer->table, bytes);
    tlwWrite(writer->file, &trailer, sizeof trailer);
    tlwResult result = tlwEndWrite(writer->file, message);
    tlwFree(writer);
    return result;
}

void tlwAbortState(tlwStateWriter *writer)
{
    if (!writer)
        return;
    tlwAbortWrite(writer->file);
    tlwFree(writer->bytes);
    tlwFree(writer);
}

tlwResult tlwEndStateInMemory(tlwStateWriter *writer, tlwMessage *message, tlwStateReader **reader)
{
    tlwStateReader *made = writer->full ? NULL : tlwAlloc(1, sizeof *made);
    if (made) {
        made->fd = -1;
        made->path = tlwCopyString("in memory");
        made->table = tlwAlloc((size_t)writer->count + 1, sizeof(Section));
    }
    if (!made || !made->path || !made->table || writer->misused) {
        bool misused = writer->misused;
        tlwCloseState(made);
        tlwAbortState(writer);
        return misused ? failMisused(message) : tlwFailMemory(message, "a checkpoint");
    }
    made->count = writer->count;
    memcpy(made->table, writer->table, (size_t)writer->count * sizeof(Section));
    made->bytes = writer->bytes;
    tlwFree(writer);
    *reader = made;
    return TLW_OK;
}

static bool readAt(int fd, void *out, size_t size, uint64_t offset)
{
    char *to = out;
    while (size > 0) {
        ssize_t got = pread(fd, to, size, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        to += got;
        size -= (size_t)got;
        offset += (uint64_t)got;
    }
    return true;
}

static tlwResult failDamaged(const tlwStateReader *reader, tlwMessage *message)
{
    return tlwFail(message, TLW_BAD_FILE, "The checkpoint %s is damaged; resume from an older one or bake again.",
                   reader->path);
}

static tlwResult readHeader(tlwStateReader *reader, uint64_t file_size, tlwMessage *message)
{
    Header *h = &reader->header;
    if (file_size < sizeof(Header) + sizeof(Trailer) || !readAt(reader->fd, h, sizeof *h, 0))
        return failDamaged(reader, message);
    if (memcmp(h->magic, header_magic, sizeof h->magic))
        return tlwFail(message, TLW_BAD_FILE, "%s is not a Tallow checkpoint.", reader->path);
    if (h->checksum != tlwHashBytes(TLW_HASH_SEED, h, offsetof(Header, checksum)))
        return failDamaged(reader, message);
    if (h->version != TLW_STATE_VERSION || h->abi != TLW_ABI_VERSION)
        return tlwFail(message, TLW_BAD_FILE, "The checkpoint %s was written by another version of Tallow; bake again.",
                       reader->path);
    return TLW_OK;
}

static tlwResult readTable(tlwStateReader *reader, uint64_t file_size, tlwMessage *message)
{
    Trailer t;
    if (!readAt(reader->fd, &t, sizeof t, file_size - sizeof t) || memcmp(t.magic, trailer_magic, sizeof t.magic) ||
        t.count > TLW_MAX_SECTIONS)
        return failDamaged(reader, message);
    size_t bytes = (size_t)t.count * sizeof(Section);
    if (file_size < sizeof(Header) + bytes + sizeof t || t.table_offset != file_size - sizeof t - bytes)
        return failDamaged(reader, message);
    reader->table = tlwAlloc(t.count, sizeof(Section));
    if (!reader->table)
        return tlwFailMemory(message, "a checkpoint");
    if (!readAt(reader->fd, reader->table, bytes, t.table_offset) ||
        t.checksum != tlwHashBytes(TLW_HASH_SEED, reader->table, bytes))
        return failDamaged(reader, message);
    uint64_t offset = sizeof(Header);
    for (uint64_t i = 0; i < t.count; i++) {
        const Section *s = &reader->table[i];
        // Sections lie one after another, so every size is bounded by the file's.
        if (s->offset != offset || s->size > t.table_offset - offset || !memchr(s->name, 0, sizeof s->name))
            return failDamaged(reader, message);
        offset += s->size;
    }
    reader->count = t.count;
    return offset == t.table_offset ? TLW_OK : failDamaged(reader, message);
}

tlwResult tlwOpenState(const char *path, tlwMessage *message, tlwStateReader **reader)
{
    tlwStateReader *made = tlwAlloc(1, sizeof *made);
    if (made)
        made->path = tlwCopyString(path);
    if (!made || !made->path) {
        tlwFree(made);
        return tlwFailMemory(message, "a checkpoint");
    }
    made->fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat info = {0};
    tlwResult result;
    if (made->fd < 0 || fstat(made->fd, &info) != 0)
        result = tlwFail(message, TLW_BAD_FILE, "The checkpoint %s could not be read: %s.", path, strerror(errno));
    else if (!S_ISREG(info.st_mode))
        result = tlwFail(message, TLW_BAD_FILE, "%s is not a file.", path);
    else
        result = readHeader(made, (uint64_t)info.st_size, message);
    if (result == TLW_OK)
        result = readTable(made, (uint64_t)info.st_size, message);
    if (result != TLW_OK) {
        tlwCloseState(made);
        return result;
    }
    *reader = made;
    return TLW_OK;
}

void tlwCloseState(tlwStateReader *reader)
{
    if (!reader)
        return;
    if (reader->fd >= 0)
        close(reader->fd);
    tlwFree(reader->table);
    tlwFree(reader->bytes);
    tlwFree(reader->path);
    tlwFree(reader);
}

tlwStateHeader tlwGetStateHeader(const tlwStateReader *reader)
{
    return (tlwStateHeader){reader->header.scene_hash, reader->header.frame};
}

static const Section *findSection(const tlwStateReader *reader, const char *name)
{
    for (uint64_t i = 0; i < reader->count; i++)
        if (!strcmp(reader->table[i].name, name))
            return &reader->table[i];
    return NULL;
}

int64_t tlwGetSectionSize(const tlwStateReader *reader, const char *name)
{
    const Section *section = findSection(reader, name);
    return section ? (int64_t)section->size : -1;
}

tlwResult tlwGetSection(tlwStateReader *reader, const char *name, void *bytes, size_t size, tlwMessage *message)
{
    const Section *section = findSection(reader, name);
    if (!section || section->size != size)
        return tlwFail(message, TLW_BAD_FILE, "The checkpoint %s does not fit this scene (%s); bake again.",
                       reader->path, name);
    if (reader->bytes) {
        memcpy(bytes, reader->bytes + section->offset, size);
        return TLW_OK;
    }
    if (!readAt(reader->fd, bytes, size, section->offset) ||
        hashChunks(TLW_HASH_SEED, bytes, size) != section->checksum)
        return failDamaged(reader, message);
    return TLW_OK;
}

tlwResult tlwLoadSection(tlwStateReader *reader, const char *name, size_t item, void **bytes, int64_t *count,
                         tlwMessage *message)
{
    int64_t size = tlwGetSectionSize(reader, name);
    if (size < 0 || size % (int64_t)item != 0)
        return tlwFail(message, TLW_BAD_FILE, "The checkpoint %s does not fit this scene (%s); bake again.",
                       reader->path, name);
    void *block = tlwAlloc((size_t)size, 1);
    if (!block)
        return tlwFailMemory(message, "a checkpoint");
    tlwResult result = tlwGetSection(reader, name, block, (size_t)size, message);
    if (result != TLW_OK) {
        tlwFree(block);
        return result;
    }
    *bytes = block;
    *count = size / (int64_t)item;
    return TLW_OK;
}

int tlwGetSectionCount(const tlwStateReader *reader)
{
    return (int)reader->count;
}

int64_t tlwGetSectionName(const tlwStateReader *reader, int index, char *name)
{
    memcpy(name, reader->table[index].name, TLW_SECTION_NAME);
    return (int64_t)reader->table[index].size;
}

tlwResult tlwVerifyState(tlwStateReader *reader, tlwMessage *message)
{
    char *chunk = tlwAlloc(CHUNK, 1);
    if (!chunk)
        return tlwFailMemory(message, "a checkpoint");
    tlwResult result = TLW_OK;
    for (uint64_t i = 0; i < reader->count && result == TLW_OK; i++) {
        const Section *section = &reader->table[i];
        uint64_t hash = TLW_HASH_SEED;
        for (uint64_t done = 0; done < section->size && result == TLW_OK; done += CHUNK) {
            size_t size = section->size - done < CHUNK ? (size_t)(section->size - done) : CHUNK;
            if (readAt(reader->fd, chunk, size, section->offset + done))
                hash = tlwHashBytes(hash, chunk, size);
            else
                result = failDamaged(reader, message);
        }
        if (result == TLW_OK && hash != section->checksum)
            result = failDamaged(reader, message);
    }
    tlwFree(chunk);
    return result;
}
