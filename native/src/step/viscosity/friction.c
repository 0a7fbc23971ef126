#include "step/viscosity/friction.h"

#include "scene/role.h"
#include "scene/scene.h"
#include "step/liquid/levelset.h"
#include "step/obstacles/face_share.h"
#include "step/viscosity/swelling.h"

#include <math.h>

#define LEAST_LEFT 0.01f // share of its speed that a cell which stops is expected to keep
#define MOST_GRIP 1e4    // times a cell's mass over the step: practically held

typedef struct Grip {
    const tlwScene *scene;
    const tlwFlow *flow;
    const tlwGrid *grid;
    const float *phi, *pressure, *swelling, *density, *viscosity, *solid, *open[3], *velocity[3], *solid_velocity[3];
    const int16_t *object;
    float *strength, *ratio[3]; // per cell: kg/s; share of each component that runs along the wall
    float *grip[3];
    float *squeeze; // Pa, per cell
    float dt, gravity[3];
    int64_t stride[3];
} Grip;

static bool rubs(const tlwObjectDef *def)
{
    const tlwRoleTraits *traits = tlwGetTraits(def);
    return traits->obstacle && !traits->body && def->surface == TLW_SURFACE_SLIP && def->friction > 0;
}

static bool hasFriction(const tlwScene *scene)
{
    for (int n = 0; n < 6; n++)
        if (scene->def.wall_friction > 0 && scene->def.walls[n] == TLW_WALL_SLIP)
            return true;
    for (int o = 0; o < scene->object_count; o++)
        if (rubs(&scene->objects[o].def))
            return true;
    return false;
}

// The wall in a cell: its area over that of a face, its normal into the liquid and the face that most of it closes.
typedef struct Wall {
    float area, normal[3];
    int axis;
    bool upper;
} Wall;

static bool findWall(const Grip *g, int64_t c, Wall *wall)
{
    float square = 0, most = 0;
    *wall = (Wall){0};
    for (int a = 0; a < 3; a++) {
        float low = g->open[a][c], high = g->open[a][c + g->stride[a]];
        float closed = low == 0 && high == 0 ? 2 : high - low; // two walls in one cell count as one of twice the size
        wall->normal[a] = closed;
        square += closed * closed;
        if (fabsf(closed) > most) {
            most = fabsf(closed);
            wall->axis = a;
            wall->upper = closed < 0;
        }
    }
    wall->area = sqrtf(square);
    for (int a = 0; a < 3 && wall->area > 0; a++)
        wall->normal[a] /= wall->area;
    return wall->area > 0.01f;
}

static float getFriction(const Grip *g, int64_t c, const Wall *wall)
{
    const tlwSceneDef *def = &g->scene->def;
    int64_t face = wall->upper ? c + g->stride[wall->axis] : c;
    int object = g->object[tlwFindDeepestNode(g->grid, g->solid, wall->axis, face)];
    if (object >= 0)
        return rubs(&g->scene->objects[object].def) ? (float)g->scene->objects[object].def.friction : 0;
    bool slips = def->walls[2 * wall->axis + wall->upper] == TLW_WALL_SLIP;
    return object == TLW_WALL_OBJECT && slips ? (float)def->wall_friction : 0;
}

// A cell that a wall cuts does not resolve how liquid is squeezed against the wall. The cell behind it knows more.
// Returns the part of the load that is taken from the cell behind; 0 where there is no such cell.
static float findBehind(const Grip *g, int64_t c, const Wall *wall, int64_t *behind)
{
    *behind = wall->upper ? c - g->stride[wall->axis] : c + g->stride[wall->axis];
    float share = tlwGetOpenShare(g->grid, g->solid, c);
    if (share >= 0.99f || !(g->phi[*behind] < 0) || !(g->density[*behind] > 0))
        return 0;
    return share < 0.5f ? 2 * share : 1; // in slivers, the face between the two cells is held back
}

// Pressure, plus the weight of the liquid between the cell's centre and the wall.
static float getWeight(const Grip *g, int64_t c, const Wall *wall)
{
    float distance = tlwGetCentreSolid(g->grid, g->solid, c), weight = 0;
    for (int a = 0; a < 3; a++)
        weight -= g->density[c] * g->gravity[a] * wall->normal[a];
    return g->pressure[c] + (distance > 0 && weight > 0 ? distance * weight : 0);
}

