#include "step/forces.h"

#include "grid/sample.h"

typedef struct Forces {
    const tlwScene *scene;
    const tlwFlow *flow;
    double time, dt;
} Forces;

static tlwVec3 forceAt(const tlwForce *force, double time, tlwVec3 position, tlwVec3 velocity)
{
    const tlwForceDef *def = &force->def;
    tlwKey key = tlwSampleKeys(def->keys, def->key_count, time);
    tlwVec3 none = {0, 0, 0}, away = tlwSub(position, key.position), axis = tlwRotate(key.rotation, (tlwVec3){0, 0, 1});
    double distance = tlwLength(away);
    if (!key.enabled || (def->max_distance > 0 && distance > def->max_distance))
        return none;
    double strength = key.power;
    if (def->falloff > 0)
        strength /= pow(fmax(distance, fmax(def->min_distance, 1e-3)), def->falloff);
    if (def->min_distance > 0 && distance < def->min_distance && def->falloff == 0)
        return none;
    switch (def->kind) {
    case TLW_FORCE_WIND:
        return tlwScale(axis, strength);
    case TLW_FORCE_POINT:
        return distance > 0 ? tlwScale(away, strength / distance) : none;
    case TLW_FORCE_VORTEX: {
        tlwVec3 around = tlwCross(axis, away);
        double length = tlwLength(around);
        return length > 0 ? tlwScale(around, strength / length) : none;
    }
    case TLW_FORCE_DRAG:
        return tlwScale(velocity, -strength);
    }
    return none;
}

tlwVec3 tlwGetFieldAcceleration(const tlwScene *scene, double time, tlwVec3 position, tlwVec3 velocity)
{
    tlwVec3 sum = {0, 0, 0};
    for (int n = 0; n < scene->force_count; n++)
        sum = tlwAdd(sum, forceAt(&scene->forces[n], time, position, velocity));
    return sum;
}

static double component(tlwVec3 v, int axis)
{
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

static void forceRange(void *context, int64_t begin, int64_t end)
{
    const Forces *f = context;
    const tlwGrid *grid = &f->flow->grid;
    bool fields = f->scene->force_count > 0;
    for (int64_t t = begin; t < end; t++) {
        const tlwTile *tile = &grid->tiles[t];
        for (int a = 0; a < 3; a++) {
            float *velocity = tlwGetFloats(grid, f->flow->velocity[a]);
            float gravity = (float)(f->dt * component(f->scene->def.gravity, a));
            TLW_FOR_ROWS(grid, tile, j, k, row)
            for (int i = 0; i < TLW_TILE; i++) {
                float kick = gravity;
                if (fields) {
                    tlwVec3 p = {tile->cell[0] + i + (a == 0 ? 0 : 0.5), (double)j + (a == 1 ? 0 : 0.5),
                                 k + (a == 2 ? 0 : 0.5)};
                    tlwVec3 own = {a == 0 ? velocity[row + i] : 0, a == 1 ? velocity[row + i] : 0,
                                   a == 2 ? velocity[row + i] : 0};
                    p = tlwMulAdd(grid->origin, grid->dx, p);
                    kick += (float)(f->dt * component(tlwGetFieldAcceleration(f->scene, f->time, p, own), a));
                }
                velocity[row + i] += kick;
            }
        }
    }
}

void tlwApplyForces(tlwThreads *threads, const tlwScene *scene, double time, double dt, tlwFlow *flow)
{
    Forces f = {scene, flow, time, dt};
    tlwParallelFor(threads, flow->grid.tile_count, TLW_TILE_BLOCK, forceRange, &f);
}
