// Cholesky factors of a small symmetric positive definite matrix, stored row by row from its first non-zero to the
// diagonal. Double precision, for the coarsest grid and for deflation.
#ifndef TLW_SOLVE_ENVELOPE_H
#define TLW_SOLVE_ENVELOPE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct tlwEnvelope {
    int count;
    int *first;   // per row: column of its first entry
    int64_t *row; // per row: where column 0 would be stored
    double *values;
} tlwEnvelope;

// All entries zero. `first[i]` <= i is the column where row i begins; copied.
bool tlwInitEnvelope(tlwEnvelope *envelope, int count, const int *first);
void tlwFreeEnvelope(tlwEnvelope *envelope);

// Entry (i, j) of the lower triangle, first[i] <= j <= i.
static inline double *tlwEnvelopeEntry(tlwEnvelope *envelope, int i, int j)
{
    return &envelope->values[envelope->row[i] + j];
}

// Factor in place. A row that depends linearly on earlier rows is left out: its unknown becomes zero.
void tlwFactorEnvelope(tlwEnvelope *envelope);

// Solve in place with the factors.
void tlwSolveEnvelope(const tlwEnvelope *envelope, double *b);

#endif
