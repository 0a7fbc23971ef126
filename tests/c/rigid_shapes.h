// Concave shapes for the rigid tests: unions of turned boxes, and rings. Fields are analytic, or sampled on a dense
// grid with a narrow band, which is what level sets give.
#ifndef RIGID_SHAPES_H
#define RIGID_SHAPES_H

#include "rigid_helpers.h"

#include "rigid/mesh_balls.h"

#define MAX_PARTS 32

typedef struct Part {
    tlwVec3 half, centre;
    tlwQuat rotation;
} Part;

typedef struct Shape {
    Part parts[MAX_PARTS];
    int part_count;
    double ring_radius, tube_radius; // a ring in the xy plane when above 0

    float *positions;
    int32_t *triangles;
    tlwMeshData mesh;

    float *grid; // distances on a dense grid; null = analytic
    int size[3];
    tlwVec3 origin;
    double cell, band;
} Shape;

static inline void addPart(Shape *s, tlwVec3 half, tlwVec3 centre, double angle)
{
    s->parts[s->part_count++] = (Part){half, centre, tlwQuatFromRotationVector(v3(0, 0, angle))};
}

static inline double shapeDistance(const Shape *s, tlwVec3 p)
{
    if (s->ring_radius > 0)
        return hypot(hypot(p.x, p.y) - s->ring_radius, p.z) - s->tube_radius;
    double best = 1e9;
    for (int i = 0; i < s->part_count; i++) {
        const Part *part = &s->parts[i];
        tlwVec3 q = tlwRotate(tlwQuatConjugate(part->rotation), tlwSub(p, part->centre));
        tlwVec3 o = v3(fabs(q.x) - part->half.x, fabs(q.y) - part->half.y, fabs(q.z) - part->half.z);
        double inside = fmin(0, fmax(o.x, fmax(o.y, o.z)));
        best = fmin(best, tlwLength(tlwMax3(o, v3(0, 0, 0))) + inside);
    }
    return best;
}

static inline void sampleShape(const void *user, const tlwVec3 *points, int count, double *distance, tlwVec3 *gradient)
{
    const Shape *s = user;
    double e = 1e-6;
    for (int i = 0; i < count; i++) {
        tlwVec3 p = points[i];
        distance[i] = shapeDistance(s, p);
        gradient[i] = v3(shapeDistance(s, v3(p.x + e, p.y, p.z)) - shapeDistance(s, v3(p.x - e, p.y, p.z)),
                         shapeDistance(s, v3(p.x, p.y + e, p.z)) - shapeDistance(s, v3(p.x, p.y - e, p.z)),
                         shapeDistance(s, v3(p.x, p.y, p.z + e)) - shapeDistance(s, v3(p.x, p.y, p.z - e)));
        gradient[i] = tlwScale(gradient[i], 0.5 / e);
    }
}

static inline void sampleShapeGrid(const void *user, const tlwVec3 *points, int count, double *distance,
                                   tlwVec3 *gradient)
{
    const Shape *s = user;
    for (int n = 0; n < count; n++) {
        double f[3] = {(points[n].x - s->origin.x) / s->cell, (points[n].y - s->origin.y) / s->cell,
                       (points[n].z - s->origin.z) / s->cell};
        int c[3];
        bool outside = false;
        for (int k = 0; k < 3; k++) {
            c[k] = (int)floor(f[k]);
            outside = outside || c[k] < 0 || c[k] >= s->size[k] - 1;
            f[k] -= c[k];
        }
        distance[n] = s->band;
        gradient[n] = v3(0, 0, 0);
        if (outside)
            continue;
        const float *g = s->grid + ((size_t)c[2] * s->size[1] + c[1]) * s->size[0] + c[0];
        size_t sy = s->size[0], sz = (size_t)s->size[0] * s->size[1];
        double x = f[0], y = f[1], z = f[2],
               v[8] = {g[0], g[1], g[sy], g[sy + 1], g[sz], g[sz + 1], g[sz + sy], g[sz + sy + 1]};
        double a = v[0] + x * (v[1] - v[0]), b = v[2] + x * (v[3] - v[2]), d = v[4] + x * (v[5] - v[4]),
               e = v[6] + x * (v[7] - v[6]), low = a + y * (b - a), high = d + y * (e - d);
        double dx0 = (v[1] - v[0]) + y * ((v[3] - v[2]) - (v[1] - v[0])),
               dx1 = (v[5] - v[4]) + y * ((v[7] - v[6]) - (v[5] - v[4]));
        distance[n] = low + z * (high - low);
        gradient[n] = tlwScale(v3(dx0 + z * (dx1 - dx0), (b - a) + z * ((e - d) - (b - a)), high - low), 1 / s->cell);
    }
}

