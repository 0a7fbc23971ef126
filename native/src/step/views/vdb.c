#include "step/views/vdb.h"

#include "base/context.h"
#include "shape/vdb.h"
#include "step/views/shown.h"

// Velocity at a cell's centre: the mean of its faces.
static void velocityTile(void *user, int64_t tile, float *values)
{
    const tlwFlow *flow = user;
    const tlwGrid *grid = &flow->grid;
    int64_t stride[3] = {1, grid->stride_y, grid->stride_z};
    int n = 0;
    TLW_FOR_ROWS(grid, &grid->tiles[tile], j, k, row)
        for (int i = 0; i < TLW_TILE; i++)
            for (int a = 0; a < 3; a++) {
                const float *v = tlwGetFloats(grid, flow->velocity[a]) + row + i;
                values[n++] = 0.5f * (v[0] + v[stride[a]]);
            }
}

tlwResult tlwWriteSurfaceVdb(const tlwFrameState *state, const char *path)
{
    tlwMessage *message = &state->context->message;
    tlwFlow *flow = (tlwFlow *)state->flow; // only read
    const tlwGrid *grid = &flow->grid;
    tlwGridTiles tiles;
    TLW_TRY(tlwListGridTiles(grid, message, &tiles));
    const tlwVdbGrid grids[] = {
        {"surface", TLW_VDB_LEVEL_SET, 1, {.fill = tlwFillVisibleTile, .user = flow}, (float)(TLW_PHI_BAND * grid->dx)},
        {"velocity", TLW_VDB_UNKNOWN, 3, {.fill = velocityTile, .user = flow}, 0},
        {"temperature", TLW_VDB_UNKNOWN, 1, tlwMakeGridSource(grid, &tiles, tlwGetFloats(grid, flow->temperature)), 0},
        {"viscosity", TLW_VDB_UNKNOWN, 1, tlwMakeGridSource(grid, &tiles, tlwGetFloats(grid, flow->viscosity)), 0},
    };
    tlwResult result = tlwWriteVdb(path, &tiles.set, grids, 4, state->context->threads, message);
    tlwFreeGridTiles(&tiles);
    return result;
}
