#include "step/frozen_contact.h"

#include "base/memory.h"
#include "grid/sample.h"
#include "step/forces.h"

#include <string.h>

#define BALL 0.2     // cells: radius of a surface particle's ball
#define MARGIN 3     // cells that a field reaches beyond what may touch it
#define FRICTION 0.5 // of wax, ice and the like

typedef struct Box {
    tlwVec3 low, high;
    bool dynamic;
} Box;

// A step's colliders in the making.
typedef struct Place {
    const tlwPieceWorld *world;
    const tlwGrid *grid;
    double dt;
    tlwPieces *pieces;
    tlwPieceColliders *colliders;
    Box *boxes; // of the pieces, then of the moving bodies, each with its way over the step
    int box_count;
    double *reach;     // m, per piece: nearer solids may be touched
    int64_t *capacity; // of its balls
    uint8_t *is_ball;  // per particle, while balls are collected
} Place;

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

static bool overlap(const Box *a, const Box *b)
{
    return a->low.x < b->high.x && b->low.x < a->high.x && a->low.y < b->high.y && b->low.y < a->high.y &&
           a->low.z < b->high.z && b->low.z < a->high.z;
}

static bool isInside(const Box *box, tlwVec3 p)
{
    return p.x > box->low.x && p.x < box->high.x && p.y > box->low.y && p.y < box->high.y && p.z > box->low.z &&
           p.z < box->high.z;
}

static bool isFree(const tlwPiece *piece)
{
    return piece->object == TLW_NO_OBJECT;
}

// ---------------------------------------------------------------------------------------------------------------------
// What may touch what

static Box makeBox(tlwVec3 low, tlwVec3 high, double by, bool dynamic)
{
    tlwVec3 grow = {by, by, by};
    return (Box){tlwSub(low, grow), tlwAdd(high, grow), dynamic};
}

static double reachOf(const Place *p, const tlwPiece *piece)
{
    double radius = 0.5 * tlwLength(tlwSub(piece->high, piece->low)) + p->grid->dx;
    double speed = fmax(tlwLength(piece->velocity), isFree(piece) ? tlwLength(piece->free_velocity) : 0) +
                   fmax(tlwLength(piece->spin), isFree(piece) ? tlwLength(piece->free_spin) : 0) * radius;
    double gravity = tlwLength(p->world->solids->scene->def.gravity);
    return (speed + gravity * p->dt) * p->dt + p->grid->dx;
}

static void listBoxes(Place *p)
{
    const tlwRigidWorld *world = p->world->world;
    for (int n = 0; n < p->pieces->count; n++) {
        const tlwPiece *piece = &p->pieces->items[n];
        p->reach[n] = reachOf(p, piece);
        p->boxes[p->box_count++] = makeBox(piece->low, piece->high, p->reach[n] + 0.5 * p->grid->dx, isFree(piece));
    }
    for (int n = 0; n < p->world->first_body; n++) {
        const tlwBody *body = &world->bodies[n];
        if (!body->used || body->motion != TLW_MOTION_DYNAMIC || !body->collider)
            continue;
        tlwVec3 far =
            tlwMax3(tlwSub(body->collider->box_max, body->centre), tlwSub(body->centre, body->collider->box_min));
        double radius = tlwLength(far), speed = tlwLength(body->velocity) + tlwLength(body->spin) * radius;
        double gravity = tlwLength(p->world->solids->scene->def.gravity);
        p->boxes[p->box_count++] =
            makeBox(body->position, body->position, radius + (speed + gravity * p->dt) * p->dt + p->grid->dx, true);
    }
}

