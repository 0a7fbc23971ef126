#include "solve/stress/bulk.h"

#include "solve/stress/stencil.h"

typedef struct Job {
    const tlwStressLevel *level;
    const float *swelling;
    tlwFaceDoubles *r;
} Job;

static void swellRange(void *context, int64_t begin, int64_t end)
{
    const Job *job = context;
    const int64_t stride[3] = {1, job->level->grid.stride_y, job->level->grid.stride_z};
    const float *bulk = job->level->c[TLW_BULK];
    double sum[TLW_TILE] = {0};
    TLW_FOR_SPAN_ROWS(job->level, begin, end, row)
        for (int a = 0; a < 3; a++) {
            const float *mass = job->level->mass[a];
            double *r = job->r->at[a];
            for (int l = 0; l < TLW_TILE; l++) {
                int64_t here = row + l, below = here - stride[a];
                double push = (double)bulk[below] * job->swelling[below] - (double)bulk[here] * job->swelling[here];
                r[here] += mass[here] > 0 ? push : 0;
                sum[l] += r[here] * r[here] / (mass[here] > 0 ? mass[here] : 1);
            }
        }
    partialsOf(job->level, begin)[0] = addLanes(sum);
}

double tlwAddSwelling(tlwThreads *threads, const tlwStressLevel *level, const float *swelling, tlwFaceDoubles *r)
{
    Job job = {level, swelling, r};
    tlwParallelFor(threads, level->span_count, TLW_SPAN_BLOCK, swellRange, &job);
    return sumPartials(level, 0);
}
