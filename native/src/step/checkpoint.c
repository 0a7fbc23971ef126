// Checkpoints: everything that the next step depends on.
#include "step/checkpoint.h"

#include "base/context.h"
#include "base/memory.h"
#include "base/state.h"
#include "rigid/save.h"
#include "scene/hash.h"
#include "scene/world.h"
#include "step/create.h"
#include "step/frozen/bonds.h"
#include "step/look.h"
#include "step/obstacles/rasterize.h"
#include "step/sim.h"

#include <stdio.h>
#include <string.h>

// Fields that live from step to step. The last two hold integers, which are as large as floats.
typedef struct KeptField {
    const char *name;
    int slot;
} KeptField;

enum { KEPT = 9 };

static void listKept(const tlwFlow *flow, KeptField kept[KEPT])
{
    const KeptField list[KEPT] = {{"field.phi", flow->phi},
                                  {"field.velocity_x", flow->velocity[0]},
                                  {"field.velocity_y", flow->velocity[1]},
                                  {"field.velocity_z", flow->velocity[2]},
                                  {"field.pressure", flow->pressure},
                                  {"field.viscous_pressure", flow->viscous_pressure},
                                  {"field.swelling", flow->swelling},
                                  {"field.label", flow->label},
                                  {"field.cover", flow->cover}};
    memcpy(kept, list, sizeof list);
}

// What is kept of a body beside the rigid world. Vectors only, so there is no padding.
typedef struct Link {
    tlwSolveMotion solve;
    tlwMotion motion; // motion after pressure, which differs from the rigid world's
} Link;

// The rigid world, and what ties it to the liquid.
static tlwResult putBodies(const tlwSim *sim, tlwStateWriter *writer)
{
    if (!sim->bodies.world)
        return TLW_OK;
    tlwMessage *message = &sim->context->message;
    unsigned char *bytes;
    size_t size, count = (size_t)sim->bodies.link_count;
    TLW_TRY(tlwSaveRigidWorld(sim->bodies.world, &bytes, &size, message));
    tlwPutSection(writer, "bodies", bytes, size);
    tlwFree(bytes);
    Link *links = tlwAlloc(count + 1, sizeof *links);
    if (!links)
        return tlwFailMemory(message, "a checkpoint");
    for (size_t n = 0; n < count; n++)
        links[n] = (Link){sim->bodies.links[n].solve, sim->solids.items[sim->bodies.links[n].solid].motion};
    tlwPutSection(writer, "links", links, count * sizeof *links);
    tlwFree(links);
    return TLW_OK;
}

static tlwResult getLinks(tlwSim *sim, tlwStateReader *reader)
{
    tlwMessage *message = &sim->context->message;
    size_t count = (size_t)sim->bodies.link_count;
    Link *links = tlwAlloc(count + 1, sizeof *links);
    if (!links)
        return tlwFailMemory(message, "a checkpoint");
    tlwResult result = tlwGetSection(reader, "links", links, count * sizeof *links, message);
    for (size_t n = 0; result == TLW_OK && n < count; n++) {
        sim->bodies.links[n].solve = links[n].solve;
        sim->solids.items[sim->bodies.links[n].solid].motion = links[n].motion;
    }
    tlwFree(links);
    return result;
}

static tlwResult getBodies(tlwSim *sim, tlwStateReader *reader)
{
    if (!sim->bodies.world)
        return TLW_OK;
    tlwMessage *message = &sim->context->message;
    unsigned char *bytes = NULL;
    int64_t size = 0;
    TLW_TRY(tlwLoadSection(reader, "bodies", 1, (void **)&bytes, &size, message));
    tlwResult result = tlwLoadRigidWorld(sim->bodies.world, bytes, (size_t)size, message);
    tlwFree(bytes);
    TLW_TRY(result);
    TLW_TRY(tlwFollowBodies(&sim->bodies, &sim->solids));
    return getLinks(sim, reader);
}

static void putPieces(const tlwSim *sim, tlwStateWriter *writer)
{
    tlwPutSection(writer, "pieces", sim->pieces.items, (size_t)sim->pieces.count * sizeof *sim->pieces.items);
}

