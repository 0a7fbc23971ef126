#include "shape/ply_compact.h"

#include "base/file.h"
#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define FORMAT "format tallow_compact 1.0\n"
#define LEVEL 1   // of zlib: more takes much longer and saves little
#define WORTH 0.6 // columns that stay larger than this are not packed
#define MAX_COLUMNS 64
#define NAME_SIZE 64
#define MOST_ROWS 2000000000
#define SHORT 65535.0

typedef enum Coding {
    CODING_PLANES, // the bytes of the numbers: first byte of all, second byte of all, ...
    CODING_USHORT, // 16 bits between the lowest and the highest number, in planes
    CODING_DELTA   // whole numbers as differences to the number before, in planes
} Coding;

static const char *const codings[] = {"planes", "ushort", "delta"};

typedef struct Column {
    char name[NAME_SIZE];
    const char *type; // in the header: float, uchar, uint, int
    int bytes;        // of a number
    Coding coding;
    const char *data; // the first number
    size_t stride;    // bytes between numbers
    int64_t count;    // numbers
    double low, high; // CODING_USHORT
    unsigned char *packed;
    uLongf size; // of `packed`
} Column;

// ---------------------------------------------------------------------------------------------------------------------
// Writing

// Lowest and highest of floats. False when one of them is not a number: then the column has to stay as it is.
static bool findRange(Column *c)
{
    float low = INFINITY, high = -INFINITY;
    for (int64_t n = 0; n < c->count; n++) {
        float value;
        memcpy(&value, c->data + (size_t)n * c->stride, sizeof value);
        if (!isfinite(value))
            return false;
        low = fminf(low, value);
        high = fmaxf(high, value);
    }
    c->low = c->count ? low : 0;
    c->high = c->count ? high : 0;
    return true;
}

static int storedBytes(const Column *c)
{
    return c->coding == CODING_USHORT ? 2 : c->bytes;
}

// Number n as it is stored; `before` is the one before it.
static uint32_t encode(const Column *c, int64_t n, uint32_t *before)
{
    uint32_t bits = 0;
    memcpy(&bits, c->data + (size_t)n * c->stride, (size_t)c->bytes);
    if (c->coding == CODING_DELTA) {
        uint32_t step = bits - *before;
        *before = bits;
        return step;
    }
    if (c->coding == CODING_USHORT) {
        float value;
        memcpy(&value, &bits, sizeof value);
        return c->high > c->low ? (uint32_t)(SHORT * (value - c->low) / (c->high - c->low) + 0.5) : 0;
    }
    return bits;
}

static tlwResult packColumn(Column *c)
{
    if (c->coding == CODING_USHORT && !findRange(c))
        c->coding = CODING_PLANES;
    int width = storedBytes(c);
    size_t size = (size_t)c->count * (size_t)width;
    c->size = compressBound(size);
    unsigned char *planes = tlwAlloc(size + 1, 1);
    c->packed = tlwAlloc(c->size, 1);
    bool ok = planes && c->packed;
    uint32_t before = 0;
    for (int64_t n = 0; ok && n < c->count; n++) {
        uint32_t bits = encode(c, n, &before);
        for (int b = 0; b < width; b++)
            planes[b * c->count + n] = (unsigned char)(bits >> 8 * b);
    }
    uLongf room = c->size;
    ok = ok && compress2(c->packed, &c->size, planes, size, LEVEL) == Z_OK;
    if (ok && (double)c->size > WORTH * (double)size) { // as it is: playback has to unpack it
        c->size = room;
        ok = compress2(c->packed, &c->size, planes, size, 0) == Z_OK;
    }
    tlwFree(planes);
    return ok ? TLW_OK : TLW_OUT_OF_MEMORY;
}

typedef struct Columns {
    Column items[MAX_COLUMNS];
    int count, vertex_columns; // those of faces come last
    int64_t vertices, faces;
} Columns;

