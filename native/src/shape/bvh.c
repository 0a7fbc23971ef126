#include "shape/bvh.h"

#include "base/memory.h"
#include "shape/bvh_data.h"

#include <math.h>
#include <string.h>

enum { LEAF_SIZE = 4, BINS = 16, MAX_SAH_DEPTH = 40 };

typedef tlwBvhBox Box;
typedef tlwBvhNode Node;
typedef tlwBvhSlot Slot;

typedef struct Builder {
    tlwBvh *bvh;
    Box *boxes; // per triangle
    int32_t *order;
} Builder;

static const Box empty_box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

static inline float dot3(const float *a, const float *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void growBox(Box *box, const Box *by)
{
    for (int a = 0; a < 3; a++) {
        box->low[a] = by->low[a] < box->low[a] ? by->low[a] : box->low[a];
        box->high[a] = by->high[a] > box->high[a] ? by->high[a] : box->high[a];
    }
}

static float halfArea(const Box *box)
{
    float x = box->high[0] - box->low[0], y = box->high[1] - box->low[1], z = box->high[2] - box->low[2];
    return x >= 0 ? x * y + y * z + z * x : 0;
}

static float middle(const Box *box, int axis)
{
    return 0.5f * (box->low[axis] + box->high[axis]);
}

typedef struct Split {
    int axis;
    float low, scale; // bin = (middle - low) * scale
    int bin;          // the first that goes right; 0 = no good split
} Split;

static int binOf(const Split *split, const Box *box)
{
    int bin = (int)((middle(box, split->axis) - split->low) * split->scale);
    return bin < 0 ? 0 : bin >= BINS ? BINS - 1 : bin;
}

// Surface area heuristic over bins along the axis in which the middles spread most.
static Split findSplit(const Builder *b, int32_t begin, int32_t end)
{
    Box spread = empty_box;
    for (int32_t i = begin; i < end; i++) {
        const Box *box = &b->boxes[b->order[i]];
        Box point;
        for (int a = 0; a < 3; a++)
            point.low[a] = point.high[a] = middle(box, a);
        growBox(&spread, &point);
    }
    Split split = {0};
    for (int a = 1; a < 3; a++)
        if (spread.high[a] - spread.low[a] > spread.high[split.axis] - spread.low[split.axis])
            split.axis = a;
    float width = spread.high[split.axis] - spread.low[split.axis];
    if (!(width > 0))
        return split;
    split.low = spread.low[split.axis];
    split.scale = BINS / width;
    Box bins[BINS];
    int32_t counts[BINS] = {0};
    for (int i = 0; i < BINS; i++)
        bins[i] = empty_box;
    for (int32_t i = begin; i < end; i++) {
        int bin = binOf(&split, &b->boxes[b->order[i]]);
        growBox(&bins[bin], &b->boxes[b->order[i]]);
        counts[bin]++;
    }
    float right_cost[BINS];
    Box box = empty_box;
    int32_t count = 0;
    for (int i = BINS - 1; i > 0; i--) {
        growBox(&box, &bins[i]);
        count += counts[i];
        right_cost[i] = halfArea(&box) * (float)count;
    }
    float best = INFINITY;
    box = empty_box;
    count = 0;
    for (int i = 1; i < BINS; i++) {
        growBox(&box, &bins[i - 1]);
        count += counts[i - 1];
        float cost = halfArea(&box) * (float)count + right_cost[i];
        if (count > 0 && count < end - begin && cost < best) {
            best = cost;
            split.bin = i;
        }
    }
    return split;
}

// Order [begin, end) so that what goes left comes first; returns where the right half begins.
static int32_t partition(Builder *b, int32_t begin, int32_t end, int depth)
{
    Split split = findSplit(b, begin, end);
    if (split.bin == 0 || depth > MAX_SAH_DEPTH)
        return begin + (end - begin) / 2;
    int32_t at = begin;
    for (int32_t i = begin; i < end; i++) {
        int32_t t = b->order[i];
        if (binOf(&split, &b->boxes[t]) < split.bin) {
            b->order[i] = b->order[at];
            b->order[at++] = t;
        }
    }
    return at;
}

static int32_t buildNode(Builder *b, int32_t begin, int32_t end, int depth)
{
    int32_t index = b->bvh->node_count++;
    int32_t cut = end - begin > LEAF_SIZE ? partition(b, begin, end, depth) : end;
    int32_t from[2] = {begin, cut}, to[2] = {cut, end};
    for (int side = 0; side < 2; side++) {
        Box box = empty_box;
        for (int32_t i = from[side]; i < to[side]; i++)
            growBox(&box, &b->boxes[b->order[i]]);
        bool leaf = to[side] - from[side] <= LEAF_SIZE;
        int32_t child = leaf ? from[side] : buildNode(b, from[side], to[side], depth + 1);
        Node *node = &b->bvh->nodes[index];
        node->box[side] = box;
        node->child[side] = child;
        node->count[side] = leaf ? to[side] - from[side] : 0;
    }
    return index;
}

static void loadSlots(Builder *b, const tlwMesh *mesh, const double origin[3], double unit)
{
    for (int32_t i = 0; i < b->bvh->slot_count; i++) {
        int32_t t = b->order[i];
        float p[3][3];
        for (int k = 0; k < 3; k++)
            for (int a = 0; a < 3; a++)
                p[k][a] =
                    (float)((mesh->positions[3 * (int64_t)mesh->triangles[3 * (int64_t)t + k] + a] - origin[a]) / unit);
        Slot *slot = &b->bvh->slots[i];
        for (int a = 0; a < 3; a++) {
            slot->a[a] = p[0][a];
            slot->ab[a] = p[1][a] - p[0][a];
            slot->ac[a] = p[2][a] - p[0][a];
        }
        slot->bb = dot3(slot->ab, slot->ab);
        slot->bc = dot3(slot->ab, slot->ac);
        slot->cc = dot3(slot->ac, slot->ac);
        b->bvh->triangle[i] = t;
    }
}

static void loadBoxes(Builder *b, const tlwMesh *mesh, const double origin[3], double unit)
{
    for (int32_t t = 0; t < b->bvh->slot_count; t++) {
        b->boxes[t] = empty_box;
        b->order[t] = t;
        for (int k = 0; k < 3; k++) {
            Box point;
            for (int a = 0; a < 3; a++)
                point.low[a] = point.high[a] =
                    (float)((mesh->positions[3 * (int64_t)mesh->triangles[3 * (int64_t)t + k] + a] - origin[a]) / unit);
            growBox(&b->boxes[t], &point);
        }
    }
}

tlwBvh *tlwCreateBvh(const tlwMesh *mesh, const double origin[3], double unit)
{
    tlwBvh *bvh = tlwAlloc(1, sizeof *bvh);
    if (!bvh)
        return NULL;
    size_t n = (size_t)mesh->triangle_count;
    bvh->slot_count = (int32_t)n;
    bvh->slots = tlwAlloc(n, sizeof *bvh->slots);
    bvh->triangle = tlwAlloc(n, sizeof *bvh->triangle);
    bvh->nodes = tlwAlloc(n + 1, sizeof *bvh->nodes);
    Builder b = {bvh, tlwAlloc(n, sizeof(Box)), tlwAlloc(n, sizeof(int32_t))};
    bool ok = bvh->slots && bvh->triangle && bvh->nodes && b.boxes && b.order;
    if (ok) {
        loadBoxes(&b, mesh, origin, unit);
        buildNode(&b, 0, bvh->slot_count, 0);
        loadSlots(&b, mesh, origin, unit);
    }
    tlwFree(b.boxes);
    tlwFree(b.order);
    if (!ok) {
        tlwDestroyBvh(bvh);
        return NULL;
    }
    return bvh;
}

void tlwDestroyBvh(tlwBvh *bvh)
{
    if (!bvh)
        return;
    tlwFree(bvh->slots);
    tlwFree(bvh->triangle);
    tlwFree(bvh->nodes);
    tlwFree(bvh);
}

int32_t tlwGetBvhTriangle(const tlwBvh *bvh, int32_t slot)
{
    return slot < 0 ? -1 : bvh->triangle[slot];
}

// Weights of b and c at the point of a triangle nearest to a + ap (Ericson 2005, s5.1.5), from dot products with its
// edges.
static inline void slotWeights(const Slot *s, const float ap[3], float *b, float *c)
{
    float d1 = dot3(s->ab, ap), d2 = dot3(s->ac, ap);
    float d3 = d1 - s->bb, d4 = d2 - s->bc, d5 = d1 - s->bc, d6 = d2 - s->cc;
    float va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
    float u, v;
    if (d1 <= 0 && d2 <= 0) {
        u = v = 0;
    } else if (d3 >= 0 && d4 <= d3) {
        u = 1;
        v = 0;
    } else if (d6 >= 0 && d5 <= d6) {
        u = 0;
        v = 1;
    } else if (vc <= 0 && d1 >= 0 && d3 <= 0) {
        u = d1 / (d1 - d3);
        v = 0;
    } else if (vb <= 0 && d2 >= 0 && d6 <= 0) {
        u = 0;
        v = d2 / (d2 - d6);
    } else if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
        v = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        u = 1 - v;
    } else {
        float inverse = 1 / (va + vb + vc);
        u = vb * inverse;
        v = vc * inverse;
    }
    *b = u;
    *c = v;
}

