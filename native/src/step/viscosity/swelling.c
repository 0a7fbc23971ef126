#include "step/viscosity/swelling.h"

static const float PARTLY_OPEN = 1e-3f; // least open and least closed share of a face that is neither open nor closed

bool tlwAddBulkSamples(tlwViscosityBuild *build)
{
    tlwStressSystem *system = build->system;
    const float zero = 0;
    if (!tlwAddBulk(&system->level))
        return false;
    int slot = tlwAddField(&system->level.grid, sizeof(float), &zero, false);
    system->swelling = slot >= 0 ? tlwGetFloats(&system->level.grid, slot) : NULL;
    return slot >= 0;
}

static inline bool isPartial(const tlwGrid *flow, int slot, int64_t face)
{
    float share = slot >= 0 ? tlwGetFloats(flow, slot)[face] : 1;
    return share > PARTLY_OPEN && share < 1 - PARTLY_OPEN;
}

// Whether solids and nozzles leave every face of a cell open or close it.
static bool isWhole(const tlwViscosityDef *def, int64_t at)
{
    const tlwGrid *flow = def->grid;
    const int64_t stride[3] = {1, flow->stride_y, flow->stride_z};
    for (int n = 0; n < 6; n++) {
        int a = n >> 1;
        int64_t face = n & 1 ? at + stride[a] : at;
        if (isPartial(flow, def->open[a], face) || isPartial(flow, def->held_share[a], face))
            return false;
    }
    return true;
}

static void loadRange(void *context, int64_t begin, int64_t end)
{
    const tlwViscosityBuild *build = context;
    const tlwGrid *grid = &build->system->level.grid, *flow = build->def->grid;
    const float *old = tlwGetFloats(flow, build->def->swelling), dx = (float)flow->dx;
    float *bulk = build->system->level.c[TLW_BULK], *swelling = build->system->swelling;
    float unit = (float)build->def->dt * dx, most = TLW_SWELLING_MOST / (float)build->def->dt;
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(grid, &grid->tiles[t], j, k, row) {
            int64_t from = tlwCellIndex(flow, grid->tiles[t].cell[0], (int)j, k);
            for (int i = 0; i < TLW_TILE; i++) {
                if (!(bulk[row + i] > 0))
                    continue;
                if (isWhole(build->def, from + i))
                    swelling[row + i] = dx * (float)tlwClamp(old[from + i] * unit / bulk[row + i], -most, most);
                else
                    bulk[row + i] = 0;
            }
        }
}

void tlwLoadSwelling(tlwThreads *threads, const tlwViscosityBuild *build)
{
    tlwParallelFor(threads, build->system->level.grid.tile_count, TLW_TILE_BLOCK, loadRange, (void *)build);
}

static void keepRange(void *context, int64_t begin, int64_t end)
{
    const tlwViscosityBuild *build = context;
    const tlwStressSystem *system = build->system;
    const tlwGrid *grid = &system->level.grid, *flow = build->def->grid;
    const double *u = system->x.at[0], *v = system->x.at[1], *w = system->x.at[2];
    const int64_t y = grid->stride_y, z = grid->stride_z;
    float *out = tlwGetFloats(flow, build->def->swelling), dx = (float)flow->dx;
    float kept = TLW_SWELLING_KEPT / (dx * (float)build->def->dt * dx);
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(grid, &grid->tiles[t], j, k, row) {
            int64_t to = tlwCellIndex(flow, grid->tiles[t].cell[0], (int)j, k) - row;
            for (int64_t i = row; i < row + TLW_TILE; i++)
                if (system->level.c[TLW_BULK][i] > 0) {
                    double growth = ((u[i + 1] - u[i]) + (v[i + y] - v[i])) + (w[i + z] - w[i]);
                    out[to + i] = kept * system->level.c[TLW_BULK][i] * (float)(system->swelling[i] - growth);
                }
        }
}

void tlwKeepSwelling(tlwThreads *threads, const tlwViscosityBuild *build)
{
    const tlwGrid *flow = build->def->grid;
    tlwFillFloats(threads, flow, tlwGetFloats(flow, build->def->swelling), 0);
    if (build->system->swelling)
        tlwParallelFor(threads, build->system->level.grid.tile_count, TLW_TILE_BLOCK, keepRange, (void *)build);
}
