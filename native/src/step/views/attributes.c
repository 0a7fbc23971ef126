#include "step/views/attributes.h"

#include "base/context.h"
#include "base/memory.h"
#include "base/pages.h"
#include "grid/sample.h"
#include "scene/scene.h"
#include "scene/world.h"
#include "step/fields/sorting.h"

// What the particles around a vertex say about it.
typedef struct Vertex {
    const tlwFrameState *state;
    float *const *velocity; // of the grid
    const float *x;         // m
    float p[3];             // cells
    int64_t who;            // nearest particle, -1 = none near
    uint8_t number;         // of its material
    const tlwMaterial *material;
    float enthalpy;
    float rest[3];
} Vertex;

static void getVelocity(const Vertex *v, float *out)
{
    tlwSampleVelocity(&v->state->flow->grid, v->velocity, v->p, out);
}

static void getTemperature(const Vertex *v, float *out)
{
    *out = (float)(v->who >= 0 ? tlwGetTemperature(v->material, v->enthalpy)
                               : tlwSampleWorld(v->state->scene, v->state->stats->time).ambient_temperature);
}

static void getMelt(const Vertex *v, float *out)
{
    *out = v->material->melts ? (float)tlwGetMelt(v->material, v->enthalpy) : 1;
}

static void getRest(const Vertex *v, float *out)
{
    for (int a = 0; a < 3; a++)
        out[a] = v->rest[a];
}

static void getMaterial(const Vertex *v, float *out)
{
    *out = v->number;
}

// A new attribute is a row here, and a line in docs/scene-format.md.
static const struct {
    const char *name;
    int components;
    const char *properties[3]; // in PLY files
    void (*get)(const Vertex *v, float *out);
} table[TLW_VERTEX_ATTRIBUTES] = {
    {"velocity", 3, {"vx", "vy", "vz"}, getVelocity},
    {"temperature", 1, {"temperature"}, getTemperature},
    {"melt", 1, {"melt"}, getMelt},
    {"rest_position", 3, {"rest_x", "rest_y", "rest_z"}, getRest},
    {"material", 1, {"material"}, getMaterial},
};

typedef struct Work {
    const tlwFrameState *state;
    const tlwParticleOrder *order;
    const uint32_t *indices;
    const float *positions;
    float *velocity[3];
    float *out[TLW_VERTEX_ATTRIBUTES];
    tlwRestPlace *places; // may be null
} Work;

typedef struct Blend {
    float weight, rest[3], enthalpy;
    float nearest;
    int64_t who;
} Blend;

static int tileOf(const Work *w, int i, int j, int k)
{
    return tlwFindTile(&w->state->flow->grid, tlwFloorDiv(i, TLW_TILE), tlwFloorDiv(j, TLW_TILE),
                       tlwFloorDiv(k, TLW_TILE));
}

// Particles of one cell of tile t, weighted by closeness within `radius` cells.
static void blendCell(const Work *w, int t, int i, int j, int k, const float p[3], float radius, Blend *b)
{
    const tlwParticles *q = w->state->particles;
    if (t < 0)
        return;
    int c = (i & 7) + TLW_TILE * ((j & 7) + TLW_TILE * (k & 7));
    const int32_t *start = w->order->cell_start + (int64_t)t * (TLW_TILE_CELLS + 1);
    for (int64_t n = start[c]; n < start[c + 1]; n++) {
        int64_t m = w->indices[w->order->tile_start[t] + n];
        float x = q->position[0][m] - p[0], y = q->position[1][m] - p[1], z = q->position[2][m] - p[2];
        float d = x * x + y * y + z * z, weight = 1 - d / (radius * radius);
        if (d < b->nearest) {
            b->nearest = d;
            b->who = m;
        }
        if (weight <= 0)
            continue;
        weight = weight * weight * weight;
        b->weight += weight;
        b->enthalpy += weight * q->enthalpy[m];
        for (int axis = 0; axis < 3; axis++)
            b->rest[axis] += weight * q->rest[axis][m];
    }
}