static tlwResult getPieces(tlwSim *sim, tlwStateReader *reader, uint32_t next_id)
{
    tlwMessage *message = &sim->context->message;
    int64_t count = 0;
    tlwFreePieces(&sim->pieces);
    sim->pieces.next_id = next_id;
    TLW_TRY(tlwLoadSection(reader, "pieces", sizeof *sim->pieces.items, (void **)&sim->pieces.items, &count, message));
    sim->pieces.count = (int)count;
    for (int n = 0; n < sim->pieces.count; n++)
        sim->pieces.free_count += sim->pieces.items[n].object == TLW_NO_OBJECT;
    bool ok = tlwIndexPieces(&sim->pieces) && tlwListBonds(sim->scene, &sim->particles, &sim->pieces) == TLW_OK;
    return ok ? TLW_OK : tlwFailMemory(message, "the frozen pieces");
}

typedef struct Meta {
    double time, lead, dt_limit, start_mass, came, went;
    double solid_speed; // of obstacles and bodies: the next step's length depends on it
    int64_t step_count, particles;
    uint32_t next_id, next_piece;
} Meta;

static void packTiles(const tlwGrid *grid, int slot, float *packed)
{
    const float *field = tlwGetFloats(grid, slot);
    for (int t = 0; t < grid->tile_count; t++)
        TLW_FOR_ROWS(grid, &grid->tiles[t], j, k, row) {
            memcpy(packed, field + row, TLW_TILE * sizeof(float));
            packed += TLW_TILE;
        }
}

static void unpackTiles(const tlwGrid *grid, int slot, const float *packed)
{
    float *field = tlwGetFloats(grid, slot);
    for (int t = 0; t < grid->tile_count; t++)
        TLW_FOR_ROWS(grid, &grid->tiles[t], j, k, row) {
            memcpy(field + row, packed, TLW_TILE * sizeof(float));
            packed += TLW_TILE;
        }
}

static void nameArray(const tlwParticleArray *array, char name[TLW_SECTION_NAME])
{
    snprintf(name, TLW_SECTION_NAME, "particles.%s", array->name);
}

static void putParticles(tlwSim *sim, tlwStateWriter *writer)
{
    tlwParticleArray arrays[TLW_PARTICLE_ARRAYS];
    tlwListParticleArrays(&sim->particles, arrays);
    for (int n = 0; n < TLW_PARTICLE_ARRAYS; n++) {
        char name[TLW_SECTION_NAME];
        nameArray(&arrays[n], name);
        tlwPutSection(writer, name, *arrays[n].data, arrays[n].element * (size_t)sim->particles.count);
    }
}

static tlwResult putFields(tlwSim *sim, tlwStateWriter *writer)
{
    const tlwGrid *grid = &sim->flow.grid;
    size_t floats = (size_t)grid->tile_count * TLW_TILE_CELLS;
    float *packed = tlwAlloc(floats, sizeof *packed);
    if (!packed)
        return tlwFailMemory(&sim->context->message, "a checkpoint");
    int(*coords)[3] = (int(*)[3])packed; // tile coordinates fit: 3 ints against 512 floats a tile
    for (int t = 0; t < grid->tile_count; t++)
        for (int a = 0; a < 3; a++)
            coords[t][a] = tlwFloorDiv(grid->tiles[t].cell[a], TLW_TILE);
    tlwPutSection(writer, "tiles", coords, (size_t)grid->tile_count * sizeof *coords);
    KeptField kept[KEPT];
    listKept(&sim->flow, kept);
    for (int n = 0; n < KEPT; n++) {
        packTiles(grid, kept[n].slot, packed);
        tlwPutSection(writer, kept[n].name, packed, floats * sizeof *packed);
    }
    tlwFree(packed);
    return TLW_OK;
}

static tlwResult putAll(tlwSim *sim, int frame, tlwStateWriter *writer)
{
    Meta meta = {.time = sim->time,
                 .lead = sim->lead,
                 .dt_limit = sim->dt_limit,
                 .start_mass = sim->start_mass,
                 .came = sim->came,
                 .went = sim->went,
                 .solid_speed = sim->solids.max_speed,
                 .step_count = sim->step_count,
                 .particles = sim->particles.count,
                 .next_id = sim->next_id,
                 .next_piece = sim->pieces.next_id};
    tlwPutSection(writer, "meta", &meta, sizeof meta);
    uint64_t parts[TLW_PART_COUNT];
    tlwHashParts(sim->scene, frame, parts);
    tlwPutSection(writer, "parts", parts, sizeof parts);
    putParticles(sim, writer);
    tlwPutSection(writer, "heat", sim->thermal.objects,
                  (size_t)sim->scene->object_count * sizeof *sim->thermal.objects);
    tlwPutSection(writer, "inflows", sim->inflows, (size_t)sim->sources.count * sizeof *sim->inflows);
    TLW_TRY(putFields(sim, writer));
    putPieces(sim, writer);
    return putBodies(sim, writer);
}

