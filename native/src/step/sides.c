#include "step/sides.h"

#include "base/context.h"
#include "base/vec.h"
#include "scene/scene.h"

#define NEAR 1.0 // cells from a side: melt lets particles come to two thirds of a cell

typedef struct Side {
    const tlwSim *sim;
    int axis;
    double sign; // 1 for an upper side
} Side;

// How far particles of materials that melt come towards a side, cells.
static double reachRange(void *context, int64_t begin, int64_t end)
{
    const Side *s = context;
    const tlwParticles *q = &s->sim->particles;
    double most = -INFINITY;
    for (int64_t n = begin; n < end; n++)
        if (s->sim->scene->materials[q->material[n]].melts)
            most = fmax(most, s->sign * q->position[s->axis][n]);
    return most;
}

static bool isReached(const tlwSim *sim, int side)
{
    Side s = {sim, side / 2, side % 2 ? 1 : -1};
    double end = side % 2 ? sim->scene->extent[side / 2] : 0;
    double reach = tlwParallelMax(sim->context->threads, sim->particles.count, 65536, reachRange, &s);
    return sim->particles.count && reach > s.sign * end - NEAR;
}

static bool isBelow(const tlwSim *sim, int side)
{
    const double down[3] = {sim->gravity->x, sim->gravity->y, sim->gravity->z};
    return (side % 2 ? 1 : -1) * down[side / 2] > 0.5 * tlwLength(*sim->gravity);
}

void tlwWatchSides(tlwSim *sim, const char *frame)
{
    bool first = !(sim->sides_reached & TLW_SIDES_KNOWN);
    sim->sides_reached |= TLW_SIDES_KNOWN;
    for (int side = 0; side < 6; side++) {
        if (sim->sides_reached >> side & 1 || sim->scene->def.walls[side] == TLW_WALL_OPEN || !isReached(sim, side))
            continue;
        sim->sides_reached |= 1 << side;
        if (!first && !isBelow(sim, side))
            tlwLog(sim->context, TLW_LOG_WARNING,
                   "%s: what melts has reached the closed side %c%c of the domain, which holds it like an invisible "
                   "wall. Make the domain wider, or open that side under Walls.",
                   frame, side % 2 ? '+' : '-', 'X' + side / 2);
    }
}
