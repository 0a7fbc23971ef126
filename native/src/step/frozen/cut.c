#include "step/frozen/cut.h"

#include "base/context.h"
#include "base/memory.h"
#include "grid/sample.h"
#include "scene/scene.h"
#include "step/fields/cell_parts.h"
#include "step/frozen/identity.h"
#include "step/frozen/pieces.h"
#include "step/frozen/shape.h"
#include "step/obstacles/face_share.h"

#include <math.h>
#include <string.h>

#define SLIVER 0.02f

// The cuts of one block of tiles.
typedef struct CutList {
    tlwPieceCut *items;
    int64_t count, capacity;
    bool failed; // memory is out
} CutList;

typedef struct Cut {
    const tlwPieceSearch *search;
    tlwPieces *pieces;
    const tlwGrid *grid;
    tlwFlow *flow;
    const int32_t *piece; // label of free pieces in their own cells
    int32_t *near;        // the same in the cells around too, which their surfaces may cut
    float *distance;      // cells to the surface, -1 .. 1
    float *share;         // share of a cell inside the shape
    float *grown_share;   // the same for the shape grown by GROW
    int32_t *cover;
    double *volumes, *grown; // per piece, in cells: volume of the shape, and of the shape grown by GROW
    float *shift;            // per piece, cells
    CutList *lists;
} Cut;

#define GROW 0.1f // cells

static void startRange(void *context, int64_t begin, int64_t end)
{
    const Cut *u = context;
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(u->grid, &u->grid->tiles[t], j, k, row)
            for (int64_t c = row; c < row + TLW_TILE; c++) {
                u->cover[c] = 0;
                u->distance[c] = 1;
            }
}

static bool isPieceNear(const Cut *u, int64_t row)
{
    int32_t any = 0;
    for (int q = 0; q < 9; q++) {
        const int32_t *piece = u->piece + row + (q % 3 - 1) * u->grid->stride_y + (q / 3 - 1) * u->grid->stride_z;
        for (int i = -1; i <= TLW_TILE; i++)
            any |= piece[i];
    }
    return any;
}

static void growRange(void *context, int64_t begin, int64_t end)
{
    const Cut *u = context;
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(u->grid, &u->grid->tiles[t], j, k, row) {
            bool near = isPieceNear(u, row);
            memset(u->near + row, 0, TLW_TILE * sizeof *u->near);
            for (int64_t c = row; c < row + TLW_TILE && near; c++) {
                int32_t label = u->piece[c];
                for (int q = 0; q < 27 && !label; q++)
                    label =
                        u->piece[c + q % 3 - 1 + (q / 3 % 3 - 1) * u->grid->stride_y + (q / 9 - 1) * u->grid->stride_z];
                u->near[c] = label;
            }
        }
}

// A cell and the particles of a piece around it.
typedef struct Fill {
    const int *at;
    uint32_t id;
    float cell; // m3
    float sum;  // share of the cell that they fill, spread trilinearly
} Fill;

static void addFill(const Cut *u, int64_t begin, int64_t end, Fill *fill)
{
    const tlwParticles *q = u->search->particles;
    const tlwMaterial *materials = u->search->solids->scene->materials;
    for (int64_t n = begin; n < end; n++) {
        float w[3];
        for (int a = 0; a < 3; a++) {
            float x = fabsf(q->position[a][n] - (float)fill->at[a] - 0.5f);
            w[a] = x < 1 ? 1 - x : 0;
        }
        if (!(w[0] > 0) || !(w[1] > 0) || !(w[2] > 0) || tlwGetPieceId(q->frozen[n]) != fill->id)
            continue;
        float weight = q->mass[n] / ((float)materials[q->material[n]].def.density_solid * fill->cell);
        fill->sum += weight * w[0] * w[1] * w[2];
    }
}

