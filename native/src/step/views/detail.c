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
#define NEAR 0.6f    // cells: a mesh within this distance of what stands still is the surface that is seen
#define FAR 0.9f     // cells: one beyond it is not
#define LOOSE 0.2f   // the same for what has moved: its level set has worn a little, so it comes off sooner, but softly
#define OFF 1.0f
#define FACING 0.4f // cosine from which on mesh and surface look the same way; else it is the other side of a thin part
#define AIR 0.4f    // cells outside a mesh where there is air if it is seen
#define BAND 3.0f   // cells around the surface that the mesher reads
#define APART 1.5f  // cells from solids: nearer, the level set is not that of the meshes alone
#define FINE 1024.0f // parts of a cell to which vertices that stand still are rounded before they go onto the mesh
#define INTO 0.02f   // cells by which a vertex may get into a solid

enum { ROUNDS = 2 };

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

static void addNormals(const tlwMesh *mesh, float *normals)
{
    for (int64_t n = 0; n < 3 * mesh->vertex_count; n++)
        normals[n] = 0;
    for (int64_t t = 0; t < mesh->triangle_count; t++) {
        const int32_t *v = mesh->triangles + 3 * t;
        const float *x = mesh->positions + 3 * v[0], *y = mesh->positions + 3 * v[1], *z = mesh->positions + 3 * v[2];
        for (int a = 0; a < 3; a++) {
            int b = (a + 1) % 3, c = (a + 2) % 3;
            float area = (y[b] - x[b]) * (z[c] - x[c]) - (y[c] - x[c]) * (z[b] - x[b]);
            for (int n = 0; n < 3; n++)
                normals[3 * v[n] + a] += area;
        }
    }
}

tlwResult tlwRememberMesh(const tlwFrameState *state, const tlwMesh *mesh, tlwDetail *detail)
{
    int64_t count = mesh->vertex_count, c[2] = {3 * detail->capacity, 3 * detail->capacity};
    if (!tlwReserve((void **)&detail->meshed, &c[0], 3 * count, sizeof *detail->meshed) ||
        !tlwReserve((void **)&detail->normals, &c[1], 3 * count, sizeof *detail->normals) ||
        !tlwReserve((void **)&detail->kept, &detail->kept_capacity, count, sizeof *detail->kept))
        return tlwFailMemory(&state->context->message, "the detail of the surface");
    detail->capacity = count > detail->capacity ? count : detail->capacity;
    if (count)
        memcpy(detail->meshed, mesh->positions, (size_t)(3 * count) * sizeof *detail->meshed);
    addNormals(mesh, detail->normals);
    return TLW_OK;
}

