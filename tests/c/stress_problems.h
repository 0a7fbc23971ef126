// Systems to try the stress solver on, built from what each cell holds: the problems of docs/viscosity.md.
#ifndef TLW_TESTS_STRESS_PROBLEMS_H
#define TLW_TESTS_STRESS_PROBLEMS_H

#include "base/memory.h"
#include "solve/stress/solve.h"

#include <math.h>
#include <stdlib.h>

// Stiffness dt mu / (rho dx^2) of the liquid in a cell; AIR or SOLID.
enum { AIR = 0, SOLID = -1 };
typedef double CellFn(const void *user, int n, int i, int j, int k);

// What the cells of a problem hold, with stiff features thinner than two cells removed: the smallest of the cells at a
// node, then the largest of the nodes at a cell.
typedef struct Cells {
    int n, side; // cells -PAD .. n + PAD - 1
    double *stiffness, *opened;
} Cells;

enum { PAD = 18 };

static inline int64_t cellSlot(const Cells *cells, int i, int j, int k)
{
    return (i + PAD) + (int64_t)cells->side * ((j + PAD) + (int64_t)cells->side * (k + PAD));
}

static inline double openCell(const Cells *cells, int i, int j, int k)
{
    double best = 0;
    for (int node = 0; node < 8; node++) {
        double least = INFINITY;
        for (int m = 0; m < 8; m++) {
            double c = cells->stiffness[cellSlot(cells, i + (node & 1) - (m & 1), j + (node >> 1 & 1) - (m >> 1 & 1),
                                                 k + (node >> 2) - (m >> 2))];
            least = c > 0 && c < least ? c : least;
        }
        best = least > best ? least : best;
    }
    return best;
}

static inline bool fillCells(Cells *cells, CellFn *cell, const void *user, int n)
{
    cells->n = n;
    cells->side = n + 2 * PAD;
    int64_t count = (int64_t)cells->side * cells->side * cells->side;
    cells->stiffness = tlwAlloc((size_t)count, sizeof(double));
    cells->opened = tlwAlloc((size_t)count, sizeof(double));
    if (!cells->stiffness || !cells->opened)
        return false;
    for (int pass = 0; pass < 2; pass++)
        for (int k = pass - PAD; k < n + PAD - pass; k++)
            for (int j = pass - PAD; j < n + PAD - pass; j++)
                for (int i = pass - PAD; i < n + PAD - pass; i++) {
                    int64_t at = cellSlot(cells, i, j, k);
                    if (pass == 0)
                        cells->stiffness[at] = cell(user, n, i, j, k);
                    else
                        cells->opened[at] = cells->stiffness[at] > 0 ? openCell(cells, i, j, k) : cells->stiffness[at];
                }
    return true;
}

static inline void freeCells(Cells *cells)
{
    tlwFree(cells->stiffness);
    tlwFree(cells->opened);
}

static inline void setSamples(tlwStressSystem *system, const Cells *cells, int i, int j, int k)
{
    int64_t at = tlwCellIndex(&system->level.grid, i, j, k);
    double here = cells->opened[cellSlot(cells, i, j, k)];
    system->level.c[TLW_XX][at] = here > 0 ? (float)(2 * here) : 0;
    for (int kind = TLW_XY; kind <= TLW_YZ; kind++) {
        int a = kind == TLW_YZ ? 1 : 0, b = kind == TLW_XY ? 1 : 2, wet = 0, dry = 0;
        double resistance = 0;
        for (int m = 0; m < 4; m++) {
            int p[3] = {i, j, k};
            p[a] -= m & 1;
            p[b] -= m >> 1;
            double c = cells->opened[cellSlot(cells, p[0], p[1], p[2])];
            wet += c > 0;
            dry += c == AIR;
            resistance += c > 0 ? 1 / c : 0;
        }
        system->level.c[kind][at] = wet ? (float)(wet / resistance * wet / (wet + dry)) : 0;
    }
}

