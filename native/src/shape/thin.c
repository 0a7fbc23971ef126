#include "shape/thin.h"

#include "base/memory.h"
#include "base/vec.h"
#include "shape/bvh_cast.h"

#include <stdlib.h>
#include <string.h>

// A wall's two sides face apart. A ray into a wedge or the edge of a block meets faces that do not.
#define APART (-0.5)
#define ALONG 0.5  // cosine: pieces that face alike grow together
#define COARSE 4.0 // in lengths of `least`: parts of a triangle that are looked at
#define FINE 0.5   // parts of a triangle that grow by one amount each
#define MOST_SPLITS 24
#define BIN 2.0      // side of the boxes whose places grow to the same side
#define RAYS 32      // from each side of a wall
#define STEEP 2.5    // how much the side that is enclosed more counts
#define ENCLOSES 0.1 // difference of the enclosed shares from which a wall encloses something

typedef struct Probe {
    const tlwMesh *mesh;
    tlwBvh *bvh;
    tlwVec3 origin;
    double unit; // m
    int32_t *slot_of;
    const tlwThinDef *def;
    double least; // m
    float look;   // units: how far rays go into the solid
    bool sheet;
    const float *sides;
    float *out;
    struct Place *places; // per triangle
    tlwThin *thin;
    tlwBvh *pieces_bvh;
} Probe;

static bool startProbe(Probe *p, const tlwMesh *mesh, double least, bool sheet)
{
    tlwVec3 high;
    tlwGetMeshBounds(mesh, &p->origin, &high);
    p->mesh = mesh;
    p->unit = least;
    p->least = least;
    p->look = 1;
    p->sheet = sheet;
    p->bvh = tlwCreateBvh(mesh, (double[3]){p->origin.x, p->origin.y, p->origin.z}, p->unit);
    p->slot_of = tlwAlloc((size_t)mesh->triangle_count, sizeof *p->slot_of);
    if (!p->bvh || !p->slot_of)
        return false;
    for (int32_t slot = 0; slot < (int32_t)mesh->triangle_count; slot++)
        p->slot_of[tlwGetBvhTriangle(p->bvh, slot)] = slot;
    return true;
}

static void endProbe(Probe *p)
{
    tlwDestroyBvh(p->bvh);
    tlwFree(p->slot_of);
}

static tlwVec3 cornerOf(const Probe *p, int64_t t, int k)
{
    const float *v = p->mesh->positions + 3 * (int64_t)p->mesh->triangles[3 * t + k];
    return tlwScale(tlwSub((tlwVec3){v[0], v[1], v[2]}, p->origin), 1 / p->unit);
}

static bool findNormal(const Probe *p, int64_t t, tlwVec3 *normal)
{
    tlwVec3 a = cornerOf(p, t, 0);
    tlwVec3 n = tlwCross(tlwSub(cornerOf(p, t, 1), a), tlwSub(cornerOf(p, t, 2), a));
    double length = tlwLength(n);
    *normal = tlwScale(n, length > 0 ? 1 / length : 0);
    return length > 0;
}

// Three corners, in units.
typedef struct Part {
    tlwVec3 p[3];
} Part;

typedef bool PartFn(void *user, const Part *part);

// Halve a triangle along its longest edge until its parts are at most `size` long, and call `fn` for each part. Returns
// false when `fn` does.
static bool splitTriangle(Part part, double size, int depth, PartFn *fn, void *user)
{
    int longest = 0;
    double square[3];
    for (int k = 0; k < 3; k++) {
        tlwVec3 edge = tlwSub(part.p[(k + 1) % 3], part.p[k]);
        square[k] = tlwDot(edge, edge);
        longest = square[k] > square[longest] ? k : longest;
    }
    if (square[longest] <= size * size || depth == MOST_SPLITS)
        return fn(user, &part);
    int a = longest, b = (longest + 1) % 3;
    tlwVec3 middle = tlwScale(tlwAdd(part.p[a], part.p[b]), 0.5);
    Part half = part;
    half.p[a] = middle;
    part.p[b] = middle;
    return splitTriangle(part, size, depth + 1, fn, user) && splitTriangle(half, size, depth + 1, fn, user);
}

