#include "step/viscosity/bodies.h"

#include "base/memory.h"
#include "step/bodies/groups.h"
#include "step/obstacles/face_share.h"

static const int FEWEST_FACES = 24; // least for a body that viscosity drags; a sixth of it square to each axis

bool tlwAddBodyOwners(tlwViscosityBuild *build)
{
    const uint8_t none = 0;
    for (int a = 0; a < 3; a++) {
        int slot = tlwAddField(&build->system->level.grid, 1, &none, false);
        if (slot < 0)
            return false;
        build->owner[a] = tlwGetBytes(&build->system->level.grid, slot);
    }
    return true;
}

static int findBody(const tlwViscosityBuild *build, int key)
{
    const tlwBodyCoupling *coupling = build->def->coupling;
    for (int b = 0; b < build->body_count; b++)
        if (coupling->bodies[b].object == key) // a group counts as its first body
            return coupling->bodies[b].joined ? coupling->bodies[b].joined : b + 1;
    return 0;
}

int32_t tlwGetNodePiece(const tlwViscosityDef *def, int64_t node)
{
    return def->coupling && def->label >= 0 ? tlwGetInts(def->grid, def->label)[node] : 0;
}

int tlwFindNodeBody(const tlwViscosityBuild *build, int64_t node)
{
    const tlwViscosityDef *def = build->def;
    if (tlwGetNodePiece(def, node))
        return findBody(build, TLW_PIECE_KEY(tlwGetNodePiece(def, node)));
    int object = ((const int16_t *)def->grid->fields[def->solid_object].data)[node];
    bool stick = def->stick >= 0 && tlwGetBytes(def->grid, def->stick)[node];
    return stick && object >= 0 ? findBody(build, object) : 0;
}

bool tlwIsDraggedPiece(const tlwViscosityBuild *build, int32_t label)
{
    int body = label && build->def->label >= 0 ? findBody(build, TLW_PIECE_KEY(label)) : 0;
    return body && build->dragged[body - 1];
}

// The body that a face of the flow lies in, 1 .. body_count, or 0.
static int findFaceBody(const tlwViscosityBuild *build, int axis, int64_t at)
{
    const tlwGrid *flow = build->def->grid;
    const float *solid = tlwGetFloats(flow, build->def->solid);
    bool inside = tlwGetFaceDistance(flow, solid, axis, at) <= TLW_ON_WALL * (float)flow->dx;
    return inside ? tlwFindNodeBody(build, tlwFindDeepestNode(flow, solid, axis, at)) : 0;
}

typedef struct Mark {
    const tlwViscosityBuild *build;
    uint8_t *found; // per tile: it holds faces of bodies
} Mark;

// Whether a cell belongs to a held piece, or to a free one while pieces are not shown as solids.
static bool isHeld(const tlwViscosityDef *def, uint8_t frozen)
{
    return frozen == def->held_value || (frozen > def->held_value && def->label < 0);
}

static void markRange(void *context, int64_t begin, int64_t end)
{
    const Mark *mark = context;
    const tlwViscosityDef *def = mark->build->def;
    const tlwGrid *grid = &mark->build->system->level.grid, *flow = def->grid;
    const int64_t stride[3] = {1, flow->stride_y, flow->stride_z};
    const uint8_t *held = def->held_value ? tlwGetBytes(flow, def->held) : NULL;
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(grid, &grid->tiles[t], j, k, row)
            for (int i = 0; i < TLW_TILE; i++) {
                int64_t at = tlwCellIndex(flow, grid->tiles[t].cell[0] + i, (int)j, k);
                for (int a = 0; a < 3; a++) {
                    int body = findFaceBody(mark->build, a, at);
                    if (held && (isHeld(def, held[at]) || isHeld(def, held[at - stride[a]])))
                        body = 0; // the frozen piece decides
                    mark->build->owner[a][row + i] = (uint8_t)body;
                    mark->found[t] |= body > 0;
                }
            }
}

// List the marked faces. The order is that of the tiles, so it does not depend on threads.
static tlwResult listFaces(const tlwViscosityBuild *build, const uint8_t *found, tlwStressBodies *bodies)
{
    const tlwGrid *grid = &build->system->level.grid;
    for (int t = 0; t < grid->tile_count; t++) {
        if (!found[t])
            continue;
        TLW_FOR_ROWS(grid, &grid->tiles[t], j, k, row)
            for (int i = 0; i < TLW_TILE; i++)
                for (int a = 0; a < 3; a++) {
                    int body = build->owner[a][row + i];
                    if (!body)
                        continue;
                    int cell[3] = {grid->tiles[t].cell[0] + i, (int)j, k};
                    if (!tlwAddBodyFace(&bodies->items[body - 1], a, row + i, cell))
                        return TLW_OUT_OF_MEMORY;
                }
    }
    return TLW_OK;
}

