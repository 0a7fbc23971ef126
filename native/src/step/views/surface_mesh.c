#include "step/views/surface_mesh.h"

#include "base/context.h"
#include "base/memory.h"
#include "base/pages.h"
#include "grid/sample.h"
#include "scene/scene.h"
#include "shape/mesher.h"
#include "step/liquid/levelset.h"
#include "step/liquid/walls.h"
#include "step/sim.h"
#include "step/views/volume.h"

#include <string.h>

#define SIDE -0.02f // cells: how far inside the centre of a film on the domain's side is
#define FILM 0.25f // cells: a film whose top is less than this above the first open centre is shown down into the solid

static bool isInDomain(const tlwGrid *grid, int i, int j, int k)
{
    return i >= 0 && i < grid->dims[0] && j >= 0 && j < grid->dims[1] && k >= 0 && k < grid->dims[2];
}

// The mesh ends at the domain's sides, so a film on them cannot reach beyond: it is shown half a cell thick.
static bool showSideFilm(const tlwGrid *grid, const float *phi, const tlwTile *tile, int64_t c, int i, int j, int k)
{
    int cell[3] = {tile->cell[0] + i, j, k};
    int64_t stride[3] = {1, grid->stride_y, grid->stride_z};
    if (phi[c] >= FILM * (float)grid->dx || !isInDomain(grid, cell[0], j, k))
        return false;
    for (int a = 0; a < 3; a++)
        if ((cell[a] == 0 && phi[c - stride[a]] < 0) || (cell[a] == grid->dims[a] - 1 && phi[c + stride[a]] < 0))
            return true;
    return false;
}

// A film thinner than half a cell holds no open cell's centre and would not be seen at all. It is shown with its lower
// side inside the solid that it covers: the value at such a solid cell's centre, or 0 where that is not so.
static float showFilm(const tlwSim *sim, const float *phi, const float *solid, const tlwTile *tile, int64_t c, int i,
                      int j, int k)
{
    const tlwGrid *grid = &sim->flow.grid;
    float p[3] = {(float)(tile->cell[0] + i) + 0.5f, (float)j + 0.5f, (float)k + 0.5f}, q[3], dx = (float)grid->dx;
    int64_t open;
    if (!isInDomain(grid, tile->cell[0] + i, j, k) || phi[c] >= 0 || tlwGetCentreSolid(grid, solid, c) < -dx ||
        !tlwFindOpenCell(grid, solid, p, &open, q) || phi[open] < -FILM * dx)
        return 0;
    return phi[c] > -FILM * dx ? phi[c] : -FILM * dx;
}

// The level set as it is shown: cut off at solids, into which it is continued for the pressure solve.
void tlwFillVisibleTile(void *user, int64_t tile, float *values)
{
    const tlwSim *sim = user;
    const tlwGrid *grid = &sim->flow.grid;
    const float *phi = tlwGetFloats(grid, sim->flow.phi), *solid = tlwGetFloats(grid, sim->flow.solid);
    int n = 0;
    TLW_FOR_ROWS(grid, &grid->tiles[tile], j, k, row)
        for (int i = 0; i < TLW_TILE; i++, n++) {
            float cut = -tlwGetCentreSolid(grid, solid, row + i);
            values[n] = phi[row + i] > cut ? phi[row + i] : cut;
            float film = cut > 0 ? showFilm(sim, phi, solid, &grid->tiles[tile], row + i, i, (int)j, (int)k) : 0;
            if (film < 0)
                values[n] = film;
            else if (cut <= 0 && values[n] >= 0 &&
                     showSideFilm(grid, phi, &grid->tiles[tile], row + i, i, (int)j, (int)k))
                values[n] = SIDE * (float)grid->dx;
        }
}

typedef struct Attributes {
    tlwSim *sim;
    const tlwParticleOrder *order;
    const uint32_t *indices;
} Attributes;

typedef struct Blend {
    float weight, rest[3], enthalpy;
    float nearest;
    int64_t who;
} Blend;

