// Liquid into the domain: the meshes that are there at the start, inflows, and what leaves through outflows.
#ifndef TLW_STEP_LIQUID_SEED_H
#define TLW_STEP_LIQUID_SEED_H

#include "shape/particles.h"
#include "step/fields/flow.h"
#include "step/obstacles/placed_mesh.h"

typedef struct tlwSeeder {
    tlwContext *context;
    const tlwScene *scene;
    tlwFlow *flow;
    tlwParticles *particles;
    uint32_t *next_id;
} tlwSeeder;

bool tlwIsNozzle(const tlwObjectDef *def); // inflows that have a velocity at some time

// Fill the liquid meshes with jittered particles. Where two meshes overlap, the first one fills the place.
tlwResult tlwSeedLiquids(const tlwSeeder *seeder, const tlwPlacedMeshes *liquids);

// flow->phi = the union of the placed meshes, on the active tiles.
void tlwUniteLevelSet(const tlwSeeder *seeder, const tlwPlacedMeshes *liquids);
void tlwAddNozzlesToLevelSet(const tlwSeeder *seeder, const tlwPlacedMeshes *sources); // adds the open nozzles

// Drop particles inside obstacles; flow->solid must be current.
tlwResult tlwRemoveInsideSolids(const tlwSeeder *seeder);

// Inflows without velocity fill up their volume (others: step/liquid/inflow.h); outflows take away. Adds the mass that
// came and went to *came, *went.
tlwResult tlwRunSources(const tlwSeeder *seeder, const tlwPlacedMeshes *sources, double time, double *came,
                        double *went);

// After transport of the level set: add inflows to it and cut outflows out of it.
void tlwApplySourcesToLevelSet(const tlwSeeder *seeder, const tlwPlacedMeshes *sources);

// One particle of a source's material and the key's temperature and velocity, at p (cells), for a volume (m3).
tlwResult tlwAddSeed(const tlwSeeder *seeder, const tlwPlacedMesh *source, const tlwKey *key, const float p[3],
                     double volume);

// Jittered place, in cells, of slot n of a cell; slots split a cell into particles_per_axis^3 boxes.
void tlwGetSlotPosition(const tlwSceneDef *def, int i, int j, int k, int n, float p[3]);

// Distance of a point (cells) to a placed mesh, m.
float tlwGetSourceDistance(const tlwGrid *grid, const tlwPlacedMesh *solid, const float p[3]);

#endif
