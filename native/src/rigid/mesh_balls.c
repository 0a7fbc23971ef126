#include "rigid/mesh_balls.h"

#include "base/memory.h"
#include "base/vec.h"
#include "rigid/collider.h"

#include <stdlib.h>
#include <string.h>

// The kind of a place on the surface. Lower ranks are placed first and closer together.
enum { RANK_CORNER, RANK_EDGE, RANK_FLAT, RANKS };

typedef struct Place {
    tlwVec3 position, normal;
    int rank;
} Place;

typedef struct Places {
    Place *items;
    int64_t count, capacity;
    bool out_of_memory;
} Places;

typedef struct Surface {
    const tlwMeshData *mesh;
    tlwVec3 *points;  // vertices
    int *weld;        // per vertex: first vertex at the same place
    tlwVec3 *normals; // per vertex: angle weighted sum of the normals around it, over the sum of angles
    double *angles;
    tlwVec3 box_min, box_max;
    double area, volume;
} Surface;

// m between balls. Edges have a spacing of their own: thin plates that meet edge on would pass between balls that are
// farther apart than the plates are thick.
typedef struct Spacing {
    double flat, edge;
} Spacing;

typedef struct HalfEdge {
    int low, high, triangle;
} HalfEdge;

tlwBallDef tlwDefaultBallDef(void)
{
    return (tlwBallDef){.target = 1000};
}

static void addPlace(Places *places, tlwVec3 position, tlwVec3 normal, int rank)
{
    if (!tlwReserve((void **)&places->items, &places->capacity, places->count + 1, sizeof *places->items)) {
        places->out_of_memory = true;
        return;
    }
    places->items[places->count++] = (Place){position, tlwNormalize(normal), rank};
}

// --- the surface ---

typedef struct Sortable {
    tlwVec3 point;
    int index;
} Sortable;

static int comparePoints(const void *a, const void *b)
{
    const Sortable *p = a, *q = b;
    if (p->point.x != q->point.x)
        return p->point.x < q->point.x ? -1 : 1;
    if (p->point.y != q->point.y)
        return p->point.y < q->point.y ? -1 : 1;
    if (p->point.z != q->point.z)
        return p->point.z < q->point.z ? -1 : 1;
    return p->index - q->index;
}

// Meshes often repeat a vertex, once per face. The copies are one corner.
static bool weldVertices(Surface *s)
{
    int n = s->mesh->vertex_count;
    Sortable *sorted = tlwAlloc((size_t)n, sizeof *sorted);
    if (!sorted)
        return false;
    for (int i = 0; i < n; i++)
        sorted[i] = (Sortable){s->points[i], i};
    qsort(sorted, (size_t)n, sizeof *sorted, comparePoints);
    for (int i = 0, first = 0; i < n; i++) {
        tlwVec3 d = tlwSub(sorted[i].point, sorted[first].point);
        if (d.x != 0 || d.y != 0 || d.z != 0)
            first = i;
        s->weld[sorted[i].index] = sorted[first].index;
    }
    tlwFree(sorted);
    return true;
}

static tlwVec3 corner(const Surface *s, int triangle, int k)
{
    return s->points[s->mesh->triangles[3 * triangle + k]];
}

static tlwVec3 areaVector(const Surface *s, int triangle)
{
    tlwVec3 a = corner(s, triangle, 0), b = corner(s, triangle, 1), c = corner(s, triangle, 2);
    return tlwScale(tlwCross(tlwSub(b, a), tlwSub(c, a)), 0.5);
}

static void sumNormals(Surface *s)
{
    for (int t = 0; t < s->mesh->triangle_count; t++) {
        tlwVec3 area = areaVector(s, t);
        double size = tlwLength(area);
        s->area += size;
        s->volume += tlwDot(area, corner(s, t, 0)) / 3;
        for (int k = 0; k < 3 && size > 0; k++) {
            tlwVec3 u = tlwSub(corner(s, t, (k + 1) % 3), corner(s, t, k));
            tlwVec3 v = tlwSub(corner(s, t, (k + 2) % 3), corner(s, t, k));
            double angle = atan2(tlwLength(tlwCross(u, v)), tlwDot(u, v));
            int vertex = s->weld[s->mesh->triangles[3 * t + k]];
            s->normals[vertex] = tlwMulAdd(s->normals[vertex], angle / size, area);
            s->angles[vertex] += angle;
        }
    }
    for (int i = 0; i < s->mesh->vertex_count; i++)
        if (s->angles[i] > 0)
            s->normals[i] = tlwScale(s->normals[i], 1 / s->angles[i]);
}