// Pressure of the liquid on a wall, Pa.
static float getLoad(const Grip *g, int64_t c, const Wall *wall)
{
    int64_t behind;
    float part = findBehind(g, c, wall, &behind), load = g->squeeze[c] + (1 - part) * getWeight(g, c, wall);
    load += (part > 0 ? part * getWeight(g, behind, wall) : 0);
    // Resistance to a change of volume, as the last step left it. Cells that a wall cuts have none.
    load += g->swelling[c] / TLW_SWELLING_KEPT;
    return load > 0 ? load : 0;
}

// Speed of the cell after the step: the wall brakes all the liquid that viscosity moves along with the cell.
static float expectSpeed(const Grip *g, int64_t c, float speed, float stress, float load)
{
    float density = g->density[c], depth = (float)g->grid->dx;
    depth += 2 * sqrtf(g->viscosity[c] / density * g->dt);
    float weight = 0;
    for (int a = 0; a < 3; a++)
        weight += g->gravity[a] * g->gravity[a];
    float whole = weight > 0 ? load / (density * sqrtf(weight)) : depth; // depth of the liquid that rests on the wall
    depth = depth < whole ? depth : whole;
    float left = depth > 0 ? speed - g->dt * stress / (density * depth) : 0;
    return left > LEAST_LEFT * speed ? left : LEAST_LEFT * speed;
}

static void gripCell(const Grip *g, int64_t c)
{
    Wall wall;
    g->strength[c] = 0;
    if (!(g->phi[c] < 0) || !(g->density[c] > 0) || !findWall(g, c, &wall))
        return;
    float friction = getFriction(g, c, &wall);
    if (!(friction > 0))
        return;
    float v[3], along[3], through = 0, speed = 0, dx = (float)g->grid->dx;
    for (int a = 0; a < 3; a++) {
        int64_t high = c + g->stride[a];
        float low = g->open[a][c] > 0 ? g->velocity[a][c] - g->solid_velocity[a][c] : 0;
        float up = g->open[a][high] > 0 ? g->velocity[a][high] - g->solid_velocity[a][high] : 0;
        bool both = g->open[a][c] > 0 && g->open[a][high] > 0;
        v[a] = both ? 0.5f * (low + up) : low + up;
        through += v[a] * wall.normal[a];
    }
    for (int a = 0; a < 3; a++) {
        along[a] = v[a] - through * wall.normal[a];
        speed += along[a] * along[a];
        float ratio = v[a] != 0 ? along[a] / v[a] : 0;
        g->ratio[a][c] = ratio < 0 ? 0 : ratio > 1 ? 1 : ratio;
    }
    speed = sqrtf(speed);
    if (!(speed > 1e-9f))
        return;
    float load = getLoad(g, c, &wall), stress = friction * load;
    float strength = stress * wall.area * dx * dx / expectSpeed(g, c, speed, stress, load);
    float most = (float)MOST_GRIP * g->density[c] * dx * dx * dx / g->dt;
    g->strength[c] = strength < most ? strength : most;
}

static void cellRange(void *context, int64_t begin, int64_t end)
{
    const Grip *g = context;
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(g->grid, &g->grid->tiles[t], j, k, row)
            for (int64_t c = row; c < row + TLW_TILE; c++)
                gripCell(g, c);
}

// A face takes half of the grip of each cell beside it.
static void faceRange(void *context, int64_t begin, int64_t end)
{
    const Grip *g = context;
    for (int64_t t = begin; t < end; t++)
        for (int a = 0; a < 3; a++)
            TLW_FOR_ROWS(g->grid, &g->grid->tiles[t], j, k, row)
                for (int64_t c = row; c < row + TLW_TILE; c++) {
                    int64_t low = c - g->stride[a];
                    bool here_wet = g->phi[c] < 0,
                         low_wet = g->phi[low] < 0; // short-circuits reads of inactive tiles, whose scratch is not set
                    float here = here_wet && g->strength[c] > 0 ? g->strength[c] * g->ratio[a][c] : 0;
                    float there = low_wet && g->strength[low] > 0 ? g->strength[low] * g->ratio[a][low] : 0;
                    g->grip[a][c] = 0.5f * (here + there);
                }
}

