#include "solve/stress/rigid_motion.h"

#include "base/kernel.h"
#include "solve/stress/rigid_rows.h"

#include <math.h>
#include <string.h>

// Eight neighbours along x. Written out, since loops of eight over floats and doubles are not vectorised.
typedef double Lanes __attribute__((vector_size(TLW_TILE * sizeof(double))));
typedef float Floats __attribute__((vector_size(TLW_TILE * sizeof(float))));
typedef int32_t Ints __attribute__((vector_size(TLW_TILE * sizeof(int32_t))));

static const Lanes OFFSETS = {0, 1, 2, 3, 4, 5, 6, 7};

#define LOAD(lanes, from) memcpy(&(lanes), (from), sizeof(lanes))
#define STORE(lanes, to) memcpy((to), &(lanes), sizeof(lanes))
#define WIDEN(floats) __builtin_convertvector(floats, Lanes)

// ---------------------------------------------------------------------------------------------------------------------
// Moments

// Sums over the faces of one label along a span, lane by lane: forces, and forces times the offset from the span's
// start.
typedef struct Moment {
    Lanes force, lever;
    int label; // 0 = none yet
} Moment;

static void addMoment(const Modes *m, double force, double lever, double *sums)
{
    for (int p = 0; p < 3; p++)
        sums[6 * (m->label - 1) + m->mode[p]] += m->first[p] * force + m->slope[p] * lever;
}

static void finishMoment(const tlwRigidParts *parts, int component, const int at[3], Moment *moment, double *sums)
{
    if (moment->label) {
        Modes m = findModes(parts, moment->label, component, at);
        addMoment(&m, addLanes((const double *)&moment->force), addLanes((const double *)&moment->lever), sums);
    }
    *moment = (Moment){0};
}

static void addMixedRow(const tlwRigidParts *parts, int64_t row, int component, const int at[3], int x, const double *f,
                        double *sums)
{
    int16_t label[TLW_TILE];
    rawLabels(parts, component, row, label);
    for (int i = 0, next; i < TLW_TILE; i = next) {
        double force = 0, lever = 0;
        next = endOfRun(label, i);
        for (int n = i; n < next; n++) {
            force += f[n];
            lever += f[n] * (x + n);
        }
        if (!label[i])
            continue;
        Modes m = findModes(parts, label[i], component, at);
        addMoment(&m, force, lever, sums);
    }
}

// Add eight values on the faces of a row, `x` cells into the span that begins `at`.
static inline __attribute__((always_inline)) void addRow(const tlwRigidParts *parts, int label, int64_t row,
                                                         int component, const int at[3], int x, const Lanes *f,
                                                         Moment *moment, double *sums)
{
    if (label < 0)
        addMixedRow(parts, row, component, at, x, (const double *)f, sums);
    if (label <= 0)
        return;
    if (label != moment->label)
        finishMoment(parts, component, at, moment, sums);
    moment->label = label;
    moment->force += *f;
    moment->lever += *f * (OFFSETS + x);
}

TLW_KERNEL static void momentRange(void *context, int64_t begin, int64_t end)
{
    const Job *job = context;
    const tlwRigidParts *parts = job->parts;
    double *sums = chunkSums(job, begin);
    for (int64_t n = begin; n < end; n++) {
        const tlwSpan *span = &parts->level->spans[n];
        int at[3];
        locateCell(&parts->level->grid, span->base, at);
        for (int a = 0; a < 3; a++) {
            const tlwRigidRow *row = parts->rows + span->row;
            Moment moment = {0};
            for (int x = 0; x < span->cells; x += TLW_TILE, row++) {
                Lanes f;
                LOAD(f, job->x->at[a] + span->base + x);
                addRow(parts, row->label[a], span->base + x, a, at, x, &f, &moment, sums);
            }
            finishMoment(parts, a, at, &moment, sums);
        }
    }
}

void tlwRigidMoments(tlwThreads *threads, const tlwRigidParts *parts, const tlwFaceDoubles *x, double *out)
{
    Job job = {.parts = parts, .x = x, .width = 6};
    runChunks(threads, &job, parts->level->span_count, momentRange, out);
}