static Part partOf(const Probe *p, int64_t t)
{
    return (Part){{cornerOf(p, t, 0), cornerOf(p, t, 1), cornerOf(p, t, 2)}};
}

static tlwVec3 middleOf(const Part *part)
{
    return tlwScale(tlwAdd(tlwAdd(part->p[0], part->p[1]), part->p[2]), 1.0 / 3);
}

static int32_t cast(const Probe *p, tlwVec3 from, tlwVec3 direction, int32_t not, bool any, float *length)
{
    float a[3] = {(float)from.x, (float)from.y, (float)from.z},
          d[3] = {(float)direction.x, (float)direction.y, (float)direction.z};
    return tlwCastRay(p->bvh, a, d, not, any, length);
}

// Thickness of the wall behind a place, in units, and the triangle on its other side. INFINITY where the wall is
// thicker than anything of interest.
static double measureAt(const Probe *p, int64_t t, tlwVec3 place, tlwVec3 normal, int32_t *opposite)
{
    float length = p->look;
    *opposite = p->slot_of[t];
    if (p->sheet)
        return 0;
    int32_t slot = cast(p, place, tlwScale(normal, -1), p->slot_of[t], false, &length);
    float n[3];
    if (slot < 0)
        return INFINITY;
    tlwGetBvhNormal(p->bvh, slot, n);
    tlwVec3 other = {n[0], n[1], n[2]};
    if (!(tlwDot(other, normal) <= APART * tlwLength(other)))
        return INFINITY;
    *opposite = slot;
    return length;
}

// Share of the directions on one side of a place that end at the mesh itself: 0 on the outside of a cup, near 1 within.
static double findEnclosed(const Probe *p, tlwVec3 place, tlwVec3 normal, int32_t not )
{
    tlwVec3 u = tlwCross(normal, fabs(normal.x) < 0.6 ? (tlwVec3){1, 0, 0} : (tlwVec3){0, 1, 0});
    u = tlwScale(u, 1 / tlwLength(u));
    tlwVec3 v = tlwCross(normal, u);
    int met = 0;
    for (int n = 0; n < RAYS; n++) {
        // A spiral over the half sphere, denser towards the normal.
        double square = (n + 0.5) / RAYS, r = sqrt(square), angle = 2.399963229728653 * n;
        tlwVec3 d = tlwMulAdd(tlwScale(normal, sqrt(1 - square)), r * cos(angle), u);
        float length = 1e9f;
        met += cast(p, place, tlwMulAdd(d, r * sin(angle), v), not, true, &length) >= 0;
    }
    return (double)met / RAYS;
}

// How much more the front of a wall is enclosed than its back, -1 to 1.
static double compareSides(const Probe *p, int64_t t, tlwVec3 place, tlwVec3 normal, double thick, int32_t opposite)
{
    double front = findEnclosed(p, place, normal, p->slot_of[t]);
    return front - findEnclosed(p, tlwMulAdd(place, -thick, normal), tlwScale(normal, -1), opposite);
}

// A thin place of a triangle.
typedef struct Place {
    int32_t triangle, opposite; // the triangle on the other side is a slot
    bool thin;
    float thick, thinnest; // units: here, and the least of the triangle
    tlwVec3 at, normal;
    int32_t bin[4]; // places in one bin have the same surroundings: where, and which way the triangle looks
} Place;

typedef struct Search {
    const Probe *probe;
    Place *place;
    int64_t count, wanted; // thin parts so far, and the one to take
} Search;

static bool lookAt(void *user, const Part *part)
{
    Search *s = user;
    int32_t opposite;
    tlwVec3 at = middleOf(part);
    double thick = measureAt(s->probe, s->place->triangle, at, s->place->normal, &opposite);
    s->place->thinnest = fminf(s->place->thinnest, (float)thick);
    if (thick < 1 && s->count++ == s->wanted) {
        s->place->thin = true;
        s->place->thick = (float)thick;
        s->place->opposite = opposite;
        s->place->at = at;
    }
    return true;
}

