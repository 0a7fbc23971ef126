#include "shape/ply_read.h"

#include "base/file.h"
#include "base/memory.h"
#include "shape/mesh.h"
#include "shape/ply.h"
#include "shape/ply_compact.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_ELEMENTS = 16, MAX_PROPERTIES = 64, MAX_WORDS = 6, WORD_SIZE = 64 };

typedef enum Type { TYPE_NONE, TYPE_I8, TYPE_U8, TYPE_I16, TYPE_U16, TYPE_I32, TYPE_U32, TYPE_F32, TYPE_F64 } Type;

typedef struct Property {
    char name[WORD_SIZE];
    Type type;
    Type count_type; // TYPE_NONE: not a list
} Property;

typedef struct Element {
    char name[WORD_SIZE];
    int64_t count;
    int property_count;
    Property properties[MAX_PROPERTIES];
} Element;

typedef struct Reader {
    const char *at, *end;
    const char *name;
    tlwMessage *message;
    bool ascii;
    int element_count;
    Element elements[MAX_ELEMENTS];
} Reader;

static tlwResult fail(const Reader *reader, const char *what)
{
    return tlwFail(reader->message, TLW_BAD_FILE, "%s cannot be used as a mesh: %s.", reader->name, what);
}

static Type typeFromName(const char *name)
{
    static const struct {
        const char *name;
        Type type;
    } names[] = {{"char", TYPE_I8},   {"uchar", TYPE_U8},   {"short", TYPE_I16},   {"ushort", TYPE_U16},
                 {"int", TYPE_I32},   {"uint", TYPE_U32},   {"float", TYPE_F32},   {"double", TYPE_F64},
                 {"int8", TYPE_I8},   {"uint8", TYPE_U8},   {"int16", TYPE_I16},   {"uint16", TYPE_U16},
                 {"int32", TYPE_I32}, {"uint32", TYPE_U32}, {"float32", TYPE_F32}, {"float64", TYPE_F64}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(name, names[i].name) == 0)
            return names[i].type;
    return TYPE_NONE;
}

static int sizeOfType(Type type)
{
    static const int sizes[] = {0, 1, 1, 2, 2, 4, 4, 4, 8};
    return sizes[type];
}

// Next header line as words; further words of a comment are dropped. False at the end of the file.
static bool readWords(Reader *reader, char words[MAX_WORDS][WORD_SIZE], int *count)
{
    if (reader->at == reader->end)
        return false;
    *count = 0;
    const char *line_end = memchr(reader->at, '\n', (size_t)(reader->end - reader->at));
    const char *p = reader->at, *stop = line_end ? line_end : reader->end;
    while (p < stop) {
        while (p < stop && (*p == ' ' || *p == '\t' || *p == '\r'))
            p++;
        int length = 0;
        for (; p < stop && *p != ' ' && *p != '\t' && *p != '\r'; p++)
            if (*count < MAX_WORDS && length < WORD_SIZE - 1)
                words[*count][length++] = *p;
        if (length)
            words[(*count)++][length] = 0;
    }
    reader->at = line_end ? line_end + 1 : reader->end;
    return line_end != NULL;
}

static tlwResult addElement(Reader *reader, char words[MAX_WORDS][WORD_SIZE], int count)
{
    char *rest = NULL;
    long long number = count == 3 ? strtoll(words[2], &rest, 10) : -1;
    if (number < 0 || !rest || *rest)
        return fail(reader, "an element line in its header is damaged");
    if (reader->element_count == MAX_ELEMENTS)
        return fail(reader, "it has more than 16 kinds of elements");
    Element *element = &reader->elements[reader->element_count++];
    memset(element, 0, sizeof *element);
    memcpy(element->name, words[1], WORD_SIZE);
    element->count = number;
    return TLW_OK;
}

