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
#define MAX_ELEMENTS 8
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
    const char *type; // in the header: float, uchar, ushort, uint, int
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

typedef struct Element {
    char name[NAME_SIZE];
    int64_t rows;
    int first, columns; // in Columns.items
} Element;

typedef struct Columns {
    Column items[MAX_COLUMNS];
    int count;
    Element elements[MAX_ELEMENTS];
    int element_count;
} Columns;

// The rows of faces are lists of three numbers, which are one column.
static bool isList(const Element *element)
{
    return !strcmp(element->name, "face");
}

static int bytesOf(const char *type)
{
    return !strcmp(type, "uchar") ? 1 : !strcmp(type, "ushort") ? 2 : 4;
}

// Columns that are added next belong to it. False when there is no room.
static bool addElement(Columns *all, const char *name, int64_t rows)
{
    if (all->element_count == MAX_ELEMENTS)
        return false;
    Element *element = &all->elements[all->element_count++];
    *element = (Element){.rows = rows, .first = all->count};
    snprintf(element->name, sizeof element->name, "%s", name);
    return true;
}

static Column *addColumn(Columns *all, const char *name, const char *type, Coding coding, const void *data,
                         size_t stride)
{
    if (all->count == MAX_COLUMNS || !all->element_count)
        return NULL;
    Element *element = &all->elements[all->element_count - 1];
    Column *c = &all->items[all->count++];
    *c = (Column){.type = type,
                  .bytes = bytesOf(type),
                  .coding = coding,
                  .data = data,
                  .stride = stride,
                  .count = (isList(element) ? 3 : 1) * element->rows};
    snprintf(c->name, sizeof c->name, "%s", name);
    element->columns++;
    return c;
}

static void writeElement(tlwWriter *writer, const Columns *all, const Element *element)
{
    tlwWriteText(writer, "element %s %lld\n", element->name, (long long)element->rows);
    for (int i = element->first; i < element->first + element->columns; i++)
        tlwWriteText(writer, "property %s%s %s\n", isList(element) ? "list uchar " : "", all->items[i].type,
                     all->items[i].name);
}

