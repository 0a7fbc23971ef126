#include "step/liquid/forces.h"

#include "base/vec.h"
#include "scene/keys.h"
#include "scene/scene.h"

typedef struct Forces {
    const tlwScene *scene;
    const tlwFlow *flow;
    const tlwParticles *particles;
    double time, dt;
} Forces;

// What acts at a point: dv/dt = push - drag v.
typedef struct Field {
    tlwVec3 push; // m/s2
    double drag;  // 1/s
} Field;

// As in Blender: full strength up to the least distance, none beyond the largest.
static double getFalloff(const tlwForceDef *def, double distance)
{
    if (def->max_distance > 0 && distance > def->max_distance)
        return 0;
    return distance < def->min_distance ? 1 : pow(1 + distance - def->min_distance, -def->falloff);
}

static void addForce(const tlwForce *force, double time, tlwVec3 position, Field *field)
{
    const tlwForceDef *def = &force->def;
    tlwKey key = tlwSampleKeys(def->keys, def->key_count, time);
    tlwVec3 away = tlwSub(position, key.position), axis = tlwRotate(key.rotation, (tlwVec3){0, 0, 1});
    double distance = tlwLength(away), strength = key.enabled ? key.power * getFalloff(def, distance) : 0;
    tlwVec3 direction = def->kind == TLW_FORCE_WIND ? axis : def->kind == TLW_FORCE_POINT ? away : tlwCross(axis, away);
    double length = tlwLength(direction);
    if (def->kind == TLW_FORCE_DRAG)
        field->drag += strength;
    else if (length > 0)
        field->push = tlwMulAdd(field->push, strength / length, direction);
}

static Field getField(const tlwScene *scene, double time, tlwVec3 position)
{
    Field field = {.push = scene->gravity};
    for (int n = 0; n < scene->force_count; n++)
        addForce(&scene->forces[n], time, position, &field);
    return field;
}

// Mean acceleration over dt. Drag, however strong, can only stop the motion.
static double accelerate(const Field *field, double push, double velocity, double dt)
{
    double x = field->drag * dt;
    if (fabs(x) < 1e-6 || !(dt > 0))
        return push - field->drag * velocity;
    return (push / field->drag - velocity) * -expm1(-x) / dt;
}

tlwVec3 tlwGetAcceleration(const tlwScene *scene, double time, double dt, tlwVec3 position, tlwVec3 velocity)
{
    Field field = getField(scene, time, position);
    return (tlwVec3){accelerate(&field, field.push.x, velocity.x, dt), accelerate(&field, field.push.y, velocity.y, dt),
                     accelerate(&field, field.push.z, velocity.z, dt)};
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
            float gravity = (float)(f->dt * component(f->scene->gravity, a));
            TLW_FOR_ROWS(grid, tile, j, k, row)
                for (int i = 0; i < TLW_TILE; i++) {
                    float kick = gravity;
                    if (fields) {
                        tlwVec3 p = {tile->cell[0] + i + (a == 0 ? 0 : 0.5), (double)j + (a == 1 ? 0 : 0.5),
                                     k + (a == 2 ? 0 : 0.5)};
                        Field field = getField(f->scene, f->time, tlwMulAdd(grid->origin, grid->dx, p));
                        kick = (float)(f->dt * accelerate(&field, component(field.push, a), velocity[row + i], f->dt));
                    }
                    velocity[row + i] += kick;
                }
        }
    }
}

void tlwApplyForces(tlwThreads *threads, const tlwScene *scene, double time, double dt, tlwFlow *flow)
{
    Forces f = {.scene = scene, .flow = flow, .time = time, .dt = dt};
    tlwParallelFor(threads, flow->grid.tile_count, TLW_TILE_BLOCK, forceRange, &f);
}

static double strongestRange(void *context, int64_t begin, int64_t end)
{
    const Forces *f = context;
    const tlwGrid *grid = &f->flow->grid;
    double most = 0;
    for (int64_t n = begin; n < end; n++) {
        tlwVec3 p = {f->particles->position[0][n], f->particles->position[1][n], f->particles->position[2][n]};
        most = fmax(most, tlwLength(getField(f->scene, f->time, tlwMulAdd(grid->origin, grid->dx, p)).push));
    }
    return most;
}

double tlwGetStrongestPush(tlwThreads *threads, const tlwScene *scene, double time, const tlwFlow *flow,
                           const tlwParticles *particles)
{
    Forces f = {.scene = scene, .flow = flow, .particles = particles, .time = time};
    if (!scene->force_count)
        return tlwLength(scene->gravity);
    return tlwParallelMax(threads, particles->count, 16384, strongestRange, &f);
}