// Centre of a body or of its group, in cells.
static void findCentre(const tlwViscosityBuild *build, int body, double centre[3])
{
    const tlwGrid *flow = build->def->grid;
    tlwVec3 c = tlwSumCoupled(build->def->coupling, body).centre;
    centre[0] = (c.x - flow->origin.x) / flow->dx;
    centre[1] = (c.y - flow->origin.y) / flow->dx;
    centre[2] = (c.z - flow->origin.z) / flow->dx;
}

// Whether the faces determine all six motions. They may not when frozen wax covers most of a body.
static bool hasEnoughFaces(const tlwStressBody *body)
{
    int64_t count[3] = {0};
    for (int64_t f = 0; f < body->count; f++)
        count[body->faces[f].component]++;
    bool enough = body->count >= FEWEST_FACES;
    for (int a = 0; a < 3; a++)
        enough = enough && 6 * count[a] >= FEWEST_FACES;
    return enough;
}

tlwResult tlwFindViscousBodies(tlwThreads *threads, tlwViscosityBuild *build, bool *dragged, tlwStressBodies *bodies)
{
    int tiles = build->system->level.grid.tile_count;
    Mark mark = {build, tlwAlloc((size_t)tiles, 1)};
    tlwResult result = mark.found && tlwInitStressBodies(bodies, build->body_count) ? TLW_OK : TLW_OUT_OF_MEMORY;
    if (result == TLW_OK) {
        for (int n = 0; n < bodies->count; n++)
            findCentre(build, n, bodies->items[n].centre);
        tlwParallelFor(threads, tiles, TLW_TILE_BLOCK, markRange, &mark);
        result = listFaces(build, mark.found, bodies);
    }
    tlwFree(mark.found);
    for (int n = 0; result == TLW_OK && n < bodies->count; n++) {
        tlwStressBody *body = &bodies->items[n];
        dragged[n] = hasEnoughFaces(body) && tlwSumCoupled(build->def->coupling, n).mass < INFINITY;
        for (int64_t f = 0; f < body->count && !dragged[n]; f++)
            build->owner[body->faces[f].component][body->faces[f].face] = 0;
        body->count = dragged[n] ? body->count : 0;
    }
    return result;
}

static void getMotion(const tlwViscosityBuild *build, const tlwCoupledMass *body, double motion[6])
{
    double dx = build->def->grid->dx;
    const double m[6] = {body->velocity.x,  body->velocity.y,  body->velocity.z,
                         body->spin.x * dx, body->spin.y * dx, body->spin.z * dx};
    for (int n = 0; n < 6; n++)
        motion[n] = m[n];
}

// In units of tlwStressBody: momentum, and angular momentum over the cell size.
static void getMass(const tlwViscosityBuild *build, const tlwCoupledMass *body, double mass[6][6])
{
    double dx = build->def->grid->dx;
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            mass[i][j] = i < 3 || j < 3 ? (i == j ? body->mass : 0) : body->inertia.m[i - 3][j - 3] / (dx * dx);
}

void tlwLoadBodies(const tlwViscosityBuild *build, tlwStressBodies *bodies)
{
    tlwStressSystem *system = build->system;
    for (int n = 0; n < bodies->count; n++) {
        tlwStressBody *body = &bodies->items[n];
        double mass[6][6], motion[6];
        if (!body->count)
            continue;
        tlwCoupledMass coupled = tlwSumCoupled(build->def->coupling, n);
        getMass(build, &coupled, mass);
        getMotion(build, &coupled, motion);
        tlwWeighBody(body, mass, system->unit_mass);
        for (int64_t f = 0; f < body->count; f++) {
            const tlwBodyFace *face = &body->faces[f];
            double velocity = tlwBodyVelocity(face, motion);
            system->level.mass[face->component][face->face] = (float)system->unit_mass;
            system->b.at[face->component][face->face] = (float)(system->unit_mass * velocity);
            system->x.at[face->component][face->face] = velocity;
        }
        tlwAddBodyMomentum(body, motion, &system->b);
        system->bodies = bodies;
    }
}

void tlwDragBodies(const tlwViscosityBuild *build, const tlwStressBodies *bodies)
{
    for (int n = 0; n < bodies->count; n++) {
        double motion[6];
        if (!bodies->items[n].count)
            continue;
        tlwFitBody(&bodies->items[n], &build->system->x, motion);
        tlwCoupledMass coupled = tlwSumCoupled(build->def->coupling, n);
        coupled.velocity = (tlwVec3){motion[0], motion[1], motion[2]};
        coupled.spin = tlwScale((tlwVec3){motion[3], motion[4], motion[5]}, 1 / build->def->grid->dx);
        tlwSpreadMotion(build->def->coupling, n, &coupled);
    }
}
