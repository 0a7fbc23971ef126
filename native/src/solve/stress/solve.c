#include "solve/stress/solve.h"

#include "base/kernel.h"
#include "base/result.h"
#include "solve/stress/bulk.h"
#include "solve/stress/precondition.h"
#include "solve/stress/stencil.h"

#include <math.h>
#include <string.h>
#include <time.h>

tlwResult tlwInitStressSystem(tlwStressSystem *system, const int dims[3], const int (*tiles)[3], int count)
{
    memset(system, 0, sizeof *system);
    TLW_TRY(tlwInitStressLevel(&system->level, dims, tiles, count, true));
    if (!tlwAddFaceFloats(&system->level, &system->b) || !tlwAddFaceDoubles(&system->level, &system->x))
        return TLW_OUT_OF_MEMORY;
    return TLW_OK;
}

void tlwFreeStressSystem(tlwStressSystem *system)
{
    tlwFreeStressLevel(&system->level);
    memset(system, 0, sizeof *system);
}

// The vectors of the iteration.
typedef struct Iteration {
    tlwThreads *threads;
    const tlwStressLevel *level;
    const tlwStressBodies *bodies; // may be null
    const float *swelling;         // may be null
    tlwFaceFloats *b;
    tlwFaceDoubles x, r, p, q; // q = A p
    tlwFaceFloats *scaled;     // r in single precision, scaled to be about one
    const tlwFaceFloats *z;
    double alpha, beta, scale;
} Iteration;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// x += alpha p, r -= alpha q; sum of r^2 / m.
TLW_KERNEL static void advanceRange(void *context, int64_t begin, int64_t end)
{
    const Iteration *it = context;
    const double alpha = it->alpha, scale = it->scale;
    double sum[TLW_TILE] = {0};
    const int64_t next_row = it->level->grid.stride_y;
    for (int a = 0; a < 3; a++) {
        const float *mass = it->level->mass[a];
        const double *p = it->p.at[a], *q = it->q.at[a];
        double *restrict x = it->x.at[a], *restrict r = it->r.at[a];
        float *restrict scaled = it->scaled->at[a];
        TLW_FOR_SPAN_ROWS(it->level, begin, end, i) {
            __builtin_prefetch(mass + i + next_row);
            __builtin_prefetch(p + i + next_row);
            __builtin_prefetch(q + i + next_row);
            __builtin_prefetch(x + i + next_row);
            __builtin_prefetch(r + i + next_row);
            __builtin_prefetch(scaled + i + next_row);
#pragma GCC ivdep
            for (int l = 0; l < TLW_TILE; l++) {
                double m = mass[i + l], next = r[i + l] - alpha * q[i + l];
                x[i + l] += alpha * p[i + l];
                r[i + l] = next;
                scaled[i + l] = (float)(scale * next);
                sum[l] += next * next / (m > 0 ? m : 1);
            }
        }
    }
    partialsOf(it->level, begin)[0] = addLanes(sum);
}

// Sums of r z and q z.
TLW_KERNEL static void dotRange(void *context, int64_t begin, int64_t end)
{
    const Iteration *it = context;
    double rz[TLW_TILE] = {0}, qz[TLW_TILE] = {0};
    const int64_t next_row = it->level->grid.stride_y;
    for (int a = 0; a < 3; a++) {
        const double *r = it->r.at[a], *q = it->q.at[a];
        const float *z = it->z->at[a];
        TLW_FOR_SPAN_ROWS(it->level, begin, end, i) {
            __builtin_prefetch(r + i + next_row);
            __builtin_prefetch(q + i + next_row);
            __builtin_prefetch(z + i + next_row);
            for (int l = 0; l < TLW_TILE; l++) {
                rz[l] += r[i + l] * z[i + l];
                qz[l] += q[i + l] * z[i + l];
            }
        }
    }
    partialsOf(it->level, begin)[0] = addLanes(rz);
    partialsOf(it->level, begin)[1] = addLanes(qz);
}

