#include "step/liquid/free_surface.h"

#include "base/context.h"
#include "base/vec.h"
#include "grid/sample.h"
#include "scene/scene.h"
#include "shape/bvh.h"
#include "step/obstacles/face_share.h"

// Lengths in cells.
#define AT_WALL 0.6       // a mesh that ends this near to a solid is taken to end at it
#define FACING 0.6        // cosine: how squarely the mesh must face the solid for that
#define PIECE 0.7         // meshes near solids are split into triangles of this length
#define WALL_PIECE 3.0    // triangles up to this length that lie at a wall all over are not split further
#define NEAR_SOLID 2.5f   // cells this near to a solid are measured
#define REACH 3.0f        // how far from a cell the free surface is looked for
#define INTO_SOLID 0.25   // the surface is continued into a solid where the foot of p on it is this near to the solid
#define STEEP 0.35        // and where the surface runs into the solid: sine of the angle between the two
#define BEHIND_WALL 0.15f // the nearest surface is at a wall when the nearest free one is farther by this
#define UNSURE 0.3f       // fields of meshes round off edges: this near, the mesh itself says what is inside
#define ON_SURFACE 1e-3f  // all centres that lie on a surface count as this deep inside

typedef struct Surface {
    const tlwGrid *grid;
    const tlwSeeder *seeder;
    const tlwPlacedMeshes *sets[2]; // liquids and sources
    float *phi;
    const float *solid;
    double per_cell;
    tlwMesh pieces; // of free surface, in cells
    tlwBvh *bvh;
    bool full; // memory is out
} Surface;

// Distance to solids in cells; the band's width outside active tiles.
static double solidAt(const Surface *s, tlwVec3 p)
{
    float at[3] = {(float)p.x, (float)p.y, (float)p.z};
    int tile[3];
    for (int a = 0; a < 3; a++)
        tile[a] = tlwFloorDiv(tlwFastFloor(at[a]), TLW_TILE);
    if (tlwFindTile(s->grid, tile[0], tile[1], tile[2]) < 0)
        return TLW_PHI_BAND;
    return tlwSampleNode(s->grid, s->solid, at) * s->per_cell;
}

// Whether a solid begins straight outside of p. A point deep inside a solid counts as well.
static bool isAtWall(const Surface *s, tlwVec3 p, tlwVec3 normal)
{
    double here = solidAt(s, p);
    for (double way = 0.5 * AT_WALL; here < AT_WALL && way <= AT_WALL; way += 0.5 * AT_WALL) {
        double there = solidAt(s, tlwMulAdd(p, way, normal)), deeper = here < 0 ? fabs(here - there) : here - there;
        if (there < 0 && deeper > FACING * way)
            return true;
    }
    return here < -0.5 * PIECE; // so that cells beyond a thin wall do not find it
}

static bool holdsLiquid(const Surface *s, int set, const tlwPlacedMesh *item)
{
    return item->enabled && (!set || tlwIsNozzle(&s->seeder->scene->objects[item->object].def));
}

// Whether there is liquid straight outside of p, as on the face of a mesh within or beside another.
static bool isWithin(const Surface *s, tlwVec3 p, tlwVec3 normal)
{
    tlwVec3 out = tlwMulAdd(p, 0.5 * AT_WALL, normal);
    float at[3] = {(float)out.x, (float)out.y, (float)out.z};
    for (int set = 0; set < 2; set++)
        for (int n = 0; n < s->sets[set]->count; n++)
            if (holdsLiquid(s, set, &s->sets[set]->items[n]) &&
                tlwGetSourceDistance(s->grid, &s->sets[set]->items[n], at) < 0)
                return true;
    return false;
}

static void addPiece(Surface *s, const tlwVec3 corner[3])
{
    int32_t first = (int32_t)s->pieces.vertex_count;
    for (int n = 0; n < 3; n++)
        s->full |= !tlwAddVertex(&s->pieces, (float)corner[n].x, (float)corner[n].y, (float)corner[n].z);
    s->full |= !tlwAddTriangle(&s->pieces, first, first + 1, first + 2);
}

