#include "step/views/detail.h"

#include "base/context.h"
#include "base/memory.h"
#include "base/pages.h"
#include "grid/sample.h"
#include "scene/role.h"
#include "step/fields/sorting.h"

#include <string.h>

#define SOUND 0.97f // share of unmelted material around a vertex from which on the vertex is on the mesh
#define WORN 0.6f   // share below which it is as it was meshed
#define NEAR 0.4f   // cells: a mesh within this distance is the surface that is seen
#define FAR 0.8f    // cells: one beyond it is not
#define INTO 0.02f  // cells by which a vertex may get into a solid
enum { PARTS = 4 }; // around a vertex

static tlwResult placeStarts(const tlwFrameState *state, tlwDetail *detail)
{
    const tlwScene *scene = state->scene;
    detail->starts = tlwAlloc((size_t)scene->object_count + 1, sizeof *detail->starts);
    if (!detail->starts)
        return tlwFailMemory(&state->context->message, "the detail of the surface");
    for (int o = 0; o < scene->object_count; o++)
        if (tlwIsLiquid(&scene->objects[o].def))
            TLW_TRY(tlwPlaceStartMesh(state, &scene->objects[o], &scene->objects[o].mesh,
                                      &detail->starts[detail->start_count++]));
    return TLW_OK;
}

tlwResult tlwRememberMesh(const tlwFrameState *state, const tlwMesh *mesh, tlwDetail *detail)
{
    tlwResult result = detail->starts ? TLW_OK : placeStarts(state, detail);
    if (result != TLW_OK) {
        tlwFreeDetail(detail);
        return result;
    }
    int64_t count = mesh->vertex_count, c[2] = {3 * detail->capacity, detail->capacity};
    if (!tlwReserve((void **)&detail->meshed, &c[0], 3 * count, sizeof *detail->meshed) ||
        !tlwReserve((void **)&detail->kept, &c[1], count, sizeof *detail->kept))
        return tlwFailMemory(&state->context->message, "the detail of the surface");
    detail->capacity = count > detail->capacity ? count : detail->capacity;
    if (count)
        memcpy(detail->meshed, mesh->positions, (size_t)(3 * count) * sizeof *detail->meshed);
    return TLW_OK;
}

void tlwFreeDetail(tlwDetail *detail)
{
    for (int n = 0; n < detail->start_count; n++)
        tlwDestroyBvh(detail->starts[n].bvh);
    tlwFree(detail->starts);
    tlwFree(detail->meshed);
    tlwFree(detail->kept);
    tlwFreeUnmelted(&detail->unmelted);
    *detail = (tlwDetail){0};
}

// ---------------------------------------------------------------------------------------------------------------------
// What is around a vertex

typedef struct Work {
    const tlwFrameState *state;
    const tlwParticleOrder *order;
    const uint32_t *indices;
    const tlwDetail *detail;
    const float *solid;
    float *positions;
} Work;

typedef struct Around {
    float all;
    float weight[PARTS];
    uint16_t part[PARTS];
    int origin[PARTS]; // of the first particle of each part
    int count;
} Around;

static void addParticle(const Work *w, int64_t m, float weight, Around *around)
{
    uint16_t part = w->detail->unmelted.part[m];
    around->all += weight;
    if (part == TLW_PART_NONE)
        return;
    int n = 0;
    while (n < around->count && around->part[n] != part)
        n++;
    if (n == PARTS)
        return;
    if (n == around->count) {
        around->part[n] = part;
        around->weight[n] = 0;
        around->origin[n] = w->state->particles->origin[m];
        around->count++;
    }
    around->weight[n] += weight;
}

static void addCell(const Work *w, int i, int j, int k, const float p[3], Around *around)
{
    const tlwGrid *grid = &w->state->flow->grid;
    const tlwParticles *q = w->state->particles;
    int t = tlwFindTile(grid, tlwFloorDiv(i, TLW_TILE), tlwFloorDiv(j, TLW_TILE), tlwFloorDiv(k, TLW_TILE));
    if (t < 0)
        return;
    int c = (i & 7) + TLW_TILE * ((j & 7) + TLW_TILE * (k & 7));
    const int32_t *start = w->order->cell_start + (int64_t)t * (TLW_TILE_CELLS + 1);
    for (int64_t n = start[c]; n < start[c + 1]; n++) {
        int64_t m = w->indices[w->order->tile_start[t] + n];
        float x = q->position[0][m] - p[0], y = q->position[1][m] - p[1], z = q->position[2][m] - p[2];
        float weight = 1 - (x * x + y * y + z * z) / 2.25f; // within one and a half cells
        if (weight > 0)
            addParticle(w, m, weight * weight, around);
    }
}

// The part that most of the material around a point is of, -1 = none. `share` becomes how much is of it.
static int lookAround(const Work *w, const float p[3], float *share, int *origin)
{
    Around around = {0};
    int low[3] = {tlwFastFloor(p[0] - 1), tlwFastFloor(p[1] - 1), tlwFastFloor(p[2] - 1)}, best = -1;
    for (int n = 0; n < 27; n++)
        addCell(w, low[0] + n % 3, low[1] + n / 3 % 3, low[2] + n / 9, p, &around);
    for (int n = 0; n < around.count; n++)
        if (best < 0 || around.weight[n] > around.weight[best])
            best = n;
    if (best < 0)
        return -1;
    *share = around.weight[best] / around.all;
    *origin = around.origin[best];
    return around.part[best];
}