static float fillOf(const Cut *u, int own, const int at[3], uint32_t id)
{
    const tlwGrid *grid = u->grid;
    const tlwParticleOrder *order = u->search->order;
    Fill fill = {at, id, (float)(grid->dx * grid->dx * grid->dx), 0};
    int i = at[0] & 7,
        run = i > 0 && i < TLW_TILE - 1 ? 3 : 1; // neighbours along x follow each other within a tile
    for (int m = 0; m < 27; m += run) {
        int c[3] = {at[0] + m % 3 - 1, at[1] + m / 3 % 3 - 1, at[2] + m / 9 - 1};
        bool inside = c[0] >> 3 == at[0] >> 3 && c[1] >> 3 == at[1] >> 3 && c[2] >> 3 == at[2] >> 3;
        int t = inside ? own : tlwFindTile(grid, c[0] >> 3, c[1] >> 3, c[2] >> 3);
        if (t < 0)
            continue;
        int first = (c[0] & 7) + TLW_TILE * ((c[1] & 7) + TLW_TILE * (c[2] & 7));
        const int32_t *start = order->cell_start + (int64_t)t * (TLW_TILE_CELLS + 1);
        addFill(u, order->tile_start[t] + start[first], order->tile_start[t] + start[first + run], &fill);
    }
    return fill.sum;
}

static void distanceRange(void *context, int64_t begin, int64_t end)
{
    const Cut *u = context;
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(u->grid, &u->grid->tiles[t], j, k, row)
            for (int i = 0; i < TLW_TILE; i++)
                if (u->near[row + i])
                    u->distance[row + i] =
                        tlwGetPlaneDistance(fillOf(u, (int)t, (int[3]){u->grid->tiles[t].cell[0] + i, (int)j, k},
                                                   u->pieces->items[u->near[row + i] - 1].id));
}

static tlwAround lookAround(const Cut *u, int64_t c)
{
    tlwAround around;
    for (int q = 0; q < 9; q++)
        memcpy(around.d[q / 3][q % 3],
               u->distance + c - 1 + (q % 3 - 1) * u->grid->stride_y + (q / 3 - 1) * u->grid->stride_z,
               sizeof around.d[0][0]);
    return around;
}

// Whether the surface may pass through a cell when it is moved by up to half a cell.
static bool isMixed(const tlwAround *around)
{
    float low = 1, high = -1;
    const float *d = &around->d[0][0][0];
    for (int q = 0; q < 27; q++) {
        low = d[q] < low ? d[q] : low;
        high = d[q] > high ? d[q] : high;
    }
    return low < 0.5f && high > -0.5f;
}

static void shareRange(void *context, int64_t begin, int64_t end)
{
    const Cut *u = context;
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(u->grid, &u->grid->tiles[t], j, k, row)
            for (int64_t c = row; c < row + TLW_TILE; c++) {
                if (!u->near[c])
                    continue;
                tlwAround around = lookAround(u, c);
                u->share[c] = u->grown_share[c] = u->distance[c] < 0;
                if (isMixed(&around)) {
                    float parts[TLW_CELL_PARTS];
                    tlwRefineCell(&around, parts);
                    u->share[c] = tlwGetInsideShare(parts, 0);
                    u->grown_share[c] = tlwGetInsideShare(parts, GROW);
                }
            }
}

// Volume in cells that the particles of each free piece stand for.
static void addWanted(const Cut *u, double *wanted)
{
    const tlwParticles *q = u->search->particles;
    const tlwMaterial *materials = u->search->solids->scene->materials;
    double cell = u->grid->dx * u->grid->dx * u->grid->dx;
    uint32_t last = 0;
    const tlwPiece *piece = NULL;
    for (int64_t n = 0; n < q->count; n++) {
        uint32_t id = tlwGetPieceId(q->frozen[n]);
        if (id != last) { // particles of a piece mostly follow each other
            piece = id ? tlwFindPiece(u->pieces, id) : NULL;
            last = id;
        }
        if (piece && piece->object == TLW_NO_OBJECT)
            wanted[piece - u->pieces->items] += q->mass[n] / (materials[q->material[n]].def.density_solid * cell);
    }
}

