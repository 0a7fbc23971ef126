#include "step/bodies/bodies.h"

#include "base/context.h"
#include "base/memory.h"
#include "rigid/overlap.h"
#include "rigid/sdf_collider.h"
#include "rigid/step.h"
#include "scene/scene.h"
#include "step/bodies/shapes.h"
#include "step/liquid/forces.h"

#include <string.h>

static bool hasRigid(const tlwScene *scene)
{
    for (int o = 0; o < scene->object_count; o++)
        if (tlwGetTraits(&scene->objects[o].def)->body)
            return true;
    return false;
}

// The split method multiplies the effect of pressure by the ratio of densities (Carlson 2004, s. 5.7).
static void warnOfLightBody(const tlwBodies *bodies, const char *name, double density)
{
    const tlwScene *scene = bodies->scene;
    const tlwMaterialDef *heaviest = NULL;
    for (int o = 0; o < scene->object_count; o++) {
        const tlwObjectDef *def = &scene->objects[o].def;
        if (!tlwGetTraits(def)->has_material)
            continue;
        const tlwMaterialDef *material = &scene->materials[def->material].def;
        if (!heaviest || material->density_liquid > heaviest->density_liquid)
            heaviest = material;
    }
    if (scene->def.coupling == TLW_COUPLING_SPLIT && heaviest && density < 0.45 * heaviest->density_liquid)
        tlwLog(bodies->context, TLW_LOG_WARNING,
               "%s is lighter than 0.45 of %s, which the split method does not hold; use the joint one.", name,
               heaviest->name);
}

static tlwResult addBody(tlwBodies *bodies, const tlwPlacedMesh *solid, tlwBodyLink *link)
{
    tlwMessage *message = &bodies->context->message;
    const tlwObjectDef *def = &bodies->scene->objects[solid->object].def;
    tlwMesh mesh;
    TLW_TRY(tlwRenewShape(bodies, solid, link));
    TLW_TRY(tlwCopyShape(bodies, solid, &mesh));
    tlwResult result = TLW_OK;
    tlwBody body = tlwDefaultBody();
    body.name = def->name;
    body.collider = link->collider;
    body.friction = def->friction;
    body.restitution = def->restitution;
    body.gravity_scale = 0; // gravity comes with the predicted velocity
    body.motion = link->rigid ? TLW_MOTION_DYNAMIC : solid->moves ? TLW_MOTION_KINEMATIC : TLW_MOTION_STATIC;
    if (result == TLW_OK && link->rigid)
        result = tlwSetBodyMass(&body, &mesh, def->density, def->mass, message);
    tlwMassProperties properties;
    tlwGetMassProperties(&mesh, &properties);
    link->volume = properties.volume;
    tlwDestroyMesh(&mesh);
    TLW_TRY(result);
    tlwPlaceBody(&body, solid->frame.position, solid->frame.rotation);
    if (link->rigid) {
        body.velocity = def->velocity;
        body.spin = def->spin;
        link->solve.free_velocity = def->velocity;
        link->solve.free_spin = def->spin;
        warnOfLightBody(bodies, def->name, body.mass / link->volume);
    }
    return tlwAddRigidBody(bodies->world, &body, &link->body, message);
}

// Closed sides of the domain stop bodies too. When the scene gives no wall friction, liquid slides along walls freely,
// but bodies get the default friction.
static tlwResult addWalls(tlwBodies *bodies)
{
    static const char *const names[6] = {"the -x wall", "the +x wall", "the -y wall",
                                         "the +y wall", "the -z wall", "the +z wall"};
    const tlwScene *scene = bodies->scene;
    const double low[3] = {scene->def.domain_min.x, scene->def.domain_min.y, scene->def.domain_min.z};
    for (int n = 0; n < 6; n++) {
        if (scene->def.walls[n] == TLW_WALL_OPEN)
            continue;
        int axis = n / 2;
        double sign = n & 1 ? -1 : 1, side = low[axis] + (n & 1 ? scene->extent[axis] * scene->def.cell_size : 0);
        tlwVec3 normal = {axis == 0 ? sign : 0, axis == 1 ? sign : 0, axis == 2 ? sign : 0};
        TLW_TRY(tlwCreateHalfSpaceCollider(normal, sign * side, &bodies->walls[n], &bodies->context->message));
        tlwBody wall = tlwDefaultBody();
        wall.name = names[n];
        wall.collider = bodies->walls[n];
        wall.motion = TLW_MOTION_STATIC;
        if (scene->def.wall_friction > 0)
            wall.friction = scene->def.wall_friction;
        TLW_TRY(tlwAddRigidBody(bodies->world, &wall, NULL, &bodies->context->message));
    }
    return TLW_OK;
}

