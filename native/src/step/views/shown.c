#include "step/views/shown.h"

#include "grid/grid.h"
#include "step/fields/flow.h"
#include "step/liquid/walls.h"
#include "step/obstacles/face_share.h"

#define SIDE (-0.02f) // cells: level set at the centre of a cell that a film on the domain's side reaches into
#define FILM 0.25f // cells: a film whose top is less than this above the first open centre is shown down into the solid

static bool isInDomain(const tlwGrid *grid, int i, int j, int k)
{
    return i >= 0 && i <= tlwGetLastCell(grid, 0) && j >= 0 && j <= tlwGetLastCell(grid, 1) && k >= 0 &&
           k <= tlwGetLastCell(grid, 2);
}

// The mesh ends at the domain's sides, so a film on them cannot reach beyond: it is shown half a cell thick.
static bool showSideFilm(const tlwGrid *grid, const float *phi, const tlwTile *tile, int64_t c, int i, int j, int k)
{
    int cell[3] = {tile->cell[0] + i, j, k};
    int64_t stride[3] = {1, grid->stride_y, grid->stride_z};
    if (phi[c] >= FILM * (float)grid->dx || !isInDomain(grid, cell[0], j, k))
        return false;
    for (int a = 0; a < 3; a++)
        if ((cell[a] == 0 && phi[c - stride[a]] < 0) || (cell[a] == tlwGetLastCell(grid, a) && phi[c + stride[a]] < 0))
            return true;
    return false;
}

// A film thinner than half a cell holds no open cell's centre and would not be seen. It is shown with its lower side
// inside the solid that it covers. Returns the value at the centre of such a solid cell, or 0 where there is no film.
static float showFilm(const tlwGrid *grid, const float *phi, const float *solid, const tlwTile *tile, int64_t c, int i,
                      int j, int k)
{
    float p[3] = {(float)(tile->cell[0] + i) + 0.5f, (float)j + 0.5f, (float)k + 0.5f}, q[3], dx = (float)grid->dx;
    int64_t open;
    if (!isInDomain(grid, tile->cell[0] + i, j, k) || phi[c] >= 0 || tlwGetCentreSolid(grid, solid, c) < -dx ||
        !tlwFindOpenCell(grid, solid, p, &open, q) || phi[open] < -FILM * dx)
        return 0;
    return phi[c] > -FILM * dx ? phi[c] : -FILM * dx;
}

void tlwFillVisibleTile(void *user, int64_t tile, float *values)
{
    const tlwFlow *flow = user;
    const tlwGrid *grid = &flow->grid;
    const float *phi = tlwGetFloats(grid, flow->phi), *solid = tlwGetFloats(grid, flow->solid);
    int n = 0;
    TLW_FOR_ROWS(grid, &grid->tiles[tile], j, k, row)
        for (int i = 0; i < TLW_TILE; i++, n++) {
            float cut = -tlwGetCentreSolid(grid, solid, row + i), sides[3];
            if (tlwIsCutBySides(grid, solid, (const int[3]){grid->tiles[tile].cell[0] + i, (int)j, k}, sides))
                cut = -0.5f * (float)grid->dx; // the mesh is cut at the domain's sides, wherever in the cell they are
            values[n] = phi[row + i] > cut ? phi[row + i] : cut;
            float film = cut > 0 ? showFilm(grid, phi, solid, &grid->tiles[tile], row + i, i, (int)j, (int)k) : 0;
            if (film < 0)
                values[n] = film;
            else if (cut <= 0 && values[n] >= 0 &&
                     showSideFilm(grid, phi, &grid->tiles[tile], row + i, i, (int)j, (int)k))
                values[n] = SIDE * (float)grid->dx;
        }
}
