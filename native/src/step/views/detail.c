#include "step/views/detail.h"

#include "base/context.h"
#include "base/memory.h"
#include "grid/sample.h"
#include "scene/role.h"
#include "shape/sdf_sample.h"
#include "step/obstacles/face_share.h"
#include "step/views/shown.h"

#include <string.h>

#define SOUND 0.995f // share of unmelted material around a vertex from which on the vertex is on the mesh
#define WORN 0.9f    // share below which it is as it was meshed
#define NEAR 0.6f    // cells: a mesh within this distance is the surface that is seen
#define FAR 0.9f     // cells: one beyond it is not
#define BAND 3.0f    // cells around the surface that the mesher reads
#define APART 1.5f   // cells from solids: nearer, the level set is not that of the meshes alone
#define FINE 1024.0f // parts of a cell to which vertices that stand still are rounded before they go onto the mesh
#define INTO 0.02f   // cells by which a vertex may get into a solid

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
    return tlwPlaceMeshes(state->context, scene, state->flow->grid.dx, tlwIsLiquid, &detail->liquids);
}

tlwResult tlwPrepareDetail(const tlwFrameState *state, tlwDetail *detail)
{
    tlwResult result = detail->starts ? TLW_OK : placeStarts(state, detail);
    if (result != TLW_OK) {
        tlwFreeDetail(detail);
        return result;
    }
    detail->state = *state;
    return tlwFindUnmelted(state, &detail->unmelted);
}

tlwResult tlwRememberMesh(const tlwFrameState *state, const tlwMesh *mesh, tlwDetail *detail)
{
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
    tlwDestroyPlacedMeshes(&detail->liquids);
    *detail = (tlwDetail){0};
}

// 0 below `low`, 1 above `high`, and smooth between.
static float step(float low, float high, float x)
{
    float t = (x - low) / (high - low);
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    return t * t * (3 - 2 * t);
}

// ---------------------------------------------------------------------------------------------------------------------
// The level set of the start

// Distances to the meshes at the centres of a tile's cells.
static void getStartDistances(const tlwDetail *detail, const tlwGrid *grid, const tlwTile *tile, float *values)
{
    tlwSdfNodes nodes = {
        .spacing = grid->dx, .dims = {TLW_TILE, TLW_TILE, TLW_TILE}, .stride = {1, TLW_TILE, TLW_TILE * TLW_TILE}};
    nodes.origin =
        tlwMulAdd(grid->origin, grid->dx, (tlwVec3){tile->cell[0] + 0.5, tile->cell[1] + 0.5, tile->cell[2] + 0.5});
    for (int n = 0; n < TLW_TILE_CELLS; n++)
        values[n] = (float)(TLW_PHI_BAND * grid->dx);
    for (int n = 0; n < detail->liquids.count; n++)
        tlwUniteSdf(detail->liquids.items[n].sdf, &detail->liquids.items[n].frame, &nodes, values);
}

// How much of the surface nearest to a cell's centre has never melted nor moved.
static float getStillShare(const tlwDetail *detail, const float *phi, int64_t c, const int cell[3])
{
    const tlwGrid *grid = &detail->state.flow->grid;
    int64_t stride[3] = {1, grid->stride_y, grid->stride_z};
    float g[3], p[3], square = 0, share = 0, dx = (float)grid->dx;
    for (int a = 0; a < 3; a++) {
        g[a] = 0.5f * (phi[c + stride[a]] - phi[c - stride[a]]);
        square += g[a] * g[a];
    }
    for (int a = 0; a < 3; a++)
        p[a] = (float)cell[a] + 0.5f - (square > 0 ? phi[c] / dx * g[a] / sqrtf(square) : 0);
    int origin, part = tlwLookAround(&detail->state, &detail->unmelted, p, &share, &origin);
    return part == TLW_PART_STILL ? step(WORN, SOUND, share) : 0;
}

// Around what has never moved the level set is that of the start, so that its mesh is the same in every frame.
void tlwFillKeptTile(void *user, int64_t t, float *values)
{
    const tlwDetail *detail = user;
    const tlwFlow *flow = detail->state.flow;
    const tlwGrid *grid = &flow->grid;
    const tlwTile *tile = &grid->tiles[t];
    const float *phi = tlwGetFloats(grid, flow->phi), *solid = tlwGetFloats(grid, flow->solid);
    float start[TLW_TILE_CELLS], dx = (float)grid->dx;
    tlwFillVisibleTile((void *)flow, t, values);
    bool any = false;
    for (int n = 0; n < TLW_TILE_CELLS && !any; n++)
        any = fabsf(values[n]) < BAND * dx;
    if (!any)
        return;
    getStartDistances(detail, grid, tile, start);
    int n = 0;
    TLW_FOR_ROWS(grid, tile, j, k, row)
        for (int i = 0; i < TLW_TILE; i++, n++) {
            int64_t c = row + i;
            float away = fabsf(values[n] - start[n]) / dx;
            if (!(fabsf(values[n]) < BAND * dx) || away >= FAR || tlwGetCentreSolid(grid, solid, c) < APART * dx)
                continue;
            float share = getStillShare(detail, phi, c, (const int[3]){tile->cell[0] + i, (int)j, (int)k});
            share *= 1 - step(NEAR, FAR, away);
            values[n] = share < 1 ? values[n] + share * (start[n] - values[n]) : start[n];
        }
}

// ---------------------------------------------------------------------------------------------------------------------
// Onto the mesh

typedef struct Work {
    const tlwFrameState *state;
    const tlwDetail *detail;
    const float *solid;
    float *positions;
} Work;

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
    int origin = 0, part = tlwLookAround(w->state, &w->detail->unmelted, p, &share, &origin);
    if (part < 0 || share <= WORN)
        return;
    const tlwPartMotion *motion = &w->detail->unmelted.motions[part];
    tlwVec3 x = {from[0], from[1], from[2]}, place = x;
    bool moved = part != TLW_PART_STILL;
    if (!moved) // rounding of the level set shall not show
        x = tlwMulAdd(grid->origin, grid->dx,
                      (tlwVec3){roundf(FINE * p[0]) / FINE, roundf(FINE * p[1]) / FINE, roundf(FINE * p[2]) / FINE});
    else
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

void tlwKeepDetail(const tlwFrameState *state, tlwMesh *mesh, tlwDetail *detail)
{
    Work w = {state, detail, tlwGetFloats(&state->flow->grid, state->flow->solid), mesh->positions};
    tlwParallelFor(state->context->threads, mesh->vertex_count, 512, keepRange, &w);
}

void tlwKeepPlaces(const tlwDetail *detail, int64_t count, tlwRestPlace *places)
{
    for (int64_t v = 0; v < count; v++)
        if (detail->kept[v].share == 1)
            memcpy(places[v].rest, detail->kept[v].rest, sizeof places[v].rest);
}
