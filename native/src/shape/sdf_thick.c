#include "shape/sdf_thick.h"

#include "shape/bvh_cast.h"

#include <math.h>

#define FACING 0.3f // cosine: a triangle grows towards points that its front or back faces at least this much

typedef struct Look {
    const tlwBvh *bvh;
    const tlwThin *thin;
    const int32_t *piece; // of the tree's triangles; null where they are the pieces
    float unit;           // m
    const float *point;
    float near;  // squared distance in units up to which a triangle counts as nearest
    float faced; // largest cosine so far between a nearest triangle's normal and the way to the point
    int32_t facing;
    float value; // m: least distance to what has grown
} Look;

typedef struct Place {
    float away;   // m from the triangle
    float cosine; // between the triangle's normal and the way to the point
    float front;  // m of solid in front of the place
    float behind; // m behind it; infinite where the solid is thick
} Place;

static Place findPlace(const Look *l, int32_t slot)
{
    float q[3], w[2], n[3], square = 0, along = 0, length = 0;
    tlwGetNearestPlace(l->bvh, slot, l->point, q, w);
    tlwGetBvhNormal(l->bvh, slot, n);
    for (int a = 0; a < 3; a++) {
        float way = l->point[a] - q[a];
        square += way * way;
        along += way * n[a];
        length += n[a] * n[a];
    }
    int32_t triangle = tlwGetBvhTriangle(l->bvh, slot);
    const float *reach = l->thin->reach + 2 * (int64_t)(l->piece ? l->piece[triangle] : triangle);
    Place place = {.away = sqrtf(square) * l->unit, .front = reach[0], .behind = reach[1]};
    place.cosine = square > 0 && length > 0 ? along / sqrtf(square * length) : 1;
    return place;
}

// Of the triangles that share the nearest place, the one that faces the point most tells the point's side.
static void face(void *user, int32_t slot)
{
    Look *l = user;
    tlwNearest own = tlwGuessNearest(l->bvh, l->point, slot, l->near);
    if (own.slot < 0)
        return;
    float cosine = fabsf(findPlace(l, slot).cosine);
    if (cosine > l->faced || (cosine == l->faced && slot < l->facing)) {
        l->faced = cosine;
        l->facing = slot;
    }
}

static void grow(void *user, int32_t slot)
{
    Look *l = user;
    Place place = findPlace(l, slot);
    if (place.front > 0 && place.cosine >= FACING)
        l->value = fminf(l->value, place.away - place.front);
}

// Distance to a wall that reaches from `behind` to `front` around a triangle.
static float slab(const Place *place, float side)
{
    float s = side * place->away;
    return fmaxf(s - place->front, -(s + place->behind));
}

float tlwMeasureThick(const tlwBvh *bvh, const tlwBvh *grown, const tlwThin *thin, double voxel, const float point[3],
                      tlwNearest nearest, bool inside)
{
    Look l = {.bvh = bvh, .thin = thin, .unit = (float)voxel, .point = point, .facing = nearest.slot};
    if (thin->sheet) {
        l.near = nearest.square * 1.001f + 1e-6f;
        l.faced = -1;
        tlwVisitNear(bvh, point, l.near, face, &l);
        Place place = findPlace(&l, l.facing);
        return slab(&place, place.cosine < 0 ? -1 : 1);
    }
    Place place = findPlace(&l, nearest.slot);
    if (isfinite(place.behind)) // a point inside is at least as deep as the mesh says, also where walls meet
        return inside ? fminf(slab(&place, -1), -place.away) : slab(&place, 1);
    if (inside)
        return -place.away;
    // The nearest face is thick, as at a rim or below the edge of a wall. What grows next to it may reach the point.
    l.value = place.away;
    if (!grown)
        return l.value;
    float far = (place.away + thin->most) / l.unit;
    l.bvh = grown;
    l.piece = thin->grown_piece;
    tlwNearest first = {.slot = -1, .square = far * far};
    tlwFindNearest(grown, point, &first);
    if (first.slot < 0)
        return l.value;
    grow(&l, first.slot); // leaves few others that may be nearer once they have grown
    far = (l.value + thin->most) / l.unit;
    tlwVisitNear(grown, point, far * far, grow, &l);
    return l.value;
}
