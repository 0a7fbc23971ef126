// Checkpoint files: named, checksummed blocks of bytes. The simulation decides what the blocks hold.
//
//   header   "TLWSTATE", u32 version, u32 ABI version, u64 scene hash, i64 frame, u64 checksum of the 32 bytes before
//   blocks   the sections' bytes, one after another
//   table    per section: char name[32], u64 offset, u64 size, u64 checksum
//   trailer  u64 table offset, u64 section count, u64 checksum of the table, "TLWTABLE"
//
// All numbers are little-endian. The table comes last, so a file is written in one go and a cut-off file has no
// trailer.
#ifndef TLW_BASE_STATE_H
#define TLW_BASE_STATE_H

#include "base/result.h"

#define TLW_STATE_VERSION 4
#define TLW_SECTION_NAME 32 // bytes of a section's name, the zero included
#define TLW_MAX_SECTIONS 256

typedef struct tlwStateWriter tlwStateWriter;
typedef struct tlwStateReader tlwStateReader;

typedef struct tlwStateHeader {
    uint64_t scene_hash;
    int64_t frame;
} tlwStateHeader;

// Opens `<path>.tmp`; the file appears at `path` only when tlwEndState succeeds.
tlwResult tlwBeginState(const char *path, const tlwStateHeader *header, tlwMessage *message, tlwStateWriter **writer);

// Appends a section. Errors wait for tlwEndState, so a row of calls needs one check.
void tlwPutSection(tlwStateWriter *writer, const char *name, const void *bytes, size_t size);

// Writes the table, flushes, renames and frees the writer, also on failure.
tlwResult tlwEndState(tlwStateWriter *writer, tlwMessage *message);
void tlwAbortState(tlwStateWriter *writer); // removes what was written; may be null

// The same without a file: sections go to memory and are read from there, as often as wanted.
tlwResult tlwBeginStateInMemory(tlwMessage *message, tlwStateWriter **writer);
tlwResult tlwEndStateInMemory(tlwStateWriter *writer, tlwMessage *message, tlwStateReader **reader);

// Reads header and table and checks them against the file. TLW_BAD_FILE for a file that is damaged, cut off or written
// by another version.
tlwResult tlwOpenState(const char *path, tlwMessage *message, tlwStateReader **reader);
void tlwCloseState(tlwStateReader *reader); // may be null

tlwStateHeader tlwGetStateHeader(const tlwStateReader *reader);

// Size of a section in bytes, or -1 when there is none of that name. Never more than the file holds.
int64_t tlwGetSectionSize(const tlwStateReader *reader, const char *name);

// Fills `bytes` with the section and checks its checksum. The section must be exactly `size` bytes long.
tlwResult tlwGetSection(tlwStateReader *reader, const char *name, void *bytes, size_t size, tlwMessage *message);

// Reads the section into a new block, to be freed with tlwFree. The section's size must be a multiple of `item` bytes;
// `count` is the number of items.
tlwResult tlwLoadSection(tlwStateReader *reader, const char *name, size_t item, void **bytes, int64_t *count,
                         tlwMessage *message);

// Number of sections, and one of them for `tallow info`. `name` takes TLW_SECTION_NAME bytes.
int tlwGetSectionCount(const tlwStateReader *reader);
int64_t tlwGetSectionName(const tlwStateReader *reader, int index, char *name);

// Checks every section's checksum without keeping it: is this checkpoint whole?
tlwResult tlwVerifyState(tlwStateReader *reader, tlwMessage *message);

#endif
