// Inflows with a velocity: nozzles. Inside one the velocity is prescribed, and the liquid is as dense as can be.
//
// - Particles: those inside move by velocity * dt, and so does a lattice of places. A place that comes in through the
//   back makes a particle. So the volume that leaves per second is speed * outlet area, whatever the grid.
// - Pressure: the share of a face that lies inside is closed, as by a moving solid, and its flux is given to the cell
// in
//   front. Nothing is taken from liquid behind it: the back and the sides of a nozzle are walls.
// - Viscosity: faces that are inside by half or more are held.
//
// An inflow whose velocity is zero at all times only fills up (tlwRunSources).
#ifndef TLW_STEP_LIQUID_INFLOW_H
#define TLW_STEP_LIQUID_INFLOW_H

#include "step/liquid/seed.h"

// Kept from step to step, one per source.
typedef struct tlwInflow {
    tlwVec3 moved;          // m: how far the lattice has come
    double passed, entered; // m3 through the outlet so far, and places of the lattice that came in
    double running;         // 1 = was open in the last step
} tlwInflow;

// Particles that a nozzle carries through a step, and where they began.
typedef struct tlwCarried {
    int64_t *index;
    float (*position)[3]; // at the end of the step
    int64_t count, index_capacity, position_capacity;
} tlwCarried;

// Before the particles move: which are inside a nozzle that ran before, and where they will be. The caller frees.
tlwResult tlwFindCarried(const tlwSeeder *seeder, const tlwPlacedMeshes *sources, const tlwInflow *inflows, double time,
                         double dt, tlwCarried *carried);
void tlwCarryParticles(const tlwCarried *carried, tlwParticles *particles); // after they moved
void tlwFreeCarried(tlwCarried *carried);

// New particles at the end of a step, or at the start (dt = 0); `solids` are where they are then. Adds their mass to
// *came.
tlwResult tlwRunNozzles(const tlwSeeder *seeder, const tlwPlacedMeshes *sources, const tlwPlacedMeshes *solids,
                        tlwInflow *inflows, double time, double dt, double *came);

// Write flow->held_share, held_velocity and given for velocities at `time`; flow->open must be final.
void tlwRasterizeNozzles(const tlwPlacedMeshes *sources, double time, tlwFlow *flow);

// After the solves: faces move as their held and their open share do together. Changes flow->velocity.
void tlwHoldNozzles(tlwThreads *threads, tlwFlow *flow);

#endif
