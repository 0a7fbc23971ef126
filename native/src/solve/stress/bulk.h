// What bulk samples aim at. They resist the difference between a cell's divergence and a given one, its swelling.
#ifndef TLW_SOLVE_STRESS_BULK_H
#define TLW_SOLVE_STRESS_BULK_H

#include "solve/stress/level.h"

// r += D'c swelling on the unknowns, D the divergence times the cell size; returns r' M^-1 r. Forces on the two sides
// of a cell cancel to the last bit of double precision, however stiff the cell.
double tlwAddSwelling(tlwThreads *threads, const tlwStressLevel *level, const float *swelling, tlwFaceDoubles *r);

#endif
