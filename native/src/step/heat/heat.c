#include "step/heat/heat.h"

#include "base/kernel.h"
#include "base/memory.h"
#include "base/vec.h"
#include "solve/scalar/cg.h"
#include "step/heat/lines.h"
#include "step/heat/sources.h"
#include "step/heat/system.h"

#include <math.h>

#define TOLERANCE 1e-4       // of the nonlinear residual, relative to the step's change
#define LOOSE_TOLERANCE 1e-3 // of the first LOOSE_ITERATIONS linear solves while cells still change their piece
#define LOOSE_ITERATIONS 6
#define TIGHT_TOLERANCE 1e-5 // at best
#define FLOOR_KELVIN 1e-6    // changes below this need no iteration
#define PLAIN_ITERATIONS 30  // of Newton's method before the nested one
#define NESTED_ITERATIONS 24 // outer, and inner per outer
#define LINEAR_ITERATIONS 2000
#define LOD_DIFFUSION_NUMBER 0.5
#define LOD_BODY_SHARE 0.02 // share of a body's heat capacity that one LOD step may move

// State of the Newton iteration. `fall_piece` is the piece of h(T) that gives the falling slopes: the cell's own in
// Newton's method, that of the last outer iteration in the nested method.
typedef struct Newton {
    tlwHeatSystem *s;
    float *diag, *residual, *change;
    uint8_t *piece, *fall_piece; // of the temperature at the last evaluation
    double *object_change, *object_residual, *object_diag, *parts;
    bool freeze_fall;
    int slots[8], slot_count;
} Newton;

static bool isObject(const tlwHeatSystem *s, int64_t c)
{
    return s->contact[c] > 0; // set only where the object exists
}

static bool isFree(const tlwHeatObject *object)
{
    return object->capacity > 0 && object->conductivity > 0;
}

// J that cell c receives at the present temperatures.
static inline double sumFluxes(const tlwHeatSystem *s, int64_t c)
{
    const double *t = s->temperature;
    int64_t sy = s->flow->grid.stride_y, sz = s->flow->grid.stride_z;
    double sum = s->weight[0][c] * (t[c - 1] - t[c]) + s->weight[0][c + 1] * (t[c + 1] - t[c]) +
                 s->weight[1][c] * (t[c - sy] - t[c]) + s->weight[1][c + sy] * (t[c + sy] - t[c]) +
                 s->weight[2][c] * (t[c - sz] - t[c]) + s->weight[2][c + sz] * (t[c + sz] - t[c]) +
                 s->air[c] * (s->def->ambient_temperature - t[c]) + s->source[c];
    return isObject(s, c) ? sum + s->contact[c] * (s->def->objects[s->object[c]].temperature - t[c]) : sum;
}

static inline double sumWeights(const tlwHeatSystem *s, int64_t c)
{
    int64_t sy = s->flow->grid.stride_y, sz = s->flow->grid.stride_z;
    return (double)s->weight[0][c] + s->weight[0][c + 1] + s->weight[1][c] + s->weight[1][c + sy] + s->weight[2][c] +
           s->weight[2][c + sz] + s->air[c] + s->contact[c];
}

// Heat, residual and diagonal at the present temperatures; returns sum residual^2 / weight, with weights that do not
// change from one iteration to the next.
TLW_KERNEL static double evaluateRange(void *context, int64_t begin, int64_t end)
{
    Newton *n = context;
    tlwHeatSystem *s = n->s;
    const tlwGrid *grid = &s->flow->grid;
    double norm = 0;
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(grid, &grid->tiles[t], j, k, row)
            for (int64_t c = row; c < row + TLW_TILE; c++) {
                n->diag[c] = n->residual[c] = 0;
                if (!(s->mass[c] > 0))
                    continue;
                const tlwHeatCurve *curve = &s->curves[s->material[c]];
                n->piece[c] = (uint8_t)tlwGetHeatPiece(curve, s->temperature[c]);
                if (!n->freeze_fall)
                    n->fall_piece[c] = n->piece[c];
                double slope;
                double h = tlwGetCurveEnthalpy(curve, s->temperature[c], n->piece[c], n->fall_piece[c], &slope);
                double weights = sumWeights(s, c);
                s->heat[c] = sumFluxes(s, c);
                double residual = s->heat[c] - s->mass[c] * (h - s->enthalpy[c]);
                n->residual[c] = (float)residual;
                n->diag[c] = (float)(s->mass[c] * slope + weights);
                norm += residual * residual / (s->mass[c] * fmin(curve->cs, curve->cl) + weights);
            }
    return norm;
}

