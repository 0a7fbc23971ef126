#include "step/liquid/inflow.h"

#include "base/context.h"
#include "base/memory.h"
#include "base/vec.h"
#include "scene/scene.h"
#include "shape/sdf_sample.h"
#include "step/obstacles/face_share.h"

static const tlwObjectDef *defOf(const tlwPlacedMeshes *sources, int n)
{
    return &sources->scene->objects[sources->items[n].object].def;
}

static tlwVec3 velocityAt(const tlwObjectDef *def, double time)
{
    return tlwSampleKeys(def->keys, def->key_count, time).velocity;
}

// The source where it was at a time, with its present field.
static tlwPlacedMesh placedAt(const tlwPlacedMesh *solid, const tlwObjectDef *def, double time)
{
    tlwKey key = tlwSampleKeys(def->keys, def->key_count, time);
    tlwPlacedMesh placed = *solid;
    placed.frame = (tlwSdfFrame){key.position, key.rotation};
    tlwGetSdfWorldBounds(placed.sdf, &placed.frame, &placed.low, &placed.high);
    return placed;
}

static bool isInside(const tlwGrid *grid, const tlwPlacedMesh *solid, const float p[3])
{
    tlwVec3 w = tlwMulAdd(grid->origin, grid->dx, (tlwVec3){p[0], p[1], p[2]});
    return w.x > solid->low.x && w.x < solid->high.x && w.y > solid->low.y && w.y < solid->high.y &&
           w.z > solid->low.z && w.z < solid->high.z && tlwGetSourceDistance(grid, solid, p) < 0;
}

// ---------------------------------------------------------------------------------------------------------------------
// Particles

tlwResult tlwFindCarried(const tlwSeeder *s, const tlwPlacedMeshes *sources, const tlwInflow *inflows, double time,
                         double dt, tlwCarried *carried)
{
    const tlwParticles *q = s->particles;
    const tlwGrid *grid = &s->flow->grid;
    for (int n = 0; n < sources->count; n++) {
        const tlwObjectDef *def = defOf(sources, n);
        if (!tlwIsNozzle(def) || !sources->items[n].enabled || !(inflows[n].running > 0))
            continue;
        tlwPlacedMesh before = placedAt(&sources->items[n], def, time);
        tlwVec3 step = tlwScale(velocityAt(def, time + 0.5 * dt), dt / grid->dx);
        for (int64_t m = 0; m < q->count; m++) {
            float p[3] = {q->position[0][m], q->position[1][m], q->position[2][m]};
            if (q->frozen[m] || !isInside(grid, &before, p))
                continue;
            if (!tlwReserve((void **)&carried->index, &carried->index_capacity, carried->count + 1,
                            sizeof *carried->index) ||
                !tlwReserve((void **)&carried->position, &carried->position_capacity, carried->count + 1,
                            sizeof *carried->position))
                return tlwFailMemory(&s->context->message, "an inflow");
            float *to = carried->position[carried->count];
            to[0] = p[0] + (float)step.x;
            to[1] = p[1] + (float)step.y;
            to[2] = p[2] + (float)step.z;
            carried->index[carried->count++] = m;
        }
    }
    return TLW_OK;
}

void tlwCarryParticles(const tlwCarried *carried, tlwParticles *particles)
{
    for (int64_t n = 0; n < carried->count; n++)
        for (int a = 0; a < 3; a++)
            particles->position[a][carried->index[n]] = carried->position[n][a];
}

void tlwFreeCarried(tlwCarried *carried)
{
    tlwFree(carried->index);
    tlwFree(carried->position);
    *carried = (tlwCarried){0};
}

#define BEYOND 64 // cells around the domain that are looked at

// One nozzle at the end of a step.
typedef struct Fill {
    const tlwSeeder *seeder;
    const tlwPlacedMeshes *solids;
    const tlwPlacedMesh *now;
    tlwPlacedMesh before;
    float step[3];           // cells: how far the lattice came in the step
    float offset[3];         // cells: how far the lattice has come in all, less whole cells
    int whole[3];            // these whole cells
    int low[3], size[3];     // box of cells
    int32_t *taken;          // particles per cell of the box
    bool running;            // the nozzle was open in the last step
    bool thin;               // a place of the lattice may pass through the nozzle in one step
    bool clipped;            // the mesh reaches far beyond the domain
    float reach;             // cells: length of the step
    int64_t places, entered; // places inside the mesh, and how many of them entered in this step
    float (*made)[3];
    int64_t made_count, made_capacity;
} Fill;

