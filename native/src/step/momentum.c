#include "step/momentum.h"

#include "base/kernel.h"
#include "base/memory.h"
#include "grid/components.h"
#include "shape/affine.h"

#define BLOCK 65536
#define DROP 64 // cells: smaller parts are drops, which go with the blob

// ---------------------------------------------------------------------------------------------------------------------
// Is it in flight?

static bool isWet(void *user, int64_t cell)
{
    return ((const float *)user)[cell] < 0;
}

typedef struct Sizes {
    const tlwGrid *grid;
    const int32_t *labels;
    int64_t *size;
} Sizes;

static void sizeRange(void *context, int64_t begin, int64_t end)
{
    const Sizes *s = context;
    for (int64_t t = begin; t < end; t++) {
        int32_t label = 0;
        int64_t run = 0; // cells with that label, not yet counted
        TLW_FOR_ROWS(s->grid, &s->grid->tiles[t], j, k, row)
        for (int64_t c = row; c < row + TLW_TILE; c++, run++)
            if (s->labels[c] != label) {
                __atomic_fetch_add(&s->size[label], run, __ATOMIC_RELAXED);
                label = s->labels[c];
                run = 0;
            }
        __atomic_fetch_add(&s->size[label], run, __ATOMIC_RELAXED);
    }
}

// One part of more than a few cells.
static tlwResult isOneBlob(tlwThreads *threads, tlwFlow *flow, bool *one)
{
    tlwGrid *grid = &flow->grid;
    int slot = tlwBorrowField(grid, sizeof(int32_t)), count = 0, large = 0;
    if (slot < 0)
        return TLW_OUT_OF_MEMORY;
    tlwComponentRule rule = {isWet, NULL, tlwGetFloats(grid, flow->phi)};
    tlwResult result = tlwLabelComponents(threads, grid, &rule, tlwGetInts(grid, slot), &count);
    Sizes s = {grid, tlwGetInts(grid, slot), tlwAlloc((size_t)count + 1, sizeof *s.size)};
    if (!s.size)
        result = TLW_OUT_OF_MEMORY;
    if (result == TLW_OK)
        tlwParallelFor(threads, grid->tile_count, TLW_TILE_BLOCK, sizeRange, &s);
    for (int n = 1; s.size && n <= count; n++)
        large += s.size[n] > DROP;
    *one = large == 1;
    tlwFree(s.size);
    tlwReturnField(grid, slot);
    return result;
}

typedef struct Touch {
    const tlwSim *sim;
    bool *touched;
} Touch;

// 1 when a liquid cell has a face that a wall or an obstacle covers.
static double touchRange(void *context, int64_t begin, int64_t end)
{
    const Touch *s = context;
    const tlwFlow *flow = &s->sim->flow;
    const tlwGrid *grid = &flow->grid;
    const float *phi = tlwGetFloats(grid, flow->phi);
    const int16_t *object = (const int16_t *)grid->fields[flow->solid_object].data;
    int64_t stride[3] = {1, grid->stride_y, grid->stride_z};
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(grid, &grid->tiles[t], j, k, row)
    for (int64_t c = row; c < row + TLW_TILE; c++)
        for (int n = 0; n < 6 && phi[c] < 0; n++) {
            int64_t f = c + (n & 1) * stride[n / 2];
            if (object[f] == TLW_NO_OBJECT || tlwGetFloats(grid, flow->open[n / 2])[f] >= 1)
                continue;
            if (object[f] < 0 || s->sim->scene->objects[object[f]].def.role != TLW_ROLE_RIGID)
                return 1;
            __atomic_store_n(&s->touched[object[f]], true, __ATOMIC_RELAXED);
        }
    return 0;
}

// `touched` tells which objects are bodies in the liquid.
static bool touchesBodiesOnly(const tlwSim *sim, bool *touched)
{
    Touch s = {sim, touched};
    return tlwParallelMax(sim->context->threads, sim->flow.grid.tile_count, TLW_TILE_BLOCK, touchRange, &s) == 0;
}

static bool bodiesAreFree(const tlwSim *sim, const bool *touched)
{
    const tlwRigidWorld *world = sim->bodies.world;
    for (int o = 0; o < sim->scene->object_count; o++)
        if (sim->scene->objects[o].def.role == TLW_ROLE_RIGID && !touched[o])
            return false;
    for (int64_t n = 0; world && n < world->contacts.count; n++) {
        const tlwContact *c = &world->contacts.items[n];
        bool outer = world->bodies[c->body_a].motion != TLW_MOTION_DYNAMIC ||
                     world->bodies[c->body_b].motion != TLW_MOTION_DYNAMIC;
        if (outer && tlwLength(c->impulse) > 0)
            return false;
    }
    return true;
}