static int tileOf(const Attributes *a, int i, int j, int k)
{
    return tlwFindTile(&a->sim->flow.grid, tlwFloorDiv(i, TLW_TILE), tlwFloorDiv(j, TLW_TILE),
                       tlwFloorDiv(k, TLW_TILE));
}

// Particles of one cell of tile t, weighted by closeness within `radius` cells.
static void blendCell(const Attributes *a, int t, int i, int j, int k, const float p[3], float radius, Blend *b)
{
    const tlwParticles *q = &a->sim->particles;
    if (t < 0)
        return;
    int c = (i & 7) + TLW_TILE * ((j & 7) + TLW_TILE * (k & 7));
    const int32_t *start = a->order->cell_start + (int64_t)t * (TLW_TILE_CELLS + 1);
    for (int64_t n = start[c]; n < start[c + 1]; n++) {
        int64_t m = a->indices[a->order->tile_start[t] + n];
        float x = q->position[0][m] - p[0], y = q->position[1][m] - p[1], z = q->position[2][m] - p[2];
        float d = x * x + y * y + z * z, w = 1 - d / (radius * radius);
        if (d < b->nearest) {
            b->nearest = d;
            b->who = m;
        }
        if (w <= 0)
            continue;
        w = w * w * w;
        b->weight += w;
        b->enthalpy += w * q->enthalpy[m];
        for (int axis = 0; axis < 3; axis++)
            b->rest[axis] += w * q->rest[axis][m];
    }
}

static Blend blendAround(const Attributes *a, const float p[3])
{
    Blend b = {.nearest = 1e30f, .who = -1};
    int low[3] = {tlwFastFloor(p[0] - 0.5f), tlwFastFloor(p[1] - 0.5f), tlwFastFloor(p[2] - 0.5f)};
    int tile = tileOf(a, low[0], low[1], low[2]);
    bool one_tile = (low[0] & 7) < 7 && (low[1] & 7) < 7 && (low[2] & 7) < 7;
    for (int n = 0; n < 8; n++) {
        int i = low[0] + (n & 1), j = low[1] + (n >> 1 & 1), k = low[2] + (n >> 2);
        blendCell(a, one_tile ? tile : tileOf(a, i, j, k), i, j, k, p, 1, &b);
    }
    for (int n = 0; n < 64 && b.who < 0; n++) {
        int i = low[0] - 1 + (n & 3), j = low[1] - 1 + (n >> 2 & 3), k = low[2] - 1 + (n >> 4);
        blendCell(a, tileOf(a, i, j, k), i, j, k, p, 2, &b);
    }
    return b;
}

static void attributeRange(void *context, int64_t begin, int64_t end)
{
    const Attributes *a = context;
    tlwSim *sim = a->sim;
    tlwViewBuffers *v = &sim->views;
    const tlwGrid *grid = &sim->flow.grid;
    float *velocity[3];
    for (int axis = 0; axis < 3; axis++)
        velocity[axis] = tlwGetFloats(grid, sim->flow.velocity[axis]);
    double per_cell = 1 / grid->dx;
    for (int64_t n = begin; n < end; n++) {
        const float *x = v->mesh.positions + 3 * n;
        float p[3] = {(float)((x[0] - grid->origin.x) * per_cell), (float)((x[1] - grid->origin.y) * per_cell),
                      (float)((x[2] - grid->origin.z) * per_cell)};
        tlwSampleVelocity(grid, velocity, p, v->velocity + 3 * n);
        Blend b = blendAround(a, p);
        v->material[n] = b.who >= 0 ? sim->particles.material[b.who] : 0;
        const tlwMaterial *material = &sim->scene->materials[v->material[n]];
        float enthalpy = b.weight > 0 ? b.enthalpy / b.weight : b.who >= 0 ? sim->particles.enthalpy[b.who] : 0;
        v->temperature[n] =
            b.who >= 0 ? (float)tlwGetTemperature(material, enthalpy) : (float)sim->scene->def.ambient_temperature;
        v->melt[n] = material->melts ? (float)tlwGetMelt(material, enthalpy) : 1;
        for (int axis = 0; axis < 3; axis++)
            v->rest[3 * n + axis] = b.weight > 0 ? b.rest[axis] / b.weight
                                    : b.who >= 0 ? sim->particles.rest[axis][b.who]
                                                 : x[axis];
    }
}

