#include "step/frozen.h"

#include "base/memory.h"
#include "grid/components.h"

#include <string.h>

#define BOND 0.3f // share of a face that a solid must cover to hold a frozen cell

void tlwFreePieces(tlwPieces *pieces)
{
    tlwFree(pieces->items);
    memset(pieces, 0, sizeof *pieces);
}

static bool isFrozen(void *user, int64_t cell)
{
    return ((const uint8_t *)user)[cell] != TLW_FROZEN_NOT;
}

static tlwVec3 centreOf(const tlwGrid *grid, const tlwTile *tile, int i, int64_t j, int k)
{
    return tlwMulAdd(grid->origin, grid->dx, (tlwVec3){tile->cell[0] + i + 0.5, (double)j + 0.5, k + 0.5});
}

// The obstacle that covers enough of a face of the cell, if any; a body does not hold what is frozen.
static int holderOf(const tlwSolids *solids, const tlwFlow *flow, int64_t c)
{
    const tlwGrid *grid = &flow->grid;
    const int16_t *object = (const int16_t *)grid->fields[flow->solid_object].data;
    int64_t stride[3] = {1, grid->stride_y, grid->stride_z};
    for (int n = 0; n < 6; n++) {
        int axis = n / 2;
        int64_t f = c + (n & 1) * stride[axis];
        if (tlwGetFloats(grid, flow->open[axis])[f] > 1 - BOND || object[f] == TLW_NO_OBJECT)
            continue;
        if (object[f] < 0 || solids->scene->objects[object[f]].def.role != TLW_ROLE_RIGID)
            return object[f];
    }
    return TLW_NO_OBJECT;
}

static void addMoments(const tlwFlow *flow, const int32_t *labels, tlwPieces *pieces, bool second)
{
    const tlwGrid *grid = &flow->grid;
    const float *density = tlwGetFloats(grid, flow->density);
    double cell = grid->dx * grid->dx * grid->dx, own = grid->dx * grid->dx / 12;
    for (int t = 0; t < grid->tile_count; t++) {
        const tlwTile *tile = &grid->tiles[t];
        TLW_FOR_ROWS(grid, tile, j, k, row)
        for (int i = 0; i < TLW_TILE; i++) {
            if (!labels[row + i])
                continue;
            tlwPiece *piece = &pieces->items[labels[row + i] - 1];
            double mass = (density[row + i] > 0 ? density[row + i] : 1000) * cell;
            tlwVec3 x = centreOf(grid, tile, i, j, k);
            if (!second) {
                piece->mass += mass;
                piece->centre = tlwMulAdd(piece->centre, mass, x);
                piece->cells++;
                continue;
            }
            tlwVec3 r = tlwSub(x, piece->centre);
            piece->inertia[0] += mass * (r.y * r.y + r.z * r.z + 2 * own);
            piece->inertia[1] += mass * (r.x * r.x + r.z * r.z + 2 * own);
            piece->inertia[2] += mass * (r.x * r.x + r.y * r.y + 2 * own);
            piece->inertia[3] -= mass * r.x * r.y;
            piece->inertia[4] -= mass * r.x * r.z;
            piece->inertia[5] -= mass * r.y * r.z;
        }
    }
}

static tlwMat3 inertiaOf(const tlwPiece *p)
{
    const double *m = p->inertia;
    return (tlwMat3){{{m[0], m[3], m[4]}, {m[3], m[1], m[5]}, {m[4], m[5], m[2]}}};
}

static void holdPieces(const tlwSolids *solids, const tlwFlow *flow, const int32_t *labels, tlwPieces *pieces)
{
    const tlwGrid *grid = &flow->grid;
    for (int n = 0; n < pieces->count; n++)
        pieces->items[n].object = TLW_NO_OBJECT;
    for (int t = 0; t < grid->tile_count; t++)
        TLW_FOR_ROWS(grid, &grid->tiles[t], j, k, row)
    for (int i = 0; i < TLW_TILE; i++) {
        tlwPiece *piece = labels[row + i] ? &pieces->items[labels[row + i] - 1] : NULL;
        if (piece && piece->object == TLW_NO_OBJECT)
            piece->object = holderOf(solids, flow, row + i);
    }
}

// Motion of what holds a piece; zero for walls and solids that stand still.
static void takeHolderMotion(const tlwSolids *solids, tlwPiece *piece)
{
    piece->velocity = piece->spin = (tlwVec3){0, 0, 0};
    for (int n = 0; n < solids->count; n++) {
        const tlwSolid *solid = &solids->items[n];
        if (solid->object != piece->object || !solid->moves)
            continue;
        piece->spin = solid->motion.spin;
        piece->velocity =
            tlwAdd(solid->motion.velocity, tlwCross(piece->spin, tlwSub(piece->centre, solid->motion.origin)));
    }
}

