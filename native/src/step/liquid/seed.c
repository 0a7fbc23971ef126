#include "step/liquid/seed.h"

#include "base/context.h"
#include "base/memory.h"
#include "base/vec.h"
#include "grid/sample.h"
#include "scene/scene.h"
#include "shape/affine.h"
#include "shape/sdf_sample.h"

#include <string.h>

bool tlwIsNozzle(const tlwObjectDef *def)
{
    if (!tlwGetTraits(def)->gives)
        return false;
    for (int n = 0; n < def->key_count; n++)
        if (tlwLength(def->keys[n].velocity) > 0)
            return true;
    return false;
}

// Jitter that depends on the place and the scene's seed only: 0..1.
static float jitter(uint32_t seed, int i, int j, int k, int n)
{
    uint32_t h = seed * 2654435761u ^ (uint32_t)i * 73856093u ^ (uint32_t)j * 19349663u ^ (uint32_t)k * 83492791u ^
                 (uint32_t)n * 2246822519u;
    h ^= h >> 16;
    h *= 0x7feb352du;
    h ^= h >> 15;
    h *= 0x846ca68bu;
    h ^= h >> 16;
    return (float)(h >> 8) / 16777216.0f;
}

void tlwGetSlotPosition(const tlwSceneDef *def, int i, int j, int k, int n, float p[3])
{
    int per_axis = def->particles_per_axis, c[3] = {i, j, k},
        s[3] = {n % per_axis, n / per_axis % per_axis, n / (per_axis * per_axis)};
    for (int a = 0; a < 3; a++) {
        float r = 0.1f + 0.8f * jitter(def->seed, i, j, k, 3 * n + a);
        p[a] = (float)c[a] + ((float)s[a] + r) / (float)per_axis;
    }
}

static void toMesh(const tlwGrid *grid, const tlwPlacedMesh *solid, const float p[3], float out[3])
{
    tlwVec3 w = tlwMulAdd(grid->origin, grid->dx, (tlwVec3){p[0], p[1], p[2]});
    tlwVec3 m = tlwRotate(tlwQuatConjugate(solid->frame.rotation), tlwSub(w, solid->frame.position));
    out[0] = (float)m.x;
    out[1] = (float)m.y;
    out[2] = (float)m.z;
}

float tlwGetSourceDistance(const tlwGrid *grid, const tlwPlacedMesh *solid, const float p[3])
{
    float q[3], d;
    toMesh(grid, solid, p, q);
    tlwSampleSdf(solid->sdf, q, 1, &d);
    return d;
}

// Cells of the domain that a placed mesh can touch.
static void cellBox(const tlwGrid *grid, const tlwPlacedMesh *solid, int low[3], int high[3])
{
    double l[3] = {solid->low.x - grid->origin.x, solid->low.y - grid->origin.y, solid->low.z - grid->origin.z};
    double h[3] = {solid->high.x - grid->origin.x, solid->high.y - grid->origin.y, solid->high.z - grid->origin.z};
    for (int a = 0; a < 3; a++) {
        low[a] = (int)fmax(floor(l[a] / grid->dx), 0);
        high[a] = (int)fmin(ceil(h[a] / grid->dx), grid->dims[a]);
    }
}

