// Half spaces, and what all colliders share.
#include "rigid/collider.h"

#include "base/memory.h"
#include "base/vec.h"

#include <stdlib.h>

#define CLUSTER_SIZE 16

// Plain comparisons: fmax is a call, and this runs for every ball.
static double outside(double low, double high, double x)
{
    return x < low ? low - x : x > high ? x - high : 0;
}

double tlwDistanceToBox(tlwVec3 box_min, tlwVec3 box_max, tlwVec3 p)
{
    double x = outside(box_min.x, box_max.x, p.x), y = outside(box_min.y, box_max.y, p.y),
           z = outside(box_min.z, box_max.z, p.z);
    return sqrt(x * x + y * y + z * z);
}

static void sampleHalfSpace(const void *user, const tlwVec3 *points, int count, double *distance, tlwVec3 *gradient)
{
    const double *plane = ((const tlwCollider *)user)->parameters;
    tlwVec3 normal = {plane[0], plane[1], plane[2]};
    for (int i = 0; i < count; i++) {
        distance[i] = tlwDot(normal, points[i]) - plane[3];
        gradient[i] = normal;
    }
}

tlwResult tlwCreateHalfSpaceCollider(tlwVec3 normal, double offset, tlwCollider **collider, tlwMessage *message)
{
    if (!(tlwLength(normal) > 0) || !tlwIsFinite(normal) || !isfinite(offset))
        return tlwFail(message, TLW_BAD_ARGUMENT, "A half space needs a normal that is not zero.");
    tlwCollider *c = tlwAlloc(1, sizeof *c);
    if (!c)
        return tlwFailMemory(message, "a collider");
    c->sample = sampleHalfSpace;
    c->user = c;
    c->band = TLW_UNBOUNDED;
    normal = tlwNormalize(normal);
    c->parameters[0] = normal.x;
    c->parameters[1] = normal.y;
    c->parameters[2] = normal.z;
    c->parameters[3] = offset;
    c->box_max = (tlwVec3){TLW_UNBOUNDED, TLW_UNBOUNDED, TLW_UNBOUNDED};
    c->box_min = tlwScale(c->box_max, -1);
    // A plane across an axis gets a tighter box, so that bodies far above a floor need no field samples.
    if (normal.x == 1)
        c->box_max.x = offset;
    if (normal.y == 1)
        c->box_max.y = offset;
    if (normal.z == 1)
        c->box_max.z = offset;
    if (normal.x == -1)
        c->box_min.x = -offset;
    if (normal.y == -1)
        c->box_min.y = -offset;
    if (normal.z == -1)
        c->box_min.z = -offset;
    c->size = TLW_UNBOUNDED;
    *collider = c;
    return TLW_OK;
}

void tlwDestroyCollider(tlwCollider *collider)
{
    if (!collider)
        return;
    tlwFree(collider->balls);
    tlwFree(collider->clusters);
    tlwFree(collider);
}

// --- clusters: halve the balls along the longest side until a cluster is small ---

// Equal coordinates are ordered by the next axis, because the order of equals in qsort is unspecified.
static int compareFrom(const void *a, const void *b, int axis)
{
    tlwVec3 p = ((const tlwSurfaceBall *)a)->centre, q = ((const tlwSurfaceBall *)b)->centre;
    double u[3] = {p.x, p.y, p.z}, v[3] = {q.x, q.y, q.z};
    for (int k = 0; k < 3; k++, axis = (axis + 1) % 3)
        if (u[axis] != v[axis])
            return u[axis] < v[axis] ? -1 : 1;
    return 0;
}

static int compareX(const void *a, const void *b)
{
    return compareFrom(a, b, 0);
}

static int compareY(const void *a, const void *b)
{
    return compareFrom(a, b, 1);
}

static int compareZ(const void *a, const void *b)
{
    return compareFrom(a, b, 2);
}

static void splitBalls(tlwCollider *c, int first, int count)
{
    tlwSurfaceBall *balls = c->balls + first;
    tlwVec3 low = balls[0].centre, high = low;
    for (int i = 1; i < count; i++) {
        low = tlwMin3(low, balls[i].centre);
        high = tlwMax3(high, balls[i].centre);
    }
    if (count > CLUSTER_SIZE) {
        tlwVec3 side = tlwSub(high, low);
        int (*compare)(const void *, const void *) = side.x >= side.y && side.x >= side.z ? compareX
                                                     : side.y >= side.z                   ? compareY
                                                                                          : compareZ;
        qsort(balls, (size_t)count, sizeof *balls, compare);
        splitBalls(c, first, count / 2);
        splitBalls(c, first + count / 2, count - count / 2);
        return;
    }
    tlwBallCluster *cluster = &c->clusters[c->cluster_count++];
    *cluster = (tlwBallCluster){tlwScale(tlwAdd(low, high), 0.5), 0, first, count};
    for (int i = 0; i < count; i++)
        cluster->reach = fmax(cluster->reach, tlwLength(tlwSub(balls[i].centre, cluster->centre)) + balls[i].radius);
}

tlwResult tlwClusterBalls(tlwCollider *collider, tlwMessage *message)
{
    tlwFree(collider->clusters);
    collider->cluster_count = 0;
    // Halves differ by at most one ball, so no cluster is less than half full.
    collider->clusters = tlwAlloc(2 * (size_t)collider->ball_count / CLUSTER_SIZE + 2, sizeof *collider->clusters);
    if (!collider->clusters)
        return tlwFailMemory(message, "a collider");
    if (collider->ball_count > 0)
        splitBalls(collider, 0, collider->ball_count);
    return TLW_OK;
}
