#include "solve/stress_rigid.h"

#include "base/kernel.h"
#include "base/memory.h"
#include "solve/stress_stencil.h"

#include <string.h>

enum { ROWS = TLW_TILE * TLW_TILE, CHUNKS = 32 };

static inline int rawLabel(const tlwStressLevel *level, const int16_t *label, int component, int64_t face)
{
    const int64_t stride[3] = {1, level->grid.stride_y, level->grid.stride_z};
    int16_t here = label[face], below = label[face - stride[component]];
    return here > below ? here : below;
}

static void markRange(void *context, int64_t begin, int64_t end)
{
    tlwRigidParts *parts = context;
    const tlwStressLevel *level = parts->level;
    for (int64_t t = begin; t < end; t++) {
        int16_t *rows = parts->rows + t * ROWS * 3;
        bool used = false;
        TLW_FOR_ROWS(&level->grid, &level->grid.tiles[t], j, k, row)
        for (int a = 0; a < 3; a++) {
            int value = rawLabel(level, parts->label, a, row);
            for (int i = 1; i < TLW_TILE; i++)
                value = rawLabel(level, parts->label, a, row + i) == value ? value : -1;
            *rows++ = (int16_t)value;
            used |= value != 0;
        }
        parts->tile_used[t] = used;
    }
}

// The tile's label when all its cells have it and all its faces are unknowns; 0 when it and its faces have none; else
// -1.
static int uniformLabel(const tlwStressLevel *level, const int16_t *label, const tlwTile *tile)
{
    int value = label[tile->base];
    TLW_FOR_ROWS(&level->grid, tile, j, k, row)
    for (int i = 0; i < TLW_TILE; i++) {
        if (label[row + i] != value)
            return -1;
        for (int a = 0; a < 3; a++)
            if (value && !(level->mass[a][row + i] > 0))
                return -1;
    }
    return value;
}

// A tile and all tiles around it move as one, or not at all.
static bool isInside(const tlwGrid *grid, const int *uniform, int t)
{
    int at[3];
    for (int a = 0; a < 3; a++)
        at[a] = tlwFloorDiv(grid->tiles[t].cell[a], TLW_TILE);
    for (int n = 0; n < 27; n++) {
        int other = tlwFindTile(grid, at[0] + n % 3 - 1, at[1] + n / 3 % 3 - 1, at[2] + n / 9 - 1);
        if ((other < 0 ? 0 : uniform[other]) != uniform[t])
            return false;
    }
    return uniform[t] >= 0;
}

static bool markInside(tlwRigidParts *parts)
{
    const tlwGrid *grid = &parts->level->grid;
    int *uniform = tlwAlloc((size_t)grid->tile_count, sizeof *uniform);
    for (int t = 0; uniform && t < grid->tile_count; t++)
        uniform[t] = uniformLabel(parts->level, parts->label, &grid->tiles[t]);
    for (int t = 0; uniform && t < grid->tile_count; t++)
        parts->tile_inside[t] = isInside(grid, uniform, t);
    tlwFree(uniform);
    return uniform != NULL;
}

static void findCentres(tlwRigidParts *parts)
{
    const tlwGrid *grid = &parts->level->grid;
    double *cells = parts->radius; // counts first
    for (int t = 0; t < grid->tile_count; t++)
        if (parts->tile_used[t])
            TLW_FOR_ROWS(grid, &grid->tiles[t], j, k, row)
    for (int i = 0; i < TLW_TILE; i++) {
        int n = parts->label[row + i] - 1;
        if (n >= 0) {
            cells[n]++;
            parts->centre[n][0] += grid->tiles[t].cell[0] + i + 0.5;
            parts->centre[n][1] += (double)j + 0.5;
            parts->centre[n][2] += k + 0.5;
        }
    }
    for (int n = 0; n < parts->count; n++) {
        for (int a = 0; a < 3 && cells[n] > 0; a++)
            parts->centre[n][a] /= cells[n];
        parts->radius[n] = cells[n] > 0 ? cbrt(cells[n]) / 2 + 0.5 : 1;
    }
}

typedef struct Job {
    const tlwRigidParts *parts;
    const tlwFaceDoubles *x;
    const tlwFaceFloats *xf;
    const double *q;
    tlwFaceDoubles *out;
    tlwFaceFloats *outf;
    double scale;
    int64_t chunk;
    int width; // sums per label
} Job;