static int bodyOf(const tlwBodies *bodies, const tlwPlacedMeshes *solids, int object)
{
    for (int n = 0; n < bodies->link_count; n++)
        if (solids->items[bodies->links[n].solid].object == object)
            return bodies->links[n].body;
    return -1;
}

static tlwResult addJoints(tlwBodies *bodies, const tlwPlacedMeshes *solids)
{
    for (int n = 0; n < bodies->scene->joint_count; n++) {
        const tlwJointDef *def = &bodies->scene->joints[n].def;
        int a = bodyOf(bodies, solids, def->object_a),
            b = def->object_b < 0 ? -1 : bodyOf(bodies, solids, def->object_b);
        if (a < 0 || (def->object_b >= 0 && b < 0))
            return tlwFail(&bodies->context->message, TLW_BAD_ARGUMENT,
                           "Joint %s holds an object that is neither a rigid body nor a solid.",
                           def->name ? def->name : "without a name");
        TLW_TRY(
            tlwAddRigidJoint(bodies->world, def->kind, a, b, def->anchor, def->axis, NULL, &bodies->context->message));
    }
    return TLW_OK;
}

static tlwResult refuseOverlaps(const tlwBodies *bodies)
{
    tlwOverlap worst;
    int count = 0;
    TLW_TRY(tlwFindOverlaps(bodies->world, 0.1, &worst, 1, &count, &bodies->context->message));
    if (!count)
        return TLW_OK;
    return tlwFail(&bodies->context->message, TLW_BAD_ARGUMENT,
                   "%s and %s start inside each other, %.3g m deep; move them apart.",
                   bodies->world->bodies[worst.body_a].name, bodies->world->bodies[worst.body_b].name, worst.depth);
}

tlwResult tlwCreateBodies(tlwContext *context, const tlwScene *scene, tlwPlacedMeshes *solids, tlwBodies *bodies)
{
    *bodies = (tlwBodies){.context = context, .scene = scene};
    if (!hasRigid(scene) && !tlwCanFreeze(scene))
        return TLW_OK;
    tlwRigidWorldDef def = tlwDefaultRigidWorldDef();
    def.gravity = (tlwVec3){0, 0, 0};
    def.threads = context->threads;
    TLW_TRY(tlwCreateRigidWorld(&def, &bodies->world, &context->message));
    bodies->links = tlwAlloc((size_t)solids->count, sizeof *bodies->links);
    if (!bodies->links)
        return tlwFailMemory(&context->message, "the rigid bodies");
    for (int n = 0; n < solids->count; n++) {
        const tlwPlacedMesh *solid = &solids->items[n];
        tlwBodyLink *link = &bodies->links[bodies->link_count++];
        *link = (tlwBodyLink){.solid = n, .body = -1, .rigid = solid->body};
        TLW_TRY(addBody(bodies, solid, link));
    }
    TLW_TRY(addWalls(bodies));
    TLW_TRY(addJoints(bodies, solids));
    return refuseOverlaps(bodies);
}

void tlwDestroyBodies(tlwBodies *bodies)
{
    tlwDestroyRigidWorld(bodies->world);
    for (int n = 0; n < bodies->link_count; n++)
        tlwFreeBodyShape(&bodies->links[n]);
    for (int n = 0; n < 6; n++)
        tlwDestroyCollider(bodies->walls[n]);
    tlwFree(bodies->links);
    memset(bodies, 0, sizeof *bodies);
}

int tlwCountSceneBodies(const tlwBodies *bodies)
{
    int count = 0;
    for (int n = 0; n < bodies->link_count; n++)
        count += bodies->links[n].body >= 0;
    for (int n = 0; n < 6; n++)
        count += bodies->walls[n] != NULL;
    return count;
}

const tlwBody *tlwFindBody(const tlwBodies *bodies, const tlwPlacedMeshes *solids, int object)
{
    int index = bodies->world ? bodyOf(bodies, solids, object) : -1;
    return index >= 0 ? &bodies->world->bodies[index] : NULL;
}

static void followBody(const tlwBody *body, tlwPlacedMesh *solid)
{
    tlwSdfFrame frame = {tlwGetBodyOrigin(body), body->rotation};
    tlwMotion motion = {body->position, body->velocity, body->spin};
    tlwSetMeshPose(solid, frame, motion);
}

tlwResult tlwFollowBodies(tlwBodies *bodies, tlwPlacedMeshes *solids)
{
    TLW_TRY(tlwRenewShapes(bodies, solids, true));
    for (int n = 0; n < bodies->link_count; n++)
        if (bodies->links[n].rigid)
            followBody(&bodies->world->bodies[bodies->links[n].body], &solids->items[bodies->links[n].solid]);
    return TLW_OK;
}

