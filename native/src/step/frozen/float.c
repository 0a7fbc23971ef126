#include "step/frozen/float.h"

#include "base/context.h"
#include "base/memory.h"
#include "scene/scene.h"
#include "step/bodies/groups.h"
#include "step/frozen/identity.h"
#include "step/frozen/pieces.h"
#include "step/liquid/transfer.h"

#include <string.h>

typedef struct Float {
    const tlwPieceSearch *search;
    const tlwPieces *pieces;
    const tlwGrid *grid;
    const tlwMaterial *materials;
    const int32_t *labels;
    const int32_t *cover;
    float *density;
    uint8_t *wet; // cell holds liquid particles
} Float;

typedef struct Range {
    int64_t begin, end;
} Range;

static Range particlesOf(const Float *f, int64_t t, int c)
{
    const tlwParticleOrder *order = f->search->order;
    const int32_t *start = order->cell_start + t * (TLW_TILE_CELLS + 1);
    return (Range){order->tile_start[t] + start[c], order->tile_start[t] + start[c + 1]};
}

static bool touchesPiece(const Float *f, int64_t cell)
{
    for (int q = 0; q < 27; q++)
        if (f->labels[cell + q % 3 - 1 + (q / 3 % 3 - 1) * f->grid->stride_y + (q / 9 - 1) * f->grid->stride_z])
            return true;
    return false;
}

// Liquid next to pieces has the density of its own particles.
static void liquidRange(void *context, int64_t begin, int64_t end)
{
    const Float *f = context;
    const tlwParticles *q = f->search->particles;
    for (int64_t t = begin; t < end; t++) {
        int c = 0;
        TLW_FOR_ROWS(f->grid, &f->grid->tiles[t], j, k, row)
            for (int i = 0; i < TLW_TILE; i++, c++) {
                Range r = particlesOf(f, t, c);
                double mass = 0, volume = 0;
                for (int64_t n = r.begin; n < r.end; n++)
                    if (!q->frozen[n]) {
                        mass += q->mass[n];
                        volume += tlwGetParticleVolume(q, n, f->materials);
                    }
                f->wet[row + i] = volume > 0;
                if (volume > 0 && !f->labels[row + i] && touchesPiece(f, row + i))
                    f->density[row + i] = (float)(mass / volume);
            }
    }
}

// Density of the liquid in or next to a cell; 0 in air and deep inside a piece.
static double liquidAround(const Float *f, int64_t cell)
{
    const int64_t stride[3] = {1, f->grid->stride_y, f->grid->stride_z};
    double sum = 0;
    int count = 0;
    for (int n = -1; n < 6; n++) {
        int64_t c = n < 0 ? cell : cell + (n & 1 ? stride[n / 2] : -stride[n / 2]);
        if (!f->wet[c] || f->labels[c] || !(f->density[c] > 0))
            continue;
        sum += f->density[c];
        count++;
    }
    return count ? sum / count : 0;
}

// A cell that a piece cuts under liquid takes density and viscosity of the liquid around the piece.
static void fillCuts(const Float *f)
{
    float *viscosity = tlwGetFloats(f->grid, f->search->flow->viscosity);
    for (int64_t n = 0; n < f->pieces->cut_count; n++) {
        const tlwPieceCut *cut = &f->pieces->cuts[n];
        if (!(cut->phi < 0) || f->labels[cut->source] || !(f->density[cut->source] > 0))
            continue;
        f->density[cut->cell] = f->density[cut->source];
        viscosity[cut->cell] = viscosity[cut->source];
    }
}

static bool touchesCut(const Float *f, int64_t c)
{
    const int64_t stride[3] = {1, f->grid->stride_y, f->grid->stride_z};
    bool cut = f->cover[c] != 0;
    for (int n = 0; n < 6 && !cut; n++)
        cut = f->cover[c + (n & 1 ? stride[n / 2] : -stride[n / 2])] != 0;
    return cut;
}

typedef struct Push {
    tlwVec3 force, torque;
} Push;

static void addCell(const Float *f, int number, double excess, double density, tlwVec3 x, tlwVec3 gravity, Push *pushes)
{
    tlwVec3 force = tlwScale(gravity, -density * excess);
    pushes[number].force = tlwAdd(pushes[number].force, force);
    pushes[number].torque = tlwAdd(pushes[number].torque, tlwCross(tlwSub(x, f->pieces->items[number].centre), force));
}

