// Frozen material: connected frozen parts move as rigid pieces.
//
// Particles know which piece they belong to and what they froze onto (tlwParticles.frozen). A piece is *held* while
// particles that froze next to an obstacle or a wall tie it there, and moves with it. Else it is *free*, whatever it
// touches: a rigid body of its own, with six unknowns in the pressure solve (step/coupling.h) and contacts in the rigid
// world (step/frozen_contact.h). Two pieces that touch stay two until the liquid between them freezes.
//
// Within a step: tlwCarryPieces moves the pieces' particles exactly rigidly; tlwFindPieces sees what has melted, frozen
// and broken apart since; tlwCouplePieces and tlwMovePieces are their side of the pressure solve.
#ifndef TLW_STEP_FROZEN_H
#define TLW_STEP_FROZEN_H

#include "rigid/body.h"
#include "scene/scene.h"
#include "step/coupling.h"
#include "step/solids.h"
#include "step/sorting.h"

// Values of flow->frozen.
enum { TLW_FROZEN_NOT = 0, TLW_FROZEN_CELL = 1, TLW_FROZEN_HELD = 2, TLW_FROZEN_FREE = 3 };

// tlwParticles.frozen: the piece's id, and what the particle froze onto.
#define TLW_BOND_BITS 12
#define TLW_BOND_NONE 0u
#define TLW_BOND_WALL 1u
#define TLW_BOND_OBJECT(object) ((uint32_t)(object) + 2u)
#define TLW_BOND_MAX ((1u << TLW_BOND_BITS) - 1)

static inline uint32_t tlwGetPieceId(uint32_t frozen)
{
    return frozen >> TLW_BOND_BITS;
}

static inline uint32_t tlwGetBond(uint32_t frozen)
{
    return frozen & TLW_BOND_MAX;
}

typedef struct tlwPiece {
    uint32_t id; // stays the same from step to step; the larger part keeps it when a piece breaks
    int object;  // that holds it, TLW_WALL_OBJECT, or TLW_NO_OBJECT for a free piece
    int body;    // in the rigid world, -1 = none

    // From its particles
    double mass;
    tlwVec3 centre, low, high; // m; the box is around the particles' centres
    tlwMat3 inertia;           // kg m2 about the centre
    int64_t cells, particles;

    tlwQuat rotation;                           // since it came to be
    tlwVec3 velocity, spin;                     // as contacts left it, at the start of the pressure solve
    tlwVec3 free_velocity, free_spin;           // after pressure, without contacts
    tlwVec3 contact_velocity, contact_spin;     // what contacts are expected to add per second
    tlwVec3 push[2], turning[2];                // what pressure added per second in the last two solves, latest first
    tlwVec3 predicted_velocity, predicted_spin; // before pressure

    // Of the present step: the way, and the body's turn about its centre.
    tlwVec3 shift;
    tlwQuat turn;
} tlwPiece;

// A cell that the surface of a free piece cuts. Under liquid (phi < 0) its faces are closed in part and pressure acts
// in it; else it is closed as a whole, and no liquid for the pressure solve.
typedef struct tlwPieceCut {
    int64_t cell;
    int64_t source; // cell of the liquid outside; -1 = none
    int32_t piece;  // label
    float share;    // of the cell inside the piece
    float phi;      // m: of the liquid, without the piece
} tlwPieceCut;

// A cell in or next to a free piece, for viscosity.
typedef struct tlwPieceShape {
    int64_t cell;
    int32_t piece;  // label
    float distance; // of its centre to the piece's surface, cells, -1 .. 1
    bool dry;       // no liquid: neither under it nor with particles of it
} tlwPieceShape;

typedef struct tlwPieces {
    tlwPiece *items; // label n of flow->label is items[n - 1]
    int *by_id;      // numbers of the items in order of their ids
    int count, free_count;
    uint32_t next_id;
    tlwPieceCut *cuts; // of this step
    int64_t cut_count;
    tlwPieceShape *shapes; // of this step
    int64_t shape_count;
} tlwPieces;

// What finding pieces reads and writes.
typedef struct tlwPieceSearch {
    tlwContext *context;
    const tlwSolids *solids;
    const tlwParticleOrder *order; // of the particles, as sorted
    tlwFlow *flow;
    tlwParticles *particles;
} tlwPieceSearch;

// Whether any material of the scene's liquids can become a rigid piece.
bool tlwCanFreeze(const tlwScene *scene);

void tlwFreePieces(tlwPieces *pieces);

// The piece with this id, or null.
tlwPiece *tlwFindPiece(const tlwPieces *pieces, uint32_t id);