static inline float slotSquare(const Slot *s, const float p[3])
{
    float ap[3] = {p[0] - s->a[0], p[1] - s->a[1], p[2] - s->a[2]}, u, v, q[3];
    slotWeights(s, ap, &u, &v);
    for (int a = 0; a < 3; a++)
        q[a] = ap[a] - u * s->ab[a] - v * s->ac[a];
    return dot3(q, q);
}

static inline float boxSquare(const Box *box, const float p[3])
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

tlwNearest tlwGuessNearest(const tlwBvh *bvh, const float point[3], int32_t slot, float limit)
{
    tlwNearest nearest = {limit, -1};
    if (slot >= 0) {
        float square = slotSquare(&bvh->slots[slot], point);
        if (square <= limit)
            nearest = (tlwNearest){square, slot};
    }
    return nearest;
}

// `groups` may be null: then all triangles count.
static inline void tryLeaf(const tlwBvh *bvh, int32_t first, int32_t count, const float point[3], const int32_t *groups,
                           int32_t group, tlwNearest *nearest)
{
    for (int32_t i = first; i < first + count; i++) {
        if (groups && groups[bvh->triangle[i]] != group)
            continue;
        float square = slotSquare(&bvh->slots[i], point);
        if (square < nearest->square) {
            nearest->square = square;
            nearest->slot = i;
        }
    }
}