static Blend blendAround(const Work *w, const float p[3])
{
    Blend b = {.nearest = 1e30f, .who = -1};
    int low[3] = {tlwFastFloor(p[0] - 0.5f), tlwFastFloor(p[1] - 0.5f), tlwFastFloor(p[2] - 0.5f)};
    int tile = tileOf(w, low[0], low[1], low[2]);
    bool one_tile = (low[0] & 7) < 7 && (low[1] & 7) < 7 && (low[2] & 7) < 7;
    for (int n = 0; n < 8; n++) {
        int i = low[0] + (n & 1), j = low[1] + (n >> 1 & 1), k = low[2] + (n >> 2);
        blendCell(w, one_tile ? tile : tileOf(w, i, j, k), i, j, k, p, 1, &b);
    }
    for (int n = 0; n < 64 && b.who < 0; n++) {
        int i = low[0] - 1 + (n & 3), j = low[1] - 1 + (n >> 2 & 3), k = low[2] - 1 + (n >> 4);
        blendCell(w, tileOf(w, i, j, k), i, j, k, p, 2, &b);
    }
    return b;
}

static Vertex describeVertex(const Work *w, int64_t n)
{
    const tlwGrid *grid = &w->state->flow->grid;
    const tlwParticles *q = w->state->particles;
    const float *x = w->positions + 3 * n;
    double per_cell = 1 / grid->dx;
    Vertex v = {.state = w->state,
                .velocity = w->velocity,
                .x = x,
                .p = {(float)((x[0] - grid->origin.x) * per_cell), (float)((x[1] - grid->origin.y) * per_cell),
                      (float)((x[2] - grid->origin.z) * per_cell)}};
    Blend b = blendAround(w, v.p);
    v.who = b.who;
    v.number = b.who >= 0 ? q->material[b.who] : 0;
    v.material = &w->state->scene->materials[v.number];
    v.enthalpy = b.weight > 0 ? b.enthalpy / b.weight : b.who >= 0 ? q->enthalpy[b.who] : 0;
    for (int a = 0; a < 3; a++)
        v.rest[a] = b.weight > 0 ? b.rest[a] / b.weight : b.who >= 0 ? q->rest[a][b.who] : x[a];
    return v;
}

// How far it is from a particle back to its rest position, m.
static void getWayBack(const Work *w, int64_t m, float way[3])
{
    const tlwParticles *q = w->state->particles;
    const tlwGrid *grid = &w->state->flow->grid;
    const double corner[3] = {grid->origin.x, grid->origin.y, grid->origin.z};
    for (int a = 0; a < 3; a++)
        way[a] = q->rest[a][m] - (float)(corner[a] + grid->dx * q->position[a][m]);
}

// Add the ways back of the particles of one cell, those of one object only. The last number of `sum` is the weight.
static void addWaysBack(const Work *w, int i, int j, int k, const Vertex *v, uint8_t origin, double sum[4])
{
    const tlwParticles *q = w->state->particles;
    int t = tileOf(w, i, j, k), c = (i & 7) + TLW_TILE * ((j & 7) + TLW_TILE * (k & 7));
    if (t < 0)
        return;
    const int32_t *start = w->order->cell_start + (int64_t)t * (TLW_TILE_CELLS + 1);
    for (int64_t n = start[c]; n < start[c + 1]; n++) {
        int64_t m = w->indices[w->order->tile_start[t] + n];
        float x = q->position[0][m] - v->p[0], y = q->position[1][m] - v->p[1], z = q->position[2][m] - v->p[2];
        float weight = 1 - (x * x + y * y + z * z), way[3];
        if (weight <= 0 || q->origin[m] != origin)
            continue;
        weight = weight * weight * weight;
        getWayBack(w, m, way);
        for (int a = 0; a < 3; a++)
            sum[a] += weight * way[a];
        sum[3] += weight;
    }
}

