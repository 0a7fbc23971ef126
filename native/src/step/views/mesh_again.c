#include "step/views/mesh_again.h"

#include "base/context.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "scene/scene.h"
#include "shape/mesher.h"
#include "step/views/refine.h"
#include "step/views/smooth.h"

#include <math.h>
#include <string.h>

#define BLOCK 512
#define FAR 1e12f      // cells squared: no limit
#define HELD 2.0f      // cells: unmelted vertices farther from the old mesh stay where they are
#define HALF_SOFT 0.5f // melt from which on nothing of the old mesh is kept

// One frame.
typedef struct Work {
    const tlwScene *scene;
    const tlwPlySurface *old;
    const tlwBvh *bvh; // of the old mesh, in cells from `middle`
    double middle[3];
    double dx;
    tlwMesh *mesh;
    tlwKeptList *kept; // null when unmelted parts keep nothing
    float *columns;
    const tlwOrigins *origins; // null when the old mesh has none
    int melt, rest, material;  // columns; -1 = missing
} Work;

// A place on the old mesh.
typedef struct Place {
    const int32_t *corners;
    float weights[3];
    int heaviest;   // of the corners
    int32_t slot;   // of its triangle
    float point[3]; // m
    float square;   // of the distance to it, cells
} Place;

static void fillTile(void *user, int64_t tile, float *values)
{
    const tlwVdbTiles *tiles = user;
    memcpy(values, tiles->values + TLW_TILE_CELLS * tile, TLW_TILE_CELLS * sizeof *values);
}

static Place findPlace(const Work *w, const float *x)
{
    Place place = {0};
    float p[3], q[3];
    for (int a = 0; a < 3; a++)
        p[a] = (float)((x[a] - w->middle[a]) / w->dx);
    tlwNearest nearest = {FAR, -1};
    tlwFindNearest(w->bvh, p, &nearest);
    place.square = nearest.square;
    place.slot = nearest.slot;
    place.corners = w->old->mesh.triangles + 3 * (int64_t)tlwGetBvhTriangle(w->bvh, nearest.slot);
    tlwGetNearestPlace(w->bvh, nearest.slot, p, q, place.weights + 1);
    place.weights[0] = 1 - place.weights[1] - place.weights[2];
    for (int n = 1; n < 3; n++)
        if (place.weights[n] > place.weights[place.heaviest])
            place.heaviest = n;
    for (int a = 0; a < 3; a++)
        place.point[a] = (float)(w->middle[a] + w->dx * q[a]);
    return place;
}

static float blend(const Work *w, const Place *place, int column)
{
    const float *values = w->old->columns + column * w->old->mesh.vertex_count;
    if (column == w->material) // a number of a material: no place is between two
        return values[place->corners[place->heaviest]];
    float sum = 0;
    for (int n = 0; n < 3; n++)
        sum += place->weights[n] * values[place->corners[n]];
    return sum;
}

// Unmelted parts were put onto the artist's mesh when they were baked: there the new vertices lie on the old mesh.
static float findKept(const void *user, const tlwKept *near, const float x[3], tlwKept *found)
{
    const Work *w = user;
    (void)near;
    Place place = findPlace(w, x);
    float melt = blend(w, &place, w->melt);
    *found = (tlwKept){.share = place.square < HELD * HELD ? fmaxf(0, 1 - melt / HALF_SOFT) : 0};
    memcpy(found->rest, place.point, sizeof found->rest);
    memcpy(found->target, place.point, sizeof found->target);
    float length = 0;
    tlwGetBvhNormal(w->bvh, place.slot, found->normal);
    for (int a = 0; a < 3; a++)
        length += found->normal[a] * found->normal[a];
    for (int a = 0; a < 3 && length > 0; a++)
        found->normal[a] /= sqrtf(length);
    return sqrtf(place.square);
}

static void rememberRange(void *context, int64_t begin, int64_t end)
{
    const Work *w = context;
    for (int64_t v = begin; v < end; v++)
        findKept(w, NULL, w->mesh->positions + 3 * v, &w->kept->items[v]);
}

