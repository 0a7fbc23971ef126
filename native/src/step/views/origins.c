#include "step/views/origins.h"

#include "base/context.h"
#include "base/memory.h"
#include "base/sets.h"
#include "scene/scene.h"

#include <math.h>

#define NEAR 3.0f // cells: corners of a triangle that come from farther apart than this do not belong together
#define FAR 1e12f // cells squared: no limit

// The nearest place of a carried mesh.
typedef struct tlwFound {
    int32_t carrier, slot, island; // carrier -1 = none
    float square;                  // cells
    float place[3];                // cells from the carrier's middle
} Found;

// ---------------------------------------------------------------------------------------------------------------------
// Carriers

static int32_t *findIslands(const tlwMesh *mesh, int32_t *next)
{
    int32_t *parent = tlwAlloc((size_t)mesh->vertex_count + 1, sizeof *parent);
    int32_t *islands = tlwAlloc((size_t)mesh->triangle_count, sizeof *islands);
    if (parent && islands) {
        tlwInitSets(parent, mesh->vertex_count);
        for (int64_t t = 0; t < mesh->triangle_count; t++)
            for (int n = 1; n < 3; n++)
                tlwJoinSets(parent, mesh->triangles[3 * t], mesh->triangles[3 * t + n]);
        for (int64_t t = 0; t < mesh->triangle_count; t++)
            islands[t] = *next + tlwFindRoot(parent, mesh->triangles[3 * t]);
        *next += (int32_t)mesh->vertex_count;
    } else {
        tlwFree(islands);
        islands = NULL;
    }
    tlwFree(parent);
    return islands;
}

static tlwResult placeCarriers(const tlwFrameState *state, tlwOrigins *origins)
{
    const tlwScene *scene = state->scene;
    size_t count = (size_t)scene->object_count + 1;
    origins->carriers = tlwAlloc(count, sizeof *origins->carriers);
    origins->islands = tlwAlloc(count, sizeof *origins->islands);
    origins->firsts = tlwAlloc(count, sizeof *origins->firsts);
    uint32_t triangles = 0;
    int32_t island = 0;
    bool ok = origins->carriers && origins->islands && origins->firsts;
    for (int o = 0; ok && o < scene->object_count; o++) {
        const tlwObject *object = &scene->objects[o];
        if (!object->carried.triangle_count)
            continue;
        int n = origins->carrier_count++;
        origins->firsts[n] = triangles;
        triangles += (uint32_t)object->carried.triangle_count;
        TLW_TRY(tlwPlaceStartMesh(state, object, &object->carried, &origins->carriers[n]));
        origins->islands[n] = findIslands(&object->carried, &island);
        ok = origins->islands[n] != NULL;
    }
    return ok ? TLW_OK : tlwFailMemory(&state->context->message, "the attributes of the surface");
}

tlwResult tlwPrepareOrigins(const tlwFrameState *state, int64_t count, tlwOrigins *origins)
{
    tlwResult result = origins->carriers ? TLW_OK : placeCarriers(state, origins);
    if (result != TLW_OK) {
        tlwFreeOrigins(origins);
        return result;
    }
    if (count <= origins->capacity)
        return TLW_OK;
    int64_t c[3] = {origins->capacity, origins->capacity, origins->capacity};
    if (!tlwReserve((void **)&origins->places, &c[0], count, sizeof *origins->places) ||
        !tlwReserve((void **)&origins->found, &c[1], count, sizeof *origins->found) ||
        !tlwReserve((void **)&origins->vertices, &c[2], count, sizeof *origins->vertices))
        return tlwFailMemory(&state->context->message, "the attributes of the surface");
    origins->capacity = count;
    return TLW_OK;
}

void tlwFreeOrigins(tlwOrigins *origins)
{
    for (int n = 0; n < origins->carrier_count; n++) {
        tlwDestroyBvh(origins->carriers[n].bvh);
        tlwFree(origins->islands[n]);
    }
    tlwFree(origins->carriers);
    tlwFree(origins->islands);
    tlwFree(origins->firsts);
    tlwFree(origins->places);
    tlwFree(origins->found);
    tlwFree(origins->vertices);
    tlwFree(origins->seams);
    *origins = (tlwOrigins){0};
}

