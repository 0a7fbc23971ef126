#include "rigid/narrow_phase.h"

#include "base/memory.h"
#include "rigid/broad_phase.h"
#include "rigid/contact.h"

#include <string.h>

// Balls with one core are up to a fifth of a radian apart. Between them, the core's surface is farther out than the
// balls by up to this share of its radius.
#define CORE_REACH 0.02
// A core counts for directions within a third of a radian of its ball's normal.
#define CORE_COSINE 0.945

// Balls of `owner` seen from `other`: x_other = map x_owner + shift, both in collider space.
typedef struct Side {
    const tlwContactSearch *search;
    const tlwBodyPair *pair;
    const tlwBody *owner, *other;
    bool owner_b;
    tlwMat3 map;
    tlwVec3 shift;
    tlwMat3 other_to_world;
    tlwVec3 slide; // velocity of the owner's centre of mass relative to the other's, world
    double slack;  // m that shapes may have drifted since their boxes were exact
} Side;

static Side makeSide(const tlwContactSearch *search, const tlwBodyPair *pair, bool owner_b)
{
    Side s = {.search = search, .pair = pair, .owner_b = owner_b};
    s.owner = &search->bodies[owner_b ? pair->b : pair->a];
    s.other = &search->bodies[owner_b ? pair->a : pair->b];
    s.other_to_world = tlwQuatToMat3(s.other->rotation);
    tlwMat3 to_other = tlwMat3Transpose(s.other_to_world);
    s.map = tlwMat3Mul(to_other, tlwQuatToMat3(s.owner->rotation));
    s.shift = tlwAdd(s.other->centre, tlwMulMat3(to_other, tlwSub(s.owner->position, s.other->position)));
    s.shift = tlwSub(s.shift, tlwMulMat3(s.map, s.owner->centre));
    s.slide = tlwSub(tlwPredictVelocity(search, s.owner), tlwPredictVelocity(search, s.other));
    s.slack = search->elapsed * (2 * s.owner->drift.fastest + s.other->drift.fastest);
    return s;
}

// Sample the other body's field. If its shape drifts, sample where each point was when the field was exact.
static void sampleField(const Side *s, const tlwVec3 *points, int count, double *distances, tlwVec3 *gradients)
{
    enum { CHUNK = 64 };
    const tlwCollider *field = s->other->collider;
    const tlwSurfaceDrift *drift = &s->other->drift;
    if (!drift->sample || s->search->elapsed == 0) {
        field->sample(field->user, points, count, distances, gradients);
        return;
    }
    for (int first = 0; first < count; first += CHUNK) {
        int n = count - first < CHUNK ? count - first : CHUNK;
        tlwVec3 back[CHUNK], v[CHUNK];
        drift->sample(drift->user, points + first, n, v);
        for (int i = 0; i < n; i++)
            back[i] = tlwMulAdd(points[first + i], -s->search->elapsed, v[i]);
        field->sample(field->user, back, n, distances + first, gradients + first);
    }
}

// A point of the owner's shape, moved by the drift so far, in the other's space.
static tlwVec3 toOther(const Side *s, tlwVec3 p)
{
    const tlwSurfaceDrift *drift = &s->owner->drift;
    if (drift->sample && s->search->elapsed > 0) {
        tlwVec3 v;
        drift->sample(drift->user, &p, 1, &v);
        p = tlwMulAdd(p, s->search->elapsed, v);
    }
    return tlwAdd(tlwMulMat3(s->map, p), s->shift);
}

static tlwVec3 toWorld(const Side *s, tlwVec3 p)
{
    return tlwAdd(s->other->position, tlwMulMat3(s->other_to_world, tlwSub(p, s->other->centre)));
}

// Path of the owner's material point at `p` relative to the other body over the step, in the other's space.
static tlwVec3 pathOf(const Side *s, tlwVec3 p)
{
    tlwVec3 world = toWorld(s, p), u = s->slide;
    if (s->owner->motion != TLW_MOTION_STATIC)
        u = tlwAdd(u, tlwCross(s->owner->spin, tlwSub(world, s->owner->position)));
    if (s->other->motion != TLW_MOTION_STATIC)
        u = tlwSub(u, tlwCross(s->other->spin, tlwSub(world, s->other->position)));
    u = tlwAdd(u, tlwGetSurfaceDrift(s->owner, s->search->elapsed, world));
    u = tlwSub(u, tlwGetSurfaceDrift(s->other, s->search->elapsed, world));
    return tlwScale(tlwMulMat3(tlwMat3Transpose(s->other_to_world), u), s->search->dt);
}

