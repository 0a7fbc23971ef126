#include "step/frozen/motion.h"

#include "base/context.h"
#include "base/memory.h"
#include "shape/affine.h"
#include "step/frozen/air.h"
#include "step/frozen/identity.h"
#include "step/frozen/pieces.h"
#include "step/liquid/forces.h"

#include <string.h>

// ---------------------------------------------------------------------------------------------------------------------
// Mass and motion of the particles

typedef struct Sums {
    double mass, own;          // kg; kg m2: inertia of the particles about their own centres, on each axis
    tlwVec3 moment;            // about the grid's origin, like all that follows
    double square[6];          // xx yy zz xy xz yz
    tlwVec3 momentum, angular; // kg m/s, kg m2/s
    tlwVec3 low, high;
    int64_t particles;
} Sums;

static void addParticle(const tlwGrid *grid, const tlwParticles *q, int64_t n, Sums *s)
{
    double m = q->mass[n], dx = grid->dx, own = m * dx * dx / 24; // a cube half a cell wide
    double x[3] = {q->position[0][n] * dx, q->position[1][n] * dx, q->position[2][n] * dx};
    tlwVec3 r = {x[0], x[1], x[2]}, v = {q->velocity[0][n], q->velocity[1][n], q->velocity[2][n]};
    float a[9];
    tlwGetAffine(q, n, a);
    tlwVec3 curl = {a[7] - a[5], a[2] - a[6], a[3] - a[1]};
    s->mass += m;
    s->own += own;
    s->moment = tlwMulAdd(s->moment, m, r);
    s->momentum = tlwMulAdd(s->momentum, m, v);
    s->angular = tlwAdd(s->angular, tlwMulAdd(tlwScale(curl, 0.5 * own), m, tlwCross(r, v)));
    for (int a = 0; a < 3; a++)
        s->square[a] += m * x[a] * x[a];
    s->square[3] += m * x[0] * x[1];
    s->square[4] += m * x[0] * x[2];
    s->square[5] += m * x[1] * x[2];
    s->low = s->particles ? tlwMin3(s->low, r) : r;
    s->high = s->particles ? tlwMax3(s->high, r) : r;
    s->particles++;
}

static void addSums(const Sums *from, Sums *s)
{
    if (!from->particles)
        return;
    s->low = s->particles ? tlwMin3(s->low, from->low) : from->low;
    s->high = s->particles ? tlwMax3(s->high, from->high) : from->high;
    s->particles += from->particles;
    s->mass += from->mass;
    s->own += from->own;
    s->moment = tlwAdd(s->moment, from->moment);
    s->momentum = tlwAdd(s->momentum, from->momentum);
    s->angular = tlwAdd(s->angular, from->angular);
    for (int n = 0; n < 6; n++)
        s->square[n] += from->square[n];
}

static void finishPiece(const tlwGrid *grid, const Sums *s, tlwPiece *piece)
{
    piece->mass = s->mass;
    piece->particles = s->particles;
    piece->low = s->low;
    piece->high = s->high;
    if (!(s->mass > 0)) { // the piece has cells but no particles; nothing moves it
        piece->mass = 1e-30;
        piece->inertia = (tlwMat3){{{1e-30, 0, 0}, {0, 1e-30, 0}, {0, 0, 1e-30}}};
        return;
    }
    tlwVec3 c = tlwScale(s->moment, 1 / s->mass);
    double xx = s->square[0] - s->mass * c.x * c.x, yy = s->square[1] - s->mass * c.y * c.y,
           zz = s->square[2] - s->mass * c.z * c.z, xy = s->square[3] - s->mass * c.x * c.y,
           xz = s->square[4] - s->mass * c.x * c.z, yz = s->square[5] - s->mass * c.y * c.z;
    piece->inertia =
        (tlwMat3){{{yy + zz + s->own, -xy, -xz}, {-xy, xx + zz + s->own, -yz}, {-xz, -yz, xx + yy + s->own}}};
    piece->velocity = tlwScale(s->momentum, 1 / s->mass);
    piece->spin = tlwMulMat3(tlwMat3Inverse(piece->inertia), tlwSub(s->angular, tlwCross(c, s->momentum)));
    piece->centre = tlwAdd(grid->origin, c);
    piece->low = tlwAdd(grid->origin, piece->low);
    piece->high = tlwAdd(grid->origin, piece->high);
}

// Particles are summed in a fixed number of parts, whatever the number of threads. With many pieces the sums of several
// parts would need much memory, so there is one part.
#define PARTS 16
#define MANY_PIECES 2000

