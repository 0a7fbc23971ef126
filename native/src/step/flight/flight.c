#include "step/flight/flight.h"

#include "base/context.h"
#include "base/memory.h"
#include "grid/components.h"
#include "scene/scene.h"

#include <string.h>

#define DROP 64 // cells: parts up to this size are drops
#define NEAR 2  // cells beyond the surface where particles of a part may be

static bool isWet(void *user, int64_t cell)
{
    return ((const float *)user)[cell] < 0;
}

typedef struct Search {
    const tlwFlightInput *in;
    const int32_t *labels;
    int64_t *size;      // per label
    uint8_t *stopped;   // per label: touches a wall, an obstacle or, through a body, another part
    int32_t *of_object; // per object: label around a body
    uint8_t *part;      // per label
    uint8_t *cells;
} Search;

static void sizeRange(void *context, int64_t begin, int64_t end)
{
    const Search *s = context;
    const tlwGrid *grid = &s->in->flow->grid;
    for (int64_t t = begin; t < end; t++) {
        int32_t label = 0;
        int64_t run = 0; // cells with this label that are not counted yet
        TLW_FOR_ROWS(grid, &grid->tiles[t], j, k, row)
            for (int64_t c = row; c < row + TLW_TILE; c++, run++)
                if (s->labels[c] != label) {
                    __atomic_fetch_add(&s->size[label], run, __ATOMIC_RELAXED);
                    label = s->labels[c];
                    run = 0;
                }
        __atomic_fetch_add(&s->size[label], run, __ATOMIC_RELAXED);
    }
}

static void stop(const Search *s, int32_t label)
{
    __atomic_store_n(&s->stopped[label], 1, __ATOMIC_RELAXED);
}

// Note that an object covers a face of the liquid with this label.
static void touch(const Search *s, int object, int32_t label)
{
    if (object < 0 || !tlwGetTraits(&s->in->scene->objects[object].def)->body) {
        stop(s, label);
        return;
    }
    int32_t first = 0;
    if (__atomic_compare_exchange_n(&s->of_object[object], &first, label, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED) ||
        first == label)
        return;
    stop(s, first); // the body is in two parts
    stop(s, label);
}

static void touchRange(void *context, int64_t begin, int64_t end)
{
    const Search *s = context;
    const tlwFlow *flow = s->in->flow;
    const tlwGrid *grid = &flow->grid;
    const int16_t *object = (const int16_t *)grid->fields[flow->solid_object].data;
    int64_t stride[3] = {1, grid->stride_y, grid->stride_z};
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(grid, &grid->tiles[t], j, k, row) {
            bool near = false;
            for (int i = 0; i < TLW_TILE; i++)
                near |= object[row + i] != TLW_NO_OBJECT;
            for (int64_t f = row; near && f < row + TLW_TILE; f++)
                for (int a = 0; a < 3 && object[f] != TLW_NO_OBJECT; a++) {
                    if (tlwGetFloats(grid, flow->open[a])[f] >= 1)
                        continue;
                    if (s->labels[f])
                        touch(s, object[f], s->labels[f]);
                    if (s->labels[f - stride[a]])
                        touch(s, object[f], s->labels[f - stride[a]]);
                }
        }
}

static int findLink(const tlwFlightInput *in, int body)
{
    for (int n = 0; n < in->bodies->link_count; n++)
        if (in->bodies->links[n].body == body)
            return n;
    return -1;
}

// Parts whose bodies hit something outside the part are not free.
static void stopContacts(const tlwFlightInput *in, tlwFlight *flight)
{
    const tlwRigidWorld *world = in->bodies->world;
    for (int64_t n = 0; world && n < world->contacts.count; n++) {
        const tlwContact *c = &world->contacts.items[n];
        if (!(tlwLength(c->impulse) > 0))
            continue;
        int a = findLink(in, c->body_a), b = findLink(in, c->body_b);
        uint8_t first = a < 0 ? 0 : flight->of_links[a], second = b < 0 ? 0 : flight->of_links[b];
        if (first != second)
            flight->free[first] = flight->free[second] = false;
    }
}

static void numberParts(const Search *s, int count, tlwFlight *flight)
{
    const tlwBodies *bodies = s->in->bodies;
    bool touches = false;
    for (int n = 1; n <= count; n++) {
        bool large = s->size[n] > DROP && flight->count < TLW_DROP_PART - 1;
        s->part[n] = large ? (uint8_t)++flight->count : TLW_DROP_PART;
        flight->free[s->part[n]] = large && !s->stopped[n];
        touches |= s->stopped[n];
    }
    flight->whole = flight->count == 1 && !touches;
    for (int n = 0; n < bodies->link_count; n++)
        if (bodies->links[n].rigid) {
            int object = s->in->solids->items[bodies->links[n].solid].object;
            flight->of_links[n] = s->of_object[object] ? s->part[s->of_object[object]] : 0;
            if (flight->whole && flight->of_links[n])
                flight->of_links[n] = 1;
        }
    stopContacts(s->in, flight);
    bool flies = false;
    for (int n = 1; n <= flight->count; n++)
        flies |= flight->free[n];
    if (!flies)
        flight->count = 0;
}

