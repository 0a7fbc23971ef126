#include "step/frozen/pieces.h"

#include "base/context.h"
#include "base/memory.h"
#include "grid/components.h"
#include "grid/sample.h"
#include "scene/scene.h"
#include "step/frozen/bonds.h"
#include "step/frozen/carry.h"
#include "step/frozen/cut.h"
#include "step/frozen/motion.h"
#include "step/heat/material_state.h"

#include <stdlib.h>
#include <string.h>

#define REACH 0.75f     // cells from a solid at which freezing material bonds to it
#define BOND_SHARE 0.25 // share of a cell's frozen mass that must be bonded for the cell to hold its piece
#define EMPTY (-1)
// Smaller crumbs are thick liquid. A few particles spread over two cells would be far lighter than the cells that they
// close, and pressure would throw them off.
#define LEAST_CELLS 2     // fewest cells of a free piece
#define LEAST_VOLUME 0.75 // fewest cells that its frozen particles fill

void tlwFreePieces(tlwPieces *pieces)
{
    tlwFree(pieces->items);
    tlwFree(pieces->by_id);
    tlwFree(pieces->cuts);
    tlwFree(pieces->shapes);
    tlwFree(pieces->bonds);
    memset(pieces, 0, sizeof *pieces);
}

typedef struct Find {
    const tlwPieceSearch *search;
    const tlwPieces *old;
    tlwPieces *pieces;
    const tlwGrid *grid;
    tlwParticles *particles;
    float limit[256]; // J/kg per material: below it a particle is frozen
    uint8_t *frozen;
    // from: number + 1 of the old piece that most of a frozen cell's particles come from; 0 = newly frozen or not
    // frozen; EMPTY = without particles
    int32_t *labels, *from;
    int32_t *member; // per particle: label
} Find;

// Heat content below which a material counts as frozen.
static float frozenLimit(const tlwMaterial *m)
{
    if (!m->melts || m->def.frozen != TLW_FROZEN_RIGID)
        return -INFINITY;
    double span = m->def.liquidus - m->def.solidus;
    double heat =
        m->def.specific_heat_solid + 0.5 * TLW_FROZEN_MELT * (m->def.specific_heat_liquid - m->def.specific_heat_solid);
    return (float)(m->enthalpy_solidus + TLW_FROZEN_MELT * (m->def.latent_heat + span * heat));
}

static inline bool isFrozen(const Find *f, int64_t n)
{
    return f->particles->enthalpy[n] < f->limit[f->particles->material[n]];
}

static int oldNumber(const Find *f, int64_t n)
{
    uint32_t id = tlwGetPieceId(f->particles->frozen[n]);
    const tlwPiece *piece = id ? tlwFindPiece(f->old, id) : NULL;
    return piece ? (int)(piece - f->old->items) + 1 : 0;
}

// ---------------------------------------------------------------------------------------------------------------------
// Cells

// The old piece with the most mass among a cell's frozen particles; 0 when all of them have just frozen.
static int originOf(const Find *f, int64_t begin, int64_t end)
{
    int best = 0;
    double best_mass = 0;
    for (int64_t n = begin; n < end; n++) {
        uint32_t id = tlwGetPieceId(f->particles->frozen[n]);
        if (!id || !isFrozen(f, n))
            continue;
        double mass = 0;
        for (int64_t m = begin; m < end; m++)
            mass += tlwGetPieceId(f->particles->frozen[m]) == id && isFrozen(f, m) ? f->particles->mass[m] : 0;
        if (mass > best_mass) {
            int number = oldNumber(f, n);
            best = number ? number : best;
            best_mass = mass;
        }
    }
    return best;
}

typedef struct Cell {
    int64_t index, begin, end; // in the grid; particles
    int i, j, k;
} Cell;

static Cell getCell(const Find *f, int64_t t, int c)
{
    const tlwTile *tile = &f->grid->tiles[t];
    const tlwParticleOrder *order = f->search->order;
    const int32_t *start = order->cell_start + t * (TLW_TILE_CELLS + 1);
    int i = c % TLW_TILE, j = c / TLW_TILE % TLW_TILE, k = c / (TLW_TILE * TLW_TILE);
    return (Cell){tile->base + i + j * f->grid->stride_y + k * f->grid->stride_z,
                  order->tile_start[t] + start[c],
                  order->tile_start[t] + start[c + 1],
                  tile->cell[0] + i,
                  tile->cell[1] + j,
                  tile->cell[2] + k};
}

