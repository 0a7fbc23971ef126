// A simulation: what tlwSim is behind the public header.
#ifndef TLW_STEP_SIM_H
#define TLW_STEP_SIM_H

#include "scene/scene.h"
#include "shape/particles.h"
#include "step/bodies/bodies.h"
#include "step/fields/flow.h"
#include "step/fields/sorting.h"
#include "step/frozen/pieces.h"
#include "step/heat/thermal.h"
#include "step/liquid/drops.h"
#include "step/liquid/inflow.h"
#include "step/liquid/seed.h"
#include "step/obstacles/placed_mesh.h"
#include "step/views/particles.h"
#include "step/views/surface_mesh.h"

// Of tlwSim.sides_reached: the other bits are set.
#define TLW_SIDES_KNOWN 64

struct tlwSim {
    tlwContext *context;
    const tlwScene *scene;
    tlwVec3 *gravity; // the scene's own, which each step sets
    double time;      // s, simulated
    int64_t step_count;
    double lead;     // s that velocities are ahead of positions: half a step
    double dt_limit; // s; 1e30, and less for a while after a solve that did not converge (step/advance.c)
    double last_dt;  // s: of the last step, also of one that failed
    uint32_t next_id;
    int64_t frugal_from;           // above this particle count, stages return memory to the system between uses
    double start_mass, came, went; // kg: at the start, by inflow, by outflow and open sides so far

    tlwFlow flow;
    tlwParticles particles;
    tlwParticleOrder order;
    tlwDrops drops;
    tlwPlacedMeshes solids, sources;
    tlwInflow *inflows; // one per source
    tlwBodies bodies;
    tlwPieces pieces;
    tlwThermal thermal;

    tlwStats stats;
    double stage_start;
    double span, done;         // s: length of this tlwAdvance, and the part of it before the present step
    int stages, stages_before; // number of stages that this step and the one before it have gone through
    bool warned_of_steps;
    int sides_reached;              // bit n: what melts has reached side n of the domain
    bool swollen;                   // flow.swelling may be other than zero
    tlwSurfaceBuffers surface_view; // what tlwGetSurface shows
    tlwParticleBuffers particle_view;
};

static inline tlwSeeder tlwMakeSeeder(tlwSim *sim)
{
    return (tlwSeeder){sim->context, sim->scene, &sim->flow, &sim->particles, &sim->next_id};
}

static inline bool tlwIsFrugal(const tlwSim *sim)
{
    return sim->particles.count >= sim->frugal_from;
}

// Whether particles carry velocity. Otherwise the grid does, and particles only show it.
static inline bool tlwCarriesVelocity(const tlwSim *sim)
{
    return sim->scene->def.transport == TLW_TRANSPORT_APIC || sim->scene->def.transport == TLW_TRANSPORT_FLIP;
}

// Whether particles also carry the gradient of their velocity.
static inline bool tlwCarriesGradient(const tlwSim *sim)
{
    return sim->scene->def.transport == TLW_TRANSPORT_APIC;
}

#endif
