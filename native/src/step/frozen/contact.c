#include "step/frozen/contact.h"

#include "base/context.h"
#include "base/memory.h"
#include "scene/scene.h"
#include "step/frozen/balls.h"
#include "step/liquid/forces.h"

#include <string.h>

#define MARGIN 3     // cells that a field reaches beyond the boxes of what may touch it
#define FRICTION 0.5 // of wax, ice and the like

void tlwFreePieceColliders(tlwPieceColliders *colliders)
{
    for (int n = 0; n < colliders->count; n++) {
        if (colliders->items)
            tlwDestroyCollider(colliders->items[n]);
        if (colliders->fields)
            tlwFreePieceField(&colliders->fields[n]);
    }
    tlwFree(colliders->items);
    tlwFree(colliders->fields);
    memset(colliders, 0, sizeof *colliders);
}

static bool overlap(const tlwPieceBox *a, const tlwPieceBox *b)
{
    return a->low.x < b->high.x && b->low.x < a->high.x && a->low.y < b->high.y && b->low.y < a->high.y &&
           a->low.z < b->high.z && b->low.z < a->high.z;
}

// ---------------------------------------------------------------------------------------------------------------------
// What may touch what

static tlwPieceBox makeBox(tlwVec3 low, tlwVec3 high, double by, bool dynamic)
{
    tlwVec3 grow = {by, by, by};
    return (tlwPieceBox){tlwSub(low, grow), tlwAdd(high, grow), dynamic};
}

static double reachOf(const tlwPiecePlace *p, const tlwPiece *piece)
{
    double radius = 0.5 * tlwLength(tlwSub(piece->high, piece->low)) + p->grid->dx;
    double speed = fmax(tlwLength(piece->velocity), tlwIsFreePiece(piece) ? tlwLength(piece->solve.free_velocity) : 0) +
                   fmax(tlwLength(piece->spin), tlwIsFreePiece(piece) ? tlwLength(piece->solve.free_spin) : 0) * radius;
    double gravity = tlwLength(p->world->solids->scene->gravity);
    return (speed + gravity * p->dt) * p->dt + p->grid->dx;
}

static void listBoxes(tlwPiecePlace *p)
{
    const tlwRigidWorld *world = p->world->world;
    for (int n = 0; n < p->pieces->count; n++) {
        const tlwPiece *piece = &p->pieces->items[n];
        p->reach[n] = reachOf(p, piece);
        p->boxes[p->box_count++] =
            makeBox(piece->low, piece->high, p->reach[n] + 0.5 * p->grid->dx, tlwIsFreePiece(piece));
    }
    for (int n = 0; n < p->world->first_body; n++) {
        const tlwBody *body = &world->bodies[n];
        if (!body->used || body->motion != TLW_MOTION_DYNAMIC || !body->collider)
            continue;
        tlwVec3 far =
            tlwMax3(tlwSub(body->collider->box_max, body->centre), tlwSub(body->centre, body->collider->box_min));
        double radius = tlwLength(far), speed = tlwLength(body->velocity) + tlwLength(body->spin) * radius;
        double gravity = tlwLength(p->world->solids->scene->gravity);
        p->boxes[p->box_count++] =
            makeBox(body->position, body->position, radius + (speed + gravity * p->dt) * p->dt + p->grid->dx, true);
    }
}

// Cells that a piece's field must cover: where moving things may touch it.
static bool fieldCells(const tlwPiecePlace *p, int n, int low[3], int high[3])
{
    const tlwGrid *grid = p->grid;
    const tlwPieceBox *own = &p->boxes[n];
    tlwPieceBox need = {0};
    bool any = false;
    for (int m = 0; m < p->box_count; m++) {
        const tlwPieceBox *other = &p->boxes[m];
        if (m == n || (!other->dynamic && !own->dynamic) || !overlap(own, other))
            continue;
        need.low = any ? tlwMin3(need.low, other->low) : other->low;
        need.high = any ? tlwMax3(need.high, other->high) : other->high;
        any = true;
    }
    need.low = tlwScale(tlwSub(tlwMax3(need.low, own->low), grid->origin), 1 / grid->dx);
    need.high = tlwScale(tlwSub(tlwMin3(need.high, own->high), grid->origin), 1 / grid->dx);
    const double from[3] = {need.low.x, need.low.y, need.low.z}, to[3] = {need.high.x, need.high.y, need.high.z};
    for (int a = 0; a < 3 && any; a++) {
        low[a] = (int)floor(from[a]) - MARGIN;
        high[a] = (int)ceil(to[a]) + MARGIN;
    }
    return any;
}