static int32_t findOctant(tlwVec3 n)
{
    return (n.x > 0) + 2 * (n.y > 0) + 4 * (n.z > 0);
}

// The middle one of the thin parts of each triangle.
static void placeRange(void *context, int64_t begin, int64_t end)
{
    const Probe *p = context;
    for (int64_t t = begin; t < end; t++) {
        Place *place = &p->places[t];
        *place = (Place){.triangle = (int32_t)t, .thinnest = p->look};
        if (!findNormal(p, t, &place->normal))
            continue;
        Search s = {.probe = p, .place = place};
        splitTriangle(partOf(p, t), COARSE, 0, lookAt, &s);
        if (!s.count)
            continue;
        if (s.count > 2) { // a large triangle: what is near its corner tells little
            s.wanted = s.count / 2;
            s.count = 0;
            splitTriangle(partOf(p, t), COARSE, 0, lookAt, &s);
        }
        const double at[3] = {place->at.x, place->at.y, place->at.z};
        for (int a = 0; a < 3; a++)
            place->bin[a] = (int32_t)floor(at[a] / BIN);
        place->bin[3] = findOctant(place->normal);
    }
}

// Thick ones last, then by bin, then by triangle.
static int comparePlaces(const void *a, const void *b)
{
    const Place *x = a, *y = b;
    if (x->thin != y->thin)
        return x->thin ? -1 : 1;
    for (int n = 0; n < 4; n++)
        if (x->bin[n] != y->bin[n])
            return x->bin[n] < y->bin[n] ? -1 : 1;
    return x->triangle < y->triangle ? -1 : x->triangle > y->triangle;
}

// Which of a wall's sides grows: see tlwFindThinSides.
static double chooseSide(const Probe *p, const Place *place)
{
    double more = compareSides(p, place->triangle, place->at, place->normal, place->thick, place->opposite);
    if (p->def->keeps_outside)
        return fabs(more) < ENCLOSES ? -1 : more > 0 ? 1 : 0;
    double score = STEEP * more;
    if (p->def->has_liquid) {
        tlwVec3 way = tlwSub(tlwScale(tlwSub(p->def->liquid, p->origin), 1 / p->unit), place->at);
        double length = tlwLength(way);
        score += length > 0 ? tlwDot(way, place->normal) / length : 0;
    }
    return tlwClamp(0.5 - score, 0, 1);
}

// The first place of each bin stands for the bin.
static void sideRange(void *context, int64_t begin, int64_t end)
{
    const Probe *p = context;
    for (int64_t n = begin; n < end; n++)
        if (p->places[n].thin &&
            (n == 0 || memcmp(p->places[n].bin, p->places[n - 1].bin, sizeof p->places[n].bin) != 0))
            p->out[p->places[n].triangle] = (float)chooseSide(p, &p->places[n]);
}

static void spreadSides(const Probe *p)
{
    for (int64_t n = 0; n < p->mesh->triangle_count; n++) {
        const Place *place = &p->places[n];
        bool first = n == 0 || memcmp(place->bin, place[-1].bin, sizeof place->bin) != 0;
        if (!place->thin)
            p->out[place->triangle] = -1;
        else if (!first)
            p->out[place->triangle] = p->out[place[-1].triangle];
    }
}

tlwResult tlwFindThinSides(const tlwMesh *mesh, const tlwThinDef *def, tlwThreads *threads, tlwMessage *message,
                           double *thinnest, float **sides)
{
    Probe p = {.def = def};
    int64_t count = mesh->triangle_count, thin = 0;
    *sides = NULL;
    *thinnest = def->look;
    p.places = tlwAlloc((size_t)count, sizeof *p.places);
    p.out = tlwAlloc((size_t)count, sizeof *p.out);
    bool ok = startProbe(&p, mesh, def->least, def->sheet) && p.places && p.out;
    p.look = (float)(def->look / p.unit);
    if (ok)
        tlwParallelFor(threads, count, 64, placeRange, &p);
    for (int64_t t = 0; ok && t < count; t++) {
        thin += p.places[t].thin;
        *thinnest = fmin(*thinnest, p.places[t].thinnest * p.unit);
    }
    if (thin) {
        qsort(p.places, (size_t)count, sizeof *p.places, comparePlaces);
        tlwParallelFor(threads, count, 64, sideRange, &p);
        spreadSides(&p);
        *sides = p.out;
    } else {
        tlwFree(p.out);
    }
    endProbe(&p);
    tlwFree(p.places);
    return ok ? TLW_OK : tlwFailMemory(message, "the thin parts of a mesh");
}