// Faces next to a solid cell are prescribed (zero); others that a sample touches are unknown.
static inline void setFaces(tlwStressSystem *system, const Cells *cells, int i, int j, int k)
{
    const tlwGrid *grid = &system->level.grid;
    int64_t at = tlwCellIndex(grid, i, j, k), stride[3] = {1, grid->stride_y, grid->stride_z};
    for (int a = 0; a < 3; a++) {
        int b = (a + 1) % 3, c = (a + 2) % 3;
        int kind_b = a + b == 1 ? TLW_XY : a + b == 2 ? TLW_XZ : TLW_YZ;
        int kind_c = a + c == 1 ? TLW_XY : a + c == 2 ? TLW_XZ : TLW_YZ;
        float *const *s = system->level.c;
        double touch = s[0][at] + s[0][at - stride[a]] + s[kind_b][at] + s[kind_b][at + stride[b]] + s[kind_c][at] +
                       s[kind_c][at + stride[c]];
        double here = cells->opened[cellSlot(cells, i, j, k)];
        double below = cells->opened[cellSlot(cells, i - (a == 0), j - (a == 1), k - (a == 2))];
        double mass = 0.5 * (here > 0) + 0.5 * (below > 0);
        bool fixed = here == SOLID || below == SOLID;
        system->level.mass[a][at] = fixed ? -1 : touch > 0 ? (float)fmax(mass, 1e-3) : 0;
        double push = a == 2 ? -1 : 0.3 * sin(0.1 * i + 0.2 * j + 0.15 * k + a);
        system->b.at[a][at] = system->level.mass[a][at] > 0 ? (float)(push * system->level.mass[a][at]) : 0;
    }
}

static inline tlwResult buildProblem(tlwStressSystem *system, CellFn *cell, const void *user, int n)
{
    Cells cells;
    int side = n / TLW_TILE + 2, count = 0;
    int(*tiles)[3] = tlwAlloc((size_t)(side * side * side), sizeof *tiles);
    if (!tiles || !fillCells(&cells, cell, user, n))
        return TLW_OUT_OF_MEMORY;
    for (int t = 0; t < side * side * side; t++) {
        int at[3] = {t % side - 1, t / side % side - 1, t / side / side - 1};
        bool used = false;
        for (int k = -1; k <= 8 && !used; k++)
            for (int j = -1; j <= 8 && !used; j++)
                for (int i = -1; i <= 8 && !used; i++)
                    used = cells.opened[cellSlot(&cells, 8 * at[0] + i, 8 * at[1] + j, 8 * at[2] + k)] > 0;
        if (used)
            for (int a = 0; a < 3; a++)
                tiles[count][a] = at[a];
        count += used;
    }
    tlwResult result = tlwInitStressSystem(system, (int[3]){n, n, n}, (const int(*)[3])tiles, count);
    tlwFree(tiles);
    if (result != TLW_OK)
        return result;
    system->unit_mass = 1;
    for (int pass = 0; pass < 2; pass++)
        for (int t = 0; t < system->level.grid.tile_count; t++) {
            const int *c = system->level.grid.tiles[t].cell;
            for (int m = 0; m < TLW_TILE_CELLS; m++)
                (pass ? setFaces : setSamples)(system, &cells, c[0] + m % 8, c[1] + m / 8 % 8, c[2] + m / 64);
        }
    freeCells(&cells);
    return TLW_OK;
}

// Bulk samples as stiff as the normal ones, in cells with six faces, and a swelling that they aim at.
static inline bool makeBulk(tlwStressSystem *system)
{
    tlwStressLevel *level = &system->level;
    const float zero = 0;
    int slot = tlwAddField(&level->grid, sizeof zero, &zero, false);
    if (slot < 0 || !tlwAddBulk(level))
        return false;
    system->swelling = tlwGetFloats(&level->grid, slot);
    for (int t = 0; t < level->grid.tile_count; t++)
        TLW_FOR_ROWS(&level->grid, &level->grid.tiles[t], j, k, row)
            for (int64_t i = row; i < row + TLW_TILE; i++) {
                int component[TLW_SAMPLE_FACES], sign[TLW_SAMPLE_FACES];
                int64_t face[TLW_SAMPLE_FACES];
                bool whole = true;
                tlwSampleFaces(&level->grid, TLW_BULK, i, component, face, sign);
                for (int f = 0; f < 6; f++)
                    whole = whole && level->mass[component[f]][face[f]] != 0;
                level->c[TLW_BULK][i] = whole ? level->c[TLW_XX][i] : 0;
                system->swelling[i] = 1e-3f * (float)sin(0.7 * (double)i);
            }
    return true;
}

