#include "step/heat/sources.h"

#include "base/vec.h"
#include "step/heat/system.h"

#include <math.h>

typedef struct Source {
    tlwHeatSystem *s;
    const tlwHeatSource *source;
    double scale; // J/kg for a volume, W for a lamp
} Source;

static tlwVec3 getCentre(const tlwGrid *grid, int i, int j, int k)
{
    return (tlwVec3){grid->origin.x + (i + 0.5) * grid->dx, grid->origin.y + (j + 0.5) * grid->dx,
                     grid->origin.z + (k + 0.5) * grid->dx};
}

// Whether a tile reaches into the source's box.
static bool touchesBox(const tlwGrid *grid, const tlwTile *tile, const tlwHeatSource *source)
{
    double size = TLW_TILE * grid->dx;
    tlwVec3 low = {grid->origin.x + tile->cell[0] * grid->dx, grid->origin.y + tile->cell[1] * grid->dx,
                   grid->origin.z + tile->cell[2] * grid->dx};
    return low.x <= source->high.x && low.x + size >= source->low.x && low.y <= source->high.y &&
           low.y + size >= source->low.y && low.z <= source->high.z && low.z + size >= source->low.z;
}

// Mass inside the volume; cells at its surface count by their share. Adds that mass times `scale` to the cells' source.
static double volumeRange(void *context, int64_t begin, int64_t end)
{
    Source *v = context;
    tlwHeatSystem *s = v->s;
    const tlwGrid *grid = &s->flow->grid;
    double sum = 0;
    for (int64_t t = begin; t < end; t++) {
        if (!touchesBox(grid, &grid->tiles[t], v->source))
            continue;
        TLW_FOR_ROWS(grid, &grid->tiles[t], j, k, row) {
            float points[3 * TLW_TILE], distance[TLW_TILE];
            for (int i = 0; i < TLW_TILE; i++) {
                tlwVec3 p = getCentre(grid, grid->tiles[t].cell[0] + i, (int)j, k);
                points[3 * i] = (float)p.x;
                points[3 * i + 1] = (float)p.y;
                points[3 * i + 2] = (float)p.z;
            }
            v->source->distance(v->source->user, points, TLW_TILE, distance);
            for (int i = 0; i < TLW_TILE; i++) {
                double inside = s->mass[row + i] * tlwClamp(0.5 - distance[i] / grid->dx, 0, 1);
                s->source[row + i] += (float)(v->scale * inside);
                sum += inside;
            }
        }
    }
    return sum;
}

static bool isBlocked(const tlwFlow *flow, const int cell[3])
{
    const tlwGrid *grid = &flow->grid;
    int64_t c = tlwCellIndex(grid, cell[0], cell[1], cell[2]), y = grid->stride_y, z = grid->stride_z;
    if (tlwGetFloats(grid, flow->phi)[c] < 0)
        return true;
    const float *n = tlwGetFloats(grid, flow->solid) + c;
    return n[0] + n[1] + n[y] + n[y + 1] + n[z] + n[z + 1] + n[z + y] + n[z + y + 1] < 0;
}

// Walk through the cells from `from` to `to` (cell units) and stop at the first that is filled. Tiles that are not
// active are crossed in one stride.
static bool isShadowed(const tlwFlow *flow, const double from[3], const double to[3])
{
    const tlwGrid *grid = &flow->grid;
    double t = 0;
    for (int guard = 0; guard < 1 << 14 && t < 1; guard++) {
        int cell[3], tile[3];
        for (int a = 0; a < 3; a++) {
            cell[a] = (int)floor(from[a] + t * (to[a] - from[a]));
            tile[a] = tlwFloorDiv(cell[a], TLW_TILE);
        }
        bool active = tlwFindTile(grid, tile[0], tile[1], tile[2]) >= 0;
        if (active && isBlocked(flow, cell))
            return true;
        int size = active ? 1 : TLW_TILE;
        double next = 1;
        for (int a = 0; a < 3; a++) {
            double d = to[a] - from[a], low = active ? cell[a] : tile[a] * TLW_TILE;
            if (fabs(d) > 1e-9)
                next = fmin(next, ((d > 0 ? low + size : low) - from[a]) / d);
        }
        t = fmax(next, t) + 1e-4 / (fabs(to[0] - from[0]) + fabs(to[1] - from[1]) + fabs(to[2] - from[2]) + 1e-9);
    }
    return false;
}

