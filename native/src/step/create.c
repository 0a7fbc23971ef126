// Making and ending a simulation.
#include "step/create.h"

#include "base/context.h"
#include "base/memory.h"
#include "base/pages.h"
#include "scene/check.h"
#include "scene/scene.h"
#include "step/heat/material_state.h"
#include "step/liquid/free_surface.h"
#include "step/liquid/gather.h"
#include "step/liquid/levelset.h"
#include "step/liquid/redistance.h"
#include "step/liquid/transfer.h"
#include "step/liquid/walls.h"
#include "step/look.h"
#include "step/obstacles/rasterize.h"
#include "step/sim.h"

#include <string.h>

// Particles stand for exactly the volume that the level set encloses.
static void matchMassToSurface(tlwSim *sim)
{
    double volume = 0, inside = tlwGetLevelSetVolume(sim->context->threads, &sim->flow, NULL);
    for (int64_t n = 0; n < sim->particles.count; n++)
        volume += tlwGetParticleVolume(&sim->particles, n, sim->scene->materials);
    if (!(volume > 0) || !(inside > 0))
        return;
    float scale = (float)(inside / volume);
    for (int64_t n = 0; n < sim->particles.count; n++)
        sim->particles.mass[n] *= scale;
}

// Name of the first liquid, for a message.
static const char *nameOfLiquid(const tlwScene *scene)
{
    for (int o = 0; o < scene->object_count; o++)
        if (tlwIsLiquid(&scene->objects[o].def))
            return scene->objects[o].def.name;
    return "The liquid";
}

tlwResult tlwGatherStart(tlwSim *sim)
{
    tlwContext *context = sim->context;
    tlwFlow *flow = &sim->flow;
    TLW_TRY(tlwGatherParticles(context->threads, &sim->particles, &sim->order, sim->scene->materials, false, flow));
    int iterations; // a heat step of zero length fills in the temperature
    TLW_TRY(tlwStepThermal(context, &sim->thermal, &sim->order, 0, 0, flow, &sim->particles, &iterations));
    tlwUpdateMaterialState(context->threads, flow, sim->scene->materials, -1);
    return TLW_OK;
}

static tlwResult start(tlwSim *sim)
{
    tlwContext *context = sim->context;
    tlwFlow *flow = &sim->flow;
    double dx = sim->scene->def.cell_size;
    if (!tlwInitFlow(flow, sim->scene->def.domain_min, sim->scene->dims, dx) ||
        (sim->scene->material_count > 1 && !tlwAddFluiditySlopes(flow)))
        return tlwFailMemory(&context->message, "the grid");
    memcpy(flow->grid.extent, sim->scene->extent, sizeof flow->grid.extent);
    TLW_TRY(tlwPlaceMeshes(context, sim->scene, dx, tlwIsObstacle, &sim->solids));
    TLW_TRY(tlwPlaceMeshes(context, sim->scene, dx, tlwIsSource, &sim->sources));
    sim->inflows = tlwAlloc((size_t)sim->sources.count + 1, sizeof *sim->inflows);
    bool nozzles = false;
    for (int n = 0; n < sim->sources.count; n++)
        nozzles = nozzles || tlwIsNozzle(&sim->scene->objects[sim->sources.items[n].object].def);
    if (!sim->inflows || (nozzles && !tlwAddNozzleFields(flow)))
        return tlwFailMemory(&context->message, "an inflow");
    TLW_TRY(tlwCreateBodies(context, sim->scene, &sim->solids, &sim->bodies));
    TLW_TRY(tlwCreateThermal(context, sim->scene, &sim->solids, dx, &sim->thermal));
    tlwPlacedMeshes liquids;
    tlwResult result = tlwPlaceMeshes(context, sim->scene, dx, tlwIsLiquid, &liquids);
    tlwSeeder seeder = tlwMakeSeeder(sim);
    if (result == TLW_OK)
        result = tlwSeedLiquids(&seeder, &liquids);
    if (result == TLW_OK)
        result = tlwRunNozzles(&seeder, &sim->sources, &sim->solids, sim->inflows, 0, 0, &sim->came);
    if (result == TLW_OK)
        result = tlwActivateAroundParticles(context->threads, &sim->particles, TLW_PHI_BAND + 0.5f, &flow->grid);
    if (result == TLW_OK) {
        tlwRasterizeSolids(&sim->solids, flow);
        result = tlwRemoveInsideSolids(&seeder);
    }
    if (result == TLW_OK) {
        tlwUniteLevelSet(&seeder, &liquids);
        tlwAddNozzlesToLevelSet(&seeder, &sim->sources);
        result = tlwMeasureFreeSurface(&seeder, &liquids, &sim->sources);
    }
    sim->came = 0; // liquid inside nozzles at the start is not an inflow
    tlwDestroyPlacedMeshes(&liquids);
    TLW_TRY(result);
    if (!sim->particles.count && !sim->sources.count)
        return tlwFail(
            &context->message, TLW_BAD_ARGUMENT,
            "%s starts inside a solid, so that nothing of it is left; move it out, or make the cells smaller.",
            nameOfLiquid(sim->scene));
    TLW_TRY(tlwSortParticles(context->threads, &flow->grid, &sim->particles, &sim->order));
    TLW_TRY(tlwWetWalls(context->threads, flow));
    TLW_TRY(tlwRedistance(context->threads, flow));
    TLW_TRY(tlwExtendIntoSolids(context->threads, flow));
    matchMassToSurface(sim);
    for (int64_t n = 0; n < sim->particles.count; n++)
        sim->start_mass += sim->particles.mass[n];
    return tlwGatherStart(sim);
}

tlwResult tlwCreateSim(tlwScene *scene, tlwSim **sim)
{
    if (!scene || !sim)
        return TLW_BAD_ARGUMENT;
    TLW_TRY(tlwCheckScene(scene));
    tlwSim *made = tlwAlloc(1, sizeof *made);
    if (!made)
        return tlwFailMemory(&scene->context->message, "the simulation");
    made->context = scene->context;
    made->scene = scene;
    made->gravity = &scene->gravity;
    made->dt_limit = 1e30;
    made->frugal_from = 2000000;
    tlwResult result = start(made);
    if (result == TLW_OUT_OF_MEMORY && !scene->context->message.text[0])
        tlwFailMemory(&scene->context->message, "the simulation");
    if (result != TLW_OK) {
        tlwDestroySim(made);
        return result;
    }
    tlwMeasureState(made);
    *sim = made;
    return TLW_OK;
}

void tlwDestroySim(tlwSim *sim)
{
    if (!sim)
        return;
    tlwFreeSurfaceBuffers(&sim->surface_view);
    tlwFreeParticleBuffers(&sim->particle_view);
    tlwFreePieces(&sim->pieces);
    tlwDestroyBodies(&sim->bodies);
    tlwDestroyPlacedMeshes(&sim->solids);
    tlwDestroyPlacedMeshes(&sim->sources);
    tlwFree(sim->inflows);
    tlwDestroyThermal(&sim->thermal);
    tlwFreeParticles(&sim->particles);
    tlwFreeParticleOrder(&sim->order);
    tlwFreeDrops(&sim->drops);
    tlwFreeGrid(&sim->flow.grid);
    tlwFree(sim);
    tlwDropPages(); // the next simulation may be small
}
