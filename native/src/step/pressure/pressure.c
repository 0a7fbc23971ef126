#include "step/pressure/pressure.h"

#include "base/context.h"
#include "base/memory.h"
#include "grid/components.h"
#include "step/obstacles/face_share.h"

#include <string.h>

#define MIN_THETA 1e-3f // cells from a centre to the surface. At 0.02 waves grow, at 1e-5 single faces shoot off

struct tlwPressure {
    tlwContext *context;
    tlwFlow *flow;
    tlwPressureDef def;
    tlwPoissonSystem system;
    tlwPoisson *poisson;
    int b, x, labels;
    int pressed[3]; // share of a face that pressure moves: open, less what inflows hold; -1 without those
    tlwPocket *pockets;
    int64_t *pocket_cells;
    // arrays of the slots, for the kernels
    float *phi, *density, *open[3], *unsolid[3], *solid_velocity[3], *given, *velocity[3], *diag, *weight[3], *rhs,
        *unknown;
    uint8_t *type;
    float *shift[3];
    bool correction;
};

static void bindArrays(tlwPressure *p)
{
    const tlwGrid *grid = &p->flow->grid;
    p->phi = tlwGetFloats(grid, p->def.phi);
    p->density = tlwGetFloats(grid, p->flow->density);
    for (int a = 0; a < 3; a++) {
        p->unsolid[a] = tlwGetFloats(grid, p->flow->open[a]);
        p->open[a] = p->pressed[a] >= 0 ? tlwGetFloats(grid, p->pressed[a]) : p->unsolid[a];
        p->solid_velocity[a] = tlwGetFloats(grid, p->flow->solid_velocity[a]);
        p->velocity[a] = tlwGetFloats(grid, p->flow->velocity[a]);
        p->weight[a] = tlwGetFloats(grid, p->system.weight[a]);
    }
    p->given = p->flow->given >= 0 ? tlwGetFloats(grid, p->flow->given) : NULL;
    p->diag = tlwGetFloats(grid, p->system.diag);
    p->type = tlwGetBytes(grid, p->system.type);
    p->rhs = tlwGetFloats(grid, p->b);
    p->unknown = tlwGetFloats(grid, p->x);
}

static void pressedRange(void *context, int64_t begin, int64_t end)
{
    const tlwPressure *p = context;
    const tlwGrid *grid = &p->flow->grid;
    for (int64_t t = begin; t < end; t++)
        for (int a = 0; a < 3; a++) {
            const float *held = tlwGetFloats(grid, p->flow->held_share[a]);
            TLW_FOR_ROWS(grid, &grid->tiles[t], j, k, row)
                for (int64_t c = row; c < row + TLW_TILE; c++)
                    p->open[a][c] = p->unsolid[a][c] > held[c] ? p->unsolid[a][c] - held[c] : 0;
        }
}

// Liquid: the centre is inside the level set and some face is open.
static void typeRange(void *context, int64_t begin, int64_t end)
{
    const tlwPressure *p = context;
    const tlwGrid *grid = &p->flow->grid;
    int64_t stride[3] = {1, grid->stride_y, grid->stride_z};
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(grid, &grid->tiles[t], j, k, row)
            for (int64_t c = row; c < row + TLW_TILE; c++) {
                float open = 0;
                for (int a = 0; a < 3; a++)
                    open += p->open[a][c] + p->open[a][c + stride[a]];
                p->type[c] = !(open > 0) ? TLW_CELL_SOLID : p->phi[c] < 0 ? TLW_CELL_LIQUID : TLW_CELL_AIR;
            }
}

static inline float faceDensity(const tlwPressure *p, int64_t a, int64_t b)
{
    float da = p->density[a], db = p->density[b];
    if (da > 0 && db > 0)
        return 0.5f * (da + db);
    return da > 0 ? da : db > 0 ? db : (float)p->def.default_density;
}

// Share of the way from a liquid cell's centre to its air neighbour's that is liquid.
static inline float theta(float liquid, float air)
{
    float t = liquid / (liquid - air);
    return t > MIN_THETA ? t : MIN_THETA;
}