// Number of cells whose temperature left its piece since the evaluation; applies the change.
static double changeRange(void *context, int64_t begin, int64_t end)
{
    Newton *n = context;
    tlwHeatSystem *s = n->s;
    const tlwGrid *grid = &s->flow->grid;
    double moved = 0;
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(grid, &grid->tiles[t], j, k, row)
            for (int64_t c = row; c < row + TLW_TILE; c++) {
                if (!(s->mass[c] > 0))
                    continue;
                const tlwHeatCurve *curve = &s->curves[s->material[c]];
                s->temperature[c] = n->freeze_fall
                                        ? s->temperature[c] + n->change[c]
                                        : tlwFollowHeatCurve(curve, s->temperature[c], n->piece[c], n->change[c]);
                moved += tlwGetHeatPiece(curve, s->temperature[c]) != n->piece[c];
            }
    return moved;
}

// J that each object receives and the sum of its conductances, per block of tiles.
static void gatherObjectsRange(void *context, int64_t begin, int64_t end)
{
    Newton *n = context;
    tlwHeatSystem *s = n->s;
    const tlwGrid *grid = &s->flow->grid;
    int count = s->def->object_count;
    double *part = n->parts + begin / TLW_TILE_BLOCK * 2 * count;
    for (int o = 0; o < 2 * count; o++)
        part[o] = 0;
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(grid, &grid->tiles[t], j, k, row)
            for (int64_t c = row; c < row + TLW_TILE; c++)
                if (isObject(s, c)) {
                    int o = s->object[c];
                    part[2 * o] += s->contact[c] * (s->temperature[c] - s->def->objects[o].temperature);
                    part[2 * o + 1] += s->contact[c];
                }
}

static void gatherObjects(Newton *n, int object, double *heat, double *conductance)
{
    const tlwGrid *grid = &n->s->flow->grid;
    int64_t blocks = (grid->tile_count + TLW_TILE_BLOCK - 1) / TLW_TILE_BLOCK;
    *heat = *conductance = 0;
    for (int64_t b = 0; b < blocks; b++) {
        const double *part = n->parts + 2 * (b * n->s->def->object_count + object);
        *heat += part[0];
        *conductance += part[1];
    }
}

// Residual of the objects' own heat balance. Objects held at their temperature get an identity row that changes
// nothing.
static double evaluateObjects(Newton *n, const double *start)
{
    tlwHeatSystem *s = n->s;
    if (s->def->object_count == 0)
        return 0;
    tlwParallelFor(s->threads, s->flow->grid.tile_count, TLW_TILE_BLOCK, gatherObjectsRange, n);
    double norm = 0;
    for (int o = 0; o < s->def->object_count; o++) {
        tlwHeatObject *object = &s->def->objects[o];
        double heat, conductance;
        gatherObjects(n, o, &heat, &conductance);
        object->heat = heat;
        n->object_residual[o] = 0;
        n->object_diag[o] = 1;
        if (!isFree(object))
            continue;
        n->object_residual[o] = heat - object->capacity * (object->temperature - start[o]);
        n->object_diag[o] = object->capacity + conductance;
        norm += n->object_residual[o] * n->object_residual[o] / n->object_diag[o];
    }
    return norm;
}

// Cells in contact with an object of free temperature also appear in that object's row.
static void linkRange(void *context, int64_t begin, int64_t end)
{
    Newton *n = context;
    tlwHeatSystem *s = n->s;
    const tlwGrid *grid = &s->flow->grid;
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(grid, &grid->tiles[t], j, k, row)
            for (int64_t c = row; c < row + TLW_TILE; c++)
                n->change[c] = isObject(s, c) && isFree(&s->def->objects[s->object[c]]) ? s->contact[c] : 0;
}

