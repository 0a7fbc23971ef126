#include "step/bodies/patch.h"

#include "base/vec.h"
#include "shape/sdf_sample.h"
#include "step/obstacles/face_share.h"

enum { PARTS = TLW_FACE_PARTS, NODES = PARTS + 1 };

// Area and first moments of a flat region.
typedef struct Region {
    double area, u, v;
} Region;

typedef struct Corner {
    double u, v, d;
} Corner;

static void addTriangle(Region *region, const Corner *a, const Corner *b, const Corner *c)
{
    double area = 0.5 * ((b->u - a->u) * (c->v - a->v) - (b->v - a->v) * (c->u - a->u));
    region->area += area;
    region->u += area * (a->u + b->u + c->u) / 3;
    region->v += area * (a->v + b->v + c->v) / 3;
}

// Add the part of a square that lies inside (d <= 0), cut off along straight lines.
static void addSquare(Region *region, const Corner square[4])
{
    Corner kept[8];
    int count = 0;
    for (int n = 0; n < 4; n++) {
        const Corner *a = &square[n], *b = &square[(n + 1) & 3];
        if (a->d <= 0)
            kept[count++] = *a;
        if ((a->d <= 0) != (b->d <= 0)) {
            double t = a->d / (a->d - b->d);
            kept[count++] = (Corner){a->u + t * (b->u - a->u), a->v + t * (b->v - a->v), 0};
        }
    }
    for (int n = 2; n < count; n++)
        addTriangle(region, &kept[0], &kept[n - 1], &kept[n]);
}

// Centroid of the inner part of a face with the distances `d`, as shares of the face's sides. The middle of the face
// when all or nothing is inside.
static void findMiddle(const float d[NODES * NODES], double middle[2])
{
    Region region = {0, 0, 0};
    int inside = 0;
    for (int n = 0; n < NODES * NODES; n++)
        inside += d[n] <= 0;
    middle[0] = middle[1] = 0.5;
    if (inside == 0 || inside == NODES * NODES)
        return;
    for (int j = 0; j < PARTS; j++)
        for (int i = 0; i < PARTS; i++) {
            const float *q = d + j * NODES + i;
            Corner square[4] = {{i, j, q[0]}, {i + 1, j, q[1]}, {i + 1, j + 1, q[NODES + 1]}, {i, j + 1, q[NODES]}};
            addSquare(&region, square);
        }
    if (region.area > 1e-6) {
        middle[0] = region.u / (region.area * PARTS);
        middle[1] = region.v / (region.area * PARTS);
    }
}

// Share of a cell inside, from distances at the centres of its parts. The means of the parts' corners will not do: on a
// ball they are too large, and a ball of six cells would be half a percent too small.
static double shareInside(const tlwGrid *grid, const tlwPlacedMesh *body, const int cell[3])
{
    enum { COUNT = PARTS * PARTS * PARTS };
    double h = grid->dx / PARTS, sum = 0;
    tlwSdfNodes nodes = {.spacing = h, .dims = {PARTS, PARTS, PARTS}, .stride = {1, PARTS, PARTS * PARTS}};
    nodes.origin = tlwMulAdd(grid->origin, grid->dx, (tlwVec3){cell[0], cell[1], cell[2]});
    nodes.origin = tlwMulAdd(nodes.origin, 0.5 * h, (tlwVec3){1, 1, 1});
    float d[COUNT];
    tlwRasterizeSdf(body->wet, &body->frame, &nodes, d);
    for (int n = 0; n < COUNT; n++)
        sum += tlwClamp(0.5 - d[n] / h, 0, 1);
    return sum / COUNT;
}

static void measureFace(const tlwGrid *grid, const float *d, const int cell[3], int face, tlwBodyPatch *patch)
{
    const int stride[3] = {1, NODES, NODES * NODES};
    int axis = face / 2, upper = face & 1, u = (axis + 1) % 3, v = (axis + 2) % 3;
    float side[NODES * NODES];
    double middle[2], at[3] = {cell[0], cell[1], cell[2]};
    for (int j = 0; j < NODES; j++)
        for (int i = 0; i < NODES; i++)
            side[j * NODES + i] = d[upper * PARTS * stride[axis] + i * stride[u] + j * stride[v]];
    patch->cover[face] = 1 - tlwGetPartsShare(side, (float)grid->dx);
    findMiddle(side, middle);
    at[axis] += upper;
    at[u] += middle[0];
    at[v] += middle[1];
    patch->middle[face] = tlwMulAdd(grid->origin, grid->dx, (tlwVec3){at[0], at[1], at[2]});
}

// Whether the cell is so near to this body that a corner may be inside.
static bool isNear(const tlwGrid *grid, const tlwPlacedMesh *body, const int cell[3])
{
    tlwSdfNodes node = {.spacing = grid->dx, .dims = {1, 1, 1}, .stride = {1, 1, 1}};
    node.origin = tlwMulAdd(grid->origin, grid->dx, (tlwVec3){cell[0] + 0.5, cell[1] + 0.5, cell[2] + 0.5});
    float d;
    tlwRasterizeSdf(body->wet, &body->frame, &node, &d);
    return d < TLW_PATCH_REACH * grid->dx;
}

bool tlwMeasureBodyPatch(const tlwGrid *grid, const tlwPlacedMesh *body, const int cell[3], tlwBodyPatch *patch)
{
    if (!isNear(grid, body, cell))
        return false;
    tlwSdfNodes nodes = {
        .spacing = grid->dx / PARTS, .dims = {NODES, NODES, NODES}, .stride = {1, NODES, NODES * NODES}};
    nodes.origin = tlwMulAdd(grid->origin, grid->dx, (tlwVec3){cell[0], cell[1], cell[2]});
    float d[NODES * NODES * NODES];
    tlwRasterizeSdf(body->wet, &body->frame, &nodes, d);
    bool touched = false;
    for (int face = 0; face < 6; face++) {
        measureFace(grid, d, cell, face, patch);
        touched = touched || patch->cover[face] > 0;
    }
    patch->inside = touched ? shareInside(grid, body, cell) : 0;
    return touched;
}