// p = z + beta p
TLW_KERNEL static void turnRange(void *context, int64_t begin, int64_t end)
{
    const Iteration *it = context;
    const double beta = it->beta;
    const int64_t next_row = it->level->grid.stride_y;
    for (int a = 0; a < 3; a++) {
        double *restrict p = it->p.at[a];
        const float *z = it->z->at[a];
        TLW_FOR_SPAN_ROWS(it->level, begin, end, i) {
            __builtin_prefetch(p + i + next_row);
            __builtin_prefetch(z + i + next_row);
            for (int l = 0; l < TLW_TILE; l++)
                p[i + l] = z[i + l] + beta * p[i + l];
        }
    }
}

// Sum of b^2 / m over the unknowns.
static double normRange(void *context, int64_t begin, int64_t end)
{
    const Iteration *it = context;
    double sum = 0;
    for (int a = 0; a < 3; a++)
        TLW_FOR_SPAN_ROWS(it->level, begin, end, row)
            for (int64_t i = row; i < row + TLW_TILE; i++) {
                double m = it->level->mass[a][i], b = it->b->at[a][i];
                sum += m > 0 ? b * b / m : 0;
            }
    return sum;
}

// Sum of the squared prescribed velocities; those go to p. Over tiles, since prescribed faces may lie in rows without
// unknowns.
static double prescribedRange(void *context, int64_t begin, int64_t end)
{
    const Iteration *it = context;
    const tlwGrid *grid = &it->level->grid;
    double sum = 0;
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(grid, &grid->tiles[t], j, k, row)
            for (int a = 0; a < 3; a++)
                for (int64_t i = row; i < row + TLW_TILE; i++)
                    if (it->level->mass[a][i] < 0) {
                        it->p.at[a][i] = it->b->at[a][i];
                        sum += it->p.at[a][i] * it->p.at[a][i];
                    }
    return sum;
}

// b -= q on the unknowns.
static void prescribeRange(void *context, int64_t begin, int64_t end)
{
    const Iteration *it = context;
    for (int a = 0; a < 3; a++)
        TLW_FOR_SPAN_ROWS(it->level, begin, end, row)
            for (int64_t i = row; i < row + TLW_TILE; i++)
                it->b->at[a][i] = (float)(it->b->at[a][i] - (it->level->mass[a][i] > 0 ? it->q.at[a][i] : 0));
}

// Prescribed velocities leave p again.
static void unprescribeRange(void *context, int64_t begin, int64_t end)
{
    const Iteration *it = context;
    const tlwGrid *grid = &it->level->grid;
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(grid, &grid->tiles[t], j, k, row)
            for (int a = 0; a < 3; a++)
                for (int64_t i = row; i < row + TLW_TILE; i++)
                    if (it->level->mass[a][i] < 0)
                        it->p.at[a][i] = 0;
}

static void run(const Iteration *it, tlwRangeFn *fn)
{
    tlwParallelFor(it->threads, it->level->span_count, TLW_SPAN_BLOCK, fn, (void *)it);
}

// True residual.
static double computeResidual(Iteration *it)
{
    double squared = tlwStressResidual(it->threads, it->level, it->b, &it->x, &it->r);
    if (it->swelling)
        squared = tlwAddSwelling(it->threads, it->level, it->swelling, &it->r);
    if (it->bodies) {
        tlwMakeForcesRigid(it->threads, it->bodies, -1, &it->x, &it->r);
        it->alpha = 0;
        run(it, advanceRange);
        squared = sumPartials(it->level, 0);
    }
    return squared;
}

// Zero p and q in the rows with unknowns. The other rows are untouched zeros; writing them would cost memory.
static void forgetRange(void *context, int64_t begin, int64_t end)
{
    const Iteration *it = context;
    for (int a = 0; a < 3; a++)
        TLW_FOR_SPAN_ROWS(it->level, begin, end, row) {
            memset(it->p.at[a] + row, 0, TLW_TILE * sizeof(double));
            memset(it->q.at[a] + row, 0, TLW_TILE * sizeof(double));
        }
}

static void forgetDirection(Iteration *it)
{
    run(it, forgetRange);
}