// Cells that a piece's field must cover: near everything that moves by itself and may touch it.
static bool fieldCells(const Place *p, int n, int low[3], int high[3])
{
    const tlwGrid *grid = p->grid;
    const Box *own = &p->boxes[n];
    Box need = {0};
    bool any = false;
    for (int m = 0; m < p->box_count; m++) {
        const Box *other = &p->boxes[m];
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
// Balls

// Sum of the directions in which cells around are not of the piece; zero inside it.
static tlwVec3 outwards(const Place *p, int64_t cell, int32_t label)
{
    const int32_t *labels = tlwGetInts(p->grid, p->world->flow->label);
    tlwVec3 sum = {0, 0, 0};
    for (int q = 0; q < 27; q++) {
        int di = q % 3 - 1, dj = q / 3 % 3 - 1, dk = q / 9 - 1;
        if (labels[cell + di + dj * p->grid->stride_y + dk * p->grid->stride_z] != label)
            sum = tlwAdd(sum, (tlwVec3){di, dj, dk});
    }
    return sum;
}

static bool atSurface(const Place *p, int64_t cell, int32_t label)
{
    const int32_t *labels = tlwGetInts(p->grid, p->world->flow->label);
    const int64_t stride[3] = {1, p->grid->stride_y, p->grid->stride_z};
    bool surface = labels[cell] != label;
    for (int n = 0; n < 6 && !surface; n++)
        surface = labels[cell + (n & 1 ? stride[n / 2] : -stride[n / 2])] != label;
    return surface;
}

// Whether a particle may touch anything in this step.
static bool mayTouch(const Place *p, int n, const float x[3], tlwVec3 world)
{
    double way = p->reach[n] + p->world->solids->max_speed * p->dt;
    if (way > (TLW_PHI_BAND - 1) * p->grid->dx ||
        tlwSampleNode(p->grid, tlwGetFloats(p->grid, p->world->flow->solid), x) < way)
        return true;
    for (int m = 0; m < p->box_count; m++)
        if (m != n && isInside(&p->boxes[m], world))
            return true;
    return false;
}

static tlwResult addBall(Place *p, int n, tlwVec3 world, tlwVec3 out)
{
    tlwCollider *c = p->colliders->items[n];
    int64_t count = c->ball_count;
    if (!tlwReserve((void **)&c->balls, &p->capacity[n], count + 1, sizeof *c->balls))
        return TLW_OUT_OF_MEMORY;
    tlwVec3 centre = tlwSub(world, p->pieces->items[n].centre);
    double radius = BALL * p->grid->dx;
    tlwVec3 normal = tlwDot(out, out) > 0 ? tlwNormalize(out) : (tlwVec3){0, 0, 0};
    c->balls[c->ball_count++] = (tlwSurfaceBall){centre, normal, radius, centre, radius};
    return TLW_OK;
}

// What a particle is to its piece.
enum { NO_BALL = 0, SURFACE_BALL = 1, DIPPED_BALL = 2 };

typedef struct Spot {
    int piece; // number
    int64_t cell;
    tlwVec3 world;
} Spot;

static int findBall(const Place *p, int64_t n, Spot *spot)
{
    const tlwParticles *q = p->world->particles;
    uint32_t id = tlwGetPieceId(q->frozen[n]);
    const tlwPiece *piece = id ? tlwFindPiece(p->pieces, id) : NULL;
    if (!piece || !isFree(piece))
        return NO_BALL;
    int c[3];
    float x[3] = {q->position[0][n], q->position[1][n], q->position[2][n]};
    // What has dipped into a side of the domain is what that side must push out, whichever way it faces.
    bool dipped = false;
    for (int a = 0; a < 3; a++) {
        c[a] = (int)tlwClamp(tlwFastFloor(x[a]), 0, p->grid->dims[a] - 1);
        dipped = dipped || x[a] < 0 || x[a] > (float)p->grid->dims[a];
    }
    if (tlwFindTile(p->grid, tlwFloorDiv(c[0], TLW_TILE), tlwFloorDiv(c[1], TLW_TILE), tlwFloorDiv(c[2], TLW_TILE)) < 0)
        return NO_BALL;
    spot->piece = (int)(piece - p->pieces->items);
    spot->cell = tlwCellIndex(p->grid, c[0], c[1], c[2]);
    spot->world = tlwMulAdd(p->grid->origin, p->grid->dx, (tlwVec3){x[0], x[1], x[2]});
    if (dipped)
        return DIPPED_BALL;
    return atSurface(p, spot->cell, spot->piece + 1) && mayTouch(p, spot->piece, x, spot->world) ? SURFACE_BALL
                                                                                                 : NO_BALL;
}

static void findBallsRange(void *context, int64_t begin, int64_t end)
{
    const Place *p = context;
    Spot spot;
    for (int64_t n = begin; n < end; n++)
        p->is_ball[n] = (uint8_t)findBall(p, n, &spot);
}

// Few particles are balls: all threads look for them, one adds them in order.
static tlwResult collectBalls(Place *p)
{
    int64_t count = p->world->particles->count;
    tlwResult result = TLW_OK;
    p->is_ball = tlwAlloc((size_t)count, 1);
    if (!p->is_ball)
        return TLW_OUT_OF_MEMORY;
    tlwParallelFor(p->world->context->threads, count, 4096, findBallsRange, p);
    for (int64_t n = 0; n < count && result == TLW_OK; n++) {
        Spot spot;
        if (!p->is_ball[n])
            continue;
        int kind = findBall(p, n, &spot);
        result = addBall(p, spot.piece, spot.world,
                         kind == DIPPED_BALL ? (tlwVec3){0, 0, 0} : outwards(p, spot.cell, spot.piece + 1));
    }
    tlwFree(p->is_ball);
    return result;
}

// ---------------------------------------------------------------------------------------------------------------------
// Bodies

static tlwResult makeCollider(Place *p, int n)
{
    const tlwPiece *piece = &p->pieces->items[n];
    tlwPieceField *field = &p->colliders->fields[n];
    int low[3], high[3];
    bool met = fieldCells(p, n, low, high);
    if (!met && !isFree(piece))
        return TLW_OK; // held, and nothing comes near
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

static tlwBody makeBody(const Place *p, int n)
{
    const tlwPiece *piece = &p->pieces->items[n];
    tlwBody body = tlwDefaultBody();
    body.name = "A frozen piece";
    body.collider = p->colliders->items[n];
    body.motion = isFree(piece) ? TLW_MOTION_DYNAMIC : TLW_MOTION_KINEMATIC;
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

// Slots of pieces that are no more, or that nothing comes near.
static void removeBodies(Place *p)
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

static tlwResult placeBodies(Place *p)
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
        tlwSetPredictedVelocity(world, piece->body, piece->free_velocity, piece->free_spin, p->dt);
    }
    return TLW_OK;
}

tlwResult tlwPlacePieces(const tlwPieceWorld *place, double dt, tlwPieces *pieces, tlwPieceColliders *colliders)
{
    memset(colliders, 0, sizeof *colliders);
    if (!place->world || !(dt > 0))
        return TLW_OK;
    size_t count = (size_t)pieces->count;
    Place p = {.world = place, .grid = &place->flow->grid, .dt = dt, .pieces = pieces, .colliders = colliders};
    colliders->items = tlwAlloc(count + 1, sizeof(tlwCollider *));
    colliders->fields = tlwAlloc(count + 1, sizeof *colliders->fields);
    colliders->count = pieces->count;
    p.boxes = tlwAlloc(count + (size_t)place->first_body + 1, sizeof *p.boxes);
    p.reach = tlwAlloc(count + 1, sizeof *p.reach);
    p.capacity = tlwAlloc(count + 1, sizeof *p.capacity);
    bool ok = colliders->items && colliders->fields && p.boxes && p.reach && p.capacity;
    tlwResult result = ok ? TLW_OK : TLW_OUT_OF_MEMORY;
    if (ok)
        listBoxes(&p);
    for (int n = 0; n < pieces->count && result == TLW_OK; n++)
        result = makeCollider(&p, n);
    if (result == TLW_OK && pieces->free_count)
        result = collectBalls(&p);
    if (result == TLW_OK) {
        removeBodies(&p);
        result = placeBodies(&p);
    }
    tlwFree(p.boxes);
    tlwFree(p.reach);
    tlwFree(p.capacity);
    return result == TLW_OUT_OF_MEMORY ? tlwFailMemory(&place->context->message, "the frozen pieces") : result;
}

// ---------------------------------------------------------------------------------------------------------------------
// Motion

static void moveHeld(const tlwSolids *solids, double time, double dt, tlwPiece *piece)
{
    piece->shift = (tlwVec3){0, 0, 0};
    piece->turn = (tlwQuat){1, 0, 0, 0};
    for (int n = 0; n < solids->count; n++) {
        const tlwSolid *solid = &solids->items[n];
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

// Velocities belong to the middle of the step: what touches nothing moves by the new one, where the world has moved it
// by the mean of old and new (see step/bodies.c).
static void moveFlying(const tlwBody *body, double dt, tlwPiece *piece)
{
    tlwVec3 more = tlwScale(tlwSub(piece->free_spin, piece->spin), 0.5 * dt);
    piece->turn = tlwQuatNormalize(tlwQuatMul(tlwQuatFromRotationVector(more), body->rotation));
    piece->shift = tlwScale(piece->free_velocity, dt);
    piece->velocity = piece->free_velocity;
    piece->spin = body->spin;
}

#define DEEPEST 0.2 // cells that a piece may dip into a closed side of the domain; beyond, its particles are held back

// Crumbs that contacts let sink into a side would be flattened there, particle by particle: they stay out as a whole.
static void keepOutOfWall(const tlwPieceWorld *place, int axis, double low, double high, double *shift, double *speed)
{
    const tlwSceneDef *def = &place->solids->scene->def;
    const tlwGrid *grid = &place->flow->grid;
    const double origin[3] = {grid->origin.x, grid->origin.y, grid->origin.z};
    double least = origin[axis] - DEEPEST * grid->dx, most = origin[axis] + (grid->dims[axis] + DEEPEST) * grid->dx;
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
        if (!isFree(piece)) {
            moveHeld(place->solids, time, dt, piece);
            continue;
        }
        if (!body) {
            piece->turn = (tlwQuat){1, 0, 0, 0};
            piece->shift = (tlwVec3){0, 0, 0};
            continue;
        }
        if (!isTouched(body)) {
            moveFlying(body, dt, piece);
        } else {
            piece->shift = tlwSub(body->position, piece->centre);
            piece->turn = body->rotation;
            piece->velocity = body->velocity;
            piece->spin = body->spin;
        }
        keepOutOfWalls(place, piece);
        body->position = body->next_position = tlwAdd(piece->centre, piece->shift);
        body->rotation = body->next_rotation = piece->turn;
        body->velocity = body->solved_velocity = piece->velocity;
        body->spin = body->solved_spin = piece->spin;
    }
}

static double lesser(double a, double b)
{
    return a * b <= 0 ? 0 : fabs(a) < fabs(b) ? a : b;
}

// The blow of an impact is not taken for a force that stays (see step/bodies.h).
static tlwVec3 lasting(const tlwVec3 last[2])
{
    return (tlwVec3){lesser(last[0].x, last[1].x), lesser(last[0].y, last[1].y), lesser(last[0].z, last[1].z)};
}

void tlwPushPieces(const tlwPieceWorld *place, double time, double dt, tlwPieces *pieces)
{
    const tlwScene *scene = place->solids->scene;
    for (int n = 0; n < pieces->count; n++) {
        tlwPiece *piece = &pieces->items[n];
        if (!place->world || piece->body < 0 || !isFree(piece))
            continue;
        tlwVec3 push = tlwGetAcceleration(scene, time, dt, piece->centre, piece->velocity);
        push = tlwAdd(push, lasting(piece->push));
        tlwSetPredictedVelocity(place->world, piece->body, tlwMulAdd(piece->velocity, dt, push),
                                tlwMulAdd(piece->spin, dt, lasting(piece->turning)), dt);
    }
}

void tlwExpectPieceContacts(const tlwPieceWorld *place, double dt, tlwPieces *pieces)
{
    for (int n = 0; n < pieces->count; n++) {
        tlwPiece *piece = &pieces->items[n];
        tlwBody *body = place->world && piece->body >= 0 ? &place->world->bodies[piece->body] : NULL;
        piece->contact_velocity = piece->contact_spin = (tlwVec3){0, 0, 0};
        if (!body)
            continue;
        body->collider = NULL; // it goes with the step
        if (!isFree(piece))
            continue;
        tlwMat3 inverse_inertia = tlwMat3Inverse(tlwRotateMat3(body->rotation, body->inertia));
        piece->contact_velocity = tlwScale(body->contact_impulse, 1 / (body->mass * dt));
        piece->contact_spin = tlwScale(tlwMulMat3(inverse_inertia, body->contact_angular_impulse), 1 / dt);
    }
}