static tlwResult isInFlight(tlwSim *sim, bool *flying)
{
    const tlwScene *scene = sim->scene;
    *flying = !scene->force_count && !scene->joint_count && !sim->sources.count && !sim->pieces.count &&
              sim->particles.count && !sim->solids.split;
    if (!*flying)
        return TLW_OK;
    bool *touched = tlwAlloc((size_t)scene->object_count + 1, sizeof *touched);
    if (!touched)
        return TLW_OUT_OF_MEMORY;
    *flying = touchesBodiesOnly(sim, touched) && bodiesAreFree(sim, touched);
    tlwFree(touched);
    return *flying ? isOneBlob(sim->context->threads, &sim->flow, flying) : TLW_OK;
}

// ---------------------------------------------------------------------------------------------------------------------
// Sums

static void addMass(tlwMomentum *sum, double mass, tlwVec3 x, tlwVec3 v)
{
    sum->mass += mass;
    sum->linear = tlwMulAdd(sum->linear, mass, v);
    sum->angular = tlwMulAdd(sum->angular, mass, tlwCross(x, v));
    sum->moment = tlwMulAdd(sum->moment, mass, x);
    const double products[6] = {x.x * x.x, x.y * x.y, x.z * x.z, x.x * x.y, x.x * x.z, x.y * x.z};
    for (int n = 0; n < 6; n++)
        sum->second[n] += mass * products[n];
}

typedef struct Sums {
    const tlwSim *sim;
    tlwMomentum *blocks;
} Sums;

static tlwVec3 placeOf(const tlwSim *sim, int64_t n)
{
    const tlwGrid *grid = &sim->flow.grid;
    float *const *p = sim->particles.position;
    return tlwMulAdd(grid->origin, grid->dx, (tlwVec3){p[0][n], p[1][n], p[2][n]});
}

static void sumRange(void *context, int64_t begin, int64_t end)
{
    const Sums *s = context;
    const tlwParticles *q = &s->sim->particles;
    tlwMomentum *sum = &s->blocks[begin / BLOCK];
    for (int64_t n = begin; n < end; n++)
        addMass(sum, q->mass[n], placeOf(s->sim, n),
                (tlwVec3){q->velocity[0][n], q->velocity[1][n], q->velocity[2][n]});
}

static tlwResult addParticles(const tlwSim *sim, tlwMomentum *total)
{
    int64_t blocks = (sim->particles.count + BLOCK - 1) / BLOCK;
    Sums s = {sim, tlwAlloc((size_t)blocks, sizeof *s.blocks)};
    if (!s.blocks)
        return TLW_OUT_OF_MEMORY;
    tlwParallelFor(sim->context->threads, sim->particles.count, BLOCK, sumRange, &s);
    for (int64_t b = 0; b < blocks; b++) {
        const tlwMomentum *part = &s.blocks[b];
        total->mass += part->mass;
        total->linear = tlwAdd(total->linear, part->linear);
        total->angular = tlwAdd(total->angular, part->angular);
        total->moment = tlwAdd(total->moment, part->moment);
        for (int n = 0; n < 6; n++)
            total->second[n] += part->second[n];
    }
    tlwFree(s.blocks);
    return TLW_OK;
}

static void addBodies(const tlwSim *sim, tlwMomentum *total)
{
    for (int n = 0; n < sim->bodies.link_count; n++) {
        const tlwBodyLink *link = &sim->bodies.links[n];
        if (!link->rigid)
            continue;
        const tlwBody *body = &sim->bodies.world->bodies[link->body];
        tlwMat3 inertia = tlwRotateMat3(body->rotation, body->inertia);
        addMass(total, body->mass, body->position, link->free_velocity);
        total->angular = tlwAdd(total->angular, tlwMulMat3(inertia, link->free_spin));
        double trace = 0.5 * (inertia.m[0][0] + inertia.m[1][1] + inertia.m[2][2]);
        for (int a = 0; a < 3; a++) // from inertia back to second moments
            total->second[a] += trace - inertia.m[a][a];
        total->second[3] -= inertia.m[0][1];
        total->second[4] -= inertia.m[0][2];
        total->second[5] -= inertia.m[1][2];
    }
}

tlwResult tlwMeasureMomentum(tlwSim *sim, tlwMomentum *momentum)
{
    *momentum = (tlwMomentum){0};
    TLW_TRY(isInFlight(sim, &momentum->known));
    if (!momentum->known)
        return TLW_OK;
    addBodies(sim, momentum);
    return addParticles(sim, momentum);
}

