// The level set of a list of tiles as an OpenVDB tree: what the mesher and the VDB writer start from.
#ifndef TLW_BRIDGE_LEVELSET_HPP
#define TLW_BRIDGE_LEVELSET_HPP

#include "shape/tiles.h"

#include <openvdb/openvdb.h>

struct tlwLevelSetInput {
    const tlwTileSet *tiles;
    const tlwTileSource *phi;
    float isovalue, background;
    float nudge;    // no value comes nearer than this to the isovalue: vertices stay apart
    bool clip;      // the tiles have a clip box
    bool keep_band; // keep every leaf with a value in the band, not only those near the surface
};

tlwLevelSetInput tlwMakeLevelSetInput(const tlwTileSet *tiles, const tlwTileSource *phi, float isovalue,
                                      float background, int detail);

// `tree` is cut at the clip box and has `detail` voxels per cell edge; `raw` is the same without the cut (and may be
// the same tree). Leaves surround the surface; elsewhere there are tiles or the background.
void tlwBuildLevelSet(const tlwLevelSetInput &in, int detail, openvdb::FloatTree::Ptr &tree,
                      openvdb::FloatTree::Ptr &raw);

// Are some of the values below `value` and some not?
bool tlwCrossesValue(const float *values, int count, float value);

#endif
