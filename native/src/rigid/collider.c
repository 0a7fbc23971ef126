// Colliders that need no mesh, and what all colliders share.
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

static void sampleSphere(const void *user, const tlwVec3 *points, int count, double *distance, tlwVec3 *gradient)
{
    double radius = ((const tlwCollider *)user)->parameters[0];
    for (int i = 0; i < count; i++) {
        distance[i] = tlwLength(points[i]) - radius;
        gradient[i] = tlwNormalize(points[i]);
    }
}

// Exact inside and outside: inside the nearest face decides.
static void sampleBox(const void *user, const tlwVec3 *points, int count, double *distance, tlwVec3 *gradient)
{
    const double *half = ((const tlwCollider *)user)->parameters;
    for (int i = 0; i < count; i++) {
        double p[3] = {points[i].x, points[i].y, points[i].z}, over[3], g[3] = {0, 0, 0};
        int nearest = 0;
        for (int k = 0; k < 3; k++) {
            over[k] = fabs(p[k]) - half[k];
            if (over[k] > over[nearest])
                nearest = k;
        }
        if (over[nearest] <= 0) {
            distance[i] = over[nearest];
            g[nearest] = p[nearest] < 0 ? -1 : 1;
        } else {
            tlwVec3 out = tlwMax3((tlwVec3){over[0], over[1], over[2]}, (tlwVec3){0, 0, 0});
            distance[i] = tlwLength(out);
            double o[3] = {out.x, out.y, out.z};
            for (int k = 0; k < 3; k++)
                g[k] = (p[k] < 0 ? -o[k] : o[k]) / distance[i];
        }
        gradient[i] = (tlwVec3){g[0], g[1], g[2]};
    }
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

// Null when memory is out.
static tlwCollider *newCollider(tlwSampleDistanceFn *sample, int ball_count)
{
    tlwCollider *c = tlwAlloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->sample = sample;
    c->user = c;
    c->band = TLW_UNBOUNDED;
    c->ball_count = ball_count;
    c->balls = tlwAlloc((size_t)ball_count, sizeof *c->balls);
    if (c->balls)
        return c;
    tlwDestroyCollider(c);
    return NULL;
}

static tlwResult finishCollider(tlwCollider *c, tlwCollider **collider, tlwMessage *message)
{
    tlwResult result = tlwClusterBalls(c, message);
    if (result != TLW_OK) {
        tlwDestroyCollider(c);
        return result;
    }
    *collider = c;
    return TLW_OK;
}

tlwResult tlwCreateSphereCollider(double radius, tlwCollider **collider, tlwMessage *message)
{
    if (!(radius > 0) || !isfinite(radius))
        return tlwFail(message, TLW_BAD_ARGUMENT, "A ball needs a radius above 0, not %g m.", radius);
    enum { SHELL = 256 };
    tlwCollider *c = newCollider(sampleSphere, SHELL);
    if (!c)
        return tlwFailMemory(message, "a collider");
    c->parameters[0] = radius;
    c->box_max = (tlwVec3){radius, radius, radius};
    c->box_min = tlwScale(c->box_max, -1);
    c->size = 2 * radius;
    c->core_radius = radius;
    // A spiral of even spacing, for fields whose band is too narrow to see the ball as a whole.
    for (int i = 0; i < SHELL; i++) {
        double z = 1 - (2 * i + 1.0) / SHELL, ring = sqrt(1 - z * z), turn = i * 2.399963229728653;
        tlwVec3 normal = {ring * cos(turn), ring * sin(turn), z};
        c->balls[i] = (tlwSurfaceBall){tlwScale(normal, 0.95 * radius), normal, 0.05 * radius, {0, 0, 0}, radius};
    }
    return finishCollider(c, collider, message);
}

static tlwSurfaceBall sharpBall(tlwVec3 centre, tlwVec3 normal, double radius)
{
    return (tlwSurfaceBall){centre, tlwNormalize(normal), radius, centre, radius};
}

// Ball centres on the faces of the inner box that is `inset` smaller, an equal number of steps along each axis.
static int placeBoxBalls(tlwVec3 inner, const int steps[3], double inset, tlwSurfaceBall *balls)
{
    int n = 0;
    for (int k = 0; k <= steps[2]; k++)
        for (int j = 0; j <= steps[1]; j++)
            for (int i = 0; i <= steps[0]; i++) {
                bool on_face = i == 0 || i == steps[0] || j == 0 || j == steps[1] || k == 0 || k == steps[2];
                if (!on_face)
                    continue;
                tlwVec3 at = {2.0 * i / steps[0] - 1, 2.0 * j / steps[1] - 1, 2.0 * k / steps[2] - 1};
                tlwVec3 normal = {(i == steps[0]) - (i == 0), (j == steps[1]) - (j == 0), (k == steps[2]) - (k == 0)};
                if (balls)
                    balls[n] = sharpBall((tlwVec3){inner.x * at.x, inner.y * at.y, inner.z * at.z}, normal, inset);
                n++;
            }
    return n;
}

// More along the edges of thin boxes: two plates that meet edge on must not pass between each other's balls.
static int placeEdgeBalls(tlwVec3 inner, const int steps[3], double inset, tlwSurfaceBall *balls)
{
    int n = 0;
    for (int axis = 0; axis < 3; axis++)
        for (int edge = 0; edge < 4; edge++)
            for (int i = 1; i < steps[axis]; i++) {
                double at[3], normal[3] = {0, 0, 0};
                at[axis] = 2.0 * i / steps[axis] - 1;
                normal[(axis + 1) % 3] = at[(axis + 1) % 3] = edge & 1 ? 1 : -1;
                normal[(axis + 2) % 3] = at[(axis + 2) % 3] = edge & 2 ? 1 : -1;
                if (balls)
                    balls[n] = sharpBall((tlwVec3){inner.x * at[0], inner.y * at[1], inner.z * at[2]},
                                         (tlwVec3){normal[0], normal[1], normal[2]}, inset);
                n++;
            }
    return n;
}

tlwResult tlwCreateBoxCollider(tlwVec3 half, tlwCollider **collider, tlwMessage *message)
{
    double thin = fmin(half.x, fmin(half.y, half.z)), thick = fmax(half.x, fmax(half.y, half.z));
    if (!(thin > 0) || !isfinite(thick))
        return tlwFail(message, TLW_BAD_ARGUMENT, "A box needs sides above 0, not %g x %g x %g m.", 2 * half.x,
                       2 * half.y, 2 * half.z);
    double inset = 0.04 * thin;
    tlwVec3 inner = {half.x - inset, half.y - inset, half.z - inset};
    // Even numbers of steps, so that edge middles have a ball; long sides get more, but no more than 16.
    double step = fmax(thin, thick / 8);
    int steps[3] = {2 * (int)ceil(half.x / step), 2 * (int)ceil(half.y / step), 2 * (int)ceil(half.z / step)};
    double sides[3] = {2 * half.x, 2 * half.y, 2 * half.z};
    int edge_steps[3] = {0, 0, 0};
    for (int k = 0; k < 3; k++) {
        int wanted = (int)fmin(ceil(sides[k] / (2 * thin)), 200);
        edge_steps[k] = wanted > steps[k] ? wanted : 0;
    }
    int on_faces = placeBoxBalls(inner, steps, inset, NULL), on_edges = placeEdgeBalls(inner, edge_steps, inset, NULL);
    tlwCollider *c = newCollider(sampleBox, on_faces + on_edges);
    if (!c)
        return tlwFailMemory(message, "a collider");
    placeBoxBalls(inner, steps, inset, c->balls);
    placeEdgeBalls(inner, edge_steps, inset, c->balls + on_faces);
    c->parameters[0] = half.x;
    c->parameters[1] = half.y;
    c->parameters[2] = half.z;
    c->box_max = half;
    c->box_min = tlwScale(half, -1);
    c->size = fmax(2 * thin, 0.1 * thick);
    return finishCollider(c, collider, message);
}

tlwResult tlwCreateHalfSpaceCollider(tlwVec3 normal, double offset, tlwCollider **collider, tlwMessage *message)
{
    if (!(tlwLength(normal) > 0) || !tlwIsFinite(normal) || !isfinite(offset))
        return tlwFail(message, TLW_BAD_ARGUMENT, "A half space needs a normal that is not zero.");
    tlwCollider *c = newCollider(sampleHalfSpace, 0);
    if (!c)
        return tlwFailMemory(message, "a collider");
    normal = tlwNormalize(normal);
    c->parameters[0] = normal.x;
    c->parameters[1] = normal.y;
    c->parameters[2] = normal.z;
    c->parameters[3] = offset;
    c->box_max = (tlwVec3){TLW_UNBOUNDED, TLW_UNBOUNDED, TLW_UNBOUNDED};
    c->box_min = tlwScale(c->box_max, -1);
    // A tighter box when the plane lies along an axis: spares the field samples of bodies that fly above a floor.
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
    return finishCollider(c, collider, message);
}

void tlwDestroyCollider(tlwCollider *collider)
{
    if (!collider)
        return;
    tlwFree(collider->balls);
    tlwFree(collider->clusters);
    tlwFree(collider);
}

// --- clusters: halve along the longest side until few are left ---

// Ties go to the next axis: the order must not depend on how qsort treats equals.
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
    // Halves differ by at most one, so no cluster is less than half full.
    collider->clusters = tlwAlloc(2 * (size_t)collider->ball_count / CLUSTER_SIZE + 2, sizeof *collider->clusters);
    if (!collider->clusters)
        return tlwFailMemory(message, "a collider");
    if (collider->ball_count > 0)
        splitBalls(collider, 0, collider->ball_count);
    return TLW_OK;
}
