#include "step/liquid/extend.h"

#include "grid/sample.h"
#include "scene/scene.h"
#include "step/obstacles/face_share.h"

#include <math.h>
#include <string.h>

typedef struct Extend {
    const tlwFlow *flow;
    const tlwGrid *grid;
    const tlwScene *scene;
    float *velocity[3];
    const uint8_t *reached; // by particles: bits as in flow->reached
    const tlwDrops *drops;
    float fall[3];     // what gravity adds in the step, m/s
    uint8_t *layer[3]; // 1 = known, n + 1 = n cells away, 0 = not reached
    int now;
} Extend;

static Extend makeExtend(tlwFlow *flow)
{
    const tlwGrid *grid = &flow->grid;
    Extend e = {.flow = flow, .grid = grid, .reached = tlwGetBytes(grid, flow->reached)};
    for (int a = 0; a < 3; a++)
        e.velocity[a] = tlwGetFloats(grid, flow->velocity[a]);
    return e;
}

#define NARROW 0.25f // share of a face: the grid does not resolve narrower openings

// Pressure drives all that enters a cell at the surface out through the face towards the air. Beside a slanted wall
// that face may be nearly closed: liquid would pass it up to fifty times too fast, and steps would be as much shorter.
// But the surface does not lie at that face. So the velocity is scaled to the width of the passage where the surface
// lies: `way` cells from the centre, between the face and the one opposite.
static inline float slowInGap(float open, float opposite, float way)
{
    float wide = way < 0.5f ? open + (opposite - open) * (0.5f - way) : open;
    wide = wide > NARROW ? wide : NARROW;
    return wide > open ? open / wide : 1;
}

#define TIED_REACH 0.4f // cells: half a cell out, a face holds so little liquid that its velocity means nothing

// Whether liquid lies beside a face, across the axis of the face.
static inline bool isBesideLiquid(const float *phi, const int64_t stride[3], int axis, int64_t c)
{
    bool found = false;
    for (int n = 0; n < 4; n++) {
        int64_t other = c + (n & 1 ? 1 : -1) * stride[(axis + 1 + (n >> 1)) % 3];
        found = found || phi[other] < 0 || phi[other - stride[axis]] < 0;
    }
    return found;
}

// Faces of the liquid are known. So are those beside it that viscous stress has set: the slope of a film goes on there.
static void seedRange(void *context, int64_t begin, int64_t end)
{
    const Extend *e = context;
    const float *phi = tlwGetFloats(e->grid, e->flow->phi), *open[3], *solid[3];
    for (int a = 0; a < 3; a++) {
        open[a] = tlwGetFloats(e->grid, e->flow->open[a]);
        solid[a] = tlwGetFloats(e->grid, e->flow->solid_velocity[a]);
    }
    const int32_t *cover = tlwGetInts(e->grid, e->flow->cover);
    float near = TIED_REACH * (float)e->grid->dx;
    int64_t stride[3] = {1, e->grid->stride_y, e->grid->stride_z};
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(e->grid, &e->grid->tiles[t], j, k, row)
            for (int64_t c = row; c < row + TLW_TILE; c++)
                for (int a = 0; a < 3; a++) {
                    bool here = phi[c] < 0, there = phi[c - stride[a]] < 0, liquid = (here || there) && open[a][c] > 0;
                    bool tied = !liquid && e->reached[c] & TLW_TIED << a && open[a][c] > 0 &&
                                phi[c] + phi[c - stride[a]] < 2 * near && isBesideLiquid(phi, stride, a, c);
                    e->layer[a][c] = liquid ? 1 : tied ? 2 : 0;
                    if (liquid && here != there && open[a][c] < 1 && !cover[c] && !cover[c - stride[a]]) {
                        float in = here ? phi[c] : phi[c - stride[a]], air = here ? phi[c - stride[a]] : phi[c];
                        float opposite = open[a][here ? c + stride[a] : c - stride[a]];
                        e->velocity[a][c] =
                            solid[a][c] + (e->velocity[a][c] - solid[a][c]) *
                                              slowInGap(open[a][c], opposite, in / (in - fmaxf(air, 0)));
                    }
                    if (!liquid && !tied && !(e->reached[c] >> a & 1))
                        e->velocity[a][c] = 0;
                }
}

// Open faces of drops that lie too far out to take the liquid's velocity. A drop falls from the velocity that was
// gathered: the solves do not apply to it, and what they leave there would grow from step to step.
static void keepDropsRange(void *context, int64_t begin, int64_t end)
{
    const Extend *e = context;
    for (int64_t t = begin; t < end; t++)
        for (int64_t n = e->drops->start[t]; n < e->drops->start[t + 1]; n++) {
            const tlwDropFace *face = &e->drops->faces[n];
            int a = face->axis;
            int64_t c = e->grid->tiles[t].base + face->cell % TLW_TILE +
                        e->grid->stride_y * (face->cell / TLW_TILE % TLW_TILE) +
                        e->grid->stride_z * (face->cell / (TLW_TILE * TLW_TILE));
            if (!e->layer[a][c] && tlwGetFloats(e->grid, e->flow->open[a])[c] > 0) {
                e->layer[a][c] = (uint8_t)e->now;
                e->velocity[a][c] = face->velocity + e->fall[a];
            }
        }
}