static void keepRange(void *context, int64_t begin, int64_t end)
{
    const Work *w = context;
    for (int64_t v = begin; v < end; v++) {
        const tlwKept *kept = &w->kept->items[v];
        float *x = w->mesh->positions + 3 * v;
        for (int a = 0; a < 3; a++)
            x[a] = kept->share == 1 ? kept->target[a] : x[a] + kept->share * (kept->target[a] - x[a]);
    }
}

// The object whose mesh has a triangle, by the numbers of tlwOrigin; -1 = none.
static int findOwner(const tlwOrigins *origins, uint32_t triangle)
{
    int owner = -1;
    for (int n = 0; n < origins->carrier_count && triangle != TLW_NO_ORIGIN && origins->firsts[n] <= triangle; n++)
        owner = origins->carriers[n].number;
    return owner;
}

static void columnRange(void *context, int64_t begin, int64_t end)
{
    const Work *w = context;
    for (int64_t v = begin; v < end; v++) {
        Place place = findPlace(w, w->mesh->positions + 3 * v);
        for (int c = 0; c < w->old->column_count; c++)
            w->columns[c * w->mesh->vertex_count + v] = blend(w, &place, c);
        if (!w->origins)
            continue;
        tlwRestPlace *rest = &w->origins->places[v];
        rest->origin = findOwner(w->origins, w->old->origins[place.corners[place.heaviest]].triangle);
        for (int a = 0; a < 3; a++)
            rest->rest[a] = w->columns[(w->rest + a) * w->mesh->vertex_count + v];
    }
}

static int findColumn(const tlwPlySurface *old, const char *name)
{
    for (int c = 0; c < old->column_count; c++)
        if (!strcmp(old->names[c], name))
            return c;
    return -1;
}

static tlwResult makeMesh(const tlwFrameState *state, const tlwVdbTiles *tiles, tlwMesh *mesh)
{
    tlwTileSet set = {.first_cells = tiles->first_cells,
                      .count = tiles->count,
                      .cell_size = tiles->cell_size,
                      .origin = tiles->origin};
    tlwClipTiles(&state->flow->grid, &set);
    tlwTileSource source = {.fill = fillTile, .user = (void *)tiles};
    tlwMesherDef def = {.background = tiles->background, .detail = state->scene->def.mesh_detail};
    return tlwMeshLevelSet(&set, &source, &def, state->context->threads, &state->context->message, mesh);
}

// Smooth the mesh, give it the volume of the old one, and lay unmelted parts onto the old one.
static tlwResult shapeMesh(const tlwFrameState *state, Work *w)
{
    const tlwSceneDef *def = &w->scene->def;
    tlwThreads *threads = state->context->threads;
    tlwMesh *mesh = w->mesh;
    tlwShownMesh shown = {&state->flow->grid, NULL, def->mesh_detail, mesh};
    double volume;
    bool ok = true;
    if (w->kept) {
        ok = tlwReserve((void **)&w->kept->items, &w->kept->capacity, mesh->vertex_count, sizeof *w->kept->items);
        if (ok)
            tlwParallelFor(threads, mesh->vertex_count, BLOCK, rememberRange, w);
    }
    ok = ok && tlwSmoothMesh(threads, &shown, def->mesh_smoothing) == TLW_OK &&
         tlwFitVolume(threads, &shown, tlwGetMeshVolume(&w->old->mesh), &volume) == TLW_OK;
    if (ok && w->kept) {
        tlwParallelFor(threads, mesh->vertex_count, BLOCK, keepRange, w);
        ok = tlwRefineMesh(threads, mesh, w->kept, findKept, w);
    }
    return ok ? TLW_OK : tlwFailMemory(&state->context->message, "the surface mesh");
}