static tlwResult addProperty(Reader *reader, char words[MAX_WORDS][WORD_SIZE], int count)
{
    if (reader->element_count == 0)
        return fail(reader, "its header has a property before any element");
    Element *element = &reader->elements[reader->element_count - 1];
    if (element->property_count == MAX_PROPERTIES)
        return fail(reader, "an element has more than 64 properties");
    bool list = count == 5 && strcmp(words[1], "list") == 0;
    if (count != 3 && !list)
        return fail(reader, "a property line in its header is damaged");
    Property *property = &element->properties[element->property_count++];
    property->type = typeFromName(words[list ? 3 : 1]);
    property->count_type = list ? typeFromName(words[2]) : TYPE_NONE;
    memcpy(property->name, words[list ? 4 : 2], WORD_SIZE);
    if (property->type == TYPE_NONE ||
        (list && (property->count_type == TYPE_NONE || property->count_type >= TYPE_F32)))
        return fail(reader, "a property in its header has an unknown type");
    return TLW_OK;
}

static tlwResult readHeader(Reader *reader)
{
    char words[MAX_WORDS][WORD_SIZE];
    int count;
    if (!readWords(reader, words, &count) || count != 1 || strcmp(words[0], "ply") != 0)
        return fail(reader, "it is not a PLY file");
    bool format = false;
    while (readWords(reader, words, &count)) {
        if (count == 0 || strcmp(words[0], "comment") == 0 || strcmp(words[0], "obj_info") == 0)
            continue;
        if (strcmp(words[0], "end_header") == 0)
            return format ? TLW_OK : fail(reader, "its header does not say which format it has");
        if (strcmp(words[0], "format") == 0) {
            format = count >= 2 && (strcmp(words[1], "ascii") == 0 || strcmp(words[1], "binary_little_endian") == 0);
            if (!format)
                return fail(reader, "only ascii and binary_little_endian PLY files are understood");
            reader->ascii = strcmp(words[1], "ascii") == 0;
        } else if (strcmp(words[0], "element") == 0) {
            TLW_TRY(addElement(reader, words, count));
        } else if (strcmp(words[0], "property") == 0) {
            TLW_TRY(addProperty(reader, words, count));
        } else {
            return fail(reader, "its header has a line that is not understood");
        }
    }
    return fail(reader, "it ends within its header");
}