static void seedGatheredRange(void *context, int64_t begin, int64_t end)
{
    const Extend *e = context;
    for (int64_t t = begin; t < end; t++)
        for (int a = 0; a < 3; a++)
            TLW_FOR_ROWS(e->grid, &e->grid->tiles[t], j, k, row)
                for (int64_t c = row; c < row + TLW_TILE; c++)
                    e->layer[a][c] = e->reached[c] >> a & 1;
}

// Eight layers at once; rows begin at multiples of eight.
static inline uint64_t loadLayers(const uint8_t *layer)
{
    return __atomic_load_n((const uint64_t *)(const void *)layer, __ATOMIC_RELAXED);
}

// Whether a row may change: some cell of it has no layer yet, and something around it has one.
static inline bool isRowOpen(const uint8_t *layer, int64_t sy, int64_t sz)
{
    const uint64_t low = 0x0101010101010101u, high = 0x8080808080808080u;
    uint64_t own = loadLayers(layer);
    if (!((own - low) & ~own & high)) // no byte is zero
        return false;
    uint64_t around = loadLayers(layer - sy) | loadLayers(layer + sy) | loadLayers(layer - sz) | loadLayers(layer + sz);
    return own | around | __atomic_load_n(layer - 1, __ATOMIC_RELAXED) |
           __atomic_load_n(layer + TLW_TILE, __ATOMIC_RELAXED);
}

static inline void layerCell(const Extend *e, int a, int64_t c, const int64_t neighbours[6])
{
    // Another thread may write `now` to a layer meanwhile, never a lower number, so what is read below `now` is
    // settled.
    uint8_t *layer = e->layer[a];
    if (__atomic_load_n(&layer[c], __ATOMIC_RELAXED))
        return;
    float sum = 0;
    int count = 0;
    for (int n = 0; n < 6; n++) {
        int64_t other = c + neighbours[n];
        uint8_t at = __atomic_load_n(&layer[other], __ATOMIC_RELAXED);
        if (at && at < e->now) {
            sum += e->velocity[a][other];
            count++;
        }
    }
    if (count) {
        e->velocity[a][c] = sum / (float)count;
        __atomic_store_n(&layer[c], (uint8_t)e->now, __ATOMIC_RELAXED);
    }
}

static void layerRange(void *context, int64_t begin, int64_t end)
{
    const Extend *e = context;
    int64_t sy = e->grid->stride_y, sz = e->grid->stride_z;
    const int64_t neighbours[6] = {-1, 1, -sy, sy, -sz, sz};
    for (int64_t t = begin; t < end; t++)
        for (int a = 0; a < 3; a++)
            TLW_FOR_ROWS(e->grid, &e->grid->tiles[t], j, k, row)
                if (isRowOpen(e->layer[a] + row, sy, sz))
                    for (int64_t c = row; c < row + TLW_TILE; c++)
                        layerCell(e, a, c, neighbours);
}

#define NEAR 3 // layers around the liquid in which drops take its velocity

static tlwResult extend(tlwThreads *threads, tlwFlow *flow, int layers, bool gathered, const tlwDrops *drops,
                        const tlwVec3 *fall)
{
    tlwGrid *grid = &flow->grid;
    Extend e = makeExtend(flow);
    e.drops = drops;
    if (drops)
        memcpy(e.fall, (float[3]){(float)fall->x, (float)fall->y, (float)fall->z}, sizeof e.fall);
    int slots[3];
    bool ok = true;
    for (int a = 0; a < 3; a++)
        ok = (slots[a] = tlwBorrowField(grid, 1)) >= 0 && ok;
    for (int a = 0; ok && a < 3; a++)
        e.layer[a] = tlwGetBytes(grid, slots[a]);
    if (ok)
        tlwParallelFor(threads, grid->tile_count, TLW_TILE_BLOCK, gathered ? seedGatheredRange : seedRange, &e);
    for (e.now = 2; ok && e.now < layers + 2; e.now++) {
        tlwParallelFor(threads, grid->tile_count, TLW_TILE_BLOCK, layerRange, &e);
        if (drops && e.now == NEAR)
            tlwParallelFor(threads, grid->tile_count, TLW_TILE_BLOCK, keepDropsRange, &e);
    }
    for (int a = 0; a < 3; a++)
        tlwReturnField(grid, slots[a]);
    return ok ? TLW_OK : TLW_OUT_OF_MEMORY;
}

tlwResult tlwExtendVelocity(tlwThreads *threads, tlwFlow *flow, int layers, const tlwDrops *drops, const tlwVec3 *fall)
{
    return extend(threads, flow, layers, false, drops, fall);
}

tlwResult tlwExtendGathered(tlwThreads *threads, tlwFlow *flow)
{
    return extend(threads, flow, 2, true, NULL, NULL);
}