// ---------------------------------------------------------------------------------------------------------------------
// Bodies

static tlwResult makeCollider(tlwPiecePlace *p, int n)
{
    const tlwPiece *piece = &p->pieces->items[n];
    tlwPieceField *field = &p->colliders->fields[n];
    int low[3], high[3];
    bool met = fieldCells(p, n, low, high);
    if (!met && !tlwIsFreePiece(piece))
        return TLW_OK; // held, and nothing may touch it
    if (met)
        TLW_TRY(tlwBuildPieceField(p->grid, p->world->particles, p->world->solids->scene->materials, piece->id,
                                   piece->centre, low, high, field));
    tlwCollider *c = tlwAlloc(1, sizeof *c);
    p->colliders->items[n] = c;
    if (!c)
        return TLW_OUT_OF_MEMORY;
    tlwVec3 half = {0.5 * p->grid->dx, 0.5 * p->grid->dx, 0.5 * p->grid->dx};
    c->sample = tlwSamplePieceField;
    c->user = field;
    c->box_min = tlwSub(tlwSub(piece->low, half), piece->centre);
    c->box_max = tlwSub(tlwAdd(piece->high, half), piece->centre);
    tlwVec3 side = tlwSub(c->box_max, c->box_min);
    c->size = fmin(side.x, fmin(side.y, side.z));
    c->band = MARGIN * p->grid->dx;
    c->rough = true;
    return TLW_OK;
}

static tlwBody makeBody(const tlwPiecePlace *p, int n)
{
    const tlwPiece *piece = &p->pieces->items[n];
    tlwBody body = tlwDefaultBody();
    body.name = "A frozen piece";
    body.collider = p->colliders->items[n];
    body.motion = tlwIsFreePiece(piece) ? TLW_MOTION_DYNAMIC : TLW_MOTION_KINEMATIC;
    body.mass = piece->mass;
    body.inertia = piece->inertia;
    body.position = body.next_position = piece->centre;
    body.next_rotation = body.rotation;
    body.velocity = body.solved_velocity = piece->velocity;
    body.spin = body.solved_spin = piece->spin;
    body.gravity_scale = 0;
    body.friction = FRICTION;
    body.used = true;
    return body;
}

// Remove bodies of pieces that no longer exist or that nothing may touch.
static void removeBodies(tlwPiecePlace *p)
{
    tlwRigidWorld *world = p->world->world;
    for (int n = 0; n < p->pieces->count; n++)
        if (!p->colliders->items[n])
            p->pieces->items[n].body = -1;
    for (int slot = p->world->first_body; slot < world->body_count; slot++) {
        bool wanted = false;
        for (int n = 0; n < p->pieces->count && !wanted; n++)
            wanted = p->pieces->items[n].body == slot;
        if (world->bodies[slot].used && !wanted)
            tlwRemoveRigidBody(world, slot);
    }
}

static tlwResult placeBodies(tlwPiecePlace *p)
{
    tlwRigidWorld *world = p->world->world;
    tlwMessage *message = &p->world->context->message;
    for (int n = 0; n < p->pieces->count; n++) {
        tlwPiece *piece = &p->pieces->items[n];
        if (!p->colliders->items[n])
            continue;
        TLW_TRY(tlwClusterBalls(p->colliders->items[n], message));
        tlwBody body = makeBody(p, n);
        if (piece->body < 0)
            TLW_TRY(tlwAddRigidBody(world, &body, &piece->body, message));
        else
            world->bodies[piece->body] = body;
        tlwSetPredictedVelocity(world, piece->body, piece->solve.free_velocity, piece->solve.free_spin, p->dt);
    }
    return TLW_OK;
}

