#include "step/flight/momentum.h"

#include "base/context.h"
#include "base/kernel.h"
#include "base/memory.h"
#include "scene/scene.h"
#include "shape/affine.h"
#include "step/liquid/advect.h"

#include <string.h>

#define BLOCK 65536

// ---------------------------------------------------------------------------------------------------------------------
// Who belongs to what

// Particles are sorted, split and merged within a step; `of_ids` tells which part one belonged to at its start.
typedef struct Members {
    const tlwFlightInput *in;
    const tlwFlight *flight; // the present parts
    uint8_t *of_ids;         // null: all particles are of part 1
    int64_t ids;             // ids below this existed at the start; newer particles belong to the part where they are
    uint8_t start[256];      // number at the start of each present part
} Members;

static uint8_t findPart(const Members *m, int64_t n)
{
    const tlwGrid *grid = &m->in->flow->grid;
    float *const *p = m->in->particles->position;
    return tlwGetBytes(
        grid, m->flight->cells)[tlwCellIndex(grid, (int)floorf(p[0][n]), (int)floorf(p[1][n]), (int)floorf(p[2][n]))];
}

static uint8_t getPart(const Members *m, int64_t n)
{
    if (!m->of_ids)
        return 1;
    uint32_t id = m->in->particles->id[n];
    return id < m->ids ? m->of_ids[id] : m->start[findPart(m, n)];
}

static void noteRange(void *context, int64_t begin, int64_t end)
{
    const Members *m = context;
    for (int64_t n = begin; n < end; n++)
        m->of_ids[m->in->particles->id[n]] = findPart(m, n);
}

// ---------------------------------------------------------------------------------------------------------------------
// Sums

static void addMass(tlwPartMomentum *sum, double mass, tlwVec3 x, tlwVec3 v)
{
    sum->mass += mass;
    sum->linear = tlwMulAdd(sum->linear, mass, v);
    sum->angular = tlwMulAdd(sum->angular, mass, tlwCross(x, v));
    sum->moment = tlwMulAdd(sum->moment, mass, x);
    const double products[6] = {x.x * x.x, x.y * x.y, x.z * x.z, x.x * x.y, x.x * x.z, x.y * x.z};
    for (int n = 0; n < 6; n++)
        sum->second[n] += mass * products[n];
}

static void addLiquid(tlwPartMomentum *total, const tlwPartMomentum *part)
{
    total->mass += part->mass;
    total->liquid += part->mass;
    total->linear = tlwAdd(total->linear, part->linear);
    total->angular = tlwAdd(total->angular, part->angular);
    total->moment = tlwAdd(total->moment, part->moment);
    for (int n = 0; n < 6; n++)
        total->second[n] += part->second[n];
}

typedef struct Sums {
    const Members *members;
    int parts;
    tlwPartMomentum *blocks; // `parts` for every block of particles
} Sums;

static tlwVec3 placeOf(const tlwFlightInput *in, int64_t n)
{
    const tlwGrid *grid = &in->flow->grid;
    float *const *p = in->particles->position;
    return tlwMulAdd(grid->origin, grid->dx, (tlwVec3){p[0][n], p[1][n], p[2][n]});
}

static void sumRange(void *context, int64_t begin, int64_t end)
{
    const Sums *s = context;
    const tlwParticles *q = s->members->in->particles;
    tlwPartMomentum *sums = s->blocks + begin / BLOCK * s->parts;
    for (int64_t n = begin; n < end; n++) {
        int part = getPart(s->members, n);
        if (part && part <= s->parts)
            addMass(&sums[part - 1], q->mass[n], placeOf(s->members->in, n),
                    (tlwVec3){q->velocity[0][n], q->velocity[1][n], q->velocity[2][n]});
    }
}

static tlwResult addParticles(const Members *members, int parts, tlwPartMomentum *totals)
{
    const tlwFlightInput *in = members->in;
    int64_t blocks = (in->particles->count + BLOCK - 1) / BLOCK;
    Sums s = {members, parts, tlwAlloc((size_t)(blocks * parts), sizeof *s.blocks)};
    if (!s.blocks)
        return TLW_OUT_OF_MEMORY;
    tlwParallelFor(in->context->threads, in->particles->count, BLOCK, sumRange, &s);
    for (int64_t n = 0; n < blocks * parts; n++)
        addLiquid(&totals[n % parts], &s.blocks[n]);
    tlwFree(s.blocks);
    return TLW_OK;
}

