#include "rigid/broad_phase.h"

#include "base/memory.h"
#include "rigid/contact.h"

#include <stdlib.h>

typedef struct SweptBox {
    tlwVec3 low, high;
    int body;
} SweptBox;

tlwVec3 tlwPredictVelocity(const tlwContactSearch *search, const tlwBody *body)
{
    if (body->motion == TLW_MOTION_STATIC)
        return (tlwVec3){0, 0, 0};
    if (body->motion == TLW_MOTION_KINEMATIC)
        return body->velocity;
    tlwVec3 v = tlwMulAdd(body->velocity, search->dt * body->gravity_scale, search->gravity);
    return tlwMulAdd(v, search->dt / body->mass, body->force);
}

// Largest distance of a point of the shape from the centre of mass.
static double outerRadius(const tlwBody *body)
{
    tlwVec3 far = tlwMax3(tlwSub(body->collider->box_max, body->centre), tlwSub(body->centre, body->collider->box_min));
    return tlwLength(far);
}

static SweptBox sweepBody(const tlwContactSearch *search, int index)
{
    const tlwBody *body = &search->bodies[index];
    const tlwCollider *c = body->collider;
    tlwMat3 r = tlwQuatToMat3(body->rotation);
    tlwVec3 middle = tlwScale(tlwAdd(c->box_min, c->box_max), 0.5),
            half = tlwScale(tlwSub(c->box_max, c->box_min), 0.5);
    for (int i = 0; i < 3; i++) // rounding must not carry the huge extent of a wall over to other axes
        for (int j = 0; j < 3; j++)
            r.m[i][j] = fabs(r.m[i][j]) < 1e-12 ? 0 : r.m[i][j];
    tlwVec3 at = tlwAdd(body->position, tlwMulMat3(r, tlwSub(middle, body->centre)));
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            r.m[i][j] = fabs(r.m[i][j]);
    tlwVec3 extent = tlwMulMat3(r, half);
    double margin = search->elapsed * body->drift.fastest; // how far the shape may have drifted so far
    if (search->reach > 0 && body->motion != TLW_MOTION_STATIC) {
        tlwVec3 v = tlwPredictVelocity(search, body);
        double speed = fmax(tlwLength(v), tlwLength(body->velocity)) + tlwLength(body->spin) * outerRadius(body) +
                       body->drift.fastest;
        margin += search->reach * (search->dt * speed + 0.02 * c->size);
    }
    tlwVec3 grow = tlwAdd(extent, (tlwVec3){margin, margin, margin});
    return (SweptBox){tlwSub(at, grow), tlwAdd(at, grow), index};
}

static int compareBoxes(const void *a, const void *b)
{
    const SweptBox *p = a, *q = b;
    if (p->low.x != q->low.x)
        return p->low.x < q->low.x ? -1 : 1;
    return p->body - q->body;
}

static int comparePairs(const void *a, const void *b)
{
    const tlwBodyPair *p = a, *q = b;
    return p->a != q->a ? p->a - q->a : p->b - q->b;
}

static bool mayTouch(const tlwContactSearch *search, int a, int b)
{
    if ((!search->free[a] && !search->free[b]) || search->group[a] == search->group[b])
        return false;
    for (int i = 0; i < search->joint_count; i++) {
        const tlwRigidJoint *j = &search->joints[i];
        bool same = (j->body_a == a && j->body_b == b) || (j->body_a == b && j->body_b == a);
        if (j->used && same && !j->collide)
            return false;
    }
    return true;
}

static tlwBodyPair makePair(const tlwContactSearch *search, int a, int b)
{
    const tlwBody *p = &search->bodies[a < b ? a : b], *q = &search->bodies[a < b ? b : a];
    tlwBodyPair pair = {.a = a < b ? a : b, .b = a < b ? b : a, .size = fmin(p->collider->size, q->collider->size)};
    tlwVec3 before = tlwSub(p->velocity, q->velocity);
    tlwVec3 after = tlwSub(tlwPredictVelocity(search, p), tlwPredictVelocity(search, q));
    double gain = tlwLength(tlwSub(after, before)) * search->dt;
    pair.near = search->reach * fmax(0.01 * pair.size, 2 * gain);
    double turn = 0;
    for (int i = 0; i < 2; i++) {
        const tlwBody *body = i ? q : p;
        if (body->motion != TLW_MOTION_STATIC)
            turn += tlwLength(body->spin) * fmin(outerRadius(body), TLW_UNBOUNDED) + body->drift.fastest;
    }
    pair.reach = fmax(pair.near, search->reach * search->dt * (fmax(tlwLength(before), tlwLength(after)) + turn));
    return pair;
}

// Pair each box with the later boxes that begin before it ends, along x.
static tlwResult sweep(const tlwContactSearch *search, const SweptBox *boxes, int count, tlwBodyPair **pairs,
                       int64_t *pair_count, tlwMessage *message)
{
    int64_t capacity = 0;
    for (int i = 0; i < count; i++)
        for (int j = i + 1; j < count && boxes[j].low.x <= boxes[i].high.x; j++) {
            const SweptBox *p = &boxes[i], *q = &boxes[j];
            if (p->low.y > q->high.y || q->low.y > p->high.y || p->low.z > q->high.z || q->low.z > p->high.z)
                continue;
            if (!mayTouch(search, p->body, q->body))
                continue;
            if (!tlwReserve((void **)pairs, &capacity, *pair_count + 1, sizeof **pairs))
                return tlwFailMemory(message, "rigid contacts");
            (*pairs)[(*pair_count)++] = makePair(search, p->body, q->body);
        }
    return TLW_OK;
}

tlwResult tlwFindPairs(const tlwContactSearch *search, tlwBodyPair **pairs, int64_t *count, tlwMessage *message)
{
    *pairs = NULL;
    *count = 0;
    SweptBox *boxes = tlwAlloc((size_t)search->body_count, sizeof *boxes);
    if (!boxes)
        return tlwFailMemory(message, "rigid contacts");
    int box_count = 0;
    for (int i = 0; i < search->body_count; i++)
        if (search->bodies[i].used && search->bodies[i].collider)
            boxes[box_count++] = sweepBody(search, i);
    qsort(boxes, (size_t)box_count, sizeof *boxes, compareBoxes);
    tlwResult result = sweep(search, boxes, box_count, pairs, count, message);
    tlwFree(boxes);
    if (*count > 1)
        qsort(*pairs, (size_t)*count, sizeof **pairs, comparePairs);
    return result;
}