// r = b
static void restRange(void *context, int64_t begin, int64_t end)
{
    const Iteration *it = context;
    for (int a = 0; a < 3; a++)
        TLW_FOR_SPAN_ROWS(it->level, begin, end, row)
            for (int64_t i = row; i < row + TLW_TILE; i++)
                it->r.at[a][i] = it->level->mass[a][i] > 0 ? it->b->at[a][i] : 0;
}

// The residual of x = 0; r may change.
static double measureRest(Iteration *it)
{
    if (!it->swelling)
        return tlwParallelSum(it->threads, it->level->span_count, TLW_SPAN_BLOCK, normRange, it);
    run(it, restRange);
    return tlwAddSwelling(it->threads, it->level, it->swelling, &it->r);
}

// Start from the present x, or from zero if that has the smaller residual. A guess that ignores a wall which holds
// stiff liquid is worse than zero by a factor of the stiffness.
static double startFrom(Iteration *it, tlwStressPreconditioner *pre, double limit)
{
    double rest = measureRest(it), squared = computeResidual(it);
    if (rest < squared) {
        for (int a = 0; a < 3; a++)
            tlwFillDoubles(it->threads, &it->level->grid, it->x.at[a], 0);
        squared = computeResidual(it);
    }
    if (squared > limit && pre->deflation.parts.count) {
        tlwDeflate(it->threads, &pre->deflation, &it->r, &it->x);
        if (it->bodies)
            tlwMakeRigid(it->threads, it->bodies, &it->x);
        squared = computeResidual(it);
    }
    return squared;
}

#define HOPELESS 0.1 // residual that is still left of one

// Conjugate gradients with one preconditioner, from the present x. `limit` bounds the squared residual.
static tlwResult iterate(Iteration *it, tlwStressPreconditioner *pre, const tlwStressOptions *options, double limit,
                         tlwStressStats *stats, double *squared)
{
    *squared = startFrom(it, pre, limit);
    forgetDirection(it);
    double curvature = 1;
    bool fresh = false; // whether the scaled residual is up to date
    double hopeless = limit * HOPELESS * HOPELESS / (options->tolerance * options->tolerance);
    for (int n = 0; n<options->max_iterations && * squared> limit; n++) {
        if (options->cancel && options->cancel(options->user))
            return TLW_CANCELLED;
        if (options->patience && n == options->patience && *squared > hopeless)
            return TLW_NOT_CONVERGED;
        if (!fresh) {
            it->alpha = 0;
            it->scale = 1 / sqrt(*squared);
            run(it, advanceRange);
        }
        it->z = tlwPrecondition(it->threads, pre, &it->r, it->scale);
        run(it, dotRange);
        double rz = sumPartials(it->level, 0), qz = sumPartials(it->level, 1);
        it->beta = -qz / curvature;
        run(it, turnRange);
        if (it->bodies)
            tlwMakeRigid(it->threads, it->bodies, &it->p);
        curvature = tlwApplyStress(it->threads, it->level, &it->p, &it->q);
        if (it->bodies)
            curvature += tlwMakeForcesRigid(it->threads, it->bodies, 1, &it->p, &it->q);
        if (!(curvature > 0) || !(rz > 0))
            return TLW_NOT_CONVERGED;
        it->alpha = rz / curvature;
        it->scale = 1 / sqrt(*squared);
        run(it, advanceRange);
        *squared = sumPartials(it->level, 0);
        stats->iterations++;
        fresh = true;
        // The recursive residual drifts from the true one. So compute the true residual before stopping, and restart
        // from it if it is too large.
        if (*squared <= limit) {
            *squared = computeResidual(it);
            curvature = 1;
            fresh = false;
            forgetDirection(it);
        }
    }
    return *squared <= limit ? TLW_OK : TLW_NOT_CONVERGED;
}

// Bytes that an iteration moves besides its preconditioner. A vector has three numbers per cell. The loops move: r, q,
// z; z and p twice; p, q and A; p, q, mass, the scaled residual, and x and r twice.
static double countBytes(const tlwStressLevel *level)
{
    const double real = 3 * sizeof(double), single = 3 * sizeof(float);
    return countSpanCells(level) * ((2 * real + single) + (2 * real + single) +
                                    (2 * real + countCoefficients(level) * sizeof(float)) + (6 * real + 2 * single));
}