// Inside the domain and outside obstacles.
static bool isFree(const Fill *f, const float p[3])
{
    const tlwGrid *grid = &f->seeder->flow->grid;
    for (int a = 0; a < 3; a++)
        if (!(p[a] >= 0 && p[a] <= (float)grid->extent[a]))
            return false;
    for (int n = 0; n < f->solids->count; n++)
        if (f->solids->items[n].enabled && isInside(grid, &f->solids->items[n], p))
            return false;
    return true;
}

static int32_t countAt(const Fill *f, const float p[3])
{
    int64_t cell = 0;
    for (int a = 2; a >= 0; a--) {
        int c = (int)floorf(p[a]) - f->low[a];
        c = c < 0 ? 0 : c >= f->size[a] ? f->size[a] - 1 : c;
        cell = cell * f->size[a] + c;
    }
    return f->taken[cell];
}

// Whether a place inside the mesh makes a particle; q is where the place was before the step.
static bool isNew(const Fill *f, const float p[3], const float q[3], bool entered, bool deep)
{
    const tlwGrid *grid = &f->seeder->flow->grid;
    int per_axis = f->seeder->scene->def.particles_per_axis, slots = per_axis * per_axis * per_axis;
    if (!isFree(f, p))
        return false;
    if (!f->running) // just opened: only where there is little liquid yet
        return countAt(f, p) * 2 < slots;
    if (entered || !isFree(f, q)) // entered through the back
        return true;
    if (f->now->moves && !isInside(grid, &f->before, q)) // the mesh moved over the place
        return countAt(f, p) * 2 < slots;
    return deep && countAt(f, p) == 0; // particles have left a hole
}

// Whether a place that is outside before and after the step was inside in between, in a nozzle thinner than the step.
static bool hasPassed(const Fill *f, const float p[3])
{
    int parts = (int)ceilf(4 * f->reach);
    for (int n = 1; n < parts; n++) {
        float t = (float)n / (float)parts, x[3] = {p[0] - t * f->step[0], p[1] - t * f->step[1], p[2] - t * f->step[2]};
        if (isInside(&f->seeder->flow->grid, f->now, x))
            return true;
    }
    return false;
}

static tlwResult fillCell(Fill *f, int i, int j, int k)
{
    const tlwGrid *grid = &f->seeder->flow->grid;
    const tlwSceneDef *scene = &f->seeder->scene->def;
    int per_axis = scene->particles_per_axis, slots = per_axis * per_axis * per_axis;
    float centre[3] = {(float)(i + f->whole[0]) + 0.5f + f->offset[0], (float)(j + f->whole[1]) + 0.5f + f->offset[1],
                       (float)(k + f->whole[2]) + 0.5f + f->offset[2]};
    float d = tlwGetSourceDistance(grid, f->now, centre) / (float)grid->dx;
    if (d > 0.9f + (f->thin ? f->reach : 0))
        return TLW_OK;
    for (int slot = 0; slot < slots; slot++) {
        float p[3];
        tlwGetSlotPosition(scene, i, j, k, slot, p);
        for (int a = 0; a < 3; a++)
            p[a] += (float)f->whole[a] + f->offset[a];
        float q[3] = {p[0] - f->step[0], p[1] - f->step[1], p[2] - f->step[2]};
        bool outside = d > -0.9f && tlwGetSourceDistance(grid, f->now, p) >= 0;
        bool entered = !isInside(grid, f->now, q);
        if (outside && !(f->thin && entered && f->running && hasPassed(f, p)))
            continue;
        f->places += !outside;
        f->entered += entered;
        if (!isNew(f, p, q, entered, d < -1.8f))
            continue;
        if (!tlwReserve((void **)&f->made, &f->made_capacity, f->made_count + 1, sizeof *f->made))
            return tlwFailMemory(&f->seeder->context->message, "an inflow");
        for (int a = 0; a < 3; a++)
            f->made[f->made_count][a] = p[a];
        f->made_count++;
    }
    return TLW_OK;
}

static bool countParticles(Fill *f)
{
    const tlwParticles *q = f->seeder->particles;
    f->taken = tlwAlloc((size_t)f->size[0] * (size_t)f->size[1] * (size_t)f->size[2], sizeof *f->taken);
    for (int64_t n = 0; f->taken && n < q->count; n++) {
        int64_t cell = 0;
        bool inside = true;
        for (int a = 2; a >= 0 && inside; a--) {
            int c = (int)floorf(q->position[a][n]) - f->low[a];
            inside = c >= 0 && c < f->size[a];
            cell = cell * f->size[a] + c;
        }
        if (inside)
            f->taken[cell]++;
    }
    return f->taken != NULL;
}

