#include "solve/stress/rigid.h"

#include "base/kernel.h"
#include "base/memory.h"
#include "base/pages.h"
#include "solve/stress/rigid_rows.h"

#include <math.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------------------------------
// Which rows and samples the modes reach

// Labels of eight faces, 0 where there is no unknown.
static inline void faceLabels(const tlwRigidParts *parts, int component, int64_t row, int16_t out[TLW_TILE])
{
    const float *mass = parts->level->mass[component] + row;
    rawLabels(parts, component, row, out);
    for (int i = 0; i < TLW_TILE; i++)
        out[i] = mass[i] > 0 ? out[i] : 0;
}

// bits |= bit where labels differ.
static inline void compare(const int16_t a[TLW_TILE], const int16_t b[TLW_TILE], uint8_t bit, uint8_t bits[TLW_TILE])
{
    for (int i = 0; i < TLW_TILE; i++)
        bits[i] |= (uint8_t)(a[i] != b[i] ? bit : 0);
}

// Whether a label is near enough for a sample of the row to touch a face of it.
static bool isLabelNear(const tlwRigidParts *parts, int64_t row)
{
    const tlwGrid *grid = &parts->level->grid;
    int16_t any = 0;
    for (int q = 0; q < 9; q++) {
        const int16_t *label = parts->label + row + (q % 3 - 1) * grid->stride_y + (q / 3 - 1) * grid->stride_z;
        for (int i = -1; i <= TLW_TILE; i++)
            any |= label[i];
    }
    return any;
}

TLW_KERNEL static void strainRange(void *context, int64_t begin, int64_t end)
{
    const tlwRigidParts *parts = context;
    const tlwGrid *grid = &parts->level->grid;
    const int64_t stride[3] = {1, grid->stride_y, grid->stride_z};
    const int kinds = parts->level->c[TLW_BULK] ? TLW_KINDS : TLW_BULK;
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(grid, &grid->tiles[t], j, k, row) {
            int16_t first[3][TLW_TILE], other[TLW_TILE];
            uint8_t bits[TLW_TILE] = {0}, any = 0;
            if (!isLabelNear(parts, row))
                continue;
            for (int a = 0; a < 3; a++) {
                faceLabels(parts, a, row, first[a]);
                faceLabels(parts, a, row + stride[a], other);
                compare(first[a], other, (uint8_t)(1 << a), bits);
            }
            for (int kind = TLW_XY; kind <= TLW_YZ; kind++) {
                int a = kind == TLW_YZ ? 1 : 0, b = kind == TLW_XY ? 1 : 2;
                compare(first[a], first[b], (uint8_t)(1 << kind), bits);
                faceLabels(parts, a, row - stride[b], other);
                compare(first[a], other, (uint8_t)(1 << kind), bits);
                faceLabels(parts, b, row - stride[a], other);
                compare(first[b], other, (uint8_t)(1 << kind), bits);
            }
            for (int a = 0; a < 3 && parts->level->c[TLW_BULK]; a++) {
                compare(first[0], first[a], 1 << TLW_BULK, bits);
                faceLabels(parts, a, row + stride[a], other);
                compare(first[0], other, 1 << TLW_BULK, bits);
            }
            for (int i = 0; i < TLW_TILE; i++) {
                for (int kind = 0; kind < kinds; kind++)
                    bits[i] &= (uint8_t)(parts->level->c[kind][row + i] > 0 ? 0xff : ~(1 << kind));
                any |= bits[i];
            }
            if (any) // do not touch pages of zeros
                memcpy(parts->strains + row, bits, sizeof bits);
        }
}

// Samples that touch the faces of a row are stored in it, one cell further along x, or in the next rows along y and z.
static bool isStrained(const tlwRigidParts *parts, int64_t row)
{
    const int64_t y = parts->level->grid.stride_y, z = parts->level->grid.stride_z;
    uint8_t any = 0;
    for (int64_t i = row - 1; i <= row + TLW_TILE; i++)
        any |= parts->strains[i] | parts->strains[i - y] | parts->strains[i + y] | parts->strains[i - z] |
               parts->strains[i + z];
    return any;
}

