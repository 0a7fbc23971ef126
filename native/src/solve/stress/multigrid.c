#include "solve/stress/multigrid.h"
#include "solve/stress/stencil.h"

#include "base/memory.h"
#include "base/result.h"
#include "solve/stress/transfer.h"

#include <string.h>

static const int BOTTOM_UNKNOWNS = 500;
static const int DEGREE = 3;
static const double SMOOTHED_SHARE = 0.1;       // smoothing covers eigenvalues from the bound down to this share of it
static const double BULK_SMOOTHED_SHARE = 0.05; // the same with bulk samples: shear is softer than they are

static void swapFaces(tlwFaceFloats *a, tlwFaceFloats *b)
{
    tlwFaceFloats keep = *a;
    *a = *b;
    *b = keep;
}

void tlwChebyshevStress(tlwThreads *threads, const tlwStressLevel *level, const tlwStressTies *ties,
                        const tlwFaceFloats *b, int degree, double low, double high, bool from_zero, tlwFaceFloats *x,
                        tlwFaceFloats *y)
{
    double theta = (high + low) / 2, delta = (high - low) / 2, rho = delta / theta;
    if (from_zero) {
        tlwScaleByDiagonal(threads, level, b, (float)(1 / theta), x);
        if (ties)
            tlwSmoothTies(threads, level, ties, b, NULL, (float)(1 / theta), x);
    }
    for (int n = from_zero; n < degree; n++) {
        double next = n ? 1 / (2 * theta / delta - rho) : rho;
        float alpha = n ? (float)(next * rho) : 0, beta = (float)(n ? 2 * next / delta : 1 / theta);
        tlwSmoothStress(threads, level, b, x, alpha, beta, n == from_zero, y);
        if (ties)
            tlwSmoothTies(threads, level, ties, b, x, beta, y);
        swapFaces(x, y);
        rho = next;
    }
}

// Number the coarsest level's unknowns in the order of the window, and factor its matrix.
static tlwResult factorBottom(tlwStressMultigrid *mg, int64_t unknowns)
{
    const tlwStressLevel *level = mg->level[mg->count - 1];
    const tlwGrid *grid = &level->grid;
    int *number = tlwAlloc((size_t)grid->cell_count * 3, sizeof *number);
    int *first = tlwAlloc((size_t)unknowns, sizeof *first);
    mg->bottom_component = tlwAlloc((size_t)unknowns, sizeof *mg->bottom_component);
    mg->bottom_face = tlwAlloc((size_t)unknowns, sizeof *mg->bottom_face);
    mg->bottom_values = tlwAlloc((size_t)unknowns, sizeof *mg->bottom_values);
    tlwResult result = TLW_OUT_OF_MEMORY;
    if (!number || !first || !mg->bottom_component || !mg->bottom_face || !mg->bottom_values)
        goto done;
    int count = 0;
    for (int64_t i = 0; i < grid->cell_count; i++)
        for (int a = 0; a < 3; a++) {
            number[3 * i + a] = level->mass[a][i] > 0 ? count : -1;
            if (level->mass[a][i] > 0) {
                mg->bottom_component[count] = a;
                mg->bottom_face[count] = i;
                first[count] = count;
                count++;
            }
        }
    // The first pass over the samples finds where rows begin, the second adds their entries.
    for (int pass = 0; pass < 2; pass++) {
        if (pass == 1 && !tlwInitEnvelope(&mg->bottom, count, first))
            goto done;
        for (int64_t i = 0; i < grid->cell_count; i++)
            for (int kind = 0; kind < TLW_KINDS; kind++) {
                if (!level->c[kind] || !(level->c[kind][i] > 0))
                    continue;
                int component[TLW_SAMPLE_FACES], sign[TLW_SAMPLE_FACES];
                int64_t face[TLW_SAMPLE_FACES];
                int faces = tlwSampleFaces(grid, kind, i, component, face, sign);
                for (int p = 0; p < faces; p++)
                    for (int q = 0; q < faces; q++) {
                        int row = number[3 * face[p] + component[p]], column = number[3 * face[q] + component[q]];
                        if (row < 0 || column < 0 || column > row)
                            continue;
                        if (pass == 0)
                            first[row] = column < first[row] ? column : first[row];
                        else
                            *tlwEnvelopeEntry(&mg->bottom, row, column) +=
                                (double)level->c[kind][i] * sign[p] * sign[q];
                    }
            }
    }
    for (int n = 0; n < count; n++)
        *tlwEnvelopeEntry(&mg->bottom, n, n) += level->mass[mg->bottom_component[n]][mg->bottom_face[n]];
    tlwFactorEnvelope(&mg->bottom);
    result = TLW_OK;
done:
    tlwFree(number);
    tlwFree(first);
    return result;
}