static tlwResult solveLinear(Newton *n, float *link, double tolerance, tlwHeatStats *stats)
{
    tlwHeatSystem *s = n->s;
    tlwScalarSystem system = {
        .grid = &s->flow->grid, .diag = n->diag, .lump = s->object, .link = link, .lump_diag = n->object_diag};
    for (int a = 0; a < 3; a++)
        system.weight[a] = s->weight[a];
    system.lump_count = link ? s->def->object_count : 0;
    tlwSolveStats linear = {0};
    tlwResult result = tlwSolveScalarSystem(s->threads, &system, n->change, n->residual, n->object_change,
                                            n->object_residual, tolerance, LINEAR_ITERATIONS, &linear);
    stats->iterations += linear.iterations;
    // Rounding may keep a linear solve from its last digit; the Newton residual decides.
    return result == TLW_NOT_CONVERGED && linear.residual < 0.1 ? TLW_OK : result;
}

// One Newton step. Sets *settled when no cell moved to another piece of h(T): then the linear problem was the whole
// problem.
static tlwResult stepNewton(Newton *n, float *link, double tolerance, bool *settled, tlwHeatStats *stats)
{
    tlwHeatSystem *s = n->s;
    TLW_TRY(solveLinear(n, link, tolerance, stats));
    double moved = tlwParallelSum(s->threads, s->flow->grid.tile_count, TLW_TILE_BLOCK, changeRange, n);
    for (int o = 0; link && o < s->def->object_count; o++)
        s->def->objects[o].temperature += n->object_change[o];
    *settled = moved == 0;
    stats->newton_iterations++;
    return TLW_OK;
}

static double evaluate(Newton *n, const double *start)
{
    tlwHeatSystem *s = n->s;
    double norm = tlwParallelSum(s->threads, s->flow->grid.tile_count, TLW_TILE_BLOCK, evaluateRange, n);
    return norm + evaluateObjects(n, start);
}

// Sum of residual weights times FLOOR_KELVIN^2: below it there is nothing to solve.
static double floorRange(void *context, int64_t begin, int64_t end)
{
    Newton *n = context;
    tlwHeatSystem *s = n->s;
    const tlwGrid *grid = &s->flow->grid;
    double sum = 0;
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(grid, &grid->tiles[t], j, k, row)
            for (int64_t c = row; c < row + TLW_TILE; c++)
                if (s->mass[c] > 0)
                    sum += s->mass[c] * s->curves[s->material[c]].cs + sumWeights(s, c);
    return sum * FLOOR_KELVIN * FLOOR_KELVIN;
}

// Newton's method until the residual is a small part of `first`.
static tlwResult iteratePlain(Newton *n, float *link, const double *start, double first, double floor,
                              tlwHeatStats *stats)
{
    n->freeze_fall = false;
    bool settled = false;
    for (int i = 0;; i++) {
        double norm = evaluate(n, start);
        if (norm <= fmax(floor, TOLERANCE * TOLERANCE * first))
            return TLW_OK;
        if (i == PLAIN_ITERATIONS || !isfinite(norm))
            return TLW_NOT_CONVERGED;
        double needed = tlwClamp(0.5 * TOLERANCE * sqrt(first / norm), TIGHT_TOLERANCE, LOOSE_TOLERANCE);
        double tolerance = settled ? needed : i < LOOSE_ITERATIONS ? LOOSE_TOLERANCE : TIGHT_TOLERANCE;
        TLW_TRY(stepNewton(n, link, tolerance, &settled, stats));
    }
}

// Take the falling slopes from the present temperatures, or none in the first outer iteration. Returns the number of
// cells that changed.
static double settleFallRange(void *context, int64_t begin, int64_t end)
{
    Newton *n = context;
    tlwHeatSystem *s = n->s;
    const tlwGrid *grid = &s->flow->grid;
    double moved = 0;
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(grid, &grid->tiles[t], j, k, row)
            for (int64_t c = row; c < row + TLW_TILE; c++) {
                if (!(s->mass[c] > 0))
                    continue;
                int piece = n->freeze_fall ? tlwGetHeatPiece(&s->curves[s->material[c]], s->temperature[c]) : 0;
                moved += piece != n->fall_piece[c];
                n->fall_piece[c] = (uint8_t)piece;
            }
    return moved;
}