// Deep in a clamped field the gradient is zero. Then any direction will do; this takes the one away from the middle.
static tlwVec3 outwards(const Side *s, tlwVec3 p, tlwVec3 gradient)
{
    if (tlwDot(gradient, gradient) > 1e-4)
        return tlwNormalize(gradient);
    const tlwCollider *c = s->other->collider;
    return tlwNormalize(tlwSub(p, tlwScale(tlwAdd(c->box_min, c->box_max), 0.5)));
}

// `p` is the ball's centre now, `out` the direction away from the other body's surface, both in the other's space.
static void setContact(const Side *s, tlwContact *c, tlwVec3 p, double radius, tlwVec3 out, double gap)
{
    tlwVec3 away = tlwMulMat3(s->other_to_world, out); // from the other body towards the owner
    c->ball = toWorld(s, p);
    c->point = tlwMulAdd(c->ball, -radius, away);
    c->normal = s->owner_b ? away : tlwScale(away, -1);
    c->separation = gap;
}

static bool addCandidate(const Side *s, tlwNarrowScratch *scratch, uint32_t feature, tlwVec3 p, double radius,
                         tlwVec3 out, double gap)
{
    tlwContactList *list = &scratch->candidates;
    if (!tlwReserve((void **)&list->items, &list->capacity, list->count + 1, sizeof *list->items))
        return false;
    tlwContact *c = &list->items[list->count++];
    *c = (tlwContact){.body_a = s->pair->a, .body_b = s->pair->b, .owner_b = s->owner_b};
    c->feature = feature | (s->owner_b ? 0x80000000u : 0);
    setContact(s, c, p, radius, out, gap);
    return true;
}

// Surfaces that touch face each other, so a ball that would touch with its back is no contact. This matters once bodies
// overlap by more than the inset, where the nearest face of the other body may be one to the side.
static bool facesAway(const Side *s, const tlwSurfaceBall *ball, tlwVec3 out)
{
    return !s->search->backs && tlwDot(tlwMulMat3(s->map, ball->normal), out) > 0.3;
}

// The normals of a lumpy field lean in random directions. Where the ball's own surface is smooth, the contact uses the
// ball's normal, so that lumps do not spin a slippery body that lies on them.
static tlwVec3 smoothOut(const Side *s, const tlwSurfaceBall *ball, tlwVec3 out)
{
    bool smooth = ball->core_radius > 2 * ball->radius && s->owner->motion == TLW_MOTION_DYNAMIC;
    if (!s->other->collider->rough || !smooth)
        return out;
    return tlwScale(tlwMulMat3(s->map, ball->normal), -1);
}

// --- fast balls: follow each along its path until it hits ---

// Sphere tracing: a ball can always move as far as its gap. All balls advance together, so that the field is sampled in
// batches. `count` balls at scratch->points with their gaps in scratch->distances, ball numbers in scratch->indices.
static bool traceBalls(const Side *s, tlwNarrowScratch *scratch, const double *radii_of, int count)
{
    const tlwSurfaceBall *balls = s->owner->collider->balls;
    double hit = 0.5 * s->pair->near;
    for (int i = 0; i < count; i++)
        scratch->times[i] = 0;
    for (int round = 0; round < 24 && count > 0; round++) {
        int active = 0;
        for (int i = 0; i < count; i++) {
            double way = tlwLength(scratch->paths[i]);
            double time = scratch->times[i] + fmax(scratch->distances[i], hit) / way;
            if (time > 1)
                continue;
            scratch->points[active] = tlwMulAdd(scratch->points[i], time - scratch->times[i], scratch->paths[i]);
            scratch->paths[active] = scratch->paths[i];
            scratch->indices[active] = scratch->indices[i];
            scratch->times[active++] = time;
        }
        count = 0;
        sampleField(s, scratch->points, active, scratch->distances, scratch->gradients);
        for (int i = 0; i < active; i++) {
            int index = scratch->indices[i];
            double radius = radii_of ? *radii_of : balls[index].radius, gap = scratch->distances[i] - radius;
            tlwVec3 path = scratch->paths[i], out = outwards(s, scratch->points[i], scratch->gradients[i]);
            if (gap < hit || round == 23) {
                tlwVec3 travelled = tlwScale(path, scratch->times[i]), start = tlwSub(scratch->points[i], travelled);
                double gap_now = gap - tlwDot(out, travelled);
                if (tlwDot(out, path) < 0 && !addCandidate(s, scratch, (uint32_t)index, start, radius, out, gap_now))
                    return false;
                continue;
            }
            scratch->points[count] = scratch->points[i];
            scratch->paths[count] = path;
            scratch->indices[count] = index;
            scratch->times[count] = scratch->times[i];
            scratch->distances[count++] = gap;
        }
    }
    return true;
}