static void addColumn(Columns *all, const char *name, const char *type, Coding coding, const void *data, size_t stride)
{
    if (all->count == MAX_COLUMNS || !data)
        return;
    Column *c = &all->items[all->count++];
    *c = (Column){.type = type,
                  .bytes = strcmp(type, "uchar") ? 4 : 1,
                  .coding = coding,
                  .data = data,
                  .stride = stride,
                  .count = all->vertices};
    snprintf(c->name, sizeof c->name, "%s", name);
    all->vertex_columns = all->count;
}

static void writeHeader(tlwWriter *writer, const Columns *all)
{
    tlwWriteText(writer, "ply\n" FORMAT "comment written by Tallow\nelement vertex %lld\n", (long long)all->vertices);
    for (int i = 0; i < all->vertex_columns; i++)
        tlwWriteText(writer, "property %s %s\n", all->items[i].type, all->items[i].name);
    if (all->count > all->vertex_columns)
        tlwWriteText(writer, "element face %lld\nproperty list uchar int vertex_indices\n", (long long)all->faces);
    for (int i = 0; i < all->count; i++) {
        const Column *c = &all->items[i];
        tlwWriteText(writer, "comment column %s %s", c->name, codings[c->coding]);
        if (c->coding == CODING_USHORT)
            tlwWriteText(writer, " %.9g %.9g", c->low, c->high);
        tlwWriteText(writer, " %lu\n", (unsigned long)c->size);
    }
    tlwWriteText(writer, "end_header\n");
}

static tlwResult writeColumns(const char *path, Columns *all, tlwMessage *message)
{
    tlwResult result = TLW_OK;
    for (int i = 0; i < all->count && result == TLW_OK; i++)
        result = packColumn(&all->items[i]);
    if (result != TLW_OK)
        result = tlwFailMemory(message, "writing a frame");
    tlwWriter *writer = NULL;
    if (result == TLW_OK)
        result = tlwBeginWrite(path, message, &writer);
    if (result == TLW_OK) {
        writeHeader(writer, all);
        for (int i = 0; i < all->count; i++)
            tlwWrite(writer, all->items[i].packed, all->items[i].size);
        result = tlwEndWrite(writer, message);
    }
    for (int i = 0; i < all->count; i++)
        tlwFree(all->items[i].packed);
    tlwFree(all);
    return result;
}

static Columns *createColumns(int64_t vertices)
{
    Columns *all = tlwAlloc(1, sizeof *all);
    if (all)
        all->vertices = vertices;
    return all;
}

static const char *const xyz[] = {"x", "y", "z"};

tlwResult tlwWriteCompactSurface(const char *path, const tlwSurfaceView *surface, tlwMessage *message)
{
    Columns *all = createColumns(surface->vertex_count);
    if (!all)
        return tlwFailMemory(message, "writing a mesh");
    for (int a = 0; a < 3; a++)
        addColumn(all, xyz[a], "float", CODING_PLANES, surface->position + a, 3 * sizeof(float));
    for (int a = 0; a < surface->attribute_count; a++) {
        const tlwVertexAttribute *attribute = &surface->attributes[a];
        // Numbers of materials are exact: shaders compare them.
        Coding coding = strcmp(attribute->name, "material") ? CODING_USHORT : CODING_PLANES;
        for (int n = 0; n < attribute->components; n++)
            addColumn(all, attribute->properties[n], "float", coding, attribute->values + n,
                      (size_t)attribute->components * sizeof(float));
    }
    all->faces = surface->triangle_count;
    all->items[all->count] = (Column){.name = "vertex_indices",
                                      .type = "int",
                                      .bytes = 4,
                                      .coding = CODING_DELTA,
                                      .data = (const char *)surface->triangle,
                                      .stride = sizeof(int32_t),
                                      .count = 3 * (int64_t)surface->triangle_count};
    all->count++;
    return writeColumns(path, all, message);
}