tlwResult tlwInitStressMultigrid(tlwThreads *threads, tlwStressMultigrid *mg, const tlwStressLevel *finest,
                                 const tlwFaceFloats *x, const tlwFaceFloats *y, const tlwFaceFloats *b)
{
    memset(mg, 0, sizeof *mg);
    mg->level[0] = finest;
    mg->x[0] = *x;
    mg->y[0] = *y;
    mg->b[0] = *b;
    mg->count = 1;
    int64_t unknowns = tlwCountUnknowns(threads, finest);
    while (unknowns > BOTTOM_UNKNOWNS && mg->count < TLW_MAX_LEVELS) {
        int n = mg->count++;
        tlwStressLevel *coarse = &mg->owned[n];
        TLW_TRY(tlwCoarsenStress(threads, mg->level[n - 1], coarse));
        mg->level[n] = coarse;
        if (!tlwAddFaceFloats(coarse, &mg->x[n]) || !tlwAddFaceFloats(coarse, &mg->y[n]) ||
            !tlwAddFaceFloats(coarse, &mg->b[n]))
            return TLW_OUT_OF_MEMORY;
        unknowns = tlwCountUnknowns(threads, coarse);
    }
    for (int n = 0; n < mg->count; n++) {
        mg->bound[n] = tlwBoundStress(threads, mg->level[n]);
        TLW_TRY(tlwFindStressTies(threads, mg->level[n], &mg->ties[n]));
        mg->bound[n] = !mg->ties[n].count ? mg->bound[n] : finest->c[TLW_BULK] ? TLW_BULK_TIE_BOUND : TLW_TIE_BOUND;
    }
    return factorBottom(mg, unknowns);
}

void tlwFreeStressMultigrid(tlwStressMultigrid *mg)
{
    for (int n = 1; n < mg->count; n++)
        tlwFreeStressLevel(&mg->owned[n]);
    for (int n = 0; n < mg->count; n++)
        tlwFreeStressTies(&mg->ties[n]);
    tlwFreeEnvelope(&mg->bottom);
    tlwFree(mg->bottom_component);
    tlwFree(mg->bottom_face);
    tlwFree(mg->bottom_values);
    memset(mg, 0, sizeof *mg);
}

static void solveBottom(tlwStressMultigrid *mg)
{
    int n = mg->count - 1;
    for (int i = 0; i < mg->bottom.count; i++)
        mg->bottom_values[i] = mg->b[n].at[mg->bottom_component[i]][mg->bottom_face[i]];
    tlwSolveEnvelope(&mg->bottom, mg->bottom_values);
    for (int i = 0; i < mg->bottom.count; i++)
        mg->x[n].at[mg->bottom_component[i]][mg->bottom_face[i]] = (float)mg->bottom_values[i];
}

static void smooth(tlwThreads *threads, tlwStressMultigrid *mg, int n, bool from_zero)
{
    double high = mg->bound[n], low = (mg->level[n]->c[TLW_BULK] ? BULK_SMOOTHED_SHARE : SMOOTHED_SHARE) * high;
    tlwChebyshevStress(threads, mg->level[n], &mg->ties[n], &mg->b[n], DEGREE, low, high, from_zero, &mg->x[n],
                       &mg->y[n]);
}

double tlwCountCycleBytes(const tlwStressMultigrid *mg)
{
    double numbers = 0;
    for (int n = 0; n < mg->count - 1; n++) {
        int own = countCoefficients(mg->level[n]);
        int first = 3 + 3 + own, step = 3 + 6 + 3 + own; // b, x; x, previous, b
        int residual = 3 + 3 + 3 + own,
            transfers = 3 + 6 + 3 + (n ? 6 : 0); // r, x, mass; below the top b and x as well
        numbers += countSpanCells(mg->level[n]) * (first + (2 * DEGREE - 1) * step + residual + transfers);
    }
    return numbers * sizeof(float);
}

void tlwCycleStress(tlwThreads *threads, tlwStressMultigrid *mg)
{
    int bottom = mg->count - 1;
    for (int n = 0; n < bottom; n++) {
        smooth(threads, mg, n, true);
        tlwStressResidualFloat(threads, mg->level[n], &mg->b[n], &mg->x[n], &mg->y[n]);
        tlwRestrictFaces(threads, mg->level[n], &mg->y[n], mg->level[n + 1], &mg->b[n + 1]);
    }
    solveBottom(mg);
    for (int n = bottom - 1; n >= 0; n--) {
        tlwProlongFaces(threads, mg->level[n + 1], &mg->x[n + 1], mg->level[n], &mg->x[n]);
        smooth(threads, mg, n, false);
    }
}