// Corners of all boxes, or rings of vertices around the tube.
static inline void meshShape(Shape *s)
{
    enum { AROUND = 64, TUBE = 20 };
    bool ring = s->ring_radius > 0;
    int vertices = ring ? AROUND * TUBE : 8 * s->part_count, triangles = ring ? 2 * AROUND * TUBE : 12 * s->part_count;
    s->positions = tlwAlloc((size_t)vertices * 3, sizeof *s->positions);
    s->triangles = tlwAlloc((size_t)triangles * 3, sizeof *s->triangles);
    s->mesh = (tlwMeshData){s->positions, vertices, s->triangles, triangles};
    static const int box[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
    for (int i = 0; i < vertices; i++) {
        tlwVec3 p;
        if (ring) {
            double u = 6.283185307179586 * (i / TUBE) / AROUND, w = 6.283185307179586 * (i % TUBE) / TUBE;
            double r = s->ring_radius + s->tube_radius * cos(w);
            p = v3(r * cos(u), r * sin(u), s->tube_radius * sin(w));
        } else {
            const Part *part = &s->parts[i / 8];
            tlwVec3 c = v3(i & 1 ? part->half.x : -part->half.x, i & 2 ? part->half.y : -part->half.y,
                           i & 4 ? part->half.z : -part->half.z);
            p = tlwAdd(part->centre, tlwRotate(part->rotation, c));
        }
        s->positions[3 * i] = (float)p.x;
        s->positions[3 * i + 1] = (float)p.y;
        s->positions[3 * i + 2] = (float)p.z;
    }
    for (int t = 0; t < triangles; t++) {
        int quad = t / 2, i = quad / TUBE, j = quad % TUBE, i1 = (i + 1) % AROUND, j1 = (j + 1) % TUBE;
        int first[3] = {i * TUBE + j, i1 * TUBE + j, i1 * TUBE + j1},
            second[3] = {i * TUBE + j, i1 * TUBE + j1, i * TUBE + j1};
        for (int k = 0; k < 3; k++)
            s->triangles[3 * t + k] = ring ? (t % 2 ? second[k] : first[k]) : 8 * (t / 12) + box[3 * (t % 12) + k];
    }
}

static inline void gridShape(Shape *s, double cell)
{
    tlwVec3 low = v3(1e9, 1e9, 1e9), high = v3(-1e9, -1e9, -1e9);
    for (int i = 0; i < s->mesh.vertex_count; i++) {
        tlwVec3 p = v3(s->positions[3 * i], s->positions[3 * i + 1], s->positions[3 * i + 2]);
        low = tlwMin3(low, p);
        high = tlwMax3(high, p);
    }
    s->cell = cell;
    s->band = 4 * cell;
    s->origin = tlwSub(low, v3(5 * cell, 5 * cell, 5 * cell));
    s->size[0] = (int)((high.x - low.x) / cell) + 11;
    s->size[1] = (int)((high.y - low.y) / cell) + 11;
    s->size[2] = (int)((high.z - low.z) / cell) + 11;
    s->grid = tlwAlloc((size_t)s->size[0] * s->size[1] * s->size[2], sizeof *s->grid);
    for (int k = 0; k < s->size[2]; k++)
        for (int j = 0; j < s->size[1]; j++)
            for (int i = 0; i < s->size[0]; i++) {
                double d = shapeDistance(s, tlwAdd(s->origin, v3(i * cell, j * cell, k * cell)));
                s->grid[((size_t)k * s->size[1] + j) * s->size[0] + i] = (float)tlwClamp(d, -s->band, s->band);
            }
}

static inline void freeShape(Shape *s)
{
    tlwFree(s->positions);
    tlwFree(s->triangles);
    tlwFree(s->grid);
}

// Mass, centre and inertia by summing small cubes; collider from the analytic field or, with `cell` > 0, from a grid.
static inline tlwBody shapeBody(Scene *scene, Shape *s, double density, int balls, double cell)
{
    meshShape(s);
    if (cell > 0)
        gridShape(s, cell);
    tlwBallDef def = tlwDefaultBallDef();
    def.target = balls;
    def.inset = cell;
    tlwCollider *c = NULL;
    assert_int_equal(tlwCreateFieldCollider(cell > 0 ? sampleShapeGrid : sampleShape, s,
                                            cell > 0 ? s->band : TLW_UNBOUNDED, &s->mesh, &def, &c, &scene->message),
                     TLW_OK);
    tlwBody b = tlwDefaultBody();
    b.collider = keep(scene, c);
    enum { N = 40 };
    tlwVec3 side = tlwScale(tlwSub(c->box_max, c->box_min), 1.0 / N), first = v3(0, 0, 0);
    double piece = density * side.x * side.y * side.z, mass = 0, second[6] = {0};
    for (int i = 0; i < N * N * N; i++) {
        tlwVec3 p =
            tlwAdd(c->box_min, v3((i % N + 0.5) * side.x, (i / N % N + 0.5) * side.y, (i / N / N + 0.5) * side.z));
        if (shapeDistance(s, p) > 0)
            continue;
        mass += piece;
        first = tlwMulAdd(first, piece, p);
        double m[6] = {p.x * p.x, p.y * p.y, p.z * p.z, p.x * p.y, p.x * p.z, p.y * p.z};
        for (int k = 0; k < 6; k++)
            second[k] += piece * m[k];
    }
    b.mass = mass;
    b.centre = tlwScale(first, 1 / mass);
    tlwVec3 o = b.centre;
    double xx = second[0] - mass * o.x * o.x, yy = second[1] - mass * o.y * o.y, zz = second[2] - mass * o.z * o.z,
           xy = second[3] - mass * o.x * o.y, xz = second[4] - mass * o.x * o.z, yz = second[5] - mass * o.y * o.z;
    b.inertia = (tlwMat3){{{yy + zz, -xy, -xz}, {-xy, xx + zz, -yz}, {-xz, -yz, xx + yy}}};
    return b;
}

#endif
