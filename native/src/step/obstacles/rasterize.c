#include "step/obstacles/rasterize.h"

#include "base/context.h"
#include "base/vec.h"
#include "scene/scene.h"
#include "shape/sdf_sample.h"
#include "step/fields/flow.h"
#include "step/obstacles/face_share.h"
#include "step/obstacles/placed_mesh.h"

#include <string.h>

typedef struct Raster {
    const tlwPlacedMeshes *solids;
    tlwFlow *flow;
    bool bodies; // whether bodies count as solids
} Raster;

// Distance of a node to the closed walls, positive inside the domain.
static float wallDistance(const tlwPlacedMeshes *solids, const tlwGrid *grid, int i, int j, int k)
{
    const tlwWall *walls = solids->scene->def.walls;
    int c[3] = {i, j, k};
    double nearest = TLW_PHI_BAND;
    for (int a = 0; a < 3; a++) {
        if (walls[2 * a] != TLW_WALL_OPEN && c[a] < nearest)
            nearest = c[a];
        if (walls[2 * a + 1] != TLW_WALL_OPEN && grid->extent[a] - c[a] < nearest)
            nearest = grid->extent[a] - c[a];
    }
    return (float)(nearest * grid->dx);
}

static void wallTile(const Raster *s, const tlwTile *tile, float *solid, int16_t *object)
{
    const tlwGrid *grid = &s->flow->grid;
    float band = (float)(TLW_PHI_BAND * grid->dx);
    TLW_FOR_ROWS(grid, tile, j, k, row)
        for (int i = 0; i < TLW_TILE; i++) {
            float d = wallDistance(s->solids, grid, tile->cell[0] + i, (int)j, k);
            solid[row + i] = d > -band ? d : -band;
            object[row + i] = d < band ? TLW_WALL_OBJECT : TLW_NO_OBJECT;
        }
}

// Whether liquid sticks to an object's surface or to a domain wall. A wall counts only for cells behind it: in front of
// it, cells of a slip wall beside a no-slip wall would stick too.
static uint8_t sticksTo(const Raster *s, int object, const int cell[3])
{
    const tlwScene *scene = s->solids->scene;
    if (object >= 0)
        return scene->objects[object].def.surface == TLW_SURFACE_STICK;
    for (int a = 0; object == TLW_WALL_OBJECT && a < 3; a++)
        if ((cell[a] < 0 && scene->def.walls[2 * a] == TLW_WALL_NO_SLIP) ||
            (cell[a] >= s->flow->grid.dims[a] && scene->def.walls[2 * a + 1] == TLW_WALL_NO_SLIP))
            return 1;
    return 0;
}

static bool overlaps(const tlwPlacedMesh *solid, tlwVec3 low, tlwVec3 high)
{
    return solid->low.x < high.x && solid->high.x > low.x && solid->low.y < high.y && solid->high.y > low.y &&
           solid->low.z < high.z && solid->high.z > low.z;
}

static void nodeRange(void *context, int64_t begin, int64_t end)
{
    const Raster *s = context;
    tlwGrid *grid = &s->flow->grid;
    float *solid = tlwGetFloats(grid, s->flow->solid);
    int16_t *object = (int16_t *)grid->fields[s->flow->solid_object].data;
    for (int64_t t = begin; t < end; t++) {
        const tlwTile *tile = &grid->tiles[t];
        wallTile(s, tile, solid, object);
        tlwSdfNodes nodes = {
            .spacing = grid->dx, .dims = {TLW_TILE, TLW_TILE, TLW_TILE}, .stride = {1, grid->stride_y, grid->stride_z}};
        nodes.origin = tlwMulAdd(grid->origin, grid->dx, (tlwVec3){tile->cell[0], tile->cell[1], tile->cell[2]});
        tlwVec3 high = tlwMulAdd(nodes.origin, TLW_TILE * grid->dx, (tlwVec3){1, 1, 1});
        for (int n = 0; n < s->solids->count; n++) {
            const tlwPlacedMesh *item = &s->solids->items[n];
            if (!item->enabled || (item->body && !s->bodies) || !overlaps(item, nodes.origin, high))
                continue;
            float before[TLW_TILE_CELLS];
            int c = 0;
            TLW_FOR_ROWS(grid, tile, j, k, row)
                for (int i = 0; i < TLW_TILE; i++)
                    before[c++] = solid[row + i];
            tlwUniteSdf(item->wet, &item->frame, &nodes, solid + tile->base);
            c = 0;
            TLW_FOR_ROWS(grid, tile, j, k, row)
                for (int i = 0; i < TLW_TILE; i++)
                    if (solid[row + i] < before[c++])
                        object[row + i] = (int16_t)item->object;
        }
        uint8_t *stick = tlwGetBytes(grid, s->flow->stick);
        TLW_FOR_ROWS(grid, tile, j, k, row)
            for (int i = 0; i < TLW_TILE; i++)
                stick[row + i] = sticksTo(s, object[row + i], (int[3]){tile->cell[0] + i, (int)j, k});
    }
}