static tlwResult reserveVertices(tlwSim *sim, int64_t count)
{
    tlwViewBuffers *v = &sim->views;
    if (count <= v->vertex_capacity)
        return TLW_OK;
    int64_t c[5] = {v->vertex_capacity * 3, v->vertex_capacity, v->vertex_capacity, v->vertex_capacity * 3,
                    v->vertex_capacity};
    bool ok = tlwReserve((void **)&v->velocity, &c[0], 3 * count, sizeof(float)) &&
              tlwReserve((void **)&v->temperature, &c[1], count, sizeof(float)) &&
              tlwReserve((void **)&v->melt, &c[2], count, sizeof(float)) &&
              tlwReserve((void **)&v->rest, &c[3], 3 * count, sizeof(float)) &&
              tlwReserve((void **)&v->material, &c[4], count, 1);
    if (ok)
        v->vertex_capacity = count;
    return ok ? TLW_OK : tlwFailMemory(&sim->context->message, "the surface mesh");
}

static tlwResult fillAttributes(tlwSim *sim)
{
    tlwParticleOrder order = {0};
    size_t bytes = (size_t)sim->particles.count * sizeof(uint32_t);
    uint32_t *indices = tlwAllocScratch(bytes);
    tlwResult result = indices ? reserveVertices(sim, sim->views.mesh.vertex_count)
                               : tlwFailMemory(&sim->context->message, "the surface mesh");
    if (result == TLW_OK)
        result = tlwIndexParticles(sim->context->threads, &sim->flow.grid, &sim->particles, &order, indices);
    if (result == TLW_OK) {
        Attributes a = {sim, &order, indices};
        tlwParallelFor(sim->context->threads, sim->views.mesh.vertex_count, 1024, attributeRange, &a);
    }
    tlwFreeParticleOrder(&order);
    tlwFreePages(indices);
    return result;
}

tlwResult tlwGetSurface(tlwSim *sim, tlwSurfaceView *view)
{
    if (!sim || !view)
        return TLW_BAD_ARGUMENT;
    tlwMessage *message = &sim->context->message;
    tlwGridTiles tiles;
    TLW_TRY(tlwListGridTiles(&sim->flow.grid, message, &tiles));
    tlwTileSource source = {.fill = tlwFillVisibleTile, .user = sim};
    tlwMesherDef def = {.background = (float)(TLW_PHI_BAND * sim->flow.grid.dx), .detail = sim->scene->def.mesh_detail};
    tlwMesh mesh;
    tlwResult result = tlwMeshLevelSet(&tiles.set, &source, &def, sim->context->threads, message, &mesh);
    tlwFreeGridTiles(&tiles);
    TLW_TRY(result);
    tlwDestroyMesh(&sim->views.mesh);
    sim->views.mesh = mesh;
    tlwShownMesh shown = {&sim->flow.grid, tlwGetFloats(&sim->flow.grid, sim->flow.solid), def.detail,
                          &sim->views.mesh};
    double volume;
    if (tlwFitVolume(sim->context->threads, &shown, sim->stats.particle_volume, &volume) != TLW_OK)
        return tlwFailMemory(message, "the surface mesh");
    TLW_TRY(fillAttributes(sim));
    const tlwViewBuffers *v = &sim->views;
    *view = (tlwSurfaceView){.vertex_count = (int)mesh.vertex_count,
                             .triangle_count = (int)mesh.triangle_count,
                             .position = mesh.positions,
                             .triangle = mesh.triangles,
                             .velocity = v->velocity,
                             .temperature = v->temperature,
                             .melt = v->melt,
                             .rest_position = v->rest,
                             .material = v->material,
                             .volume = volume};
    return TLW_OK;
}