static void addBodies(const tlwFlightInput *in, const uint8_t *of_links, int parts, tlwPartMomentum *totals)
{
    for (int n = 0; n < in->bodies->link_count; n++) {
        const tlwBodyLink *link = &in->bodies->links[n];
        if (!link->rigid || !of_links[n] || of_links[n] > parts)
            continue;
        tlwPartMomentum *total = &totals[of_links[n] - 1];
        const tlwBody *body = &in->bodies->world->bodies[link->body];
        tlwMat3 inertia = tlwRotateMat3(body->rotation, body->inertia);
        addMass(total, body->mass, body->position, link->solve.free_velocity);
        total->angular = tlwAdd(total->angular, tlwMulMat3(inertia, link->solve.free_spin));
        double trace = 0.5 * (inertia.m[0][0] + inertia.m[1][1] + inertia.m[2][2]);
        for (int a = 0; a < 3; a++) // from inertia back to second moments
            total->second[a] += trace - inertia.m[a][a];
        total->second[3] -= inertia.m[0][1];
        total->second[4] -= inertia.m[0][2];
        total->second[5] -= inertia.m[1][2];
    }
}

static tlwResult sumParts(const Members *members, const uint8_t *of_links, int parts, tlwPartMomentum **totals)
{
    *totals = tlwAlloc((size_t)parts, sizeof **totals);
    if (!*totals)
        return TLW_OUT_OF_MEMORY;
    addBodies(members->in, of_links, parts, *totals);
    return addParticles(members, parts, *totals);
}

// ---------------------------------------------------------------------------------------------------------------------
// What became of the parts

typedef struct Seen {
    const Members *members;
    uint64_t (*bits)[4]; // per present part: which parts its particles come from
} Seen;

static void seenRange(void *context, int64_t begin, int64_t end)
{
    const Seen *s = context;
    const Members *m = s->members;
    for (int64_t n = begin; n < end; n++) {
        uint32_t id = m->in->particles->id[n];
        if (id >= m->ids)
            continue;
        int from = m->of_ids[id];
        uint64_t *word = &s->bits[findPart(m, n)][from / 64], bit = (uint64_t)1 << from % 64;
        if (!(__atomic_load_n(word, __ATOMIC_RELAXED) & bit))
            __atomic_fetch_or(word, bit, __ATOMIC_RELAXED);
    }
}

// Find which part each present one was at the start. A part that met another, a drop or something solid is not free any
// more.
static void matchParts(Members *m, tlwFlight *before)
{
    uint64_t bits[256][4] = {{0}};
    Seen s = {m, bits};
    tlwParallelFor(m->in->context->threads, m->in->particles->count, 16384, seenRange, &s);
    for (int part = 1; part < TLW_DROP_PART; part++) {
        int origins = 0;
        for (int w = 0; w < 4; w++)
            origins += __builtin_popcountll(bits[part][w]);
        for (int from = 0; from < 256; from++)
            if (bits[part][from / 64] >> from % 64 & 1) {
                m->start[part] = (uint8_t)from;
                before->free[from] = before->free[from] && origins == 1 && m->flight->free[part];
            }
    }
}

