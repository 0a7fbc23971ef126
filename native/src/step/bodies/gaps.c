#include "step/bodies/gaps.h"

#include "base/memory.h"
#include "scene/scene.h"
#include "shape/sdf_sample.h"
#include "solve/poisson/poisson.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NEAR 1.25f  // cells from a body within which liquid or air counts as beside a gap
#define BESIDE 1.0f // cells from there, or from a gap, to the other solid: stays on that side of a thin body

enum { ELSEWHERE = 0, LIQUID, AIR, GAP };

// A box of cells around a body.
typedef struct Box {
    const tlwGrid *grid;
    const tlwPlacedMesh *solid;
    int low[3], size[3];
    int64_t count;
    float *body, *other; // cells from a cell's centre to the body, and to the nearest other solid
    int16_t *near;       // number of that other solid, -1 for the domain's walls
    uint8_t *what;
    int32_t *source; // cell of the box whose pressure a gap takes; -1 until one is found
    uint8_t *layer;  // number of gap cells on the way to the source
} Box;

static tlwSdfNodes centresOf(const Box *box)
{
    tlwSdfNodes nodes = {.spacing = box->grid->dx,
                         .dims = {box->size[0], box->size[1], box->size[2]},
                         .stride = {1, box->size[0], (int64_t)box->size[0] * box->size[1]}};
    nodes.origin =
        tlwMulAdd(box->grid->origin, box->grid->dx, (tlwVec3){box->low[0] + 0.5, box->low[1] + 0.5, box->low[2] + 0.5});
    return nodes;
}

static void cellOf(const Box *box, int64_t n, int cell[3])
{
    cell[0] = box->low[0] + (int)(n % box->size[0]);
    cell[1] = box->low[1] + (int)(n / box->size[0] % box->size[1]);
    cell[2] = box->low[2] + (int)(n / ((int64_t)box->size[0] * box->size[1]));
}

static bool meets(const tlwPlacedMesh *a, const tlwPlacedMesh *b, double margin)
{
    return a->low.x < b->high.x + margin && a->high.x > b->low.x - margin && a->low.y < b->high.y + margin &&
           a->high.y > b->low.y - margin && a->low.z < b->high.z + margin && a->high.z > b->low.z - margin;
}

// Cells from a cell's centre to the nearest closed wall of the domain.
static float wallDistance(const tlwGrid *grid, const tlwWall *walls, const int cell[3])
{
    float nearest = 9;
    for (int a = 0; a < 3; a++) {
        float c = (float)cell[a] + 0.5f;
        if (walls[2 * a] != TLW_WALL_OPEN)
            nearest = fminf(nearest, c);
        if (walls[2 * a + 1] != TLW_WALL_OPEN)
            nearest = fminf(nearest, (float)grid->extent[a] - c);
    }
    return nearest;
}

static bool nearsWall(const tlwGrid *grid, const tlwWall *walls, const Box *box)
{
    for (int a = 0; a < 3; a++)
        if ((walls[2 * a] != TLW_WALL_OPEN && box->low[a] <= 1) ||
            (walls[2 * a + 1] != TLW_WALL_OPEN && box->low[a] + box->size[a] >= grid->extent[a] - 1))
            return true;
    return false;
}

static void freeBox(Box *box)
{
    tlwFree(box->body);
    tlwFree(box->other);
    tlwFree(box->near);
    tlwFree(box->what);
    tlwFree(box->source);
    tlwFree(box->layer);
}

