#include "step/viscosity/viscosity.h"

#include "base/memory.h"
#include "solve/stress/peel.h"
#include "step/viscosity/bodies.h"
#include "step/viscosity/swelling.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Stiffness dt mu / (rho dx^2) beyond which more viscosity changes nothing that can be seen.
static const double STIFFEST = 1e9;
static const float BODY_STIFFNESS = 10; // of rigid bodies in multigrid, relative to the thickest liquid

tlwViscosityDef tlwDefaultViscosityDef(void)
{
    tlwViscosityDef def = {
        .stick = -1, .held = -1, .solid_object = -1, .label = -1, .piece = -1, .reached = -1, .swelling = -1};
    for (int a = 0; a < 3; a++)
        def.fluidity_slope[a] = def.open[a] = def.held_share[a] = def.held_velocity[a] = def.grip[a] = -1;
    return def;
}

// List the tiles with liquid or its surface in or next to them. Also finds the mean density and the largest viscosity.
static tlwResult findTiles(const tlwViscosityDef *def, int (**tiles)[3], int *count, double *density, float *thickest)
{
    const tlwGrid *grid = def->grid;
    const float *phi = tlwGetFloats(grid, def->phi), *rho = tlwGetFloats(grid, def->density);
    const float *mu = tlwGetFloats(grid, def->viscosity);
    const int32_t *piece = def->coupling && def->label >= 0 ? tlwGetInts(grid, def->piece) : NULL;
    double sum = 0;
    int64_t wet = 0;
    *count = 0;
    *tiles = tlwAlloc((size_t)grid->tile_count, sizeof **tiles);
    if (!*tiles)
        return TLW_OUT_OF_MEMORY;
    for (int t = 0; t < grid->tile_count; t++) {
        const tlwTile *tile = &grid->tiles[t];
        bool used = false;
        TLW_FOR_ROWS(grid, tile, j, k, row)
            for (int i = 0; i < TLW_TILE; i++) {
                used |= phi[row + i] < 2 * grid->dx;
                if (phi[row + i] < 0 && !(piece && piece[row + i])) {
                    sum += rho[row + i] > 0 ? rho[row + i] : 0;
                    *thickest = mu[row + i] > *thickest ? mu[row + i] : *thickest;
                    wet += rho[row + i] > 0;
                }
            }
        for (int a = 0; used && a < 3; a++)
            (*tiles)[*count][a] = tlwFloorDiv(tile->cell[a], TLW_TILE);
        *count += used;
    }
    *density = wet ? sum / (double)wet : 0;
    *count = *thickest > 0 ? *count : 0;
    return TLW_OK;
}

static void buildRange(void *context, int64_t begin, int64_t end)
{
    const tlwViscosityBuild *build = context;
    for (int64_t t = begin; t < end; t++)
        tlwBuildViscosityTile(build, &build->system->level.grid.tiles[t]);
}

// Whether a cell is held, or belongs to a free piece that is not dragged.
static bool isHeld(const tlwViscosityBuild *build, const uint8_t *held, int64_t cell)
{
    const tlwViscosityDef *def = build->def;
    if (held[cell] <= def->held_value || !build->body_count || def->label < 0)
        return held[cell] >= def->held_value;
    return !tlwIsDraggedPiece(build, tlwGetInts(def->grid, def->piece)[cell]);
}

// Prescribe the velocity of faces of held cells. It goes to b only: in x as well it would count twice.
static void holdRange(void *context, int64_t begin, int64_t end)
{
    const tlwViscosityBuild *build = context;
    const tlwViscosityDef *def = build->def;
    tlwStressSystem *system = build->system;
    const tlwGrid *grid = &system->level.grid;
    const uint8_t *held = tlwGetBytes(def->grid, def->held);
    const int64_t stride[3] = {1, def->grid->stride_y, def->grid->stride_z};
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(grid, &grid->tiles[t], j, k, row) {
            int64_t from = tlwCellIndex(def->grid, grid->tiles[t].cell[0], (int)j, k);
            for (int a = 0; a < 3; a++)
                for (int i = 0; i < TLW_TILE; i++) {
                    int64_t here = from + i, below = here - stride[a];
                    if (!isHeld(build, held, here) && !isHeld(build, held, below))
                        continue;
                    // A free piece may cut the cell and leave the face open.
                    bool piece = held[here] != def->held_value && held[below] != def->held_value;
                    if (piece && def->open[a] >= 0 && tlwGetFloats(def->grid, def->open[a])[here] > 0)
                        continue;
                    system->level.mass[a][row + i] = -1;
                    system->b.at[a][row + i] = tlwGetFloats(def->grid, def->solid_velocity[a])[here];
                    system->x.at[a][row + i] = 0;
                }
        }
}

