// Momentum of a blob in flight, with the bodies in it. Pressure, viscosity and transfers act on volumes of cells, not
// on the particles' masses, so a step is a fraction of a percent off. While one connected blob touches neither walls
// nor obstacles, its linear and angular momentum after a step are known exactly: gravity is all that acts. The
// difference is given back as a rigid motion of the whole. Anything that touches something, several blobs and scenes
// with sources, force fields or frozen pieces are left alone.
#ifndef TLW_STEP_MOMENTUM_H
#define TLW_STEP_MOMENTUM_H

#include "step/sim.h"

typedef struct tlwMomentum {
    bool known; // false: not a blob in flight
    double mass;
    tlwVec3 linear, angular; // kg m/s, kg m2/s about the origin
    tlwVec3 moment;          // mass times centre
    double second[6];        // sums of mass times xx, yy, zz, xy, xz, yz; spin inertia of bodies in them as well
} tlwMomentum;

tlwResult tlwMeasureMomentum(tlwSim *sim, tlwMomentum *momentum);

// After a step: `before` from its start, `kick` the time that gravity acted, at the present places.
tlwResult tlwKeepMomentum(tlwSim *sim, const tlwMomentum *before, double kick);

#endif