static tlwResult addParticle(const tlwSeeder *s, const tlwPlacedMesh *solid, const tlwKey *key, const float p[3],
                             tlwVec3 v, double volume, const tlwMotion *spin)
{
    tlwParticles *q = s->particles;
    const tlwGrid *grid = &s->flow->grid;
    const tlwObjectDef *def = &s->scene->objects[solid->object].def;
    const tlwMaterial *material = &s->scene->materials[def->material];
    if (tlwReserveParticles(q, q->count + 1) != TLW_OK)
        return tlwFailMemory(&s->context->message, "the particles");
    int64_t n = q->count++;
    tlwVec3 world = tlwMulAdd(grid->origin, grid->dx, (tlwVec3){p[0], p[1], p[2]});
    if (spin)
        v = tlwAdd(v, tlwCross(spin->spin, tlwSub(world, spin->origin)));
    float velocity[3] = {(float)v.x, (float)v.y, (float)v.z},
          rest[3] = {(float)world.x, (float)world.y, (float)world.z};
    for (int a = 0; a < 3; a++) {
        q->position[a][n] = p[a];
        q->velocity[a][n] = velocity[a];
        q->rest[a][n] = rest[a];
    }
    double enthalpy = tlwGetEnthalpy(material, key->temperature), melt = tlwGetMelt(material, enthalpy);
    q->enthalpy[n] = (float)enthalpy;
    q->mass[n] = (float)(volume * tlwGetDensity(material, material->melts ? melt : 1));
    q->id[n] = (*s->next_id)++;
    if (q->frozen[n]) // fresh pages are zero, and cost nothing as long as they are not written
        q->frozen[n] = 0;
    if (q->material[n] != def->material)
        q->material[n] = (uint8_t)def->material;
    int number = s->scene->objects[solid->object].number;
    uint8_t origin = (uint8_t)(number < TLW_LAST_ORIGIN ? number : TLW_LAST_ORIGIN);
    if (q->origin[n] != origin)
        q->origin[n] = origin;
    tlwSetSpin(q, n, spin ? spin->spin : (tlwVec3){0, 0, 0});
    return TLW_OK;
}

tlwResult tlwAddSeed(const tlwSeeder *s, const tlwPlacedMesh *source, const tlwKey *key, const float p[3],
                     double volume)
{
    return addParticle(s, source, key, p, key->velocity, volume, NULL);
}

// Volume of a particle where particles fill a cell.
static double usualVolume(const tlwSeeder *s)
{
    double dx = s->flow->grid.dx, per_axis = s->scene->def.particles_per_axis;
    return dx * dx * dx / (per_axis * per_axis * per_axis);
}

// The first of `count` liquids that holds a place; -1 = none.
static int findEarlier(const tlwGrid *grid, const tlwPlacedMeshes *liquids, int count, const float p[3])
{
    for (int n = 0; n < count; n++)
        if (tlwGetSourceDistance(grid, &liquids->items[n], p) < 0)
            return n;
    return -1;
}

// Where liquids overlap, the earlier one keeps the place. `lost` counts the particles that liquid n loses to each
// earlier one.
static tlwResult seedCell(const tlwSeeder *s, const tlwPlacedMeshes *liquids, int n, int i, int j, int k,
                          const tlwKey *key, const tlwMotion *spin, int64_t *lost)
{
    const tlwPlacedMesh *solid = &liquids->items[n];
    const tlwGrid *grid = &s->flow->grid;
    const tlwObjectDef *def = &s->scene->objects[solid->object].def;
    int per_axis = s->scene->def.particles_per_axis, slots = per_axis * per_axis * per_axis;
    float centre[3] = {(float)i + 0.5f, (float)j + 0.5f, (float)k + 0.5f};
    float d = tlwGetSourceDistance(grid, solid, centre) / (float)grid->dx;
    if (d > 0.9f)
        return TLW_OK;
    for (int slot = 0; slot < slots; slot++) {
        float p[3];
        tlwGetSlotPosition(&s->scene->def, i, j, k, slot, p);
        if (d > -0.9f && tlwGetSourceDistance(grid, solid, p) >= 0)
            continue;
        int earlier = findEarlier(grid, liquids, n, p);
        if (earlier >= 0)
            lost[earlier]++;
        else
            TLW_TRY(addParticle(s, solid, key, p, def->velocity, usualVolume(s), spin));
    }
    return TLW_OK;
}

static double startTemperature(const tlwObjectDef *def)
{
    return tlwSampleKeys(def->keys, def->key_count, 0).temperature;
}

// Same material, heat and motion: one liquid in two meshes. It does not matter which of them keeps a place.
static bool areAlike(const tlwObjectDef *a, const tlwObjectDef *b)
{
    return a->material == b->material && startTemperature(a) == startTemperature(b) &&
           tlwLength(tlwSub(a->velocity, b->velocity)) == 0 && tlwLength(tlwSub(a->spin, b->spin)) == 0;
}