// Whether liquid sticks to an object or a wall. The viscosity solve has already applied friction
// (viscosity/friction.h).
static bool sticksTo(const Extend *e, int object, const float p[3])
{
    const tlwSceneDef *def = &e->scene->def;
    if (object >= 0)
        return e->scene->objects[object].def.surface == TLW_SURFACE_STICK;
    for (int a = 0; a < 3 && object == TLW_WALL_OBJECT; a++)
        if ((p[a] < 0.5f && def->walls[2 * a] == TLW_WALL_NO_SLIP) ||
            (p[a] > (float)e->grid->extent[a] - 0.5f && def->walls[2 * a + 1] == TLW_WALL_NO_SLIP))
            return true;
    return false;
}

// Velocity of one face inside a solid: that of the liquid there, without the part that flows into the wall.
static float constrained(const Extend *e, int axis, int64_t c, const float p[3], int object, float *const old[3])
{
    float g[3], v[3], s[3], n[3];
    for (int a = 0; a < 3; a++)
        s[a] = a == axis ? tlwGetFloats(e->grid, e->flow->solid_velocity[a])[c]
                         : tlwSampleFace(e->grid, tlwGetFloats(e->grid, e->flow->solid_velocity[a]), a, p);
    if (sticksTo(e, object, p))
        return s[axis];
    tlwSampleSolid(e->flow, p, g);
    float length = sqrtf(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    if (!(length * 100 > e->grid->dx))
        return s[axis];
    float through = 0;
    for (int a = 0; a < 3; a++) {
        v[a] = (a == axis ? old[a][c] : tlwSampleFace(e->grid, old[a], a, p)) - s[a];
        n[a] = g[a] / length;
        through += v[a] * n[a];
    }
    if (through > 0)
        through = 0; // leaving the wall is free
    return s[axis] + v[axis] - through * n[axis];
}

typedef struct Constrain {
    Extend e;
    float *old[3];
} Constrain;

static void constrainRange(void *context, int64_t begin, int64_t end)
{
    const Constrain *s = context;
    const tlwGrid *grid = s->e.grid;
    const int16_t *object = (const int16_t *)grid->fields[s->e.flow->solid_object].data;
    const uint8_t *frozen = tlwGetBytes(grid, s->e.flow->frozen);
    const float *solid = tlwGetFloats(grid, s->e.flow->solid);
    int64_t stride[3] = {1, grid->stride_y, grid->stride_z};
    for (int64_t t = begin; t < end; t++) {
        const tlwTile *tile = &grid->tiles[t];
        for (int a = 0; a < 3; a++) {
            const float *open = tlwGetFloats(grid, s->e.flow->open[a]),
                        *solid_velocity = tlwGetFloats(grid, s->e.flow->solid_velocity[a]);
            TLW_FOR_ROWS(grid, tile, j, k, row)
                for (int i = 0; i < TLW_TILE; i++) {
                    if (open[row + i] > 0)
                        continue;
                    if (frozen[row + i] || frozen[row + i - stride[a]]) { // moves with its piece
                        s->e.velocity[a][row + i] = solid_velocity[row + i];
                        continue;
                    }
                    float p[3] = {(float)(tile->cell[0] + i) + 0.5f, (float)j + 0.5f, (float)k + 0.5f};
                    p[a] -= 0.5f;
                    s->e.velocity[a][row + i] =
                        constrained(&s->e, a, row + i, p, object[tlwFindDeepestNode(grid, solid, a, row + i)], s->old);
                }
        }
    }
}

static void keepRange(void *context, int64_t begin, int64_t end)
{
    const Constrain *s = context;
    for (int64_t t = begin; t < end; t++)
        for (int a = 0; a < 3; a++)
            TLW_FOR_ROWS(s->e.grid, &s->e.grid->tiles[t], j, k, row)
                for (int i = 0; i < TLW_TILE; i++)
                    s->old[a][row + i] = s->e.velocity[a][row + i];
}

tlwResult tlwConstrainVelocity(tlwThreads *threads, const tlwScene *scene, tlwFlow *flow)
{
    tlwGrid *grid = &flow->grid;
    Constrain s = {.e = {.flow = flow, .grid = grid, .scene = scene}};
    int slots[3];
    bool ok = true;
    for (int a = 0; a < 3; a++)
        ok = (slots[a] = tlwBorrowField(grid, sizeof(float))) >= 0 && ok;
    for (int a = 0; ok && a < 3; a++) {
        s.old[a] = tlwGetFloats(grid, slots[a]);
        s.e.velocity[a] = tlwGetFloats(grid, flow->velocity[a]);
    }
    if (ok) {
        tlwParallelFor(threads, grid->tile_count, TLW_TILE_BLOCK, keepRange, &s);
        tlwParallelFor(threads, grid->tile_count, TLW_TILE_BLOCK, constrainRange, &s);
    }
    for (int a = 0; a < 3; a++)
        tlwReturnField(grid, slots[a]);
    return ok ? TLW_OK : TLW_OUT_OF_MEMORY;
}