// ---------------------------------------------------------------------------------------------------------------------
// Vertices

typedef struct Work {
    const tlwOrigins *origins;
    const tlwMesh *mesh;
    double per_cell;
} Work;

static tlwOrigin pack(const tlwOrigins *origins, int n, int32_t slot, const float point[3], float place[3])
{
    const tlwStartMesh *carrier = &origins->carriers[n];
    float weights[2];
    tlwGetNearestPlace(carrier->bvh, slot, point, place, weights);
    tlwOrigin origin = {.triangle = origins->firsts[n] + (uint32_t)tlwGetBvhTriangle(carrier->bvh, slot)};
    for (int n = 0; n < 2; n++)
        origin.weight[n] = (uint16_t)(65535 * (weights[n] > 0 ? weights[n] < 1 ? weights[n] : 1 : 0) + 0.5f);
    return origin;
}

static Found findVertex(const Work *w, int64_t v, tlwOrigin *origin)
{
    const tlwRestPlace *at = &w->origins->places[v];
    Found found = {.carrier = -1, .slot = -1, .island = -1, .square = FAR};
    *origin = (tlwOrigin){.triangle = TLW_NO_ORIGIN};
    for (int n = 0; n < w->origins->carrier_count && at->origin >= 0; n++) {
        const tlwStartMesh *carrier = &w->origins->carriers[n];
        if (!tlwIsOrigin(carrier, at->origin))
            continue;
        float point[3];
        tlwToStartMesh(carrier, at->rest, point);
        tlwNearest nearest = {found.square, -1};
        tlwFindNearest(carrier->bvh, point, &nearest);
        if (nearest.slot < 0)
            continue;
        int32_t triangle = tlwGetBvhTriangle(carrier->bvh, nearest.slot);
        found = (Found){n, nearest.slot, w->origins->islands[n][triangle], nearest.square, {0}};
        *origin = pack(w->origins, n, nearest.slot, point, found.place);
    }
    return found;
}

static void vertexRange(void *context, int64_t begin, int64_t end)
{
    const Work *w = context;
    for (int64_t v = begin; v < end; v++)
        w->origins->found[v] = findVertex(w, v, &w->origins->vertices[v]);
}

// ---------------------------------------------------------------------------------------------------------------------
// Seams

static float squareBetween(const float a[3], const float b[3])
{
    float sum = 0;
    for (int n = 0; n < 3; n++)
        sum += (a[n] - b[n]) * (a[n] - b[n]);
    return sum;
}

static bool belong(const Found *a, const Found *b)
{
    return a->island == b->island && squareBetween(a->place, b->place) < NEAR * NEAR;
}

// The island that the middle of a triangle comes from. -1 when its corners come from places that are far apart.
static int32_t findMiddleIsland(const Work *w, const int32_t corners[3], const Found *const found[3])
{
    int32_t n = found[0]->carrier;
    if (n < 0)
        return -1;
    const tlwStartMesh *carrier = &w->origins->carriers[n];
    float middle[3] = {0, 0, 0};
    for (int c = 0; c < 3; c++) {
        if (found[c]->carrier != n || squareBetween(found[c]->place, found[0]->place) >= NEAR * NEAR)
            return -1;
        float point[3];
        tlwToStartMesh(carrier, w->origins->places[corners[c]].rest, point);
        for (int a = 0; a < 3; a++)
            middle[a] += point[a] / 3;
    }
    tlwNearest nearest = tlwGuessNearest(carrier->bvh, middle, found[0]->slot, FAR);
    tlwFindNearest(carrier->bvh, middle, &nearest);
    return w->origins->islands[n][tlwGetBvhTriangle(carrier->bvh, nearest.slot)];
}

// The corner that the others follow: one on the island of the middle, else one that belongs together with another, else
// the one nearest to its mesh. Corners that lie on a seam are on either side by chance, so they do not decide alone.
static int chooseLead(const Found *const found[3], int32_t island)
{
    int lead = -1, most = -1;
    for (int n = 0; n < 3; n++) {
        if (found[n]->carrier < 0)
            continue;
        int votes = island >= 0 && found[n]->island == island ? 3 : 0;
        for (int m = 0; m < 3; m++)
            votes += m != n && found[m]->carrier >= 0 && belong(found[n], found[m]);
        if (votes > most || (votes == most && found[n]->square < found[lead]->square)) {
            most = votes;
            lead = n;
        }
    }
    return lead;
}

