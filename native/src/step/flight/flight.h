// Parts of the liquid that fly: connected cells that touch neither walls nor obstacles, with the bodies in them.
// Nothing but gravity acts on them.
#ifndef TLW_STEP_FLIGHT_FLIGHT_H
#define TLW_STEP_FLIGHT_FLIGHT_H

#include "shape/particles.h"
#include "step/bodies/bodies.h"
#include "tallow/tallow.h"

#include <stdbool.h>
#include <stdint.h>

#define TLW_DROP_PART 255 // all drops together, and parts for which no number is left; never free

// What finding parts and keeping their momentum reads and writes.
typedef struct tlwFlightInput {
    tlwContext *context;
    const tlwScene *scene;
    const tlwPlacedMeshes *solids; // obstacles
    tlwFlow *flow;                 // reads phi, open, solid_object; writes velocity
    tlwParticles *particles;       // writes velocity and its gradient
    tlwBodies *bodies;             // writes free_velocity and free_spin of its links
    uint32_t next_id;              // the id of the next new particle
    bool disturbed;                // sources or frozen pieces act: nothing counts as free
} tlwFlightInput;

typedef struct tlwFlight {
    int count;         // number of large parts, which are numbered from 1; 0 when none of them flies
    bool whole;        // the only large part, and no liquid touches anything: drops anywhere belong to it as well
    bool free[256];    // per part
    int cells;         // byte field: the part of liquid cells and of those near them, 0 = none; -1 when whole
    uint8_t *of_links; // per link of the bodies: the part around the body, 0 = dry
} tlwFlight;

// Find the parts. There are none while force fields, joints, sources or frozen pieces act, or in the operator split.
// Call tlwFreeFlight even after a failure.
tlwResult tlwFindFlight(const tlwFlightInput *in, tlwFlight *flight);
void tlwFreeFlight(const tlwFlightInput *in, tlwFlight *flight);

// Extend flight->cells by `layers` more cells into the air.
tlwResult tlwWidenFlight(const tlwFlightInput *in, int layers, tlwFlight *flight);

#endif