tlwResult tlwPlacePieces(const tlwPieceWorld *place, double dt, tlwPieces *pieces, tlwPieceColliders *colliders)
{
    memset(colliders, 0, sizeof *colliders);
    if (!place->world || !(dt > 0))
        return TLW_OK;
    size_t count = (size_t)pieces->count;
    tlwPiecePlace p = {.world = place, .grid = &place->flow->grid, .dt = dt, .pieces = pieces, .colliders = colliders};
    colliders->items = tlwAlloc(count + 1, sizeof(tlwCollider *));
    colliders->fields = tlwAlloc(count + 1, sizeof *colliders->fields);
    colliders->count = pieces->count;
    p.boxes = tlwAlloc(count + (size_t)place->first_body + 1, sizeof *p.boxes);
    p.reach = tlwAlloc(count + 1, sizeof *p.reach);
    bool ok = colliders->items && colliders->fields && p.boxes && p.reach;
    tlwResult result = ok ? TLW_OK : TLW_OUT_OF_MEMORY;
    if (ok)
        listBoxes(&p);
    for (int n = 0; n < pieces->count && result == TLW_OK; n++)
        result = makeCollider(&p, n);
    if (result == TLW_OK && pieces->free_count)
        result = tlwCollectBalls(&p);
    if (result == TLW_OK) {
        removeBodies(&p);
        result = placeBodies(&p);
    }
    tlwFree(p.boxes);
    tlwFree(p.reach);
    return result == TLW_OUT_OF_MEMORY ? tlwFailMemory(&place->context->message, "the frozen pieces") : result;
}

// ---------------------------------------------------------------------------------------------------------------------
// Motion

static void moveHeld(const tlwPlacedMeshes *solids, double time, double dt, tlwPiece *piece)
{
    piece->shift = (tlwVec3){0, 0, 0};
    piece->turn = (tlwQuat){1, 0, 0, 0};
    for (int n = 0; n < solids->count; n++) {
        const tlwPlacedMesh *solid = &solids->items[n];
        if (solid->object != piece->object || !solid->moves || solid->vertex_velocity)
            continue;
        const tlwObjectDef *def = &solids->scene->objects[solid->object].def;
        tlwKey from = tlwSampleKeys(def->keys, def->key_count, time),
               to = tlwSampleKeys(def->keys, def->key_count, time + dt);
        piece->turn = tlwQuatNormalize(tlwQuatMul(to.rotation, tlwQuatConjugate(from.rotation)));
        tlwVec3 arm = tlwRotate(piece->turn, tlwSub(piece->centre, from.position));
        piece->shift = tlwSub(tlwAdd(to.position, arm), piece->centre);
    }
}

static bool isTouched(const tlwBody *body)
{
    return tlwLength(body->contact_impulse) + tlwLength(body->contact_angular_impulse) > 0;
}

// Velocities belong to the middle of the step, so a piece that touches nothing moves by the new one. The world has
// moved it by the mean of old and new (see step/bodies/bodies.c).
static void moveFlying(const tlwBody *body, double dt, tlwPiece *piece)
{
    tlwVec3 more = tlwScale(tlwSub(piece->solve.free_spin, piece->spin), 0.5 * dt);
    piece->turn = tlwQuatNormalize(tlwQuatMul(tlwQuatFromRotationVector(more), body->rotation));
    piece->shift = tlwScale(piece->solve.free_velocity, dt);
    piece->velocity = piece->solve.free_velocity;
    piece->spin = body->spin;
}

#define DEEPEST 0.2 // cells that a piece may sink into a closed side of the domain
// back one by one, and the piece flattened.
static void keepOutOfWall(const tlwPieceWorld *place, int axis, double low, double high, double *shift, double *speed)
{
    const tlwSceneDef *def = &place->solids->scene->def;
    const tlwGrid *grid = &place->flow->grid;
    const double origin[3] = {grid->origin.x, grid->origin.y, grid->origin.z};
    double least = origin[axis] - DEEPEST * grid->dx, most = origin[axis] + (grid->extent[axis] + DEEPEST) * grid->dx;
    if (def->walls[2 * axis] != TLW_WALL_OPEN && low + *shift < least) {
        *shift = least - low;
        *speed = fmax(*speed, 0);
    } else if (def->walls[2 * axis + 1] != TLW_WALL_OPEN && high + *shift > most) {
        *shift = most - high;
        *speed = fmin(*speed, 0);
    }
}