// The origin of a corner on the island of the lead: from where the corner was at the start, or, if that was far away,
// as far from the lead as the corner is now.
static tlwOrigin followLead(const Work *w, int64_t vertex, int64_t lead_vertex)
{
    const Found *lead = &w->origins->found[lead_vertex];
    const tlwRestPlace *at = &w->origins->places[vertex];
    const tlwStartMesh *carrier = &w->origins->carriers[lead->carrier];
    float point[3], place[3];
    if (tlwIsOrigin(carrier, at->origin)) {
        tlwToStartMesh(carrier, at->rest, point);
        tlwNearest nearest = tlwGuessNearest(carrier->bvh, point, lead->slot, FAR);
        tlwFindNearestOf(carrier->bvh, point, w->origins->islands[lead->carrier], lead->island, &nearest);
        tlwOrigin origin = pack(w->origins, lead->carrier, nearest.slot, point, place);
        if (squareBetween(place, lead->place) < NEAR * NEAR)
            return origin;
    }
    const float *x = w->mesh->positions + 3 * vertex, *from = w->mesh->positions + 3 * lead_vertex;
    for (int a = 0; a < 3; a++)
        point[a] = lead->place[a] + (float)((x[a] - from[a]) * w->per_cell);
    tlwNearest nearest = tlwGuessNearest(carrier->bvh, point, lead->slot, FAR);
    tlwFindNearestOf(carrier->bvh, point, w->origins->islands[lead->carrier], lead->island, &nearest);
    return pack(w->origins, lead->carrier, nearest.slot, point, place);
}

static bool isSeam(const Found *const found[3])
{
    bool none = found[0]->carrier < 0 && found[1]->carrier < 0 && found[2]->carrier < 0;
    bool all = found[0]->carrier >= 0 && found[1]->carrier >= 0 && found[2]->carrier >= 0;
    return !none && !(all && belong(found[0], found[1]) && belong(found[1], found[2]) && belong(found[2], found[0]));
}

static tlwResult listSeams(const Work *w, tlwOrigins *origins)
{
    origins->seam_count = 0;
    for (int64_t t = 0; t < w->mesh->triangle_count; t++) {
        const int32_t *v = w->mesh->triangles + 3 * t;
        const Found *found[3] = {&origins->found[v[0]], &origins->found[v[1]], &origins->found[v[2]]};
        if (!isSeam(found))
            continue;
        if (!tlwReserve((void **)&origins->seams, &origins->seam_capacity, origins->seam_count + 1,
                        sizeof *origins->seams))
            return TLW_OUT_OF_MEMORY;
        origins->seams[origins->seam_count++].triangle = (uint32_t)t;
    }
    return TLW_OK;
}

static void seamRange(void *context, int64_t begin, int64_t end)
{
    const Work *w = context;
    for (int64_t s = begin; s < end; s++) {
        tlwSeam *seam = &w->origins->seams[s];
        const int32_t *v = w->mesh->triangles + 3 * (int64_t)seam->triangle;
        const Found *found[3] = {&w->origins->found[v[0]], &w->origins->found[v[1]], &w->origins->found[v[2]]};
        int lead = chooseLead(found, findMiddleIsland(w, v, found));
        for (int n = 0; n < 3; n++)
            seam->corner[n] = n == lead || (found[n]->carrier >= 0 && belong(found[n], found[lead]))
                                  ? w->origins->vertices[v[n]]
                                  : followLead(w, v[n], v[lead]);
    }
}

tlwResult tlwFindOrigins(const tlwFrameState *state, const tlwMesh *mesh, tlwOrigins *origins)
{
    Work w = {origins, mesh, 1 / state->flow->grid.dx};
    tlwParallelFor(state->context->threads, mesh->vertex_count, 512, vertexRange, &w);
    if (listSeams(&w, origins) != TLW_OK)
        return tlwFailMemory(&state->context->message, "the attributes of the surface");
    tlwParallelFor(state->context->threads, origins->seam_count, 256, seamRange, &w);
    return TLW_OK;
}