// ---------------------------------------------------------------------------------------------------------------------
// Pieces

typedef struct Cutting {
    const Probe *probe;
    tlwThin *thin;
    int64_t capacity;
    int32_t triangle;
} Cutting;

static bool addPiece(void *user, const Part *part)
{
    Cutting *c = user;
    tlwMesh *pieces = &c->thin->pieces;
    void *triangle = c->thin->triangle;
    bool ok = tlwReserve(&triangle, &c->capacity, pieces->triangle_count + 1, sizeof(int32_t));
    c->thin->triangle = triangle;
    if (!ok)
        return false;
    c->thin->triangle[pieces->triangle_count] = c->triangle;
    int32_t first = (int32_t)pieces->vertex_count;
    for (int k = 0; k < 3; k++) {
        tlwVec3 v = tlwMulAdd(c->probe->origin, c->probe->unit, part->p[k]);
        ok = ok && tlwAddVertex(pieces, (float)v.x, (float)v.y, (float)v.z);
    }
    return ok && tlwAddTriangle(pieces, first, first + 1, first + 2);
}

static void reachRange(void *context, int64_t begin, int64_t end)
{
    const Probe *p = context;
    for (int64_t n = begin; n < end; n++) {
        int32_t opposite, t = p->thin->triangle[n];
        float *reach = p->thin->reach + 2 * n;
        Part part;
        tlwVec3 normal;
        for (int k = 0; k < 3; k++) {
            const float *v = p->thin->pieces.positions + 9 * n + 3 * (int64_t)k;
            part.p[k] = tlwScale(tlwSub((tlwVec3){v[0], v[1], v[2]}, p->origin), 1 / p->unit);
        }
        bool ok = p->sides[t] >= 0 && findNormal(p, t, &normal);
        double thick = ok ? measureAt(p, t, middleOf(&part), normal, &opposite) : INFINITY;
        reach[0] = thick < 1 ? (float)(p->sides[t] * (1 - thick) * p->least) : 0;
        reach[1] = thick < 1 ? (float)((thick + (1 - p->sides[t]) * (1 - thick)) * p->least) : INFINITY;
    }
}

// A thick piece beside thin ones.
typedef struct Beside {
    const Probe *probe;
    const tlwBvh *bvh; // of the pieces
    tlwVec3 normal;
    float front;
} Beside;

static void joinGrowth(void *user, int32_t slot)
{
    Beside *b = user;
    float n[3], front = b->probe->thin->reach[2 * (int64_t)tlwGetBvhTriangle(b->bvh, slot)];
    tlwGetBvhNormal(b->bvh, slot, n);
    tlwVec3 normal = {n[0], n[1], n[2]};
    if (front > b->front && tlwDot(normal, b->normal) > ALONG * tlwLength(normal))
        b->front = front;
}

// Where a wall stands on a floor, a ray from below the floor goes up the wall and finds it thick. Such pieces grow with
// those beside them, or a groove would stay along the foot of the wall.
static void besideRange(void *context, int64_t begin, int64_t end)
{
    const Probe *p = context;
    for (int64_t n = begin; n < end; n++) {
        Beside b = {.probe = p, .bvh = p->pieces_bvh};
        p->out[n] = p->thin->reach[2 * n];
        if (isfinite(p->thin->reach[2 * n + 1]) || !findNormal(p, p->thin->triangle[n], &b.normal))
            continue;
        float middle[3] = {0, 0, 0};
        for (int i = 0; i < 9; i++)
            middle[i % 3] += p->thin->pieces.positions[9 * n + i] / 3;
        float at[3] = {(float)((middle[0] - p->origin.x) / p->unit), (float)((middle[1] - p->origin.y) / p->unit),
                       (float)((middle[2] - p->origin.z) / p->unit)};
        tlwVisitNear(p->pieces_bvh, at, 1, joinGrowth, &b);
        p->out[n] = b.front;
    }
}