static void freeSurface(Surface *s)
{
    tlwFree(s->points);
    tlwFree(s->weld);
    tlwFree(s->normals);
    tlwFree(s->angles);
}

static tlwResult readSurface(Surface *s, const tlwMeshData *mesh, tlwMessage *message)
{
    size_t n = (size_t)mesh->vertex_count;
    *s = (Surface){.mesh = mesh,
                   .points = tlwAlloc(n, sizeof *s->points),
                   .weld = tlwAlloc(n, sizeof *s->weld),
                   .normals = tlwAlloc(n, sizeof *s->normals),
                   .angles = tlwAlloc(n, sizeof *s->angles)};
    if (!s->points || !s->weld || !s->normals || !s->angles)
        return tlwFailMemory(message, "a collider");
    for (size_t i = 0; i < n; i++) {
        const float *p = mesh->positions + 3 * i;
        s->points[i] = (tlwVec3){p[0], p[1], p[2]};
        if (!tlwIsFinite(s->points[i]))
            return tlwFail(message, TLW_BAD_MESH, "A collider mesh has a vertex that is not a number.");
        s->box_min = i ? tlwMin3(s->box_min, s->points[i]) : s->points[i];
        s->box_max = i ? tlwMax3(s->box_max, s->points[i]) : s->points[i];
    }
    for (int i = 0; i < 3 * mesh->triangle_count; i++)
        if (mesh->triangles[i] < 0 || mesh->triangles[i] >= mesh->vertex_count)
            return tlwFail(message, TLW_BAD_MESH, "A collider mesh has a triangle that refers to a vertex it lacks.");
    if (!weldVertices(s))
        return tlwFailMemory(message, "a collider");
    sumNormals(s);
    if (!(s->area > 0))
        return tlwFail(message, TLW_BAD_MESH, "A collider mesh has no area.");
    return TLW_OK;
}

// --- places ---

static void placeVertices(const Surface *s, Places *places)
{
    for (int i = 0; i < s->mesh->vertex_count; i++) {
        double flat = tlwLength(s->normals[i]); // 1 on a plane, 0.58 at the corner of a box
        if (s->weld[i] == i && s->angles[i] > 0)
            addPlace(places, s->points[i], s->normals[i],
                     flat < 0.65  ? RANK_CORNER
                     : flat < 0.9 ? RANK_EDGE
                                  : RANK_FLAT);
    }
}

static int compareEdges(const void *a, const void *b)
{
    const HalfEdge *p = a, *q = b;
    if (p->low != q->low)
        return p->low < q->low ? -1 : 1;
    if (p->high != q->high)
        return p->high < q->high ? -1 : 1;
    return p->triangle - q->triangle;
}

static void placeEdge(const Surface *s, const HalfEdge *edges, int sides, Spacing spacing, Places *places)
{
    tlwVec3 a = s->points[edges[0].low], b = s->points[edges[0].high], normal = {0, 0, 0};
    for (int i = 0; i < sides; i++)
        normal = tlwAdd(normal, tlwNormalize(areaVector(s, edges[i].triangle)));
    bool sharp = sides != 2 || tlwLength(normal) < 2 * 0.96; // bent by more than about 32 degrees
    int parts = (int)fmin(ceil(tlwLength(tlwSub(b, a)) / (sharp ? spacing.edge : spacing.flat)), 1000);
    for (int k = 1; k < parts; k++)
        addPlace(places, tlwMulAdd(a, (double)k / parts, tlwSub(b, a)), normal, sharp ? RANK_EDGE : RANK_FLAT);
}

static bool placeEdges(const Surface *s, Spacing spacing, Places *places)
{
    int count = 3 * s->mesh->triangle_count;
    HalfEdge *edges = tlwAlloc((size_t)count, sizeof *edges);
    if (!edges)
        return false;
    for (int i = 0; i < count; i++) {
        int t = i / 3, a = s->weld[s->mesh->triangles[i]], b = s->weld[s->mesh->triangles[3 * t + (i + 1) % 3]];
        edges[i] = (HalfEdge){a < b ? a : b, a < b ? b : a, t};
    }
    qsort(edges, (size_t)count, sizeof *edges, compareEdges);
    for (int i = 0, next; i < count; i = next) {
        next = i + 1;
        while (next < count && edges[next].low == edges[i].low && edges[next].high == edges[i].high)
            next++;
        placeEdge(s, edges + i, next - i, spacing, places);
    }
    tlwFree(edges);
    return true;
}