// Share of the lamp's power that a cell's surface takes in.
static double getLampShare(const Source *l, int64_t c, int i, int j, int k)
{
    const tlwFlow *flow = l->s->flow;
    const tlwGrid *grid = &flow->grid;
    const tlwHeatSource *lamp = l->source;
    tlwVec3 normal, point = getCentre(grid, i, j, k);
    if (lamp->range > 0 && tlwLength(tlwSub(lamp->position, point)) >= lamp->range + grid->dx)
        return 0;
    double area = tlwGetCellSurface(l->s, c, &normal);
    if (!(area > 0))
        return 0;
    point = tlwMulAdd(point, -fmin(tlwGetFloats(grid, flow->phi)[c], 0), normal);
    tlwVec3 ray = tlwSub(lamp->position, point);
    double r = fmax(tlwLength(ray), 0.5 * grid->dx);
    if (lamp->range > 0 && r >= lamp->range)
        return 0;
    bool drop = normal.x == 0 && normal.y == 0 && normal.z == 0;
    double cosine = drop ? 0.25 : tlwDot(normal, ray) / r; // a ball shows a quarter of its surface
    if (cosine <= 0)
        return 0;
    // Start a cell above the surface, so that a curved surface does not shade itself.
    tlwVec3 up = drop ? tlwScale(ray, 1 / r) : normal;
    tlwVec3 start = tlwMulAdd(point, grid->dx, up);
    double from[3] = {(start.x - grid->origin.x) / grid->dx, (start.y - grid->origin.y) / grid->dx,
                      (start.z - grid->origin.z) / grid->dx};
    double to[3] = {(lamp->position.x - grid->origin.x) / grid->dx, (lamp->position.y - grid->origin.y) / grid->dx,
                    (lamp->position.z - grid->origin.z) / grid->dx};
    if (isShadowed(flow, from, to) || (lamp->shadow && lamp->shadow(lamp->user, start, lamp->position)))
        return 0;
    double fade = lamp->range > 0 ? 1 - pow(r / lamp->range, 4) : 1; // the window of Karis (2013)
    return area * cosine / (4 * 3.14159265358979 * r * r) * fade * fade;
}

static double lampRange(void *context, int64_t begin, int64_t end)
{
    Source *l = context;
    tlwHeatSystem *s = l->s;
    const tlwGrid *grid = &s->flow->grid;
    double sum = 0;
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(grid, &grid->tiles[t], j, k, row)
            for (int i = 0; i < TLW_TILE; i++) {
                if (!(s->mass[row + i] > 0))
                    continue;
                double joule = l->scale * getLampShare(l, row + i, grid->tiles[t].cell[0] + i, (int)j, k);
                s->source[row + i] += (float)joule;
                sum += joule;
            }
    return sum;
}

// What the cells really get, after rounding.
static double sourceRange(void *context, int64_t begin, int64_t end)
{
    Source *a = context;
    const tlwGrid *grid = &a->s->flow->grid;
    double sum = 0;
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(grid, &grid->tiles[t], j, k, row)
            for (int64_t c = row; c < row + TLW_TILE; c++)
                sum += a->s->source[c];
    return sum;
}

tlwResult tlwAddHeatSources(tlwHeatSystem *s, double *total)
{
    int tiles = s->flow->grid.tile_count;
    *total = 0;
    if (s->def->source_count == 0)
        return TLW_OK;
    for (int n = 0; n < s->def->source_count; n++) {
        Source source = {.s = s, .source = &s->def->sources[n]};
        double joule = source.source->power * s->step;
        if (joule == 0)
            continue;
        if (source.source->kind == TLW_HEAT_LAMP) {
            source.scale = joule;
            tlwParallelSum(s->threads, tiles, 1, lampRange, &source);
        } else if (source.source->kind == TLW_HEAT_VOLUME && source.source->distance) {
            double mass = tlwParallelSum(s->threads, tiles, TLW_TILE_BLOCK, volumeRange, &source);
            source.scale = mass > 0 ? joule / mass : 0;
            if (mass > 0)
                tlwParallelSum(s->threads, tiles, TLW_TILE_BLOCK, volumeRange, &source);
        }
    }
    Source all = {.s = s};
    *total = tlwParallelSum(s->threads, tiles, TLW_TILE_BLOCK, sourceRange, &all);
    return TLW_OK;
}
