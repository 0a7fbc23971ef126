// Find what has melted, frozen and broken apart. Free pieces become unknowns of the solves.
#include "base/context.h"
#include "step/bodies/split.h"
#include "step/frozen/bonds.h"
#include "step/frozen/float.h"
#include "step/frozen/motion.h"
#include "step/frozen/pieces.h"
#include "step/stages.h"

tlwResult tlwStagePieces(tlwSim *sim, tlwStepPlan *plan)
{
    double dt = plan->kick;
    tlwBodyCoupling *coupling = &plan->coupling;
    tlwPieceSearch search = {sim->context,    &sim->solids,         &sim->order,        &sim->flow,
                             &sim->particles, sim->thermal.objects, !(plan->passed > 0)};
    if (sim->solids.split)
        TLW_TRY(tlwEnterBodies(&sim->flow, &sim->solids, dt, coupling));
    TLW_TRY(tlwFindPieces(&search, &sim->pieces));
    TLW_TRY(tlwCouplePieces(sim->context, sim->scene, sim->time + dt, dt, &sim->flow, &sim->pieces, coupling));
    tlwBindPieces(&sim->bodies, &sim->solids, &sim->pieces, coupling);
    return tlwRefinePieces(&search, dt, &sim->pieces, coupling);
}