// The coefficients of the samples around a row, zero where no mode strains them.
static inline void takeStrained(const tlwRigidParts *parts, int64_t row, int count, float own[OWN_COUNT][TLW_TILE])
{
    const int64_t y = parts->level->grid.stride_y, z = parts->level->grid.stride_z;
    const struct {
        int kind;
        int64_t offset;
    } sample[OWN_COUNT] = {{TLW_XX, -1},  {TLW_XX, 0},    {TLW_YY, -y},   {TLW_YY, 0},   {TLW_ZZ, -z},
                           {TLW_ZZ, 0},   {TLW_XY, 0},    {TLW_XZ, 0},    {TLW_YZ, 0},   {TLW_XY, y},
                           {TLW_XZ, z},   {TLW_XY, 1},    {TLW_YZ, z},    {TLW_XZ, 1},   {TLW_YZ, y},
                           {TLW_BULK, 0}, {TLW_BULK, -1}, {TLW_BULK, -y}, {TLW_BULK, -z}};
    for (int n = 0; n < count; n++) {
        const float *c = parts->level->c[sample[n].kind] + row + sample[n].offset;
        const uint8_t *strains = parts->strains + row + sample[n].offset;
        for (int i = 0; i < TLW_TILE; i++) // a product, because a branch would not vectorise
            own[n][i] = (float)(strains[i] >> sample[n].kind & 1) * c[i];
    }
}

// scale r - A z on the faces of a row, with only those samples of A that modes strain.
static inline __attribute__((always_inline)) void strainedResidual(const Job *job, Stencil *s, int64_t row, Lanes f[3])
{
    const float *u = job->xf->at[0], *v = job->xf->at[1], *w = job->xf->at[2];
    float own[OWN_COUNT][TLW_TILE];
    double ax[3][TLW_TILE];
    prefetchStencil(s, row);
    PREFETCH3(job->x->at, row + s->y);
    PREFETCH3(job->xf->at, row + s->y + s->z);
    takeStrained(job->parts, row, s->has_bulk ? OWN_COUNT : OWN_bulk, own);
    s->own = (const float(*)[TLW_TILE])own;
    s->own_row = row;
#pragma GCC ivdep
    for (int i = 0; i < TLW_TILE; i++) {
        double a[3];
        rowOfA_m(s, u, v, w, row + i, a);
        ax[0][i] = a[0], ax[1][i] = a[1], ax[2][i] = a[2];
    }
    for (int a = 0; a < 3; a++) {
        Lanes r, force;
        LOAD(r, job->x->at[a] + row);
        LOAD(force, ax[a]);
        f[a] = job->scale * r - force;
    }
}

// The same for a row where no mode strains a sample: only the mass is left of A.
static inline __attribute__((always_inline)) void massResidual(const Job *job, int64_t row, Lanes f[3])
{
    const int64_t next = job->parts->level->grid.stride_y;
    for (int a = 0; a < 3; a++) {
        Lanes r;
        Floats z, mass;
        LOAD(r, job->x->at[a] + row);
        LOAD(z, job->xf->at[a] + row);
        LOAD(mass, job->parts->level->mass[a] + row);
        __builtin_prefetch(job->x->at[a] + row + next);
        __builtin_prefetch(job->xf->at[a] + row + next);
        __builtin_prefetch(job->parts->level->mass[a] + row + next);
        f[a] = job->scale * r - WIDEN(mass) * WIDEN(z);
    }
}

static inline __attribute__((always_inline)) void residualRows(const Job *job, int64_t begin, int64_t end, bool bulk)
{
    const tlwRigidParts *parts = job->parts;
    Stencil s = makeStencil(parts->level, bulk);
    double *sums = chunkSums(job, begin);
    for (int64_t n = begin; n < end; n++) {
        const tlwSpan *span = &parts->level->spans[n];
        const tlwRigidRow *row = parts->rows + span->row;
        Moment moment[3] = {0};
        int at[3];
        locateCell(&parts->level->grid, span->base, at);
        for (int x = 0; x < span->cells; x += TLW_TILE, row++) {
            Lanes f[3];
            if (!row->label[0] && !row->label[1] && !row->label[2])
                continue;
            if (row->strained)
                strainedResidual(job, &s, span->base + x, f);
            else
                massResidual(job, span->base + x, f);
            for (int a = 0; a < 3; a++)
                addRow(parts, row->label[a], span->base + x, a, at, x, &f[a], &moment[a], sums);
        }
        for (int a = 0; a < 3; a++)
            finishMoment(parts, a, at, &moment[a], sums);
    }
}

TLW_KERNEL static void residualRange(void *context, int64_t begin, int64_t end)
{
    residualRows(context, begin, end, false);
}

