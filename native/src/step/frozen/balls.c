#include "step/frozen/balls.h"

#include "base/context.h"
#include "base/memory.h"
#include "grid/sample.h"
#include "step/frozen/identity.h"
#include "step/obstacles/face_share.h"

#define BALL 0.2   // cells: radius of a surface particle's ball
#define BLOCK 4096 // particles

static bool isInside(const tlwPieceBox *box, tlwVec3 p)
{
    return p.x > box->low.x && p.x < box->high.x && p.y > box->low.y && p.y < box->high.y && p.z > box->low.z &&
           p.z < box->high.z;
}

// Whether a cell belongs to the piece. Cells that lie inside the supporting solid do not count, though labels reach a
// cell into it. If they counted, the balls at the foot of a piece would be discarded as interior, or would face up, and
// small pieces would sink into the floor.
static bool isOwn(const tlwPiecePlace *p, int64_t cell, int32_t label)
{
    const tlwFlow *flow = p->world->flow;
    return tlwGetInts(p->grid, flow->label)[cell] == label &&
           tlwGetCentreSolid(p->grid, tlwGetFloats(p->grid, flow->solid), cell) > 0;
}

// Sum of the directions to cells around that are not of the piece; zero inside it.
static tlwVec3 outwards(const tlwPiecePlace *p, int64_t cell, int32_t label)
{
    tlwVec3 sum = {0, 0, 0};
    for (int q = 0; q < 27; q++) {
        int di = q % 3 - 1, dj = q / 3 % 3 - 1, dk = q / 9 - 1;
        if (!isOwn(p, cell + di + dj * p->grid->stride_y + dk * p->grid->stride_z, label))
            sum = tlwAdd(sum, (tlwVec3){di, dj, dk});
    }
    return sum;
}

static bool atSurface(const tlwPiecePlace *p, int64_t cell, int32_t label)
{
    const int64_t stride[3] = {1, p->grid->stride_y, p->grid->stride_z};
    bool surface = !isOwn(p, cell, label);
    for (int n = 0; n < 6 && !surface; n++)
        surface = !isOwn(p, cell + (n & 1 ? stride[n / 2] : -stride[n / 2]), label);
    return surface;
}

// Whether a particle may touch anything in this step.
static bool mayTouch(const tlwPiecePlace *p, int n, const float x[3], tlwVec3 world)
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

// Kinds of balls.
enum { NO_BALL = 0, SURFACE_BALL = 1, DIPPED_BALL = 2 };

typedef struct Spot {
    int piece; // number
    int64_t cell;
    tlwVec3 world;
} Spot;

static int findBall(const tlwPiecePlace *p, int64_t n, Spot *spot)
{
    const tlwParticles *q = p->world->particles;
    uint32_t id = tlwGetPieceId(q->frozen[n]);
    const tlwPiece *piece = id ? tlwFindPiece(p->pieces, id) : NULL;
    if (!piece || !tlwIsFreePiece(piece))
        return NO_BALL;
    int c[3];
    float x[3] = {q->position[0][n], q->position[1][n], q->position[2][n]};
    // A particle that has sunk into a side of the domain becomes a ball whichever way it faces: the side must push it
    // out.
    bool dipped = false;
    for (int a = 0; a < 3; a++) {
        c[a] = (int)tlwClamp(tlwFastFloor(x[a]), 0, p->grid->dims[a] - 1);
        dipped = dipped || x[a] < 0 || x[a] > (float)p->grid->extent[a];
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

typedef struct Found {
    int piece;
    tlwSurfaceBall ball;
} Found;

typedef struct Search {
    const tlwPiecePlace *place;
    uint8_t *kind;  // per particle
    int64_t *start; // per block of particles: its first ball
    Found *found;
} Search;

static void findRange(void *context, int64_t begin, int64_t end)
{
    const Search *s = context;
    int64_t count = 0;
    Spot spot;
    for (int64_t n = begin; n < end; n++) {
        s->kind[n] = (uint8_t)findBall(s->place, n, &spot);
        count += s->kind[n] != NO_BALL;
    }
    s->start[begin / BLOCK] = count;
}

static tlwSurfaceBall makeBall(const tlwPiecePlace *p, const Spot *spot, int kind)
{
    tlwVec3 centre = tlwSub(spot->world, p->pieces->items[spot->piece].centre), out = {0, 0, 0};
    double radius = BALL * p->grid->dx;
    if (kind == SURFACE_BALL)
        out = outwards(p, spot->cell, spot->piece + 1);
    tlwVec3 normal = tlwDot(out, out) > 0 ? tlwNormalize(out) : (tlwVec3){0, 0, 0};
    return (tlwSurfaceBall){centre, normal, radius, centre, radius};
}

static void makeRange(void *context, int64_t begin, int64_t end)
{
    const Search *s = context;
    Found *found = s->found + s->start[begin / BLOCK];
    for (int64_t n = begin; n < end; n++) {
        Spot spot = {0};
        if (s->kind[n] == NO_BALL)
            continue;
        findBall(s->place, n, &spot);
        *found++ = (Found){spot.piece, makeBall(s->place, &spot, s->kind[n])};
    }
}

// Give the balls to the colliders of their pieces.
static bool handOut(const tlwPiecePlace *p, const Found *found, int64_t count)
{
    int64_t *of_piece = tlwAlloc((size_t)p->pieces->count, sizeof *of_piece);
    bool ok = of_piece != NULL;
    for (int64_t n = 0; ok && n < count; n++)
        of_piece[found[n].piece]++;
    for (int n = 0; ok && n < p->pieces->count; n++)
        if (of_piece[n]) {
            tlwCollider *c = p->colliders->items[n];
            c->balls = tlwAlloc((size_t)of_piece[n], sizeof *c->balls);
            ok = c->balls != NULL;
        }
    for (int64_t n = 0; ok && n < count; n++) {
        tlwCollider *c = p->colliders->items[found[n].piece];
        c->balls[c->ball_count++] = found[n].ball;
    }
    tlwFree(of_piece);
    return ok;
}

tlwResult tlwCollectBalls(const tlwPiecePlace *place)
{
    tlwThreads *threads = place->world->context->threads;
    int64_t particles = place->world->particles->count, blocks = (particles + BLOCK - 1) / BLOCK, count = 0;
    Search s = {.place = place,
                .kind = tlwAlloc((size_t)particles + 1, 1),
                .start = tlwAlloc((size_t)blocks + 1, sizeof *s.start)};
    bool ok = s.kind && s.start;
    if (ok) {
        tlwParallelFor(threads, particles, BLOCK, findRange, &s);
        for (int64_t b = 0; b < blocks; b++) {
            int64_t own = s.start[b];
            s.start[b] = count;
            count += own;
        }
        s.found = tlwAlloc((size_t)count + 1, sizeof *s.found);
        ok = s.found != NULL;
    }
    if (ok) {
        tlwParallelFor(threads, particles, BLOCK, makeRange, &s);
        ok = handOut(place, s.found, count);
    }
    tlwFree(s.kind);
    tlwFree(s.start);
    tlwFree(s.found);
    return ok ? TLW_OK : TLW_OUT_OF_MEMORY;
}