// Push of the volume that the particles of pieces take up beyond their cells, less that of cells beyond their
// particles.
static void pushTile(const Float *f, int t, tlwVec3 gravity, Push *pushes)
{
    const tlwGrid *grid = f->grid;
    const tlwTile *tile = &grid->tiles[t];
    const tlwParticles *q = f->search->particles;
    double cell_volume = grid->dx * grid->dx * grid->dx;
    int c = 0;
    TLW_FOR_ROWS(grid, tile, j, k, row)
        for (int i = 0; i < TLW_TILE; i++, c++) {
            int64_t cell = row + i;
            Range r = particlesOf(f, t, c);
            int own = f->labels[cell] - 1;
            if ((own < 0 && r.begin == r.end) || (own >= 0 && f->pieces->items[own].object != TLW_NO_OBJECT))
                continue;
            double density = touchesPiece(f, cell) && !touchesCut(f, cell) ? liquidAround(f, cell) : 0;
            if (!(density > 0))
                continue;
            tlwVec3 x = tlwMulAdd(grid->origin, grid->dx, (tlwVec3){tile->cell[0] + i + 0.5, (double)j + 0.5, k + 0.5});
            if (own >= 0)
                addCell(f, own, -cell_volume, density, x, gravity, pushes);
            for (int64_t n = r.begin; n < r.end; n++) {
                const tlwPiece *piece = q->frozen[n] ? tlwFindPiece(f->pieces, tlwGetPieceId(q->frozen[n])) : NULL;
                if (!piece || piece->object != TLW_NO_OBJECT)
                    continue;
                tlwVec3 p = tlwMulAdd(grid->origin, grid->dx,
                                      (tlwVec3){q->position[0][n], q->position[1][n], q->position[2][n]});
                addCell(f, (int)(piece - f->pieces->items), tlwGetParticleVolume(q, n, f->materials), density, p,
                        gravity, pushes);
            }
        }
}

// The same in cut cells, as tlwRefineBuoyancy does for bodies. The solve pushes by the mean cover of the two faces
// along an axis; buoyancy follows the share inside.
static void pushCuts(const Float *f, tlwVec3 gravity, Push *pushes)
{
    const tlwGrid *grid = f->grid;
    const int64_t stride[3] = {1, grid->stride_y, grid->stride_z};
    for (int64_t n = 0; n < f->pieces->cut_count; n++) {
        const tlwPieceCut *cut = &f->pieces->cuts[n];
        if (!(cut->phi < 0))
            continue;
        double excess[3], scale = grid->dx * grid->dx * grid->dx * f->density[cut->cell];
        for (int a = 0; a < 3; a++) {
            const float *open = tlwGetFloats(grid, f->search->flow->open[a]);
            excess[a] = 1 - 0.5 * ((double)open[cut->cell] + open[cut->cell + stride[a]]) - cut->share;
        }
        tlwVec3 force = {scale * gravity.x * excess[0], scale * gravity.y * excess[1], scale * gravity.z * excess[2]};
        Push *push = &pushes[cut->piece - 1];
        push->force = tlwAdd(push->force, force);
        tlwVec3 arm = tlwSub(tlwGetCellCentre(grid, cut->cell), f->pieces->items[cut->piece - 1].centre);
        push->torque = tlwAdd(push->torque, tlwCross(arm, force));
    }
}

static void applyPushes(double dt, const Push *pushes, tlwBodyCoupling *coupling)
{
    for (int b = 0; b < coupling->count; b++) {
        tlwCoupledBody *body = &coupling->bodies[b];
        int number = body->object - TLW_PIECE_KEY(1);
        if (number < 0)
            continue;
        body->velocity = tlwMulAdd(body->velocity, dt * body->inverse_mass, pushes[number].force);
        body->spin = tlwMulAdd(body->spin, dt, tlwMulMat3(body->inverse_inertia, pushes[number].torque));
    }
    tlwShareMotion(coupling);
}

tlwResult tlwRefinePieces(const tlwPieceSearch *search, double dt, const tlwPieces *pieces, tlwBodyCoupling *coupling)
{
    if (!pieces->free_count)
        return TLW_OK;
    tlwGrid *grid = &search->flow->grid;
    const tlwScene *scene = search->solids->scene;
    int slot = tlwBorrowField(grid, 1);
    Push *pushes = tlwAlloc((size_t)pieces->count, sizeof *pushes);
    bool ok = slot >= 0 && pushes;
    if (ok) {
        Float f = {.search = search,
                   .pieces = pieces,
                   .grid = grid,
                   .materials = scene->materials,
                   .labels = tlwGetInts(grid, search->flow->label),
                   .cover = tlwGetInts(grid, search->flow->cover),
                   .density = tlwGetFloats(grid, search->flow->density),
                   .wet = tlwGetBytes(grid, slot)};
        tlwParallelFor(search->context->threads, grid->tile_count, TLW_TILE_BLOCK, liquidRange, &f);
        fillCuts(&f);
        pushCuts(&f, scene->gravity, pushes);
        for (int t = 0; t < grid->tile_count; t++)
            pushTile(&f, t, scene->gravity, pushes);
        applyPushes(dt, pushes, coupling);
    }
    tlwFree(pushes);
    tlwReturnField(grid, slot);
    return ok ? TLW_OK : tlwFailMemory(&search->context->message, "the frozen pieces");
}