static Grip makeGrip(const tlwScene *scene, double dt, const tlwFlow *flow)
{
    const tlwGrid *grid = &flow->grid;
    Grip g = {.scene = scene,
              .flow = flow,
              .grid = grid,
              .phi = tlwGetFloats(grid, flow->phi),
              .pressure = tlwGetFloats(grid, flow->pressure),
              .swelling = tlwGetFloats(grid, flow->swelling),
              .density = tlwGetFloats(grid, flow->density),
              .viscosity = tlwGetFloats(grid, flow->viscosity),
              .solid = tlwGetFloats(grid, flow->solid),
              .object = (const int16_t *)grid->fields[flow->solid_object].data,
              .dt = (float)dt,
              .gravity = {(float)scene->gravity.x, (float)scene->gravity.y, (float)scene->gravity.z},
              .stride = {1, grid->stride_y, grid->stride_z}};
    for (int a = 0; a < 3; a++) {
        g.open[a] = tlwGetFloats(grid, flow->open[a]);
        g.velocity[a] = tlwGetFloats(grid, flow->velocity[a]);
        g.solid_velocity[a] = tlwGetFloats(grid, flow->solid_velocity[a]);
    }
    return g;
}

// Viscous stress on a wall, Pa, as a cell sees it.
static float getSqueeze(const Grip *g, int64_t c, const Wall *wall)
{
    float squeeze = 0;
    for (int a = 0; a < 3; a++) {
        int64_t high = c + g->stride[a];
        float low = g->open[a][c] > 0 ? g->velocity[a][c] : g->solid_velocity[a][c];
        float up = g->open[a][high] > 0 ? g->velocity[a][high] : g->solid_velocity[a][high];
        squeeze -= 2 * g->viscosity[c] * wall->normal[a] * wall->normal[a] * (up - low) / (float)g->grid->dx;
    }
    return squeeze;
}

static void squeezeRange(void *context, int64_t begin, int64_t end)
{
    const Grip *g = context;
    Wall wall;
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(g->grid, &g->grid->tiles[t], j, k, row)
            for (int64_t c = row; c < row + TLW_TILE; c++) {
                int64_t behind;
                g->squeeze[c] = 0;
                if (!(g->phi[c] < 0) || !findWall(g, c, &wall))
                    continue;
                float part = findBehind(g, c, &wall, &behind);
                g->squeeze[c] =
                    (1 - part) * getSqueeze(g, c, &wall) + (part > 0 ? part * getSqueeze(g, behind, &wall) : 0);
            }
}

tlwResult tlwFindSqueeze(tlwThreads *threads, const tlwScene *scene, tlwFlow *flow)
{
    tlwReturnGrip(flow); // left by a failed step
    if (!hasFriction(scene))
        return TLW_OK;
    flow->squeeze = tlwBorrowField(&flow->grid, sizeof(float));
    if (flow->squeeze < 0)
        return TLW_OUT_OF_MEMORY;
    Grip g = makeGrip(scene, 0, flow);
    g.squeeze = tlwGetFloats(&flow->grid, flow->squeeze);
    tlwParallelFor(threads, flow->grid.tile_count, TLW_TILE_BLOCK, squeezeRange, &g);
    return TLW_OK;
}

tlwResult tlwFindGrip(tlwThreads *threads, const tlwScene *scene, double dt, tlwFlow *flow)
{
    tlwGrid *grid = &flow->grid;
    if (flow->squeeze < 0)
        return TLW_OK;
    int slots[4];
    bool ok = true;
    for (int n = 0; n < 4; n++)
        ok = (slots[n] = tlwBorrowField(grid, sizeof(float))) >= 0 && ok;
    for (int a = 0; a < 3; a++)
        ok = (flow->grip[a] = tlwBorrowField(grid, sizeof(float))) >= 0 && ok;
    if (ok) {
        Grip g = makeGrip(scene, dt, flow);
        g.strength = tlwGetFloats(grid, slots[3]);
        g.squeeze = tlwGetFloats(grid, flow->squeeze);
        for (int a = 0; a < 3; a++) {
            g.ratio[a] = tlwGetFloats(grid, slots[a]);
            g.grip[a] = tlwGetFloats(grid, flow->grip[a]);
        }
        tlwParallelFor(threads, grid->tile_count, TLW_TILE_BLOCK, cellRange, &g);
        tlwParallelFor(threads, grid->tile_count, TLW_TILE_BLOCK, faceRange, &g);
    } else {
        tlwReturnGrip(flow);
    }
    for (int n = 0; n < 4; n++)
        tlwReturnField(grid, slots[n]);
    return ok ? TLW_OK : TLW_OUT_OF_MEMORY;
}

void tlwReturnGrip(tlwFlow *flow)
{
    for (int a = 0; a < 3; a++) {
        tlwReturnField(&flow->grid, flow->grip[a]);
        flow->grip[a] = -1;
    }
    tlwReturnField(&flow->grid, flow->squeeze);
    flow->squeeze = -1;
}