// ---------------------------------------------------------------------------------------------------------------------
// Onto the mesh

// 0 below `low`, 1 above `high`, and smooth between.
static float step(float low, float high, float x)
{
    float t = (x - low) / (high - low);
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    return t * t * (3 - 2 * t);
}

// The place on the mesh nearest to a point, m. Returns its distance in cells.
static float findPlace(const Work *w, int origin, const float at[3], tlwVec3 *place)
{
    float best = 1e9f;
    for (int n = 0; n < w->detail->start_count; n++) {
        const tlwStartMesh *start = &w->detail->starts[n];
        if (!tlwIsOrigin(start, origin))
            continue;
        float point[3], found[3], weights[2];
        tlwToStartMesh(start, at, point);
        tlwNearest nearest = {best, -1};
        tlwFindNearest(start->bvh, point, &nearest);
        if (nearest.slot < 0)
            continue;
        best = nearest.square;
        tlwGetNearestPlace(start->bvh, nearest.slot, point, found, weights);
        *place = (tlwVec3){start->middle[0] + start->dx * found[0], start->middle[1] + start->dx * found[1],
                           start->middle[2] + start->dx * found[2]};
    }
    return sqrtf(best);
}

static void keepVertex(const Work *w, int64_t v)
{
    const tlwGrid *grid = &w->state->flow->grid;
    const float *from = w->detail->meshed + 3 * v;
    tlwKept *kept = &w->detail->kept[v];
    *kept = (tlwKept){0};
    float p[3] = {(float)((from[0] - grid->origin.x) / grid->dx), (float)((from[1] - grid->origin.y) / grid->dx),
                  (float)((from[2] - grid->origin.z) / grid->dx)};
    float share = 0;
    int origin = 0, part = lookAround(w, p, &share, &origin);
    if (part < 0 || share <= WORN)
        return;
    const tlwPartMotion *motion = &w->detail->unmelted.motions[part];
    tlwVec3 x = {from[0], from[1], from[2]}, place = x;
    bool moved = part != TLW_PART_STILL;
    if (moved)
        x = tlwRotate(tlwQuatConjugate(motion->turn), tlwSub(x, motion->shift));
    float distance = findPlace(w, origin, (const float[3]){(float)x.x, (float)x.y, (float)x.z}, &place);
    share = step(WORN, SOUND, share) * (1 - step(NEAR, FAR, distance));
    if (!(share > 0))
        return;
    tlwVec3 to = moved ? tlwAdd(tlwRotate(motion->turn, place), motion->shift) : place;
    float at[3] = {(float)((to.x - grid->origin.x) / grid->dx), (float)((to.y - grid->origin.y) / grid->dx),
                   (float)((to.z - grid->origin.z) / grid->dx)};
    if (tlwSampleNode(grid, w->solid, at) < -INTO * (float)grid->dx)
        return;
    const double target[3] = {to.x, to.y, to.z};
    kept->share = share;
    kept->rest[0] = (float)place.x;
    kept->rest[1] = (float)place.y;
    kept->rest[2] = (float)place.z;
    for (int a = 0; a < 3; a++) {
        float *out = w->positions + 3 * v + a;
        *out = share < 1 ? (float)(*out + share * (target[a] - *out)) : (float)target[a];
    }
}

static void keepRange(void *context, int64_t begin, int64_t end)
{
    const Work *w = context;
    for (int64_t v = begin; v < end; v++)
        keepVertex(w, v);
}

tlwResult tlwKeepDetail(const tlwFrameState *state, tlwMesh *mesh, tlwDetail *detail)
{
    tlwParticleOrder order = {0};
    uint32_t *indices = tlwAllocScratch((size_t)state->particles->count * sizeof *indices);
    tlwResult result = indices ? TLW_OK : TLW_OUT_OF_MEMORY;
    if (result == TLW_OK)
        result = tlwIndexParticles(state->context->threads, &state->flow->grid, state->particles, &order, indices);
    if (result != TLW_OK)
        tlwFailMemory(&state->context->message, "the detail of the surface");
    if (result == TLW_OK)
        result = tlwFindUnmelted(state, &detail->unmelted);
    if (result == TLW_OK) {
        Work w = {.state = state,
                  .order = &order,
                  .indices = indices,
                  .detail = detail,
                  .solid = tlwGetFloats(&state->flow->grid, state->flow->solid),
                  .positions = mesh->positions};
        tlwParallelFor(state->context->threads, mesh->vertex_count, 512, keepRange, &w);
    }
    tlwFreeParticleOrder(&order);
    tlwFreePages(indices);
    return result;
}

void tlwKeepPlaces(const tlwDetail *detail, int64_t count, tlwRestPlace *places)
{
    for (int64_t v = 0; v < count; v++)
        if (detail->kept[v].share == 1)
            memcpy(places[v].rest, detail->kept[v].rest, sizeof places[v].rest);
}
