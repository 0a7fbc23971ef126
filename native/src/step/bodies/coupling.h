// Rigid bodies inside the pressure system (Batty, Bertails and Bridson 2007).
//
// The liquid of cell c flows out at K_c . V where the body's surface moves with V = (velocity, spin): K_c adds up the
// covered shares of the cell's faces. Pressure p pushes the body with K' p per face area. Putting the body's new
// velocity V* + M^-1 K' q dx^3 (q = p dt / dx) into the flow out of the cells gives one symmetric system,
//
//     (A + dx^3 K M^-1 K') q = - flow out with V*
//
// so that a body of any density is stable and a plug holds.
#ifndef TLW_STEP_BODIES_COUPLING_H
#define TLW_STEP_BODIES_COUPLING_H

#include "base/parallel.h"
#include "base/vec.h"
#include "step/bodies/patch.h"
#include "step/fields/flow.h"

// What a frozen piece is called in tlwCoupledBody.object: faces of cells with its label belong to it.
#define TLW_PIECE_KEY(label) ((1 << 20) + (label))

// A cell that a body's surface cuts.
typedef struct tlwCoupledCut {
    float unseen[6]; // of its row: what the velocities of solids at the middles of faces do not show
    float excess[3]; // mean cover of the two faces along each axis, less the share inside
    float lift[3];   // cells from the centre of the cell whose pressure acts to that of the patch's own
    float support;   // flow out that what the body lies on makes by its own motion
} tlwCoupledCut;

// A body as the pressure solve sees it.
typedef struct tlwCoupledBody {
    int object; // faces with this flow->solid_object belong to it
    double inverse_mass;
    tlwMat3 inverse_inertia; // world axes, about the centre
    tlwVec3 centre;          // m
    tlwVec3 velocity, spin;  // in: before pressure, out: after
    tlwVec3 change, turn;    // of them, by the pressure of an iteration
    int joined;              // 1 + the number of the first body that it moves as one with; 0 = it moves by itself
    // For the operator split (bodies/split.h) only
    double volume;                          // m3
    tlwVec3 contact_velocity, contact_spin; // per second, part of velocity and spin
    // Cells of liquid that touch it or lie beside a gap under it, and what a unit of each of its six motions makes them
    // lose. A cell may come several times.
    int64_t *cells;
    float (*rows)[6];
    tlwCoupledCut *cuts; // per row; null for frozen pieces
    int64_t count, capacity, row_capacity, cut_capacity;
} tlwCoupledBody;

typedef struct tlwBodyCoupling {
    tlwCoupledBody *bodies;
    int count;
    int64_t capacity;
    double cell_volume;
    bool joined;    // any of them
    double seconds; // that tlwFindCoupledCells took
} tlwBodyCoupling;

void tlwFreeBodyCoupling(tlwBodyCoupling *coupling);

// Room for one more body; null when memory is out. Pointers to earlier ones are no longer good.
tlwCoupledBody *tlwAddCoupledBody(tlwBodyCoupling *coupling);

// Add a patch in a cell without pressure of its own: the pressure of the liquid cell `from` acts on it, which lies
// `lift` cells away. False when memory is out.
bool tlwAddLooseCut(tlwCoupledBody *body, int64_t from, const tlwBodyPatch *patch, const float lift[3]);

// Several bodies as one: mass and motion about the centre of mass that they share, or of a body that moves by itself.
typedef struct tlwCoupledMass {
    double mass; // INFINITY: nothing moves it
    tlwMat3 inertia;
    tlwVec3 centre, velocity, spin;
} tlwCoupledMass;

// Collect cells and rows, and tell how long it took: `type` as in solve/poisson/poisson.h, open and solid_object of
// `flow`. Bodies are found in `solids`; null where they leave faces open.
tlwResult tlwFindCoupledCells(tlwThreads *threads, const tlwFlow *flow, const tlwPlacedMeshes *solids,
                              const uint8_t *type, tlwBodyCoupling *coupling);

// Take from `rhs`, which has minus the flow out of the cells, what flow->solid_velocity does not show of the bodies'
// motion.
void tlwAddUnseenFlow(const tlwBodyCoupling *coupling, float *rhs);

// Centre of a cell of the window, m.
tlwVec3 tlwGetCellCentre(const tlwGrid *grid, int64_t cell);

// Pressure grows with depth also within the cells that a body cuts. The system knows it at their centres only, and a
// floating body would ride up to half a cell too high or too low. This adds what `gravity` over dt makes of the
// difference to the bodies' velocities: what is displaced is the body's own volume.
void tlwRefineBuoyancy(const tlwFlow *flow, tlwVec3 gravity, double dt, double default_density,
                       tlwBodyCoupling *coupling);

// y += dx^3 K M^-1 K' x; a tlwPoissonSystem's apply_extra with `user` = the coupling.
void tlwApplyBodyCoupling(void *user, const float *x, float *y);

// Velocity and spin of every body after the pressure q.
void tlwPushBodies(tlwBodyCoupling *coupling, const float *q);

#endif