static bool cutMesh(const Probe *p, tlwThin *thin)
{
    Cutting c = {.probe = p, .thin = thin};
    bool ok = true;
    for (int64_t t = 0; ok && t < p->mesh->triangle_count; t++) {
        c.triangle = (int32_t)t;
        ok = splitTriangle(partOf(p, t), FINE, 0, addPiece, &c);
    }
    thin->reach = ok ? tlwAlloc(2 * (size_t)thin->pieces.triangle_count, sizeof *thin->reach) : NULL;
    return ok && thin->reach;
}

static bool joinPieces(Probe *p, tlwThreads *threads)
{
    int64_t count = p->thin->pieces.triangle_count;
    p->pieces_bvh = tlwCreateBvh(&p->thin->pieces, (double[3]){p->origin.x, p->origin.y, p->origin.z}, p->unit);
    p->out = tlwAlloc((size_t)count, sizeof *p->out);
    bool ok = p->pieces_bvh && p->out;
    if (ok)
        tlwParallelFor(threads, count, 64, besideRange, p);
    for (int64_t n = 0; ok && n < count; n++)
        p->thin->reach[2 * n] = p->out[n];
    tlwDestroyBvh(p->pieces_bvh);
    tlwFree(p->out);
    return ok;
}

// List the pieces that reach in front of themselves: few points are near one of them.
static bool listGrown(tlwThin *thin)
{
    int64_t count = 0, capacity = 0;
    bool ok = true;
    for (int64_t n = 0; ok && n < thin->pieces.triangle_count; n++) {
        if (!(thin->reach[2 * n] > 0))
            continue;
        void *piece = thin->grown_piece;
        const float *v = thin->pieces.positions + 9 * n;
        int32_t first = (int32_t)thin->grown.vertex_count;
        ok = tlwReserve(&piece, &capacity, count + 1, sizeof(int32_t));
        thin->grown_piece = piece;
        for (int k = 0; ok && k < 3; k++)
            ok = tlwAddVertex(&thin->grown, v[3 * k], v[3 * k + 1], v[3 * k + 2]);
        ok = ok && tlwAddTriangle(&thin->grown, first, first + 1, first + 2);
        if (ok)
            thin->grown_piece[count++] = (int32_t)n;
    }
    return ok;
}

tlwResult tlwMeasureThin(const tlwMesh *mesh, const float *sides, double least, bool sheet, tlwThreads *threads,
                         tlwMessage *message, tlwThin *thin)
{
    *thin = (tlwThin){.sheet = sheet};
    if (!sides)
        return TLW_OK;
    Probe p = {.sides = sides, .thin = thin};
    bool ok = startProbe(&p, mesh, least, sheet) && cutMesh(&p, thin), any = false, thick = false;
    if (ok)
        tlwParallelFor(threads, thin->pieces.triangle_count, 64, reachRange, &p);
    for (int64_t n = 0; ok && n < thin->pieces.triangle_count; n++)
        *(isfinite(thin->reach[2 * n + 1]) ? &any : &thick) = true;
    if (any && thick)
        ok = joinPieces(&p, threads);
    for (int64_t n = 0; ok && n < thin->pieces.triangle_count; n++) {
        thin->most = fmaxf(thin->most, fmaxf(thin->reach[2 * n], sheet ? thin->reach[2 * n + 1] : 0));
    }
    endProbe(&p);
    ok = ok && listGrown(thin);
    if (!any || !ok)
        tlwFreeThin(thin);
    return ok ? TLW_OK : tlwFailMemory(message, "the thin parts of a mesh");
}

void tlwFreeThin(tlwThin *thin)
{
    tlwDestroyMesh(&thin->pieces);
    tlwDestroyMesh(&thin->grown);
    tlwFree(thin->triangle);
    tlwFree(thin->reach);
    tlwFree(thin->grown_piece);
    *thin = (tlwThin){0};
}
