// The grid fields that the stages of a time step hand to each other. A field is a slot number of `grid`; tlwGetFloats
// and its siblings give the memory of a slot. A stage's own header says which fields it reads and writes.
//
// Cell values sit at cell centres, face values on the lower face of their cell along the axis, node values on the lower
// corner of their cell. Coordinates are those of the domain, in cells, unless a comment says otherwise.
#ifndef TLW_STEP_FIELDS_FLOW_H
#define TLW_STEP_FIELDS_FLOW_H

#include "grid/grid.h"

typedef struct tlwFlow {
    tlwGrid grid;

    // The liquid
    int phi;         // cell, float, m: level set, negative inside; background +TLW_PHI_BAND cells; kept between steps
    int velocity[3]; // face, float, m/s; kept between steps
    int old_velocity[3]; // face, float, m/s: as gathered, before forces and solves. FLIP needs the difference, and grid
                         // transport gathers here. APIC leaves the slot unused, so it costs no memory
    int reached;         // cell, uint8: bit a is set where particles reach the lower face along axis a, TLW_TIED << a
                         // where viscous stress rather than momentum has set the face's velocity
    int density;         // cell, float, kg/m3, of the particles there; 0 = none
    int viscosity;       // cell, float, Pa s
    int fluidity_slope[3]; // cell, float, 1 / (Pa s): growth of 1 / viscosity from a cell's centre to the middle of its
                           // upper half; -1 unless several materials may share a cell (tlwAddFluiditySlopes)
    int fill;              // cell, float: volume of the cell's particles / cell volume
    int pressure;          // cell, float, Pa; kept between steps (warm start)
    int viscous_pressure;  // cell, float, Pa: the part of the pressure that answers viscosity; kept between steps
    int swelling;          // cell, float, Pa: stress that resists a change of volume (viscosity/swelling.h); kept

    // Heat
    int temperature; // cell, float, K
    int enthalpy;    // cell, float, J/kg
    int melt;        // cell, float, 0 solid .. 1 liquid
    int material;    // cell, uint8: material that most of the cell's mass is made of
    int piece;       // cell, int32: number of the free frozen piece that the cell belongs to, 0 = none

    int label;  // cell, int32: number of the frozen piece, held or free; 0 = not frozen; kept until pieces are found
                // again
    int frozen; // cell, uint8: see step/frozen/pieces.h
    int cover;  // cell, int32: free piece whose surface cuts this cell under liquid, 0 = none; kept like label

    // Solids, moving ones and bodies included
    int solid;             // node, float, m: signed distance, negative inside solids; background +TLW_PHI_BAND cells
    int open[3];           // face, float 0..1: share of the face that no solid covers
    int solid_velocity[3]; // face, float, m/s
    int stick;             // cell, uint8: liquid sticks to the solids near this cell
    int solid_object;      // node, int16: nearest object within the band, -1 = none, -2 = domain wall

    int squeeze; // cell, float, Pa: viscous stress on the wall in the cell; -1 except from the forces stage to the end
                 // of the viscosity solve, in scenes with friction (viscosity/friction.h)
    int grip[3]; // face, float, kg/s: how strongly walls with friction keep the face from sliding along them; -1 except
                 // during the viscosity solve, in scenes with friction

    // Nozzles: inflows with a velocity. -1 in scenes without nozzles (tlwAddNozzleFields)
    int held_share[3];    // face, float 0..1: share of the face inside a nozzle; part of `open`
    int held_velocity[3]; // face, float, m/s: the nozzle's velocity where the share is not 0
    int given;            // cell, float, m/s: flow from nozzles into the cell, divided by the area of a face
} tlwFlow;

// Values of flow.solid_object beside object indices.
enum { TLW_NO_OBJECT = -1, TLW_WALL_OBJECT = -2 };

// The first of the three bits of flow.reached for faces that viscous stress has set.
enum { TLW_TIED = 8 };

// Width of the level-set band, in cells, on either side.
#define TLW_PHI_BAND 4

// Lay out the fields of an empty grid. False when memory is out.
bool tlwInitFlow(tlwFlow *flow, tlwVec3 origin, const int dims[3], double dx);

// Fields that only scenes of several materials need. False when memory is out.
bool tlwAddFluiditySlopes(tlwFlow *flow);
bool tlwAddNozzleFields(tlwFlow *flow); // inflows with a velocity

#endif