// The world moves a body by the mean of its old and its new velocity. Velocities here already belong to the middle of
// the step, so a body that touches nothing must move by the new one.
static void nudgeFlyingBodies(const tlwBodies *bodies, double share)
{
    for (int n = 0; n < bodies->link_count; n++) {
        const tlwBodyLink *link = &bodies->links[n];
        if (!link->rigid || link->bonded) // the piece that is frozen onto it would stay behind
            continue;
        tlwBody *body = &bodies->world->bodies[link->body];
        double touched = tlwLength(body->contact_impulse) + tlwLength(body->joint_impulse) +
                         tlwLength(body->contact_angular_impulse) + tlwLength(body->joint_angular_impulse);
        if (touched > 0)
            continue;
        body->velocity = tlwMulAdd(body->velocity, share, tlwSub(link->solve.free_velocity, link->old_velocity));
        body->spin = tlwMulAdd(body->spin, share, tlwSub(link->solve.free_spin, link->old_spin));
    }
}

// Keyed obstacles at a time, with their mean motion over the dt after it.
static void placeKeyed(const tlwBodies *bodies, const tlwPlacedMeshes *solids, double time, double dt)
{
    for (int n = 0; n < bodies->link_count; n++) {
        const tlwBodyLink *link = &bodies->links[n];
        if (link->rigid || link->positions) // deforming meshes are in world space
            continue;
        tlwBody *body = &bodies->world->bodies[link->body];
        const tlwObjectDef *def = &bodies->scene->objects[solids->items[link->solid].object].def;
        tlwKey key = tlwSampleKeys(def->keys, def->key_count, time);
        tlwKey next = tlwSampleKeys(def->keys, def->key_count, time + dt);
        tlwPlaceBody(body, next.position, next.rotation);
        tlwVec3 there = body->position; // where the centre of mass must arrive, exactly: pieces may be fixed to it
        tlwPlaceBody(body, key.position, key.rotation);
        body->velocity = tlwScale(tlwSub(there, body->position), 1 / dt);
        body->spin = tlwSampleMotion(def->keys, def->key_count, time + dt / 2, dt).spin;
    }
}

tlwResult tlwMoveBodies(tlwBodies *bodies, tlwPlacedMeshes *solids, double time, double dt)
{
    if (!bodies->world || !(dt > 0))
        return TLW_OK;
    TLW_TRY(tlwRenewShapes(bodies, solids, false));
    tlwSetShapeDrifts(bodies, solids, time, dt);
    placeKeyed(bodies, solids, time, dt);
    for (int n = 0; n < bodies->link_count; n++) {
        tlwBodyLink *link = &bodies->links[n];
        if (!link->rigid)
            continue;
        const tlwBody *body = &bodies->world->bodies[link->body];
        link->old_velocity = body->velocity;
        link->old_spin = body->spin;
        tlwSetPredictedVelocity(bodies->world, link->body, link->solve.free_velocity, link->solve.free_spin, dt);
    }
    TLW_TRY(tlwSolveRigidWorld(bodies->world, dt, &bodies->context->message));
    nudgeFlyingBodies(bodies, 0.5);
    TLW_TRY(tlwMoveRigidWorld(bodies->world, dt, &bodies->context->message));
    nudgeFlyingBodies(bodies, -0.5);
    for (int n = 0; n < bodies->link_count; n++) {
        tlwBodyLink *link = &bodies->links[n];
        if (!link->rigid)
            continue;
        const tlwBody *body = &bodies->world->bodies[link->body];
        followBody(body, &solids->items[link->solid]);
        solids->max_speed =
            fmax(solids->max_speed, tlwLength(body->velocity) + tlwLength(body->spin) * body->collider->size);
    }
    return TLW_OK;
}

static tlwVec3 outerPush(const tlwBodies *bodies, const tlwBody *body, double time, double dt)
{
    return tlwGetAcceleration(bodies->scene, time, dt, body->position, body->velocity);
}