// Take over what the vertices of the old mesh carry.
static tlwResult carryOver(const tlwFrameState *state, Work *w, tlwAgainBuffers *buffers)
{
    tlwMessage *message = &state->context->message;
    int64_t count = w->mesh->vertex_count;
    if (!tlwReserve((void **)&buffers->columns, &buffers->column_capacity, count * w->old->column_count + 1,
                    sizeof *buffers->columns))
        return tlwFailMemory(message, "the surface mesh");
    w->columns = buffers->columns;
    if (w->old->origins && tlwCarries(w->scene) && w->rest >= 0) {
        TLW_TRY(tlwPrepareOrigins(state, count, &buffers->origins));
        w->origins = &buffers->origins;
    }
    tlwParallelFor(state->context->threads, count, BLOCK, columnRange, w);
    return w->origins ? tlwFindOrigins(state, w->mesh, &buffers->origins) : TLW_OK;
}

static tlwResult run(const tlwFrameState *state, const tlwVdbTiles *tiles, Work *w, tlwAgainBuffers *buffers)
{
    tlwMessage *message = &state->context->message;
    tlwMesh mesh;
    TLW_TRY(makeMesh(state, tiles, &mesh));
    tlwDestroyMesh(&buffers->mesh);
    buffers->mesh = mesh;
    if (!w->old->mesh.triangle_count && mesh.vertex_count)
        return tlwFail(message, TLW_BAD_FILE, "The mesh of this frame is empty, but its level set is not.");
    if (!mesh.vertex_count)
        return carryOver(state, w, buffers);
    tlwVec3 low, high;
    tlwGetMeshBounds(&w->old->mesh, &low, &high);
    w->middle[0] = 0.5 * (low.x + high.x);
    w->middle[1] = 0.5 * (low.y + high.y);
    w->middle[2] = 0.5 * (low.z + high.z);
    tlwBvh *bvh = tlwCreateBvh(&w->old->mesh, w->middle, w->dx);
    if (!bvh)
        return tlwFailMemory(message, "the surface mesh");
    w->bvh = bvh;
    tlwResult result = shapeMesh(state, w);
    if (result == TLW_OK)
        result = carryOver(state, w, buffers);
    tlwDestroyBvh(bvh);
    return result;
}

tlwResult tlwMeshAgainFrom(tlwContext *context, const tlwScene *scene, const tlwVdbTiles *tiles,
                           const tlwPlySurface *old, tlwAgainBuffers *buffers, tlwSurfaceView *view)
{
    tlwFlow flow = {0};
    tlwInitGrid(&flow.grid, scene->def.domain_min, scene->dims, scene->def.cell_size);
    memcpy(flow.grid.extent, scene->extent, sizeof flow.grid.extent);
    tlwFrameState state = {.context = context, .scene = scene, .flow = &flow};
    Work w = {.scene = scene,
              .old = old,
              .dx = scene->def.cell_size,
              .mesh = &buffers->mesh,
              .melt = findColumn(old, "melt"),
              .rest = findColumn(old, "rest_x"),
              .material = findColumn(old, "material")};
    if (scene->def.keep_detail && w.melt >= 0)
        w.kept = &buffers->kept;
    tlwResult result = run(&state, tiles, &w, buffers);
    tlwFreeGrid(&flow.grid);
    TLW_TRY(result);
    tlwMesh mesh = buffers->mesh;
    for (int c = 0; c < old->column_count; c++)
        buffers->attributes[c] =
            (tlwVertexAttribute){old->names[c], 1, {old->names[c]}, buffers->columns + c * mesh.vertex_count};
    *view = (tlwSurfaceView){.vertex_count = (int)mesh.vertex_count,
                             .triangle_count = (int)mesh.triangle_count,
                             .position = mesh.positions,
                             .triangle = mesh.triangles,
                             .attribute_count = old->column_count,
                             .attributes = buffers->attributes,
                             .origins = w.origins ? buffers->origins.vertices : NULL,
                             .seams = buffers->origins.seams,
                             .seam_count = w.origins ? (int)buffers->origins.seam_count : 0,
                             .volume = tlwGetMeshVolume(&buffers->mesh)};
    return TLW_OK;
}

void tlwFreeAgainBuffers(tlwAgainBuffers *buffers)
{
    tlwDestroyMesh(&buffers->mesh);
    tlwFree(buffers->columns);
    tlwFree(buffers->kept.items);
    tlwFreeOrigins(&buffers->origins);
    *buffers = (tlwAgainBuffers){0};
}
