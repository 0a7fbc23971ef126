// Particles move apart where they crowd. The displacement comes from the pressure system and changes no velocity.
#include "base/context.h"
#include "step/bodies/bodies.h"
#include "step/liquid/advect.h"
#include "step/liquid/collide.h"
#include "step/pressure/density.h"
#include "step/stages.h"

static tlwResult spread(tlwSim *sim, const tlwStepPlan *plan)
{
    int slots[3];
    bool needed = false;
    tlwSolveStats stats;
    tlwResult result = tlwSolveDensity(plan->pressure, slots, &needed, &stats);
    if (result == TLW_OK && needed) {
        tlwStiffness stiffness = tlwDescribeStiffness(sim, plan);
        if (plan->stiff)
            tlwHoldFirmFaces(sim->context->threads, &sim->flow.grid, plan->firm, stiffness.limit, NULL, slots);
        tlwShiftParticles(sim->context->threads, &sim->flow.grid, slots, plan->stiff ? &stiffness : NULL,
                          &sim->particles);
        tlwCollideParticles(sim->context->threads, &sim->flow, &sim->particles);
    }
    return result;
}

tlwResult tlwStageSpread(tlwSim *sim, tlwStepPlan *plan)
{
    tlwShowMotion(sim, plan);
    tlwFinishBodies(&sim->bodies, plan->kick, &plan->coupling);
    TLW_TRY(spread(sim, plan));
    tlwEndSolves(sim, plan);
    return TLW_OK;
}