// y = A x, sample by sample: what the fast operator is compared with.
static inline void applyReference(const tlwStressLevel *level, const tlwFaceDoubles *x, tlwFaceDoubles *y)
{
    const tlwGrid *grid = &level->grid;
    for (int t = 0; t < grid->tile_count; t++)
        TLW_FOR_ROWS(grid, &grid->tiles[t], j, k, row)
            for (int64_t i = row; i < row + TLW_TILE; i++)
                for (int a = 0; a < 3; a++)
                    y->at[a][i] = level->mass[a][i] > 0 ? level->mass[a][i] * x->at[a][i] : 0;
    for (int t = 0; t < grid->tile_count; t++)
        TLW_FOR_ROWS(grid, &grid->tiles[t], j, k, row)
            for (int64_t i = row; i < row + TLW_TILE; i++)
                for (int kind = 0; kind < TLW_KINDS && level->c[kind]; kind++) {
                    int component[TLW_SAMPLE_FACES], sign[TLW_SAMPLE_FACES];
                    int64_t face[TLW_SAMPLE_FACES];
                    int count = tlwSampleFaces(grid, kind, i, component, face, sign);
                    double strain = 0;
                    for (int f = 0; f < count; f++)
                        strain += sign[f] * x->at[component[f]][face[f]];
                    for (int f = 0; f < count; f++)
                        if (level->mass[component[f]][face[f]] > 0)
                            y->at[component[f]][face[f]] += sign[f] * level->c[kind][i] * strain;
                }
}

static inline double distance(double x, double y, double z, double cx, double cy, double cz)
{
    return sqrt((x - cx) * (x - cx) + (y - cy) * (y - cy) + (z - cz) * (z - cz));
}

#define POSITION                                                                                                       \
    double x = (i + 0.5) / n, y = (j + 0.5) / n, z = (k + 0.5) / n;                                                    \
    (void)x, (void)y, (void)z

// A: two blocks side by side on a floor; the second is *(double *)user times as stiff.
static inline double twoBlocks(const void *user, int n, int i, int j, int k)
{
    POSITION;
    if (z < 0.125)
        return z > 0 && x > 0 && x < 1 && y > 0 && y < 1 ? SOLID : AIR;
    if (y < 0.25 || y > 0.75 || z > 0.6)
        return AIR;
    return x > 0.2 && x < 0.5 ? 1 : x >= 0.5 && x < 0.8 ? *(const double *)user : AIR;
}

// B: a statue on a floor, 1e9 inside, three molten cells at its skin with an exponential transition.
static inline double statue(const void *user, int n, int i, int j, int k)
{
    (void)user;
    POSITION;
    double torso = distance(x, y, 0.7 * z, 0.5, 0.5, 0.25) - 0.2, head = distance(x, y, z, 0.5, 0.5, 0.75) - 0.15;
    double arm = fmax(fabs(z - 0.5) - 0.05, fmax(fabs(y - 0.5) - 0.06, fabs(x - 0.5) - 0.4));
    double foot = fmax(fabs(z - 0.15) - 0.05, fmax(fabs(y - 0.5) - 0.2, fabs(x - 0.5) - 0.25));
    double d = fmin(fmin(torso, head), fmin(arm, foot)) * n; // cells
    if (z < 0.11)
        return z > 0 ? SOLID : AIR;
    return d > 0 ? AIR : pow(10, -2 + 11 * fmin(-d / 3, 1));
}

// C: a pool of stiffness 1e4 in a box.
static inline double pool(const void *user, int n, int i, int j, int k)
{
    (void)user;
    if (i < 0 || i >= n || j < 0 || j >= n || k < 0)
        return i < -1 || i > n || j < -1 || j > n || k < -1 || k > n ? AIR : SOLID;
    return k < 0.6 * n ? 1e4 : AIR;
}

// D: seven stiff lumps in a thin pool.
static inline double lumps(const void *user, int n, int i, int j, int k)
{
    static const double CENTRE[7][3] = {{.3, .3, .3},  {.7, .3, .2},  {.3, .7, .25}, {.7, .7, .3},
                                        {.5, .5, .45}, {.2, .5, .45}, {.8, .5, .45}};
    POSITION;
    double base = pool(user, n, i, j, k);
    for (int m = 0; m < 7 && base > 0; m++)
        if (distance(x, y, z, CENTRE[m][0], CENTRE[m][1], CENTRE[m][2]) < 0.1)
            return 1e9;
    return base > 0 ? 0.01 : base;
}

// S: a pool with a solid ball in it and a free stiff blob beside.
static inline double sphere(const void *user, int n, int i, int j, int k)
{
    POSITION;
    double base = pool(user, n, i, j, k);
    if (base > 0 && distance(x, y, z, 0.35, 0.5, 0.3) < 0.15)
        return SOLID;
    if (base > 0 && distance(x, y, z, 0.7, 0.5, 0.35) < 0.12)
        return 1e9;
    return base > 0 ? 10 : base;
}

#endif