// A cell is frozen when most of its mass is.
static void cellRange(void *context, int64_t begin, int64_t end)
{
    const Find *f = context;
    for (int64_t t = begin; t < end; t++)
        for (int c = 0; c < TLW_TILE_CELLS; c++) {
            Cell cell = getCell(f, t, c);
            double mass = 0, solid = 0;
            for (int64_t n = cell.begin; n < cell.end; n++) {
                mass += f->particles->mass[n];
                solid += isFrozen(f, n) ? f->particles->mass[n] : 0;
            }
            bool frozen = solid > 0.5 * mass;
            f->frozen[cell.index] = frozen ? TLW_FROZEN_CELL : TLW_FROZEN_NOT;
            f->from[cell.index] = cell.end == cell.begin ? EMPTY : frozen ? originOf(f, cell.begin, cell.end) : 0;
        }
}

static bool isMember(void *user, int64_t cell)
{
    return ((const Find *)user)->frozen[cell] != TLW_FROZEN_NOT;
}

// Old pieces that touch stay apart; what has just frozen joins all that it touches.
static bool isJoined(void *user, int64_t cell, int axis)
{
    const Find *f = user;
    int64_t stride[3] = {1, f->grid->stride_y, f->grid->stride_z};
    int32_t a = f->from[cell], b = f->from[cell - stride[axis]];
    return a == b || a == 0 || b == 0;
}

// ---------------------------------------------------------------------------------------------------------------------
// Bonds

// Wax does not bond to a body that is hotter than the wax's solidus: where the two touch, a film of wax is molten.
static bool isTooHot(const Find *f, uint32_t bond, int64_t n)
{
    const tlwScene *scene = f->search->solids->scene;
    if (!tlwIsBodyBond(scene, bond))
        return false;
    const tlwHeatObject *heat = &f->search->heat[tlwGetBondObject(bond)];
    return heat->conductivity > 0 && heat->temperature >= scene->materials[f->particles->material[n]].def.solidus;
}

static uint32_t bondAt(const Find *f, const Cell *cell, int64_t n)
{
    const tlwFlow *flow = f->search->flow;
    const float *const *x = (const float *const *)f->particles->position;
    float p[3] = {x[0][n], x[1][n], x[2][n]};
    int object = ((const int16_t *)f->grid->fields[flow->solid_object].data)[cell->index];
    if (object == TLW_NO_OBJECT ||
        tlwSampleNode(f->grid, tlwGetFloats(f->grid, flow->solid), p) > REACH * (float)f->grid->dx)
        return TLW_BOND_NONE;
    if (object == TLW_WALL_OBJECT)
        return TLW_BOND_WALL;
    uint32_t bond = TLW_BOND_OBJECT(object);
    bool lies = f->search->start && tlwIsBodyBond(f->search->solids->scene, bond);
    return bond > TLW_BOND_MAX || lies || isTooHot(f, bond, n) ? TLW_BOND_NONE : bond;
}

// Particles that have just frozen bond to what they are next to.
static void bondRange(void *context, int64_t begin, int64_t end)
{
    const Find *f = context;
    for (int64_t t = begin; t < end; t++)
        for (int c = 0; c < TLW_TILE_CELLS; c++) {
            Cell cell = getCell(f, t, c);
            for (int64_t n = cell.begin; n < cell.end && f->labels[cell.index]; n++)
                if (!f->particles->frozen[n] && isFrozen(f, n))
                    f->particles->frozen[n] = bondAt(f, &cell, n);
        }
}

static bool canHold(const tlwPlacedMeshes *solids, uint32_t bond)
{
    if (bond == TLW_BOND_WALL)
        return true;
    for (int n = 0; n < solids->count; n++)
        if (TLW_BOND_OBJECT(solids->items[n].object) == bond)
            return solids->items[n].enabled;
    return false;
}