// `kept` particles are left of liquid n. An overlap of less than a cell is an accident and needs no warning.
static void warnOfOverlaps(const tlwSeeder *s, const tlwPlacedMeshes *liquids, int n, const int64_t *lost, int64_t kept)
{
    const tlwObjectDef *own = &s->scene->objects[liquids->items[n].object].def;
    int per_axis = s->scene->def.particles_per_axis;
    int64_t all = kept;
    for (int m = 0; m < n; m++)
        all += lost[m];
    for (int m = 0; m < n; m++) {
        const tlwObjectDef *other = &s->scene->objects[liquids->items[m].object].def;
        if (lost[m] > per_axis * per_axis * per_axis && !areAlike(own, other))
            tlwLog(s->context, TLW_LOG_WARNING,
                   "%s and %s overlap: where both are there is only %s, so %s loses %.2g %% of its volume. Move them "
                   "apart, or cut one out of the other.",
                   other->name, own->name, other->name, own->name, 100.0 * (double)lost[m] / (double)all);
    }
}

static tlwResult seedLiquid(const tlwSeeder *s, const tlwPlacedMeshes *liquids, int n, int64_t *lost)
{
    const tlwPlacedMesh *solid = &liquids->items[n];
    const tlwObject *object = &s->scene->objects[solid->object];
    tlwKey key = tlwSampleKeys(object->def.keys, object->def.key_count, 0);
    tlwMesh placed;
    TLW_TRY(tlwCopyMesh(&object->mesh, &s->context->message, &placed));
    tlwTransformMesh(&placed, key.position, key.rotation, key.scale);
    tlwMassProperties mass;
    tlwGetMassProperties(&placed, &mass);
    tlwDestroyMesh(&placed);
    tlwMotion spin = {.origin = mass.centre, .spin = object->def.spin};
    bool spins = tlwLength(spin.spin) > 0;
    int low[3], high[3];
    cellBox(&s->flow->grid, solid, low, high);
    for (int k = low[2]; k < high[2]; k++) {
        if (tlwIsCancelled(s->context))
            return TLW_CANCELLED;
        for (int j = low[1]; j < high[1]; j++)
            for (int i = low[0]; i < high[0]; i++)
                TLW_TRY(seedCell(s, liquids, n, i, j, k, &key, spins ? &spin : NULL, lost));
    }
    return TLW_OK;
}

tlwResult tlwSeedLiquids(const tlwSeeder *s, const tlwPlacedMeshes *liquids)
{
    int64_t *lost = tlwAlloc((size_t)liquids->count + 1, sizeof *lost);
    if (!lost)
        return tlwFailMemory(&s->context->message, "the liquids");
    tlwResult result = TLW_OK;
    for (int n = 0; n < liquids->count && result == TLW_OK; n++) {
        memset(lost, 0, (size_t)(liquids->count + 1) * sizeof *lost);
        int64_t first = s->particles->count;
        result = seedLiquid(s, liquids, n, lost);
        if (result == TLW_OK)
            warnOfOverlaps(s, liquids, n, lost, s->particles->count - first);
    }
    tlwFree(lost);
    return result;
}

tlwResult tlwRemoveInsideSolids(const tlwSeeder *s)
{
    tlwParticles *q = s->particles;
    const tlwGrid *grid = &s->flow->grid;
    const float *solid = tlwGetFloats(grid, s->flow->solid);
    uint32_t *order = tlwAlloc((size_t)q->count, sizeof *order);
    int64_t kept = 0;
    if (!order)
        return tlwFailMemory(&s->context->message, "the particles");
    for (int64_t n = 0; n < q->count; n++) {
        float p[3] = {q->position[0][n], q->position[1][n], q->position[2][n]};
        if (tlwSampleNode(grid, solid, p) > 0)
            order[kept++] = (uint32_t)n;
    }
    tlwResult result = kept < q->count ? tlwReorderParticles(s->context->threads, q, order, kept) : TLW_OK;
    tlwFree(order);
    return result;
}

// ---------------------------------------------------------------------------------------------------------------------
// Level set

typedef struct Unite {
    const tlwSeeder *seeder;
    const tlwPlacedMeshes *solids;
    bool sources;
    bool nozzles; // only nozzles among the sources
} Unite;