static bool readAsciiNumber(Reader *reader, double *number)
{
    char token[64];
    size_t length = 0;
    const char *p = reader->at;
    while (p < reader->end && (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\n'))
        p++;
    while (p < reader->end && !(*p == ' ' || *p == '\t' || *p == '\r' || *p == '\n')) {
        if (length == sizeof token - 1)
            return false;
        token[length++] = *p++;
    }
    token[length] = 0;
    char *rest;
    *number = strtod(token, &rest);
    reader->at = p;
    return length > 0 && *rest == 0;
}

static bool readNumber(Reader *reader, Type type, double *number)
{
    if (reader->ascii)
        return readAsciiNumber(reader, number);
    int size = sizeOfType(type);
    if (reader->end - reader->at < size)
        return false;
    union {
        int8_t i8;
        uint8_t u8;
        int16_t i16;
        uint16_t u16;
        int32_t i32;
        uint32_t u32;
        float f32;
        double f64;
    } value;
    memcpy(&value, reader->at, (size_t)size);
    reader->at += size;
    switch (type) {
    case TYPE_I8:
        *number = value.i8;
        break;
    case TYPE_U8:
        *number = value.u8;
        break;
    case TYPE_I16:
        *number = value.i16;
        break;
    case TYPE_U16:
        *number = value.u16;
        break;
    case TYPE_I32:
        *number = value.i32;
        break;
    case TYPE_U32:
        *number = value.u32;
        break;
    case TYPE_F32:
        *number = value.f32;
        break;
    case TYPE_F64:
        *number = value.f64;
        break;
    case TYPE_NONE:
        return false;
    }
    return true;
}

// Read the length of a list. False when the rest of the file cannot hold such a list.
static bool readListLength(Reader *reader, const Property *property, int64_t *length)
{
    double number;
    if (!readNumber(reader, property->count_type, &number) || !(number >= 0))
        return false;
    int64_t room = (int64_t)(reader->end - reader->at) / (reader->ascii ? 1 : sizeOfType(property->type));
    if (number > (double)room)
        return false;
    *length = (int64_t)number;
    return true;
}

static bool skipProperty(Reader *reader, const Property *property)
{
    int64_t length = 1;
    double ignored;
    if (property->count_type != TYPE_NONE && !readListLength(reader, property, &length))
        return false;
    for (int64_t i = 0; i < length; i++)
        if (!readNumber(reader, property->type, &ignored))
            return false;
    return true;
}

// Could the rest of the file hold this many rows at all?
static bool fits(const Reader *reader, const Element *element)
{
    int64_t row = 0;
    for (int i = 0; i < element->property_count; i++) {
        const Property *p = &element->properties[i];
        row += reader->ascii ? 1 : sizeOfType(p->count_type != TYPE_NONE ? p->count_type : p->type);
    }
    return row > 0 && element->count <= (int64_t)(reader->end - reader->at) / row;
}

static tlwResult readVertices(Reader *reader, const Element *element, tlwMesh *mesh)
{
    int axis_of[MAX_PROPERTIES] = {0}, found = 0;
    for (int i = 0; i < element->property_count; i++) {
        const Property *p = &element->properties[i];
        bool axis = p->count_type == TYPE_NONE && p->name[0] >= 'x' && p->name[0] <= 'z' && p->name[1] == 0;
        axis_of[i] = axis ? p->name[0] - 'x' : -1;
        found |= axis ? 1 << axis_of[i] : 0;
    }
    if (found != 7)
        return fail(reader, "its vertices have no x, y and z");
    if (element->count > INT32_MAX)
        return fail(reader, "it has more vertices than can be handled");
    if (!tlwReserveMesh(mesh, element->count, 0))
        return tlwFailMemory(reader->message, "a mesh");
    for (int64_t row = 0; row < element->count; row++) {
        for (int i = 0; i < element->property_count; i++) {
            double number = 0;
            bool ok = axis_of[i] < 0 ? skipProperty(reader, &element->properties[i])
                                     : readNumber(reader, element->properties[i].type, &number);
            if (!ok)
                return fail(reader, "it ends early or is damaged among its vertices");
            if (axis_of[i] >= 0)
                mesh->positions[3 * row + axis_of[i]] = (float)number;
        }
    }
    mesh->vertex_count = element->count;
    return TLW_OK;
}

static tlwResult readPolygon(Reader *reader, const Property *property, tlwMesh *mesh)
{
    int64_t length;
    if (!readListLength(reader, property, &length))
        return fail(reader, "it ends early or is damaged among its faces");
    int32_t first = 0, last = 0;
    for (int64_t i = 0; i < length; i++) {
        double number = 0;
        if (!readNumber(reader, property->type, &number) || !(number >= 0 && number <= INT32_MAX))
            return fail(reader, "it ends early or is damaged among its faces");
        int32_t vertex = (int32_t)number;
        if (i == 0)
            first = vertex;
        if (i >= 2 && !tlwAddTriangle(mesh, first, last, vertex))
            return tlwFailMemory(reader->message, "a mesh");
        last = vertex;
    }
    return TLW_OK;
}

static bool isVertexList(const Property *property)
{
    return property->count_type != TYPE_NONE && property->type < TYPE_F32 &&
           (strcmp(property->name, "vertex_indices") == 0 || strcmp(property->name, "vertex_index") == 0);
}

static tlwResult readFaces(Reader *reader, const Element *element, tlwMesh *mesh)
{
    for (int64_t row = 0; row < element->count; row++)
        for (int i = 0; i < element->property_count; i++) {
            if (isVertexList(&element->properties[i]))
                TLW_TRY(readPolygon(reader, &element->properties[i], mesh));
            else if (!skipProperty(reader, &element->properties[i]))
                return fail(reader, "it ends early or is damaged among its faces");
        }
    return TLW_OK;
}

static tlwResult readBody(Reader *reader, tlwMesh *mesh)
{
    bool vertices = false;
    for (int e = 0; e < reader->element_count; e++) {
        const Element *element = &reader->elements[e];
        if (element->count == 0 || element->property_count == 0)
            continue;
        if (!fits(reader, element))
            return fail(reader, "it is shorter than its header says");
        if (strcmp(element->name, "vertex") == 0 && !vertices) {
            TLW_TRY(readVertices(reader, element, mesh));
            vertices = true;
        } else if (strcmp(element->name, "face") == 0) {
            TLW_TRY(readFaces(reader, element, mesh));
        } else {
            for (int64_t row = 0; row < element->count; row++)
                for (int i = 0; i < element->property_count; i++)
                    if (!skipProperty(reader, &element->properties[i]))
                        return fail(reader, "it ends early or is damaged");
        }
    }
    for (int64_t i = 0; i < 3 * mesh->triangle_count; i++)
        if (mesh->triangles[i] >= mesh->vertex_count)
            return fail(reader, "a face uses a vertex that is not there");
    return TLW_OK;
}

static Reader *createReader(const char *data, int64_t size, const char *name, tlwMessage *message)
{
    Reader *reader = tlwAlloc(1, sizeof *reader);
    if (reader) {
        reader->at = data;
        reader->end = data + size;
        reader->name = name;
        reader->message = message;
    }
    return reader;
}

tlwResult tlwParsePlyMesh(const char *data, int64_t size, const char *name, tlwMessage *message, tlwMesh *mesh)
{
    memset(mesh, 0, sizeof *mesh);
    Reader *reader = createReader(data, size, name, message);
    if (!reader)
        return tlwFailMemory(message, "a mesh");
    tlwResult result = readHeader(reader);
    if (result == TLW_OK)
        result = readBody(reader, mesh);
    if (result != TLW_OK)
        tlwDestroyMesh(mesh);
    tlwFree(reader);
    return result;
}

// A whole file, as a plain one.
static tlwResult readPlain(const char *path, tlwMessage *message, char **data, int64_t *size)
{
    TLW_TRY(tlwReadFile(path, 0, message, data, size));
    if (!tlwIsCompactPly(*data, *size))
        return TLW_OK;
    char *packed = *data;
    tlwResult result = tlwUnpackPly(packed, *size, path, message, data, size);
    tlwFree(packed);
    return result;
}

tlwResult tlwReadPlyMesh(const char *path, tlwMessage *message, tlwMesh *mesh)
{
    memset(mesh, 0, sizeof *mesh);
    char *data;
    int64_t size;
    TLW_TRY(readPlain(path, message, &data, &size));
    tlwResult result = tlwParsePlyMesh(data, size, path, message, mesh);
    tlwFree(data);
    return result;
}

static tlwResult describeHeader(Reader *reader, tlwPlyInfo *info)
{
    TLW_TRY(readHeader(reader));
    for (int e = 0; e < reader->element_count; e++) {
        const Element *element = &reader->elements[e];
        if (strcmp(element->name, "vertex") == 0)
            info->vertices = element->count;
        if (strcmp(element->name, "face") == 0)
            info->faces = element->count;
        for (int i = 0; i < element->property_count; i++) {
            info->has_velocity |= strcmp(element->properties[i].name, "vx") == 0;
            info->has_temperature |= strcmp(element->properties[i].name, "temperature") == 0;
        }
        if (element->count > 0 && !fits(reader, element))
            return fail(reader, "it is shorter than its header says");
    }
    return TLW_OK;
}

tlwResult tlwInspectPly(const char *path, tlwMessage *message, tlwPlyInfo *info)
{
    memset(info, 0, sizeof *info);
    char *data;
    int64_t size;
    TLW_TRY(readPlain(path, message, &data, &size));
    Reader *reader = createReader(data, size, path, message);
    tlwResult result = reader ? describeHeader(reader, info) : tlwFailMemory(message, "a mesh");
    tlwFree(reader);
    tlwFree(data);
    return result;
}