// Start the convex problem where h is steepest.
static void raiseRange(void *context, int64_t begin, int64_t end)
{
    Newton *n = context;
    tlwHeatSystem *s = n->s;
    const tlwGrid *grid = &s->flow->grid;
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(grid, &grid->tiles[t], j, k, row)
            for (int64_t c = row; c < row + TLW_TILE; c++) {
                double end_of_melting = s->mass[c] > 0 ? s->curves[s->material[c]].te : INFINITY;
                if (isfinite(end_of_melting))
                    s->temperature[c] = fmax(s->temperature[c], end_of_melting + TLW_HEAT_MIN_SPAN);
            }
}

// Nested method (Casulli and Zanolli 2010): the falling slopes stay fixed until the remaining convex problem has
// settled.
static tlwResult iterateNested(Newton *n, float *link, const double *start, tlwHeatStats *stats)
{
    tlwHeatSystem *s = n->s;
    n->freeze_fall = false;
    for (int outer = 0; outer < NESTED_ITERATIONS; outer++) {
        double moved = tlwParallelSum(s->threads, s->flow->grid.tile_count, TLW_TILE_BLOCK, settleFallRange, n);
        if (n->freeze_fall && moved == 0)
            break;
        tlwParallelFor(s->threads, s->flow->grid.tile_count, TLW_TILE_BLOCK, raiseRange, n);
        n->freeze_fall = true;
        bool settled = false;
        for (int inner = 0; inner < NESTED_ITERATIONS && !settled; inner++) {
            if (!isfinite(evaluate(n, start)))
                return TLW_NOT_CONVERGED;
            TLW_TRY(stepNewton(n, link, TIGHT_TOLERANCE, &settled, stats));
        }
    }
    return TLW_OK;
}

static tlwResult iterate(Newton *n, float *link, const double *start, tlwHeatStats *stats)
{
    tlwHeatSystem *s = n->s;
    double floor = tlwParallelSum(s->threads, s->flow->grid.tile_count, TLW_TILE_BLOCK, floorRange, n);
    double first = evaluate(n, start);
    tlwResult result = TLW_NOT_CONVERGED;
    if (s->def->method != TLW_HEAT_NESTED)
        result = iteratePlain(n, link, start, first, floor, stats);
    if (result != TLW_NOT_CONVERGED)
        return result;
    TLW_TRY(iterateNested(n, link, start, stats));
    return iteratePlain(n, link, start, first, floor, stats); // the last digits
}

static bool borrow(Newton *n, size_t element, int *slot)
{
    *slot = tlwBorrowField(&n->s->flow->grid, element);
    if (*slot >= 0)
        n->slots[n->slot_count++] = *slot;
    return *slot >= 0;
}

static tlwResult prepareNewton(Newton *n, float **link)
{
    tlwHeatSystem *s = n->s;
    tlwGrid *grid = &s->flow->grid;
    int diag, residual, change, piece, fall, links;
    bool free_objects = false;
    for (int o = 0; o < s->def->object_count; o++)
        free_objects = free_objects || isFree(&s->def->objects[o]);
    int64_t blocks = (grid->tile_count + TLW_TILE_BLOCK - 1) / TLW_TILE_BLOCK, count = s->def->object_count;
    n->object_change = tlwAlloc((size_t)(count * (2 * blocks + 3) + 1), sizeof *n->object_change);
    if (!n->object_change || !borrow(n, sizeof(float), &diag) || !borrow(n, sizeof(float), &residual) ||
        !borrow(n, sizeof(float), &change) || !borrow(n, 1, &piece) || !borrow(n, 1, &fall) ||
        !borrow(n, sizeof(float), &links))
        return TLW_OUT_OF_MEMORY;
    n->object_residual = n->object_change + count;
    n->object_diag = n->object_change + 2 * count;
    n->parts = n->object_change + 3 * count;
    n->diag = tlwGetFloats(grid, diag);
    n->residual = tlwGetFloats(grid, residual);
    n->piece = tlwGetBytes(grid, piece);
    n->fall_piece = tlwGetBytes(grid, fall);
    *link = NULL;
    if (free_objects) {
        *link = n->change = tlwGetFloats(grid, links);
        tlwParallelFor(s->threads, grid->tile_count, TLW_TILE_BLOCK, linkRange, n);
    }
    n->change = tlwGetFloats(grid, change);
    return TLW_OK;
}

