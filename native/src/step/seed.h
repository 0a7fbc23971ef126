// Liquid into the domain: the meshes that are there at the start, inflows, and what leaves through outflows.
#ifndef TLW_STEP_SEED_H
#define TLW_STEP_SEED_H

#include "shape/particles.h"
#include "step/solids.h"

typedef struct tlwSeeder {
    tlwContext *context;
    const tlwScene *scene;
    tlwFlow *flow;
    tlwParticles *particles;
    uint32_t *next_id;
} tlwSeeder;

bool tlwIsLiquid(const tlwObjectDef *def);
bool tlwIsSource(const tlwObjectDef *def); // inflows and outflows

// Fill the liquid meshes with jittered particles. Where two overlap the first one has it.
tlwResult tlwSeedLiquids(const tlwSeeder *seeder, const tlwSolids *liquids);

// flow->phi = the union of the placed meshes, on the active tiles.
void tlwUniteLevelSet(const tlwSeeder *seeder, const tlwSolids *liquids);

// Drop particles inside obstacles; flow->solid must be current.
tlwResult tlwRemoveInsideSolids(const tlwSeeder *seeder);

// Inflows fill up their volume and set its velocity; outflows take away. Adds the mass that came and went to *came,
// *went.
tlwResult tlwRunSources(const tlwSeeder *seeder, const tlwSolids *sources, double time, double *came, double *went);

// After the level set was advected: cut and fill it where sources are.
void tlwApplySourcesToLevelSet(const tlwSeeder *seeder, const tlwSolids *sources);

#endif