// Whether a triangle lies beyond all cells that are measured; meshes may be far larger than the domain.
static bool isFarAway(const Surface *s, const tlwVec3 corner[3])
{
    const double at[3][3] = {{corner[0].x, corner[1].x, corner[2].x},
                             {corner[0].y, corner[1].y, corner[2].y},
                             {corner[0].z, corner[1].z, corner[2].z}};
    for (int a = 0; a < 3; a++) {
        const double *x = at[a];
        double low = s->grid->window_min[a] - REACH, high = low + s->grid->window_size[a] + 2 * REACH;
        if (fmax(x[0], fmax(x[1], x[2])) < low || fmin(x[0], fmin(x[1], x[2])) > high)
            return true;
    }
    return false;
}

static void addTriangle(Surface *s, const tlwVec3 corner[3], tlwVec3 normal)
{
    if (isFarAway(s, corner))
        return;
    tlwVec3 middle = tlwScale(tlwAdd(tlwAdd(corner[0], corner[1]), corner[2]), 1.0 / 3);
    double longest = 0, near = solidAt(s, middle);
    int side = 0;
    for (int n = 0; n < 3; n++) {
        double length = tlwLength(tlwSub(corner[(n + 1) % 3], corner[n]));
        side = length > longest ? n : side;
        longest = fmax(longest, length);
    }
    if (longest <= PIECE || near - longest > 1) {
        if (near - longest < NEAR_SOLID + 1 && !isAtWall(s, middle, normal) && !isWithin(s, middle, normal))
            addPiece(s, corner);
        return;
    }
    tlwVec3 a = corner[side], b = corner[(side + 1) % 3], c = corner[(side + 2) % 3],
            half = tlwScale(tlwAdd(a, b), 0.5);
    if (longest <= WALL_PIECE && isAtWall(s, middle, normal) && isAtWall(s, half, normal) && isAtWall(s, a, normal) &&
        isAtWall(s, b, normal) && isAtWall(s, c, normal))
        return;
    addTriangle(s, (tlwVec3[3]){a, half, c}, normal);
    addTriangle(s, (tlwVec3[3]){half, b, c}, normal);
}

static tlwResult addMesh(Surface *s, const tlwPlacedMesh *liquid)
{
    const tlwSeeder *seeder = s->seeder;
    tlwMesh placed;
    tlwMessage *message = &seeder->context->message;
    bool deforms = liquid->shape.vertex_count > 0;
    TLW_TRY(tlwCopyMesh(deforms ? &liquid->shape : &seeder->scene->objects[liquid->object].mesh, message, &placed));
    tlwTransformMesh(&placed, liquid->frame.position, liquid->frame.rotation, liquid->scale);
    for (int64_t t = 0; t < placed.triangle_count && !s->full; t++) {
        tlwVec3 corner[3];
        for (int n = 0; n < 3; n++) {
            const float *p = placed.positions + 3 * (int64_t)placed.triangles[3 * t + n];
            corner[n] = tlwScale(tlwSub((tlwVec3){p[0], p[1], p[2]}, s->grid->origin), s->per_cell);
        }
        tlwVec3 normal = tlwCross(tlwSub(corner[1], corner[0]), tlwSub(corner[2], corner[0]));
        if (tlwLength(normal) > 0)
            addTriangle(s, corner, tlwNormalize(normal));
    }
    tlwDestroyMesh(&placed);
    return s->full ? tlwFailMemory(message, "the surface") : TLW_OK;
}

typedef struct Free {
    float distance; // cells to the free surface, continued into solids; REACH when none is near
    float straight; // the same without the continuation
    float height;   // cells over the plane of the nearest triangle
    bool sure;      // p is straight above or below that triangle
} Free;

