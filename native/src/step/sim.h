// A simulation: what tlwSim is behind the public header.
#ifndef TLW_STEP_SIM_H
#define TLW_STEP_SIM_H

#include "scene/scene.h"
#include "shape/mesh.h"
#include "shape/particles.h"
#include "step/bodies.h"
#include "step/drops.h"
#include "step/flow.h"
#include "step/frozen.h"
#include "step/inflow.h"
#include "step/seed.h"
#include "step/solids.h"
#include "step/sorting.h"
#include "step/thermal.h"

// Arrays behind tlwParticleView and tlwSurfaceView, owned until the next call.
typedef struct tlwViewBuffers {
    float *particle_position, *particle_velocity, *particle_temperature, *particle_melt, *particle_rest;
    int64_t particle_capacity;
    tlwMesh mesh;
    float *velocity, *temperature, *melt, *rest;
    uint8_t *material;
    int64_t vertex_capacity;
} tlwViewBuffers;

struct tlwSim {
    tlwContext *context;
    const tlwScene *scene;
    double time;
    int64_t step_count;
    double lead;     // s that velocities are ahead of positions: half a step
    double dt_limit; // s; 1e30 but for a while after a solve that did not converge (tlwShortenSteps)
    double last_dt;  // s: of the last step, also of one that failed
    uint32_t next_id;
    int64_t frugal_from; // number of particles from which on what a stage does not need goes back to the system
    double start_mass, came, went; // kg: at the start, by inflow, by outflow and open sides so far

    tlwFlow flow;
    tlwParticles particles;
    tlwParticleOrder order;
    tlwDrops drops;
    tlwSolids solids, sources;
    tlwInflow *inflows; // one per source
    tlwBodies bodies;
    tlwPieces pieces;
    tlwThermal thermal;

    tlwStats stats;
    double stage_start;
    double span, done;         // of tlwAdvance: s, and of them those behind the present step
    int stages, stages_before; // that this step and the one before it have gone through
    bool warned_of_steps;
    tlwViewBuffers views;
};

// Advance by one substep. On failure the simulation cannot go on, but for TLW_CANCELLED and TLW_NOT_CONVERGED.
tlwResult tlwStep(tlwSim *sim, double dt);

// Seconds since the last call go to `stage` in the statistics; tells how far the frame has come.
void tlwClockStage(tlwSim *sim, const char *stage);

// Seconds of one stage that belong to another.
void tlwClockAs(tlwSim *sim, const char *from, const char *to, double seconds);

// After a solve that did not converge, before the frame is tried again from its start: steps half as long as the one
// that failed. After a frame that went well: back towards the usual length.
void tlwShortenSteps(tlwSim *sim);
void tlwLengthenSteps(tlwSim *sim);

void tlwFreeViews(tlwViewBuffers *views);

// Everything in tlwStats that describes the present state.
void tlwMeasureSim(tlwSim *sim);

// Length of the next substep: CFL number, moving solids, and what is left of the frame.
// `short_of` becomes the number of steps that the frame would need when it may
// not have them all.
double tlwChooseStep(const tlwSim *sim, double left, int done, int *short_of);

// A tlwTileFn for `user` = the simulation: the level set as it is shown, cut off at solids.
void tlwFillVisibleTile(void *user, int64_t tile, float *values);

// The frame's .vdb file: surface, velocity, temperature, viscosity.
tlwResult tlwWriteSurfaceVdb(tlwSim *sim, const char *path);

static inline tlwSeeder tlwMakeSeeder(tlwSim *sim)
{
    return (tlwSeeder){sim->context, sim->scene, &sim->flow, &sim->particles, &sim->next_id};
}

#endif