static void placeFaces(const Surface *s, double spacing, Places *places)
{
    for (int t = 0; t < s->mesh->triangle_count; t++) {
        tlwVec3 a = corner(s, t, 0), u = tlwSub(corner(s, t, 1), a), v = tlwSub(corner(s, t, 2), a);
        double longest = fmax(fmax(tlwLength(u), tlwLength(v)), tlwLength(tlwSub(u, v)));
        int n = (int)fmin(ceil(longest / (0.7 * spacing)), 300);
        for (int i = 1; i < n; i++)
            for (int j = 1; i + j < n; j++)
                addPlace(places, tlwMulAdd(tlwMulAdd(a, (double)i / n, u), (double)j / n, v), areaVector(s, t),
                         RANK_FLAT);
    }
}

// --- thinning: a place is taken when no place taken earlier is too near ---

typedef struct Hash {
    int *head, *next; // by bucket; by place
    size_t mask;
    double cell;
} Hash;

static size_t bucketOf(const Hash *hash, int64_t x, int64_t y, int64_t z)
{
    uint64_t h =
        (uint64_t)x * 0x9e3779b97f4a7c15u ^ (uint64_t)y * 0xc2b2ae3d27d4eb4fu ^ (uint64_t)z * 0x165667b19e3779f9u;
    return (size_t)(h ^ h >> 29) & hash->mask;
}

static void cellOf(const Hash *hash, tlwVec3 p, int64_t cell[3])
{
    cell[0] = (int64_t)floor(p.x / hash->cell);
    cell[1] = (int64_t)floor(p.y / hash->cell);
    cell[2] = (int64_t)floor(p.z / hash->cell);
}

// Places that face away from each other do not crowd each other: a thin wall needs balls on both sides.
static bool isCrowded(const Hash *hash, const Place *places, const Place *place, double distance)
{
    int64_t c[3];
    cellOf(hash, place->position, c);
    for (int k = 0; k < 27; k++)
        for (int i = hash->head[bucketOf(hash, c[0] + k % 3 - 1, c[1] + k / 3 % 3 - 1, c[2] + k / 9 - 1)]; i >= 0;
             i = hash->next[i]) {
            tlwVec3 d = tlwSub(places[i].position, place->position);
            if (tlwDot(d, d) < distance * distance && tlwDot(places[i].normal, place->normal) > -0.2)
                return true;
        }
    return false;
}

static int64_t thinPlaces(Places *places, Spacing spacing)
{
    double apart[RANKS] = {0.35 * spacing.edge, 0.6 * spacing.edge, 0.8 * spacing.flat};
    Hash hash = {.mask = 1, .cell = spacing.flat};
    while (hash.mask < (size_t)places->count)
        hash.mask = 2 * hash.mask + 1;
    hash.head = tlwAlloc(hash.mask + 1, sizeof *hash.head);
    hash.next = tlwAlloc((size_t)places->count, sizeof *hash.next);
    Place *taken = tlwAlloc((size_t)places->count, sizeof *taken);
    int64_t count = 0;
    if (!hash.head || !hash.next || !taken) {
        places->out_of_memory = true;
    } else {
        memset(hash.head, 0xff, (hash.mask + 1) * sizeof *hash.head);
        for (int rank = 0; rank < RANKS; rank++)
            for (int64_t i = 0; i < places->count; i++) {
                const Place *p = &places->items[i];
                if (p->rank != rank || isCrowded(&hash, taken, p, apart[rank]))
                    continue;
                int64_t c[3];
                cellOf(&hash, p->position, c);
                size_t bucket = bucketOf(&hash, c[0], c[1], c[2]);
                hash.next[count] = hash.head[bucket];
                hash.head[bucket] = (int)count;
                taken[count++] = *p;
            }
        if (count > 0)
            memcpy(places->items, taken, (size_t)count * sizeof *taken);
        places->count = count;
    }
    tlwFree(hash.head);
    tlwFree(hash.next);
    tlwFree(taken);
    return count;
}

static bool collectPlaces(const Surface *s, const tlwBallDef *def, Places *places)
{
    double target = fmax(def->target, 20), thickness = 2 * fabs(s->volume) / s->area; // on average
    Spacing spacing = {.flat = def->spacing > 0 ? def->spacing : sqrt(0.9 * s->area / target)};
    spacing.flat = fmax(spacing.flat, sqrt(s->area / 1e6));
    spacing.edge = tlwClamp(thickness, 0.1 * spacing.flat, spacing.flat);
    for (int attempt = 0; attempt < 16; attempt++) {
        places->count = 0;
        placeVertices(s, places);
        if (!placeEdges(s, spacing, places))
            return false;
        placeFaces(s, spacing.flat, places);
        if (thinPlaces(places, spacing) <= 2 * target || def->spacing > 0)
            break;
        spacing.flat *= 1.2; // too many: rugged meshes have more corners and edges than their area suggests
        spacing.edge *= 1.2;
    }
    return !places->out_of_memory;
}

