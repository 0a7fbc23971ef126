#include "shape/tiles.h"

#include "base/memory.h"
#include "grid/grid.h"

void tlwFetchTile(const tlwTileSource *source, int64_t tile, int components, float *values)
{
    if (source->fill) {
        source->fill(source->user, tile, values);
        return;
    }
    int64_t base = source->bases[tile];
    for (int z = 0; z < TLW_TILE; z++)
        for (int y = 0; y < TLW_TILE; y++) {
            const float *row = base < 0 ? NULL : source->field + base + y * source->stride_y + z * source->stride_z;
            for (int x = 0; x < TLW_TILE; x++)
                for (int c = 0; c < components; c++)
                    *values++ = row ? row[x * source->stride_x + c] : source->inside;
        }
}

void tlwClipTiles(const tlwGrid *grid, tlwTileSet *set)
{
    for (int a = 0; a < 3; a++) {
        set->clip_low[a] = 0;
        set->clip_high[a] = tlwGetLastCell(grid, a) + 1;
        set->clip_beyond[a] = grid->extent[a] - set->clip_high[a];
    }
}

tlwResult tlwListGridTiles(const tlwGrid *grid, tlwMessage *message, tlwGridTiles *tiles)
{
    *tiles = (tlwGridTiles){0};
    tiles->first_cells = tlwAlloc(3 * (size_t)grid->tile_count, sizeof(int32_t));
    tiles->bases = tlwAlloc((size_t)grid->tile_count, sizeof(int64_t));
    if (!tiles->first_cells || !tiles->bases) {
        tlwFreeGridTiles(tiles);
        return tlwFailMemory(message, "a list of tiles");
    }
    for (int t = 0; t < grid->tile_count; t++) {
        tiles->bases[t] = grid->tiles[t].base;
        for (int a = 0; a < 3; a++)
            tiles->first_cells[3 * t + a] = grid->tiles[t].cell[a];
    }
    double half = grid->dx / 2;
    tiles->set = (tlwTileSet){.first_cells = tiles->first_cells,
                              .count = grid->tile_count,
                              .cell_size = grid->dx,
                              .origin = {grid->origin.x + half, grid->origin.y + half, grid->origin.z + half}};
    tlwClipTiles(grid, &tiles->set);
    return TLW_OK;
}

void tlwFreeGridTiles(tlwGridTiles *tiles)
{
    tlwFree(tiles->first_cells);
    tlwFree(tiles->bases);
    *tiles = (tlwGridTiles){0};
}

tlwTileSource tlwMakeGridSource(const tlwGrid *grid, const tlwGridTiles *tiles, const float *field)
{
    return (tlwTileSource){
        .field = field, .bases = tiles->bases, .stride_x = 1, .stride_y = grid->stride_y, .stride_z = grid->stride_z};
}