tlwResult tlwWriteCompactParticles(const char *path, const tlwParticleView *particles, tlwMessage *message)
{
    Columns *all = createColumns(particles->count);
    if (!all)
        return tlwFailMemory(message, "writing particles");
    const struct {
        const char *names[3];
        int components;
        const float *values;
    } floats[] = {{{"x", "y", "z"}, 3, particles->position},
                  {{"vx", "vy", "vz"}, 3, particles->velocity},
                  {{"temperature"}, 1, particles->temperature},
                  {{"melt"}, 1, particles->melt},
                  {{"rest_x", "rest_y", "rest_z"}, 3, particles->rest_position}};
    for (size_t i = 0; i < sizeof floats / sizeof floats[0]; i++)
        for (int n = 0; n < floats[i].components && floats[i].values; n++)
            addColumn(all, floats[i].names[n], "float", CODING_USHORT, floats[i].values + n,
                      (size_t)floats[i].components * sizeof(float));
    addColumn(all, "material", "uchar", CODING_PLANES, particles->material, 1);
    addColumn(all, "id", "uint", CODING_DELTA, particles->id, sizeof(uint32_t));
    return writeColumns(path, all, message);
}

// ---------------------------------------------------------------------------------------------------------------------
// Reading

bool tlwIsCompactPly(const char *data, int64_t size)
{
    static const char head[] = "ply\n" FORMAT;
    return size > (int64_t)sizeof head && !memcmp(data, head, sizeof head - 1);
}

static tlwResult failDamaged(const char *name, tlwMessage *message)
{
    return tlwFail(message, TLW_BAD_FILE, "%s is damaged or cut short; bake the frame again.", name);
}

// One line of the header. False when it makes no sense.
static bool readLine(const char *line, Columns *all, int *described, bool *faces)
{
    char name[NAME_SIZE], word[NAME_SIZE], type[NAME_SIZE];
    long long count;
    int used = 0;
    if (sscanf(line, "element %63s %lld", name, &count) == 2) {
        *faces = !strcmp(name, "face");
        *(*faces ? &all->faces : &all->vertices) = count;
        return count >= 0 && count < MOST_ROWS && (*faces || !strcmp(name, "vertex"));
    }
    if (!strncmp(line, "property list uchar int vertex_indices", 38) ||
        sscanf(line, "property %63s %63s", type, name) == 2) {
        if (all->count == MAX_COLUMNS)
            return false;
        static const char *const types[] = {"float", "uchar", "uint", "int"};
        Column *c = &all->items[all->count++];
        for (int i = 0; i < 4; i++)
            if (!strcmp(*faces ? "int" : type, types[i]))
                c->type = types[i];
        snprintf(c->name, sizeof c->name, "%s", *faces ? "vertex_indices" : name);
        c->count = *faces ? 3 * all->faces : all->vertices;
        c->bytes = c->type && !strcmp(c->type, "uchar") ? 1 : 4;
        all->vertex_columns += !*faces;
        return c->type != NULL;
    }
    if (sscanf(line, "comment column %63s %63s %n", name, word, &used) == 2) {
        Column *c = &all->items[*described];
        if (*described >= all->count || strcmp(c->name, name))
            return false;
        (*described)++;
        unsigned long size;
        int coding = 0;
        while (coding < 3 && strcmp(word, codings[coding]))
            coding++;
        c->coding = (Coding)coding;
        bool ok = coding == CODING_USHORT ? sscanf(line + used, "%lf %lf %lu", &c->low, &c->high, &size) == 3
                                          : sscanf(line + used, "%lu", &size) == 1;
        c->size = size;
        return ok && coding < 3 && (coding != CODING_USHORT || !strcmp(c->type, "float"));
    }
    return true;
}

// Reads up to the end of the header; `at` becomes the first byte after it.
static bool readHead(const char **at, const char *end, Columns *all)
{
    int described = 0;
    bool faces = false;
    for (const char *stop; (stop = memchr(*at, '\n', (size_t)(end - *at))); *at = stop + 1) {
        char line[256];
        int length = stop - *at < (long)sizeof line ? (int)(stop - *at) : (int)sizeof line - 1;
        snprintf(line, sizeof line, "%.*s", length, *at);
        if (!strcmp(line, "end_header")) {
            *at = stop + 1;
            return described == all->count && all->count - all->vertex_columns <= 1;
        }
        if (!readLine(line, all, &described, &faces))
            return false;
    }
    return false;
}