static tlwSdfNodes centresOf(const tlwGrid *grid, const tlwTile *tile)
{
    tlwSdfNodes nodes = {
        .spacing = grid->dx, .dims = {TLW_TILE, TLW_TILE, TLW_TILE}, .stride = {1, grid->stride_y, grid->stride_z}};
    nodes.origin =
        tlwMulAdd(grid->origin, grid->dx, (tlwVec3){tile->cell[0] + 0.5, tile->cell[1] + 0.5, tile->cell[2] + 0.5});
    return nodes;
}

// Cut an outflow out of the level set.
static void cutTile(const tlwGrid *grid, const tlwTile *tile, const tlwPlacedMesh *solid, float *phi)
{
    float distance[TLW_TILE_CELLS];
    tlwSdfNodes nodes = centresOf(grid, tile);
    nodes.stride[1] = TLW_TILE;
    nodes.stride[2] = TLW_TILE * TLW_TILE;
    tlwRasterizeSdf(solid->sdf, &solid->frame, &nodes, distance);
    int n = 0;
    TLW_FOR_ROWS(grid, tile, j, k, row)
        for (int i = 0; i < TLW_TILE; i++, n++)
            phi[row + i] = phi[row + i] > -distance[n] ? phi[row + i] : -distance[n];
}

static void uniteRange(void *context, int64_t begin, int64_t end)
{
    const Unite *u = context;
    const tlwGrid *grid = &u->seeder->flow->grid;
    float *phi = tlwGetFloats(grid, u->seeder->flow->phi), band = (float)(TLW_PHI_BAND * grid->dx);
    for (int64_t t = begin; t < end; t++) {
        const tlwTile *tile = &grid->tiles[t];
        tlwSdfNodes nodes = centresOf(grid, tile);
        if (!u->sources)
            TLW_FOR_ROWS(grid, tile, j, k, row)
                for (int i = 0; i < TLW_TILE; i++)
                    phi[row + i] = band;
        for (int n = 0; n < u->solids->count; n++) {
            const tlwPlacedMesh *solid = &u->solids->items[n];
            const tlwObjectDef *def = &u->seeder->scene->objects[solid->object].def;
            if (!solid->enabled || (u->nozzles && !tlwIsNozzle(def)))
                continue;
            if (tlwGetTraits(def)->takes)
                cutTile(grid, tile, solid, phi);
            else
                tlwUniteSdf(solid->sdf, &solid->frame, &nodes, phi + tile->base);
        }
    }
}

void tlwUniteLevelSet(const tlwSeeder *seeder, const tlwPlacedMeshes *liquids)
{
    Unite u = {seeder, liquids, false, false};
    tlwParallelFor(seeder->context->threads, seeder->flow->grid.tile_count, TLW_TILE_BLOCK, uniteRange, &u);
}

void tlwApplySourcesToLevelSet(const tlwSeeder *seeder, const tlwPlacedMeshes *sources)
{
    if (!sources->count)
        return;
    Unite u = {seeder, sources, true, false};
    tlwParallelFor(seeder->context->threads, seeder->flow->grid.tile_count, TLW_TILE_BLOCK, uniteRange, &u);
}

void tlwAddNozzlesToLevelSet(const tlwSeeder *seeder, const tlwPlacedMeshes *sources)
{
    Unite u = {seeder, sources, true, true};
    tlwParallelFor(seeder->context->threads, seeder->flow->grid.tile_count, TLW_TILE_BLOCK, uniteRange, &u);
}

// ---------------------------------------------------------------------------------------------------------------------
// Inflow and outflow