static void assembleRange(void *context, int64_t begin, int64_t end)
{
    const tlwPressure *p = context;
    const tlwGrid *grid = &p->flow->grid;
    int64_t stride[3] = {1, grid->stride_y, grid->stride_z};
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(grid, &grid->tiles[t], j, k, row)
            for (int64_t c = row; c < row + TLW_TILE; c++) {
                float diag = 0;
                bool liquid = p->type[c] == TLW_CELL_LIQUID;
                for (int a = 0; a < 3; a++) {
                    int64_t low = c - stride[a], high = c + stride[a];
                    float w = p->open[a][c] > 0 ? p->open[a][c] / faceDensity(p, low, c) : 0;
                    p->weight[a][c] = liquid && p->type[low] == TLW_CELL_LIQUID ? w : 0;
                    if (!liquid)
                        continue;
                    if (w > 0)
                        diag += p->type[low] == TLW_CELL_LIQUID ? w : w / theta(p->phi[c], fmaxf(p->phi[low], 0));
                    if (p->open[a][high] > 0) {
                        w = p->open[a][high] / faceDensity(p, c, high);
                        diag += p->type[high] == TLW_CELL_LIQUID ? w : w / theta(p->phi[c], fmaxf(p->phi[high], 0));
                    }
                }
                p->diag[c] = liquid && diag > 0 ? diag : 1;
            }
}

static bool isLiquid(void *user, int64_t cell)
{
    return ((const tlwPressure *)user)->type[cell] == TLW_CELL_LIQUID;
}

static bool isCoupled(void *user, int64_t cell, int axis)
{
    return ((const tlwPressure *)user)->weight[axis][cell] > 0;
}

// Whether a liquid cell is tied to the free surface.
static bool isTied(const tlwPressure *p, int64_t c)
{
    const tlwGrid *grid = &p->flow->grid;
    float sum = p->weight[0][c] + p->weight[0][c + 1] + p->weight[1][c] + p->weight[1][c + grid->stride_y] +
                p->weight[2][c] + p->weight[2][c + grid->stride_z];
    return p->diag[c] > sum * 1.0001f;
}

typedef struct Ties {
    const tlwPressure *p;
    const int32_t *labels;
    uint8_t *tied; // per label
} Ties;

static void tieRange(void *context, int64_t begin, int64_t end)
{
    const Ties *s = context;
    const tlwGrid *grid = &s->p->flow->grid;
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(grid, &grid->tiles[t], j, k, row)
            for (int64_t c = row; c < row + TLW_TILE; c++)
                if (s->labels[c] && !__atomic_load_n(&s->tied[s->labels[c]], __ATOMIC_RELAXED) && isTied(s->p, c))
                    __atomic_store_n(&s->tied[s->labels[c]], 1, __ATOMIC_RELAXED);
}

// List the cells of the parts that are not tied; few scenes have any.
static tlwResult listPockets(tlwPressure *p, const int32_t *labels, const uint8_t *tied, int count)
{
    const tlwGrid *grid = &p->flow->grid;
    int64_t *size = tlwAlloc((size_t)count + 1, sizeof *size), total = 0, next = 0;
    p->pockets = tlwAlloc((size_t)count + 1, sizeof *p->pockets);
    tlwResult result = size && p->pockets ? TLW_OK : TLW_OUT_OF_MEMORY;
    for (int t = 0; result == TLW_OK && t < grid->tile_count; t++)
        TLW_FOR_ROWS(grid, &grid->tiles[t], j, k, row)
            for (int64_t c = row; c < row + TLW_TILE; c++)
                size[labels[c]]++;
    for (int n = 1; result == TLW_OK && n <= count; n++)
        total += tied[n] ? 0 : size[n];
    p->pocket_cells = tlwAlloc((size_t)total, sizeof *p->pocket_cells);
    if (!p->pocket_cells)
        result = TLW_OUT_OF_MEMORY;
    for (int n = 1; result == TLW_OK && n <= count; n++) { // size becomes the place of the pocket's next cell
        if (tied[n])
            continue;
        p->pockets[p->system.pocket_count++] = (tlwPocket){p->pocket_cells + next, size[n]};
        int64_t here = next;
        next += size[n];
        size[n] = here;
    }
    for (int t = 0; result == TLW_OK && t < grid->tile_count; t++)
        TLW_FOR_ROWS(grid, &grid->tiles[t], j, k, row)
            for (int64_t c = row; c < row + TLW_TILE; c++)
                if (labels[c] && !tied[labels[c]])
                    p->pocket_cells[size[labels[c]]++] = c;
    p->system.pockets = p->pockets;
    tlwFree(size);
    return result;
}