// --- the ball of a sphere ---

// A ball in a corner touches several walls of one field, but the field at its centre knows only the nearest wall. So
// also sample points towards the ball's surface. Each gives a plane, which counts when the ball's foot point on the
// plane lies on the surface.
static bool probeAround(const Side *s, tlwNarrowScratch *scratch, tlwVec3 centre, double radius, tlwVec3 nearest)
{
    enum { PROBES = 14 };
    tlwVec3 feet[PROBES], planes[PROBES], gradient[PROBES];
    double gaps[PROBES], distance[PROBES];
    for (int i = 0; i < PROBES; i++) {
        tlwVec3 axis = i < 6 ? (tlwVec3){(i / 2 == 0) * (i % 2 ? -1 : 1), (i / 2 == 1) * (i % 2 ? -1 : 1),
                                         (i / 2 == 2) * (i % 2 ? -1 : 1)}
                             : (tlwVec3){i & 1 ? -1 : 1, i & 2 ? -1 : 1, (i - 6) & 4 ? -1 : 1};
        feet[i] = tlwMulAdd(centre, 0.7 * radius, tlwNormalize(axis));
    }
    sampleField(s, feet, PROBES, distance, gradient);
    for (int i = 0; i < PROBES; i++) {
        planes[i] = outwards(s, feet[i], gradient[i]);
        gaps[i] = distance[i] + tlwDot(planes[i], tlwSub(centre, feet[i])) - radius;
        feet[i] = tlwMulAdd(centre, -(radius + gaps[i]), planes[i]);
    }
    sampleField(s, feet, PROBES, distance, gradient);
    for (int i = 0; i < PROBES; i++) {
        bool real = fabs(distance[i]) < 0.01 * radius && gaps[i] < s->pair->near;
        if (real && tlwDot(planes[i], nearest) < 0.97 &&
            !addCandidate(s, scratch, (uint32_t)(i + 1), centre, radius, planes[i], gaps[i]))
            return false;
    }
    return true;
}

static bool findCore(const Side *s, tlwNarrowScratch *scratch)
{
    double radius = s->owner->collider->core_radius;
    const tlwCollider *field = s->other->collider;
    tlwVec3 p = s->shift;
    scratch->points[0] = p;
    sampleField(s, scratch->points, 1, scratch->distances, scratch->gradients);
    double gap = scratch->distances[0] - radius;
    tlwVec3 out = outwards(s, p, scratch->gradients[0]);
    if (gap < s->pair->near)
        return addCandidate(s, scratch, 0, p, radius, out, gap) &&
               (field->core_radius > 0 || probeAround(s, scratch, p, radius, out));
    scratch->paths[0] = pathOf(s, p);
    scratch->distances[0] = gap;
    scratch->indices[0] = 0;
    return gap > tlwLength(scratch->paths[0]) || traceBalls(s, scratch, &radius, 1);
}

// --- many small balls ---

// Writes the numbers of the balls that are near enough to test to scratch->kept. Whole clusters are dropped first.
static int cullBalls(const Side *s, tlwNarrowScratch *scratch)
{
    const tlwCollider *c = s->owner->collider, *field = s->other->collider;
    double reach = s->pair->reach;
    int near_clusters = 0, count = 0;
    for (int i = 0; i < c->cluster_count; i++) {
        tlwVec3 p = toOther(s, c->clusters[i].centre);
        if (tlwDistanceToBox(field->box_min, field->box_max, p) > reach + s->slack + c->clusters[i].reach)
            continue;
        scratch->points[near_clusters] = p;
        scratch->indices[near_clusters++] = i;
    }
    sampleField(s, scratch->points, near_clusters, scratch->distances, scratch->gradients);
    for (int i = 0; i < near_clusters; i++) {
        const tlwBallCluster *cluster = &c->clusters[scratch->indices[i]];
        if (scratch->distances[i] > reach + s->slack + cluster->reach)
            continue;
        for (int j = cluster->first; j < cluster->first + cluster->count; j++)
            scratch->kept[count++] = j;
    }
    return count;
}

