// The stages of a time step. A file stage_NN_name.c holds each; the numbers are their order, and step.c lists them.
//
// Only these files, step.c and those that make, advance, save and show a simulation see tlwSim. A stage hands the parts
// that it needs to the rooms below, whose functions name what they read and write.
#ifndef TLW_STEP_STAGES_H
#define TLW_STEP_STAGES_H

#include "scene/scene.h"
#include "step/bodies/coupling.h"
#include "step/flight/momentum.h"
#include "step/liquid/own_motion.h"
#include "step/pressure/pressure.h"
#include "step/sim.h"

// What the stages of one step hand to each other.
typedef struct tlwStepPlan {
    double dt;     // s that positions move on by
    double kick;   // s that velocities move on by: dt, unless the length of steps changes
    double passed; // s that heat moves on by; 0 in the first half step, which only gives velocities their lead

    tlwBodyCoupling coupling; // bodies and free pieces as unknowns of the solves
    tlwMomentum momentum;     // of what flies, before the step

    bool solving;          // from the pressure stage to the spread stage
    bool resting;          // the solves use the memory of the particles' gradients
    tlwPressure *pressure; // assembled while solving
    int cut_phi;           // level set without the pieces that cut cells, a field to be returned; -1 = none
    int firm;              // see liquid/own_motion.h, a field to be returned; -1 = none
    bool stiff;            // some material beside others is stiff, see tlwDescribeStiffness
} tlwStepPlan;

typedef tlwResult tlwStageFn(tlwSim *sim, tlwStepPlan *plan);

tlwStageFn tlwStageSources;
tlwStageFn tlwStageMeasureMomentum;
tlwStageFn tlwStageObstacles, tlwStageFirstObstacles;
tlwStageFn tlwStageTransport, tlwStageRasterize;
tlwStageFn tlwStageSurface;
tlwStageFn tlwStageGather;
tlwStageFn tlwStageHeat;
tlwStageFn tlwStageForces;
tlwStageFn tlwStagePieces;
tlwStageFn tlwStagePressure;
tlwStageFn tlwStageViscosity;
tlwStageFn tlwStageSpread;
tlwStageFn tlwStageExtend;
tlwStageFn tlwStageParticles;
tlwStageFn tlwStageKeepMomentum;

// One projection. A `correction` adds to the pressure that is there.
tlwResult tlwProject(tlwSim *sim, tlwStepPlan *plan, bool correction);

// Write the present motion of bodies and pieces to the grid.
void tlwShowMotion(tlwSim *sim, const tlwStepPlan *plan);

// Give back what the solves hold. The spread stage does it; after a failure step.c does.
void tlwEndSolves(tlwSim *sim, tlwStepPlan *plan);

// Which material is too stiff to follow pressure within a step.
tlwStiffness tlwDescribeStiffness(const tlwSim *sim, const tlwStepPlan *plan);

void tlwFreeStepMomentum(tlwSim *sim, tlwStepPlan *plan);

// kg/m3 of the scene's first material, for faces without particles.
static inline double tlwGetMainDensity(const tlwSim *sim)
{
    return sim->scene->materials[0].def.density_liquid;
}

#endif