// ---------------------------------------------------------------------------------------------------------------------
// Giving it back

typedef struct Motion {
    tlwSim *sim;
    tlwVec3 centre, velocity, spin;
} Motion;

static tlwVec3 motionAt(const Motion *m, tlwVec3 x)
{
    return tlwAdd(m->velocity, tlwCross(m->spin, tlwSub(x, m->centre)));
}

static inline __attribute__((always_inline)) void turnParticles(const tlwParticles *q, int64_t n, int lanes,
                                                                const float turn[9])
{
    float affine[9 * TLW_AFFINE_LANES];
    tlwUnpackAffine(q, n, lanes, affine);
    for (int a = 0; a < 9; a++)
        for (int l = 0; l < lanes; l++)
            affine[a * lanes + l] += turn[a];
    tlwPackAffine(q, n, lanes, affine);
}

TLW_KERNEL static void particleRange(void *context, int64_t begin, int64_t end)
{
    const Motion *m = context;
    const tlwParticles *q = &m->sim->particles;
    const tlwGrid *grid = &m->sim->flow.grid;
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

static void faceRange(void *context, int64_t begin, int64_t end)
{
    const Motion *m = context;
    const tlwGrid *grid = &m->sim->flow.grid;
    for (int64_t t = begin; t < end; t++) {
        const tlwTile *tile = &grid->tiles[t];
        for (int a = 0; a < 3; a++) {
            float *u = tlwGetFloats(grid, m->sim->flow.velocity[a]);
            TLW_FOR_ROWS(grid, tile, j, k, row)
            for (int i = 0; i < TLW_TILE; i++) {
                tlwVec3 p = {tile->cell[0] + i + (a == 0 ? 0 : 0.5), (double)j + (a == 1 ? 0 : 0.5),
                             k + (a == 2 ? 0 : 0.5)};
                tlwVec3 v = motionAt(m, tlwMulAdd(grid->origin, grid->dx, p));
                u[row + i] += (float)(a == 0 ? v.x : a == 1 ? v.y : v.z);
            }
        }
    }
}

static void giveBack(const Motion *m)
{
    tlwSim *sim = m->sim;
    for (int n = 0; n < sim->bodies.link_count; n++) {
        tlwBodyLink *link = &sim->bodies.links[n];
        if (!link->rigid)
            continue;
        tlwVec3 v = motionAt(m, sim->bodies.world->bodies[link->body].position);
        link->free_velocity = tlwAdd(link->free_velocity, v);
        link->free_spin = tlwAdd(link->free_spin, m->spin);
    }
    tlwParallelFor(sim->context->threads, sim->particles.count, 4096, particleRange, (void *)m);
    tlwParallelFor(sim->context->threads, sim->flow.grid.tile_count, TLW_TILE_BLOCK, faceRange, (void *)m);
}

tlwResult tlwKeepMomentum(tlwSim *sim, const tlwMomentum *before, double kick)
{
    tlwMomentum now;
    if (!before->known)
        return TLW_OK;
    TLW_TRY(tlwMeasureMomentum(sim, &now));
    if (!now.known || !(fabs(now.mass - before->mass) < 1e-5 * before->mass))
        return TLW_OK;
    tlwVec3 fall = tlwScale(sim->scene->def.gravity, kick);
    Motion m = {.sim = sim, .centre = tlwScale(now.moment, 1 / now.mass)};
    tlwVec3 missing = tlwSub(tlwMulAdd(before->linear, now.mass, fall), now.linear);
    tlwVec3 turn = tlwSub(tlwAdd(before->angular, tlwCross(now.moment, fall)), now.angular);
    turn = tlwSub(turn, tlwCross(m.centre, missing)); // about the centre
    tlwVec3 c = m.centre;
    const double products[6] = {c.x * c.x, c.y * c.y, c.z * c.z, c.x * c.y, c.x * c.z, c.y * c.z};
    double s[6];
    for (int n = 0; n < 6; n++)
        s[n] = now.second[n] - now.mass * products[n];
    tlwMat3 inertia = {{{s[1] + s[2], -s[3], -s[4]}, {-s[3], s[0] + s[2], -s[5]}, {-s[4], -s[5], s[0] + s[1]}}};
    m.velocity = tlwScale(missing, 1 / now.mass);
    m.spin = tlwMulMat3(tlwMat3Inverse(inertia), turn);
    if (tlwIsFinite(m.velocity) && tlwIsFinite(m.spin))
        giveBack(&m);
    return TLW_OK;
}
