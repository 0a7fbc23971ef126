// Turns the level set of a list of tiles into an OpenVDB tree, for the mesher and the VDB writer.
#ifndef TLW_BRIDGE_LEVELSET_HPP
#define TLW_BRIDGE_LEVELSET_HPP

#include "shape/tiles.h"

#include <openvdb/openvdb.h>

struct tlwLevelSetInput {
    const tlwTileSet *tiles;
    const tlwTileSource *phi;
    float isovalue, background;
    float nudge;    // values are kept at least this far from the isovalue, so that vertices stay apart
    bool clip;      // the tiles have a clip box
    bool keep_band; // keep every leaf with a value in the band, not only those near the surface
};

tlwLevelSetInput tlwMakeLevelSetInput(const tlwTileSet *tiles, const tlwTileSource *phi, float isovalue,
                                      float background, int detail);

// `tree` is cut at the clip box and has `detail` voxels per cell edge. `raw` is the level set without the cut; it may
// be the same tree. Leaves surround the surface; elsewhere there are tiles or the background.
void tlwBuildLevelSet(const tlwLevelSetInput &in, int detail, openvdb::FloatTree::Ptr &tree,
                      openvdb::FloatTree::Ptr &raw);

// Where the clip box ends along an axis: as an index of voxels, whose centres are whole numbers.
double tlwGetClipEnd(const tlwLevelSetInput &in, int detail, int axis);

// Whether some of the values are below `value` and some are not.
bool tlwCrossesValue(const float *values, int count, float value);

#endif