static void markRange(void *context, int64_t begin, int64_t end)
{
    const Search *s = context;
    const tlwGrid *grid = &s->in->flow->grid;
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(grid, &grid->tiles[t], j, k, row)
            for (int64_t c = row; c < row + TLW_TILE; c++)
                s->cells[c] = s->labels[c] ? s->part[s->labels[c]] : 0;
}

typedef struct Widen {
    const tlwGrid *grid;
    const uint8_t *from;
    uint8_t *to;
} Widen;

static void widenRange(void *context, int64_t begin, int64_t end)
{
    const Widen *w = context;
    int64_t sy = w->grid->stride_y, sz = w->grid->stride_z;
    const int64_t neighbours[6] = {-1, 1, -sy, sy, -sz, sz};
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(w->grid, &w->grid->tiles[t], j, k, row)
            for (int64_t c = row; c < row + TLW_TILE; c++) {
                uint8_t part = w->from[c];
                for (int n = 0; n < 6 && !part; n++)
                    part = w->from[c + neighbours[n]];
                w->to[c] = part;
            }
}

tlwResult tlwWidenFlight(const tlwFlightInput *in, int layers, tlwFlight *flight)
{
    tlwGrid *grid = &in->flow->grid;
    for (int n = 0; n < layers && flight->cells >= 0; n++) {
        int slot = tlwBorrowField(grid, 1);
        if (slot < 0)
            return TLW_OUT_OF_MEMORY;
        Widen w = {grid, tlwGetBytes(grid, flight->cells), tlwGetBytes(grid, slot)};
        tlwParallelFor(in->context->threads, grid->tile_count, TLW_TILE_BLOCK, widenRange, &w);
        tlwReturnField(grid, flight->cells);
        flight->cells = slot;
    }
    return TLW_OK;
}

static tlwResult findParts(const tlwFlightInput *in, const int32_t *labels, int count, tlwFlight *flight)
{
    tlwThreads *threads = in->context->threads;
    tlwGrid *grid = &in->flow->grid;
    size_t most = (size_t)count + 1;
    Search s = {.in = in, .labels = labels, .size = tlwAlloc(most, sizeof *s.size)};
    s.stopped = tlwAlloc(2 * most, 1);
    s.of_object = tlwAlloc((size_t)in->scene->object_count + 1, sizeof *s.of_object);
    flight->of_links = tlwAlloc((size_t)in->bodies->link_count + 1, 1);
    tlwResult result = s.size && s.stopped && s.of_object && flight->of_links ? TLW_OK : TLW_OUT_OF_MEMORY;
    if (result == TLW_OK) {
        s.part = s.stopped + most;
        tlwParallelFor(threads, grid->tile_count, TLW_TILE_BLOCK, sizeRange, &s);
        tlwParallelFor(threads, grid->tile_count, TLW_TILE_BLOCK, touchRange, &s);
        numberParts(&s, count, flight);
    }
    if (result == TLW_OK && flight->count && !flight->whole) {
        flight->cells = tlwBorrowField(grid, 1);
        result = flight->cells >= 0 ? TLW_OK : TLW_OUT_OF_MEMORY;
    }
    if (result == TLW_OK && flight->cells >= 0) {
        s.cells = tlwGetBytes(grid, flight->cells);
        tlwParallelFor(threads, grid->tile_count, TLW_TILE_BLOCK, markRange, &s);
        result = tlwWidenFlight(in, NEAR, flight);
    }
    tlwFree(s.size);
    tlwFree(s.stopped);
    tlwFree(s.of_object);
    return result;
}

tlwResult tlwFindFlight(const tlwFlightInput *in, tlwFlight *flight)
{
    const tlwScene *scene = in->scene;
    tlwGrid *grid = &in->flow->grid;
    *flight = (tlwFlight){.cells = -1};
    if (scene->force_count || scene->joint_count || in->disturbed || !in->particles->count || in->solids->split)
        return TLW_OK;
    int slot = tlwBorrowField(grid, sizeof(int32_t)), count = 0;
    if (slot < 0)
        return TLW_OUT_OF_MEMORY;
    tlwComponentRule rule = {isWet, NULL, tlwGetFloats(grid, in->flow->phi)};
    tlwResult result = tlwLabelComponents(in->context->threads, grid, &rule, tlwGetInts(grid, slot), &count);
    if (result == TLW_OK)
        result = findParts(in, tlwGetInts(grid, slot), count, flight);
    tlwReturnField(grid, slot);
    return result;
}

void tlwFreeFlight(const tlwFlightInput *in, tlwFlight *flight)
{
    tlwReturnField(&in->flow->grid, flight->cells);
    tlwFree(flight->of_links);
    *flight = (tlwFlight){.cells = -1};
}