void tlwFreeDetail(tlwDetail *detail)
{
    for (int n = 0; n < detail->start_count; n++)
        tlwDestroyBvh(detail->starts[n].bvh);
    tlwFree(detail->starts);
    tlwFree(detail->meshed);
    tlwFree(detail->normals);
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

static void toCells(const tlwGrid *grid, tlwVec3 x, float p[3])
{
    p[0] = (float)((x.x - grid->origin.x) / grid->dx);
    p[1] = (float)((x.y - grid->origin.y) / grid->dx);
    p[2] = (float)((x.z - grid->origin.z) / grid->dx);
}

static tlwVec3 getVector(const float *v)
{
    return (tlwVec3){v[0], v[1], v[2]};
}

static void setVector(tlwVec3 v, float *out)
{
    out[0] = (float)v.x;
    out[1] = (float)v.y;
    out[2] = (float)v.z;
}

typedef struct Place {
    float open;     // 0..1: whether the mesh is seen from outside there
    tlwVec3 at;     // m, world, as at the start
    float distance; // cells
    tlwVec3 normal; // outwards
} Place;

// Meshes may overlap, as eyes and their sockets, or leave cracks that the cells do not know. Just outside a place that
// is seen there is air.
static float getOpenness(const tlwDetail *detail, const Place *place)
{
    double dx = detail->state.flow->grid.dx;
    tlwVec3 x = tlwMulAdd(place->at, AIR * dx, place->normal);
    float least = AIR;
    for (int n = 0; n < detail->liquids.count; n++) {
        const tlwPlacedMesh *mesh = &detail->liquids.items[n];
        if (x.x < mesh->low.x || x.y < mesh->low.y || x.z < mesh->low.z || x.x > mesh->high.x || x.y > mesh->high.y ||
            x.z > mesh->high.z)
            continue;
        float p[3], d;
        setVector(tlwRotate(tlwQuatConjugate(mesh->frame.rotation), tlwSub(x, mesh->frame.position)), p);
        tlwSampleSdf(mesh->sdf, p, 1, &d);
        least = fminf(least, d / (float)dx);
    }
    return step(0, 0.5f * AIR, least);
}

// The place on the mesh nearest to a point.
static Place findPlace(const tlwDetail *detail, int origin, const float at[3])
{
    Place place = {.distance = 1e9f};
    float best = 1e9f;
    for (int n = 0; n < detail->start_count; n++) {
        const tlwStartMesh *start = &detail->starts[n];
        if (!tlwIsOrigin(start, origin))
            continue;
        float point[3], found[3], weights[2], g[3];
        tlwToStartMesh(start, at, point);
        tlwNearest nearest = {best, -1};
        tlwFindNearest(start->bvh, point, &nearest);
        if (nearest.slot < 0)
            continue;
        best = nearest.square;
        tlwGetNearestPlace(start->bvh, nearest.slot, point, found, weights);
        tlwGetBvhNormal(start->bvh, nearest.slot, g);
        place.at = (tlwVec3){start->middle[0] + start->dx * found[0], start->middle[1] + start->dx * found[1],
                             start->middle[2] + start->dx * found[2]};
        place.normal = tlwScale(tlwNormalize((tlwVec3){g[0], g[1], g[2]}), start->mirrored ? -1 : 1);
        place.distance = sqrtf(best);
    }
    place.open = place.distance < OFF ? getOpenness(detail, &place) : 0;
    return place;
}

// Where a vertex belongs, and how much it should go there.
static tlwKept judgeVertex(const Work *w, int64_t v)
{
    const tlwGrid *grid = &w->state->flow->grid;
    tlwVec3 x = getVector(w->detail->meshed + 3 * v), normal = tlwNormalize(getVector(w->detail->normals + 3 * v));
    float p[3], share = 0, at[3];
    toCells(grid, x, p);
    int origin = 0, part = tlwLookAround(w->state, &w->detail->unmelted, p, &share, &origin);
    tlwKept kept = {0};
    if (part < 0 || share <= WORN)
        return kept;
    const tlwPartMotion *motion = &w->detail->unmelted.motions[part];
    tlwQuat back = tlwQuatConjugate(motion->turn);
    bool moved = part != TLW_PART_STILL;
    if (!moved) // rounding of the level set shall not show
        x = tlwMulAdd(grid->origin, grid->dx,
                      (tlwVec3){roundf(FINE * p[0]) / FINE, roundf(FINE * p[1]) / FINE, roundf(FINE * p[2]) / FINE});
    else
        x = tlwRotate(back, tlwSub(x, motion->shift));
    setVector(x, at);
    float sound = step(WORN, SOUND, share);
    kept.rests = moved ? 0 : sound;
    if (!moved)
        memcpy(w->detail->meshed + 3 * v, at, sizeof at);
    Place place = findPlace(w->detail, origin, at);
    float facing = (float)tlwDot(moved ? tlwRotate(back, normal) : normal, place.normal);
    share = sound * step(0, FACING, facing) * place.open *
            (1 - step(moved ? LOOSE : NEAR, moved ? OFF : FAR, place.distance));
    tlwVec3 to = moved ? tlwAdd(tlwRotate(motion->turn, place.at), motion->shift) : place.at;
    toCells(grid, to, p);
    if (!(share > 0) || tlwSampleNode(grid, w->solid, p) < -INTO * (float)grid->dx)
        return kept;
    kept.share = share;
    kept.part = (uint16_t)part;
    kept.origin = (uint8_t)origin;
    setVector(place.at, kept.rest);
    setVector(place.normal, kept.normal);
    setVector(to, kept.target);
    return kept;
}

static void judgeRange(void *context, int64_t begin, int64_t end)
{
    const Work *w = context;
    for (int64_t v = begin; v < end; v++)
        w->detail->kept[v] = judgeVertex(w, v);
}

// A vertex on the mesh beside one that is not makes a step. `low` has room for a number per vertex.
static void soften(const tlwMesh *mesh, tlwKept *kept, float *low)
{
    for (int round = 0; round < ROUNDS; round++) {
        for (int64_t v = 0; v < mesh->vertex_count; v++)
            low[v] = kept[v].share;
        for (int64_t t = 0; t < mesh->triangle_count; t++) {
            const int32_t *v = mesh->triangles + 3 * t;
            float least = fminf(kept[v[0]].share, fminf(kept[v[1]].share, kept[v[2]].share));
            for (int n = 0; n < 3; n++)
                low[v[n]] = fminf(low[v[n]], least);
        }
        for (int64_t v = 0; v < mesh->vertex_count; v++)
            kept[v].share = kept[v].share * (0.5f + 0.5f * low[v]);
    }
}

static void keepVertex(const Work *w, int64_t v)
{
    const tlwKept *kept = &w->detail->kept[v];
    for (int a = 0; a < 3; a++) {
        float *out = w->positions + 3 * v + a, meshed = w->detail->meshed[3 * v + a];
        *out = kept->rests < 1 ? *out + kept->rests * (meshed - *out) : meshed;
        *out = kept->share < 1 ? *out + kept->share * (kept->target[a] - *out) : kept->target[a];
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
    tlwParallelFor(state->context->threads, mesh->vertex_count, 512, judgeRange, &w);
    soften(mesh, detail->kept, detail->normals); // which are not needed any more
    tlwParallelFor(state->context->threads, mesh->vertex_count, 4096, keepRange, &w);
}

float tlwFindKeptPlace(const tlwDetail *detail, const tlwKept *like, const float rest[3], tlwKept *found)
{
    const tlwPartMotion *motion = &detail->unmelted.motions[like->part];
    Place place = findPlace(detail, like->origin, rest);
    tlwVec3 to = like->part == TLW_PART_STILL ? place.at : tlwAdd(tlwRotate(motion->turn, place.at), motion->shift);
    *found = *like;
    found->share = place.open;
    setVector(place.at, found->rest);
    setVector(place.normal, found->normal);
    setVector(to, found->target);
    return place.distance;
}

void tlwKeepPlaces(const tlwDetail *detail, int64_t count, tlwRestPlace *places)
{
    for (int64_t v = 0; v < count; v++)
        if (detail->kept[v].share == 1)
            memcpy(places[v].rest, detail->kept[v].rest, sizeof places[v].rest);
}
