// Momentum of blobs in flight, with the bodies in them. Pressure, viscosity and transfers act on volumes of cells, not
// on the particles' masses, and particles move along curves while their velocity keeps its direction, so a step is off
// by a fraction of a percent, of a fast spin by more. While a connected part of the liquid touches neither walls nor
// obstacles, its linear and angular momentum after a step are known exactly: gravity is all that acts. The difference
// is given back as a rigid motion of the part. It also moves where its momentum says: traced through the velocity of
// one instant, which does not fly along, a part that turns would leave its path to the side. What touches something is
// left alone, as are parts that meet within the step and scenes with sources, force fields or frozen pieces.
#ifndef TLW_STEP_FLIGHT_MOMENTUM_H
#define TLW_STEP_FLIGHT_MOMENTUM_H

#include "step/flight/flight.h"

#include <stdint.h>

typedef struct tlwPartMomentum {
    double mass, liquid;     // kg: all, and without bodies
    tlwVec3 linear, angular; // kg m/s, kg m2/s about the origin
    tlwVec3 moment;          // mass times centre
    double second[6];        // sums of mass times xx, yy, zz, xy, xz, yz; spin inertia of bodies in them as well
} tlwPartMomentum;

typedef struct tlwMomentum {
    tlwFlight flight;
    tlwPartMomentum *parts; // flight.count; null when nothing flies
    uint8_t *of_ids;        // per particle id: its part; null when all are of one
    int64_t ids;
} tlwMomentum;

// Before a step: also leads the grid's velocity so that parts in flight stay on their paths over dt. Free in any case.
tlwResult tlwMeasureMomentum(const tlwFlightInput *in, double dt, tlwMomentum *momentum);
void tlwFreeMomentum(const tlwFlightInput *in, tlwMomentum *momentum);

// After a step: `before` from its start, `kick` the time that gravity acted, at the present places.
tlwResult tlwKeepMomentum(const tlwFlightInput *in, tlwMomentum *before, double kick);

#endif