// Connected parts that no air ties down.
static tlwResult findPockets(tlwPressure *p)
{
    const tlwGrid *grid = &p->flow->grid;
    tlwThreads *threads = p->context->threads;
    int32_t *labels = tlwGetInts(grid, p->labels);
    int count;
    tlwComponentRule rule = {isLiquid, isCoupled, p};
    TLW_TRY(tlwLabelComponents(threads, grid, &rule, labels, &count));
    Ties s = {p, labels, tlwAlloc((size_t)count + 1, 1)};
    if (!s.tied)
        return TLW_OUT_OF_MEMORY;
    tlwParallelFor(threads, grid->tile_count, TLW_TILE_BLOCK, tieRange, &s);
    bool all = true;
    for (int n = 1; n <= count; n++)
        all = all && s.tied[n];
    tlwResult result = all ? TLW_OK : listPockets(p, labels, s.tied, count);
    tlwFree(s.tied);
    return result;
}

tlwResult tlwCreatePressure(tlwContext *context, tlwFlow *flow, const tlwPressureDef *def, tlwPressure **pressure)
{
    tlwPressure *p = tlwAlloc(1, sizeof *p);
    if (!p)
        return tlwFailMemory(&context->message, "the pressure solve");
    tlwGrid *grid = &flow->grid;
    *p = (tlwPressure){.context = context, .flow = flow, .def = *def, .system.grid = grid};
    p->system.diag = tlwBorrowField(grid, sizeof(float));
    for (int a = 0; a < 3; a++)
        p->system.weight[a] = tlwBorrowField(grid, sizeof(float));
    p->system.type = tlwBorrowField(grid, 1);
    p->b = tlwBorrowField(grid, sizeof(float));
    p->x = tlwBorrowField(grid, sizeof(float));
    p->labels = tlwBorrowField(grid, sizeof(int32_t));
    bool held = flow->given >= 0, ok = true;
    for (int a = 0; a < 3; a++) {
        p->pressed[a] = held ? tlwBorrowField(grid, sizeof(float)) : -1;
        ok = ok && (!held || p->pressed[a] >= 0);
    }
    tlwResult result = ok && p->system.diag >= 0 && p->system.weight[2] >= 0 && p->system.type >= 0 && p->labels >= 0
                           ? TLW_OK
                           : TLW_OUT_OF_MEMORY;
    if (result == TLW_OK) {
        bindArrays(p);
        if (held)
            tlwParallelFor(context->threads, grid->tile_count, TLW_TILE_BLOCK, pressedRange, p);
        tlwParallelFor(context->threads, grid->tile_count, TLW_TILE_BLOCK, typeRange, p);
        tlwParallelFor(context->threads, grid->tile_count, TLW_TILE_BLOCK, assembleRange, p);
        result = findPockets(p);
        tlwReturnField(grid, p->labels); // for the solver to borrow
        p->labels = -1;
    }
    if (result == TLW_OK && def->coupling && def->coupling->count) {
        result = tlwFindCoupledCells(context->threads, flow, def->solids, p->type, def->coupling);
        p->system.apply_extra = tlwApplyBodyCoupling;
        p->system.user = def->coupling;
    }
    if (result == TLW_OK) {
        p->poisson = tlwCreatePoisson(context, &p->system);
        result = p->poisson ? TLW_OK : TLW_OUT_OF_MEMORY;
    }
    if (result != TLW_OK) {
        tlwDestroyPressure(p);
        return tlwFailMemory(&context->message, "the pressure solve");
    }
    *pressure = p;
    return TLW_OK;
}

void tlwDestroyPressure(tlwPressure *p)
{
    if (!p)
        return;
    tlwDestroyPoisson(p->poisson);
    tlwGrid *grid = &p->flow->grid;
    tlwReturnField(grid, p->system.diag);
    for (int a = 0; a < 3; a++)
        tlwReturnField(grid, p->system.weight[a]);
    tlwReturnField(grid, p->system.type);
    tlwReturnField(grid, p->b);
    tlwReturnField(grid, p->x);
    tlwReturnField(grid, p->labels);
    for (int a = 0; a < 3; a++)
        tlwReturnField(grid, p->pressed[a]);
    tlwFree(p->pockets);
    tlwFree(p->pocket_cells);
    tlwFree(p);
}

