#include "step/views/measure.h"

#include "base/context.h"
#include "base/memory.h"
#include "scene/scene.h"
#include "step/liquid/levelset.h"
#include "step/liquid/transfer.h"
#include "step/obstacles/face_share.h"

// One pass over the particles in fixed blocks, added up in order.
typedef struct Sums {
    double volume, mass, square_speed, energy, enthalpy, melted;
    tlwVec3 momentum, angular, moment;
} Sums;

typedef struct Measure {
    const tlwMeasureInput *in;
    Sums *blocks;
} Measure;

#define BLOCK 65536

static void measureRange(void *context, int64_t begin, int64_t end)
{
    const Measure *m = context;
    const tlwParticles *q = m->in->particles;
    const tlwGrid *grid = &m->in->flow->grid;
    Sums s = {0};
    for (int64_t n = begin; n < end; n++) {
        const tlwMaterial *material = &m->in->scene->materials[q->material[n]];
        double mass = q->mass[n];
        tlwVec3 v = {q->velocity[0][n], q->velocity[1][n], q->velocity[2][n]};
        tlwVec3 x =
            tlwMulAdd(grid->origin, grid->dx, (tlwVec3){q->position[0][n], q->position[1][n], q->position[2][n]});
        double square = tlwDot(v, v);
        s.volume += tlwGetParticleVolume(q, n, m->in->scene->materials);
        s.mass += mass;
        s.square_speed = fmax(s.square_speed, square);
        s.energy += 0.5 * mass * square;
        s.enthalpy += mass * q->enthalpy[n];
        s.melted += mass * (material->melts ? tlwGetMelt(material, q->enthalpy[n]) : 1);
        s.momentum = tlwMulAdd(s.momentum, mass, v);
        s.angular = tlwMulAdd(s.angular, mass, tlwCross(x, v));
        s.moment = tlwMulAdd(s.moment, mass, x);
    }
    m->blocks[begin / BLOCK] = s;
}

// Cells whose centre is in liquid. Cells inside solids, where the level set is only continued, and outside the domain
// do not count.
static int64_t countLiquidCells(const tlwFlow *flow)
{
    const tlwGrid *grid = &flow->grid;
    const float *phi = tlwGetFloats(grid, flow->phi), *solid = tlwGetFloats(grid, flow->solid);
    int64_t cells = 0;
    for (int t = 0; t < grid->tile_count; t++) {
        const tlwTile *tile = &grid->tiles[t];
        TLW_FOR_ROWS(grid, tile, j, k, row)
            for (int i = 0; i < TLW_TILE; i++) {
                int x = tile->cell[0] + i;
                cells += phi[row + i] < 0 && x >= 0 && x < grid->dims[0] && j >= 0 && j < grid->dims[1] && k >= 0 &&
                         k < grid->dims[2] && tlwGetCentreSolid(grid, solid, row + i) >= 0;
            }
    }
    return cells;
}

// Bodies add to momentum and energy.
static void addBodies(const tlwBodies *bodies, tlwStats *stats)
{
    if (!bodies->world)
        return;
    stats->contacts = (int)bodies->world->contacts.count;
    for (int n = 0; n < bodies->link_count; n++) {
        const tlwBodyLink *link = &bodies->links[n];
        if (!link->rigid)
            continue;
        const tlwBody *body = &bodies->world->bodies[link->body];
        tlwVec3 own = tlwMulMat3(tlwRotateMat3(body->rotation, body->inertia), link->solve.free_spin);
        tlwVec3 linear = tlwScale(link->solve.free_velocity, body->mass);
        stats->momentum = tlwAdd(stats->momentum, linear);
        stats->angular_momentum = tlwAdd(stats->angular_momentum, tlwAdd(own, tlwCross(body->position, linear)));
        stats->kinetic_energy += 0.5 * (tlwDot(link->solve.free_velocity, linear) + tlwDot(link->solve.free_spin, own));
    }
}

void tlwMeasure(const tlwMeasureInput *in, tlwStats *stats)
{
    int64_t blocks = (in->particles->count + BLOCK - 1) / BLOCK;
    Measure m = {in, tlwAlloc((size_t)blocks, sizeof *m.blocks)};
    Sums total = {0};
    if (m.blocks)
        tlwParallelFor(in->context->threads, in->particles->count, BLOCK, measureRange, &m);
    for (int64_t b = 0; m.blocks && b < blocks; b++) {
        const Sums *s = &m.blocks[b];
        total.volume += s->volume;
        total.mass += s->mass;
        total.square_speed = fmax(total.square_speed, s->square_speed);
        total.energy += s->energy;
        total.enthalpy += s->enthalpy;
        total.melted += s->melted;
        total.momentum = tlwAdd(total.momentum, s->momentum);
        total.angular = tlwAdd(total.angular, s->angular);
        total.moment = tlwAdd(total.moment, s->moment);
    }
    tlwFree(m.blocks);
    stats->time = in->time;
    stats->particles = in->particles->count;
    stats->cells = countLiquidCells(in->flow);
    stats->tiles = in->flow->grid.tile_count;
    stats->particle_volume = total.volume;
    stats->target_volume = total.mass > 0 ? total.volume * in->expected_mass / total.mass : 0;
    stats->surface_volume = tlwGetLevelSetVolume(in->context->threads, in->flow, NULL);
    stats->max_speed = sqrt(total.square_speed);
    stats->kinetic_energy = total.energy;
    stats->momentum = total.momentum;
    stats->angular_momentum = total.angular;
    stats->enthalpy = total.enthalpy;
    stats->melted = total.mass > 0 ? total.melted / total.mass : 0;
    stats->centre_of_mass = total.mass > 0 ? tlwScale(total.moment, 1 / total.mass) : (tlwVec3){0, 0, 0};
    addBodies(in->bodies, stats);
    stats->pieces = in->pieces;
    stats->peak_memory = tlwGetPeakMemory();
}