static inline void search(const tlwBvh *bvh, const float point[3], const int32_t *groups, int32_t group,
                          tlwNearest *nearest)
{
    struct {
        float square;
        int32_t node;
    } stack[TLW_BVH_STACK];
    int size = 0;
    int32_t at = 0;
    for (;;) {
        const Node *node = &bvh->nodes[at];
        float square[2] = {boxSquare(&node->box[0], point), boxSquare(&node->box[1], point)};
        int near = square[1] < square[0];
        int32_t next = -1;
        for (int n = 0; n < 2; n++) {
            int side = n ? 1 - near : near;
            if (!(square[side] < nearest->square))
                continue;
            if (node->count[side])
                tryLeaf(bvh, node->child[side], node->count[side], point, groups, group, nearest);
            else if (next < 0)
                next = node->child[side];
            else if (size < TLW_BVH_STACK) {
                stack[size].square = square[side];
                stack[size++].node = node->child[side];
            }
        }
        while (next < 0 && size > 0) {
            size--;
            if (stack[size].square < nearest->square)
                next = stack[size].node;
        }
        if (next < 0)
            return;
        at = next;
    }
}

void tlwFindNearest(const tlwBvh *bvh, const float point[3], tlwNearest *nearest)
{
    search(bvh, point, NULL, 0, nearest);
}

void tlwFindNearestOf(const tlwBvh *bvh, const float point[3], const int32_t *groups, int32_t group,
                      tlwNearest *nearest)
{
    search(bvh, point, groups, group, nearest);
}

void tlwGetNearestPlace(const tlwBvh *bvh, int32_t slot, const float point[3], float place[3], float weights[2])
{
    const Slot *s = &bvh->slots[slot];
    float ap[3] = {point[0] - s->a[0], point[1] - s->a[1], point[2] - s->a[2]};
    slotWeights(s, ap, &weights[0], &weights[1]);
    for (int a = 0; a < 3; a++)
        place[a] = s->a[a] + weights[0] * s->ab[a] + weights[1] * s->ac[a];
}

void tlwGetBvhNormal(const tlwBvh *bvh, int32_t slot, float normal[3])
{
    const float *b = bvh->slots[slot].ab, *c = bvh->slots[slot].ac;
    for (int a = 0; a < 3; a++)
        normal[a] = b[(a + 1) % 3] * c[(a + 2) % 3] - b[(a + 2) % 3] * c[(a + 1) % 3];
}