// Prescribe the velocity of faces that nozzles hold.
static void holdNozzleRange(void *context, int64_t begin, int64_t end)
{
    const tlwViscosityBuild *build = context;
    const tlwViscosityDef *def = build->def;
    tlwStressSystem *system = build->system;
    const tlwGrid *grid = &system->level.grid;
    for (int64_t t = begin; t < end; t++)
        for (int a = 0; a < 3; a++) {
            const float *share = tlwGetFloats(def->grid, def->held_share[a]);
            const float *velocity = tlwGetFloats(def->grid, def->held_velocity[a]);
            TLW_FOR_ROWS(grid, &grid->tiles[t], j, k, row) {
                int64_t from = tlwCellIndex(def->grid, grid->tiles[t].cell[0], (int)j, k);
                for (int i = 0; i < TLW_TILE; i++)
                    if (share[from + i] >= 0.5f) {
                        system->level.mass[a][row + i] = -1;
                        system->b.at[a][row + i] = velocity[from + i];
                        system->x.at[a][row + i] = 0;
                    }
            }
        }
}

// Friction acts as additional mass that moves with the wall.
static void gripRange(void *context, int64_t begin, int64_t end)
{
    const tlwViscosityBuild *build = context;
    const tlwViscosityDef *def = build->def;
    tlwStressSystem *system = build->system;
    const tlwGrid *grid = &system->level.grid;
    for (int64_t t = begin; t < end; t++)
        for (int a = 0; a < 3; a++) {
            const float *grip = tlwGetFloats(def->grid, def->grip[a]);
            const float *velocity = tlwGetFloats(def->grid, def->solid_velocity[a]);
            TLW_FOR_ROWS(grid, &grid->tiles[t], j, k, row) {
                int64_t from = tlwCellIndex(def->grid, grid->tiles[t].cell[0], (int)j, k);
                for (int i = 0; i < TLW_TILE; i++) {
                    float mass = (float)def->dt * grip[from + i];
                    if (!(mass > 0) || !(system->level.mass[a][row + i] > 0))
                        continue;
                    system->level.mass[a][row + i] += mass;
                    system->b.at[a][row + i] += mass * velocity[from + i];
                }
            }
        }
}

static bool isOfBody(const tlwViscosityBuild *build, int axis, int64_t face)
{
    return build->body_count && build->owner[axis][face];
}

// Sum of the samples that touch the lower faces of a cell.
static inline void sumTouching(const tlwStressLevel *level, int64_t at, float touch[3])
{
    const int64_t y = level->grid.stride_y, z = level->grid.stride_z;
    const float *n = level->c[TLW_XX], *xy = level->c[TLW_XY], *xz = level->c[TLW_XZ], *yz = level->c[TLW_YZ];
    touch[0] = n[at] + n[at - 1] + xy[at] + xy[at + y] + xz[at] + xz[at + z];
    touch[1] = n[at] + n[at - y] + xy[at] + xy[at + 1] + yz[at] + yz[at + z];
    touch[2] = n[at] + n[at - z] + xz[at] + xz[at + 1] + yz[at] + yz[at + y];
}

