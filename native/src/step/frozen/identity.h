// How pieces keep their ids from step to step.
#ifndef TLW_STEP_FROZEN_IDENTITY_H
#define TLW_STEP_FROZEN_IDENTITY_H

#include "step/frozen/pieces.h"

// Sums for pairs of numbers, in the order in which pairs were first added.
typedef struct tlwPairMass {
    int a, b;
    double mass;
} tlwPairMass;

typedef struct tlwPairTable {
    tlwPairMass *items;
    int64_t count, capacity;
    int *slots; // hash table of numbers into items, -1 = free
    int64_t slot_count;
} tlwPairTable;

// The piece with this id, or null.
tlwPiece *tlwFindPiece(const tlwPieces *pieces, uint32_t id);

bool tlwAddPairMass(tlwPairTable *table, int a, int b, double mass); // false when memory is out
void tlwFreePairTable(tlwPairTable *table);

// Give each new piece the id and history of the old one that most of it came from, else a new id. `overlaps` holds the
// number of cells that new piece `a` has of old piece `b`.
tlwResult tlwInheritPieces(const tlwPairTable *overlaps, const tlwPieces *old, tlwPieces *fresh);

// Rebuild by_id after ids have changed. False when memory is out.
bool tlwIndexPieces(tlwPieces *pieces);

#endif
