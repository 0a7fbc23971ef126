// Obstacles, bodies and frozen pieces go where they are at the end of the step.
#include "base/context.h"
#include "step/bodies/bodies.h"
#include "step/frozen/bonds.h"
#include "step/frozen/carry.h"
#include "step/frozen/contact.h"
#include "step/frozen/motion.h"
#include "step/stages.h"

// The work between placing the pieces' colliders and freeing them.
static tlwResult moveAll(tlwSim *sim, tlwStepPlan *plan, const tlwPieceWorld *place)
{
    double dt = plan->dt;
    TLW_TRY(tlwFastenBonds(&sim->bodies, &sim->solids, &sim->pieces));
    TLW_TRY(tlwMoveBodies(&sim->bodies, &sim->solids, sim->time, dt));
    tlwTakePieceMotion(place, sim->time, dt, &sim->pieces);
    TLW_TRY(tlwCarryOnShapes(&sim->bodies, &sim->solids, &sim->flow.grid, &sim->particles, dt, &sim->pieces));
    TLW_TRY(tlwCarryPieces(sim->context, dt, &sim->flow, &sim->pieces, &sim->particles));
    tlwPushPieces(place, sim->time + dt, plan->kick, &sim->pieces);
    return tlwPredictBodies(&sim->bodies, &sim->solids, sim->time + dt, plan->kick, &plan->coupling);
}

tlwResult tlwStageObstacles(tlwSim *sim, tlwStepPlan *plan)
{
    tlwPieceWorld place = {sim->context,    &sim->solids,      &sim->flow,
                           &sim->particles, sim->bodies.world, tlwCountSceneBodies(&sim->bodies)};
    tlwPieceColliders colliders;
    TLW_TRY(tlwMovePlacedMeshes(&sim->solids, sim->time, plan->dt, sim->flow.grid.dx));
    tlwResult result = tlwPlacePieces(&place, plan->dt, &sim->pieces, &colliders);
    if (result == TLW_OK)
        result = moveAll(sim, plan, &place);
    tlwUnfastenBonds(&sim->bodies);
    tlwExpectPieceContacts(&place, plan->kick, &sim->pieces);
    tlwFreePieceColliders(&colliders);
    return result;
}

// Before the first step nothing has moved yet: obstacles only get the velocity that liquid will meet.
tlwResult tlwStageFirstObstacles(tlwSim *sim, tlwStepPlan *plan)
{
    TLW_TRY(tlwMovePlacedMeshes(&sim->solids, -2 * plan->kick, 2 * plan->kick, sim->flow.grid.dx));
    return tlwPredictBodies(&sim->bodies, &sim->solids, 0, plan->kick, &plan->coupling);
}
