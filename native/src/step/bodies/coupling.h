// Rigid bodies inside the pressure system (Batty, Bertails and Bridson 2007).
//
// A body whose surface moves with V = (velocity, spin) makes the liquid of cell c flow out at K_c . V, where K_c adds
// up the covered shares of the cell's faces. Pressure p pushes the body with K' p per face area. Putting the body's new
// velocity V* + M^-1 K' q dx^3 (q = p dt / dx) into the flow out of the cells gives one symmetric system,
//
//     (A + dx^3 K M^-1 K') q = - flow out with V*
//
// It is stable for bodies of any density, and a plug holds.
#ifndef TLW_STEP_BODIES_COUPLING_H
#define TLW_STEP_BODIES_COUPLING_H

#include "base/parallel.h"
#include "base/vec.h"
#include "step/bodies/patch.h"
#include "step/fields/flow.h"

// tlwCoupledBody.object of a frozen piece: faces of cells with its label belong to it.
#define TLW_PIECE_KEY(label) ((1 << 20) + (label))

// A cell that a body's surface cuts.
typedef struct tlwCoupledCut {
    float unseen[6]; // part of the row that flow->solid_velocity, known at the middles of faces, does not show
    float excess[3]; // mean cover of the two faces along each axis, less the share inside
    float lift[3];   // cells, from the centre of the cell whose pressure acts to the centre of the patch's own cell
    float support;   // flow out that the solid under the body makes by its own motion
} tlwCoupledCut;

// A body as the pressure solve sees it.
typedef struct tlwCoupledBody {
    int object; // faces with this flow->solid_object belong to it
    double inverse_mass;
    tlwMat3 inverse_inertia; // world axes, about the centre
    tlwVec3 centre;          // m
    tlwVec3 velocity, spin;  // in: before pressure, out: after
    tlwVec3 change, turn;    // change of velocity and spin by the pressure of an iteration
    int joined;              // 1 + the number of the first body of its group (bodies/groups.h); 0 = it moves by itself
    // For the operator split (bodies/split.h) only
    double volume;                          // m3
    tlwVec3 contact_velocity, contact_spin; // what contacts add per second; already part of velocity and spin
    // Cells of liquid that touch the body or lie beside a gap under it. A row is the flow out of its cell for a unit of
    // each of the body's six motions. A cell may have several rows.
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
    bool joined;    // some bodies form groups
    double seconds; // that tlwFindCoupledCells took
} tlwBodyCoupling;

void tlwFreeBodyCoupling(tlwBodyCoupling *coupling);

// Add a body; null when memory is out. Invalidates pointers to earlier bodies.
tlwCoupledBody *tlwAddCoupledBody(tlwBodyCoupling *coupling);

// Add a patch in a cell that has no pressure of its own: the pressure of the liquid cell `from` acts on the patch.
// `lift` leads from that cell to the patch's cell. False when memory is out.
bool tlwAddLooseCut(tlwCoupledBody *body, int64_t from, const tlwBodyPatch *patch, const float lift[3]);

// A group as one body about its centre of mass, or a body that moves by itself.
typedef struct tlwCoupledMass {
    double mass; // INFINITY: nothing moves it
    tlwMat3 inertia;
    tlwVec3 centre, velocity, spin;
} tlwCoupledMass;

// Collect the bodies' cells and rows; coupling->seconds tells how long it took. `type` as in solve/poisson/poisson.h.
// Reads open, solid, solid_object, piece, cover and label of `flow`. `solids` holds the bodies' meshes; null in the
// operator split, where bodies leave faces open.
tlwResult tlwFindCoupledCells(tlwThreads *threads, const tlwFlow *flow, const tlwPlacedMeshes *solids,
                              const uint8_t *type, tlwBodyCoupling *coupling);

// `rhs` holds minus the flow out of the cells. Subtract the flow that the bodies' motion adds beyond
// flow->solid_velocity.
void tlwAddUnseenFlow(const tlwBodyCoupling *coupling, float *rhs);

// Centre of a cell of the window, m.
tlwVec3 tlwGetCellCentre(const tlwGrid *grid, int64_t cell);

// Pressure grows with depth also within the cells that a body cuts, but the system knows it at their centres only.
// Uncorrected, a floating body would ride up to half a cell too high or too low. This adds the missing push of
// `gravity` over dt to the bodies' velocities, so that a body displaces its own volume.
void tlwRefineBuoyancy(const tlwFlow *flow, tlwVec3 gravity, double dt, double default_density,
                       tlwBodyCoupling *coupling);

// y += dx^3 K M^-1 K' x; a tlwPoissonSystem's apply_extra with `user` = the coupling.
void tlwApplyBodyCoupling(void *user, const float *x, float *y);

// Velocity and spin of every body after the pressure q.
void tlwPushBodies(tlwBodyCoupling *coupling, const float *q);

#endif
