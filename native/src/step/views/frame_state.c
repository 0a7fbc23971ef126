#include "step/views/frame_state.h"

#include "base/context.h"
#include "base/memory.h"
#include "scene/scene.h"

#include <string.h>

enum { FIELDS = 7 };

static void listSlots(const tlwFlow *flow, int slots[FIELDS])
{
    const int all[FIELDS] = {flow->phi,         flow->solid,       flow->temperature, flow->viscosity,
                             flow->velocity[0], flow->velocity[1], flow->velocity[2]};
    memcpy(slots, all, sizeof all);
}

static bool initFields(const tlwFlow *flow, tlwFlow *copy)
{
    tlwInitGrid(&copy->grid, flow->grid.origin, flow->grid.dims, flow->grid.dx);
    memcpy(copy->grid.extent, flow->grid.extent, sizeof copy->grid.extent);
    int from[FIELDS], to[FIELDS];
    listSlots(flow, from);
    for (int n = 0; n < FIELDS; n++)
        if ((to[n] = tlwAddField(&copy->grid, sizeof(float), flow->grid.fields[from[n]].background, false)) < 0)
            return false;
    copy->phi = to[0];
    copy->solid = to[1];
    copy->temperature = to[2];
    copy->viscosity = to[3];
    memcpy(copy->velocity, to + 4, sizeof copy->velocity);
    return true;
}

typedef struct Copy {
    const tlwGrid *from, *to;
    const float *source[FIELDS];
    float *target[FIELDS];
} Copy;

static void copyRange(void *context, int64_t begin, int64_t end)
{
    const Copy *c = context;
    for (int64_t t = begin; t < end; t++)
        for (int n = 0; n < FIELDS; n++) {
            int64_t from = c->from->tiles[t].base;
            TLW_FOR_ROWS(c->to, &c->to->tiles[t], j, k, row) {
                int64_t at = from + (j - c->to->tiles[t].cell[1]) * c->from->stride_y +
                             (k - c->to->tiles[t].cell[2]) * c->from->stride_z;
                memcpy(c->target[n] + row, c->source[n] + at, TLW_TILE * sizeof(float));
            }
        }
}

static tlwResult copyFields(tlwThreads *threads, const tlwFlow *flow, tlwFlow *copy)
{
    const tlwGrid *grid = &flow->grid;
    int(*coords)[3] = tlwAlloc((size_t)grid->tile_count + 1, sizeof *coords);
    if (!coords)
        return TLW_OUT_OF_MEMORY;
    for (int t = 0; t < grid->tile_count; t++)
        for (int a = 0; a < 3; a++)
            coords[t][a] = tlwFloorDiv(grid->tiles[t].cell[a], TLW_TILE);
    tlwResult result = tlwActivateTiles(threads, &copy->grid, (const int(*)[3])coords, grid->tile_count);
    tlwFree(coords);
    if (result != TLW_OK || !grid->tile_count)
        return result;
    Copy c = {.from = grid, .to = &copy->grid};
    int from[FIELDS], to[FIELDS];
    listSlots(flow, from);
    listSlots(copy, to);
    for (int n = 0; n < FIELDS; n++) {
        c.source[n] = tlwGetFloats(grid, from[n]);
        c.target[n] = tlwGetFloats(&copy->grid, to[n]);
    }
    tlwParallelFor(threads, grid->tile_count, TLW_TILE_BLOCK, copyRange, &c);
    return TLW_OK;
}

static tlwResult copyParticles(const tlwParticles *from, bool pieces, tlwParticles *to)
{
    TLW_TRY(tlwReserveParticles(to, from->count));
    to->count = from->count;
    tlwParticles source = *from;
    tlwParticleArray a[TLW_PARTICLE_ARRAYS], b[TLW_PARTICLE_ARRAYS];
    tlwListParticleArrays(&source, a);
    tlwListParticleArrays(to, b);
    for (int n = 0; n < TLW_PARTICLE_ARRAYS; n++)
        if (a[n].shown && from->count)
            memcpy(*b[n].data, *a[n].data, a[n].element * (size_t)from->count);
    if (pieces && from->count)
        memcpy(to->frozen, from->frozen, (size_t)from->count * sizeof *to->frozen);
    return TLW_OK;
}

tlwResult tlwCopyFrame(const tlwFrameState *from, tlwFrameCopy *copy)
{
    copy->stats = *from->stats;
    tlwResult result = TLW_OK;
    if (!copy->flow.grid.field_count && !initFields(from->flow, &copy->flow))
        result = TLW_OUT_OF_MEMORY;
    if (result == TLW_OK)
        result = copyFields(from->context->threads, from->flow, &copy->flow);
    if (result == TLW_OK)
        result = copyParticles(from->particles, from->scene->def.keep_detail, &copy->particles);
    return result == TLW_OK ? result : tlwFailMemory(&from->context->message, "writing a frame");
}

void tlwFreeFrameCopy(tlwFrameCopy *copy)
{
    tlwFreeParticles(&copy->particles);
    tlwFreeGrid(&copy->flow.grid);
    memset(copy, 0, sizeof *copy);
}
