#include "solve/stress_bodies.h"

#include "base/memory.h"

#include <math.h>
#include <string.h>

static const double SPREAD = 1e-6;      // added to the fit's diagonal, for bodies whose faces leave a motion open
static const double LARGEST_PART = 0.9; // of the body's mass on its faces

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

bool tlwAddBodyFace(tlwStressBody *body, int component, int64_t face, const double arm[3])
{
    if (!tlwReserve((void **)&body->faces, &body->capacity, body->count + 1, sizeof *body->faces))
        return false;
    body->faces[body->count++] =
        (tlwBodyFace){face, (int8_t)component, false, {(float)arm[0], (float)arm[1], (float)arm[2]}};
    return true;
}

// Lower triangle of the Cholesky factor in place. False when the matrix is not positive.
static bool factor(double m[6][6])
{
    for (int i = 0; i < 6; i++)
        for (int j = 0; j <= i; j++) {
            double sum = m[i][j];
            for (int k = 0; k < j; k++)
                sum -= m[i][k] * m[j][k];
            if (i == j && !(sum > 0))
                return false;
            m[i][j] = i == j ? sqrt(sum) : sum / m[j][j];
        }
    return true;
}

static void solve(const double m[6][6], double x[6])
{
    for (int i = 0; i < 6; i++) {
        for (int k = 0; k < i; k++)
            x[i] -= m[i][k] * x[k];
        x[i] /= m[i][i];
    }
    for (int i = 5; i >= 0; i--) {
        for (int k = i + 1; k < 6; k++)
            x[i] -= m[k][i] * x[k];
        x[i] /= m[i][i];
    }
}

// sum += value times the row of W of a face.
static inline void addRow(const tlwBodyFace *f, double value, double sum[6])
{
    int a = f->component, b = (a + 1) % 3, c = (a + 2) % 3;
    sum[a] += value;
    sum[3 + b] += value * f->arm[c];
    sum[3 + c] -= value * f->arm[b];
}

void tlwSplitBodyMass(tlwStressBody *body, const double mass[6][6], double least)
{
    double gram[6][6] = {{0}}, most = 0, trace = 0;
    for (int64_t n = 0; n < body->count; n++) {
        double row[6] = {0};
        addRow(&body->faces[n], 1, row);
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 6; j++)
                gram[i][j] += row[i] * row[j];
    }
    for (int i = 0; i < 6; i++) {
        trace += gram[i][i];
        most = i < 3 ? fmax(most, gram[i][i]) : most;
    }
    // The largest share for which the rest is still a mass.
    bool fits = false;
    body->face_mass = LARGEST_PART * mass[0][0] / most;
    for (int tries = 0; tries < 24 && !fits && body->face_mass > least; tries++) {
        double trial[6][6];
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 6; j++)
                trial[i][j] = body->rest[i][j] = mass[i][j] - body->face_mass * gram[i][j];
        fits = factor(trial);
        body->face_mass *= fits ? 1 : 0.7;
    }
    body->too_light = !fits;
    if (!fits) {
        body->face_mass = least;
        memset(body->rest, 0, sizeof body->rest);
    }
    memcpy(body->gram, gram, sizeof gram);
    for (int i = 0; i < 6; i++)
        body->gram[i][i] += SPREAD * trace;
    factor(body->gram);
}

void tlwFitBody(const tlwStressBody *body, const tlwFaceDoubles *x, double motion[6])
{
    memset(motion, 0, 6 * sizeof *motion);
    for (int64_t n = 0; n < body->count; n++)
        addRow(&body->faces[n], x->at[body->faces[n].component][body->faces[n].face], motion);
    solve(body->gram, motion);
}

static void multiply(const double m[6][6], const double x[6], double y[6])
{
    for (int i = 0; i < 6; i++) {
        y[i] = 0;
        for (int j = 0; j < 6; j++)
            y[i] += m[i][j] * x[j];
    }
}

typedef struct Inertia {
    const tlwStressBodies *bodies;
    double sign;
    const tlwFaceDoubles *x;
    tlwFaceDoubles *y;
} Inertia;

// No face belongs to two bodies.
static double inertiaRange(void *context, int64_t begin, int64_t end)
{
    const Inertia *t = context;
    double sum = 0;
    for (int64_t n = begin; n < end; n++) {
        const tlwStressBody *body = &t->bodies->items[n];
        double motion[6], momentum[6];
        if (!body->count)
            continue;
        tlwFitBody(body, t->x, motion);
        multiply(body->rest, motion, momentum);
        for (int i = 0; i < 6; i++)
            sum += motion[i] * momentum[i];
        solve(body->gram, momentum);
        for (int64_t f = 0; f < body->count; f++)
            t->y->at[body->faces[f].component][body->faces[f].face] +=
                t->sign * tlwBodyVelocity(&body->faces[f], momentum);
    }
    return sum;
}

double tlwAddBodyInertia(tlwThreads *threads, const tlwStressBodies *bodies, double sign, const tlwFaceDoubles *x,
                         tlwFaceDoubles *y)
{
    Inertia inertia = {bodies, sign, x, y};
    return tlwParallelSum(threads, bodies->count, 1, inertiaRange, &inertia);
}

void tlwAddBodyMomentum(const tlwStressBody *body, const double motion[6], tlwFaceFloats *y)
{
    double momentum[6];
    multiply(body->rest, motion, momentum);
    solve(body->gram, momentum);
    for (int64_t f = 0; f < body->count; f++)
        y->at[body->faces[f].component][body->faces[f].face] += (float)tlwBodyVelocity(&body->faces[f], momentum);
}

void tlwGetBodyMomentum(const tlwStressBody *body, const tlwFaceDoubles *x, double momentum[6])
{
    double motion[6];
    tlwFitBody(body, x, motion);
    multiply(body->rest, motion, momentum);
    for (int64_t n = 0; n < body->count; n++)
        addRow(&body->faces[n], body->face_mass * x->at[body->faces[n].component][body->faces[n].face], momentum);
}