// Find the shift that makes every shape hold the volume of its particles: spreading their volume rounds corners off.
// Threads find the shares; they are added up here in a fixed order.
static void measureShapes(Cut *u)
{
    double *wanted = u->volumes + u->pieces->count;
    tlwParallelFor(u->search->context->threads, u->grid->tile_count, TLW_TILE_BLOCK, shareRange, u);
    for (int t = 0; t < u->grid->tile_count; t++)
        TLW_FOR_ROWS(u->grid, &u->grid->tiles[t], j, k, row)
            for (int64_t c = row; c < row + TLW_TILE; c++)
                if (u->near[c]) {
                    u->volumes[u->near[c] - 1] += u->share[c];
                    u->grown[u->near[c] - 1] += u->grown_share[c];
                }
    addWanted(u, wanted);
    for (int n = 0; n < u->pieces->count; n++) {
        double area = (u->grown[n] - u->volumes[n]) / GROW;
        u->shift[n] = area > 0 ? (float)tlwClamp((wanted[n] - u->volumes[n]) / area, -0.3, 0.3) : 0;
    }
}

static void shiftRange(void *context, int64_t begin, int64_t end)
{
    const Cut *u = context;
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(u->grid, &u->grid->tiles[t], j, k, row)
            for (int64_t c = row; c < row + TLW_TILE; c++)
                if (u->near[c])
                    u->distance[c] -= u->shift[u->near[c] - 1];
}

// The level set of the liquid at a cell that the shape cuts; negative under liquid. It is sampled one cell outside the
// shape, and from there continued straight if it is negative. Above the liquid it stays as sampled: beside a piece, the
// level set there is that of the piece.
static bool findLiquid(const Cut *u, const int at[3], tlwPieceCut *cut)
{
    const float *d = u->distance + cut->cell;
    const int64_t sy = u->grid->stride_y, sz = u->grid->stride_z;
    float g[3] = {d[1] - d[-1], d[sy] - d[-sy], d[sz] - d[-sz]}, q[3], slope[3];
    float length = sqrtf(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]), way = 1 - d[0];
    if (!(length > 0.1f))
        return false;
    for (int a = 0; a < 3; a++)
        q[a] = (float)at[a] + 0.5f + way * g[a] / length;
    // Inside a solid the level set is only a continuation. Where a piece stands on the solid, it is that of the piece.
    if (tlwSampleNode(u->grid, tlwGetFloats(u->grid, u->flow->solid), q) < 0)
        return false;
    cut->source = tlwCellIndex(u->grid, tlwFastFloor(q[0]), tlwFastFloor(q[1]), tlwFastFloor(q[2]));
    cut->phi = tlwSampleGradient(u->grid, tlwGetFloats(u->grid, u->flow->phi), 0.5f, q, slope);
    for (int a = 0; a < 3 && cut->phi < 0; a++)
        slope[a] *= way * g[a] / length;
    if (cut->phi < 0)
        cut->phi -= slope[0] + slope[1] + slope[2];
    return true;
}

// Describe a cut cell; false where the cell is not cut. Under liquid the cell is covered, otherwise closed as a whole.
static bool cutCell(const Cut *u, const int at[3], int64_t c, tlwPieceCut *cut)
{
    tlwAround around = lookAround(u, c);
    *cut = (tlwPieceCut){.cell = c, .piece = u->near[c]};
    if (!isMixed(&around) || !findLiquid(u, at, cut))
        return false;
    float parts[TLW_CELL_PARTS];
    tlwRefineCell(&around, parts);
    cut->share = tlwGetInsideShare(parts, 0);
    if (cut->phi < 0 && cut->share > 0)
        u->cover[c] = u->near[c];
    else if (!u->piece[c] && u->distance[c] > 0)
        return false;
    cut->phi = u->cover[c] ? cut->phi : fmaxf(cut->phi, 0.01f * (float)u->grid->dx);
    return true;
}