static void markRange(void *context, int64_t begin, int64_t end)
{
    const tlwRigidParts *parts = context;
    const tlwStressLevel *level = parts->level;
    for (int64_t n = begin; n < end; n++) {
        const tlwSpan *span = &level->spans[n];
        tlwRigidRow *out = parts->rows + span->row;
        for (int64_t row = span->base; row < span->base + span->cells; row += TLW_TILE, out++) {
            for (int a = 0; a < 3; a++) {
                int16_t label[TLW_TILE];
                rawLabels(parts, a, row, label);
                out->label[a] = label[0];
                for (int i = 1; i < TLW_TILE; i++)
                    out->label[a] = label[i] == label[0] ? out->label[a] : -1;
            }
            out->strained = (out->label[0] || out->label[1] || out->label[2]) && isStrained(parts, row);
        }
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Sums over parts

// Cells and the sum of their centres.
static void centreRange(void *context, int64_t begin, int64_t end)
{
    const Job *job = context;
    const tlwGrid *grid = &job->parts->level->grid;
    double *sums = chunkSums(job, begin);
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(grid, &grid->tiles[t], j, k, row)
            for (int i = 0; i < TLW_TILE; i++) {
                int n = job->parts->label[row + i] - 1;
                if (n < 0)
                    continue;
                sums[4 * n]++;
                sums[4 * n + 1] += grid->tiles[t].cell[0] + i + 0.5;
                sums[4 * n + 2] += (double)j + 0.5;
                sums[4 * n + 3] += k + 0.5;
            }
}

static bool findCentres(tlwThreads *threads, tlwRigidParts *parts)
{
    double *sums = tlwAlloc((size_t)parts->count, 4 * sizeof *sums);
    if (!sums)
        return false;
    Job job = {.parts = parts, .width = 4};
    runChunks(threads, &job, parts->level->grid.tile_count, centreRange, sums);
    for (int n = 0; n < parts->count; n++) {
        double cells = sums[4 * n];
        for (int a = 0; a < 3 && cells > 0; a++)
            parts->centre[n][a] = sums[4 * n + 1 + a] / cells;
        parts->radius[n] = cells > 0 ? cbrt(cells) / 2 + 0.5 : 1;
    }
    tlwFree(sums);
    return true;
}

static void addMasses(const Modes *m, const float *mass, int offset, int begin, int end, double *sums)
{
    double s[3] = {0}; // mass times offset^0, ^1, ^2
    for (int i = begin; i < end; i++) {
        double value = mass[i] > 0 ? mass[i] : 0, x = offset + i;
        s[0] += value;
        s[1] += value * x;
        s[2] += value * x * x;
    }
    for (int p = 0; p < 3; p++)
        for (int q = 0; q < 3; q++)
            sums[36 * (m->label - 1) + 6 * m->mode[p] + m->mode[q]] +=
                m->first[p] * m->first[q] * s[0] + (m->first[p] * m->slope[q] + m->slope[p] * m->first[q]) * s[1] +
                m->slope[p] * m->slope[q] * s[2];
}

static void massRange(void *context, int64_t begin, int64_t end)
{
    const Job *job = context;
    const tlwRigidParts *parts = job->parts;
    double *sums = chunkSums(job, begin);
    for (int64_t n = begin; n < end; n++) {
        const tlwSpan *span = &parts->level->spans[n];
        const tlwRigidRow *row = parts->rows + span->row;
        int at[3];
        locateCell(&parts->level->grid, span->base, at);
        for (int x = 0; x < span->cells; x += TLW_TILE, row++)
            for (int a = 0; a < 3; a++) {
                int16_t label[TLW_TILE];
                if (!row->label[a])
                    continue;
                rawLabels(parts, a, span->base + x, label);
                for (int i = 0, next; i < TLW_TILE; i = next) {
                    next = endOfRun(label, i);
                    if (!label[i])
                        continue;
                    Modes m = findModes(parts, label[i], a, at);
                    addMasses(&m, parts->level->mass[a] + span->base + x, x, i, next, sums);
                }
            }
    }
}

static bool allocParts(tlwRigidParts *parts)
{
    const tlwStressLevel *level = parts->level;
    const tlwSpan *last = level->span_count ? &level->spans[level->span_count - 1] : NULL;
    size_t count = (size_t)parts->count, rows = last ? (size_t)(last->row + last->cells / TLW_TILE) : 0;
    parts->centre = tlwAlloc(count, sizeof *parts->centre);
    parts->radius = tlwAlloc(count, sizeof *parts->radius);
    parts->mass = tlwAlloc(count, sizeof *parts->mass);
    parts->rows = tlwAlloc(rows, sizeof *parts->rows);
    parts->strains = tlwAllocPages((size_t)level->grid.cell_count);
    parts->sums = tlwAlloc(count * CHUNKS * 36, sizeof *parts->sums);
    return parts->centre && parts->radius && parts->mass && parts->rows && parts->strains && parts->sums;
}

tlwResult tlwInitRigidParts(tlwThreads *threads, tlwRigidParts *parts, const tlwStressLevel *level,
                            const int16_t *label, int count)
{
    memset(parts, 0, sizeof *parts);
    parts->level = level;
    parts->label = label;
    parts->count = count;
    if (!allocParts(parts) || !findCentres(threads, parts)) {
        tlwFreeRigidParts(parts);
        return TLW_OUT_OF_MEMORY;
    }
    tlwParallelFor(threads, level->grid.tile_count, TLW_TILE_BLOCK, strainRange, parts);
    tlwParallelFor(threads, level->span_count, TLW_SPAN_BLOCK, markRange, parts);
    Job job = {.parts = parts, .width = 36};
    runChunks(threads, &job, level->span_count, massRange, &parts->mass[0][0][0]);
    return TLW_OK;
}

void tlwFreeRigidParts(tlwRigidParts *parts)
{
    tlwFree(parts->centre);
    tlwFree(parts->radius);
    tlwFree(parts->mass);
    tlwFree(parts->rows);
    if (parts->strains)
        tlwFreePages(parts->strains);
    tlwFree(parts->sums);
    memset(parts, 0, sizeof *parts);
}