typedef struct Measure {
    const tlwGrid *grid;
    const tlwParticles *particles;
    const int32_t *member;
    int pieces;
    int64_t share; // particles of a part
    Sums *sums;    // of every piece, part by part
} Measure;

static void measureRange(void *context, int64_t begin, int64_t end)
{
    const Measure *m = context;
    for (int64_t part = begin; part < end; part++) {
        Sums *sums = m->sums + part * m->pieces;
        int64_t last = (part + 1) * m->share < m->particles->count ? (part + 1) * m->share : m->particles->count;
        for (int64_t n = part * m->share; n < last; n++)
            if (m->member[n])
                addParticle(m->grid, m->particles, n, &sums[m->member[n] - 1]);
    }
}

tlwResult tlwMeasurePieces(tlwThreads *threads, const tlwGrid *grid, const tlwParticles *particles,
                           const int32_t *member, tlwPieces *pieces)
{
    int parts = pieces->count < MANY_PIECES ? PARTS : 1;
    Measure m = {grid,
                 particles,
                 member,
                 pieces->count,
                 (particles->count + parts - 1) / parts,
                 tlwAlloc((size_t)pieces->count * (size_t)parts + 1, sizeof(Sums))};
    if (!m.sums)
        return TLW_OUT_OF_MEMORY;
    tlwParallelFor(threads, parts, 1, measureRange, &m);
    for (int n = 0; n < pieces->count; n++) {
        for (int part = 1; part < parts; part++)
            addSums(&m.sums[part * pieces->count + n], &m.sums[n]);
        finishPiece(grid, &m.sums[n], &pieces->items[n]);
    }
    tlwFree(m.sums);
    return TLW_OK;
}

// ---------------------------------------------------------------------------------------------------------------------
// Faces

typedef struct Faces {
    tlwFlow *flow;
    const int32_t *labels;
    const tlwMotion *motions; // per label
    bool close, solid, velocity;
    bool dry; // leave cut cells alone
} Faces;

static tlwVec3 faceCentre(const tlwGrid *grid, const tlwTile *tile, int axis, int i, int64_t j, int k)
{
    tlwVec3 p = {tile->cell[0] + i + (axis == 0 ? 0 : 0.5), (double)j + (axis == 1 ? 0 : 0.5),
                 k + (axis == 2 ? 0 : 0.5)};
    return tlwMulAdd(grid->origin, grid->dx, p);
}

