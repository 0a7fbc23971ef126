#include "solve/envelope.h"

#include "base/kernel.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

bool tlwInitEnvelope(tlwEnvelope *envelope, int count, const int *first)
{
    memset(envelope, 0, sizeof *envelope);
    envelope->count = count;
    envelope->first = tlwAlloc((size_t)count, sizeof *envelope->first);
    envelope->row = tlwAlloc((size_t)count, sizeof *envelope->row);
    int64_t total = 0;
    for (int i = 0; i < count; i++)
        total += i - first[i] + 1;
    envelope->values = tlwAlloc((size_t)total, sizeof *envelope->values);
    if (!envelope->first || !envelope->row || !envelope->values) {
        tlwFreeEnvelope(envelope);
        return false;
    }
    total = 0;
    for (int i = 0; i < count; i++) {
        envelope->first[i] = first[i];
        envelope->row[i] = total - first[i];
        total += i - first[i] + 1;
    }
    return true;
}

void tlwFreeEnvelope(tlwEnvelope *envelope)
{
    tlwFree(envelope->first);
    tlwFree(envelope->row);
    tlwFree(envelope->values);
    memset(envelope, 0, sizeof *envelope);
}

// Eight partial sums, so that the order of additions does not depend on the machine's vector width.
static inline double dot(const double *a, const double *b, int count)
{
    double lane[8] = {0};
    int n = 0;
    for (; n + 8 <= count; n += 8)
        for (int l = 0; l < 8; l++)
            lane[l] += a[n + l] * b[n + l];
    for (int l = 0; n < count; n++, l++)
        lane[l] += a[n] * b[n];
    return ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]));
}

TLW_KERNEL void tlwFactorEnvelope(tlwEnvelope *envelope)
{
    const double RELATIVE = 1e-13; // a pivot below this share of the diagonal is rounding: the row is dependent
    for (int i = 0; i < envelope->count; i++) {
        double *row_i = envelope->values + envelope->row[i];
        int first_i = envelope->first[i];
        for (int j = first_i; j < i; j++) {
            const double *row_j = envelope->values + envelope->row[j];
            int from = envelope->first[j] > first_i ? envelope->first[j] : first_i;
            double value = row_i[j];
            if (from < j)
                value -= dot(row_i + from, row_j + from, j - from);
            row_i[j] = value * row_j[j]; // the diagonal holds its own inverse
        }
        double pivot = row_i[i] - dot(row_i + first_i, row_i + first_i, i - first_i);
        row_i[i] = pivot > RELATIVE * row_i[i] && pivot > 0 ? 1 / sqrt(pivot) : 0;
    }
}

TLW_KERNEL void tlwSolveEnvelope(const tlwEnvelope *envelope, double *b)
{
    for (int i = 0; i < envelope->count; i++) {
        const double *row = envelope->values + envelope->row[i];
        int first = envelope->first[i];
        b[i] = (b[i] - dot(row + first, b + first, i - first)) * row[i];
    }
    for (int i = envelope->count - 1; i >= 0; i--) {
        const double *row = envelope->values + envelope->row[i];
        double value = b[i] *= row[i];
        for (int j = envelope->first[i]; j < i; j++)
            b[j] -= row[j] * value;
    }
}
