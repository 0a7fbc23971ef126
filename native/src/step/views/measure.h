// What tlwStats says about the present state.
#ifndef TLW_STEP_VIEWS_MEASURE_H
#define TLW_STEP_VIEWS_MEASURE_H

#include "shape/particles.h"
#include "step/bodies/bodies.h"
#include "step/fields/flow.h"

typedef struct tlwMeasureInput {
    tlwContext *context;
    const tlwScene *scene;
    const tlwFlow *flow; // reads phi, solid
    const tlwParticles *particles;
    const tlwBodies *bodies;
    double time;          // s
    double expected_mass; // kg: mass at the start, plus what came, less what went
    int pieces;           // frozen
} tlwMeasureInput;

// Write everything in `stats` that describes the present state; the rest stays.
void tlwMeasure(const tlwMeasureInput *in, tlwStats *stats);

#endif