// The bond that holds a cell, or none.
static uint32_t holdOf(const Find *f, const Cell *cell)
{
    double solid = 0, bonded = 0;
    uint32_t bond = TLW_BOND_NONE;
    for (int64_t n = cell->begin; n < cell->end; n++) {
        if (!isFrozen(f, n))
            continue;
        uint32_t own = tlwGetBond(f->particles->frozen[n]);
        solid += f->particles->mass[n];
        if (own == TLW_BOND_NONE || (bond != TLW_BOND_NONE && own != bond) || isTooHot(f, own, n))
            continue;
        bond = own;
        bonded += f->particles->mass[n];
    }
    return bond != TLW_BOND_NONE && bonded >= BOND_SHARE * solid ? bond : TLW_BOND_NONE;
}

// Volume of a cell's frozen particles, in cells.
static double getFrozenVolume(const Find *f, const Cell *cell)
{
    const tlwMaterial *materials = f->search->solids->scene->materials;
    double volume = 0, dx = f->grid->dx;
    for (int64_t n = cell->begin; n < cell->end; n++)
        volume += isFrozen(f, n)
                      ? f->particles->mass[n] / materials[f->particles->material[n]].def.density_solid / (dx * dx * dx)
                      : 0;
    return volume;
}

// A piece is held by the solid or wall that most of its bonded cells are bonded to. `bonds` lists all bonds of the
// pieces, `overlaps` the old pieces that the new ones are made of. Until pieces are measured, `mass` is the volume of
// their frozen particles in cells.
static tlwResult holdPieces(Find *f, tlwPairTable *overlaps, tlwPairTable *bonds)
{
    bool ok = true;
    for (int64_t t = 0; t < f->grid->tile_count; t++)
        for (int c = 0; c < TLW_TILE_CELLS; c++) {
            Cell cell = getCell(f, t, c);
            int32_t label = f->labels[cell.index];
            if (!label)
                continue;
            f->pieces->items[label - 1].cells++;
            f->pieces->items[label - 1].mass += getFrozenVolume(f, &cell);
            if (f->from[cell.index])
                ok = tlwAddPairMass(overlaps, label - 1, f->from[cell.index] - 1, 1) && ok;
            uint32_t bond = holdOf(f, &cell);
            if (bond != TLW_BOND_NONE && canHold(f->search->solids, bond))
                ok = tlwAddPairMass(bonds, label - 1, (int)bond, 1) && ok;
        }
    double *best = tlwAlloc((size_t)f->pieces->count + 1, sizeof *best);
    ok = ok && best;
    for (int n = 0; n < f->pieces->count; n++)
        f->pieces->items[n].object = f->pieces->items[n].bonded = TLW_NO_OBJECT;
    for (int64_t n = 0; ok && n < bonds->count; n++) {
        const tlwPairMass *hold = &bonds->items[n];
        if (tlwIsBodyBond(f->search->solids->scene, (uint32_t)hold->b)) {
            f->pieces->items[hold->a].bonded = tlwGetBondObject((uint32_t)hold->b);
            continue;
        }
        if (hold->mass <= best[hold->a])
            continue;
        best[hold->a] = hold->mass;
        f->pieces->items[hold->a].object =
            hold->b == (int)TLW_BOND_WALL ? TLW_WALL_OBJECT : tlwGetBondObject((uint32_t)hold->b);
    }
    tlwFree(best);
    return ok ? TLW_OK : TLW_OUT_OF_MEMORY;
}

// ---------------------------------------------------------------------------------------------------------------------
// Members

// The nearest label around a cell that belongs to the old piece `origin`, or any label when `origin` is 0. 0 when there
// is none.
static int32_t labelNear(const Find *f, const Cell *cell, int origin)
{
    int32_t best = 0;
    int nearest = 4;
    for (int q = 0; q < 27; q++) {
        int di = q % 3 - 1, dj = q / 3 % 3 - 1, dk = q / 9 - 1, steps = abs(di) + abs(dj) + abs(dk);
        int64_t c = cell->index + di + dj * f->grid->stride_y + dk * f->grid->stride_z;
        if (f->labels[c] && (f->from[c] == origin || !origin) && steps < nearest) {
            nearest = steps;
            best = f->labels[c];
        }
    }
    return best;
}

// Frozen particles stay with their piece while cells of it are around them, even where most of the cell has melted or
// belongs to another piece.
static int32_t labelOf(const Find *f, const Cell *cell, int64_t n)
{
    if (!isFrozen(f, n))
        return 0;
    int32_t own = f->labels[cell->index];
    int origin = oldNumber(f, n);
    if (own && (!origin || f->from[cell->index] == origin))
        return own;
    int32_t near = labelNear(f, cell, origin);
    return near ? near : own;
}

