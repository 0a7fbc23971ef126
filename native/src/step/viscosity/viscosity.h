// Viscosity: one implicit step of the full stress tensor, variable in space, for the velocity of the liquid.
//
// Solves (M + dt D' mu D) u = M u_old (Wang 2017, eq. 3.35 in 3D) as one symmetric system over u, v, w. Free surfaces
// are traction free by the variational form: masses and stresses count by the share of their volume that is liquid.
#ifndef TLW_STEP_VISCOSITY_VISCOSITY_H
#define TLW_STEP_VISCOSITY_VISCOSITY_H

#include "solve/stress/solve.h"
#include "step/bodies/coupling.h"

// How the viscosity of an edge follows from its four cells. The harmonic mean is the one that keeps the shear stress
// the same on both sides of a jump; the others are there to compare (docs/viscosity.md).
typedef enum tlwEdgeMean { TLW_EDGE_HARMONIC = 0, TLW_EDGE_GEOMETRIC = 1, TLW_EDGE_ARITHMETIC = 2 } tlwEdgeMean;

// Slots of `grid`. Optional ones are -1 where there is none, as tlwDefaultViscosityDef leaves them.
typedef struct tlwViscosityDef {
    tlwGrid *grid;
    int phi;               // cell, float, m: liquid where negative
    int solid;             // node, float, m: solid where negative; domain walls included
    int viscosity;         // cell, float, Pa s; 0 = not viscous
    int fluidity_slope[3]; // cell, float, 1 / (Pa s), see step/fields/flow.h; optional
    int density;           // cell, float, kg/m3; 0 = unknown, then the mean of the others
    int velocity[3];       // face, float, m/s; in and out
    int reached;           // cell, uint8, see step/fields/flow.h: faces that stress has set are marked; optional
    int solid_velocity[3]; // face, float, m/s
    int stick;          // cell, uint8: the liquid sticks to solids near this cell; optional, then it slips everywhere
    int held;           // cell, uint8: cells of at least `held_value` move with solid_velocity
    uint8_t held_value; // 0 = no cell is held
    int open[3];        // face, float: in cells above `held_value` only closed faces are held; optional, then all faces
    // Inflows hold faces of which they have at least half. Face, float; optional.
    int held_share[3], held_velocity[3];
    // Friction: a force of grip times the velocity over that of the solid. Face, float, kg/s; optional.
    int grip[3];
    // Rigid bodies that the liquid sticks to, and free frozen pieces: viscosity drags them, and changes their velocity
    // and spin here. Without a coupling, bodies move as solid_velocity says; so do bodies that are too small.
    tlwBodyCoupling *coupling;
    int solid_object; // node, int16: with `coupling`
    int label;        // node, int32: free frozen piece whose distance `solid` holds; -1 = no piece is dragged
    int piece;        // cell, int32: free frozen piece, with `label`
    double dt;
    double tolerance;             // relative residual
    int max_iterations, patience; // see tlwStressOptions
    // Cell, float, 1/s: the growth of volume that the liquid's resistance to it starts from; in and out. Optional, then
    // only pressure keeps the volume.
    int swelling;
    tlwEdgeMean edge_mean;
    bool keep_thin_stiff; // leave stiff features thinner than two cells as they are: slower, for comparison
    tlwCancelFn *cancel;  // may be null
    void *user;
} tlwViscosityDef;

tlwViscosityDef tlwDefaultViscosityDef(void);

// Returns TLW_OK, or TLW_NOT_CONVERGED, TLW_CANCELLED, TLW_OUT_OF_MEMORY with the velocity left as it was.
tlwResult tlwSolveViscosity(tlwThreads *threads, const tlwViscosityDef *def, tlwStressStats *stats,
                            tlwMessage *message);

#endif