// Where the surface ends at a solid it is continued as a plane: the distance to its edge would be too long.
static Free findFree(const Surface *s, const float p[3])
{
    tlwNearest nearest = {REACH * REACH, -1};
    if (s->bvh)
        tlwFindNearest(s->bvh, p, &nearest);
    if (nearest.slot < 0)
        return (Free){REACH, REACH, 0, false};
    const float *v = s->pieces.positions + 9 * (int64_t)tlwGetBvhTriangle(s->bvh, nearest.slot);
    tlwVec3 a = {v[0], v[1], v[2]}, b = {v[3], v[4], v[5]}, c = {v[6], v[7], v[8]}, at = {p[0], p[1], p[2]};
    tlwVec3 normal = tlwNormalize(tlwCross(tlwSub(b, a), tlwSub(c, a)));
    double height = tlwDot(tlwSub(at, a), normal);
    tlwVec3 foot = tlwMulAdd(at, -height, normal), middle = tlwScale(tlwAdd(tlwAdd(a, b), c), 1.0 / 3);
    double there = solidAt(s, foot);
    bool into_solid = there < INTO_SOLID && solidAt(s, middle) - there > STEEP * tlwLength(tlwSub(foot, middle));
    float straight = sqrtf(nearest.square), up = (float)fabs(height);
    return (Free){into_solid ? up : straight, straight, (float)height, into_solid || up >= 0.99f * straight};
}

// The new level set at a cell's centre p, in cells. `phi` is the old one, `wall` the distance to solids.
static float measure(const Surface *s, const float p[3], float phi, float wall)
{
    Free f = findFree(s, p);
    // A thin gap between a mesh and a solid counts as liquid.
    bool gap = phi >= 0 && phi < AT_WALL && wall < AT_WALL && f.straight > phi + BEHIND_WALL;
    bool inside = f.sure && f.straight < 0.5f && fabsf(phi) < UNSURE ? f.height < 0 : phi < 0;
    return inside || gap ? -f.distance : f.distance;
}

static void measureRange(void *context, int64_t begin, int64_t end)
{
    const Surface *s = context;
    const tlwGrid *grid = s->grid;
    float per_cell = (float)s->per_cell;
    for (int64_t t = begin; t < end; t++) {
        const tlwTile *tile = &grid->tiles[t];
        TLW_FOR_ROWS(grid, tile, j, k, row)
            for (int i = 0; i < TLW_TILE; i++) {
                float wall = tlwGetCentreSolid(grid, s->solid, row + i) * per_cell, phi = s->phi[row + i] * per_cell;
                float p[3] = {(float)(tile->cell[0] + i) + 0.5f, (float)j + 0.5f, (float)k + 0.5f};
                if (wall >= 0 && wall < NEAR_SOLID && phi < NEAR_SOLID)
                    phi = measure(s, p, phi, wall);
                s->phi[row + i] = (fabsf(phi) < ON_SURFACE ? -ON_SURFACE : phi) * (float)grid->dx;
            }
    }
}

tlwResult tlwMeasureFreeSurface(const tlwSeeder *seeder, const tlwPlacedMeshes *liquids, const tlwPlacedMeshes *sources)
{
    const tlwFlow *flow = seeder->flow;
    Surface s = {.grid = &flow->grid,
                 .seeder = seeder,
                 .sets = {liquids, sources},
                 .phi = tlwGetFloats(&flow->grid, flow->phi),
                 .solid = tlwGetFloats(&flow->grid, flow->solid),
                 .per_cell = 1 / flow->grid.dx};
    tlwResult result = TLW_OK;
    for (int set = 0; set < 2; set++)
        for (int n = 0; n < s.sets[set]->count && result == TLW_OK; n++)
            if (holdsLiquid(&s, set, &s.sets[set]->items[n]))
                result = addMesh(&s, &s.sets[set]->items[n]);
    if (result == TLW_OK && s.pieces.triangle_count > 0) {
        s.bvh = tlwCreateBvh(&s.pieces, (double[3]){0, 0, 0}, 1);
        result = s.bvh ? TLW_OK : tlwFailMemory(&seeder->context->message, "the surface");
    }
    if (result == TLW_OK)
        tlwParallelFor(seeder->context->threads, s.grid->tile_count, TLW_TILE_BLOCK, measureRange, &s);
    tlwDestroyBvh(s.bvh);
    tlwDestroyMesh(&s.pieces);
    return result;
}