// A ball on a smooth part may touch with another point of its core. So move the ball inside its core towards the other
// body, and use the core if the gap is smaller there. Works on the candidates from `first` to `end` and drops those
// that are not within reach.
static void touchWithCores(const Side *s, tlwNarrowScratch *scratch, int64_t first, int64_t end)
{
    const tlwCollider *c = s->owner->collider;
    tlwMat3 to_other = tlwMat3Transpose(s->other_to_world);
    tlwContact *list = scratch->candidates.items + first;
    int count = (int)(end - first), kept = 0;
    for (int i = 0; i < count; i++) {
        const tlwSurfaceBall *ball = &c->balls[list[i].feature & 0x7fffffff];
        tlwVec3 core = toOther(s, ball->core_centre);
        tlwVec3 out = tlwMulMat3(to_other, tlwScale(list[i].normal, s->owner_b ? 1 : -1));
        scratch->points[i] = tlwMulAdd(core, ball->radius - ball->core_radius, out);
    }
    sampleField(s, scratch->points, count, scratch->distances, scratch->gradients);
    for (int i = 0; i < count; i++) {
        const tlwSurfaceBall *ball = &c->balls[list[i].feature & 0x7fffffff];
        double gap = scratch->distances[i] - ball->radius;
        tlwVec3 out = outwards(s, scratch->points[i], scratch->gradients[i]);
        bool ahead = tlwDot(tlwMulMat3(s->map, ball->normal), out) < -CORE_COSINE;
        if (ahead && gap < list[i].separation - 1e-4 * ball->radius) {
            tlwVec3 core = toOther(s, ball->core_centre);
            setContact(s, &list[i], core, ball->core_radius, out, gap);
        }
        if (list[i].separation < s->pair->reach)
            list[kept++] = list[i];
    }
    if (count > 0)
        memmove(list + kept, list + count, (size_t)(scratch->candidates.count - end) * sizeof *list);
    scratch->candidates.count -= count - kept;
}

static bool findBalls(const Side *s, tlwNarrowScratch *scratch)
{
    const tlwCollider *c = s->owner->collider, *field = s->other->collider;
    int kept = cullBalls(s, scratch), count = 0, fast = 0;
    int64_t first = scratch->candidates.count;
    for (int i = 0; i < kept; i++) {
        const tlwSurfaceBall *ball = &c->balls[scratch->kept[i]];
        tlwVec3 p = toOther(s, ball->centre);
        if (tlwDistanceToBox(field->box_min, field->box_max, p) > s->pair->reach + s->slack + ball->radius)
            continue;
        scratch->points[count] = p;
        scratch->indices[count++] = scratch->kept[i];
    }
    sampleField(s, scratch->points, count, scratch->distances, scratch->gradients);
    for (int i = 0; i < count; i++) {
        int index = scratch->indices[i];
        double radius = c->balls[index].radius, gap = scratch->distances[i] - radius;
        double near = s->pair->near + CORE_REACH * (c->balls[index].core_radius - radius);
        tlwVec3 p = scratch->points[i];
        if (scratch->distances[i] > 0.98 * field->band && gap < near)
            continue; // the ball is larger than the band: a clamped distance does not show that it touches
        if (gap < near) {
            tlwVec3 out = outwards(s, p, scratch->gradients[i]);
            if (facesAway(s, &c->balls[index], out))
                continue;
            out = smoothOut(s, &c->balls[index], out);
            if (!addCandidate(s, scratch, (uint32_t)index, p, radius, out, gap))
                return false;
        } else if (gap < s->pair->reach) {
            tlwVec3 path = pathOf(s, p);
            if (fmax(gap, 0) > tlwLength(path) || tlwLength(path) == 0)
                continue;
            scratch->points[fast] = p;
            scratch->paths[fast] = path;
            scratch->indices[fast] = index;
            scratch->distances[fast++] = gap;
        }
    }
    int64_t slow_end = scratch->candidates.count;
    if (fast > 0 && !traceBalls(s, scratch, NULL, fast))
        return false;
    touchWithCores(s, scratch, first, slow_end);
    return true;
}

bool tlwFindPairContacts(const tlwContactSearch *search, const tlwBodyPair *pair, tlwNarrowScratch *scratch)
{
    scratch->candidates.count = 0;
    for (int side = 0; side < 2; side++) {
        Side s = makeSide(search, pair, side == 1);
        double core = s.owner->collider->core_radius;
        bool ok = core > 0 && s.other->collider->band > 1.1 * core + pair->near ? findCore(&s, scratch)
                                                                                : findBalls(&s, scratch);
        if (!ok)
            return false;
        // Two spheres need one side only.
        if (core > 0 && s.other->collider->core_radius > 0)
            break;
    }
    return true;
}
