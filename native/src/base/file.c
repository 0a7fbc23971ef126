#include "base/file.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUFFER_SIZE = 1 << 18 };

struct tlwWriter {
    char *path;
    char *temporary;
    char *buffer;
    size_t used;
    int fd;
    int error; // errno of the first failure
};

static tlwResult failWrite(tlwMessage *message, const char *path, int error)
{
    switch (error) {
    case ENOSPC:
    case EDQUOT:
        return tlwFail(message, TLW_WRITE_FAILED,
                       "The disk is full: %s could not be written; free some space or choose another folder.", path);
    case EACCES:
    case EPERM:
    case EROFS:
        return tlwFail(message, TLW_WRITE_FAILED, "%s could not be written: %s; choose a folder you may write to.",
                       path, strerror(error));
    case ENOENT:
    case ENOTDIR:
        return tlwFail(message, TLW_WRITE_FAILED, "%s could not be written because its folder does not exist.", path);
    case ENOMEM:
        return tlwFail(message, TLW_OUT_OF_MEMORY, "There is not enough memory to write %s.", path);
    default:
        return tlwFail(message, TLW_WRITE_FAILED, "%s could not be written: %s.", path, strerror(error));
    }
}

static void freeWriter(tlwWriter *writer)
{
    if (writer->fd >= 0)
        close(writer->fd);
    tlwFree(writer->path);
    tlwFree(writer->temporary);
    tlwFree(writer->buffer);
    tlwFree(writer);
}

