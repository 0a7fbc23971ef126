// Which piece of the last step a piece is.
#ifndef TLW_STEP_FROZEN_IDENTITY_H
#define TLW_STEP_FROZEN_IDENTITY_H

#include "step/frozen/pieces.h"

// Masses of pairs of numbers, in the order that they were first met.
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

// Give `count` new pieces the ids and histories of the old ones that most of them came from; `overlaps` holds the mass
// that new piece `a` has of old piece `b`.
tlwResult tlwInheritPieces(const tlwPairTable *overlaps, const tlwPieces *old, tlwPieces *fresh);

// Sort out by_id after ids have changed.
bool tlwIndexPieces(tlwPieces *pieces);

#endif