// `pieces` are those of the last step and become those of this one. Writes flow->frozen, label and piece (free ones
// only), cover, and the particles' frozen. Closes the pieces' faces in flow->open, those of free pieces under liquid in
// part, and gives them the velocity of what holds them.
tlwResult tlwFindPieces(const tlwPieceSearch *search, tlwPieces *pieces);

// Add the free pieces to the pressure solve over dt, as gravity, force fields and contacts would have them move.
tlwResult tlwCouplePieces(tlwContext *context, const tlwScene *scene, double time, double dt, tlwFlow *flow,
                          tlwPieces *pieces, tlwBodyCoupling *coupling);

// Below the cell: the liquid around free pieces is not lightened by particles of theirs in the same cells, and a piece
// displaces the volume of its particles, not that of its cells. After tlwCouplePieces; writes flow->density.
tlwResult tlwRefinePieces(const tlwPieceSearch *search, double dt, const tlwPieces *pieces, tlwBodyCoupling *coupling);

// A copy of flow->phi for the pressure solve, without the pieces in the cells that they cut; a field to be returned, -1
// where nothing is cut.
tlwResult tlwShowCuts(tlwContext *context, tlwFlow *flow, const tlwPieces *pieces, int *phi);

// List the cells of the shapes that viscosity drags. Of cells: the label of the piece in or next to them, and the
// distance to its surface.
tlwResult tlwListShapes(const tlwPieceSearch *search, const int32_t *near, const float *distance, tlwPieces *pieces);

// Free pieces as viscosity sees them: solids whose surface may lie anywhere in a cell. Fields to be returned with
// tlwHideShapes.
typedef struct tlwShownShapes {
    int solid;     // node, float, m: flow->solid, or the distance to a piece where that is nearer
    int label;     // node, int32: that piece, else 0
    int viscosity; // cell, float: flow->viscosity; 0 in dry cells of pieces, whose frozen particles do not flow
} tlwShownShapes;

tlwResult tlwShowShapes(tlwContext *context, tlwFlow *flow, const tlwPieces *pieces, tlwShownShapes *shown);
void tlwHideShapes(tlwFlow *flow, const tlwShownShapes *shown);

// After pressure over dt: the pieces' faces move with them.
void tlwMovePieces(tlwContext *context, double dt, tlwFlow *flow, tlwPieces *pieces, const tlwBodyCoupling *coupling);

// Particles of pieces have their piece's velocity, instead of what the grid would give them.
void tlwUpdatePieceParticles(tlwThreads *threads, const tlwFlow *flow, const tlwPieces *pieces,
                             const tlwBodyCoupling *coupling, tlwParticles *particles);

// Move the particles as shift and turn say, and write that motion to flow->velocity on the pieces' faces and in the air
// around them, so that the level set goes the same way.
tlwResult tlwCarryPieces(tlwContext *context, double dt, tlwFlow *flow, tlwPieces *pieces, tlwParticles *particles);

// --- inside the stage ---

// In *labels (a field to be returned): flow->label, and the same in the dry air around pieces. Air that liquid is in or
// about to enter is left out: held back there, what falls on a piece would be crushed.
tlwResult tlwSpreadPieceLabels(tlwContext *context, const tlwParticles *particles, tlwFlow *flow, int *labels);

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

bool tlwAddPairMass(tlwPairTable *table, int a, int b, double mass); // false when memory is out
void tlwFreePairTable(tlwPairTable *table);

// Give `count` new pieces the ids and histories of the old ones that most of them came from; `overlaps` holds the mass
// that new piece `a` has of old piece `b`.
tlwResult tlwInheritPieces(const tlwPairTable *overlaps, const tlwPieces *old, tlwPieces *fresh);

// Sort out by_id after ids have changed.
bool tlwIndexPieces(tlwPieces *pieces);

// Mass, centre, inertia, box and motion from the particles; `member` holds labels, 0 = of no piece.
tlwResult tlwMeasurePieces(const tlwGrid *grid, const tlwParticles *particles, const int32_t *member,
                           tlwPieces *pieces);

// Find the cells that free pieces cut and what they leave of the faces there (frozen_cut.c). Writes flow->open, cover,
// `cuts` and `shapes`.
tlwResult tlwCutPieces(const tlwPieceSearch *search, tlwPieces *pieces);

// Close faces of labelled cells, but for those that are cut, and give them their piece's `velocity` and `spin`.
void tlwClosePieceFaces(tlwContext *context, tlwFlow *flow, const tlwPieces *pieces);

#endif