static float faceShare(const float *solid, float dx, int64_t c, int64_t s1, int64_t s2)
{
    return tlwGetFaceShare((float[4]){solid[c], solid[c + s1], solid[c + s1 + s2], solid[c + s2]}, dx);
}

// The body that all corners of a face name as nearest, or null. A body's own field is finer than the cells
// (step/obstacles/placed_mesh.c). Straight cuts between nodes would make a ball of six cells 3 % too small and miss a
// plank between two nodes.
static const tlwPlacedMesh *bodyAtFace(const Raster *s, const float *solid, const int16_t *object, int64_t c,
                                       int64_t s1, int64_t s2)
{
    int o = object[c];
    if (o < 0 || object[c + s1] != o || object[c + s2] != o || object[c + s1 + s2] != o)
        return NULL;
    float nearest =
        fminf(fminf(fabsf(solid[c]), fabsf(solid[c + s1])), fminf(fabsf(solid[c + s2]), fabsf(solid[c + s1 + s2])));
    if (nearest > (float)s->flow->grid.dx)
        return NULL;
    for (int n = 0; n < s->solids->count; n++)
        if (s->solids->items[n].object == o)
            return s->solids->items[n].body ? &s->solids->items[n] : NULL;
    return NULL;
}

static float bodyFaceShare(const tlwGrid *grid, const tlwPlacedMesh *item, int axis, const int cell[3])
{
    enum { PARTS = TLW_FACE_PARTS, NODES = PARTS + 1 };
    int u = (axis + 1) % 3, v = (axis + 2) % 3;
    tlwSdfNodes nodes = {.spacing = grid->dx / PARTS};
    nodes.origin = tlwMulAdd(grid->origin, grid->dx, (tlwVec3){cell[0], cell[1], cell[2]});
    nodes.dims[axis] = 1;
    nodes.dims[u] = nodes.dims[v] = NODES;
    nodes.stride[u] = 1;
    nodes.stride[v] = NODES;
    float d[NODES * NODES];
    tlwRasterizeSdf(item->wet, &item->frame, &nodes, d);
    return tlwGetPartsShare(d, (float)grid->dx);
}

// Velocity along an axis of a face's centre, `cell` in domain coordinates.
static float velocityAtFace(const tlwGrid *grid, const tlwPlacedMesh *item, int axis, const int cell[3])
{
    tlwVec3 p = {cell[0] + (axis == 0 ? 0 : 0.5), cell[1] + (axis == 1 ? 0 : 0.5), cell[2] + (axis == 2 ? 0 : 0.5)};
    p = tlwMulAdd(grid->origin, grid->dx, p);
    if (item->vertex_velocity) {
        float point[3] = {(float)p.x, (float)p.y, (float)p.z}, v[3] = {0, 0, 0};
        tlwSampleSdfVelocity(item->wet, item->vertex_velocity, point, 1, v);
        return v[axis];
    }
    tlwVec3 v = tlwAdd(item->motion.velocity, tlwCross(item->motion.spin, tlwSub(p, item->motion.origin)));
    return (float)(axis == 0 ? v.x : axis == 1 ? v.y : v.z);
}

