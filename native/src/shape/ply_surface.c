#include "shape/ply_surface.h"

#include "base/file.h"
#include "base/memory.h"
#include "shape/ply_compact.h"
#include "shape/ply_read.h"

#include <stdio.h>
#include <string.h>

enum { FACE_BYTES = 13 };

// What the header says. The rows of vertices begin at `rows`.
typedef struct Layout {
    long long vertices, faces, origins;
    int width; // floats of a vertex
    const char *rows;
} Layout;

static tlwResult fail(const char *path, tlwMessage *message)
{
    return tlwFail(message, TLW_BAD_FILE, "%s is no mesh of a cache, or it is damaged; bake the frame again.", path);
}

// A property of the vertices: three for the place come first.
static bool addName(tlwPlySurface *surface, Layout *layout, const char *name)
{
    static const char *const first[] = {"x", "y", "z"};
    int n = layout->width++;
    if (n < 3)
        return !strcmp(name, first[n]);
    if (n - 3 >= TLW_SURFACE_COLUMNS)
        return false;
    snprintf(surface->names[n - 3], TLW_COLUMN_NAME, "%s", name);
    surface->column_count = n - 2;
    return true;
}

static bool readLayout(const char *data, tlwPlySurface *surface, Layout *layout)
{
    const char *stop = strstr(data, "end_header\n");
    if (!stop)
        return false;
    char element[TLW_COLUMN_NAME] = "", name[TLW_COLUMN_NAME];
    layout->rows = stop + strlen("end_header\n");
    for (const char *line = data; line < stop; line = strchr(line, '\n') + 1) {
        long long count;
        if (sscanf(line, "element %63s %lld", name, &count) == 2) {
            memcpy(element, name, sizeof element);
            if (!strcmp(element, "vertex"))
                layout->vertices = count;
            else if (!strcmp(element, "face"))
                layout->faces = count;
            else if (!strcmp(element, "origin"))
                layout->origins = count;
        } else if (!strcmp(element, "vertex") && sscanf(line, "property float %63s", name) == 1) {
            if (!addName(surface, layout, name))
                return false;
        }
    }
    return layout->width >= 3 && (layout->origins == 0 || layout->origins == layout->vertices);
}

static bool copyColumns(const Layout *layout, tlwPlySurface *surface)
{
    size_t vertices = (size_t)layout->vertices, width = (size_t)layout->width;
    surface->columns = tlwAlloc(vertices * width + 1, sizeof *surface->columns);
    if (!surface->columns)
        return false;
    for (size_t v = 0; v < vertices; v++)
        for (size_t c = 3; c < width; c++)
            memcpy(surface->columns + (c - 3) * vertices + v, layout->rows + 4 * (v * width + c), 4);
    if (!layout->origins)
        return true;
    surface->origins = tlwAlloc(vertices + 1, sizeof *surface->origins);
    if (surface->origins)
        memcpy(surface->origins, layout->rows + 4 * vertices * width + FACE_BYTES * (size_t)layout->faces,
               vertices * sizeof *surface->origins);
    return surface->origins != NULL;
}

static tlwResult parse(const char *data, int64_t size, const char *path, tlwMessage *message, tlwPlySurface *surface)
{
    Layout layout = {0};
    TLW_TRY(tlwParsePlyMesh(data, size, path, message, &surface->mesh));
    if (!readLayout(data, surface, &layout) || layout.vertices != surface->mesh.vertex_count ||
        layout.faces != surface->mesh.triangle_count)
        return fail(path, message);
    int64_t needed =
        4 * layout.vertices * layout.width + FACE_BYTES * layout.faces + layout.origins * (int64_t)sizeof(tlwOrigin);
    if (data + size - layout.rows < needed)
        return fail(path, message);
    return copyColumns(&layout, surface) ? TLW_OK : tlwFailMemory(message, path);
}

tlwResult tlwReadPlySurface(const char *path, tlwMessage *message, tlwPlySurface *surface)
{
    char *data, *plain = NULL;
    int64_t size, plain_size;
    *surface = (tlwPlySurface){0};
    TLW_TRY(tlwReadFile(path, 0, message, &data, &size));
    tlwResult result = TLW_OK;
    if (tlwIsCompactPly(data, size)) {
        result = tlwUnpackPly(data, size, path, message, &plain, &plain_size);
        if (result == TLW_OK) {
            tlwFree(data);
            data = plain;
            size = plain_size;
        }
    }
    if (result == TLW_OK)
        result = parse(data, size, path, message, surface);
    tlwFree(data);
    if (result != TLW_OK)
        tlwFreePlySurface(surface);
    return result;
}

void tlwFreePlySurface(tlwPlySurface *surface)
{
    tlwDestroyMesh(&surface->mesh);
    tlwFree(surface->columns);
    tlwFree(surface->origins);
    *surface = (tlwPlySurface){0};
}