static tlwResult drain(const tlwSeeder *s, const tlwPlacedMesh *solid, double *went)
{
    tlwParticles *q = s->particles;
    const tlwGrid *grid = &s->flow->grid;
    uint32_t *order = tlwAlloc((size_t)q->count, sizeof *order);
    int64_t kept = 0;
    if (!order)
        return tlwFailMemory(&s->context->message, "the particles");
    for (int64_t n = 0; n < q->count; n++) {
        float p[3] = {q->position[0][n], q->position[1][n], q->position[2][n]};
        tlwVec3 w = tlwMulAdd(grid->origin, grid->dx, (tlwVec3){p[0], p[1], p[2]});
        bool near = w.x > solid->low.x && w.x < solid->high.x && w.y > solid->low.y && w.y < solid->high.y &&
                    w.z > solid->low.z && w.z < solid->high.z;
        if (near && tlwGetSourceDistance(grid, solid, p) < 0)
            *went += q->mass[n];
        else
            order[kept++] = (uint32_t)n;
    }
    tlwResult result = kept < q->count ? tlwReorderParticles(s->context->threads, q, order, kept) : TLW_OK;
    tlwFree(order);
    return result;
}

// Number of particles in each slot of the inflow's cells, a byte each.
static uint8_t *markSlots(const tlwSeeder *s, const int low[3], const int size[3], int per_axis)
{
    int slots = per_axis * per_axis * per_axis;
    uint8_t *taken = tlwAlloc((size_t)size[0] * (size_t)size[1] * (size_t)size[2] * (size_t)slots, 1);
    const tlwParticles *q = s->particles;
    for (int64_t n = 0; taken && n < q->count; n++) {
        int64_t c = 0, slot = 0;
        bool inside = true;
        for (int a = 2; a >= 0; a--) {
            float x = q->position[a][n] - (float)low[a];
            inside = inside && x >= 0 && x < (float)size[a];
            if (!inside)
                break;
            int i = (int)x, f = (int)((x - (float)i) * (float)per_axis);
            c = c * size[a] + i;
            slot = slot * per_axis + (f < per_axis ? f : per_axis - 1);
        }
        if (inside)
            taken[c * slots + slot]++;
    }
    return taken;
}

static tlwResult fillInflow(const tlwSeeder *s, const tlwPlacedMesh *solid, const tlwKey *key, double *came)
{
    const tlwGrid *grid = &s->flow->grid;
    int low[3], high[3], size[3], per_axis = s->scene->def.particles_per_axis;
    cellBox(grid, solid, low, high);
    for (int a = 0; a < 3; a++) {
        size[a] = high[a] - low[a];
        if (size[a] <= 0)
            return TLW_OK;
    }
    uint8_t *taken = markSlots(s, low, size, per_axis);
    if (!taken)
        return tlwFailMemory(&s->context->message, "an inflow");
    int slots = per_axis * per_axis * per_axis;
    tlwResult result = TLW_OK;
    int64_t first = s->particles->count;
    for (int k = 0; k < size[2]; k++)
        for (int j = 0; j < size[1]; j++)
            for (int i = 0; i < size[0] && result == TLW_OK; i++) {
                int room = slots; // a slot may be empty because its particle has moved to the next one
                const uint8_t *cell = taken + (int64_t)slots * (i + (int64_t)size[0] * (j + (int64_t)size[1] * k));
                for (int n = 0; n < slots; n++)
                    room -= cell[n];
                for (int n = 0; n < slots && room > 0 && result == TLW_OK; n++) {
                    float p[3];
                    tlwGetSlotPosition(&s->scene->def, low[0] + i, low[1] + j, low[2] + k, n, p);
                    if (cell[n] || tlwGetSourceDistance(grid, solid, p) >= 0)
                        continue;
                    result = tlwAddSeed(s, solid, key, p, usualVolume(s));
                    room--;
                }
            }
    for (int64_t n = first; n < s->particles->count; n++)
        *came += s->particles->mass[n];
    tlwFree(taken);
    return result;
}

tlwResult tlwRunSources(const tlwSeeder *s, const tlwPlacedMeshes *sources, double time, double *came, double *went)
{
    for (int n = 0; n < sources->count; n++) {
        const tlwPlacedMesh *solid = &sources->items[n];
        const tlwObjectDef *def = &s->scene->objects[solid->object].def;
        if (!solid->enabled)
            continue;
        tlwKey key = tlwSampleKeys(def->keys, def->key_count, time);
        if (tlwGetTraits(def)->takes)
            TLW_TRY(drain(s, solid, went));
        else if (!tlwIsNozzle(def))
            TLW_TRY(fillInflow(s, solid, &key, came));
    }
    return TLW_OK;
}
