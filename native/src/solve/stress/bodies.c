#include "solve/stress/bodies.h"

#include "base/cholesky.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

static const double SPREAD = 1e-12; // added to the fit's diagonal, for bodies whose faces do not determine a motion

bool tlwInitStressBodies(tlwStressBodies *bodies, int count)
{
    bodies->items = tlwAlloc((size_t)count, sizeof *bodies->items);
    bodies->count = bodies->items ? count : 0;
    return bodies->items != NULL;
}

void tlwFreeStressBodies(tlwStressBodies *bodies)
{
    for (int n = 0; n < bodies->count; n++)
        tlwFree(bodies->items[n].faces);
    tlwFree(bodies->items);
    memset(bodies, 0, sizeof *bodies);
}

bool tlwAddBodyFace(tlwStressBody *body, int component, int64_t face, const int cell[3])
{
    if (!tlwReserve((void **)&body->faces, &body->capacity, body->count + 1, sizeof *body->faces))
        return false;
    tlwBodyFace *added = &body->faces[body->count++];
    *added = (tlwBodyFace){.face = face, .component = (int8_t)component};
    for (int a = 0; a < 3; a++)
        added->arm[a] = cell[a] + (a == component ? 0 : 0.5) - body->centre[a];
    return true;
}

// sum += value times the row of W of a face.
static inline void addRow(const tlwBodyFace *f, double value, double sum[6])
{
    int a = f->component, b = (a + 1) % 3, c = (a + 2) % 3;
    sum[a] += value;
    sum[3 + b] += value * f->arm[c];
    sum[3 + c] -= value * f->arm[b];
}

void tlwWeighBody(tlwStressBody *body, const double mass[6][6], double face_mass)
{
    memset(body->gram, 0, sizeof body->gram);
    for (int64_t n = 0; n < body->count; n++) {
        double row[6] = {0};
        addRow(&body->faces[n], 1, row);
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 6; j++)
                body->gram[i][j] += row[i] * row[j];
    }
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            body->rest[i][j] = mass[i][j] - face_mass * body->gram[i][j];
    for (int i = 0; i < 6; i++)
        body->gram[i][i] += SPREAD * (body->gram[i][i] + body->gram[0][0]);
    tlwFactorCholesky(6, body->gram[0]);
}

void tlwFitBody(const tlwStressBody *body, const tlwFaceDoubles *x, double motion[6])
{
    memset(motion, 0, 6 * sizeof *motion);
    for (int64_t n = 0; n < body->count; n++)
        addRow(&body->faces[n], x->at[body->faces[n].component][body->faces[n].face], motion);
    tlwSolveCholesky(6, body->gram[0], motion);
}

static void multiply(const double m[6][6], const double x[6], double y[6])
{
    for (int i = 0; i < 6; i++) {
        y[i] = 0;
        for (int j = 0; j < 6; j++)
            y[i] += m[i][j] * x[j];
    }
}

typedef struct Job {
    const tlwStressBodies *bodies;
    double sign;
    const tlwFaceDoubles *x;
    tlwFaceDoubles *y;
} Job;

static void showMotion(const tlwStressBody *body, const double motion[6], tlwFaceDoubles *y)
{
    for (int64_t f = 0; f < body->count; f++)
        y->at[body->faces[f].component][body->faces[f].face] = tlwBodyVelocity(&body->faces[f], motion);
}

// Bodies may run on different threads, because no face belongs to two bodies.
static double rigidRange(void *context, int64_t begin, int64_t end)
{
    const Job *job = context;
    double sum = 0;
    for (int64_t n = begin; n < end; n++) {
        const tlwStressBody *body = &job->bodies->items[n];
        double fit[6];
        if (!body->count)
            continue;
        tlwFitBody(body, job->y, fit);
        if (job->x) {
            double motion[6], momentum[6];
            tlwFitBody(body, job->x, motion);
            multiply(body->rest, motion, momentum);
            for (int i = 0; i < 6; i++)
                sum += motion[i] * momentum[i];
            tlwSolveCholesky(6, body->gram[0], momentum);
            for (int i = 0; i < 6; i++)
                fit[i] += job->sign * momentum[i];
        }
        showMotion(body, fit, job->y);
    }
    return sum;
}

void tlwMakeRigid(tlwThreads *threads, const tlwStressBodies *bodies, tlwFaceDoubles *x)
{
    Job job = {.bodies = bodies, .y = x};
    tlwParallelSum(threads, bodies->count, 1, rigidRange, &job);
}

double tlwMakeForcesRigid(tlwThreads *threads, const tlwStressBodies *bodies, double sign, const tlwFaceDoubles *x,
                          tlwFaceDoubles *y)
{
    Job job = {bodies, sign, x, y};
    return tlwParallelSum(threads, bodies->count, 1, rigidRange, &job);
}

void tlwAddBodyMomentum(const tlwStressBody *body, const double motion[6], tlwFaceFloats *y)
{
    double momentum[6];
    multiply(body->rest, motion, momentum);
    tlwSolveCholesky(6, body->gram[0], momentum);
    for (int64_t f = 0; f < body->count; f++)
        y->at[body->faces[f].component][body->faces[f].face] += (float)tlwBodyVelocity(&body->faces[f], momentum);
}
