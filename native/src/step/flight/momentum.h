// Momentum of parts of the liquid in flight, with the bodies in them.
//
// While a part touches neither walls nor obstacles, gravity is all that acts on it. So its linear and angular momentum
// after a step are known exactly. A step misses them by a fraction of a percent, and by more in a fast spin: pressure,
// viscosity and transfers act on volumes of cells, not on the particles' masses, and particles move along curves while
// their velocity keeps its direction. The difference is given back as a rigid motion of the part.
//
// A part must also move where its momentum says. Particles are traced through the velocity of one instant, which does
// not fly along with the part. A part that turns would leave its path to the side, so the grid's velocity is corrected
// before the particles move.
//
// Parts that touch something are left alone. So are parts that meet within the step, and scenes with sources, force
// fields or frozen pieces.
#ifndef TLW_STEP_FLIGHT_MOMENTUM_H
#define TLW_STEP_FLIGHT_MOMENTUM_H

#include "step/flight/flight.h"

#include <stdint.h>

typedef struct tlwPartMomentum {
    double mass, liquid;     // kg: all, and without bodies
    tlwVec3 linear, angular; // kg m/s, kg m2/s about the origin
    tlwVec3 moment;          // mass times centre
    double second[6];        // sums of mass times xx, yy, zz, xy, xz, yz, with the bodies' own inertia
} tlwPartMomentum;

typedef struct tlwMomentum {
    tlwFlight flight;
    tlwPartMomentum *parts; // flight.count; null when nothing flies
    uint8_t *of_ids;        // per particle id: its part; null when all are of one
    int64_t ids;
} tlwMomentum;

// Before a step: measure the momentum of the parts, and correct the grid's velocity so that they stay on their paths
// over dt. Call tlwFreeMomentum even after a failure.
tlwResult tlwMeasureMomentum(const tlwFlightInput *in, double dt, tlwMomentum *momentum);
void tlwFreeMomentum(const tlwFlightInput *in, tlwMomentum *momentum);

// After a step: give back what the parts lost. `before` was measured at the step's start; gravity acted for `kick`
// seconds at the present places.
tlwResult tlwKeepMomentum(const tlwFlightInput *in, tlwMomentum *before, double kick);

#endif