static tlwResult solveWith(Iteration *it, tlwStressSystem *system, const tlwStressOptions *options,
                           tlwStressMethod method, double limit, tlwStressStats *stats, double *squared)
{
    double start = now();
    tlwStressPreconditioner pre;
    tlwResult result = tlwInitStressPreconditioner(it->threads, &pre, system, method);
    double ready = now();
    stats->setup_seconds += ready - start;
    if (result == TLW_OK) {
        it->scaled = &pre.b;
        stats->method = method;
        stats->components = pre.deflation.parts.count;
        stats->levels = pre.multigrid.count;
        stats->bytes_per_iteration = countBytes(it->level) + tlwCountPreconditionerBytes(&pre);
        result = iterate(it, &pre, options, limit, stats, squared);
    }
    stats->seconds += now() - ready;
    tlwFreeStressPreconditioner(&pre);
    return result;
}

tlwResult tlwSolveStress(tlwThreads *threads, tlwStressSystem *system, const tlwStressOptions *options,
                         tlwStressStats *stats)
{
    Iteration it = {.threads = threads,
                    .level = &system->level,
                    .bodies = system->bodies,
                    .swelling = system->swelling,
                    .b = &system->b,
                    .x = system->x,
                    .scale = 1};
    memset(stats, 0, sizeof *stats);
    TLW_TRY(tlwTrimSpans(threads, &system->level));
    stats->unknowns = tlwCountUnknowns(threads, &system->level);
    if (!tlwAddFaceDoubles(&system->level, &it.r) || !tlwAddFaceDoubles(&system->level, &it.p) ||
        !tlwAddFaceDoubles(&system->level, &it.q))
        return TLW_OUT_OF_MEMORY;
    int tiles = system->level.grid.tile_count;
    double prescribed = tlwParallelSum(threads, tiles, TLW_TILE_BLOCK, prescribedRange, &it), squared = 0;
    double norm = tlwParallelSum(threads, system->level.span_count, TLW_SPAN_BLOCK, normRange, &it) +
                  prescribed * system->unit_mass;
    if (prescribed > 0) {
        tlwApplyStress(threads, &system->level, &it.p, &it.q);
        run(&it, prescribeRange);
        tlwParallelFor(threads, tiles, TLW_TILE_BLOCK, unprescribeRange, &it);
    }
    double limit = options->tolerance * options->tolerance * norm;
    if (!(norm > 0)) { // at rest, and nothing moves it
        for (int a = 0; a < 3; a++)
            tlwFillDoubles(threads, &system->level.grid, system->x.at[a], 0);
        return norm == 0 ? TLW_OK : TLW_NOT_CONVERGED;
    }
    // Liquid at rest or in free fall is solved by its old velocity, so no preconditioner need be built.
    if (!system->bodies) {
        squared = it.swelling ? computeResidual(&it)
                              : tlwStressResidual(threads, it.level, it.b, &it.x, NULL); // r takes no memory
        if (squared <= limit) {
            stats->residual = sqrt(squared / norm);
            return TLW_OK;
        }
    }
    tlwStressMethod method = options->method;
    if (method == TLW_STRESS_AUTOMATIC)
        method = tlwChooseStressMethod(threads, system);
    tlwResult result = solveWith(&it, system, options, method, limit, stats, &squared);
    if (result == TLW_NOT_CONVERGED && options->method == TLW_STRESS_AUTOMATIC && method == TLW_STRESS_JACOBI)
        result = solveWith(&it, system, options, TLW_STRESS_MULTIGRID, limit, stats, &squared);
    bool hopeless = options->patience && squared > HOPELESS * HOPELESS * norm;
    if (result == TLW_NOT_CONVERGED && options->method == TLW_STRESS_AUTOMATIC && !hopeless)
        result = solveWith(&it, system, options, TLW_STRESS_AGGREGATION, limit, stats, &squared);
    stats->residual = sqrt(squared / norm);
    return result;
}
