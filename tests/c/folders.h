// Temporary folders and small scene folders for tests.
#ifndef TLW_TESTS_FOLDERS_H
#define TLW_TESTS_FOLDERS_H

#include "shape/ply_write.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static inline void makeTemporaryFolder(char path[256])
{
    const char *base = getenv("TMPDIR");
    snprintf(path, 256, "%.200s/tallow_test_XXXXXX", base && base[0] ? base : "/tmp");
    assert_non_null(mkdtemp(path));
}

static inline int removeEntry(const char *path, const struct stat *info, int kind, struct FTW *where)
{
    (void)info, (void)kind, (void)where;
    return remove(path);
}

static inline void removeFolder(const char *path)
{
    nftw(path, removeEntry, 16, FTW_DEPTH | FTW_PHYS);
}

static inline void writeText(const char *folder, const char *name, const char *text, size_t size)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static const float cube_positions[24] = {-1, -1, -1, 1, -1, -1, -1, 1, -1, 1, 1, -1,
                                         -1, -1, 1,  1, -1, 1,  -1, 1, 1,  1, 1, 1};
static const int32_t cube_triangles[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                           2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};

// A cube from -1 to 1, with one of its 12 triangles missing when `open`.
static inline void writeCube(const char *folder, const char *name, bool open)
{
    char path[1024];
    tlwMessage message = {""};
    tlwSurfaceView cube = {
        .vertex_count = 8, .triangle_count = open ? 11 : 12, .position = cube_positions, .triangle = cube_triangles};
    snprintf(path, sizeof path, "%s/meshes", folder);
    mkdir(path, 0777);
    snprintf(path, sizeof path, "%s/meshes/%s", folder, name);
    assert_int_equal(tlwWritePlySurface(path, &cube, &message), TLW_OK);
}

#endif
