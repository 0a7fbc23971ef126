#include "shape/bvh_cast.h"

#include "shape/bvh_data.h"

#include <math.h>

static float boxSquare(const tlwBvhBox *box, const float p[3])
{
    float sum = 0;
    for (int a = 0; a < 3; a++) {
        float below = box->low[a] - p[a], above = p[a] - box->high[a];
        float d = below > above ? below : above;
        d = d > 0 ? d : 0;
        sum += d * d;
    }
    return sum;
}

void tlwVisitNear(const tlwBvh *bvh, const float point[3], float square, tlwBvhVisit *visit, void *user)
{
    int32_t stack[TLW_BVH_STACK];
    int size = 1;
    stack[0] = 0;
    while (size > 0) {
        const tlwBvhNode *node = &bvh->nodes[stack[--size]];
        for (int side = 0; side < 2; side++) {
            if (!(boxSquare(&node->box[side], point) <= square))
                continue;
            for (int32_t n = 0; n < node->count[side]; n++)
                visit(user, node->child[side] + n);
            if (!node->count[side] && size < TLW_BVH_STACK)
                stack[size++] = node->child[side];
        }
    }
}

// Whether a ray passes through a box before `length`.
static bool meetsBox(const tlwBvhBox *box, const float from[3], const float inverse[3], float length)
{
    float enter = 0, leave = length;
    for (int a = 0; a < 3; a++) {
        float t0 = (box->low[a] - from[a]) * inverse[a], t1 = (box->high[a] - from[a]) * inverse[a];
        float first = t0 < t1 ? t0 : t1, last = t0 < t1 ? t1 : t0;
        enter = first > enter ? first : enter;
        leave = last < leave ? last : leave;
    }
    return enter <= leave * (1 + 1e-5f) + 1e-5f;
}

static void cross(const float a[3], const float b[3], float out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

static float dot(const float a[3], const float b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// Way along the ray to a triangle (Moeller and Trumbore 1997); negative when it misses.
static float meetSlot(const tlwBvhSlot *slot, const float from[3], const float direction[3])
{
    float h[3], q[3], s[3] = {from[0] - slot->a[0], from[1] - slot->a[1], from[2] - slot->a[2]};
    cross(direction, slot->ac, h);
    float det = dot(slot->ab, h);
    if (det == 0)
        return -1;
    float u = dot(s, h) / det;
    cross(s, slot->ab, q);
    float v = dot(direction, q) / det;
    const float slack = 1e-5f; // a ray through an edge meets one of its triangles
    return u < -slack || v < -slack || u + v > 1 + slack ? -1 : dot(slot->ac, q) / det;
}

int32_t tlwCastRay(const tlwBvh *bvh, const float from[3], const float direction[3], int32_t not, bool any,
                   float *length)
{
    float inverse[3];
    for (int a = 0; a < 3; a++) // finite, so that nothing becomes a NaN
        inverse[a] = fabsf(direction[a]) > 1e-20f ? 1 / direction[a] : 1e20f;
    int32_t stack[TLW_BVH_STACK], found = -1;
    int size = 1;
    stack[0] = 0;
    while (size > 0 && !(any && found >= 0)) {
        const tlwBvhNode *node = &bvh->nodes[stack[--size]];
        for (int side = 0; side < 2; side++) {
            if (!meetsBox(&node->box[side], from, inverse, *length))
                continue;
            for (int32_t n = 0; n < node->count[side]; n++) {
                int32_t slot = node->child[side] + n;
                float way = slot == not ? -1 : meetSlot(&bvh->slots[slot], from, direction);
                if (way >= 0 && way < *length) {
                    *length = way;
                    found = slot;
                }
            }
            if (!node->count[side] && size < TLW_BVH_STACK)
                stack[size++] = node->child[side];
        }
    }
    return found;
}