static void memberRange(void *context, int64_t begin, int64_t end)
{
    const Find *f = context;
    for (int64_t t = begin; t < end; t++)
        for (int c = 0; c < TLW_TILE_CELLS; c++) {
            Cell cell = getCell(f, t, c);
            for (int64_t n = cell.begin; n < cell.end; n++)
                f->member[n] = labelOf(f, &cell, n);
        }
}

static void wordRange(void *context, int64_t begin, int64_t end)
{
    const Find *f = context;
    for (int64_t n = begin; n < end; n++) {
        const tlwPiece *piece = f->member[n] ? &f->pieces->items[f->member[n] - 1] : NULL;
        uint32_t bond = tlwGetBond(f->particles->frozen[n]);
        // A free piece has no bonds left, so that a last weak one cannot hold it again.
        bool live = !piece ? false
                    : tlwIsBodyBond(f->search->solids->scene, bond)
                        ? tlwIsBonded(f->pieces, f->member[n] - 1, tlwGetBondObject(bond))
                        : piece->object != TLW_NO_OBJECT;
        f->particles->frozen[n] = !piece ? 0 : piece->id << TLW_BOND_BITS | (live ? bond : TLW_BOND_NONE);
    }
}

// ---------------------------------------------------------------------------------------------------------------------

// Remove crumbs, which are not pieces, and number the labels anew.
static void dropCrumbs(Find *f, int32_t *renumber)
{
    int kept = 0;
    for (int n = 0; n < f->pieces->count; n++) {
        const tlwPiece *piece = &f->pieces->items[n];
        bool crumb = piece->object == TLW_NO_OBJECT && piece->bonded == TLW_NO_OBJECT &&
                     (piece->cells < LEAST_CELLS || piece->mass < LEAST_VOLUME);
        renumber[n + 1] = crumb ? 0 : kept + 1;
        if (!crumb)
            f->pieces->items[kept++] = *piece;
    }
    f->pieces->count = kept;
    for (int t = 0; t < f->grid->tile_count; t++)
        TLW_FOR_ROWS(f->grid, &f->grid->tiles[t], j, k, row)
            for (int64_t c = row; c < row + TLW_TILE; c++)
                f->labels[c] = renumber[f->labels[c]];
}

static void renumberPairs(tlwPairTable *table, const int32_t *renumber)
{
    int64_t kept = 0;
    for (int64_t n = 0; n < table->count; n++) {
        tlwPairMass pair = table->items[n];
        pair.a = renumber[pair.a + 1] - 1;
        if (pair.a >= 0)
            table->items[kept++] = pair;
    }
    table->count = kept;
}

// Cells inside the surface that happen to hold no particle belong to the piece around them: as liquid they would push
// it.
static void fillRange(void *context, int64_t begin, int64_t end)
{
    const Find *f = context;
    const float *phi = tlwGetFloats(f->grid, f->search->flow->phi);
    int64_t stride[3] = {1, f->grid->stride_y, f->grid->stride_z};
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(f->grid, &f->grid->tiles[t], j, k, row)
            for (int64_t c = row; c < row + TLW_TILE; c++) {
                if (f->from[c] != EMPTY || phi[c] >= 0)
                    continue;
                int32_t label = 0;
                bool liquid = false;
                for (int n = 0; n < 6; n++) {
                    int64_t next = c + (n & 1 ? stride[n / 2] : -stride[n / 2]);
                    if (f->from[next] == EMPTY)
                        continue;
                    liquid = liquid || !f->labels[next];
                    label = label ? label : f->labels[next];
                }
                f->labels[c] = liquid ? 0 : label;
            }
}

static void markRange(void *context, int64_t begin, int64_t end)
{
    const Find *f = context;
    int32_t *piece = tlwGetInts(f->grid, f->search->flow->piece);
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(f->grid, &f->grid->tiles[t], j, k, row)
            for (int64_t c = row; c < row + TLW_TILE; c++) {
                int32_t label = f->labels[c];
                bool loose = label && f->pieces->items[label - 1].object == TLW_NO_OBJECT;
                f->frozen[c] = !label ? TLW_FROZEN_NOT : loose ? TLW_FROZEN_FREE : TLW_FROZEN_HELD;
                piece[c] = loose ? label : 0;
            }
}