static void writeHeader(tlwWriter *writer, const Columns *all)
{
    tlwWriteText(writer, "ply\n" FORMAT "comment written by Tallow\n");
    for (int e = 0; e < all->element_count; e++)
        writeElement(writer, all, &all->elements[e]);
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

static const char *const xyz[] = {"x", "y", "z"};

static void addOrigin(Columns *all, const char *suffix, const tlwOrigin *origin, size_t stride)
{
    char name[NAME_SIZE];
    snprintf(name, sizeof name, "triangle%s", suffix);
    addColumn(all, name, "uint", CODING_DELTA, &origin->triangle, stride);
    for (int n = 0; n < 2; n++) {
        snprintf(name, sizeof name, "%c%s", "uv"[n], suffix);
        addColumn(all, name, "ushort", CODING_PLANES, &origin->weight[n], stride);
    }
}

static void addOrigins(Columns *all, const tlwSurfaceView *surface)
{
    static const char *const suffixes[] = {"_0", "_1", "_2"};
    static const tlwSeam none;
    const tlwSeam *seams = surface->seam_count ? surface->seams : &none;
    addElement(all, "origin", surface->vertex_count);
    addOrigin(all, "", surface->origins, sizeof *surface->origins);
    addElement(all, "seam", surface->seam_count);
    addColumn(all, "face", "uint", CODING_DELTA, &seams->triangle, sizeof *seams);
    for (int n = 0; n < 3; n++)
        addOrigin(all, suffixes[n], &seams->corner[n], sizeof *seams);
}

tlwResult tlwWriteCompactSurface(const char *path, const tlwSurfaceView *surface, tlwMessage *message)
{
    Columns *all = tlwAlloc(1, sizeof *all);
    if (!all)
        return tlwFailMemory(message, "writing a mesh");
    addElement(all, "vertex", surface->vertex_count);
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
    addElement(all, "face", surface->triangle_count);
    addColumn(all, "vertex_indices", "int", CODING_DELTA, surface->triangle, sizeof(int32_t));
    if (surface->origins)
        addOrigins(all, surface);
    return writeColumns(path, all, message);
}

tlwResult tlwWriteCompactParticles(const char *path, const tlwParticleView *particles, tlwMessage *message)
{
    Columns *all = tlwAlloc(1, sizeof *all);
    if (!all)
        return tlwFailMemory(message, "writing particles");
    addElement(all, "vertex", particles->count);
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
    if (particles->mass) // exact, so that the sum is that of the liquid
        addColumn(all, "mass", "float", CODING_PLANES, particles->mass, sizeof(float));
    if (particles->material)
        addColumn(all, "material", "uchar", CODING_PLANES, particles->material, 1);
    if (particles->id)
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
static bool readLine(const char *line, Columns *all, int *described)
{
    static const char *const types[] = {"float", "uchar", "ushort", "uint", "int"};
    char name[NAME_SIZE], word[NAME_SIZE], type[NAME_SIZE];
    long long count;
    int used = 0;
    if (sscanf(line, "element %63s %lld", name, &count) == 2)
        return count >= 0 && count < MOST_ROWS && addElement(all, name, count);
    bool is_list = sscanf(line, "property list uchar %63s %63s", type, name) == 2;
    if (is_list || sscanf(line, "property %63s %63s", type, name) == 2) {
        const Element *element = all->element_count ? &all->elements[all->element_count - 1] : NULL;
        for (int i = 0; element && i < 5; i++)
            if (!strcmp(type, types[i]) && is_list == isList(element) && !(is_list && element->columns))
                return addColumn(all, name, types[i], CODING_PLANES, NULL, 0) != NULL;
        return false;
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
    for (const char *stop; (stop = memchr(*at, '\n', (size_t)(end - *at))); *at = stop + 1) {
        char line[256];
        int length = stop - *at < (long)sizeof line ? (int)(stop - *at) : (int)sizeof line - 1;
        snprintf(line, sizeof line, "%.*s", length, *at);
        if (!strcmp(line, "end_header")) {
            *at = stop + 1;
            return described == all->count;
        }
        if (!readLine(line, all, &described))
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
    int used = snprintf(text, size, "ply\nformat binary_little_endian 1.0\n");
    for (int e = 0; e < all->element_count; e++) {
        const Element *element = &all->elements[e];
        used +=
            snprintf(text + used, size - (size_t)used, "element %s %lld\n", element->name, (long long)element->rows);
        for (int i = element->first; i < element->first + element->columns; i++)
            used += snprintf(text + used, size - (size_t)used, "property %s%s %s\n",
                             isList(element) ? "list uchar " : "", all->items[i].type, all->items[i].name);
    }
    return used + snprintf(text + used, size - (size_t)used, "end_header\n");
}

static size_t rowBytes(const Columns *all, const Element *element)
{
    size_t row = 0;
    for (int i = element->first; i < element->first + element->columns; i++)
        row += isList(element) ? 1 + 3 * (size_t)all->items[i].bytes : (size_t)all->items[i].bytes;
    return row;
}

// Unpacks the columns of an element into rows from `out` on; `at` moves on in the file.
static bool unpackElement(const Columns *all, const Element *element, const char **at, char *out)
{
    size_t row = rowBytes(all, element), place = 0;
    for (int i = element->first; i < element->first + element->columns; i++) {
        const Column *c = &all->items[i];
        for (int64_t n = 0; isList(element) && n < element->rows; n++)
            out[row * (size_t)n] = 3;
        if (!unpackColumn(c, *at, out + place + isList(element), row, isList(element) ? 3 : 1))
            return false;
        place += (size_t)c->bytes;
        *at += c->size;
    }
    return true;
}

static tlwResult unpackBody(const Columns *all, const char *at, const char *end, const char *name, tlwMessage *message,
                            char **plain, int64_t *plain_size)
{
    char head[(MAX_COLUMNS + MAX_ELEMENTS) * (NAME_SIZE + 40) + 256];
    size_t place = (size_t)addPlainHead(all, head, sizeof head), size = place;
    uLongf packed = 0;
    for (int i = 0; i < all->count; i++)
        packed += all->items[i].size < (uLongf)(end - at) ? all->items[i].size : (uLongf)(end - at) + 1;
    for (int e = 0; e < all->element_count; e++)
        size += rowBytes(all, &all->elements[e]) * (size_t)all->elements[e].rows;
    if (packed > (uLongf)(end - at) || size / 2200 > packed + 100) // two bytes may stand for four
        return failDamaged(name, message);
    char *made = tlwAlloc(size + 1, 1);
    if (!made)
        return tlwFailMemory(message, name);
    memcpy(made, head, place);
    bool ok = true;
    for (int e = 0; e < all->element_count && ok; e++) {
        const Element *element = &all->elements[e];
        ok = unpackElement(all, element, &at, made + place);
        place += rowBytes(all, element) * (size_t)element->rows;
    }
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
    Columns *all = tlwAlloc(1, sizeof *all);
    if (!all)
        return tlwFailMemory(message, name);
    const char *at = data, *end = data + size;
    tlwResult result = readHead(&at, end, all) ? unpackBody(all, at, end, name, message, plain, plain_size)
                                               : failDamaged(name, message);
    tlwFree(all);
    return result;
}
