#include "solve/stress/ties.h"
#include "solve/stress/stencil.h"

#include "base/cholesky.h"
#include "base/memory.h"
#include "base/result.h"
#include "solve/stress/tie_search.h"

#include <string.h>

static const int TIE_BLOCK = 64;
static const double LOOSE = 1.5; // a tie is kept if some face moves this many times as far as its diagonal predicts

static int findFace(const tlwTie *tie, int component, int64_t face)
{
    for (int n = 0; n < tie->count; n++)
        if (tie->face[n] == face && tie->component[n] == component)
            return n;
    return -1;
}

// Add a sample to the row of the tie's face `own`.
static void addSample(const tlwStressLevel *level, const tlwTie *tie, int own, int kind, int64_t at, double *row)
{
    int component[TLW_SAMPLE_FACES], sign[TLW_SAMPLE_FACES], self = 0;
    int64_t face[TLW_SAMPLE_FACES];
    int faces = tlwSampleFaces(&level->grid, kind, at, component, face, sign);
    for (int f = 0; f < faces; f++)
        self = component[f] == tie->component[own] && face[f] == tie->face[own] ? sign[f] : self;
    for (int f = 0; f < faces; f++) {
        int other = findFace(tie, component[f], face[f]);
        if (other >= 0)
            row[other] += (double)level->c[kind][at] * self * sign[f];
    }
}

// The rows and columns of A that belong to a tie.
static void fillBlock(const tlwStressLevel *level, const tlwTie *tie, double *block)
{
    const int64_t stride[3] = {1, level->grid.stride_y, level->grid.stride_z};
    memset(block, 0, (size_t)(tie->count * tie->count) * sizeof *block);
    for (int n = 0; n < tie->count; n++) {
        double *row = block + n * tie->count;
        int a = tie->component[n];
        int64_t face = tie->face[n];
        row[n] = level->mass[a][face];
        addSample(level, tie, n, a, face, row);
        addSample(level, tie, n, a, face - stride[a], row);
        if (level->c[TLW_BULK]) {
            addSample(level, tie, n, TLW_BULK, face, row);
            addSample(level, tie, n, TLW_BULK, face - stride[a], row);
        }
        for (int m = 1; m < 3; m++) {
            int b = (a + m) % 3, kind = TLW_XY + a + b - 1;
            addSample(level, tie, n, kind, face, row);
            addSample(level, tie, n, kind, face + stride[b], row);
        }
    }
}

// False when each face moves about as far as its diagonal predicts, so that the tie gains nothing.
static bool invertBlock(const tlwStressLevel *level, const tlwTie *tie, double *change)
{
    double factor[TLW_TIE_FACES * TLW_TIE_FACES], diagonal[TLW_TIE_FACES], loosest = 0;
    int n = tie->count;
    fillBlock(level, tie, factor);
    for (int i = 0; i < n; i++)
        diagonal[i] = factor[i * n + i];
    tlwFactorCholesky(n, factor);
    for (int i = 0; i < n; i++) { // the inverse is symmetric: its columns are its rows
        double *row = change + i * n;
        for (int j = 0; j < n; j++)
            row[j] = i == j;
        tlwSolveCholesky(n, factor, row);
        loosest = diagonal[i] * row[i] > loosest ? diagonal[i] * row[i] : loosest;
        row[i] -= 1 / diagonal[i];
    }
    return loosest > LOOSE;
}

tlwResult tlwFindStressTies(tlwThreads *threads, const tlwStressLevel *level, tlwStressTies *ties)
{
    memset(ties, 0, sizeof *ties);
    TLW_TRY(tlwSearchTies(threads, level, ties));
    int64_t numbers = 0, kept = 0;
    for (int64_t n = 0; n < ties->count; n++)
        numbers += ties->items[n].count * ties->items[n].count;
    ties->changes = tlwAlloc((size_t)numbers + 1, sizeof *ties->changes);
    if (!ties->changes)
        return TLW_OUT_OF_MEMORY;
    numbers = 0;
    for (int64_t n = 0; n < ties->count; n++) {
        tlwTie tie = ties->items[n];
        tie.change = ties->changes + numbers;
        if (!invertBlock(level, &tie, tie.change))
            continue;
        ties->items[kept++] = tie;
        numbers += tie.count * tie.count;
    }
    ties->count = kept;
    return TLW_OK;
}

void tlwFreeStressTies(tlwStressTies *ties)
{
    tlwFree(ties->items);
    tlwFree(ties->changes);
    memset(ties, 0, sizeof *ties);
}

typedef struct Job {
    const tlwStressLevel *level;
    const tlwStressTies *ties;
    const tlwFaceFloats *b, *x;
    tlwFaceFloats *y;
    float beta;
} Job;

static void smoothRange(void *context, int64_t begin, int64_t end)
{
    const Job *job = context;
    const Stencil s = makeStencil(job->level, job->level->c[TLW_BULK] != NULL);
    for (int64_t n = begin; n < end; n++) {
        const tlwTie *tie = &job->ties->items[n];
        double r[TLW_TIE_FACES];
        for (int f = 0; f < tie->count; f++) {
            float a[3] = {0};
            if (job->x)
                rowOfA_f(&s, job->x->at[0], job->x->at[1], job->x->at[2], tie->face[f], a);
            r[f] = job->b->at[tie->component[f]][tie->face[f]] - a[tie->component[f]];
        }
        for (int p = 0; p < tie->count; p++) {
            double sum = 0;
            for (int q = 0; q < tie->count; q++)
                sum += tie->change[p * tie->count + q] * r[q];
            job->y->at[tie->component[p]][tie->face[p]] += (float)(job->beta * sum);
        }
    }
}

void tlwSmoothTies(tlwThreads *threads, const tlwStressLevel *level, const tlwStressTies *ties, const tlwFaceFloats *b,
                   const tlwFaceFloats *x, float beta, tlwFaceFloats *y)
{
    Job job = {level, ties, b, x, y, beta};
    if (ties->count)
        tlwParallelFor(threads, ties->count, TIE_BLOCK, smoothRange, &job);
}