tlwResult tlwSaveState(tlwSim *sim, const char *path)
{
    if (!sim || !path)
        return TLW_BAD_ARGUMENT;
    tlwMessage *message = &sim->context->message;
    int frame =
        sim->scene->def.frame_start + (int)floor(tlwGetShotTime(sim->scene, sim->time) * sim->scene->def.fps + 0.5);
    tlwStateHeader header = {tlwHashScene(sim->scene, frame), frame};
    tlwStateWriter *writer;
    TLW_TRY(tlwBeginState(path, &header, message, &writer));
    tlwResult result = putAll(sim, frame, writer);
    if (result != TLW_OK) {
        tlwAbortState(writer);
        return result;
    }
    return tlwEndState(writer, message);
}

static tlwResult readParticles(tlwSim *sim, tlwStateReader *reader, int64_t count)
{
    tlwMessage *message = &sim->context->message;
    if (count < 0 || tlwGetSectionSize(reader, "particles.position_x") != count * (int64_t)sizeof(float))
        return tlwFail(message, TLW_BAD_FILE,
                       "The checkpoint is damaged: its particles do not add up. Bake again from the start.");
    sim->particles.count = 0;
    if (tlwReserveParticles(&sim->particles, count) != TLW_OK)
        return tlwFailMemory(message, "the particles");
    tlwParticleArray arrays[TLW_PARTICLE_ARRAYS];
    tlwListParticleArrays(&sim->particles, arrays);
    for (int n = 0; n < TLW_PARTICLE_ARRAYS; n++) {
        char name[TLW_SECTION_NAME];
        nameArray(&arrays[n], name);
        TLW_TRY(tlwGetSection(reader, name, *arrays[n].data, arrays[n].element * (size_t)count, message));
    }
    sim->particles.count = count;
    return TLW_OK;
}

static tlwResult readFields(tlwSim *sim, tlwStateReader *reader)
{
    tlwMessage *message = &sim->context->message;
    tlwGrid *grid = &sim->flow.grid;
    int(*coords)[3] = NULL;
    int64_t count = 0;
    TLW_TRY(tlwLoadSection(reader, "tiles", sizeof *coords, (void **)&coords, &count, message));
    tlwResult result = tlwActivateTiles(sim->context->threads, grid, (const int(*)[3])coords, (int)count);
    tlwFree(coords);
    if (result != TLW_OK)
        return tlwFailMemory(message, "the grid");
    size_t bytes = (size_t)grid->tile_count * TLW_TILE_CELLS * sizeof(float);
    float *packed = tlwAlloc(1, bytes);
    if (!packed)
        return tlwFailMemory(message, "a checkpoint");
    KeptField kept[KEPT];
    listKept(&sim->flow, kept);
    for (int n = 0; n < KEPT && result == TLW_OK; n++) {
        result = tlwGetSection(reader, kept[n].name, packed, bytes, message);
        if (result == TLW_OK)
            unpackTiles(grid, kept[n].slot, packed);
    }
    tlwFree(packed);
    return result;
}

static tlwResult getAll(tlwSim *sim, tlwStateReader *reader, Meta *meta)
{
    tlwMessage *message = &sim->context->message;
    TLW_TRY(tlwGetSection(reader, "meta", meta, sizeof *meta, message));
    TLW_TRY(readParticles(sim, reader, meta->particles));
    TLW_TRY(tlwGetSection(reader, "heat", sim->thermal.objects,
                          (size_t)sim->scene->object_count * sizeof *sim->thermal.objects, message));
    TLW_TRY(tlwGetSection(reader, "inflows", sim->inflows, (size_t)sim->sources.count * sizeof *sim->inflows, message));
    TLW_TRY(readFields(sim, reader));
    TLW_TRY(tlwMovePlacedMeshes(&sim->solids, meta->time, 0, sim->flow.grid.dx));
    TLW_TRY(getBodies(sim, reader));
    return getPieces(sim, reader, meta->next_piece);
}

