// Boxes and balls whose inertia and distance fields are exact. The product makes its bodies from meshes.
#ifndef RIGID_SOLIDS_H
#define RIGID_SOLIDS_H

#include "base/memory.h"
#include "base/vec.h"
#include "rigid/collider.h"

static inline tlwMat3 boxInertia(double mass, tlwVec3 half)
{
    double s = mass / 3, x = half.x * half.x, y = half.y * half.y, z = half.z * half.z;
    return (tlwMat3){{{s * (y + z), 0, 0}, {0, s * (x + z), 0}, {0, 0, s * (x + y)}}};
}

static inline tlwMat3 ballInertia(double mass, double radius)
{
    double i = 0.4 * mass * radius * radius;
    return (tlwMat3){{{i, 0, 0}, {0, i, 0}, {0, 0, i}}};
}

// `half` is half of its sides.
static inline tlwCollider *newSolid(tlwSampleDistanceFn *sample, tlwVec3 half, int ball_count)
{
    tlwCollider *c = tlwAlloc(1, sizeof *c);
    assert_non_null(c);
    c->sample = sample;
    c->user = c;
    c->parameters[0] = half.x;
    c->parameters[1] = half.y;
    c->parameters[2] = half.z;
    c->box_max = half;
    c->box_min = tlwScale(half, -1);
    c->band = TLW_UNBOUNDED;
    c->ball_count = ball_count;
    c->balls = tlwAlloc((size_t)ball_count, sizeof *c->balls);
    assert_non_null(c->balls);
    return c;
}

static inline void sampleBall(const void *user, const tlwVec3 *points, int count, double *distance, tlwVec3 *gradient)
{
    double radius = ((const tlwCollider *)user)->parameters[0];
    for (int i = 0; i < count; i++) {
        distance[i] = tlwLength(points[i]) - radius;
        gradient[i] = tlwNormalize(points[i]);
    }
}

// About the origin. Fields whose band is too narrow to see the ball as a whole get surface balls on an even spiral.
static inline tlwCollider *createBallCollider(double radius)
{
    enum { SHELL = 256 };
    tlwCollider *c = newSolid(sampleBall, (tlwVec3){radius, radius, radius}, SHELL);
    c->size = 2 * radius;
    c->core_radius = radius;
    for (int i = 0; i < SHELL; i++) {
        double z = 1 - (2 * i + 1.0) / SHELL, ring = sqrt(1 - z * z), turn = i * 2.399963229728653;
        tlwVec3 normal = {ring * cos(turn), ring * sin(turn), z};
        c->balls[i] = (tlwSurfaceBall){tlwScale(normal, 0.95 * radius), normal, 0.05 * radius, {0, 0, 0}, radius};
    }
    assert_int_equal(tlwClusterBalls(c, NULL), TLW_OK);
    return c;
}

// Exact inside and outside: inside the nearest face decides.
static inline void sampleBox(const void *user, const tlwVec3 *points, int count, double *distance, tlwVec3 *gradient)
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

static inline tlwSurfaceBall sharpBall(tlwVec3 centre, tlwVec3 normal, double radius)
{
    return (tlwSurfaceBall){centre, tlwNormalize(normal), radius, centre, radius};
}

// Ball centres on the faces of the inner box that is `inset` smaller, an equal number of steps along each axis.
static inline int placeBoxBalls(tlwVec3 inner, const int steps[3], double inset, tlwSurfaceBall *balls)
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
static inline int placeEdgeBalls(tlwVec3 inner, const int steps[3], double inset, tlwSurfaceBall *balls)
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

// About the origin, with surface balls at its corners, edges and faces.
static inline tlwCollider *createBoxCollider(tlwVec3 half)
{
    double thin = fmin(half.x, fmin(half.y, half.z)), thick = fmax(half.x, fmax(half.y, half.z)), inset = 0.04 * thin;
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
    tlwCollider *c = newSolid(sampleBox, half, on_faces + on_edges);
    placeBoxBalls(inner, steps, inset, c->balls);
    placeEdgeBalls(inner, edge_steps, inset, c->balls + on_faces);
    c->size = fmax(2 * thin, 0.1 * thick);
    assert_int_equal(tlwClusterBalls(c, NULL), TLW_OK);
    return c;
}

#endif
