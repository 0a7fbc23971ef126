#include "shape/ply_write.h"

#include "base/file.h"
#include "base/memory.h"

#include <string.h>

enum { ROWS = 1024, FACE_BYTES = 13 };

static void writeHead(tlwWriter *writer, const char *element, long long count)
{
    tlwWriteText(writer, "ply\nformat binary_little_endian 1.0\ncomment written by Tallow\nelement %s %lld\n", element,
                 count);
}

static void writeFloatProperties(tlwWriter *writer, const char *const *names)
{
    for (; *names; names++)
        tlwWriteText(writer, "property float %s\n", *names);
}

static const char *const position_names[] = {"x", "y", "z", NULL};
static const char *const flow_names[] = {"vx",     "vy",     "vz",     "temperature", "melt",
                                         "rest_x", "rest_y", "rest_z", "mass",        NULL};

static void writeFaceHead(tlwWriter *writer, long long count)
{
    tlwWriteText(writer, "element face %lld\nproperty list uchar int vertex_indices\n", count);
}

// The rows are the structs as they are in memory, so the structs must have no padding.
_Static_assert(sizeof(tlwOrigin) == 8 && sizeof(tlwSeam) == 28, "rows of a file");

static void writeOriginHead(tlwWriter *writer, const tlwSurfaceView *surface)
{
    tlwWriteText(writer, "element origin %d\nproperty uint triangle\nproperty ushort u\nproperty ushort v\n",
                 surface->vertex_count);
    tlwWriteText(writer, "element seam %d\nproperty uint face\n", surface->seam_count);
    for (int n = 0; n < 3; n++)
        tlwWriteText(writer, "property uint triangle_%d\nproperty ushort u_%d\nproperty ushort v_%d\n", n, n, n);
}

static void writeTriangles(tlwWriter *writer, const int32_t *triangles, int64_t count)
{
    char rows[ROWS * FACE_BYTES];
    for (int64_t begin = 0; begin < count && !tlwHasWriteFailed(writer); begin += ROWS) {
        int64_t n = count - begin < ROWS ? count - begin : ROWS;
        for (int64_t i = 0; i < n; i++) {
            rows[i * FACE_BYTES] = 3;
            memcpy(rows + i * FACE_BYTES + 1, triangles + 3 * (begin + i), 12);
        }
        tlwWrite(writer, rows, (size_t)(n * FACE_BYTES));
    }
}

enum { FLOATS = 12, ROW_BYTES = 4 * FLOATS + 1 + 4 }; // of a particle's row

static void fillRow(float row[FLOATS], const tlwParticleView *particles, int64_t i)
{
    memset(row, 0, FLOATS * sizeof(float));
    if (particles->position)
        memcpy(row, particles->position + 3 * i, 12);
    if (particles->velocity)
        memcpy(row + 3, particles->velocity + 3 * i, 12);
    if (particles->temperature)
        row[6] = particles->temperature[i];
    if (particles->melt)
        row[7] = particles->melt[i];
    if (particles->rest_position)
        memcpy(row + 8, particles->rest_position + 3 * i, 12);
    if (particles->mass)
        row[11] = particles->mass[i];
}

// A row holds the position, then the attributes one after the other.
static void fillSurfaceRow(float *row, const tlwSurfaceView *surface, int64_t vertex)
{
    memcpy(row, surface->position + 3 * vertex, 3 * sizeof *row);
    row += 3;
    for (int a = 0; a < surface->attribute_count; a++) {
        const tlwVertexAttribute *attribute = &surface->attributes[a];
        int n = attribute->components;
        memcpy(row, attribute->values + n * vertex, (size_t)n * sizeof *row);
        row += n;
    }
}

tlwResult tlwWritePlySurface(const char *path, const tlwSurfaceView *surface, tlwMessage *message)
{
    tlwWriter *writer;
    TLW_TRY(tlwBeginWrite(path, message, &writer));
    writeHead(writer, "vertex", surface->vertex_count);
    writeFloatProperties(writer, position_names);
    int width = 3;
    for (int a = 0; a < surface->attribute_count; a++)
        for (int n = 0; n < surface->attributes[a].components; n++, width++)
            tlwWriteText(writer, "property float %s\n", surface->attributes[a].properties[n]);
    writeFaceHead(writer, surface->triangle_count);
    if (surface->origins)
        writeOriginHead(writer, surface);
    tlwWriteText(writer, "end_header\n");
    float *rows = tlwAlloc((size_t)ROWS * (size_t)width, sizeof *rows);
    if (!rows) {
        tlwAbortWrite(writer);
        return tlwFailMemory(message, "writing a mesh");
    }
    for (int64_t begin = 0; begin < surface->vertex_count && !tlwHasWriteFailed(writer); begin += ROWS) {
        int64_t n = surface->vertex_count - begin < ROWS ? surface->vertex_count - begin : ROWS;
        for (int64_t i = 0; i < n; i++)
            fillSurfaceRow(rows + i * width, surface, begin + i);
        tlwWrite(writer, rows, (size_t)(n * width) * sizeof *rows);
    }
    tlwFree(rows);
    writeTriangles(writer, surface->triangle, surface->triangle_count);
    if (surface->origins) {
        tlwWrite(writer, surface->origins, (size_t)surface->vertex_count * sizeof *surface->origins);
        tlwWrite(writer, surface->seams, (size_t)surface->seam_count * sizeof *surface->seams);
    }
    return tlwEndWrite(writer, message);
}

tlwResult tlwWritePlyParticles(const char *path, const tlwParticleView *particles, tlwMessage *message)
{
    tlwWriter *writer;
    TLW_TRY(tlwBeginWrite(path, message, &writer));
    writeHead(writer, "vertex", particles->count);
    writeFloatProperties(writer, position_names);
    writeFloatProperties(writer, flow_names);
    tlwWriteText(writer, "property uchar material\nproperty uint id\nend_header\n");
    char rows[ROWS * ROW_BYTES];
    for (int64_t begin = 0; begin < particles->count && !tlwHasWriteFailed(writer); begin += ROWS) {
        int64_t n = particles->count - begin < ROWS ? particles->count - begin : ROWS;
        for (int64_t i = 0; i < n; i++) {
            float floats[FLOATS];
            char *row = rows + i * ROW_BYTES;
            fillRow(floats, particles, begin + i);
            memcpy(row, floats, sizeof floats);
            row[sizeof floats] = (char)(particles->material ? particles->material[begin + i] : 0);
            uint32_t id = particles->id ? particles->id[begin + i] : (uint32_t)(begin + i);
            memcpy(row + sizeof floats + 1, &id, sizeof id);
        }
        tlwWrite(writer, rows, (size_t)(n * ROW_BYTES));
    }
    return tlwEndWrite(writer, message);
}
