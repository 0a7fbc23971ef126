#include "shapes.h"

#include <math.h>
#include <stdlib.h>

static const double pi = 3.14159265358979323846;

void tlwFreeShape(tlwShape *shape)
{
    free(shape->positions);
    free(shape->triangles);
    *shape = (tlwShape){0};
}

tlwMeshData tlwGetShapeMesh(const tlwShape *shape)
{
    return (tlwMeshData){shape->positions, shape->vertex_count, shape->triangles, shape->triangle_count};
}

static int addVertex(tlwShape *shape, tlwVec3 p)
{
    if (shape->vertex_count == shape->vertex_capacity) {
        int capacity = shape->vertex_capacity ? 2 * shape->vertex_capacity : 64;
        float *grown = realloc(shape->positions, (size_t)capacity * 3 * sizeof *grown);
        if (!grown) {
            shape->failed = true;
            return 0;
        }
        shape->positions = grown;
        shape->vertex_capacity = capacity;
    }
    float *to = shape->positions + 3 * shape->vertex_count;
    to[0] = (float)p.x;
    to[1] = (float)p.y;
    to[2] = (float)p.z;
    return shape->vertex_count++;
}

static void addTriangle(tlwShape *shape, int a, int b, int c)
{
    if (a == b || b == c || c == a)
        return;
    if (shape->triangle_count == shape->triangle_capacity) {
        int capacity = shape->triangle_capacity ? 2 * shape->triangle_capacity : 128;
        int32_t *grown = realloc(shape->triangles, (size_t)capacity * 3 * sizeof *grown);
        if (!grown) {
            shape->failed = true;
            return;
        }
        shape->triangles = grown;
        shape->triangle_capacity = capacity;
    }
    int32_t *to = shape->triangles + 3 * shape->triangle_count++;
    to[0] = a;
    to[1] = b;
    to[2] = c;
}

static void addQuad(tlwShape *shape, int a, int b, int c, int d)
{
    addTriangle(shape, a, b, c);
    addTriangle(shape, a, c, d);
}

// Corner i has x from bit 0, y from bit 1, z from bit 2. `inwards` turns the faces round.
static int addBox(tlwShape *shape, tlwVec3 low, tlwVec3 high, bool inwards, bool top)
{
    static const int faces[6][4] = {{0, 2, 3, 1}, {0, 1, 5, 4}, {1, 3, 7, 5}, {3, 2, 6, 7}, {2, 0, 4, 6}, {4, 5, 7, 6}};
    int first = shape->vertex_count;
    for (int i = 0; i < 8; i++)
        addVertex(shape, (tlwVec3){i & 1 ? high.x : low.x, i & 2 ? high.y : low.y, i & 4 ? high.z : low.z});
    for (int i = 0; i < (top ? 6 : 5); i++) {
        const int *f = faces[i];
        if (inwards)
            addQuad(shape, first + f[3], first + f[2], first + f[1], first + f[0]);
        else
            addQuad(shape, first + f[0], first + f[1], first + f[2], first + f[3]);
    }
    return first;
}

tlwShape tlwMakeBox(tlwVec3 low, tlwVec3 high)
{
    tlwShape shape = {0};
    addBox(&shape, low, high, false, true);
    return shape;
}

tlwShape tlwMakeContainer(tlwVec3 low, tlwVec3 high, double thickness, bool open)
{
    tlwShape shape = {0};
    double t = thickness;
    tlwVec3 outer_low = {low.x - t, low.y - t, low.z - t};
    tlwVec3 outer_high = {high.x + t, high.y + t, open ? high.z : high.z + t};
    int a = addBox(&shape, outer_low, outer_high, false, !open);
    int b = addBox(&shape, low, high, true, !open);
    if (open) { // the rim
        static const int around[4] = {4, 5, 7, 6};
        for (int i = 0; i < 4; i++) {
            int p = around[i], q = around[(i + 1) % 4];
            addQuad(&shape, a + p, a + q, b + q, b + p);
        }
    }
    return shape;
}

typedef struct Midpoint {
    int a, b, vertex;
} Midpoint;

// The vertex in the middle of edge a-b. The hash table returns the same vertex for both triangles of the edge.
static int getMidpoint(tlwShape *shape, Midpoint *table, int size, int a, int b)
{
    if (a > b) {
        int swap = a;
        a = b;
        b = swap;
    }
    unsigned slot = ((unsigned)a * 73856093u ^ (unsigned)b * 19349663u) % (unsigned)size;
    while (table[slot].vertex && (table[slot].a != a || table[slot].b != b))
        slot = (slot + 1) % (unsigned)size;
    if (!table[slot].vertex) {
        const float *p = shape->positions + 3 * a, *q = shape->positions + 3 * b;
        tlwVec3 m = {p[0] + q[0], p[1] + q[1], p[2] + q[2]};
        double length = sqrt(m.x * m.x + m.y * m.y + m.z * m.z);
        int made = addVertex(shape, (tlwVec3){m.x / length, m.y / length, m.z / length});
        table[slot] = (Midpoint){a, b, made};
    }
    return table[slot].vertex;
}