typedef struct Faces {
    tlwFlow *flow;
    const int32_t *labels;
    const tlwPieces *pieces;
    bool velocity; // also write the flow's velocity
} Faces;

// Close the faces of frozen cells and give them their piece's motion.
static void faceRange(void *context, int64_t begin, int64_t end)
{
    const Faces *f = context;
    tlwGrid *grid = &f->flow->grid;
    int64_t stride[3] = {1, grid->stride_y, grid->stride_z};
    for (int64_t t = begin; t < end; t++) {
        const tlwTile *tile = &grid->tiles[t];
        for (int a = 0; a < 3; a++) {
            float *open = tlwGetFloats(grid, f->flow->open[a]), *solid = tlwGetFloats(grid, f->flow->solid_velocity[a]),
                  *velocity = tlwGetFloats(grid, f->flow->velocity[a]);
            TLW_FOR_ROWS(grid, tile, j, k, row)
            for (int i = 0; i < TLW_TILE; i++) {
                int64_t c = row + i;
                int label = f->labels[c] ? f->labels[c] : f->labels[c - stride[a]];
                if (!label)
                    continue;
                const tlwPiece *piece = &f->pieces->items[label - 1];
                tlwVec3 p = {tile->cell[0] + i + (a == 0 ? 0 : 0.5), (double)j + (a == 1 ? 0 : 0.5),
                             k + (a == 2 ? 0 : 0.5)};
                p = tlwMulAdd(grid->origin, grid->dx, p);
                tlwVec3 v = tlwAdd(piece->velocity, tlwCross(piece->spin, tlwSub(p, piece->centre)));
                open[c] = 0;
                solid[c] = (float)(a == 0 ? v.x : a == 1 ? v.y : v.z);
                if (f->velocity)
                    velocity[c] = solid[c];
            }
        }
    }
}

static void markCells(tlwFlow *flow, const int32_t *labels, const tlwPieces *pieces)
{
    tlwGrid *grid = &flow->grid;
    uint8_t *frozen = tlwGetBytes(grid, flow->frozen);
    int32_t *piece = tlwGetInts(grid, flow->piece);
    for (int t = 0; t < grid->tile_count; t++)
        TLW_FOR_ROWS(grid, &grid->tiles[t], j, k, row)
    for (int64_t c = row; c < row + TLW_TILE; c++) {
        bool loose = labels[c] && pieces->items[labels[c] - 1].object == TLW_NO_OBJECT;
        frozen[c] = !labels[c] ? TLW_FROZEN_NOT : loose ? TLW_FROZEN_FREE : TLW_FROZEN_HELD;
        piece[c] = loose ? labels[c] : 0;
    }
}

tlwResult tlwFindPieces(tlwContext *context, const tlwSolids *solids, tlwFlow *flow, tlwPieces *pieces)
{
    tlwGrid *grid = &flow->grid;
    memset(pieces, 0, sizeof *pieces);
    int32_t *labels = tlwGetInts(grid, flow->label);
    tlwComponentRule rule = {isFrozen, NULL, tlwGetBytes(grid, flow->frozen)};
    if (tlwLabelComponents(grid, &rule, labels, &pieces->count) != TLW_OK)
        return tlwFailMemory(&context->message, "the frozen pieces");
    pieces->items = tlwAlloc((size_t)pieces->count, sizeof *pieces->items);
    if (!pieces->items)
        return tlwFailMemory(&context->message, "the frozen pieces");
    holdPieces(solids, flow, labels, pieces);
    addMoments(flow, labels, pieces, false);
    for (int n = 0; n < pieces->count; n++) {
        tlwPiece *piece = &pieces->items[n];
        piece->centre = tlwScale(piece->centre, 1 / piece->mass);
        if (piece->object == TLW_NO_OBJECT)
            pieces->free_count++;
        else
            takeHolderMotion(solids, piece);
    }
    addMoments(flow, labels, pieces, true);
    markCells(flow, labels, pieces);
    if (pieces->count) {
        Faces f = {flow, labels, pieces, false};
        tlwParallelFor(context->threads, grid->tile_count, TLW_TILE_BLOCK, faceRange, &f);
    }
    return TLW_OK;
}