// Parts whose liquid has reached or left a body within the step are not free.
static void matchBodies(const Members *m, tlwFlight *before)
{
    for (int n = 0; n < m->in->bodies->link_count; n++) {
        uint8_t was = before->of_links[n], now = m->flight->of_links[n];
        now = m->of_ids && now ? m->start[now] : now;
        if (was != now)
            before->free[was] = before->free[now] = false;
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Giving it back

typedef struct Motion {
    bool given;
    tlwVec3 centre, velocity, spin;
} Motion;

typedef struct Give {
    const tlwFlightInput *in;
    const Members *members;
    Motion motions[256]; // per part at the start
} Give;

static tlwVec3 motionAt(const Motion *m, tlwVec3 x)
{
    return tlwAdd(m->velocity, tlwCross(m->spin, tlwSub(x, m->centre)));
}

static inline __attribute__((always_inline)) void turnParticles(const tlwParticles *q, int64_t n, int lanes,
                                                                const float turn[9])
{
    float affine[9 * TLW_AFFINE_LANES];
    uint32_t marks[TLW_AFFINE_LANES];
    for (int l = 0; l < lanes; l++)
        marks[l] = q->affine[TLW_AFFINE_WORDS - 1][n + l] & TLW_OWN_MOTION;
    tlwUnpackAffine(q, n, lanes, affine);
    for (int a = 0; a < 9; a++)
        for (int l = 0; l < lanes; l++)
            affine[a * lanes + l] += turn[a];
    tlwPackAffine(q, n, lanes, affine);
    for (int l = 0; l < lanes; l++)
        q->affine[TLW_AFFINE_WORDS - 1][n + l] |= marks[l];
}

TLW_KERNEL static void moveParticles(const tlwFlightInput *in, const Motion *m, int64_t begin, int64_t end)
{
    const tlwParticles *q = in->particles;
    const tlwGrid *grid = &in->flow->grid;
    const tlwVec3 w = m->spin, c = m->centre, o = grid->origin;
    const double dx = grid->dx;
    const float *px = q->position[0], *py = q->position[1], *pz = q->position[2];
    float *restrict u = q->velocity[0], *restrict v = q->velocity[1], *restrict s = q->velocity[2];
    for (int64_t n = begin; n < end; n++) {
        double x = o.x + dx * px[n] - c.x, y = o.y + dx * py[n] - c.y, z = o.z + dx * pz[n] - c.z;
        u[n] += (float)(m->velocity.x + (w.y * z - w.z * y));
        v[n] += (float)(m->velocity.y + (w.z * x - w.x * z));
        s[n] += (float)(m->velocity.z + (w.x * y - w.y * x));
    }
    const float turn[9] = {0, (float)-w.z, (float)w.y, (float)w.z, 0, (float)-w.x, (float)-w.y, (float)w.x, 0};
    int64_t n = begin;
    for (; n + TLW_AFFINE_LANES <= end; n += TLW_AFFINE_LANES)
        turnParticles(q, n, TLW_AFFINE_LANES, turn);
    for (; n < end; n++)
        turnParticles(q, n, 1, turn);
}

// Neighbours in memory are mostly of one part.
static void particleRange(void *context, int64_t begin, int64_t end)
{
    const Give *g = context;
    for (int64_t first = begin, n = begin; first < end; first = n) {
        uint8_t part = getPart(g->members, first);
        for (n = g->members->of_ids ? first + 1 : end; n < end && getPart(g->members, n) == part; n++)
            ;
        if (g->motions[part].given)
            moveParticles(g->in, &g->motions[part], first, n);
    }
}

static void faceRange(void *context, int64_t begin, int64_t end)
{
    const Give *g = context;
    const tlwGrid *grid = &g->in->flow->grid;
    const Members *m = g->members;
    const uint8_t *cells = m->of_ids ? tlwGetBytes(grid, m->flight->cells) : NULL;
    const int64_t stride[3] = {1, grid->stride_y, grid->stride_z};
    for (int64_t t = begin; t < end; t++) {
        const tlwTile *tile = &grid->tiles[t];
        for (int a = 0; a < 3; a++) {
            float *u = tlwGetFloats(grid, g->in->flow->velocity[a]);
            TLW_FOR_ROWS(grid, tile, j, k, row)
                for (int i = 0; i < TLW_TILE; i++) {
                    const Motion *motion = &g->motions[1];
                    if (cells) {
                        uint8_t part = cells[row + i] ? cells[row + i] : cells[row + i - stride[a]];
                        motion = &g->motions[part ? m->start[part] : 0];
                    }
                    if (!motion->given)
                        continue;
                    tlwVec3 p = {tile->cell[0] + i + (a == 0 ? 0 : 0.5), (double)j + (a == 1 ? 0 : 0.5),
                                 k + (a == 2 ? 0 : 0.5)};
                    tlwVec3 v = motionAt(motion, tlwMulAdd(grid->origin, grid->dx, p));
                    u[row + i] += (float)(a == 0 ? v.x : a == 1 ? v.y : v.z);
                }
        }
    }
}

static void giveBack(const Give *g, const uint8_t *of_links)
{
    const tlwFlightInput *in = g->in;
    for (int n = 0; n < in->bodies->link_count; n++) {
        tlwBodyLink *link = &in->bodies->links[n];
        const Motion *m = &g->motions[of_links[n]];
        if (!link->rigid || !m->given)
            continue;
        tlwVec3 v = motionAt(m, in->bodies->world->bodies[link->body].position);
        link->solve.free_velocity = tlwAdd(link->solve.free_velocity, v);
        link->solve.free_spin = tlwAdd(link->solve.free_spin, m->spin);
    }
    tlwParallelFor(in->context->threads, in->particles->count, 4096, particleRange, (void *)g);
    tlwParallelFor(in->context->threads, in->flow->grid.tile_count, TLW_TILE_BLOCK, faceRange, (void *)g);
}

// The rigid motion that, added to `now`, gives it the momentum of `before` plus that of gravity.
static Motion findMotion(const tlwPartMomentum *before, const tlwPartMomentum *now, tlwVec3 fall)
{
    Motion m = {.centre = tlwScale(now->moment, 1 / now->mass)};
    tlwVec3 missing = tlwSub(tlwMulAdd(before->linear, now->mass, fall), now->linear);
    tlwVec3 turn = tlwSub(tlwAdd(before->angular, tlwCross(now->moment, fall)), now->angular);
    turn = tlwSub(turn, tlwCross(m.centre, missing)); // about the centre
    tlwVec3 c = m.centre;
    const double products[6] = {c.x * c.x, c.y * c.y, c.z * c.z, c.x * c.y, c.x * c.z, c.y * c.z};
    double s[6];
    for (int n = 0; n < 6; n++)
        s[n] = now->second[n] - now->mass * products[n];
    tlwMat3 inertia = {{{s[1] + s[2], -s[3], -s[4]}, {-s[3], s[0] + s[2], -s[5]}, {-s[4], -s[5], s[0] + s[1]}}};
    m.velocity = tlwScale(missing, 1 / now->mass);
    m.spin = tlwMulMat3(tlwMat3Inverse(inertia), turn);
    m.given = fabs(now->mass - before->mass) < 1e-5 * before->mass && tlwIsFinite(m.velocity) && tlwIsFinite(m.spin);
    return m;
}

// Extend the parts as far as velocities were extended.
static tlwResult widen(const tlwFlightInput *in, tlwFlight *flight)
{
    return tlwWidenFlight(in, (int)ceil(in->scene->def.cfl) + 2, flight);
}

// The velocity to add to a part so that points traced through its velocity move by v dt in the mean, though all of them
// turn about its axis: the inverse of the rotation's integral over dt.
static Motion findAim(const tlwPartMomentum *part, double dt)
{
    tlwPartMomentum still = *part;
    still.linear = still.angular = (tlwVec3){0, 0, 0};
    Motion m = findMotion(part, &still, still.linear);
    double rate = tlwLength(m.spin), half = 0.5 * rate * dt;
    m.given = m.given && part->liquid > 0 && half > 0 && half < 0.5;
    if (!m.given)
        return m;
    tlwVec3 axis = tlwScale(m.spin, 1 / rate), v = m.velocity;
    tlwVec3 across = tlwMulAdd(v, -tlwDot(v, axis), axis);
    m.velocity = tlwMulAdd(tlwScale(across, half / tan(half) - 1), -half, tlwCross(axis, v));
    m.spin = (tlwVec3){0, 0, 0};
    return m;
}

static tlwResult keepParts(const tlwFlightInput *in, tlwMomentum *before, tlwFlight *now, double kick)
{
    Members members = {.in = in, .flight = now, .of_ids = before->of_ids, .ids = before->ids};
    Give give = {.in = in, .members = &members};
    tlwVec3 fall = tlwScale(in->scene->gravity, kick);
    tlwPartMomentum *parts;
    bool any = false;
    if (members.of_ids)
        matchParts(&members, &before->flight);
    matchBodies(&members, &before->flight);
    tlwResult result = sumParts(&members, before->flight.of_links, before->flight.count, &parts);
    for (int n = 1; result == TLW_OK && n <= before->flight.count; n++) {
        if (before->flight.free[n])
            give.motions[n] = findMotion(&before->parts[n - 1], &parts[n - 1], fall);
        any = any || give.motions[n].given;
    }
    tlwFree(parts);
    if (result == TLW_OK && any && members.of_ids)
        result = widen(in, now);
    if (result == TLW_OK && any)
        giveBack(&give, before->flight.of_links);
    return result;
}

// Sums of mass times the path of particles beyond velocity times dt.
typedef struct Paths {
    const Members *members;
    double dt;
    int parts;
    tlwVec3 *blocks; // `parts` for every block of particles
} Paths;

static void pathRange(void *context, int64_t begin, int64_t end)
{
    enum { AT_ONCE = 256 };
    const Paths *s = context;
    const tlwFlightInput *in = s->members->in;
    const tlwParticles *q = in->particles;
    tlwVec3 *sums = s->blocks + begin / BLOCK * s->parts;
    float x[AT_ONCE], y[AT_ONCE], z[AT_ONCE];
    for (int64_t first = begin; first < end; first += AT_ONCE) {
        int64_t last = first + AT_ONCE < end ? first + AT_ONCE : end;
        tlwTraceParticles(in->flow, s->dt, q, first, last, (float *[3]){x, y, z});
        for (int64_t n = first; n < last; n++) {
            int part = getPart(s->members, n);
            if (!part || part > s->parts)
                continue;
            tlwVec3 way = {x[n - first] - q->position[0][n], y[n - first] - q->position[1][n],
                           z[n - first] - q->position[2][n]};
            tlwVec3 v = {q->velocity[0][n], q->velocity[1][n], q->velocity[2][n]};
            sums[part - 1] =
                tlwMulAdd(sums[part - 1], q->mass[n], tlwSub(tlwScale(way, in->flow->grid.dx), tlwScale(v, s->dt)));
        }
    }
}

// The remaining correction, from traced particles: near the surface velocities do not turn as the part does.
static tlwResult correctAim(Give *give, double dt, const tlwMomentum *momentum)
{
    int64_t blocks = (give->in->particles->count + BLOCK - 1) / BLOCK;
    Paths s = {give->members, dt, momentum->flight.count, NULL};
    s.blocks = tlwAlloc((size_t)(blocks * s.parts), sizeof *s.blocks);
    if (!s.blocks)
        return TLW_OUT_OF_MEMORY;
    tlwParallelFor(give->in->context->threads, give->in->particles->count, BLOCK, pathRange, &s);
    for (int n = 0; n < s.parts; n++) {
        tlwVec3 sum = {0, 0, 0};
        for (int64_t b = 0; b < blocks; b++)
            sum = tlwAdd(sum, s.blocks[b * s.parts + n]);
        give->motions[n + 1].velocity = tlwScale(sum, -1 / (dt * momentum->parts[n].liquid));
    }
    tlwFree(s.blocks);
    return TLW_OK;
}

#define ASTRAY 1e-4 // cells: parts that leave their path by less than this in a step are not corrected

// Correct the grid's velocity so that parts stay on their paths. Only where particles carry velocity: there the grid's
// velocity just moves them.
static tlwResult aim(const tlwFlightInput *in, double dt, Members *members, tlwMomentum *momentum)
{
    Give give = {.in = in, .members = members};
    tlwTransport transport = in->scene->def.transport;
    bool any = false;
    if (transport != TLW_TRANSPORT_APIC && transport != TLW_TRANSPORT_FLIP)
        return TLW_OK;
    for (int n = 1; n <= momentum->flight.count; n++) {
        members->start[n] = (uint8_t)n;
        if (momentum->flight.free[n])
            give.motions[n] = findAim(&momentum->parts[n - 1], dt);
        any |= give.motions[n].given &= tlwLength(give.motions[n].velocity) * dt > ASTRAY * in->flow->grid.dx;
    }
    if (!any)
        return TLW_OK;
    if (members->of_ids)
        TLW_TRY(widen(in, &momentum->flight));
    tlwParallelFor(in->context->threads, in->flow->grid.tile_count, TLW_TILE_BLOCK, faceRange, &give);
    TLW_TRY(correctAim(&give, dt, momentum));
    tlwParallelFor(in->context->threads, in->flow->grid.tile_count, TLW_TILE_BLOCK, faceRange, &give);
    return TLW_OK;
}

tlwResult tlwMeasureMomentum(const tlwFlightInput *in, double dt, tlwMomentum *momentum)
{
    *momentum = (tlwMomentum){0};
    tlwResult result = tlwFindFlight(in, &momentum->flight);
    Members m = {.in = in, .flight = &momentum->flight, .ids = in->next_id};
    if (result != TLW_OK || !momentum->flight.count)
        return result;
    if (!momentum->flight.whole) {
        m.of_ids = momentum->of_ids = tlwAlloc((size_t)m.ids, 1);
        momentum->ids = m.ids;
        if (!m.of_ids)
            return TLW_OUT_OF_MEMORY;
        tlwParallelFor(in->context->threads, in->particles->count, 16384, noteRange, &m);
    }
    result = sumParts(&m, momentum->flight.of_links, momentum->flight.count, &momentum->parts);
    if (result == TLW_OK && dt > 0)
        result = aim(in, dt, &m, momentum);
    tlwReturnField(&in->flow->grid, momentum->flight.cells); // the grid's tiles change
    momentum->flight.cells = -1;
    return result;
}

void tlwFreeMomentum(const tlwFlightInput *in, tlwMomentum *momentum)
{
    tlwFreeFlight(in, &momentum->flight);
    tlwFree(momentum->of_ids);
    tlwFree(momentum->parts);
    momentum->of_ids = NULL;
    momentum->parts = NULL;
}

tlwResult tlwKeepMomentum(const tlwFlightInput *in, tlwMomentum *before, double kick)
{
    tlwFlight now;
    if (!before->flight.count)
        return TLW_OK;
    tlwResult result = tlwFindFlight(in, &now);
    if (result == TLW_OK && now.count && now.whole == before->flight.whole)
        result = keepParts(in, before, &now, kick);
    tlwFreeFlight(in, &now);
    return result;
}