static void cutRange(void *context, int64_t begin, int64_t end)
{
    const Cut *u = context;
    CutList *list = &u->lists[begin / TLW_TILE_BLOCK];
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(u->grid, &u->grid->tiles[t], j, k, row)
            for (int i = 0; i < TLW_TILE && !list->failed; i++) {
                tlwPieceCut cut;
                if (!u->near[row + i] || !cutCell(u, (int[3]){u->grid->tiles[t].cell[0] + i, (int)j, k}, row + i, &cut))
                    continue;
                list->failed = !tlwReserve((void **)&list->items, &list->capacity, list->count + 1, sizeof cut);
                if (!list->failed)
                    list->items[list->count++] = cut;
            }
}

// Join the lists in the order of the tiles.
static bool joinLists(Cut *u, int64_t blocks)
{
    tlwPieces *pieces = u->pieces;
    int64_t total = 0;
    bool ok = true;
    for (int64_t n = 0; n < blocks; n++) {
        total += u->lists[n].count;
        ok = ok && !u->lists[n].failed;
    }
    pieces->cuts = ok && total ? tlwAlloc((size_t)total, sizeof *pieces->cuts) : NULL;
    ok = ok && (pieces->cuts || !total);
    for (int64_t n = 0; n < blocks; n++) {
        if (pieces->cuts && u->lists[n].count)
            memcpy(pieces->cuts + pieces->cut_count, u->lists[n].items,
                   (size_t)u->lists[n].count * sizeof *pieces->cuts);
        pieces->cut_count += ok ? u->lists[n].count : 0;
        tlwFree(u->lists[n].items);
    }
    return ok;
}

// List the cells that the shapes cut.
static tlwResult listCuts(Cut *u)
{
    int64_t blocks = (u->grid->tile_count + TLW_TILE_BLOCK - 1) / TLW_TILE_BLOCK;
    u->lists = tlwAlloc((size_t)blocks, sizeof *u->lists);
    if (!u->lists)
        return TLW_OUT_OF_MEMORY;
    tlwParallelFor(u->search->context->threads, u->grid->tile_count, TLW_TILE_BLOCK, cutRange, u);
    bool ok = joinLists(u, blocks);
    tlwFree(u->lists);
    return ok ? TLW_OK : TLW_OUT_OF_MEMORY;
}

static float faceShare(const Cut *u, int axis, const int at[3])
{
    enum { PARTS = 2, NODES = PARTS + 1 };
    float d[NODES][NODES], sum = 0;
    int v = (axis + 1) % 3, w = (axis + 2) % 3;
    for (int n = 0; n < NODES * NODES; n++) {
        float p[3] = {(float)at[0], (float)at[1], (float)at[2]};
        int column = n % NODES, row = n / NODES;
        p[v] += (float)column / PARTS;
        p[w] += (float)row / PARTS;
        d[row][column] = tlwSampleCentre(u->grid, u->distance, p);
    }
    for (int n = 0; n < PARTS; n++)
        for (int m = 0; m < PARTS; m++)
            sum += tlwGetOpenSquare(d[n][m], d[n][m + 1], d[n + 1][m + 1], d[n + 1][m]);
    return sum / (PARTS * PARTS);
}

static void faceRange(void *context, int64_t begin, int64_t end)
{
    const Cut *u = context;
    const int64_t stride[3] = {1, u->grid->stride_y, u->grid->stride_z};
    for (int64_t t = begin; t < end; t++)
        for (int a = 0; a < 3; a++) {
            float *open = tlwGetFloats(u->grid, u->flow->open[a]);
            TLW_FOR_ROWS(u->grid, &u->grid->tiles[t], j, k, row)
                for (int i = 0; i < TLW_TILE; i++) {
                    int64_t c = row + i;
                    if (!u->cover[c] && !u->cover[c - stride[a]])
                        continue;
                    float left = open[c] - 1 + faceShare(u, a, (int[3]){u->grid->tiles[t].cell[0] + i, (int)j, k});
                    open[c] = left < SLIVER ? 0 : left > 1 - 1e-4f ? 1 : left;
                }
        }
}