static void runChunks(tlwThreads *threads, Job *job, tlwRangeFn *fn)
{
    int tiles = job->parts->level->grid.tile_count;
    job->chunk = (tiles + CHUNKS - 1) / CHUNKS;
    tlwParallelFor(threads, tiles, job->chunk, fn, job);
}

static double *chunkSums(const Job *job, int64_t begin)
{
    int64_t size = (int64_t)job->parts->count * job->width;
    double *sums = job->parts->sums + begin / job->chunk * size;
    memset(sums, 0, (size_t)size * sizeof *sums);
    return sums;
}

static void addChunks(const Job *job, double *out)
{
    int64_t size = (int64_t)job->parts->count * job->width;
    int tiles = job->parts->level->grid.tile_count;
    memset(out, 0, (size_t)size * sizeof *out);
    for (int64_t begin = 0; begin < tiles; begin += job->chunk) {
        const double *sums = job->parts->sums + begin / job->chunk * size;
        for (int64_t n = 0; n < size; n++)
            out[n] += sums[n];
    }
}

static void massRange(void *context, int64_t begin, int64_t end)
{
    const Job *job = context;
    const tlwRigidParts *parts = job->parts;
    const tlwStressLevel *level = parts->level;
    double *sums = chunkSums(job, begin);
    for (int64_t t = begin; t < end; t++)
        if (parts->tile_used[t])
            TLW_FOR_ROWS(&level->grid, &level->grid.tiles[t], j, k, row)
    for (int i = 0; i < TLW_TILE; i++)
        for (int a = 0; a < 3; a++) {
            int n = tlwFaceLabel(level, parts->label, a, row + i) - 1;
            if (n < 0)
                continue;
            int mode[3];
            double value[3];
            tlwRigidModes(parts->centre[n], parts->radius[n], a, level->grid.tiles[t].cell[0] + i, (double)j, k, mode,
                          value);
            for (int p = 0; p < 3; p++)
                for (int q = 0; q < 3; q++)
                    sums[36 * n + 6 * mode[p] + mode[q]] += level->mass[a][row + i] * value[p] * value[q];
        }
}

tlwResult tlwInitRigidParts(tlwThreads *threads, tlwRigidParts *parts, const tlwStressLevel *level,
                            const int16_t *label, int count)
{
    memset(parts, 0, sizeof *parts);
    parts->level = level;
    parts->label = label;
    parts->count = count;
    size_t tiles = (size_t)level->grid.tile_count;
    parts->centre = tlwAlloc((size_t)count, sizeof *parts->centre);
    parts->radius = tlwAlloc((size_t)count, sizeof *parts->radius);
    parts->mass = tlwAlloc((size_t)count, sizeof *parts->mass);
    parts->rows = tlwAlloc(tiles * ROWS * 3, sizeof *parts->rows);
    parts->tile_used = tlwAlloc(tiles, 1);
    parts->tile_inside = tlwAlloc(tiles, 1);
    parts->sums = tlwAlloc((size_t)count * CHUNKS * 36, sizeof *parts->sums);
    if (!parts->centre || !parts->radius || !parts->mass || !parts->rows || !parts->tile_used || !parts->tile_inside ||
        !parts->sums) {
        tlwFreeRigidParts(parts);
        return TLW_OUT_OF_MEMORY;
    }
    tlwParallelFor(threads, level->grid.tile_count, TLW_TILE_BLOCK, markRange, parts);
    if (!markInside(parts)) {
        tlwFreeRigidParts(parts);
        return TLW_OUT_OF_MEMORY;
    }
    findCentres(parts);
    Job job = {.parts = parts, .width = 36};
    runChunks(threads, &job, massRange);
    addChunks(&job, &parts->mass[0][0][0]);
    return TLW_OK;
}

void tlwFreeRigidParts(tlwRigidParts *parts)
{
    tlwFree(parts->centre);
    tlwFree(parts->radius);
    tlwFree(parts->mass);
    tlwFree(parts->rows);
    tlwFree(parts->tile_used);
    tlwFree(parts->tile_inside);
    tlwFree(parts->sums);
    memset(parts, 0, sizeof *parts);
}