// From labelled cells to pieces with identity, particles, mass and motion.
static tlwResult makePieces(Find *f)
{
    tlwPieces *pieces = f->pieces;
    tlwThreads *threads = f->search->context->threads;
    int64_t tiles = f->grid->tile_count;
    tlwPairTable overlaps = {0}, bonds = {0};
    int32_t *renumber = tlwAlloc((size_t)pieces->count + 1, sizeof *renumber);
    pieces->items = tlwAlloc((size_t)pieces->count + 1, sizeof *pieces->items);
    tlwResult result = renumber && pieces->items ? TLW_OK : TLW_OUT_OF_MEMORY;
    if (result == TLW_OK) {
        tlwParallelFor(threads, tiles, TLW_TILE_BLOCK, bondRange, f);
        result = holdPieces(f, &overlaps, &bonds);
    }
    if (result == TLW_OK) {
        dropCrumbs(f, renumber);
        renumberPairs(&overlaps, renumber);
        renumberPairs(&bonds, renumber);
        result = tlwInheritPieces(&overlaps, f->old, pieces);
    }
    if (result == TLW_OK)
        result = tlwKeepBonds(f->search->solids->scene, &bonds, pieces);
    if (result == TLW_OK) {
        tlwParallelFor(threads, tiles, TLW_TILE_BLOCK, fillRange, f);
        tlwParallelFor(threads, tiles, TLW_TILE_BLOCK, markRange, f);
        tlwParallelFor(threads, tiles, TLW_TILE_BLOCK, memberRange, f);
        tlwParallelFor(threads, f->particles->count, 4096, wordRange, f);
        result = tlwMeasurePieces(threads, f->grid, f->particles, f->member, pieces);
    }
    if (result == TLW_OK)
        result = tlwListBonds(f->search->solids->scene, f->particles, pieces);
    tlwFreePairTable(&overlaps);
    tlwFreePairTable(&bonds);
    tlwFree(renumber);
    return result;
}

static void startFind(Find *f)
{
    const tlwScene *scene = f->search->solids->scene;
    f->frozen = tlwGetBytes(f->grid, f->search->flow->frozen);
    f->labels = tlwGetInts(f->grid, f->search->flow->label);
    for (int m = 0; m < 256; m++)
        f->limit[m] = m < scene->material_count ? frozenLimit(&scene->materials[m]) : -INFINITY;
}

tlwResult tlwFindPieces(const tlwPieceSearch *search, tlwPieces *pieces)
{
    if (!tlwCanFreeze(search->solids->scene)) // there are no labels and no pieces
        return TLW_OK;
    tlwMessage *message = &search->context->message;
    tlwGrid *grid = &search->flow->grid;
    tlwPieces fresh = {.next_id = pieces->next_id};
    Find f = {.search = search, .old = pieces, .pieces = &fresh, .grid = grid, .particles = search->particles};
    int slot = tlwBorrowField(grid, sizeof(int32_t));
    f.member = tlwAlloc((size_t)search->particles->count + 1, sizeof *f.member);
    tlwResult result = slot >= 0 && f.member ? TLW_OK : TLW_OUT_OF_MEMORY;
    if (result == TLW_OK) {
        f.from = tlwGetInts(grid, slot);
        startFind(&f);
        tlwParallelFor(search->context->threads, grid->tile_count, TLW_TILE_BLOCK, cellRange, &f);
        tlwComponentRule rule = {isMember, isJoined, &f};
        result = tlwLabelComponents(search->context->threads, grid, &rule, f.labels, &fresh.count);
    }
    if (result == TLW_OK)
        result = makePieces(&f);
    tlwFree(f.member);
    tlwReturnField(grid, slot);
    if (result != TLW_OK) {
        tlwFreePieces(&fresh);
        return tlwFailMemory(message, "the frozen pieces");
    }
    tlwFreePieces(pieces);
    *pieces = fresh;
    for (int n = 0; n < pieces->count; n++)
        pieces->free_count += pieces->items[n].object == TLW_NO_OBJECT;
    if (tlwTakeHolderMotions(search, pieces) != TLW_OK || tlwCutPieces(search, pieces) != TLW_OK)
        return tlwFailMemory(message, "the frozen pieces");
    tlwClosePieceFaces(search->context, search->flow, pieces);
    return TLW_OK;
}
