#include "step/heat/lines.h"

#include "base/memory.h"
#include "step/heat/system.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#define PLAIN_ITERATIONS 30
#define SETTLED_KELVIN 1e-7
#define NESTED_ITERATIONS 40

// One line of cells that exchange heat. Arrays of `capacity`.
typedef struct Line {
    int count;
    double *mass, *h, *t, *tie; // tie[n]: conductance between n - 1 and n
    double *outside, *supply;   // conductance to the outside; the same times its temperature, plus sources
    double *upper, *right;      // of the elimination
    const tlwHeatCurve **curve;
    uint8_t *piece, *fall_piece;
} Line;

#define LINE_DOUBLES 8

typedef struct Sweep {
    tlwHeatSystem *s;
    int axis;
    const int *chains; // first tile of each row of tiles along the axis
    int64_t longest;   // in cells
    atomic_int failed; // a tlwResult
    atomic_int iterations;
} Sweep;

static bool makeLine(Line *line, int64_t capacity, void **block)
{
    size_t size = (size_t)capacity * (LINE_DOUBLES * sizeof(double) + sizeof(void *) + 2);
    char *p = *block = tlwAlloc(size, 1);
    if (!p)
        return false;
    double **arrays[LINE_DOUBLES] = {&line->mass,    &line->h,      &line->t,     &line->tie,
                                     &line->outside, &line->supply, &line->upper, &line->right};
    for (int n = 0; n < LINE_DOUBLES; n++, p += (size_t)capacity * sizeof(double))
        *arrays[n] = (double *)p;
    line->curve = (const tlwHeatCurve **)p;
    p += (size_t)capacity * sizeof(void *);
    line->piece = (uint8_t *)p;
    line->fall_piece = line->piece + capacity;
    return true;
}

// One Newton step by elimination (Carlson 2004, table 5). Returns whether the line still has to be iterated.
static bool stepLine(Line *l, bool nested)
{
    for (int n = 0; n < l->count; n++) {
        double slope;
        double h = tlwGetCurveEnthalpy(l->curve[n], l->t[n], l->piece[n], l->fall_piece[n], &slope);
        double next = n + 1 < l->count ? l->tie[n + 1] : 0, last = n > 0 ? l->tie[n] : 0;
        double diag = l->mass[n] * slope + last + next + l->outside[n];
        double right = l->mass[n] * (slope * l->t[n] - (h - l->h[n])) + l->supply[n];
        if (n > 0) {
            diag -= last * l->upper[n - 1];
            right += last * l->right[n - 1];
        }
        l->upper[n] = next / diag;
        l->right[n] = right / diag;
    }
    bool moved = false;
    double solved = 0;
    for (int n = l->count - 1; n >= 0; n--) {
        double t = l->right[n] + (n + 1 < l->count ? l->upper[n] * solved : 0);
        l->t[n] = nested ? t : tlwFollowHeatCurve(l->curve[n], l->t[n], l->piece[n], t - l->t[n]);
        solved = t;
        int piece = tlwGetHeatPiece(l->curve[n], l->t[n]);
        moved = moved || (nested ? piece != l->piece[n] : fabs(l->t[n] - t) > SETTLED_KELVIN);
        l->piece[n] = (uint8_t)piece;
    }
    return moved;
}

static bool iteratePlain(Line *l, int *iterations)
{
    for (int i = 0; i < PLAIN_ITERATIONS; i++) {
        for (int n = 0; n < l->count; n++)
            l->fall_piece[n] = l->piece[n];
        ++*iterations;
        if (!stepLine(l, false))
            return true;
    }
    return false;
}

// See heat/heat.c. A line that still has not settled sits on a corner of h(T) to within rounding.
static void iterateNested(Line *l, int *iterations)
{
    memset(l->fall_piece, 0, (size_t)l->count);
    for (int outer = 0; outer < NESTED_ITERATIONS; outer++) {
        for (int n = 0; n < l->count; n++)
            if (isfinite(l->curve[n]->te)) {
                l->t[n] = fmax(l->t[n], l->curve[n]->te + TLW_HEAT_MIN_SPAN);
                l->piece[n] = (uint8_t)tlwGetHeatPiece(l->curve[n], l->t[n]);
            }
        for (int inner = 0; inner < NESTED_ITERATIONS && stepLine(l, true); inner++)
            ++*iterations;
        bool moved = false;
        for (int n = 0; n < l->count; n++) {
            moved = moved || l->fall_piece[n] != l->piece[n];
            l->fall_piece[n] = l->piece[n];
        }
        if (!moved)
            return;
    }
}

static bool solveLine(Line *l, int *iterations)
{
    for (int n = 0; n < l->count; n++) {
        l->t[n] = tlwGetCurveTemperature(l->curve[n], l->h[n]);
        l->piece[n] = (uint8_t)tlwGetHeatPiece(l->curve[n], l->t[n]);
    }
    if (!iteratePlain(l, iterations))
        iterateNested(l, iterations);
    for (int n = 0; n < l->count; n++)
        if (!isfinite(l->t[n]))
            return false;
    return true;
}