// Faces that no sample touches are not unknowns: nothing changes their velocity. Faces of bodies stay, since a body's
// mass and momentum are spread over all its faces.
static void dropRange(void *context, int64_t begin, int64_t end)
{
    const tlwViscosityBuild *build = context;
    tlwStressSystem *system = build->system;
    tlwStressLevel *level = &system->level;
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(&level->grid, &level->grid.tiles[t], j, k, row)
            for (int i = 0; i < TLW_TILE; i++) {
                int64_t at = row + i;
                float touch[3];
                sumTouching(level, at, touch);
                for (int a = 0; a < 3; a++)
                    if (!(touch[a] > 0) && level->mass[a][at] > 0 && !isOfBody(build, a, at)) {
                        level->mass[a][at] = 0;
                        system->b.at[a][at] = 0;
                        system->x.at[a][at] = 0;
                    }
            }
}

// Mark the faces whose velocity stress has set rather than their own momentum. A ghost's samples have been softened to
// at most its mass (solve/stress/peel.h).
static void tieRange(void *context, int64_t begin, int64_t end)
{
    const tlwViscosityBuild *build = context;
    const tlwViscosityDef *def = build->def;
    const tlwStressLevel *level = &build->system->level;
    for (int64_t t = begin; t < end; t++) {
        const tlwTile *tile = &level->grid.tiles[t];
        TLW_FOR_ROWS(&level->grid, tile, j, k, row) {
            uint8_t *reached = tlwGetBytes(def->grid, def->reached) + tlwCellIndex(def->grid, tile->cell[0], (int)j, k);
            for (int i = 0; i < TLW_TILE; i++) {
                float touch[3];
                sumTouching(level, row + i, touch);
                for (int a = 0; a < 3; a++)
                    if (level->mass[a][row + i] > 0 && touch[a] > 0.5f * level->mass[a][row + i])
                        reached[i] |= (uint8_t)(TLW_TIED << a);
            }
        }
    }
}

// Velocity of unknown, prescribed and peeled faces back to the flow.
static void writeRange(void *context, int64_t begin, int64_t end)
{
    const tlwViscosityBuild *build = context;
    const tlwViscosityDef *def = build->def;
    const tlwStressLevel *level = &build->system->level;
    for (int64_t t = begin; t < end; t++) {
        const tlwTile *tile = &level->grid.tiles[t];
        TLW_FOR_ROWS(&level->grid, tile, j, k, row) {
            int64_t out = tlwCellIndex(def->grid, tile->cell[0], (int)j, k);
            for (int a = 0; a < 3; a++) {
                float *velocity = tlwGetFloats(def->grid, def->velocity[a]) + out;
                for (int i = 0; i < TLW_TILE; i++)
                    if (level->mass[a][row + i] != 0)
                        velocity[i] = (float)build->system->x.at[a][row + i];
            }
        }
    }
}

static void showRange(void *context, int64_t begin, int64_t end)
{
    tlwStressSystem *system = context;
    const tlwStressLevel *level = &system->level;
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(&level->grid, &level->grid.tiles[t], j, k, row)
            for (int i = 0; i < TLW_TILE; i++)
                for (int a = 0; a < 3; a++)
                    if (level->mass[a][row + i] < 0)
                        system->x.at[a][row + i] = system->b.at[a][row + i];
}