// The mean of rest positions lies inside the object, where the particles are. The mean of ways back does not have this
// fault: where nothing has moved, the vertex is its own rest position.
static tlwRestPlace findRest(const Work *w, const Vertex *v)
{
    if (v->who < 0)
        return (tlwRestPlace){{v->x[0], v->x[1], v->x[2]}, -1};
    tlwRestPlace place = {.origin = w->state->particles->origin[v->who]};
    double sum[4] = {0};
    float way[3];
    int low[3] = {tlwFastFloor(v->p[0] - 0.5f), tlwFastFloor(v->p[1] - 0.5f), tlwFastFloor(v->p[2] - 0.5f)};
    for (int n = 0; n < 8; n++)
        addWaysBack(w, low[0] + (n & 1), low[1] + (n >> 1 & 1), low[2] + (n >> 2), v, (uint8_t)place.origin, sum);
    getWayBack(w, v->who, way);
    for (int a = 0; a < 3; a++)
        place.rest[a] = v->x[a] + (sum[3] > 0 ? (float)(sum[a] / sum[3]) : way[a]);
    return place;
}

static void attributeRange(void *context, int64_t begin, int64_t end)
{
    const Work *w = context;
    for (int64_t n = begin; n < end; n++) {
        Vertex v = describeVertex(w, n);
        for (int a = 0; a < TLW_VERTEX_ATTRIBUTES; a++)
            table[a].get(&v, w->out[a] + n * table[a].components);
        if (w->places)
            w->places[n] = findRest(w, &v);
    }
}

static bool reserve(tlwVertexData *data, int64_t count)
{
    bool ok = true;
    for (int a = 0; a < TLW_VERTEX_ATTRIBUTES && ok; a++) {
        int64_t capacity = data->capacity * table[a].components;
        ok = tlwReserve((void **)&data->values[a], &capacity, count * table[a].components, sizeof(float));
    }
    if (ok && count > data->capacity)
        data->capacity = count;
    return ok;
}

static void listAttributes(tlwVertexData *data)
{
    for (int a = 0; a < TLW_VERTEX_ATTRIBUTES; a++) {
        tlwVertexAttribute *item = &data->attributes[a];
        *item = (tlwVertexAttribute){table[a].name, table[a].components, {NULL}, data->values[a]};
        for (int n = 0; n < table[a].components; n++)
            item->properties[n] = table[a].properties[n];
    }
}

tlwResult tlwFillAttributes(const tlwFrameState *state, const tlwMesh *mesh, tlwVertexData *data, tlwRestPlace *places)
{
    tlwParticleOrder order = {0};
    uint32_t *indices = tlwAllocScratch((size_t)state->particles->count * sizeof *indices);
    tlwResult result = indices && reserve(data, mesh->vertex_count) ? TLW_OK : TLW_OUT_OF_MEMORY;
    if (result == TLW_OK)
        result = tlwIndexParticles(state->context->threads, &state->flow->grid, state->particles, &order, indices);
    if (result == TLW_OK) {
        Work w = {.state = state, .order = &order, .indices = indices, .positions = mesh->positions, .places = places};
        for (int a = 0; a < 3; a++)
            w.velocity[a] = tlwGetFloats(&state->flow->grid, state->flow->velocity[a]);
        for (int a = 0; a < TLW_VERTEX_ATTRIBUTES; a++)
            w.out[a] = data->values[a];
        tlwParallelFor(state->context->threads, mesh->vertex_count, 1024, attributeRange, &w);
        listAttributes(data);
    }
    tlwFreeParticleOrder(&order);
    tlwFreePages(indices);
    return result == TLW_OK ? result : tlwFailMemory(&state->context->message, "the surface mesh");
}

void tlwFreeVertexData(tlwVertexData *data)
{
    for (int a = 0; a < TLW_VERTEX_ATTRIBUTES; a++)
        tlwFree(data->values[a]);
    *data = (tlwVertexData){0};
}
