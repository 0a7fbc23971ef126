// Parts of the liquid that fly: connected cells that touch neither walls nor obstacles, with the bodies in them.
// Nothing but gravity acts on them.
#ifndef TLW_STEP_FLIGHT_FLIGHT_H
#define TLW_STEP_FLIGHT_FLIGHT_H

#include "tallow/tallow.h"

#include <stdbool.h>
#include <stdint.h>

#define TLW_DROP_PART 255 // drops together, and what has no number left; never free

typedef struct tlwFlight {
    int count;         // large parts, numbered from 1; 0: none of them flies
    bool whole;        // there is one, and nothing touches anything: drops belong to it as well, wherever they are
    bool free[256];    // per part
    int cells;         // byte field: the part of liquid cells and of those near them, 0 = none; -1 when whole
    uint8_t *of_links; // per link of sim->bodies: the part around the body, 0 = dry
} tlwFlight;

// None when force fields, joints, sources or frozen pieces act. Free in any case.
tlwResult tlwFindFlight(tlwSim *sim, tlwFlight *flight);
void tlwFreeFlight(tlwSim *sim, tlwFlight *flight);

// Parts also for air cells, `layers` further out than they are.
tlwResult tlwWidenFlight(tlwSim *sim, int layers, tlwFlight *flight);

#endif