// Volume per second through the outlet, the part of the surface that faces along the velocity.
static double getFlow(const Fill *f, tlwVec3 velocity)
{
    const tlwMesh *mesh = &f->seeder->scene->objects[f->now->object].mesh;
    tlwVec3 v = tlwRotate(tlwQuatConjugate(f->now->frame.rotation), velocity), scale = f->now->scale;
    double sum = 0, mirrored = scale.x * scale.y * scale.z < 0 ? -1 : 1;
    for (int64_t t = 0; t < mesh->triangle_count; t++) {
        tlwVec3 p[3];
        for (int n = 0; n < 3; n++) {
            const float *x = mesh->positions + 3 * (int64_t)mesh->triangles[3 * t + n];
            p[n] = (tlwVec3){x[0] * scale.x, x[1] * scale.y, x[2] * scale.z};
        }
        sum += fmax(0, mirrored * 0.5 * tlwDot(v, tlwCross(tlwSub(p[1], p[0]), tlwSub(p[2], p[0]))));
    }
    return sum;
}

static double getMeshVolume(const Fill *f)
{
    tlwMassProperties mass;
    tlwGetMassProperties(&f->seeder->scene->objects[f->now->object].mesh, &mass);
    return fabs(mass.volume * f->now->scale.x * f->now->scale.y * f->now->scale.z);
}

// Volume of a new particle. The number of places inside a mesh varies with where the lattice lies. So the particles
// together get the volume of the mesh when the nozzle opens, and later the volume that has passed the outlet.
static double volumeOfPlace(const Fill *f, const tlwInflow *inflow)
{
    int per_axis = f->seeder->scene->def.particles_per_axis;
    double dx = f->seeder->flow->grid.dx, place = dx * dx * dx / (per_axis * per_axis * per_axis);
    double volume = f->running ? inflow->passed : getMeshVolume(f), count = f->running ? inflow->entered : f->places;
    return count > 0 && volume > 0 && !f->clipped ? place * tlwClamp(volume / (count * place), 0.7, 1.4) : place;
}

static tlwResult runNozzle(Fill *f, tlwInflow *inflow, const tlwKey *key, tlwVec3 velocity, double dt, double *came)
{
    const tlwGrid *grid = &f->seeder->flow->grid;
    const double moved[3] = {inflow->moved.x / grid->dx, inflow->moved.y / grid->dx, inflow->moved.z / grid->dx};
    const double low[3] = {f->now->low.x - grid->origin.x, f->now->low.y - grid->origin.y,
                           f->now->low.z - grid->origin.z};
    const double high[3] = {f->now->high.x - grid->origin.x, f->now->high.y - grid->origin.y,
                            f->now->high.z - grid->origin.z};
    for (int a = 0; a < 3; a++) {
        f->whole[a] = (int)floor(moved[a]);
        f->offset[a] = (float)(moved[a] - f->whole[a]);
        f->low[a] = (int)fmax(floor(low[a] / grid->dx), -BEYOND);
        f->size[a] = (int)fmin(ceil(high[a] / grid->dx), grid->dims[a] + BEYOND) - f->low[a];
        f->clipped = f->clipped || low[a] < -BEYOND * grid->dx || high[a] > (grid->dims[a] + BEYOND) * grid->dx;
        if (f->size[a] <= 0)
            return TLW_OK;
    }
    double flow = getFlow(f, velocity), speed = tlwLength(velocity);
    f->reach = (float)(speed * dt / grid->dx);
    f->thin = getMeshVolume(f) * speed < 1.5 * flow * speed * dt; // length = volume / outlet area
    if (!countParticles(f))
        return tlwFailMemory(&f->seeder->context->message, "an inflow");
    // One cell more than the box, since the lattice is offset from the cells.
    for (int k = -1; k < f->size[2]; k++)
        for (int j = -1; j < f->size[1]; j++)
            for (int i = -1; i < f->size[0]; i++)
                TLW_TRY(
                    fillCell(f, f->low[0] + i - f->whole[0], f->low[1] + j - f->whole[1], f->low[2] + k - f->whole[2]));
    inflow->passed += flow * dt;
    inflow->entered += (double)f->entered;
    double volume = volumeOfPlace(f, inflow);
    for (int64_t n = 0; n < f->made_count; n++) {
        TLW_TRY(tlwAddSeed(f->seeder, f->now, key, f->made[n], volume));
        tlwParticles *q = f->seeder->particles;
        // The rest position is the place in the lattice. All particles of a place are born at the same point: a texture
        // by that point would be drawn out to lines.
        const double moved[3] = {inflow->moved.x, inflow->moved.y, inflow->moved.z};
        for (int a = 0; a < 3; a++)
            q->rest[a][q->count - 1] -= (float)moved[a];
        *came += q->mass[q->count - 1];
    }
    return TLW_OK;
}

