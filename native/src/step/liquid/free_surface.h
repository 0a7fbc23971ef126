// Which parts of the liquids' meshes are free surface at the start.
//
// Where a mesh rests on a solid, its surface is not a free surface. So near solids flow->phi is measured again: it
// becomes the distance to those parts of the meshes that do not face a solid.
#ifndef TLW_STEP_LIQUID_FREE_SURFACE_H
#define TLW_STEP_LIQUID_FREE_SURFACE_H

#include "step/liquid/seed.h"

// After tlwUniteLevelSet and tlwAddNozzlesToLevelSet, with the same meshes; flow->solid must be current.
tlwResult tlwMeasureFreeSurface(const tlwSeeder *seeder, const tlwPlacedMeshes *liquids,
                                const tlwPlacedMeshes *sources);

#endif
