// The scene's side of the heat stage: objects with their keyed or own temperature, lamps, heated volumes.
#ifndef TLW_STEP_HEAT_THERMAL_H
#define TLW_STEP_HEAT_THERMAL_H

#include "step/fields/sorting.h"
#include "step/heat/heat.h"
#include "step/obstacles/placed_mesh.h"

typedef struct tlwThermal {
    const tlwScene *scene;
    const tlwPlacedMeshes *obstacles; // they throw shadows; not owned
    tlwPlacedMeshes volumes;          // heat sources that warm what is inside them
    tlwHeatObject *objects;           // one per scene object; conductivity 0 unless it is an obstacle
    tlwHeatSource *sources;
    int source_count;
    bool active; // false: everything has the air's temperature and nothing heats, so no heat moves
} tlwThermal;

tlwResult tlwCreateThermal(tlwContext *context, const tlwScene *scene, const tlwPlacedMeshes *obstacles, double dx,
                           tlwThermal *thermal);
void tlwDestroyThermal(tlwThermal *thermal);

// One step of heat for the sorted particles, with the keyed values at time + dt. See tlwAdvanceHeat for what is
// written.
tlwResult tlwStepThermal(tlwContext *context, tlwThermal *thermal, const tlwParticleOrder *order, double time,
                         double dt, tlwFlow *flow, tlwParticles *particles, int *iterations);

#endif