tlwResult tlwRunNozzles(const tlwSeeder *s, const tlwPlacedMeshes *sources, const tlwPlacedMeshes *solids,
                        tlwInflow *inflows, double time, double dt, double *came)
{
    for (int n = 0; n < sources->count; n++) {
        const tlwObjectDef *def = defOf(sources, n);
        if (!tlwIsNozzle(def))
            continue;
        if (!sources->items[n].enabled) {
            inflows[n].running = 0;
            continue;
        }
        tlwVec3 velocity = velocityAt(def, time + 0.5 * dt), step = tlwScale(velocity, dt);
        double per_cell = 1 / s->flow->grid.dx;
        Fill fill = {.seeder = s,
                     .solids = solids,
                     .now = &sources->items[n],
                     .before = placedAt(&sources->items[n], def, time),
                     .step = {(float)(step.x * per_cell), (float)(step.y * per_cell), (float)(step.z * per_cell)},
                     .running = inflows[n].running > 0};
        inflows[n].moved = tlwAdd(inflows[n].moved, step);
        tlwKey key = tlwSampleKeys(def->keys, def->key_count, time + dt);
        tlwResult result = runNozzle(&fill, &inflows[n], &key, velocity, dt, came);
        tlwFree(fill.taken);
        tlwFree(fill.made);
        TLW_TRY(result);
        inflows[n].running = 1;
    }
    return TLW_OK;
}

// ---------------------------------------------------------------------------------------------------------------------
// Grid

typedef struct Hold {
    const tlwPlacedMeshes *sources;
    tlwFlow *flow;
    double time;
} Hold;

enum { NODES = TLW_TILE + 1 };

static bool reaches(const tlwGrid *grid, const tlwTile *tile, const tlwPlacedMesh *solid)
{
    tlwVec3 low = tlwMulAdd(grid->origin, grid->dx, (tlwVec3){tile->cell[0], tile->cell[1], tile->cell[2]});
    tlwVec3 high = tlwMulAdd(low, grid->dx, (tlwVec3){NODES, NODES, NODES});
    return solid->low.x < high.x && solid->high.x > low.x && solid->low.y < high.y && solid->high.y > low.y &&
           solid->low.z < high.z && solid->high.z > low.z;
}

// Shares of the tile's faces inside one nozzle. Where two nozzles overlap, the one with the larger share holds the
// face.
static void holdTile(const Hold *h, const tlwTile *tile, const tlwPlacedMesh *solid, tlwVec3 velocity)
{
    const tlwGrid *grid = &h->flow->grid;
    const float *wall = tlwGetFloats(grid, h->flow->solid),
                v[3] = {(float)velocity.x, (float)velocity.y, (float)velocity.z};
    float d[NODES * NODES * NODES];
    tlwSdfNodes nodes = {.spacing = grid->dx, .dims = {NODES, NODES, NODES}, .stride = {1, NODES, NODES * NODES}};
    nodes.origin = tlwMulAdd(grid->origin, grid->dx, (tlwVec3){tile->cell[0], tile->cell[1], tile->cell[2]});
    tlwRasterizeSdf(solid->sdf, &solid->frame, &nodes, d);
    const int64_t stride[3] = {1, grid->stride_y, grid->stride_z};
    const int step[3] = {1, NODES, NODES * NODES};
    TLW_FOR_ROWS(grid, tile, j, k, row)
        for (int i = 0; i < TLW_TILE; i++)
            for (int a = 0; a < 3; a++) {
                int64_t c = row + i, s1 = stride[(a + 1) % 3], s2 = stride[(a + 2) % 3];
                int at = i + NODES * ((int)(j - tile->cell[1]) + NODES * (k - tile->cell[2]));
                int n1 = step[(a + 1) % 3], n2 = step[(a + 2) % 3];
                float open = tlwGetFloats(grid, h->flow->open[a])[c];
                float corner[4] = {d[at], d[at + n1], d[at + n1 + n2], d[at + n2]};
                if (!(open > 0) || fminf(fminf(corner[0], corner[1]), fminf(corner[2], corner[3])) > 0.001f * grid->dx)
                    continue;
                if (open < 1) { // nozzle and wall together
                    const float at_wall[4] = {wall[c], wall[c + s1], wall[c + s1 + s2], wall[c + s2]};
                    for (int n = 0; n < 4; n++)
                        corner[n] = fminf(corner[n], at_wall[n]);
                }
                float held = open - fminf(tlwGetFaceShare(corner, (float)grid->dx), open);
                float *share = tlwGetFloats(grid, h->flow->held_share[a]) + c;
                if (held <= *share)
                    continue;
                *share = held;
                tlwGetFloats(grid, h->flow->held_velocity[a])[c] = v[a];
            }
}