// Add the moments of eight values on the faces of a row that belong to one label.
static inline void addUniformRow(const tlwRigidParts *parts, int label, int a, const double at[3], const double *f,
                                 double *sums)
{
    double force = 0, lever = 0; // sum of f, sum of f times the offset along x
    for (int i = 0; i < TLW_TILE; i++) {
        force += f[i];
        lever += f[i] * i;
    }
    int n = label - 1, b = (a + 1) % 3, c = (a + 2) % 3;
    const double *centre = parts->centre[n];
    double scale = 1 / parts->radius[n];
    double along_c = (at[c] + 0.5 - centre[c]) * force + (c == 0 ? lever : 0);
    double along_b = (at[b] + 0.5 - centre[b]) * force + (b == 0 ? lever : 0);
    sums[6 * n + a] += force;
    sums[6 * n + 3 + b] += along_c * scale;
    sums[6 * n + 3 + c] -= along_b * scale;
}

static inline void addMixedRow(const tlwRigidParts *parts, int64_t row, int a, const double at[3], const double *f,
                               double *sums)
{
    for (int i = 0; i < TLW_TILE; i++) {
        int n = rawLabel(parts->level, parts->label, a, row + i) - 1, mode[3];
        double value[3];
        if (n < 0)
            continue;
        tlwRigidModes(parts->centre[n], parts->radius[n], a, at[0] + i, at[1], at[2], mode, value);
        for (int p = 0; p < 3; p++)
            sums[6 * n + mode[p]] += f[i] * value[p];
    }
}

static inline void addRow(const tlwRigidParts *parts, int label, int64_t row, int a, const double at[3],
                          const double *f, double *sums)
{
    if (label > 0)
        addUniformRow(parts, label, a, at, f, sums);
    else if (label < 0)
        addMixedRow(parts, row, a, at, f, sums);
}

static void momentRange(void *context, int64_t begin, int64_t end)
{
    const Job *job = context;
    const tlwRigidParts *parts = job->parts;
    const tlwGrid *grid = &parts->level->grid;
    double *sums = chunkSums(job, begin);
    for (int64_t t = begin; t < end; t++) {
        if (!parts->tile_used[t])
            continue;
        const int16_t *rows = parts->rows + t * ROWS * 3;
        TLW_FOR_ROWS(grid, &grid->tiles[t], j, k, row)
        for (int a = 0; a < 3; a++, rows++) {
            double at[3] = {grid->tiles[t].cell[0], (double)j, k}, f[TLW_TILE];
            if (!*rows)
                continue;
            for (int i = 0; i < TLW_TILE; i++) {
                f[i] = job->x ? job->x->at[a][row + i] : job->xf->at[a][row + i];
            }
            addRow(parts, *rows, row, a, at, f, sums);
        }
    }
}

void tlwRigidMoments(tlwThreads *threads, const tlwRigidParts *parts, const tlwFaceDoubles *x, double *out)
{
    Job job = {.parts = parts, .x = x, .width = 6};
    runChunks(threads, &job, momentRange);
    addChunks(&job, out);
}

TLW_KERNEL static void residualRange(void *context, int64_t begin, int64_t end)
{
    const Job *job = context;
    const tlwRigidParts *parts = job->parts;
    const tlwGrid *grid = &parts->level->grid;
    const Stencil s = makeStencil(parts->level);
    const double *ru = job->x->at[0], *rv = job->x->at[1], *rw = job->x->at[2];
    const float *u = job->xf->at[0], *v = job->xf->at[1], *w = job->xf->at[2];
    const double scale = job->scale;
    double *sums = chunkSums(job, begin);
    for (int64_t t = begin; t < end; t++) {
        if (!parts->tile_used[t])
            continue;
        const int16_t *rows = parts->rows + t * ROWS * 3;
        TLW_FOR_ROWS(grid, &grid->tiles[t], j, k, row)
        {
            double at[3] = {grid->tiles[t].cell[0], (double)j, k}, f[3][TLW_TILE];
            if (!(rows[0] | rows[1] | rows[2])) {
                rows += 3;
                continue;
            }
            if (parts->tile_inside[t]) // no mode feels the stress here
                for (int i = 0; i < TLW_TILE; i++) {
                    f[0][i] = scale * ru[row + i] - (double)s.mu[row + i] * u[row + i];
                    f[1][i] = scale * rv[row + i] - (double)s.mv[row + i] * v[row + i];
                    f[2][i] = scale * rw[row + i] - (double)s.mw[row + i] * w[row + i];
                }
            else
#pragma GCC ivdep
                for (int i = 0; i < TLW_TILE; i++) {
                    double a[3];
                    rowOfA_m(&s, u, v, w, row + i, a);
                    f[0][i] = scale * ru[row + i] - a[0];
                    f[1][i] = scale * rv[row + i] - a[1];
                    f[2][i] = scale * rw[row + i] - a[2];
                }
            for (int a = 0; a < 3; a++, rows++)
                addRow(parts, *rows, row, a, at, f[a], sums);
        }
    }
}