static tlwResult cutFaces(Cut *u)
{
    tlwThreads *threads = u->search->context->threads;
    int64_t tiles = u->grid->tile_count;
    tlwParallelFor(threads, tiles, TLW_TILE_BLOCK, startRange, u);
    tlwParallelFor(threads, tiles, TLW_TILE_BLOCK, growRange, u);
    tlwParallelFor(threads, tiles, TLW_TILE_BLOCK, distanceRange, u);
    measureShapes(u);
    tlwParallelFor(threads, tiles, TLW_TILE_BLOCK, shiftRange, u);
    TLW_TRY(listCuts(u));
    TLW_TRY(tlwListShapes(u->search, u->near, u->distance, u->pieces));
    tlwParallelFor(threads, tiles, TLW_TILE_BLOCK, faceRange, u);
    return TLW_OK;
}

static void forgetRange(void *context, int64_t begin, int64_t end)
{
    const Cut *u = context;
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(u->grid, &u->grid->tiles[t], j, k, row)
            for (int64_t c = row; c < row + TLW_TILE; c++)
                if (u->cover[c]) // scenes without free pieces do not touch these pages
                    u->cover[c] = 0;
}

tlwResult tlwCutPieces(const tlwPieceSearch *search, tlwPieces *pieces)
{
    tlwGrid *grid = &search->flow->grid;
    Cut u = {.search = search, .pieces = pieces, .grid = grid, .flow = search->flow};
    u.cover = tlwGetInts(grid, u.flow->cover);
    if (!pieces->free_count) {
        tlwParallelFor(search->context->threads, grid->tile_count, TLW_TILE_BLOCK, forgetRange, &u);
        return TLW_OK;
    }
    int slots[4], fields = 0;
    for (int n = 0; n < 4; n++)
        fields += (slots[n] = tlwBorrowField(grid, n == 0 ? sizeof(int32_t) : sizeof(float))) >= 0;
    size_t count = (size_t)pieces->count;
    u.volumes = tlwAlloc(3 * count, sizeof *u.volumes);
    u.shift = tlwAlloc(count, sizeof *u.shift);
    tlwResult result = fields == 4 && u.volumes && u.shift ? TLW_OK : TLW_OUT_OF_MEMORY;
    if (result == TLW_OK) {
        u.piece = tlwGetInts(grid, u.flow->piece);
        u.near = tlwGetInts(grid, slots[0]);
        u.distance = tlwGetFloats(grid, slots[1]);
        u.share = tlwGetFloats(grid, slots[2]);
        u.grown_share = tlwGetFloats(grid, slots[3]);
        u.grown = u.volumes + 2 * count;
        result = cutFaces(&u);
    }
    for (int n = 0; n < 4; n++)
        tlwReturnField(grid, slots[n]);
    tlwFree(u.volumes);
    tlwFree(u.shift);
    return result;
}

typedef struct Show {
    const tlwPieces *pieces;
    float *phi;
} Show;

static void showRange(void *context, int64_t begin, int64_t end)
{
    const Show *s = context;
    for (int64_t n = begin; n < end; n++)
        s->phi[s->pieces->cuts[n].cell] = s->pieces->cuts[n].phi;
}

tlwResult tlwShowCuts(tlwContext *context, tlwFlow *flow, const tlwPieces *pieces, int *phi)
{
    *phi = -1;
    if (!pieces->cut_count)
        return TLW_OK;
    tlwGrid *grid = &flow->grid;
    *phi = tlwBorrowField(grid, sizeof(float));
    if (*phi < 0)
        return tlwFailMemory(&context->message, "the frozen pieces");
    Show s = {pieces, tlwGetFloats(grid, *phi)};
    tlwCopyFloats(context->threads, grid, tlwGetFloats(grid, flow->phi), s.phi);
    tlwParallelFor(context->threads, pieces->cut_count, 4096, showRange, &s);
    return TLW_OK;
}
