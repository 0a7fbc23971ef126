// Frozen material: connected frozen parts move as rigid pieces.
//
// Particles know which piece they belong to and what they froze onto (tlwParticles.frozen). A piece is *held* while
// enough particles in one of its cells are frozen onto an obstacle or a wall, and moves with that holder. Otherwise it
// is *free*, whatever it touches: a rigid body of its own, with six unknowns in the pressure solve
// (step/bodies/coupling.h) and contacts in the rigid world (step/frozen/contact.h). Two pieces that touch stay two
// until the liquid between them freezes. A piece that froze onto a rigid body is *bonded* to it (step/frozen/bonds.h):
// a free piece moves as one with the body, a held one holds it.
//
// Within a step, tlwCarryPieces moves the pieces' particles exactly rigidly. tlwFindPieces finds what has melted,
// frozen and broken apart. tlwCouplePieces and tlwMovePieces connect the pieces to the pressure solve.
#ifndef TLW_STEP_FROZEN_PIECES_H
#define TLW_STEP_FROZEN_PIECES_H

#include "base/vec.h"
#include "step/bodies/solve_motion.h"
#include "step/fields/sorting.h"
#include "step/heat/heat.h"
#include "step/obstacles/placed_mesh.h"

// Values of flow->frozen.
enum { TLW_FROZEN_NOT = 0, TLW_FROZEN_CELL = 1, TLW_FROZEN_HELD = 2, TLW_FROZEN_FREE = 3 };

// tlwParticles.frozen: the piece's id, and what the particle froze onto.
#define TLW_BOND_NONE 0u
#define TLW_BOND_WALL 1u
#define TLW_BOND_OBJECT(object) ((uint32_t)(object) + 2u)
#define TLW_BOND_MAX ((1u << TLW_BOND_BITS) - 1)

// The object of a bond made by TLW_BOND_OBJECT.
static inline int tlwGetBondObject(uint32_t bond)
{
    return (int)(bond - TLW_BOND_OBJECT(0));
}

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
    int object;  // its holder: a scene object, TLW_WALL_OBJECT, or TLW_NO_OBJECT for a free piece
    int body;    // in the rigid world, -1 = none
    int bonded;  // a rigid body that it is frozen onto, or TLW_NO_OBJECT; there may be more (tlwPieces.bonds)

    // From its particles
    double mass;
    tlwVec3 centre, low, high; // m; the box is around the particles' centres
    tlwMat3 inertia;           // kg m2 about the centre
    int64_t cells, particles;

    tlwQuat rotation;       // since it came to be
    tlwVec3 velocity, spin; // as contacts left it, at the start of the pressure solve
    tlwSolveMotion solve;

    // Of the present step: the path of the centre, and the turn about it.
    tlwVec3 shift;
    tlwQuat turn;
} tlwPiece;

// A cell that the surface of a free piece cuts. Under liquid (phi < 0) its faces are closed in part and pressure acts
// in it. Otherwise it is closed as a whole and holds no liquid for the pressure solve.
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
    bool dry;       // not under liquid, and either part of the piece or without liquid particles
} tlwPieceShape;

// A piece that is frozen onto a rigid body.
typedef struct tlwBond {
    int piece;  // number
    int object; // of the scene
} tlwBond;

typedef struct tlwPieces {
    tlwPiece *items; // label n of flow->label is items[n - 1]
    int *by_id;      // numbers of the items in order of their ids
    int count, free_count;
    uint32_t next_id;
    tlwPieceCut *cuts; // of this step
    int64_t cut_count;
    tlwPieceShape *shapes; // of this step
    int64_t shape_count;
    tlwBond *bonds; // in order of pieces, then objects
    int bond_count;
} tlwPieces;

// What finding pieces reads and writes.
typedef struct tlwPieceSearch {
    tlwContext *context;
    const tlwPlacedMeshes *solids;
    const tlwParticleOrder *order; // of the particles, as sorted
    tlwFlow *flow;
    tlwParticles *particles;
    const tlwHeatObject *heat; // per object of the scene: how warm it is
    bool start; // the first search: what is frozen by then only lies against bodies, and does not bond to them
} tlwPieceSearch;

void tlwFreePieces(tlwPieces *pieces);

// `pieces` are those of the last step and become those of this one. Writes flow->frozen, label, piece (free ones only)
// and cover, and the particles' frozen. Closes the pieces' faces in flow->open, those of free pieces under liquid in
// part, and writes the pieces' motion to flow->solid_velocity there.
tlwResult tlwFindPieces(const tlwPieceSearch *search, tlwPieces *pieces);

#endif
