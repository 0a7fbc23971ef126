// What the loops over rigid parts share; private to stress/rigid.c and stress/rigid_motion.c.
#ifndef TLW_SOLVE_STRESS_RIGID_ROWS_H
#define TLW_SOLVE_STRESS_RIGID_ROWS_H

#include "solve/stress/rigid.h"
#include "solve/stress/stencil.h"

#include <string.h>

enum { CHUNKS = 32 };

typedef struct Job {
    const tlwRigidParts *parts;
    const tlwFaceDoubles *x;
    const tlwFaceFloats *xf;
    const double *q;
    tlwFaceDoubles *out;
    tlwFaceFloats *outf;
    double scale;
    int64_t chunk; // tiles or spans
    int width;     // sums per label
} Job;

static inline void runChunks(tlwThreads *threads, Job *job, int64_t count, tlwRangeFn *fn, double *out)
{
    int64_t size = (int64_t)job->parts->count * job->width;
    job->chunk = (count + CHUNKS - 1) / CHUNKS;
    tlwParallelFor(threads, count, job->chunk, fn, job);
    memset(out, 0, (size_t)size * sizeof *out);
    for (int64_t begin = 0; begin < count; begin += job->chunk) {
        const double *sums = job->parts->sums + begin / job->chunk * size;
        for (int64_t n = 0; n < size; n++)
            out[n] += sums[n];
    }
}

static inline double *chunkSums(const Job *job, int64_t begin)
{
    int64_t size = (int64_t)job->parts->count * job->width;
    double *sums = job->parts->sums + begin / job->chunk * size;
    memset(sums, 0, (size_t)size * sizeof *sums);
    return sums;
}

// Labels of eight faces, unknowns or not.
static inline void rawLabels(const tlwRigidParts *parts, int component, int64_t row, int16_t out[TLW_TILE])
{
    const tlwGrid *grid = &parts->level->grid;
    const int64_t stride[3] = {1, grid->stride_y, grid->stride_z};
    const int16_t *here = parts->label + row, *below = here - stride[component];
    for (int i = 0; i < TLW_TILE; i++)
        out[i] = here[i] > below[i] ? here[i] : below[i];
}

// The three modes of a component that are not zero, along x: first + slope * offset, offsets from `at`.
typedef struct Modes {
    int label; // 0 = not set
    int mode[3];
    double first[3], slope[3];
} Modes;

static inline Modes findModes(const tlwRigidParts *parts, int label, int component, const int at[3])
{
    Modes m = {.label = label};
    tlwRigidModes(parts->centre[label - 1], parts->radius[label - 1], component, at[0], at[1], at[2], m.mode, m.first);
    m.slope[1] = component == 1 ? 1 / parts->radius[label - 1] : 0; // only rotations about z and y depend on x
    m.slope[2] = component == 2 ? -1 / parts->radius[label - 1] : 0;
    return m;
}

// End of the run of equal labels that starts at `begin`.
static inline int endOfRun(const int16_t label[TLW_TILE], int begin)
{
    int end = begin + 1;
    while (end < TLW_TILE && label[end] == label[begin])
        end++;
    return end;
}

#endif