// Fill in the distances. `found` tells whether any other solid is near the body.
static tlwResult makeBox(const tlwGrid *grid, const tlwPlacedMeshes *solids, const tlwPlacedMesh *solid, Box *box,
                         bool *found)
{
    const double low[3] = {solid->low.x, solid->low.y, solid->low.z},
                 high[3] = {solid->high.x, solid->high.y, solid->high.z},
                 origin[3] = {grid->origin.x, grid->origin.y, grid->origin.z};
    const tlwWall *walls = solids->scene->def.walls;
    *box = (Box){.grid = grid, .solid = solid, .count = 1};
    for (int a = 0; a < 3; a++) { // the fields have values only in the window
        int first = (int)floor((low[a] - origin[a]) / grid->dx) - 1,
            last = (int)floor((high[a] - origin[a]) / grid->dx) + 1;
        first = first > grid->window_min[a] ? first : grid->window_min[a];
        int end = grid->window_min[a] + grid->window_size[a] - 1;
        last = last < end ? last : end;
        box->low[a] = first;
        box->size[a] = last - first + 1;
        box->count *= box->size[a] > 0 ? box->size[a] : 0;
    }
    *found = box->count > 0 && nearsWall(grid, walls, box);
    for (int n = 0; n < solids->count && box->count > 0; n++)
        *found = *found || (&solids->items[n] != solid && solids->items[n].enabled &&
                            meets(&solids->items[n], solid, 2 * grid->dx));
    if (!*found)
        return TLW_OK;
    box->body = tlwAlloc((size_t)box->count, sizeof *box->body);
    box->other = tlwAlloc((size_t)box->count, sizeof *box->other);
    box->near = tlwAlloc((size_t)box->count, sizeof *box->near);
    box->what = tlwAlloc((size_t)box->count, 1);
    box->source = tlwAlloc((size_t)box->count, sizeof *box->source);
    box->layer = tlwAlloc((size_t)box->count, 1);
    if (!box->body || !box->other || !box->near || !box->what || !box->source || !box->layer) {
        freeBox(box);
        return TLW_OUT_OF_MEMORY;
    }
    tlwSdfNodes nodes = centresOf(box);
    for (int64_t n = 0; n < box->count; n++) {
        int cell[3];
        cellOf(box, n, cell);
        box->other[n] = wallDistance(grid, walls, cell);
        box->source[n] = -1;
        box->near[n] = -1;
    }
    float per_cell = (float)(1 / grid->dx);
    for (int m = 0; m < solids->count; m++) {
        const tlwPlacedMesh *item = &solids->items[m];
        if (item == solid || !item->enabled || !meets(item, solid, 2 * grid->dx))
            continue;
        tlwRasterizeSdf(item->wet, &item->frame, &nodes, box->body);
        for (int64_t n = 0; n < box->count; n++)
            if (box->body[n] * per_cell < box->other[n]) {
                box->other[n] = box->body[n] * per_cell;
                box->near[n] = (int16_t)m;
            }
    }
    tlwRasterizeSdf(solid->wet, &solid->frame, &nodes, box->body);
    for (int64_t n = 0; n < box->count; n++)
        box->body[n] *= per_cell;
    return TLW_OK;
}

// Inactive tiles have no cell types: what is not solid there is air. Cells beyond walls have no valid types either.
static void sortCells(const tlwFlow *flow, const tlwWall *walls, const uint8_t *type, Box *box)
{
    const tlwGrid *grid = box->grid;
    const int32_t *piece = tlwGetInts(grid, flow->piece), *cover = tlwGetInts(grid, flow->cover),
                  *label = tlwGetInts(grid, flow->label);
    for (int64_t n = 0; n < box->count; n++) {
        int cell[3];
        if (fabsf(box->body[n]) > NEAR || fabsf(box->other[n]) >= BESIDE)
            continue;
        cellOf(box, n, cell);
        bool active = wallDistance(grid, walls, cell) > 0 &&
                      tlwFindTile(grid, tlwFloorDiv(cell[0], TLW_TILE), tlwFloorDiv(cell[1], TLW_TILE),
                                  tlwFloorDiv(cell[2], TLW_TILE)) >= 0;
        int64_t c = tlwCellIndex(grid, cell[0], cell[1], cell[2]);
        int kind = active ? type[c] : box->body[n] < 0 || box->other[n] < 0 ? TLW_CELL_SOLID : TLW_CELL_AIR;
        bool wax = active && (piece[c] || cover[c] || label[c]);
        if (kind == TLW_CELL_LIQUID || kind == TLW_CELL_AIR)
            box->what[n] = kind == TLW_CELL_LIQUID ? LIQUID : AIR;
        else if (!wax && fabsf(box->body[n]) < (float)TLW_PATCH_REACH)
            box->what[n] = GAP;
    }
}