// Unknown: pressure * dt / dx, so that a velocity changes by its difference over the density. Starts from the last
// pressure, which saves iterations; the right-hand side is minus the flow out of the cell.
static void divergenceRange(void *context, int64_t begin, int64_t end)
{
    const tlwPressure *p = context;
    const tlwGrid *grid = &p->flow->grid;
    const float *pressure = tlwGetFloats(grid, p->flow->pressure),
                *viscous = tlwGetFloats(grid, p->flow->viscous_pressure);
    float scale = (float)(p->def.dt / grid->dx);
    int64_t stride[3] = {1, grid->stride_y, grid->stride_z};
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(grid, &grid->tiles[t], j, k, row)
            for (int64_t c = row; c < row + TLW_TILE; c++) {
                p->rhs[c] = p->unknown[c] = 0;
                if (p->type[c] != TLW_CELL_LIQUID)
                    continue;
                float out = 0;
                for (int a = 0; a < 3; a++) {
                    int64_t high = c + stride[a];
                    out += p->open[a][high] * p->velocity[a][high] +
                           (1 - p->unsolid[a][high]) * p->solid_velocity[a][high];
                    out -= p->open[a][c] * p->velocity[a][c] + (1 - p->unsolid[a][c]) * p->solid_velocity[a][c];
                }
                out -= p->given ? p->given[c] : 0;
                p->rhs[c] = -out;
                p->unknown[c] = p->correction ? 0 : (pressure[c] - viscous[c]) * scale;
            }
}

// Difference of the unknown across the lower face of c, over density; false where no liquid is.
static inline bool faceGradient(const tlwPressure *p, int64_t low, int64_t c, float *gradient)
{
    bool here = p->type[c] == TLW_CELL_LIQUID, there = p->type[low] == TLW_CELL_LIQUID;
    if (!here && !there)
        return false;
    float difference = p->unknown[c] - p->unknown[low]; // unknowns are zero in air
    if (!here)
        difference /= theta(p->phi[low], fmaxf(p->phi[c], 0));
    else if (!there)
        difference /= theta(p->phi[c], fmaxf(p->phi[low], 0));
    *gradient = difference / faceDensity(p, low, c);
    return true;
}

static void subtractRange(void *context, int64_t begin, int64_t end)
{
    const tlwPressure *p = context;
    const tlwGrid *grid = &p->flow->grid;
    float *pressure = tlwGetFloats(grid, p->flow->pressure), scale = (float)(grid->dx / p->def.dt);
    float *viscous = tlwGetFloats(grid, p->flow->viscous_pressure);
    int64_t stride[3] = {1, grid->stride_y, grid->stride_z};
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(grid, &grid->tiles[t], j, k, row)
            for (int64_t c = row; c < row + TLW_TILE; c++) {
                for (int a = 0; a < 3; a++) {
                    float gradient;
                    if (p->open[a][c] > 0 && faceGradient(p, c - stride[a], c, &gradient))
                        p->velocity[a][c] -= gradient;
                }
                float made = p->type[c] == TLW_CELL_LIQUID ? p->unknown[c] * scale : 0;
                pressure[c] = p->correction ? pressure[c] + made : made;
                if (p->correction)
                    viscous[c] += made;
            }
}

static void recallRange(void *context, int64_t begin, int64_t end)
{
    const tlwPressure *p = context;
    const tlwGrid *grid = &p->flow->grid;
    float *viscous = tlwGetFloats(grid, p->flow->viscous_pressure), scale = (float)(p->def.dt / grid->dx);
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(grid, &grid->tiles[t], j, k, row)
            for (int64_t c = row; c < row + TLW_TILE; c++) {
                p->unknown[c] = p->type[c] == TLW_CELL_LIQUID ? viscous[c] * scale : 0;
                viscous[c] = 0; // the subtraction adds it again
            }
}

void tlwRestPressure(tlwPressure *p)
{
    tlwRestPoisson(p->poisson);
    tlwReleaseFields(p->context->threads, &p->flow->grid, &p->b, 1);
}

void tlwApplyViscousPressure(tlwPressure *p)
{
    tlwThreads *threads = p->context->threads;
    int64_t tiles = p->flow->grid.tile_count;
    p->correction = true;
    tlwParallelFor(threads, tiles, TLW_TILE_BLOCK, recallRange, p);
    tlwParallelFor(threads, tiles, TLW_TILE_BLOCK, subtractRange, p);
    if (p->def.coupling)
        tlwPushBodies(p->def.coupling, p->unknown);
}