static void particleRange(void *context, int64_t begin, int64_t end)
{
    tlwSim *sim = context;
    tlwViewBuffers *v = &sim->views;
    const tlwParticles *q = &sim->particles;
    const tlwGrid *grid = &sim->flow.grid;
    double origin[3] = {grid->origin.x, grid->origin.y, grid->origin.z};
    for (int64_t n = begin; n < end; n++) {
        const tlwMaterial *material = &sim->scene->materials[q->material[n]];
        for (int a = 0; a < 3; a++) {
            v->particle_position[3 * n + a] = (float)(origin[a] + grid->dx * q->position[a][n]);
            v->particle_velocity[3 * n + a] = q->velocity[a][n];
            v->particle_rest[3 * n + a] = q->rest[a][n];
        }
        v->particle_temperature[n] = (float)tlwGetTemperature(material, q->enthalpy[n]);
        v->particle_melt[n] = material->melts ? (float)tlwGetMelt(material, q->enthalpy[n]) : 1;
    }
}

tlwResult tlwGetParticles(tlwSim *sim, tlwParticleView *view)
{
    if (!sim || !view)
        return TLW_BAD_ARGUMENT;
    tlwViewBuffers *v = &sim->views;
    int64_t count = sim->particles.count;
    if (count > v->particle_capacity) {
        int64_t c[5] = {3 * v->particle_capacity, 3 * v->particle_capacity, v->particle_capacity, v->particle_capacity,
                        3 * v->particle_capacity};
        bool ok = tlwReserve((void **)&v->particle_position, &c[0], 3 * count, sizeof(float)) &&
                  tlwReserve((void **)&v->particle_velocity, &c[1], 3 * count, sizeof(float)) &&
                  tlwReserve((void **)&v->particle_temperature, &c[2], count, sizeof(float)) &&
                  tlwReserve((void **)&v->particle_melt, &c[3], count, sizeof(float)) &&
                  tlwReserve((void **)&v->particle_rest, &c[4], 3 * count, sizeof(float));
        if (!ok)
            return tlwFailMemory(&sim->context->message, "the particle list");
        v->particle_capacity = count;
    }
    tlwParallelFor(sim->context->threads, count, 8192, particleRange, sim);
    *view = (tlwParticleView){.count = count,
                              .position = v->particle_position,
                              .velocity = v->particle_velocity,
                              .temperature = v->particle_temperature,
                              .melt = v->particle_melt,
                              .rest_position = v->particle_rest,
                              .material = sim->particles.material,
                              .id = sim->particles.id};
    return TLW_OK;
}

tlwResult tlwSampleField(tlwSim *sim, tlwField field, const double *points, int count, double *out)
{
    if (!sim || !points || !out || count < 0)
        return TLW_BAD_ARGUMENT;
    const tlwFlow *flow = &sim->flow;
    const tlwGrid *grid = &flow->grid;
    const int slots[] = {-1, flow->phi, flow->pressure, flow->temperature, flow->viscosity};
    float *velocity[3];
    for (int a = 0; a < 3; a++)
        velocity[a] = tlwGetFloats(grid, flow->velocity[a]);
    for (int n = 0; n < count; n++) {
        tlwVec3 w = {points[3 * n], points[3 * n + 1], points[3 * n + 2]};
        w = tlwScale(tlwSub(w, grid->origin), 1 / grid->dx);
        float p[3] = {(float)w.x, (float)w.y, (float)w.z}, v[3];
        if (field == TLW_FIELD_VELOCITY) {
            tlwSampleVelocity(grid, velocity, p, v);
            for (int a = 0; a < 3; a++)
                out[3 * n + a] = v[a];
        } else {
            out[n] = tlwSampleCentre(grid, tlwGetFloats(grid, slots[field]), p);
        }
    }
    return TLW_OK;
}