void tlwRigidResidual(tlwThreads *threads, const tlwRigidParts *parts, const tlwFaceDoubles *r, double scale,
                      const tlwFaceFloats *z, double *out)
{
    Job job = {.parts = parts, .x = r, .scale = scale, .xf = z, .width = 6};
    runChunks(threads, &job, residualRange);
    addChunks(&job, out);
}

// Velocity of label n's motion q on the eight faces of a row.
static inline void rigidRow(const tlwRigidParts *parts, int n, int a, const double at[3], const double *q,
                            double value[TLW_TILE])
{
    int b = (a + 1) % 3, c = (a + 2) % 3;
    const double *centre = parts->centre[n];
    double scale = 1 / parts->radius[n], turn_b = q[6 * n + 3 + b] * scale, turn_c = q[6 * n + 3 + c] * scale;
    double first = q[6 * n + a] + turn_b * (at[c] + 0.5 - centre[c]) - turn_c * (at[b] + 0.5 - centre[b]);
    double slope = c == 0 ? turn_b : b == 0 ? -turn_c : 0;
    for (int i = 0; i < TLW_TILE; i++)
        value[i] = first + slope * i;
}

static void addRange(void *context, int64_t begin, int64_t end)
{
    const Job *job = context;
    const tlwRigidParts *parts = job->parts;
    const tlwStressLevel *level = parts->level;
    const tlwGrid *grid = &level->grid;
    for (int64_t t = begin; t < end; t++) {
        if (!parts->tile_used[t])
            continue;
        const int16_t *rows = parts->rows + t * ROWS * 3;
        TLW_FOR_ROWS(grid, &grid->tiles[t], j, k, row)
        for (int a = 0; a < 3; a++, rows++) {
            double at[3] = {grid->tiles[t].cell[0], (double)j, k}, value[TLW_TILE], one[TLW_TILE];
            const float *mass = level->mass[a] + row;
            bool labelled[TLW_TILE];
            if (!*rows)
                continue;
            if (*rows > 0)
                rigidRow(parts, *rows - 1, a, at, job->q, value);
            for (int i = 0; i < TLW_TILE; i++) {
                int label = *rows > 0 ? *rows : rawLabel(level, parts->label, a, row + i);
                labelled[i] = label && mass[i] > 0;
                if (*rows < 0 && label) {
                    rigidRow(parts, label - 1, a, at, job->q, one);
                    value[i] = one[i];
                }
            }
            double *out = job->out ? job->out->at[a] + row : NULL;
            float *outf = job->out ? NULL : job->outf->at[a] + row;
            for (int i = 0; i < TLW_TILE; i++) {
                if (!labelled[i])
                    continue;
                if (out)
                    out[i] += value[i];
                else
                    outf[i] = (float)(outf[i] + value[i]);
            }
        }
    }
}

void tlwAddRigid(tlwThreads *threads, const tlwRigidParts *parts, const double *q, tlwFaceDoubles *x)
{
    Job job = {.parts = parts, .q = q, .out = x};
    tlwParallelFor(threads, parts->level->grid.tile_count, TLW_TILE_BLOCK, addRange, &job);
}

void tlwAddRigidFloat(tlwThreads *threads, const tlwRigidParts *parts, const double *q, tlwFaceFloats *x)
{
    Job job = {.parts = parts, .q = q, .outf = x};
    tlwParallelFor(threads, parts->level->grid.tile_count, TLW_TILE_BLOCK, addRange, &job);
}