// Give a source to the gap cells next to cells that have one. The nearest neighbour counts, air before liquid. True
// when some were found.
static bool floodLayer(Box *box, int layer)
{
    bool any = false;
    for (int64_t n = 0; n < box->count; n++) {
        if (box->what[n] != GAP || box->source[n] >= 0)
            continue;
        int cell[3], best = 9;
        cellOf(box, n, cell);
        for (int m = 0; m < 27; m++) {
            int d[3] = {m % 3 - 1, m / 3 % 3 - 1, m / 9 - 1}, far = abs(d[0]) + abs(d[1]) + abs(d[2]);
            bool inside = true;
            for (int a = 0; a < 3; a++)
                inside = inside && cell[a] + d[a] >= box->low[a] && cell[a] + d[a] < box->low[a] + box->size[a];
            int64_t q = n + d[0] + box->size[0] * (d[1] + (int64_t)box->size[1] * d[2]);
            if (!inside || m == 13 || box->what[q] == ELSEWHERE)
                continue;
            bool gap = box->what[q] == GAP;
            if (gap && (box->source[q] < 0 || box->layer[q] >= layer))
                continue;
            int32_t source = gap ? box->source[q] : (int32_t)q;
            if (far < best || (far == best && box->what[source] == AIR)) {
                best = far;
                box->source[n] = source;
            }
        }
        if (best < 9)
            box->layer[n] = (uint8_t)layer;
        any = any || best < 9;
    }
    return any;
}

// Flow out of a gap by the motion of the solid on its other side: a gap opens by the difference of both motions. Other
// bodies have rows of their own.
static double getSupportFlow(const tlwPlacedMesh *support, const tlwBodyPatch *patch)
{
    double flow = 0;
    for (int face = 0; face < 6; face++) {
        tlwVec3 r = tlwSub(patch->middle[face], support->motion.origin);
        tlwVec3 v = tlwAdd(support->motion.velocity, tlwCross(support->motion.spin, r));
        const double along[3] = {v.x, v.y, v.z};
        flow += (face & 1 ? patch->cover[face] : -patch->cover[face]) * along[face / 2];
    }
    return flow;
}

static bool addPatches(const Box *box, const tlwPlacedMeshes *solids, tlwCoupledBody *body)
{
    for (int64_t n = 0; n < box->count; n++) {
        int cell[3], from[3];
        tlwBodyPatch patch;
        if (box->what[n] != GAP || box->source[n] < 0 || box->what[box->source[n]] != LIQUID)
            continue;
        cellOf(box, n, cell);
        cellOf(box, box->source[n], from);
        if (!tlwMeasureBodyPatch(box->grid, box->solid, cell, &patch))
            continue;
        float lift[3] = {(float)(cell[0] - from[0]), (float)(cell[1] - from[1]), (float)(cell[2] - from[2])};
        if (!tlwAddLooseCut(body, tlwCellIndex(box->grid, from[0], from[1], from[2]), &patch, lift))
            return false;
        const tlwPlacedMesh *support = box->near[n] >= 0 ? &solids->items[box->near[n]] : NULL;
        if (support && support->moves && !support->body)
            body->cuts[body->count - 1].support = (float)getSupportFlow(support, &patch);
    }
    return true;
}

typedef struct Gaps {
    const tlwFlow *flow;
    const tlwPlacedMeshes *solids;
    const uint8_t *type;
    tlwBodyCoupling *coupling;
} Gaps;

static tlwResult addGaps(const Gaps *gaps, tlwCoupledBody *body)
{
    const tlwPlacedMesh *solid = tlwFindPlacedMesh(gaps->solids, body->object);
    Box box;
    bool found = false;
    if (!solid || !body->count) // dry
        return TLW_OK;
    TLW_TRY(makeBox(&gaps->flow->grid, gaps->solids, solid, &box, &found));
    if (!found)
        return TLW_OK;
    sortCells(gaps->flow, gaps->solids->scene->def.walls, gaps->type, &box);
    for (int layer = 1; layer < 255 && floodLayer(&box, layer); layer++)
        ;
    bool ok = addPatches(&box, gaps->solids, body);
    freeBox(&box);
    return ok ? TLW_OK : TLW_OUT_OF_MEMORY;
}

// Bodies change only their own rows, so threads may share them out. Returns 1 when memory is out.
static double gapRange(void *context, int64_t begin, int64_t end)
{
    const Gaps *gaps = context;
    bool ok = true;
    for (int64_t b = begin; b < end; b++)
        ok = addGaps(gaps, &gaps->coupling->bodies[b]) == TLW_OK && ok;
    return !ok;
}

tlwResult tlwAddGapPatches(tlwThreads *threads, const tlwFlow *flow, const tlwPlacedMeshes *solids, const uint8_t *type,
                           tlwBodyCoupling *coupling)
{
    Gaps gaps = {flow, solids, type, coupling};
    return tlwParallelMax(threads, coupling->count, 1, gapRange, &gaps) > 0 ? TLW_OUT_OF_MEMORY : TLW_OK;
}
