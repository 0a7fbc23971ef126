#include "solve/stress/deflation.h"

#include "base/memory.h"
#include "base/result.h"
#include "solve/stress/rigid_motion.h"

#include <string.h>

// Add c (d'W)'(d'W) of one sample to the dense lower triangle.
static void addSample(const tlwRigidParts *parts, int kind, const tlwTile *tile, int64_t row, int i, int j, int k,
                      double *dense)
{
    const tlwStressLevel *level = parts->level;
    const int offset[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    int component[TLW_SAMPLE_FACES], sign[TLW_SAMPLE_FACES], label[TLW_SAMPLE_FACES], size = 6 * parts->count;
    int64_t face[TLW_SAMPLE_FACES];
    int faces = tlwSampleFaces(&level->grid, kind, row + i, component, face, sign);
    for (int f = 0; f < faces; f++)
        label[f] = tlwFaceLabel(level, parts->label, component[f], face[f]);
    int entry[3 * TLW_SAMPLE_FACES], count = 0;
    double value[3 * TLW_SAMPLE_FACES];
    for (int f = 0; f < faces; f++) {
        if (!label[f])
            continue;
        // The first face of a normal sample and of each pair of a bulk sample is one cell up; the second face of each
        // pair of a shear sample is one cell down.
        int at[3] = {tile->cell[0] + i, j, k}, mode[3];
        int axis = faces == 4 ? component[f < 2 ? 2 : 0] : component[f];
        int step = faces == 4 ? -(f & 1) : !(f & 1);
        for (int a = 0; a < 3; a++)
            at[a] += step * offset[axis][a];
        int n = label[f] - 1;
        tlwRigidModes(parts->centre[n], parts->radius[n], component[f], at[0], at[1], at[2], mode, value + count);
        for (int p = 0; p < 3; p++, count++) {
            entry[count] = 6 * n + mode[p];
            value[count] *= sign[f];
        }
    }
    double c = level->c[kind][row + i];
    for (int p = 0; p < count; p++)
        for (int q = 0; q < count; q++)
            if (entry[q] <= entry[p])
                dense[(int64_t)entry[p] * size + entry[q]] += c * value[p] * value[q];
}

static void addSamples(const tlwRigidParts *parts, double *dense)
{
    const tlwGrid *grid = &parts->level->grid;
    for (int t = 0; t < grid->tile_count; t++) {
        const tlwTile *tile = &grid->tiles[t];
        TLW_FOR_ROWS(grid, tile, j, k, row)
            for (int i = 0; i < TLW_TILE; i++)
                for (int kind = 0; kind < TLW_KINDS && parts->strains[row + i]; kind++)
                    if (parts->strains[row + i] & 1 << kind)
                        addSample(parts, kind, tile, row, i, (int)j, k, dense);
    }
}

static bool copyToEnvelope(tlwEnvelope *matrix, const double *dense, int size)
{
    int *first = tlwAlloc((size_t)size, sizeof *first);
    bool ok = first != NULL;
    for (int i = 0; ok && i < size; i++)
        while (first[i] < i && dense[(int64_t)i * size + first[i]] == 0)
            first[i]++;
    ok = ok && tlwInitEnvelope(matrix, size, first);
    for (int i = 0; ok && i < size; i++)
        for (int j = first[i]; j <= i; j++)
            *tlwEnvelopeEntry(matrix, i, j) = dense[(int64_t)i * size + j];
    tlwFree(first);
    return ok;
}

tlwResult tlwInitStressDeflation(tlwThreads *threads, tlwStressDeflation *deflation, const tlwStressLevel *level,
                                 const int16_t *label, int count)
{
    memset(deflation, 0, sizeof *deflation);
    tlwRigidParts *parts = &deflation->parts;
    TLW_TRY(tlwInitRigidParts(threads, parts, level, label, count));
    int size = 6 * count;
    double *dense = tlwAlloc((size_t)size * (size_t)size, sizeof *dense);
    deflation->values = tlwAlloc((size_t)size, sizeof *deflation->values);
    bool ok = dense && deflation->values;
    if (ok) {
        for (int n = 0; n < count; n++)
            for (int p = 0; p < 6; p++)
                for (int q = 0; q <= p; q++)
                    dense[(int64_t)(6 * n + p) * size + 6 * n + q] = parts->mass[n][p][q];
        addSamples(parts, dense);
        ok = copyToEnvelope(&deflation->matrix, dense, size);
    }
    tlwFree(dense);
    if (!ok)
        return TLW_OUT_OF_MEMORY;
    tlwFactorEnvelope(&deflation->matrix);
    return TLW_OK;
}

void tlwFreeStressDeflation(tlwStressDeflation *deflation)
{
    tlwFreeRigidParts(&deflation->parts);
    tlwFreeEnvelope(&deflation->matrix);
    tlwFree(deflation->values);
    memset(deflation, 0, sizeof *deflation);
}

void tlwDeflate(tlwThreads *threads, tlwStressDeflation *deflation, const tlwFaceDoubles *r, tlwFaceDoubles *x)
{
    tlwRigidMoments(threads, &deflation->parts, r, deflation->values);
    tlwSolveEnvelope(&deflation->matrix, deflation->values);
    tlwAddRigid(threads, &deflation->parts, deflation->values, x);
}

void tlwDeflateCorrection(tlwThreads *threads, tlwStressDeflation *deflation, const tlwFaceDoubles *r, double scale,
                          tlwFaceFloats *z)
{
    tlwRigidResidual(threads, &deflation->parts, r, scale, z, deflation->values);
    tlwSolveEnvelope(&deflation->matrix, deflation->values);
    tlwAddRigidFloat(threads, &deflation->parts, deflation->values, z);
}

void tlwAddDeflation(tlwThreads *threads, tlwStressDeflation *deflation, const tlwFaceDoubles *r, double scale,
                     tlwFaceFloats *z)
{
    tlwRigidMoments(threads, &deflation->parts, r, deflation->values);
    for (int n = 0; n < 6 * deflation->parts.count; n++)
        deflation->values[n] *= scale;
    tlwSolveEnvelope(&deflation->matrix, deflation->values);
    tlwAddRigidFloat(threads, &deflation->parts, deflation->values, z);
}