static double along(tlwVec3 v, int axis)
{
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

// Faces of labelled cells take their piece's motion.
static void faceRange(void *context, int64_t begin, int64_t end)
{
    const Faces *f = context;
    tlwGrid *grid = &f->flow->grid;
    const int32_t *cover = tlwGetInts(grid, f->flow->cover);
    int64_t stride[3] = {1, grid->stride_y, grid->stride_z};
    for (int64_t t = begin; t < end; t++) {
        const tlwTile *tile = &grid->tiles[t];
        for (int a = 0; a < 3; a++) {
            float *open = tlwGetFloats(grid, f->flow->open[a]), *solid = tlwGetFloats(grid, f->flow->solid_velocity[a]),
                  *velocity = tlwGetFloats(grid, f->flow->velocity[a]);
            TLW_FOR_ROWS(grid, tile, j, k, row)
                for (int i = 0; i < TLW_TILE; i++) {
                    int64_t c = row + i;
                    int label = f->labels[c] ? f->labels[c] : f->labels[c - stride[a]];
                    int cut = cover[c] ? cover[c] : cover[c - stride[a]];
                    if (f->dry ? !label || cut : !label && !cut)
                        continue;
                    bool shared = cut && (!label || label == cut); // open in part
                    label = label ? label : cut;
                    const tlwMotion *m = &f->motions[label - 1];
                    tlwVec3 r = tlwSub(faceCentre(grid, tile, a, i, j, k), m->origin);
                    float v = (float)along(tlwAdd(m->velocity, tlwCross(m->spin, r)), a);
                    if (f->close && !shared)
                        open[c] = 0;
                    if (f->solid)
                        solid[c] = v;
                    if (f->velocity && !(shared && open[c] > 0))
                        velocity[c] = v;
                }
        }
    }
}

// Null when memory is out: callers then leave the faces as they are, and the step fails elsewhere.
static tlwMotion *listMotions(const tlwPieces *pieces)
{
    tlwMotion *motions = tlwAlloc((size_t)pieces->count + 1, sizeof *motions);
    for (int n = 0; motions && n < pieces->count; n++)
        motions[n] = (tlwMotion){pieces->items[n].centre, pieces->items[n].velocity, pieces->items[n].spin};
    return motions;
}

void tlwClosePieceFaces(tlwContext *context, tlwFlow *flow, const tlwPieces *pieces)
{
    tlwMotion *motions = listMotions(pieces);
    Faces f = {.flow = flow, .labels = tlwGetInts(&flow->grid, flow->label), .motions = motions};
    f.close = f.solid = true;
    if (pieces->count && motions)
        tlwParallelFor(context->threads, flow->grid.tile_count, TLW_TILE_BLOCK, faceRange, &f);
    tlwFree(motions);
}

// ---------------------------------------------------------------------------------------------------------------------
// Pressure

static tlwPiece *pieceOf(const tlwPieces *pieces, const tlwCoupledBody *body)
{
    int number = body->object - TLW_PIECE_KEY(1);
    return number >= 0 && number < pieces->count ? &pieces->items[number] : NULL;
}

// Motions of all pieces: as the solve left them where they were coupled.
static tlwMotion *listCoupled(const tlwPieces *pieces, const tlwBodyCoupling *coupling)
{
    tlwMotion *motions = listMotions(pieces);
    for (int b = 0; motions && b < coupling->count; b++) {
        const tlwCoupledBody *body = &coupling->bodies[b];
        const tlwPiece *piece = pieceOf(pieces, body);
        if (piece)
            motions[piece - pieces->items] = (tlwMotion){body->centre, body->velocity, body->spin};
    }
    return motions;
}

tlwResult tlwCouplePieces(tlwContext *context, const tlwScene *scene, double time, double dt, tlwFlow *flow,
                          tlwPieces *pieces, tlwBodyCoupling *coupling)
{
    if (!pieces->free_count)
        return TLW_OK;
    for (int n = 0; n < pieces->count; n++) {
        tlwPiece *piece = &pieces->items[n];
        if (piece->object != TLW_NO_OBJECT)
            continue;
        tlwCoupledBody *body = tlwAddCoupledBody(coupling);
        if (!body)
            return tlwFailMemory(&context->message, "the frozen pieces");
        tlwVec3 push = tlwGetAcceleration(scene, time, dt, piece->centre, piece->velocity);
        tlwPredictMotion(&piece->solve, piece->velocity, piece->spin, push, dt);
        *body = (tlwCoupledBody){.object = TLW_PIECE_KEY(n + 1),
                                 .inverse_mass = 1 / piece->mass,
                                 .inverse_inertia = tlwMat3Inverse(piece->inertia),
                                 .centre = piece->centre,
                                 .velocity = piece->solve.predicted_velocity,
                                 .spin = piece->solve.predicted_spin};
    }
    tlwMotion *motions = listCoupled(pieces, coupling);
    if (!motions)
        return tlwFailMemory(&context->message, "the frozen pieces");
    Faces f = {.flow = flow, .labels = tlwGetInts(&flow->grid, flow->label), .motions = motions, .solid = true};
    tlwParallelFor(context->threads, flow->grid.tile_count, TLW_TILE_BLOCK, faceRange, &f);
    tlwFree(motions);
    return TLW_OK;
}

void tlwMovePieces(tlwContext *context, double dt, tlwFlow *flow, tlwPieces *pieces, const tlwBodyCoupling *coupling)
{
    if (!pieces->count)
        return;
    for (int b = 0; b < coupling->count; b++) {
        const tlwCoupledBody *body = &coupling->bodies[b];
        tlwPiece *piece = pieceOf(pieces, body);
        if (!piece)
            continue;
        tlwFinishMotion(&piece->solve, body->velocity, body->spin, dt);
    }
    tlwMotion *motions = listCoupled(pieces, coupling);
    Faces f = {.flow = flow, .labels = tlwGetInts(&flow->grid, flow->label), .motions = motions};
    f.solid = f.velocity = true;
    if (motions)
        tlwParallelFor(context->threads, flow->grid.tile_count, TLW_TILE_BLOCK, faceRange, &f);
    tlwFree(motions);
}

// ---------------------------------------------------------------------------------------------------------------------
// Particles

typedef struct Carry {
    const tlwGrid *grid;
    const tlwPieces *pieces;
    const tlwMotion *motions; // motions for the particles, about the place of the piece at that time
    tlwParticles *particles;
    bool move;
} Carry;

static void setMotion(tlwParticles *q, int64_t n, const tlwMotion *m, tlwVec3 r)
{
    tlwVec3 v = tlwAdd(m->velocity, tlwCross(m->spin, r));
    const float velocity[3] = {(float)v.x, (float)v.y, (float)v.z};
    for (int a = 0; a < 3; a++)
        q->velocity[a][n] = velocity[a];
    tlwSetSpin(q, n, m->spin);
}

static void carryRange(void *context, int64_t begin, int64_t end)
{
    const Carry *c = context;
    tlwParticles *q = c->particles;
    double dx = c->grid->dx;
    for (int64_t n = begin; n < end; n++) {
        uint32_t id = tlwGetPieceId(q->frozen[n]);
        const tlwPiece *piece = id ? tlwFindPiece(c->pieces, id) : NULL;
        if (!piece)
            continue;
        tlwVec3 x = tlwMulAdd(c->grid->origin, dx, (tlwVec3){q->position[0][n], q->position[1][n], q->position[2][n]});
        tlwVec3 r = tlwSub(x, piece->centre);
        if (c->move) {
            bool turned = piece->turn.x != 0 || piece->turn.y != 0 || piece->turn.z != 0;
            tlwVec3 to = turned ? tlwRotate(piece->turn, r) : r, way = tlwAdd(piece->shift, tlwSub(to, r));
            // The path is added to the present place, so that a piece at rest does not change by rounding.
            q->position[0][n] = (float)(q->position[0][n] + way.x / dx);
            q->position[1][n] = (float)(q->position[1][n] + way.y / dx);
            q->position[2][n] = (float)(q->position[2][n] + way.z / dx);
            r = to;
        }
        setMotion(q, n, &c->motions[piece - c->pieces->items], r);
    }
}

void tlwUpdatePieceParticles(tlwThreads *threads, const tlwFlow *flow, const tlwPieces *pieces,
                             const tlwBodyCoupling *coupling, tlwParticles *particles)
{
    tlwMotion *motions = pieces->count ? listCoupled(pieces, coupling) : NULL;
    Carry c = {.grid = &flow->grid, .pieces = pieces, .motions = motions, .particles = particles};
    if (motions)
        tlwParallelFor(threads, particles->count, 4096, carryRange, &c);
    tlwFree(motions);
}

// Write the motion over the step to the faces of pieces, and a few cells into the air.
static tlwResult showMotion(tlwContext *context, const tlwMotion *motions, const tlwParticles *particles, tlwFlow *flow)
{
    int labels;
    TLW_TRY(tlwSpreadPieceLabels(context, particles, flow, &labels));
    Faces f = {
        .flow = flow, .labels = tlwGetInts(&flow->grid, labels), .motions = motions, .velocity = true, .dry = true};
    tlwParallelFor(context->threads, flow->grid.tile_count, TLW_TILE_BLOCK, faceRange, &f);
    tlwReturnField(&flow->grid, labels);
    return TLW_OK;
}

tlwResult tlwCarryPieces(tlwContext *context, double dt, tlwFlow *flow, tlwPieces *pieces, tlwParticles *particles)
{
    if (!pieces->count || !(dt > 0))
        return TLW_OK;
    tlwMotion *after = listMotions(pieces), *mean = listMotions(pieces);
    tlwResult result = after && mean ? TLW_OK : tlwFailMemory(&context->message, "the frozen pieces");
    for (int n = 0; mean && result == TLW_OK && n < pieces->count; n++) {
        const tlwPiece *piece = &pieces->items[n];
        mean[n] = (tlwMotion){tlwMulAdd(piece->centre, 0.5, piece->shift), tlwScale(piece->shift, 1 / dt),
                              tlwScale(tlwRotationVectorFromQuat(piece->turn), 1 / dt)};
    }
    if (result == TLW_OK) // also for pieces at rest: moving air beside them would carry their surface off
        result = showMotion(context, mean, particles, flow);
    if (result == TLW_OK) {
        Carry c = {&flow->grid, pieces, after, particles, true};
        tlwParallelFor(context->threads, particles->count, 4096, carryRange, &c);
    }
    for (int n = 0; result == TLW_OK && n < pieces->count; n++) {
        tlwPiece *piece = &pieces->items[n];
        piece->centre = tlwAdd(piece->centre, piece->shift);
        piece->low = tlwAdd(piece->low, piece->shift);
        piece->high = tlwAdd(piece->high, piece->shift);
        piece->rotation = tlwQuatNormalize(tlwQuatMul(piece->turn, piece->rotation));
    }
    tlwFree(after);
    tlwFree(mean);
    return result;
}