static void holdRange(void *context, int64_t begin, int64_t end)
{
    const Hold *h = context;
    const tlwGrid *grid = &h->flow->grid;
    for (int64_t t = begin; t < end; t++) {
        const tlwTile *tile = &grid->tiles[t];
        for (int a = 0; a < 3; a++) {
            float *share = tlwGetFloats(grid, h->flow->held_share[a]);
            TLW_FOR_ROWS(grid, tile, j, k, row)
                for (int i = 0; i < TLW_TILE; i++)
                    share[row + i] = 0;
        }
        for (int n = 0; n < h->sources->count; n++) {
            const tlwObjectDef *def = defOf(h->sources, n);
            if (tlwIsNozzle(def) && h->sources->items[n].enabled && reaches(grid, tile, &h->sources->items[n]))
                holdTile(h, tile, &h->sources->items[n], velocityAt(def, h->time));
        }
    }
}

// Whether air lies beyond a face that pressure moves.
static bool touchesAir(const tlwFlow *flow, const int64_t stride[3], int64_t c)
{
    const tlwGrid *grid = &flow->grid;
    const float *phi = tlwGetFloats(grid, flow->phi);
    for (int n = 0; n < 6; n++) {
        int64_t face = n & 1 ? c + stride[n / 2] : c, other = n & 1 ? face : c - stride[n / 2];
        float open = tlwGetFloats(grid, flow->open[n / 2])[face],
              held = tlwGetFloats(grid, flow->held_share[n / 2])[face];
        if (open > held && phi[other] >= 0)
            return true;
    }
    return false;
}

// Flow out of the held shares of a cell's faces into the cell. It is positive at the front of a nozzle. At the back it
// is negative, and left out where liquid lies behind: that liquid would be pumped round. Where air lies behind, the
// cell moves as a whole.
static void giveRange(void *context, int64_t begin, int64_t end)
{
    const Hold *h = context;
    const tlwGrid *grid = &h->flow->grid;
    float *given = tlwGetFloats(grid, h->flow->given);
    int64_t stride[3] = {1, grid->stride_y, grid->stride_z};
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(grid, &grid->tiles[t], j, k, row)
            for (int64_t c = row; c < row + TLW_TILE; c++) {
                float in = 0;
                for (int a = 0; a < 3; a++) {
                    const float *share = tlwGetFloats(grid, h->flow->held_share[a]);
                    const float *velocity = tlwGetFloats(grid, h->flow->held_velocity[a]);
                    in += share[c] * velocity[c] - share[c + stride[a]] * velocity[c + stride[a]];
                }
                given[c] = in > 0 || (in < 0 && touchesAir(h->flow, stride, c)) ? in : 0;
            }
}

void tlwRasterizeNozzles(const tlwPlacedMeshes *sources, double time, tlwFlow *flow)
{
    if (flow->given < 0)
        return;
    Hold h = {sources, flow, time};
    tlwParallelFor(sources->context->threads, flow->grid.tile_count, TLW_TILE_BLOCK, holdRange, &h);
    tlwParallelFor(sources->context->threads, flow->grid.tile_count, TLW_TILE_BLOCK, giveRange, &h);
}

static void mixRange(void *context, int64_t begin, int64_t end)
{
    const tlwFlow *flow = context;
    const tlwGrid *grid = &flow->grid;
    for (int64_t t = begin; t < end; t++)
        for (int a = 0; a < 3; a++) {
            const float *share = tlwGetFloats(grid, flow->held_share[a]), *open = tlwGetFloats(grid, flow->open[a]);
            const float *held = tlwGetFloats(grid, flow->held_velocity[a]);
            float *velocity = tlwGetFloats(grid, flow->velocity[a]);
            TLW_FOR_ROWS(grid, &grid->tiles[t], j, k, row)
                for (int64_t c = row; c < row + TLW_TILE; c++)
                    if (share[c] > 0 && open[c] > 0)
                        velocity[c] += (held[c] - velocity[c]) * fminf(share[c] / open[c], 1);
        }
}

void tlwHoldNozzles(tlwThreads *threads, tlwFlow *flow)
{
    if (flow->given >= 0)
        tlwParallelFor(threads, flow->grid.tile_count, TLW_TILE_BLOCK, mixRange, flow);
}