// Find what contacts and joints will add over the dt after `time`. Poses and velocities stay as they are. Contacts keep
// the impulses of the trial, a good start for the real run.
static tlwResult expectContacts(tlwBodies *bodies, const tlwPlacedMeshes *solids, double time, double dt)
{
    tlwRigidWorld *world = bodies->world;
    TLW_TRY(tlwRenewShapes(bodies, solids, true));
    tlwSetShapeDrifts(bodies, solids, time, dt);
    size_t bytes = (size_t)world->body_count * sizeof *world->bodies;
    tlwBody *kept = tlwAlloc(1, bytes);
    if (!kept)
        return tlwFailMemory(&bodies->context->message, "the rigid bodies");
    memcpy(kept, world->bodies, bytes);
    placeKeyed(bodies, solids, time, dt);
    for (int n = 0; n < bodies->link_count; n++) {
        const tlwBodyLink *link = &bodies->links[n];
        if (!link->rigid)
            continue;
        const tlwBody *body = &world->bodies[link->body];
        tlwVec3 push = tlwAdd(outerPush(bodies, body, time, dt), tlwGetLasting(link->solve.push));
        tlwSetPredictedVelocity(world, link->body, tlwMulAdd(body->velocity, dt, push),
                                tlwMulAdd(body->spin, dt, tlwGetLasting(link->solve.turn)), dt);
    }
    tlwResult result = tlwSolveRigidWorld(world, dt, &bodies->context->message);
    for (int n = 0; n < bodies->link_count && result == TLW_OK; n++) {
        tlwBodyLink *link = &bodies->links[n];
        if (!link->rigid)
            continue;
        const tlwBody *body = &world->bodies[link->body];
        tlwMat3 inverse_inertia = tlwMat3Inverse(tlwRotateMat3(body->rotation, body->inertia));
        tlwVec3 turn = tlwAdd(body->contact_angular_impulse, body->joint_angular_impulse);
        link->solve.contact_velocity =
            tlwScale(tlwAdd(body->contact_impulse, body->joint_impulse), 1 / (body->mass * dt));
        link->solve.contact_spin = tlwScale(tlwMulMat3(inverse_inertia, turn), 1 / dt);
    }
    for (int64_t n = tlwCountSceneBodies(bodies); n < world->body_count; n++) { // tlwExpectPieceContacts reads these
        kept[n].contact_impulse = world->bodies[n].contact_impulse;
        kept[n].contact_angular_impulse = world->bodies[n].contact_angular_impulse;
        kept[n].joint_impulse = world->bodies[n].joint_impulse;
        kept[n].joint_angular_impulse = world->bodies[n].joint_angular_impulse;
        kept[n].force = kept[n].torque = (tlwVec3){0, 0, 0};
    }
    memcpy(world->bodies, kept, bytes);
    tlwFree(kept);
    return result;
}

tlwResult tlwPredictBodies(tlwBodies *bodies, tlwPlacedMeshes *solids, double time, double dt,
                           tlwBodyCoupling *coupling)
{
    memset(coupling, 0, sizeof *coupling);
    if (!bodies->world)
        return TLW_OK;
    TLW_TRY(expectContacts(bodies, solids, time, dt));
    for (int n = 0; n < bodies->link_count; n++) {
        tlwBodyLink *link = &bodies->links[n];
        if (!link->rigid)
            continue;
        const tlwBody *body = &bodies->world->bodies[link->body];
        tlwPlacedMesh *solid = &solids->items[link->solid];
        tlwCoupledBody *coupled = tlwAddCoupledBody(coupling);
        if (!coupled)
            return tlwFailMemory(&bodies->context->message, "the rigid bodies");
        tlwPredictMotion(&link->solve, body->velocity, body->spin, outerPush(bodies, body, time, dt), dt);
        coupled->object = solid->object;
        coupled->inverse_mass = 1 / body->mass;
        coupled->inverse_inertia = tlwMat3Inverse(tlwRotateMat3(body->rotation, body->inertia));
        coupled->centre = body->position;
        coupled->volume = link->volume;
        coupled->contact_velocity = link->solve.contact_velocity;
        coupled->contact_spin = link->solve.contact_spin;
        coupled->velocity = link->solve.predicted_velocity;
        coupled->spin = link->solve.predicted_spin;
        solid->motion = (tlwMotion){body->position, coupled->velocity, coupled->spin};
    }
    return TLW_OK;
}

void tlwShowBodies(const tlwBodies *bodies, tlwPlacedMeshes *solids, const tlwBodyCoupling *coupling)
{
    int next = 0;
    for (int n = 0; n < bodies->link_count; n++) {
        if (!bodies->links[n].rigid)
            continue;
        const tlwCoupledBody *coupled = &coupling->bodies[next++];
        solids->items[bodies->links[n].solid].motion = (tlwMotion){coupled->centre, coupled->velocity, coupled->spin};
    }
}

void tlwFinishBodies(tlwBodies *bodies, double dt, const tlwBodyCoupling *coupling)
{
    int next = 0;
    for (int n = 0; n < bodies->link_count; n++) {
        tlwBodyLink *link = &bodies->links[n];
        if (!link->rigid)
            continue;
        const tlwCoupledBody *coupled = &coupling->bodies[next++];
        tlwFinishMotion(&link->solve, coupled->velocity, coupled->spin, dt);
    }
}
