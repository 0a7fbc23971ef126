#include "step/frozen/field.h"

#include "base/memory.h"
#include "step/fields/cell_parts.h"
#include "step/frozen/pieces.h"

#include <string.h>

#define FAR 1e30f

void tlwFreePieceField(tlwPieceField *field)
{
    tlwFree(field->value);
    memset(field, 0, sizeof *field);
}

static int64_t indexOf(const tlwPieceField *f, int i, int j, int k)
{
    return i + f->dims[0] * (j + (int64_t)f->dims[1] * k);
}

// Add the volume of a particle, as shares of the cells around it.
static void addShare(const tlwPieceField *f, const int low[3], const float p[3], float share, float *fill)
{
    int c[3];
    float w[3];
    for (int a = 0; a < 3; a++) {
        float x = p[a] - 0.5f - (float)low[a];
        c[a] = (int)floorf(x);
        w[a] = x - (float)c[a];
    }
    for (int n = 0; n < 8; n++) {
        int i = c[0] + (n & 1), j = c[1] + (n >> 1 & 1), k = c[2] + (n >> 2);
        if (i < 0 || j < 0 || k < 0 || i >= f->dims[0] || j >= f->dims[1] || k >= f->dims[2])
            continue;
        float weight = (n & 1 ? w[0] : 1 - w[0]) * (n & 2 ? w[1] : 1 - w[1]) * (n & 4 ? w[2] : 1 - w[2]);
        fill[indexOf(f, i, j, k)] += share * weight;
    }
}

// Cells at the surface start with their distance, others only with a sign.
static void startValues(tlwPieceField *f, const float *fill)
{
    const int64_t stride[3] = {1, f->dims[0], (int64_t)f->dims[0] * f->dims[1]};
    for (int k = 0; k < f->dims[2]; k++)
        for (int j = 0; j < f->dims[1]; j++)
            for (int i = 0; i < f->dims[0]; i++) {
                int64_t c = indexOf(f, i, j, k);
                const int at[3] = {i, j, k};
                bool inside = fill[c] >= 0.5f, border = false;
                for (int a = 0; a < 3; a++) {
                    border = border || (at[a] > 0 && (fill[c - stride[a]] >= 0.5f) != inside);
                    border = border || (at[a] + 1 < f->dims[a] && (fill[c + stride[a]] >= 0.5f) != inside);
                }
                f->value[c] = border ? tlwGetPlaneDistance(fill[c]) * (float)f->dx : inside ? -FAR : FAR;
            }
}

// |grad| = 1 with the smallest neighbour along each axis (Godunov).
static float solveEikonal(const float low[3], float dx)
{
    float a = low[0], b = low[1], c = low[2], t;
    if (a > b)
        t = a, a = b, b = t;
    if (b > c)
        t = b, b = c, c = t;
    if (a > b)
        t = a, a = b, b = t;
    float x = a + dx;
    if (x <= b)
        return x;
    x = 0.5f * (a + b + sqrtf(2 * dx * dx - (a - b) * (a - b)));
    if (x <= c)
        return x;
    float sum = a + b + c, square = a * a + b * b + c * c;
    return (sum + sqrtf(fmaxf(sum * sum - 3 * (square - dx * dx), 0))) / 3;
}

static void updateCell(tlwPieceField *f, const uint8_t *known, int i, int j, int k)
{
    const int64_t stride[3] = {1, f->dims[0], (int64_t)f->dims[0] * f->dims[1]};
    int64_t c = indexOf(f, i, j, k);
    if (known[c])
        return;
    const int at[3] = {i, j, k};
    float low[3];
    for (int a = 0; a < 3; a++) {
        float before = at[a] > 0 ? fabsf(f->value[c - stride[a]]) : FAR,
              after = at[a] + 1 < f->dims[a] ? fabsf(f->value[c + stride[a]]) : FAR;
        low[a] = before < after ? before : after;
    }
    if (low[0] >= FAR && low[1] >= FAR && low[2] >= FAR)
        return;
    float x = solveEikonal(low, (float)f->dx);
    if (x < fabsf(f->value[c]))
        f->value[c] = f->value[c] < 0 ? -x : x;
}

// Fast sweeping (Zhao 2005).
static void sweep(tlwPieceField *f, const uint8_t *known)
{
    for (int s = 0; s < 8; s++)
        for (int k = 0; k < f->dims[2]; k++)
            for (int j = 0; j < f->dims[1]; j++)
                for (int i = 0; i < f->dims[0]; i++)
                    updateCell(f, known, s & 1 ? f->dims[0] - 1 - i : i, s & 2 ? f->dims[1] - 1 - j : j,
                               s & 4 ? f->dims[2] - 1 - k : k);
}

