// Files that exist either as a whole or not at all. A writer writes to `<path>.tmp`, flushes it to the disk and renames
// it. tlwEndWrite reports the first error, so a row of tlwWrite calls needs one check.
#ifndef TLW_BASE_FILE_H
#define TLW_BASE_FILE_H

#include "base/result.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tlwWriter tlwWriter;

// Open `<path>.tmp`. On failure `*writer` is null and nothing is left behind.
tlwResult tlwBeginWrite(const char *path, tlwMessage *message, tlwWriter **writer);

// Buffered. After the first error these do nothing.
void tlwWrite(tlwWriter *writer, const void *data, size_t bytes);
void tlwWriteText(tlwWriter *writer, const char *format, ...) __attribute__((format(printf, 2, 3)));

// True once something went wrong: a long writer may stop early.
bool tlwHasWriteFailed(const tlwWriter *writer);

// Flush, sync, rename to `path` and free the writer. On any error the temporary file is removed, an older file at
// `path` stays as it was, and the result is TLW_WRITE_FAILED with a sentence.
tlwResult tlwEndWrite(tlwWriter *writer, tlwMessage *message);

// Give up: remove the temporary file and free the writer. `writer` may be null.
void tlwAbortWrite(tlwWriter *writer);

// Read a whole file into one block with a zero byte at the end. The caller frees the block with tlwFree. TLW_BAD_FILE
// when the file cannot be read or is larger than `limit` bytes (0 = no limit).
tlwResult tlwReadFile(const char *path, int64_t limit, tlwMessage *message, char **data, int64_t *size);

// Make a folder and its missing parents. TLW_OK when the folder already exists.
tlwResult tlwMakeFolder(const char *path, tlwMessage *message);

#ifdef __cplusplus
}
#endif

#endif