// Unpacks a column into rows of `row` bytes, from `out` on. `step` numbers follow each other in a row.
static bool unpackColumn(const Column *c, const char *packed, char *out, size_t row, int step)
{
    int width = storedBytes(c);
    uLongf size = (uLongf)c->count * (uLongf)width;
    // zlib packs by at most a thousand: a header that asks for more is wrong, and gets no memory.
    if (size / 1100 > c->size + 100)
        return false;
    unsigned char *planes = tlwAlloc(size + 1, 1);
    uLongf found = size;
    bool ok = planes && uncompress(planes, &found, (const unsigned char *)packed, c->size) == Z_OK && found == size;
    uint32_t before = 0;
    for (int64_t n = 0; ok && n < c->count; n++) {
        uint32_t bits = 0;
        for (int b = 0; b < width; b++)
            bits |= (uint32_t)planes[b * c->count + n] << 8 * b;
        if (c->coding == CODING_DELTA)
            bits = before += bits;
        if (c->coding == CODING_USHORT) {
            float value = (float)(c->low + (c->high - c->low) * (bits / SHORT));
            memcpy(&bits, &value, sizeof bits);
        }
        memcpy(out + (size_t)(n / step) * row + (size_t)(n % step) * sizeof bits, &bits, (size_t)c->bytes);
    }
    tlwFree(planes);
    return ok;
}

// The plain header. Returns its length.
static int addPlainHead(const Columns *all, char *text, size_t size)
{
    int used =
        snprintf(text, size, "ply\nformat binary_little_endian 1.0\nelement vertex %lld\n", (long long)all->vertices);
    for (int i = 0; i < all->vertex_columns; i++)
        used += snprintf(text + used, size - (size_t)used, "property %s %s\n", all->items[i].type, all->items[i].name);
    if (all->count > all->vertex_columns)
        used += snprintf(text + used, size - (size_t)used,
                         "element face %lld\nproperty list uchar int vertex_indices\n", (long long)all->faces);
    return used + snprintf(text + used, size - (size_t)used, "end_header\n");
}

static tlwResult unpackBody(const Columns *all, const char *at, const char *end, const char *name, tlwMessage *message,
                            char **plain, int64_t *plain_size)
{
    char head[MAX_COLUMNS * (NAME_SIZE + 32) + 256];
    size_t used = (size_t)addPlainHead(all, head, sizeof head), row = 0;
    uLongf packed = 0;
    for (int i = 0; i < all->count; i++)
        packed += all->items[i].size;
    if (packed > (uLongf)(end - at))
        return failDamaged(name, message);
    for (int i = 0; i < all->vertex_columns; i++)
        row += (size_t)all->items[i].bytes;
    bool has_faces = all->count > all->vertex_columns;
    size_t faces = used + row * (size_t)all->vertices, size = faces + (has_faces ? 13 * (size_t)all->faces : 0);
    if (size / 2200 > packed + 100) // two bytes may stand for four
        return failDamaged(name, message);
    char *made = tlwAlloc(size + 1, 1);
    if (!made)
        return tlwFailMemory(message, name);
    memcpy(made, head, used);
    bool ok = true;
    size_t place = used;
    for (int i = 0; i < all->count && ok; i++) {
        const Column *c = &all->items[i];
        bool is_face = i >= all->vertex_columns;
        ok = is_face ? unpackColumn(c, at, made + faces + 1, 13, 3) : unpackColumn(c, at, made + place, row, 1);
        place += (size_t)c->bytes;
        at += c->size;
    }
    for (int64_t n = 0; has_faces && ok && n < all->faces; n++)
        made[faces + 13 * (size_t)n] = 3;
    if (!ok) {
        tlwFree(made);
        return failDamaged(name, message);
    }
    *plain = made;
    *plain_size = (int64_t)size;
    return TLW_OK;
}

tlwResult tlwUnpackPly(const char *data, int64_t size, const char *name, tlwMessage *message, char **plain,
                       int64_t *plain_size)
{
    Columns *all = createColumns(0);
    if (!all)
        return tlwFailMemory(message, name);
    const char *at = data, *end = data + size;
    tlwResult result = readHead(&at, end, all) ? unpackBody(all, at, end, name, message, plain, plain_size)
                                               : failDamaged(name, message);
    tlwFree(all);
    return result;
}
