// Inflows with a velocity: nozzles. Inside a nozzle the velocity is prescribed, and liquid fills the whole volume.
//
// - Particles: those inside move by velocity * dt, and so does a lattice of places. A place that enters through the
//   back makes a particle. So the volume that leaves per second is speed * outlet area, on any grid.
// - Pressure: the share of a face that lies inside is closed, as by a moving solid. Its flux goes to the cell in front.
//   The back and the sides of a nozzle are walls: liquid behind it loses nothing.
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

// Particles that nozzles carry through a step, and where they end.
typedef struct tlwCarried {
    int64_t *index;
    float (*position)[3]; // at the end of the step
    int64_t count, index_capacity, position_capacity;
} tlwCarried;

// Before the particles move: find those inside a nozzle that was open in the last step, and where it carries them. The
// caller frees `carried`.
tlwResult tlwFindCarried(const tlwSeeder *seeder, const tlwPlacedMeshes *sources, const tlwInflow *inflows, double time,
                         double dt, tlwCarried *carried);
void tlwCarryParticles(const tlwCarried *carried, tlwParticles *particles); // after the particles have moved
void tlwFreeCarried(tlwCarried *carried);

// Add the new particles at the end of a step, or at the start of the simulation (dt = 0). `solids` must be placed at
// that time. Adds the mass of the particles to *came.
tlwResult tlwRunNozzles(const tlwSeeder *seeder, const tlwPlacedMeshes *sources, const tlwPlacedMeshes *solids,
                        tlwInflow *inflows, double time, double dt, double *came);

// Write flow->held_share, held_velocity and given for velocities at `time`; flow->open must be final.
void tlwRasterizeNozzles(const tlwPlacedMeshes *sources, double time, tlwFlow *flow);

// After the solves: flow->velocity of a face becomes the mean of its held and its other open share, by area.
void tlwHoldNozzles(tlwThreads *threads, tlwFlow *flow);

#endif