tlwResult tlwBeginWrite(const char *path, tlwMessage *message, tlwWriter **writer)
{
    *writer = NULL;
    tlwWriter *w = tlwAlloc(1, sizeof *w);
    if (!w)
        return failWrite(message, path, ENOMEM);
    w->fd = -1;
    size_t length = strlen(path);
    w->path = tlwCopyString(path);
    w->temporary = tlwAlloc(length + 5, 1);
    w->buffer = tlwAlloc(BUFFER_SIZE, 1);
    int error = ENOMEM;
    if (w->path && w->temporary && w->buffer) {
        snprintf(w->temporary, length + 5, "%s.tmp", path);
        w->fd = open(w->temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        error = w->fd < 0 ? errno : 0;
    }
    if (error) {
        freeWriter(w);
        return failWrite(message, path, error);
    }
    *writer = w;
    return TLW_OK;
}

static void writeOut(tlwWriter *writer, const char *data, size_t bytes)
{
    while (bytes > 0 && !writer->error) {
        ssize_t done = write(writer->fd, data, bytes);
        if (done < 0) {
            if (errno != EINTR)
                writer->error = errno;
            continue;
        }
        data += done;
        bytes -= (size_t)done;
    }
}

static void flushBuffer(tlwWriter *writer)
{
    writeOut(writer, writer->buffer, writer->used);
    writer->used = 0;
}

void tlwWrite(tlwWriter *writer, const void *data, size_t bytes)
{
    if (writer->error || bytes == 0)
        return;
    if (bytes > BUFFER_SIZE - writer->used)
        flushBuffer(writer);
    if (bytes >= BUFFER_SIZE) {
        writeOut(writer, data, bytes);
        return;
    }
    memcpy(writer->buffer + writer->used, data, bytes);
    writer->used += bytes;
}

void tlwWriteText(tlwWriter *writer, const char *format, ...)
{
    char few[512];
    va_list args;
    va_start(args, format);
    int length = vsnprintf(few, sizeof few, format, args);
    va_end(args);
    if (length < 0) {
        writer->error = writer->error ? writer->error : EINVAL;
    } else if ((size_t)length < sizeof few) {
        tlwWrite(writer, few, (size_t)length);
    } else {
        char *many = tlwAlloc((size_t)length + 1, 1);
        if (many) {
            va_start(args, format);
            vsnprintf(many, (size_t)length + 1, format, args);
            va_end(args);
            tlwWrite(writer, many, (size_t)length);
            tlwFree(many);
        } else if (!writer->error) {
            writer->error = ENOMEM;
        }
    }
}

bool tlwHasWriteFailed(const tlwWriter *writer)
{
    return writer->error != 0;
}

// Without this a crash of the machine may forget the rename.
static void syncFolder(const char *path)
{
    char *folder = tlwCopyString(path);
    if (!folder)
        return;
    char *slash = strrchr(folder, '/');
    if (slash)
        slash[slash == folder] = 0;
    int fd = open(slash ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
    tlwFree(folder);
}

tlwResult tlwEndWrite(tlwWriter *writer, tlwMessage *message)
{
    flushBuffer(writer);
    // Some file systems have no fsync and say EINVAL; a full disk may show up only here or on close.
    if (!writer->error && fsync(writer->fd) != 0 && errno != EINVAL)
        writer->error = errno;
    if (close(writer->fd) != 0 && !writer->error)
        writer->error = errno;
    writer->fd = -1;
    if (!writer->error && rename(writer->temporary, writer->path) != 0)
        writer->error = errno;
    tlwResult result = TLW_OK;
    if (writer->error) {
        unlink(writer->temporary);
        result = failWrite(message, writer->path, writer->error);
    } else {
        syncFolder(writer->path);
    }
    freeWriter(writer);
    return result;
}

void tlwAbortWrite(tlwWriter *writer)
{
    if (!writer)
        return;
    unlink(writer->temporary);
    freeWriter(writer);
}

static tlwResult failRead(tlwMessage *message, const char *path, int error)
{
    if (error == ENOENT)
        return tlwFail(message, TLW_BAD_FILE, "%s does not exist.", path);
    return tlwFail(message, TLW_BAD_FILE, "%s could not be read: %s.", path, strerror(error));
}

static tlwResult readAll(int fd, const char *path, int64_t size, tlwMessage *message, char **data)
{
    char *block = tlwAlloc((size_t)size + 1, 1);
    if (!block)
        return tlwFail(message, TLW_OUT_OF_MEMORY, "There is not enough memory to read %s.", path);
    int64_t done = 0;
    while (done < size) {
        ssize_t got = read(fd, block + done, (size_t)(size - done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            int error = got < 0 ? errno : EIO;
            tlwFree(block);
            return failRead(message, path, error);
        }
        done += got;
    }
    *data = block;
    return TLW_OK;
}

tlwResult tlwReadFile(const char *path, int64_t limit, tlwMessage *message, char **data, int64_t *size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return failRead(message, path, errno);
    struct stat info;
    tlwResult result;
    if (fstat(fd, &info) != 0)
        result = failRead(message, path, errno);
    else if (!S_ISREG(info.st_mode))
        result = tlwFail(message, TLW_BAD_FILE, "%s is not a file.", path);
    else if (limit > 0 && info.st_size > limit)
        result = tlwFail(message, TLW_BAD_FILE, "%s is too large to be what it should be.", path);
    else
        result = readAll(fd, path, info.st_size, message, data);
    if (result == TLW_OK)
        *size = info.st_size;
    close(fd);
    return result;
}

tlwResult tlwMakeFolder(const char *path, tlwMessage *message)
{
    char *partial = tlwCopyString(path);
    if (!partial)
        return tlwFailMemory(message, "a folder name");
    int error = 0;
    for (char *end = partial; !error; end++) {
        if (*end != '/' && *end != 0)
            continue;
        char kept = *end;
        *end = 0;
        if (partial[0] && mkdir(partial, 0777) != 0 && errno != EEXIST)
            error = errno;
        *end = kept;
        if (!kept)
            break;
    }
    struct stat info;
    if (stat(path, &info) == 0)
        error = S_ISDIR(info.st_mode) ? 0 : ENOTDIR;
    else if (!error)
        error = errno;
    tlwFree(partial);
    if (!error)
        return TLW_OK;
    if (error == ENOTDIR)
        return tlwFail(message, TLW_WRITE_FAILED, "The folder %s cannot be made: there is a file in the way.", path);
    return tlwFail(message, TLW_WRITE_FAILED, "The folder %s cannot be made: %s; choose another place.", path,
                   strerror(error));
}
