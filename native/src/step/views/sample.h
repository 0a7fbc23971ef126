// Fields of the grid at any points.
#ifndef TLW_STEP_VIEWS_SAMPLE_H
#define TLW_STEP_VIEWS_SAMPLE_H

#include "step/fields/flow.h"

bool tlwIsField(int field);

// `points` holds 3 numbers each, m; `out` takes 3 numbers a point for the velocity, else 1.
void tlwSampleFlow(const tlwFlow *flow, tlwField field, const double *points, int count, double *out);

#endif