static void keepOutOfWalls(const tlwPieceWorld *place, tlwPiece *piece)
{
    keepOutOfWall(place, 0, piece->low.x, piece->high.x, &piece->shift.x, &piece->velocity.x);
    keepOutOfWall(place, 1, piece->low.y, piece->high.y, &piece->shift.y, &piece->velocity.y);
    keepOutOfWall(place, 2, piece->low.z, piece->high.z, &piece->shift.z, &piece->velocity.z);
}

void tlwTakePieceMotion(const tlwPieceWorld *place, double time, double dt, tlwPieces *pieces)
{
    for (int n = 0; n < pieces->count; n++) {
        tlwPiece *piece = &pieces->items[n];
        tlwBody *body = place->world && piece->body >= 0 ? &place->world->bodies[piece->body] : NULL;
        if (!tlwIsFreePiece(piece)) {
            moveHeld(place->solids, time, dt, piece);
            continue;
        }
        if (!body) {
            piece->turn = (tlwQuat){1, 0, 0, 0};
            piece->shift = (tlwVec3){0, 0, 0};
            continue;
        }
        bool bonded = piece->bonded != TLW_NO_OBJECT; // it moves exactly as its body does
        if (!isTouched(body) && !bonded) {
            moveFlying(body, dt, piece);
        } else {
            piece->shift = tlwSub(body->position, piece->centre);
            piece->turn = body->rotation;
            piece->velocity = body->velocity;
            piece->spin = body->spin;
        }
        if (!bonded)
            keepOutOfWalls(place, piece);
        body->position = body->next_position = tlwAdd(piece->centre, piece->shift);
        body->rotation = body->next_rotation = piece->turn;
        body->velocity = body->solved_velocity = piece->velocity;
        body->spin = body->solved_spin = piece->spin;
    }
}

void tlwPushPieces(const tlwPieceWorld *place, double time, double dt, tlwPieces *pieces)
{
    const tlwScene *scene = place->solids->scene;
    for (int n = 0; n < pieces->count; n++) {
        tlwPiece *piece = &pieces->items[n];
        if (!place->world || piece->body < 0 || !tlwIsFreePiece(piece))
            continue;
        tlwVec3 push = tlwGetAcceleration(scene, time, dt, piece->centre, piece->velocity);
        push = tlwAdd(push, tlwGetLasting(piece->solve.push));
        tlwSetPredictedVelocity(place->world, piece->body, tlwMulAdd(piece->velocity, dt, push),
                                tlwMulAdd(piece->spin, dt, tlwGetLasting(piece->solve.turn)), dt);
    }
}

void tlwExpectPieceContacts(const tlwPieceWorld *place, double dt, tlwPieces *pieces)
{
    for (int n = 0; n < pieces->count; n++) {
        tlwPiece *piece = &pieces->items[n];
        tlwBody *body = place->world && piece->body >= 0 ? &place->world->bodies[piece->body] : NULL;
        piece->solve.contact_velocity = piece->solve.contact_spin = (tlwVec3){0, 0, 0};
        if (!body)
            continue;
        body->collider = NULL; // it lives for one step only
        if (!tlwIsFreePiece(piece))
            continue;
        tlwMat3 inverse_inertia = tlwMat3Inverse(tlwRotateMat3(body->rotation, body->inertia));
        tlwVec3 push = tlwAdd(body->contact_impulse, body->joint_impulse);
        tlwVec3 turn = tlwAdd(body->contact_angular_impulse, body->joint_angular_impulse);
        piece->solve.contact_velocity = tlwScale(push, 1 / (body->mass * dt));
        piece->solve.contact_spin = tlwScale(tlwMulMat3(inverse_inertia, turn), 1 / dt);
    }
}