TLW_KERNEL static void residualBulkRange(void *context, int64_t begin, int64_t end)
{
    residualRows(context, begin, end, true);
}

void tlwRigidResidual(tlwThreads *threads, const tlwRigidParts *parts, const tlwFaceDoubles *r, double scale,
                      const tlwFaceFloats *z, double *out)
{
    Job job = {.parts = parts, .x = r, .scale = scale, .xf = z, .width = 6};
    runChunks(threads, &job, parts->level->span_count, parts->level->c[TLW_BULK] ? residualBulkRange : residualRange,
              out);
}

// ---------------------------------------------------------------------------------------------------------------------
// Motions

// Velocity of a label's faces along a span: first + slope * offset.
typedef struct Motion {
    int label;
    double first, slope;
} Motion;

static Motion findMotion(const tlwRigidParts *parts, int label, int component, const int at[3], const double *q)
{
    Modes m = findModes(parts, label, component, at);
    Motion motion = {.label = label};
    for (int p = 0; p < 3; p++) {
        motion.first += m.first[p] * q[6 * (label - 1) + m.mode[p]];
        motion.slope += m.slope[p] * q[6 * (label - 1) + m.mode[p]];
    }
    return motion;
}

// Velocities of the eight faces of a row with several labels; 0 for faces without a label.
static void mixedMotion(const Job *job, int64_t row, int component, const int at[3], int x, double value[TLW_TILE])
{
    int16_t labels[TLW_TILE];
    rawLabels(job->parts, component, row, labels);
    for (int i = 0, next; i < TLW_TILE; i = next) {
        Motion own = {0};
        next = endOfRun(labels, i);
        if (labels[i])
            own = findMotion(job->parts, labels[i], component, at, job->q);
        for (int n = i; n < next; n++)
            value[n] = own.first + own.slope * (x + n);
    }
}

// Add velocities to the unknowns of a row.
static inline __attribute__((always_inline)) void addMotion(const Job *job, int component, int64_t row,
                                                            const Lanes *value)
{
    const Ints one = {0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000};
    const int64_t next = job->parts->level->grid.stride_y;
    Floats mass, x;
    Lanes wide;
    LOAD(mass, job->parts->level->mass[component] + row);
    __builtin_prefetch(job->parts->level->mass[component] + row + next);
    Floats unknown = (Floats)((mass > 0) & one); // 1.0f or 0
    if (job->out) {
        __builtin_prefetch(job->out->at[component] + row + next);
        LOAD(wide, job->out->at[component] + row);
        wide += WIDEN(unknown) * *value;
        STORE(wide, job->out->at[component] + row);
    } else {
        __builtin_prefetch(job->outf->at[component] + row + next);
        LOAD(x, job->outf->at[component] + row);
        x = __builtin_convertvector(WIDEN(x) + WIDEN(unknown) * *value, Floats);
        STORE(x, job->outf->at[component] + row);
    }
}

TLW_KERNEL static void addRange(void *context, int64_t begin, int64_t end)
{
    const Job *job = context;
    const tlwRigidParts *parts = job->parts;
    for (int64_t n = begin; n < end; n++) {
        const tlwSpan *span = &parts->level->spans[n];
        int at[3];
        locateCell(&parts->level->grid, span->base, at);
        for (int a = 0; a < 3; a++) {
            const tlwRigidRow *row = parts->rows + span->row;
            Motion motion = {0};
            for (int x = 0; x < span->cells; x += TLW_TILE, row++) {
                int label = row->label[a];
                Lanes value;
                if (!label)
                    continue;
                if (label > 0 && label != motion.label)
                    motion = findMotion(parts, label, a, at, job->q);
                value = motion.first + motion.slope * (OFFSETS + x);
                if (label < 0)
                    mixedMotion(job, span->base + x, a, at, x, (double *)&value);
                addMotion(job, a, span->base + x, &value);
            }
        }
    }
}

void tlwAddRigid(tlwThreads *threads, const tlwRigidParts *parts, const double *q, tlwFaceDoubles *x)
{
    Job job = {.parts = parts, .q = q, .out = x};
    tlwParallelFor(threads, parts->level->span_count, TLW_SPAN_BLOCK, addRange, &job);
}

void tlwAddRigidFloat(tlwThreads *threads, const tlwRigidParts *parts, const double *q, tlwFaceFloats *x)
{
    Job job = {.parts = parts, .q = q, .outf = x};
    tlwParallelFor(threads, parts->level->span_count, TLW_SPAN_BLOCK, addRange, &job);
}
