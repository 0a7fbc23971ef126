#include "step/frozen/identity.h"

#include "base/memory.h"
#include "step/frozen/pieces.h"

#include <stdlib.h>
#include <string.h>

#define MOST_IDS ((1u << (32 - TLW_BOND_BITS)) - 1)

// ---------------------------------------------------------------------------------------------------------------------
// Pairs

static int64_t findSlot(const tlwPairTable *table, int a, int b)
{
    uint64_t hash = ((uint64_t)(uint32_t)a << 32 | (uint32_t)b) * 0x9E3779B97F4A7C15u;
    int64_t slot = (int64_t)(hash >> 33) & (table->slot_count - 1);
    while (table->slots[slot] >= 0) {
        const tlwPairMass *item = &table->items[table->slots[slot]];
        if (item->a == a && item->b == b)
            break;
        slot = (slot + 1) & (table->slot_count - 1);
    }
    return slot;
}

static bool growSlots(tlwPairTable *table)
{
    int64_t wanted = table->slot_count ? 2 * table->slot_count : 64;
    int *slots = tlwAlloc((size_t)wanted, sizeof *slots);
    if (!slots)
        return false;
    tlwFree(table->slots);
    table->slots = slots;
    table->slot_count = wanted;
    for (int64_t n = 0; n < wanted; n++)
        slots[n] = -1;
    for (int64_t n = 0; n < table->count; n++)
        slots[findSlot(table, table->items[n].a, table->items[n].b)] = (int)n;
    return true;
}

bool tlwAddPairMass(tlwPairTable *table, int a, int b, double mass)
{
    if (2 * table->count >= table->slot_count && !growSlots(table))
        return false;
    int64_t slot = findSlot(table, a, b);
    if (table->slots[slot] < 0) {
        if (!tlwReserve((void **)&table->items, &table->capacity, table->count + 1, sizeof *table->items))
            return false;
        table->slots[slot] = (int)table->count;
        table->items[table->count++] = (tlwPairMass){a, b, 0};
    }
    table->items[table->slots[slot]].mass += mass;
    return true;
}

void tlwFreePairTable(tlwPairTable *table)
{
    tlwFree(table->items);
    tlwFree(table->slots);
    *table = (tlwPairTable){0};
}

// ---------------------------------------------------------------------------------------------------------------------
// Ids

typedef struct Numbered {
    uint32_t id;
    int number;
} Numbered;

static int compareIds(const void *a, const void *b)
{
    uint32_t p = ((const Numbered *)a)->id, q = ((const Numbered *)b)->id;
    return p < q ? -1 : p > q;
}

bool tlwIndexPieces(tlwPieces *pieces)
{
    Numbered *sorted = tlwAlloc((size_t)pieces->count + 1, sizeof *sorted);
    tlwFree(pieces->by_id);
    pieces->by_id = tlwAlloc((size_t)pieces->count + 1, sizeof *pieces->by_id);
    bool ok = sorted && pieces->by_id;
    for (int n = 0; ok && n < pieces->count; n++)
        sorted[n] = (Numbered){pieces->items[n].id, n};
    if (ok)
        qsort(sorted, (size_t)pieces->count, sizeof *sorted, compareIds);
    for (int n = 0; ok && n < pieces->count; n++)
        pieces->by_id[n] = sorted[n].number;
    tlwFree(sorted);
    return ok;
}

tlwPiece *tlwFindPiece(const tlwPieces *pieces, uint32_t id)
{
    int low = 0, high = pieces->count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (pieces->items[pieces->by_id[middle]].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < pieces->count && pieces->items[pieces->by_id[low]].id == id ? &pieces->items[pieces->by_id[low]]
                                                                             : NULL;
}

static void takeHistory(const tlwPiece *from, tlwPiece *to)
{
    to->id = from->id;
    to->body = from->body;
    to->rotation = from->rotation;
    to->solve = from->solve;
}

tlwResult tlwInheritPieces(const tlwPairTable *overlaps, const tlwPieces *old, tlwPieces *fresh)
{
    // The heir of an old piece is the new one that has most of it. Of the old pieces whose heir it is, a new piece
    // takes the history of the one that it has most of.
    int64_t *heir = tlwAlloc((size_t)old->count + 1, sizeof *heir),
            *part = tlwAlloc((size_t)fresh->count + 1, sizeof *part);
    bool ok = heir && part;
    for (int n = 0; ok && n < old->count; n++)
        heir[n] = -1;
    for (int n = 0; ok && n < fresh->count; n++)
        part[n] = -1;
    for (int64_t n = 0; ok && n < overlaps->count; n++) {
        const tlwPairMass *pair = &overlaps->items[n];
        if (heir[pair->b] < 0 || pair->mass > overlaps->items[heir[pair->b]].mass)
            heir[pair->b] = n;
    }
    for (int b = 0; ok && b < old->count; b++) {
        if (heir[b] < 0)
            continue;
        const tlwPairMass *pair = &overlaps->items[heir[b]];
        if (part[pair->a] < 0 || pair->mass > overlaps->items[part[pair->a]].mass)
            part[pair->a] = heir[b];
    }
    for (int n = 0; ok && n < fresh->count; n++) {
        tlwPiece *piece = &fresh->items[n];
        piece->body = -1;
        piece->rotation = (tlwQuat){1, 0, 0, 0};
        if (part[n] >= 0) {
            takeHistory(&old->items[overlaps->items[part[n]].b], piece);
            continue;
        }
        do
            fresh->next_id = fresh->next_id % MOST_IDS + 1;
        while (tlwFindPiece(old, fresh->next_id));
        piece->id = fresh->next_id;
    }
    tlwFree(heir);
    tlwFree(part);
    return ok && tlwIndexPieces(fresh) ? TLW_OK : TLW_OUT_OF_MEMORY;
}
