// What of the liquids' meshes is free surface at the start.
//
// A mesh that stands on a solid ends there only because the solid begins: the distance to it is none to a free
// surface. So near solids flow->phi is measured anew, on the mesh itself, to those parts that do not face a solid.
#ifndef TLW_STEP_LIQUID_FREE_SURFACE_H
#define TLW_STEP_LIQUID_FREE_SURFACE_H

#include "step/liquid/seed.h"

// After tlwUniteLevelSet and tlwAddNozzlesToLevelSet, with the same meshes; flow->solid must be current.
tlwResult tlwMeasureFreeSurface(const tlwSeeder *seeder, const tlwPlacedMeshes *liquids,
                                const tlwPlacedMeshes *sources);

#endif