// --- from places to balls ---

// Move inwards until the surface is `inset` away, or to the middle where the shape is too thin for that. False for a
// place that is not on the surface of the solid: meshes that cross themselves have walls inside.
static bool insetBall(const tlwCollider *c, const Place *place, double inset, tlwSurfaceBall *ball)
{
    enum { STEPS = 12 };
    tlwVec3 points[STEPS + 1], gradients[STEPS + 1];
    double depth[STEPS + 1];
    for (int i = 0; i <= STEPS; i++)
        points[i] = tlwMulAdd(place->position, -3.0 * inset * i / STEPS, place->normal);
    c->sample(c->user, points, STEPS + 1, depth, gradients);
    int best = 0;
    if (-depth[0] > inset)
        return false;
    for (int i = 0; i <= STEPS; i++) {
        depth[i] = -depth[i];
        if (i > 0 && depth[i] >= inset && depth[i - 1] < inset) {
            double t = (inset - depth[i - 1]) / (depth[i] - depth[i - 1]);
            tlwVec3 centre = tlwMulAdd(points[i - 1], t, tlwSub(points[i], points[i - 1]));
            *ball = (tlwSurfaceBall){centre, place->normal, inset, centre, inset};
            return true;
        }
        if (depth[i] > depth[best])
            best = i;
    }
    double radius = fmax(depth[best], 0);
    *ball = (tlwSurfaceBall){points[best], place->normal, radius, points[best], radius};
    return true;
}

// Move further inwards while the distance to the surface equals the distance moved: then the ball around that point is
// inside the shape and touches at the place. Sampled fields are blunt on the medial axis, so the test has a tolerance.
// Its effect is small, because cores count only for directions near the ball's own normal.
static void growCore(const tlwCollider *c, const Place *place, double largest, tlwSurfaceBall *ball)
{
    enum { STEPS = 24 };
    tlwVec3 points[STEPS], gradients[STEPS];
    double distance[STEPS], way[STEPS];
    for (int i = 0; i < STEPS; i++) {
        way[i] = ball->radius + (largest - ball->radius) * (i + 1) / STEPS;
        points[i] = tlwMulAdd(place->position, -way[i], place->normal);
    }
    c->sample(c->user, points, STEPS, distance, gradients);
    for (int i = 0; i < STEPS && way[i] + distance[i] < 0.03 * way[i] + 0.15 * ball->radius; i++) {
        ball->core_centre = points[i];
        ball->core_radius = way[i];
    }
}

static tlwResult buildCollider(const Surface *s, const tlwBallDef *def, tlwCollider *c, tlwMessage *message)
{
    tlwVec3 side = tlwSub(s->box_max, s->box_min);
    double thin = fmin(side.x, fmin(side.y, side.z)), thick = fmax(side.x, fmax(side.y, side.z));
    c->box_min = s->box_min;
    c->box_max = s->box_max;
    c->size = fmax(thin, 0.1 * thick);
    double inset = def->inset > 0 ? def->inset : 0.02 * c->size;
    Places places = {0};
    bool ok = collectPlaces(s, def, &places);
    if (ok) {
        c->balls = tlwAlloc((size_t)places.count, sizeof *c->balls);
        ok = c->balls != NULL;
    }
    for (int64_t i = 0; ok && i < places.count; i++) {
        tlwSurfaceBall *ball = &c->balls[c->ball_count];
        if (!insetBall(c, &places.items[i], inset, ball))
            continue;
        if (places.items[i].rank == RANK_FLAT)
            growCore(c, &places.items[i], 0.5 * thin, ball);
        c->ball_count++;
    }
    tlwFree(places.items);
    return ok ? tlwClusterBalls(c, message) : tlwFailMemory(message, "a collider");
}

tlwResult tlwCreateFieldCollider(tlwSampleDistanceFn *sample, const void *user, double band, const tlwMeshData *mesh,
                                 const tlwBallDef *def, tlwCollider **collider, tlwMessage *message)
{
    if (mesh->vertex_count < 1 || mesh->triangle_count < 1)
        return tlwFail(message, TLW_BAD_MESH, "A collider mesh has no triangles.");
    tlwCollider *c = tlwAlloc(1, sizeof *c);
    if (!c)
        return tlwFailMemory(message, "a collider");
    c->sample = sample;
    c->user = user;
    c->band = band;
    Surface s;
    tlwResult result = readSurface(&s, mesh, message);
    if (result == TLW_OK)
        result = buildCollider(&s, def, c, message);
    freeSurface(&s);
    if (result != TLW_OK) {
        tlwDestroyCollider(c);
        return result;
    }
    *collider = c;
    return TLW_OK;
}