tlwResult tlwProjectVelocity(tlwPressure *p, bool correction, tlwSolveStats *stats)
{
    p->correction = correction;
    tlwThreads *threads = p->context->threads;
    int64_t tiles = p->flow->grid.tile_count;
    tlwParallelFor(threads, tiles, TLW_TILE_BLOCK, divergenceRange, p);
    if (p->def.coupling)
        tlwAddUnseenFlow(p->def.coupling, p->rhs);
    tlwResult result = tlwSolvePoisson(p->poisson, p->x, p->b, p->def.tolerance, p->def.max_iterations, stats);
    if (result == TLW_NOT_CONVERGED)
        return tlwFail(&p->context->message, result,
                       "The pressure could not be solved: %.1e is left of it after %d iterations, where %.0e is "
                       "allowed. Lower Step Length under Bake, Solver, or change the resolution a little.",
                       stats->residual, stats->iterations, p->def.tolerance);
    if (result != TLW_OK)
        return result;
    tlwParallelFor(threads, tiles, TLW_TILE_BLOCK, subtractRange, p);
    if (p->def.coupling)
        tlwPushBodies(p->def.coupling, p->unknown);
    return TLW_OK;
}

// ---------------------------------------------------------------------------------------------------------------------
// Crowded and thinned particles

#define TOLERATED 0.1f // difference of fill that jitter alone may cause
#define LARGEST 0.5f   // difference that one step may mend

// Fill of a cell whose centre is t cells outside a flat surface, for particles spread trilinearly.
static inline float flatProfile(float t)
{
    if (t <= -1)
        return 1;
    if (t >= 1)
        return 0;
    return t < 0 ? 1 - 0.5f * (1 + t) * (1 + t) : 0.5f * (1 - t) * (1 - t);
}

static double crowdRange(void *context, int64_t begin, int64_t end)
{
    const tlwPressure *p = context;
    const tlwGrid *grid = &p->flow->grid;
    const float *fill = tlwGetFloats(grid, p->flow->fill), *solid = tlwGetFloats(grid, p->flow->solid);
    float dx = (float)grid->dx, per_cell = 1 / dx;
    double most = 0;
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(grid, &grid->tiles[t], j, k, row)
            for (int64_t c = row; c < row + TLW_TILE; c++) {
                p->rhs[c] = p->unknown[c] = 0;
                if (p->type[c] != TLW_CELL_LIQUID)
                    continue;
                float surface = p->phi[c] * per_cell, wall = -tlwGetCentreSolid(grid, solid, c) * per_cell;
                float excess = fill[c] - flatProfile(surface) * flatProfile(wall);
                // A thin fill near the surface is how the surface looks, not a fault.
                if (excess < 0 && (surface > -1 || wall > -1))
                    continue;
                float fault = fabsf(excess) - TOLERATED;
                if (fault <= 0)
                    continue;
                fault = fault < LARGEST ? fault : LARGEST;
                p->rhs[c] = (excess > 0 ? fault : -fault) * dx;
                most = fmax(most, fault);
            }
    return most;
}

static void shiftRange(void *context, int64_t begin, int64_t end)
{
    const tlwPressure *p = context;
    const tlwGrid *grid = &p->flow->grid;
    int64_t stride[3] = {1, grid->stride_y, grid->stride_z};
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(grid, &grid->tiles[t], j, k, row)
            for (int64_t c = row; c < row + TLW_TILE; c++)
                for (int a = 0; a < 3; a++) {
                    float gradient = 0;
                    if (!(p->open[a][c] > 0) || !faceGradient(p, c - stride[a], c, &gradient))
                        gradient = 0;
                    p->shift[a][c] = -gradient;
                }
}

tlwResult tlwSolveDensity(tlwPressure *p, int shift[3], bool *needed, tlwSolveStats *stats)
{
    tlwThreads *threads = p->context->threads;
    const tlwGrid *grid = &p->flow->grid;
    *needed = tlwParallelMax(threads, grid->tile_count, TLW_TILE_BLOCK, crowdRange, p) > 0;
    *stats = (tlwSolveStats){0};
    if (!*needed)
        return TLW_OK;
    // Particles make room for bodies, not bodies for particles: no coupling here. A rough answer will do: what is left
    // comes back in the next step.
    int bodies = p->def.coupling ? p->def.coupling->count : 0;
    if (bodies)
        p->def.coupling->count = 0;
    tlwResult result = tlwSolvePoisson(p->poisson, p->x, p->b, 0.05, 10, stats);
    if (bodies)
        p->def.coupling->count = bodies;
    if (result == TLW_CANCELLED)
        return result;
    for (int a = 0; a < 3; a++) {
        shift[a] = p->system.weight[a];
        p->shift[a] = p->weight[a];
    }
    tlwParallelFor(threads, grid->tile_count, TLW_TILE_BLOCK, shiftRange, p);
    return TLW_OK;
}