static tlwResult solve(tlwThreads *threads, tlwViscosityBuild *build, tlwStressStats *stats, tlwMessage *message)
{
    const tlwViscosityDef *def = build->def;
    tlwStressSystem *system = build->system;
    int tiles = system->level.grid.tile_count;
    tlwStressBodies bodies = {0};
    bool dragged[TLW_MAX_VISCOUS_BODIES] = {0};
    build->dragged = dragged;
    if (build->body_count && tlwFindViscousBodies(threads, build, dragged, &bodies) != TLW_OK) {
        tlwFreeStressBodies(&bodies);
        return TLW_OUT_OF_MEMORY;
    }
    tlwParallelFor(threads, tiles, 1, buildRange, build);
    if (def->held_value)
        tlwParallelFor(threads, tiles, TLW_TILE_BLOCK, holdRange, build);
    if (def->held_share[0] >= 0)
        tlwParallelFor(threads, tiles, TLW_TILE_BLOCK, holdNozzleRange, build);
    if (def->grip[0] >= 0)
        tlwParallelFor(threads, tiles, TLW_TILE_BLOCK, gripRange, build);
    tlwLoadBodies(build, &bodies);
    if (system->swelling)
        tlwLoadSwelling(threads, build);
    tlwParallelFor(threads, tiles, TLW_TILE_BLOCK, dropRange, build);
    tlwStressPeel peel = {0};
    tlwStressOptions options = {.tolerance = def->tolerance,
                                .max_iterations = def->max_iterations,
                                .patience = def->patience,
                                .cancel = def->cancel,
                                .user = def->user};
    tlwResult result = tlwPeelStress(threads, system, &peel);
    if (result == TLW_OK)
        result = tlwSolveStress(threads, system, &options, stats);
    if (result == TLW_OK) {
        tlwDragBodies(build, &bodies);
        tlwParallelFor(threads, tiles, TLW_TILE_BLOCK, showRange, system);
        tlwUnpeelStress(system, &peel, &system->x);
        for (int64_t n = 0; n < peel.count; n++)
            system->level.mass[peel.faces[n].component][peel.faces[n].face] = peel.faces[n].mass;
        tlwParallelFor(threads, tiles, TLW_TILE_BLOCK, writeRange, build);
        if (def->reached >= 0)
            tlwParallelFor(threads, tiles, TLW_TILE_BLOCK, tieRange, build);
        if (def->swelling >= 0)
            tlwKeepSwelling(threads, build);
    } else if (result == TLW_NOT_CONVERGED) {
        tlwFail(
            message, result,
            "The viscosity could not be solved: %.1e is left of it after %d iterations, where %.0e is allowed. Lower "
            "Step Length under Bake, Solver, or let the materials' viscosities differ less.",
            stats->residual, stats->iterations, def->tolerance);
    }
    tlwFreeStressPeel(&peel);
    tlwFreeStressBodies(&bodies);
    return result;
}

tlwResult tlwSolveViscosity(tlwThreads *threads, const tlwViscosityDef *def, tlwStressStats *stats, tlwMessage *message)
{
    int(*tiles)[3] = NULL, count = 0;
    double density = 0;
    float thickest = 0;
    tlwStressSystem system = {0};
    memset(stats, 0, sizeof *stats);
    tlwResult result = findTiles(def, &tiles, &count, &density, &thickest);
    if (result == TLW_OK && count && density > 0 && def->dt > 0) {
        double dx = def->grid->dx, unit = density * dx * dx / def->dt;
        tlwViscosityBuild build = {
            .def = def, .system = &system, .density = (float)density, .stiffest = (float)(STIFFEST * unit)};
        build.body_viscosity = fminf(fmaxf((float)unit, thickest) * BODY_STIFFNESS, build.stiffest);
        build.body_count = def->coupling ? def->coupling->count : 0;
        while (build.body_count > 0 && def->label < 0 && // leaves out pieces, which come last
               def->coupling->bodies[build.body_count - 1].object >= TLW_PIECE_KEY(0))
            build.body_count--;
        if (build.body_count > TLW_MAX_VISCOUS_BODIES)
            build.body_count = TLW_MAX_VISCOUS_BODIES;
        result = tlwInitStressSystem(&system, def->grid->dims, (const int(*)[3])tiles, count);
        system.unit_mass = density * dx * dx * dx;
        build.bulk_from = (float)(TLW_BULK_FROM * unit);
        if (result == TLW_OK && build.body_count && !tlwAddBodyOwners(&build))
            result = TLW_OUT_OF_MEMORY;
        if (result == TLW_OK && def->swelling >= 0 && thickest > build.bulk_from && !tlwAddBulkSamples(&build))
            result = TLW_OUT_OF_MEMORY;
        if (result == TLW_OK)
            result = solve(threads, &build, stats, message);
    }
    if (result == TLW_OUT_OF_MEMORY)
        tlwFailMemory(message, "the viscosity solve");
    tlwFreeStressSystem(&system);
    tlwFree(tiles);
    return result;
}
