// Parts of the liquid that fly: connected cells that touch neither walls nor obstacles, with the bodies in them.
// Nothing but gravity acts on them.
#ifndef TLW_STEP_FLIGHT_FLIGHT_H
#define TLW_STEP_FLIGHT_FLIGHT_H

#include "shape/particles.h"
#include "step/bodies/bodies.h"
#include "tallow/tallow.h"

#include <stdbool.h>
#include <stdint.h>

#define TLW_DROP_PART 255 // drops together, and what has no number left; never free

// What finding parts and keeping their momentum reads and writes.
typedef struct tlwFlightInput {
    tlwContext *context;
    const tlwScene *scene;
    const tlwPlacedMeshes *solids; // obstacles
    tlwFlow *flow;                 // reads phi, open, solid_object; writes velocity
    tlwParticles *particles;       // writes velocity and its gradient
    tlwBodies *bodies;             // writes free_velocity and free_spin of its links
    uint32_t next_id;              // that no particle has yet
    bool disturbed;                // sources or frozen pieces act: nothing counts as free
} tlwFlightInput;

typedef struct tlwFlight {
    int count;         // large parts, numbered from 1; 0: none of them flies
    bool whole;        // there is one, and nothing touches anything: drops belong to it as well, wherever they are
    bool free[256];    // per part
    int cells;         // byte field: the part of liquid cells and of those near them, 0 = none; -1 when whole
    uint8_t *of_links; // per link of the bodies: the part around the body, 0 = dry
} tlwFlight;

// None when force fields, joints, sources or frozen pieces act. Free in any case.
tlwResult tlwFindFlight(const tlwFlightInput *in, tlwFlight *flight);
void tlwFreeFlight(const tlwFlightInput *in, tlwFlight *flight);

// Parts also for air cells, `layers` further out than they are.
tlwResult tlwWidenFlight(const tlwFlightInput *in, int layers, tlwFlight *flight);

#endif