static void faceRange(void *context, int64_t begin, int64_t end)
{
    const Raster *s = context;
    tlwGrid *grid = &s->flow->grid;
    const float *solid = tlwGetFloats(grid, s->flow->solid);
    const int16_t *object = (const int16_t *)grid->fields[s->flow->solid_object].data;
    int64_t stride[3] = {1, grid->stride_y, grid->stride_z};
    for (int64_t t = begin; t < end; t++) {
        const tlwTile *tile = &grid->tiles[t];
        for (int a = 0; a < 3; a++) {
            float *open = tlwGetFloats(grid, s->flow->open[a]);
            int64_t s1 = stride[(a + 1) % 3], s2 = stride[(a + 2) % 3];
            TLW_FOR_ROWS(grid, tile, j, k, row)
                for (int i = 0; i < TLW_TILE; i++) {
                    int64_t c = row + i;
                    if (object[c] == TLW_NO_OBJECT) { // farther than the band from any solid
                        open[c] = 1;
                        continue;
                    }
                    open[c] = tlwGetSideShare(grid, solid, a, (int[3]){tile->cell[0] + i, (int)j, k});
                    if (open[c] >= 0)
                        continue;
                    const tlwPlacedMesh *body = bodyAtFace(s, solid, object, c, s1, s2);
                    open[c] = body ? bodyFaceShare(grid, body, a, (int[3]){tile->cell[0] + i, (int)j, k})
                                   : faceShare(solid, (float)grid->dx, c, s1, s2);
                }
        }
    }
}

// Velocities of one row of eight faces; 0 away from moving objects. Neighbours mostly belong to the same object, so
// `last` keeps the result of the lookup.
static void velocityRow(const Raster *s, int64_t row, int axis, const int cell[3], const tlwPlacedMesh **last,
                        float *velocity)
{
    const tlwGrid *grid = &s->flow->grid;
    static const int16_t none[TLW_TILE] = {TLW_NO_OBJECT, TLW_NO_OBJECT, TLW_NO_OBJECT, TLW_NO_OBJECT,
                                           TLW_NO_OBJECT, TLW_NO_OBJECT, TLW_NO_OBJECT, TLW_NO_OBJECT};
    static const float still[TLW_TILE];
    const int16_t *object = (const int16_t *)grid->fields[s->flow->solid_object].data;
    const float *solid = tlwGetFloats(grid, s->flow->solid);
    // Write only where a value is not 0, so that scenes without motion do not touch these pages. Negative zeros are
    // cleared too.
    if (memcmp(velocity, still, sizeof still)) // NOLINT(bugprone-suspicious-memory-comparison)
        memset(velocity, 0, sizeof still);
    if (!memcmp(object + row, none, sizeof none))
        return;
    for (int i = 0; i < TLW_TILE; i++) {
        if (object[row + i] == TLW_NO_OBJECT)
            continue;
        // The face's own node may name the wall where a moving solid meets it (`verify couette`).
        int owner = object[tlwFindDeepestNode(grid, solid, axis, row + i)];
        if (owner < 0)
            continue;
        if (!*last || (*last)->object != owner)
            *last = tlwFindPlacedMesh(s->solids, owner);
        if (*last && (*last)->moves)
            velocity[i] = velocityAtFace(grid, *last, axis, (int[3]){cell[0] + i, cell[1], cell[2]});
    }
}

static void velocityRange(void *context, int64_t begin, int64_t end)
{
    const Raster *s = context;
    tlwGrid *grid = &s->flow->grid;
    const tlwPlacedMesh *last = NULL;
    for (int64_t t = begin; t < end; t++) {
        const tlwTile *tile = &grid->tiles[t];
        for (int a = 0; a < 3; a++) {
            float *velocity = tlwGetFloats(grid, s->flow->solid_velocity[a]);
            TLW_FOR_ROWS(grid, tile, j, k, row)
                velocityRow(s, row, a, (int[3]){tile->cell[0], (int)j, k}, &last, velocity + row);
        }
    }
}

void tlwRasterizeSolids(const tlwPlacedMeshes *solids, tlwFlow *flow)
{
    Raster s = {solids, flow, !solids->split};
    tlwThreads *threads = solids->context->threads;
    tlwParallelFor(threads, flow->grid.tile_count, TLW_TILE_BLOCK, nodeRange, &s);
    tlwParallelFor(threads, flow->grid.tile_count, TLW_TILE_BLOCK, faceRange, &s);
    if (solids->split) {
        s.bodies = true;
        tlwParallelFor(threads, flow->grid.tile_count, TLW_TILE_BLOCK, nodeRange, &s);
    }
    tlwParallelFor(threads, flow->grid.tile_count, TLW_TILE_BLOCK, velocityRange, &s);
}

void tlwRasterizeSolidVelocity(const tlwPlacedMeshes *solids, tlwFlow *flow)
{
    Raster s = {solids, flow, true};
    tlwParallelFor(solids->context->threads, flow->grid.tile_count, TLW_TILE_BLOCK, velocityRange, &s);
}