tlwResult tlwBuildPieceField(const tlwGrid *grid, const tlwParticles *particles, const tlwMaterial *materials,
                             uint32_t id, tlwVec3 centre, const int low[3], const int high[3], tlwPieceField *field)
{
    *field = (tlwPieceField){.dx = grid->dx, .dims = {high[0] - low[0], high[1] - low[1], high[2] - low[2]}};
    field->origin =
        tlwSub(tlwMulAdd(grid->origin, grid->dx, (tlwVec3){low[0] + 0.5, low[1] + 0.5, low[2] + 0.5}), centre);
    size_t count = (size_t)field->dims[0] * (size_t)field->dims[1] * (size_t)field->dims[2];
    float *fill = tlwAlloc(count, sizeof *fill);
    uint8_t *known = tlwAlloc(count, 1);
    field->value = tlwAlloc(count, sizeof *field->value);
    bool ok = fill && known && field->value;
    float cell = (float)(grid->dx * grid->dx * grid->dx);
    for (int64_t n = 0; ok && n < particles->count; n++) {
        if (tlwGetPieceId(particles->frozen[n]) != id)
            continue;
        float p[3] = {particles->position[0][n], particles->position[1][n], particles->position[2][n]};
        float density = (float)materials[particles->material[n]].def.density_solid;
        bool near = true;
        for (int a = 0; a < 3; a++)
            near = near && p[a] > (float)(low[a] - 1) && p[a] < (float)(high[a] + 1);
        if (near)
            addShare(field, low, p, particles->mass[n] / (density * cell), fill);
    }
    if (ok) {
        startValues(field, fill);
        for (size_t n = 0; n < count; n++)
            known[n] = fabsf(field->value[n]) < FAR;
        sweep(field, known);
    }
    tlwFree(fill);
    tlwFree(known);
    return ok ? TLW_OK : TLW_OUT_OF_MEMORY;
}

static void sampleOne(const tlwPieceField *f, tlwVec3 p, double *distance, tlwVec3 *gradient)
{
    const double x[3] = {(p.x - f->origin.x) / f->dx, (p.y - f->origin.y) / f->dx, (p.z - f->origin.z) / f->dx};
    int c[3];
    double w[3], beyond = 0;
    for (int a = 0; a < 3; a++) {
        double y = tlwClamp(x[a], 0, f->dims[a] - 1.000001);
        beyond += (x[a] - y) * (x[a] - y);
        c[a] = (int)y;
        w[a] = y - c[a];
    }
    const int64_t sy = f->dims[0], sz = sy * f->dims[1];
    const float *v = f->value + c[0] + sy * c[1] + sz * c[2];
    double e[2][2], g[2][2]; // along x: value and slope on the four edges [k][j]
    for (int n = 0; n < 4; n++) {
        const float *q = v + (n & 1) * sy + (n >> 1) * sz;
        e[n >> 1][n & 1] = q[0] + w[0] * ((double)q[1] - q[0]);
        g[n >> 1][n & 1] = (double)q[1] - q[0];
    }
    double low = e[0][0] + w[1] * (e[0][1] - e[0][0]), high = e[1][0] + w[1] * (e[1][1] - e[1][0]);
    double inside = low + w[2] * (high - low), away = sqrt(beyond) * f->dx;
    gradient->x = (1 - w[2]) * ((1 - w[1]) * g[0][0] + w[1] * g[0][1]) + w[2] * ((1 - w[1]) * g[1][0] + w[1] * g[1][1]);
    gradient->y = (1 - w[2]) * (e[0][1] - e[0][0]) + w[2] * (e[1][1] - e[1][0]);
    gradient->z = high - low;
    *gradient = tlwScale(*gradient, 1 / f->dx);
    *distance = beyond > 0 ? fmax(inside, away) : inside;
}

void tlwSamplePieceField(const void *user, const tlwVec3 *points, int count, double *distance, tlwVec3 *gradient)
{
    const tlwPieceField *field = user;
    for (int n = 0; n < count; n++) {
        distance[n] = 1e3;
        gradient[n] = (tlwVec3){0, 0, 0};
        if (field->value)
            sampleOne(field, points[n], &distance[n], &gradient[n]);
    }
}