// Put cell c at the end of the line.
static void addCell(const tlwHeatSystem *s, Line *l, int64_t c, int axis)
{
    int n = l->count++;
    l->mass[n] = s->mass[c];
    l->curve[n] = &s->curves[s->material[c]];
    l->h[n] = s->enthalpy[c] + s->heat[c] / s->mass[c];
    l->tie[n] = s->weight[axis][c];
    l->outside[n] = l->supply[n] = 0;
    if (s->axis[c] == axis) {
        l->outside[n] = (double)s->air[c] + s->contact[c];
        l->supply[n] = s->air[c] * s->def->ambient_temperature + s->source[c];
        if (s->contact[c] > 0)
            l->supply[n] += s->contact[c] * s->def->objects[s->object[c]].temperature;
    }
}

// Solve the line that ends before cell `end`, and add the fluxes to the cells' heat.
static void finishLine(Sweep *sweep, Line *l, int64_t end, int64_t stride)
{
    tlwHeatSystem *s = sweep->s;
    int iterations = 0;
    if (l->count == 0)
        return;
    if (!solveLine(l, &iterations))
        atomic_store(&sweep->failed, TLW_NOT_CONVERGED);
    int seen = atomic_load(&sweep->iterations);
    while (iterations > seen && !atomic_compare_exchange_weak(&sweep->iterations, &seen, iterations)) {
    }
    int64_t c = end - l->count * stride;
    for (int n = 0; n < l->count; n++, c += stride) {
        double flux = l->supply[n] - l->outside[n] * l->t[n];
        if (n > 0)
            flux += l->tie[n] * (l->t[n - 1] - l->t[n]);
        if (n + 1 < l->count)
            flux += l->tie[n + 1] * (l->t[n + 1] - l->t[n]);
        s->heat[c] += flux;
        // The objects' heat is added up from this temperature.
        if (s->axis[c] == sweep->axis)
            s->temperature[c] = l->t[n];
    }
    l->count = 0;
}

static void sweepRange(void *context, int64_t begin, int64_t end)
{
    Sweep *sweep = context;
    tlwHeatSystem *s = sweep->s;
    const tlwGrid *grid = &s->flow->grid;
    const int64_t strides[3] = {1, grid->stride_y, grid->stride_z};
    int64_t along = strides[sweep->axis], u = strides[(sweep->axis + 1) % 3], v = strides[(sweep->axis + 2) % 3];
    Line line = {0};
    void *block;
    if (!makeLine(&line, sweep->longest, &block)) {
        atomic_store(&sweep->failed, TLW_OUT_OF_MEMORY);
        return;
    }
    for (int64_t n = begin; n < end; n++) {
        const tlwTile *tile = &grid->tiles[sweep->chains[2 * n]];
        int64_t cells = (int64_t)sweep->chains[2 * n + 1] * TLW_TILE;
        for (int l = 0; l < TLW_TILE * TLW_TILE; l++) {
            int64_t c = tile->base + l % TLW_TILE * u + l / TLW_TILE * v;
            for (int64_t i = 0; i < cells; i++, c += along) {
                if (line.count > 0 && !(s->weight[sweep->axis][c] > 0))
                    finishLine(sweep, &line, c, along);
                if (s->mass[c] > 0)
                    addCell(s, &line, c, sweep->axis);
            }
            finishLine(sweep, &line, c, along);
        }
    }
    tlwFree(block);
}

// Rows of tiles along an axis: first tile and length. Returns their number; `chains` has room for two ints per tile.
static int listChains(const tlwGrid *grid, int axis, int *chains, int64_t *longest)
{
    int count = 0;
    *longest = 0;
    for (int t = 0; t < grid->tile_count; t++) {
        int c[3] = {grid->tiles[t].cell[0] / TLW_TILE, grid->tiles[t].cell[1] / TLW_TILE,
                    grid->tiles[t].cell[2] / TLW_TILE};
        c[axis]--;
        if (tlwFindTile(grid, c[0], c[1], c[2]) >= 0)
            continue;
        int length = 0;
        for (c[axis]++; tlwFindTile(grid, c[0], c[1], c[2]) >= 0; c[axis]++)
            length++;
        chains[2 * count] = t;
        chains[2 * count++ + 1] = length;
        *longest = length * TLW_TILE > *longest ? length * TLW_TILE : *longest;
    }
    return count;
}

tlwResult tlwSolveHeatLines(tlwHeatSystem *s, tlwHeatStats *stats)
{
    const tlwGrid *grid = &s->flow->grid;
    int *chains = tlwAlloc(2 * (size_t)grid->tile_count + 2, sizeof *chains);
    if (!chains)
        return TLW_OUT_OF_MEMORY;
    Sweep sweep = {.s = s, .chains = chains};
    for (int axis = 0; axis < 3 && atomic_load(&sweep.failed) == TLW_OK; axis++) {
        sweep.axis = axis;
        int count = listChains(grid, axis, chains, &sweep.longest);
        tlwParallelFor(s->threads, count, 2, sweepRange, &sweep);
    }
    tlwFree(chains);
    stats->newton_iterations = atomic_load(&sweep.iterations);
    return (tlwResult)atomic_load(&sweep.failed);
}