static void divide(tlwShape *shape)
{
    int count = shape->triangle_count, size = 4 * count + 7;
    Midpoint *table = calloc((size_t)size, sizeof *table);
    if (!table) {
        shape->failed = true;
        return;
    }
    for (int i = 0; i < count && !shape->failed; i++) {
        int a = shape->triangles[3 * i], b = shape->triangles[3 * i + 1], c = shape->triangles[3 * i + 2];
        int ab = getMidpoint(shape, table, size, a, b), bc = getMidpoint(shape, table, size, b, c);
        int ca = getMidpoint(shape, table, size, c, a);
        addTriangle(shape, a, ab, ca);
        addTriangle(shape, ab, b, bc);
        addTriangle(shape, ca, bc, c);
        int32_t *middle = shape->triangles + 3 * i;
        middle[0] = ab;
        middle[1] = bc;
        middle[2] = ca;
    }
    free(table);
}

tlwShape tlwMakeSphere(tlwVec3 centre, double radius, int detail)
{
    static const int faces[20][3] = {{0, 11, 5}, {0, 5, 1},  {0, 1, 7},   {0, 7, 10}, {0, 10, 11},
                                     {1, 5, 9},  {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
                                     {3, 9, 4},  {3, 4, 2},  {3, 2, 6},   {3, 6, 8},  {3, 8, 9},
                                     {4, 9, 5},  {2, 4, 11}, {6, 2, 10},  {8, 6, 7},  {9, 8, 1}};
    double t = (1 + sqrt(5)) / 2, s = 1 / sqrt(1 + t * t);
    const double corners[12][3] = {{-1, t, 0},  {1, t, 0},  {-1, -t, 0}, {1, -t, 0}, {0, -1, t},  {0, 1, t},
                                   {0, -1, -t}, {0, 1, -t}, {t, 0, -1},  {t, 0, 1},  {-t, 0, -1}, {-t, 0, 1}};
    tlwShape shape = {0};
    for (int i = 0; i < 12; i++)
        addVertex(&shape, (tlwVec3){s * corners[i][0], s * corners[i][1], s * corners[i][2]});
    for (int i = 0; i < 20; i++)
        addTriangle(&shape, faces[i][0], faces[i][1], faces[i][2]);
    for (int i = 0; i < detail && i < 8; i++)
        divide(&shape);
    for (int i = 0; i < shape.vertex_count; i++) {
        float *p = shape.positions + 3 * i;
        p[0] = (float)(centre.x + radius * p[0]);
        p[1] = (float)(centre.y + radius * p[1]);
        p[2] = (float)(centre.z + radius * p[2]);
    }
    return shape;
}

static void append(tlwShape *shape, const tlwShape *other, bool inwards)
{
    int first = shape->vertex_count;
    for (int i = 0; i < other->vertex_count; i++) {
        const float *p = other->positions + 3 * i;
        addVertex(shape, (tlwVec3){p[0], p[1], p[2]});
    }
    for (int i = 0; i < other->triangle_count; i++) {
        const int32_t *t = other->triangles + 3 * i;
        addTriangle(shape, first + t[0], first + t[inwards ? 2 : 1], first + t[inwards ? 1 : 2]);
    }
    shape->failed |= other->failed;
}

tlwShape tlwMakeSphereContainer(tlwVec3 centre, double radius, double thickness, int detail)
{
    tlwShape shape = tlwMakeSphere(centre, radius + thickness, detail);
    tlwShape cavity = tlwMakeSphere(centre, radius, detail);
    append(&shape, &cavity, true);
    tlwFreeShape(&cavity);
    return shape;
}

// `edges` of the outline are turned: `count` closes it, one less leaves it open.
static tlwShape turnOutline(tlwVec3 centre, const double (*outline)[2], int count, int edges, int sides)
{
    tlwShape shape = {0};
    int *ring = calloc((size_t)count, sizeof *ring);
    if (!ring) {
        shape.failed = true;
        return shape;
    }
    for (int i = 0; i < count; i++) {
        ring[i] = shape.vertex_count;
        for (int k = 0; k < (outline[i][0] > 0 ? sides : 1); k++) {
            double angle = 2 * pi * k / sides;
            addVertex(&shape, (tlwVec3){centre.x + outline[i][0] * cos(angle), centre.y + outline[i][0] * sin(angle),
                                        centre.z + outline[i][1]});
        }
    }
    for (int i = 0; i < edges; i++) {
        int j = (i + 1) % count;
        bool tip_i = !(outline[i][0] > 0), tip_j = !(outline[j][0] > 0);
        for (int k = 0; k < sides && !(tip_i && tip_j); k++) {
            int next = (k + 1) % sides;
            int a = ring[i] + (tip_i ? 0 : k), b = ring[i] + (tip_i ? 0 : next);
            int c = ring[j] + (tip_j ? 0 : next), d = ring[j] + (tip_j ? 0 : k);
            addQuad(&shape, a, b, c, d);
        }
    }
    free(ring);
    return shape;
}

tlwShape tlwMakeLathe(tlwVec3 centre, const double (*outline)[2], int count, int sides)
{
    return turnOutline(centre, outline, count, count, sides);
}

tlwShape tlwMakeBowl(tlwVec3 centre, double radius, double thickness, int sides)
{
    enum { ARC = 25 };
    double outline[2 * ARC][2];
    for (int i = 0; i < ARC; i++) {
        double angle = 0.5 * pi * i / (ARC - 1), r = i ? sin(angle) : 0, z = i < ARC - 1 ? -cos(angle) : 0;
        outline[i][0] = (radius + thickness) * r;
        outline[i][1] = (radius + thickness) * z;
        outline[2 * ARC - 1 - i][0] = radius * r;
        outline[2 * ARC - 1 - i][1] = radius * z;
    }
    return thickness > 0 ? tlwMakeLathe(centre, outline, 2 * ARC, sides)
                         : turnOutline(centre, outline, ARC, ARC - 1, sides);
}

tlwShape tlwMakeCylinder(tlwVec3 centre, double radius, double height, int sides)
{
    const double h = height / 2;
    const double outline[4][2] = {{0, -h}, {radius, -h}, {radius, h}, {0, h}};
    return tlwMakeLathe(centre, outline, 4, sides);
}

tlwShape tlwMakeFunnel(tlwVec3 centre, double top_radius, double hole_radius, double height, double thickness,
                       int sides)
{
    const double outline[4][2] = {
        {hole_radius, 0}, {hole_radius + thickness, 0}, {top_radius + thickness, height}, {top_radius, height}};
    return tlwMakeLathe(centre, outline, 4, sides);
}

tlwShape tlwMakePrism(const double (*outline)[2], int count, double low, double high)
{
    tlwShape shape = {0};
    for (int i = 0; i < 2 * count; i++)
        addVertex(&shape, (tlwVec3){outline[i % count][0], i < count ? low : high, outline[i % count][1]});
    for (int i = 0; i < count; i++) {
        int j = (i + 1) % count;
        addQuad(&shape, j, i, count + i, count + j);
        if (i > 0 && j > 0) {
            addTriangle(&shape, 0, i, j);
            addTriangle(&shape, count, count + j, count + i);
        }
    }
    return shape;
}

tlwShape tlwMakeGear(int teeth, double inner, double outer, double thickness)
{
    tlwShape shape = {0};
    int count = 4 * teeth;
    for (int i = 0; i < 2 * count; i++) {
        double angle = 2 * pi * (i % count + 0.5) / count, radius = i % 4 < 2 ? outer : inner;
        addVertex(&shape,
                  (tlwVec3){radius * cos(angle), i < count ? -0.5 * thickness : 0.5 * thickness, radius * sin(angle)});
    }
    addVertex(&shape, (tlwVec3){0, -0.5 * thickness, 0});
    addVertex(&shape, (tlwVec3){0, 0.5 * thickness, 0});
    for (int i = 0; i < count; i++) {
        int j = (i + 1) % count;
        addQuad(&shape, j, i, count + i, count + j);
        addTriangle(&shape, 2 * count, i, j);
        addTriangle(&shape, 2 * count + 1, count + j, count + i);
    }
    return shape;
}

tlwQuat tlwMakeRotation(tlwVec3 axis, double degrees)
{
    double length = sqrt(axis.x * axis.x + axis.y * axis.y + axis.z * axis.z), half = degrees * pi / 360;
    double s = length > 0 ? sin(half) / length : 0;
    return (tlwQuat){cos(half), s * axis.x, s * axis.y, s * axis.z};
}

static tlwVec3 rotate(tlwQuat q, tlwVec3 v)
{
    tlwVec3 t = {2 * (q.y * v.z - q.z * v.y), 2 * (q.z * v.x - q.x * v.z), 2 * (q.x * v.y - q.y * v.x)};
    return (tlwVec3){v.x + q.w * t.x + q.y * t.z - q.z * t.y, v.y + q.w * t.y + q.z * t.x - q.x * t.z,
                     v.z + q.w * t.z + q.x * t.y - q.y * t.x};
}

void tlwPlaceShape(tlwShape *shape, tlwVec3 pivot, tlwQuat rotation, tlwVec3 offset)
{
    for (int i = 0; i < shape->vertex_count; i++) {
        float *p = shape->positions + 3 * i;
        tlwVec3 v = rotate(rotation, (tlwVec3){p[0] - pivot.x, p[1] - pivot.y, p[2] - pivot.z});
        p[0] = (float)(v.x + pivot.x + offset.x);
        p[1] = (float)(v.y + pivot.y + offset.y);
        p[2] = (float)(v.z + pivot.z + offset.z);
    }
}
