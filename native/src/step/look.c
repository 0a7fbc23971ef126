#include "step/look.h"

#include "base/context.h"
#include "scene/scene.h"
#include "step/sim.h"
#include "step/views/measure.h"
#include "step/views/sample.h"

tlwFrameState tlwShowFrame(const tlwSim *sim)
{
    return (tlwFrameState){sim->context, sim->scene, &sim->flow, &sim->particles, &sim->stats};
}

void tlwMeasureState(tlwSim *sim)
{
    tlwMeasureInput in = {.context = sim->context,
                          .scene = sim->scene,
                          .flow = &sim->flow,
                          .particles = &sim->particles,
                          .bodies = &sim->bodies,
                          .time = sim->time,
                          .expected_mass = sim->start_mass + sim->came - sim->went,
                          .pieces = sim->pieces.count};
    tlwMeasure(&in, &sim->stats);
}

void tlwGetStats(const tlwSim *sim, tlwStats *stats)
{
    if (sim && stats)
        *stats = sim->stats;
}

tlwResult tlwGetSurface(tlwSim *sim, tlwSurfaceView *view)
{
    if (!sim || !view)
        return TLW_BAD_ARGUMENT;
    tlwFrameState state = tlwShowFrame(sim);
    return tlwMakeSurface(&state, &sim->surface_view, view);
}

tlwResult tlwGetParticles(tlwSim *sim, tlwParticleView *view)
{
    if (!sim || !view)
        return TLW_BAD_ARGUMENT;
    tlwFrameState state = tlwShowFrame(sim);
    return tlwListParticles(&state, &sim->particle_view, view);
}

tlwResult tlwSampleField(tlwSim *sim, tlwField field, const double *points, int count, double *out)
{
    if (!sim || !points || !out || count < 0)
        return TLW_BAD_ARGUMENT;
    if (!tlwIsField((int)field))
        return tlwFail(&sim->context->message, TLW_BAD_ARGUMENT, "There is no field %d to sample.", (int)field);
    tlwSampleFlow(&sim->flow, field, points, count, out);
    return TLW_OK;
}

tlwResult tlwGetPiece(const tlwSim *sim, int index, tlwPieceState *state)
{
    if (!sim || !state)
        return TLW_BAD_ARGUMENT;
    if (index < 0 || index >= sim->pieces.count)
        return tlwFail(&sim->context->message, TLW_BAD_ARGUMENT, "There is no frozen piece %d; there are %d.", index,
                       sim->pieces.count);
    const tlwPiece *piece = &sim->pieces.items[index];
    *state = (tlwPieceState){.id = piece->id,
                             .object = piece->object != TLW_NO_OBJECT ? piece->object : piece->bonded,
                             .centre = piece->centre,
                             .rotation = piece->rotation,
                             .velocity = piece->velocity,
                             .spin = piece->spin,
                             .mass = piece->mass};
    return TLW_OK;
}

tlwResult tlwGetBody(const tlwSim *sim, int object, tlwBodyState *state)
{
    if (!sim || !state)
        return TLW_BAD_ARGUMENT;
    const tlwBody *body = tlwFindBody(&sim->bodies, &sim->solids, object);
    if (!body || !tlwGetTraits(&sim->scene->objects[object].def)->body)
        return tlwFail(&sim->context->message, TLW_BAD_ARGUMENT, "Object %d is not a rigid body.", object);
    *state = (tlwBodyState){.position = tlwGetBodyOrigin(body),
                            .rotation = body->rotation,
                            .velocity = body->velocity,
                            .spin = body->spin,
                            .centre = body->position,
                            .mass = body->mass,
                            .temperature = sim->thermal.objects[object].temperature};
    return TLW_OK;
}