// Momentum of the free pieces' cells, from the mean of each cell's faces.
static void findMotion(const tlwFlow *flow, const int32_t *labels, tlwPieces *pieces)
{
    const tlwGrid *grid = &flow->grid;
    const float *density = tlwGetFloats(grid, flow->density);
    int64_t stride[3] = {1, grid->stride_y, grid->stride_z};
    double cell = grid->dx * grid->dx * grid->dx;
    for (int n = 0; n < pieces->count; n++)
        if (pieces->items[n].object == TLW_NO_OBJECT)
            pieces->items[n].velocity = pieces->items[n].spin = (tlwVec3){0, 0, 0};
    for (int t = 0; t < grid->tile_count; t++) {
        const tlwTile *tile = &grid->tiles[t];
        TLW_FOR_ROWS(grid, tile, j, k, row)
        for (int i = 0; i < TLW_TILE; i++) {
            int64_t c = row + i;
            tlwPiece *piece = labels[c] ? &pieces->items[labels[c] - 1] : NULL;
            if (!piece || piece->object != TLW_NO_OBJECT)
                continue;
            double v[3], mass = (density[c] > 0 ? density[c] : 1000) * cell;
            for (int a = 0; a < 3; a++) {
                const float *u = tlwGetFloats(grid, flow->velocity[a]);
                v[a] = 0.5 * ((double)u[c] + u[c + stride[a]]);
            }
            tlwVec3 velocity = {v[0], v[1], v[2]};
            piece->velocity = tlwMulAdd(piece->velocity, mass / piece->mass, velocity);
            piece->spin =
                tlwMulAdd(piece->spin, mass, tlwCross(tlwSub(centreOf(grid, tile, i, j, k), piece->centre), velocity));
        }
    }
    for (int n = 0; n < pieces->count; n++)
        if (pieces->items[n].object == TLW_NO_OBJECT)
            pieces->items[n].spin = tlwMulMat3(tlwMat3Inverse(inertiaOf(&pieces->items[n])), pieces->items[n].spin);
}

tlwResult tlwCouplePieces(tlwContext *context, tlwFlow *flow, tlwPieces *pieces, tlwBodyCoupling *coupling)
{
    if (!pieces->free_count)
        return TLW_OK;
    const int32_t *labels = tlwGetInts(&flow->grid, flow->label);
    findMotion(flow, labels, pieces);
    for (int n = 0; n < pieces->count; n++) {
        const tlwPiece *piece = &pieces->items[n];
        if (piece->object != TLW_NO_OBJECT)
            continue;
        tlwCoupledBody *body = tlwAddCoupledBody(coupling);
        if (!body)
            return tlwFailMemory(&context->message, "the frozen pieces");
        *body = (tlwCoupledBody){.object = TLW_PIECE_KEY(n + 1),
                                 .inverse_mass = 1 / piece->mass,
                                 .inverse_inertia = tlwMat3Inverse(inertiaOf(piece)),
                                 .centre = piece->centre,
                                 .velocity = piece->velocity,
                                 .spin = piece->spin};
    }
    Faces f = {flow, labels, pieces, false};
    tlwParallelFor(context->threads, flow->grid.tile_count, TLW_TILE_BLOCK, faceRange, &f);
    return TLW_OK;
}

void tlwUpdateCoupledPieces(const tlwFlow *flow, tlwPieces *pieces, tlwBodyCoupling *coupling)
{
    if (!pieces->free_count)
        return;
    findMotion(flow, tlwGetInts(&flow->grid, flow->label), pieces);
    for (int b = 0; b < coupling->count; b++) {
        tlwCoupledBody *body = &coupling->bodies[b];
        if (body->object < TLW_PIECE_KEY(0))
            continue;
        body->velocity = pieces->items[body->object - TLW_PIECE_KEY(1)].velocity;
        body->spin = pieces->items[body->object - TLW_PIECE_KEY(1)].spin;
    }
}

void tlwMovePieces(tlwContext *context, tlwFlow *flow, tlwPieces *pieces, const tlwBodyCoupling *coupling)
{
    if (!pieces->count)
        return;
    for (int b = 0; b < coupling->count; b++) {
        const tlwCoupledBody *body = &coupling->bodies[b];
        if (body->object < TLW_PIECE_KEY(0))
            continue;
        tlwPiece *piece = &pieces->items[body->object - TLW_PIECE_KEY(1)];
        piece->velocity = body->velocity;
        piece->spin = body->spin;
    }
    Faces f = {flow, tlwGetInts(&flow->grid, flow->label), pieces, true};
    tlwParallelFor(context->threads, flow->grid.tile_count, TLW_TILE_BLOCK, faceRange, &f);
}