static tlwResult checkParts(const tlwSim *sim, tlwStateReader *reader, int frame)
{
    static const char *const words[TLW_PART_COUNT] = {"the domain, its cells, the frame rate or the kind of motion",
                                                      "a material",
                                                      "an object, its mesh or its weight",
                                                      "the start of wax, of a liquid or of a body",
                                                      "a joint",
                                                      "the place of a solid there, or the Time Scale before it"};
    tlwMessage *message = &sim->context->message;
    uint64_t then[TLW_PART_COUNT], now[TLW_PART_COUNT];
    tlwHashParts(sim->scene, frame, now);
    TLW_TRY(tlwGetSection(reader, "parts", then, sizeof then, message));
    for (int i = 0; i < TLW_PART_COUNT; i++)
        if (then[i] != now[i])
            return tlwFail(message, TLW_BAD_ARGUMENT,
                           "This bake cannot go on from frame %d, because this changed: %s. Bake again from the start, "
                           "or undo the change.",
                           frame, words[i]);
    return TLW_OK;
}

// Heat capacities are the scene's. All else that the heat of objects needs is the checkpoint's.
static tlwResult getChanged(tlwSim *sim, tlwStateReader *reader, Meta *meta)
{
    size_t count = (size_t)sim->scene->object_count;
    double *capacity = tlwAlloc(count + 1, sizeof *capacity);
    if (!capacity)
        return tlwFailMemory(&sim->context->message, "a checkpoint");
    for (size_t o = 0; o < count; o++)
        capacity[o] = sim->thermal.objects[o].capacity;
    tlwResult result = getAll(sim, reader, meta);
    for (size_t o = 0; o < count; o++)
        sim->thermal.objects[o].capacity = capacity[o];
    tlwFree(capacity);
    return result;
}

static void takeMeta(tlwSim *sim, const Meta *meta)
{
    sim->time = meta->time;
    sim->lead = meta->lead;
    sim->dt_limit = meta->dt_limit;
    sim->start_mass = meta->start_mass;
    sim->came = meta->came;
    sim->went = meta->went;
    sim->step_count = meta->step_count;
    sim->next_id = meta->next_id;
    sim->swollen = true;
    tlwRasterizeSolids(&sim->solids, &sim->flow);
    sim->solids.max_speed = meta->solid_speed;
}

static tlwResult loadState(tlwSim *sim, const char *path, bool changed)
{
    tlwMessage *message = &sim->context->message;
    tlwStateReader *reader;
    TLW_TRY(tlwOpenState(path, message, &reader));
    Meta meta = {0};
    tlwStateHeader header = tlwGetStateHeader(reader);
    tlwResult result = TLW_OK;
    if (changed)
        result = checkParts(sim, reader, (int)header.frame);
    else if (header.scene_hash != tlwHashScene(sim->scene, (int)header.frame))
        result = tlwFail(message, TLW_BAD_FILE,
                         "The checkpoint %s belongs to another scene; bake again from the start.", path);
    if (result == TLW_OK)
        result = tlwVerifyState(reader, message);
    if (result == TLW_OK)
        result = changed ? getChanged(sim, reader, &meta) : getAll(sim, reader, &meta);
    tlwCloseState(reader);
    TLW_TRY(result);
    takeMeta(sim, &meta);
    tlwMeasureState(sim);
    return TLW_OK;
}

tlwResult tlwLoadState(tlwSim *sim, const char *path)
{
    return sim && path ? loadState(sim, path, false) : TLW_BAD_ARGUMENT;
}

tlwResult tlwLoadChangedState(tlwSim *sim, const char *path)
{
    return loadState(sim, path, true);
}

tlwResult tlwKeepStart(tlwSim *sim, tlwStateReader **start)
{
    tlwMessage *message = &sim->context->message;
    tlwStateWriter *writer;
    TLW_TRY(tlwBeginStateInMemory(message, &writer));
    tlwResult result = putAll(sim, sim->scene->def.frame_start, writer);
    if (result != TLW_OK) {
        tlwAbortState(writer);
        return result;
    }
    return tlwEndStateInMemory(writer, message, start);
}

tlwResult tlwRewind(tlwSim *sim, tlwStateReader *start)
{
    Meta meta = {0};
    TLW_TRY(getAll(sim, start, &meta));
    takeMeta(sim, &meta);
    TLW_TRY(tlwSortParticles(sim->context->threads, &sim->flow.grid, &sim->particles, &sim->order));
    return tlwGatherStart(sim);
}
