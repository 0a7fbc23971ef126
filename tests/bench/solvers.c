// How near the solvers are to the memory's limit: a STREAM triad, then the pressure and the viscosity solve of a pool
// that fills six tenths of a tank, on one thread and on two. One line of JSON each.
//
//     bench_solvers [CELLS]
//
// Bytes are counted as STREAM counts them: what kernels read and write, every array once per kernel, nothing for the
// lines that a store fetches first. Arrays that stay in a cache make a share of more than 100 % possible.
#include "stress_problems.h"

#include "base/context.h"
#include "base/kernel.h"
#include "base/memory.h"
#include "base/pages.h"
#include "solve/poisson/poisson.h"
#include "solve/stress/solve.h"

#include <stdio.h>
#include <time.h>

#define TRIAD_NUMBERS ((int64_t)1 << 24) // 128 MB an array
#define FEW 2                            // iterations; what a few take is subtracted from what many take
#define MANY 10
#define REPEATS 3

// On a busy machine processor time is what can be compared: all threads' time over their number.
typedef struct Clock {
    double wall, cpu;
} Clock;

static double read(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static Clock now(void)
{
    return (Clock){read(CLOCK_MONOTONIC), read(CLOCK_PROCESS_CPUTIME_ID)};
}

static Clock since(Clock start, tlwThreads *threads)
{
    Clock end = now();
    return (Clock){end.wall - start.wall, (end.cpu - start.cpu) / tlwGetThreadCount(threads)};
}

static Clock least(Clock a, Clock b)
{
    return (Clock){fmin(a.wall, b.wall), fmin(a.cpu, b.cpu)};
}

typedef struct Triad {
    double *a, *b, *c, scale;
} Triad;

TLW_KERNEL static void triadRange(void *context, int64_t begin, int64_t end)
{
    const Triad *t = context;
    double *restrict a = t->a;
    for (int64_t n = begin; n < end; n++)
        a[n] = t->b[n] + t->scale * t->c[n];
}

static void fillRange(void *context, int64_t begin, int64_t end)
{
    const Triad *t = context;
    for (int64_t n = begin; n < end; n++) {
        t->a[n] = 0;
        t->b[n] = (double)n;
        t->c[n] = 1;
    }
}

// Bytes per second, the best of a few; 0 when memory is out.
static Clock measureTriad(tlwThreads *threads)
{
    size_t bytes = (size_t)TRIAD_NUMBERS * sizeof(double);
    Triad t = {tlwAllocPages(bytes), tlwAllocPages(bytes), tlwAllocPages(bytes), 3};
    Clock best = {INFINITY, INFINITY};
    if (t.a && t.b && t.c) {
        tlwParallelFor(threads, TRIAD_NUMBERS, 1 << 16, fillRange, &t);
        for (int n = 0; n < 6; n++) {
            Clock start = now();
            tlwParallelFor(threads, TRIAD_NUMBERS, 1 << 16, triadRange, &t);
            best = least(best, since(start, threads));
        }
    }
    tlwFreePages(t.a);
    tlwFreePages(t.b);
    tlwFreePages(t.c);
    return (Clock){3 * (double)bytes / best.wall, 3 * (double)bytes / best.cpu};
}

// ---------------------------------------------------------------------------------------------------------------------
// Pressure

typedef struct Tank {
    tlwGrid grid;
    tlwPoissonSystem system;
    int x, b;
} Tank;

static uint8_t typeOf(int n, int i, int j, int k)
{
    double stiffness = pool(NULL, n, i, j, k);
    return stiffness == SOLID ? TLW_CELL_SOLID : stiffness == AIR ? TLW_CELL_AIR : TLW_CELL_LIQUID;
}

static void fillRow(Tank *tank, int n, int i0, int j, int k, int64_t row)
{
    for (int i = 0; i < TLW_TILE; i++) {
        int c[3] = {i0 + i, j, k};
        uint8_t type = typeOf(n, c[0], c[1], c[2]);
        float diag = 0;
        for (int m = 0; m < 6 && type == TLW_CELL_LIQUID; m++) {
            int d[3] = {c[0], c[1], c[2]};
            d[m / 2] += m & 1 ? 1 : -1;
            uint8_t other = typeOf(n, d[0], d[1], d[2]);
            diag += other == TLW_CELL_SOLID ? 0 : other == TLW_CELL_AIR ? 2 : 1;
            if (other == TLW_CELL_LIQUID && !(m & 1))
                tlwGetFloats(&tank->grid, tank->system.weight[m / 2])[row + i] = 1;
        }
        tlwGetBytes(&tank->grid, tank->system.type)[row + i] = type;
        tlwGetFloats(&tank->grid, tank->system.diag)[row + i] = diag > 0 ? diag : 1;
        tlwGetFloats(&tank->grid, tank->b)[row + i] = diag > 0 ? (float)sin(0.1 * c[0] + 0.2 * c[1] + 0.15 * c[2]) : 0;
        tlwGetFloats(&tank->grid, tank->x)[row + i] = 0;
    }
}

static bool fillTank(Tank *tank, int n)
{
    tlwInitGrid(&tank->grid, (tlwVec3){0, 0, 0}, (int[3]){n, n, n}, 1.0 / n);
    int side = n / TLW_TILE, count = side * side * side;
    int(*tiles)[3] = tlwAlloc((size_t)count, sizeof *tiles);
    for (int t = 0; tiles && t < count; t++) {
        tiles[t][0] = t % side;
        tiles[t][1] = t / side % side;
        tiles[t][2] = t / side / side;
    }
    bool ok = tiles && tlwActivateTiles(NULL, &tank->grid, (const int(*)[3])tiles, count) == TLW_OK;
    tlwFree(tiles);
    float zero = 0;
    uint8_t solid = TLW_CELL_SOLID;
    int *floats[] = {&tank->system.diag,
                     &tank->system.weight[0],
                     &tank->system.weight[1],
                     &tank->system.weight[2],
                     &tank->x,
                     &tank->b};
    tank->system = (tlwPoissonSystem){.grid = &tank->grid};
    for (int f = 0; ok && f < 6; f++)
        ok = (*floats[f] = tlwAddField(&tank->grid, sizeof(float), &zero, false)) >= 0;
    ok = ok && (tank->system.type = tlwAddField(&tank->grid, 1, &solid, false)) >= 0;
    for (int t = 0; ok && t < tank->grid.tile_count; t++)
        TLW_FOR_ROWS(&tank->grid, &tank->grid.tiles[t], j, k, row)
            fillRow(tank, n, tank->grid.tiles[t].cell[0], (int)j, k, row);
    return ok;
}

typedef struct Figures {
    const char *name;
    int64_t unknowns;
    double bytes; // per iteration
    Clock few, many, whole;
    int iterations; // of the whole solve
} Figures;

static void printFigures(const Figures *f, int threads, Clock triad)
{
    double wall = (f->many.wall - f->few.wall) / (MANY - FEW), cpu = (f->many.cpu - f->few.cpu) / (MANY - FEW);
    printf("{\"solver\": \"%s\", \"threads\": %d, \"unknowns\": %lld, \"bytes_per_unknown\": %.1f, "
           "\"seconds_per_iteration\": %.6f, \"cpu_seconds_per_iteration\": %.6f, \"bandwidth\": %.4g, "
           "\"share_of_triad\": %.4f, \"cpu_share_of_triad\": %.4f, "
           "\"solve_seconds\": %.5f, \"cpu_solve_seconds\": %.5f, \"solve_iterations\": %d}\n",
           f->name, threads, (long long)f->unknowns, f->bytes / (double)f->unknowns, wall, cpu * threads,
           f->bytes / wall, f->bytes / wall / triad.wall, f->bytes / cpu / triad.cpu, f->whole.wall,
           f->whole.cpu * threads, f->iterations);
    fflush(stdout);
}

// A solve of some iterations, or to a tolerance when that is given. Setup counts.
typedef bool SolveFn(tlwContext *context, int n, int iterations, double tolerance, Figures *f, Clock *time);

static bool solvePressure(tlwContext *context, int n, int iterations, double tolerance, Figures *f, Clock *time)
{
    Tank tank;
    if (!fillTank(&tank, n))
        return false;
    Clock start = now();
    tlwPoisson *poisson = tlwCreatePoisson(context, &tank.system);
    tlwSolveStats stats;
    if (!poisson)
        return false;
    tlwSolvePoisson(poisson, tank.x, tank.b, tolerance, iterations, &stats);
    *time = least(*time, since(start, context->threads));
    f->unknowns = stats.unknowns;
    f->bytes = stats.bytes_per_iteration;
    f->iterations = stats.iterations;
    tlwDestroyPoisson(poisson);
    tlwFreeGrid(&tank.grid);
    return true;
}

static bool solveViscosity(tlwContext *context, int n, int iterations, double tolerance, Figures *f, Clock *time)
{
    tlwStressSystem system = {0};
    tlwStressStats stats;
    tlwStressOptions options = {.tolerance = tolerance, .max_iterations = iterations, .method = TLW_STRESS_MULTIGRID};
    if (buildProblem(&system, pool, NULL, n) != TLW_OK)
        return false;
    Clock start = now();
    tlwSolveStress(context->threads, &system, &options, &stats);
    *time = least(*time, since(start, context->threads));
    f->unknowns = stats.unknowns;
    f->bytes = stats.bytes_per_iteration;
    f->iterations = stats.iterations;
    tlwFreeStressSystem(&system);
    return true;
}

static bool measure(tlwContext *context, const char *name, SolveFn *solve, int n, double tolerance, Clock triad)
{
    const Clock none = {INFINITY, INFINITY};
    Figures f = {.name = name, .few = none, .many = none, .whole = none};
    for (int m = 0; m < REPEATS; m++)
        if (!solve(context, n, FEW, 1e-30, &f, &f.few) || !solve(context, n, MANY, 1e-30, &f, &f.many))
            return false;
    if (!solve(context, n, 100, tolerance, &f, &f.whole))
        return false;
    printFigures(&f, tlwGetThreadCount(context->threads), triad);
    return true;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) / TLW_TILE * TLW_TILE : 128;
    tlwSceneDef scene = tlwDefaultSceneDef();
    bool ok = n >= 16;
    for (int threads = 1; ok && threads <= 2; threads++) {
        tlwContextDef def = tlwDefaultContextDef();
        def.threads = threads;
        tlwContext *context;
        if (tlwCreateContext(&def, &context) != TLW_OK)
            return 1;
        Clock triad = measureTriad(context->threads);
        printf("{\"triad\": %.4g, \"threads\": %d, \"cells\": %d}\n", triad.wall, threads, n);
        ok = measure(context, "pressure", solvePressure, n, scene.pressure_tolerance, triad) &&
             measure(context, "viscosity", solveViscosity, n, scene.viscosity_tolerance, triad);
        tlwDestroyContext(context);
    }
    if (!ok)
        fprintf(stderr, "Memory is out, or fewer than 16 cells were asked for.\n");
    return ok ? 0 : 1;
}