// Temperatures of the objects at the end, from the heat they received so that no energy is lost.
static void finishObjects(Newton *n, const double *start, bool done)
{
    const tlwHeatDef *def = n->s->def;
    for (int o = 0; o < def->object_count; o++) {
        tlwHeatObject *object = &def->objects[o];
        object->temperature = done && isFree(object) ? start[o] + object->heat / object->capacity : start[o];
    }
}

// Objects keep their temperature during the step. Their heat follows from the temperatures that the sweeps leave.
static tlwResult solveLines(Newton *n, const double *start, tlwHeatStats *stats)
{
    TLW_TRY(tlwSolveHeatLines(n->s, stats));
    evaluateObjects(n, start);
    return TLW_OK;
}

// Lines suit steps in which heat crosses less than a cell and bodies, which lines hold at their temperature, hardly
// change.
static bool suitsLines(Newton *n, const tlwHeatStats *stats, const double *start)
{
    tlwHeatSystem *s = n->s;
    if (s->def->method != TLW_HEAT_AUTO)
        return s->def->method == TLW_HEAT_LOD;
    if (stats->diffusion_number > LOD_DIFFUSION_NUMBER)
        return false;
    evaluateObjects(n, start);
    for (int o = 0; o < s->def->object_count; o++)
        if (isFree(&s->def->objects[o]) &&
            n->object_diag[o] - s->def->objects[o].capacity > LOD_BODY_SHARE * s->def->objects[o].capacity)
            return false;
    return true;
}

// All that the cells receive.
static double heatRange(void *context, int64_t begin, int64_t end)
{
    Newton *n = context;
    tlwHeatSystem *s = n->s;
    const tlwGrid *grid = &s->flow->grid;
    double sum = 0;
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(grid, &grid->tiles[t], j, k, row)
            for (int64_t c = row; c < row + TLW_TILE; c++)
                sum += s->heat[c];
    return sum;
}

static tlwResult solve(tlwHeatSystem *s, tlwHeatStats *stats)
{
    Newton n = {.s = s};
    float *link = NULL;
    double *start = tlwAlloc((size_t)s->def->object_count + 1, sizeof *start);
    tlwResult result = start ? prepareNewton(&n, &link) : TLW_OUT_OF_MEMORY;
    if (result == TLW_OK) {
        for (int o = 0; o < s->def->object_count; o++)
            start[o] = s->def->objects[o].temperature;
        result = tlwAddHeatSources(s, &stats->source_heat);
    }
    if (result == TLW_OK) {
        stats->method = suitsLines(&n, stats, start) ? TLW_HEAT_LOD : TLW_HEAT_IMPLICIT;
        result = stats->method == TLW_HEAT_LOD ? solveLines(&n, start, stats) : iterate(&n, link, start, stats);
        finishObjects(&n, start, result == TLW_OK);
    }
    if (result == TLW_OK) {
        for (int o = 0; o < s->def->object_count; o++)
            stats->object_heat -= s->def->objects[o].heat;
        double all = tlwParallelSum(s->threads, s->flow->grid.tile_count, TLW_TILE_BLOCK, heatRange, &n);
        stats->ambient_heat = all - stats->object_heat - stats->source_heat;
    }
    for (int i = n.slot_count - 1; i >= 0; i--)
        tlwReturnField(&s->flow->grid, n.slots[i]);
    tlwFree(n.object_change);
    tlwFree(start);
    return result;
}

tlwResult tlwSolveHeat(tlwThreads *threads, tlwFlow *flow, const tlwHeatDef *def, int mass, int heat,
                       tlwHeatStats *stats, tlwMessage *message)
{
    *stats = (tlwHeatStats){0};
    tlwHeatSystem system;
    TLW_TRY(tlwAssembleHeat(threads, flow, def, mass, heat, &system, stats, message));
    tlwResult result = solve(&system, stats);
    tlwFreeHeatSystem(&system);
    if (result == TLW_OUT_OF_MEMORY)
        return tlwFailMemory(message, "the heat step");
    if (result != TLW_OK)
        return tlwFail(
            message, result,
            "Heat did not settle in %d iterations. Lower Heat Speed-up under World, or Step Length under Bake, Solver.",
            stats->newton_iterations);
    return TLW_OK;
}
