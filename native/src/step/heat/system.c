#include "step/heat/system.h"

#include "base/memory.h"
#include "base/vec.h"
#include "step/heat/cut_cells.h"
#include "step/liquid/levelset.h"
#include "step/obstacles/face_share.h"

#include <math.h>
#include <string.h>

#define STEFAN_BOLTZMANN 5.670374419e-8 // W/m2 K4
#define SAME_KELVIN 1e-6                // temperatures that differ by less are the same
#define LEAST_GAP 0.02                  // cells between a wall and the middle of what touches it
#define LEAST_WAY 0.4                   // cells between the middles of two cells: one of them is cut
#define MOST_WAY 1.5

tlwHeatCurve tlwMakeHeatCurve(const tlwMaterial *material)
{
    const tlwMaterialDef *def = &material->def;
    tlwHeatCurve c = {.conductivity = {def->conductivity_solid, def->conductivity_liquid}};
    c.cs = c.cm = c.cl = def->specific_heat_liquid;
    if (!material->melts) {
        c.ts = c.te = INFINITY;
        c.hs = c.he = INFINITY;
        c.conductivity[0] = c.conductivity[1];
        return c;
    }
    c.cs = def->specific_heat_solid;
    c.ts = def->solidus;
    c.te = fmax(def->liquidus, def->solidus + TLW_HEAT_MIN_SPAN);
    c.hs = material->enthalpy_solidus;
    c.he = material->enthalpy_liquidus;
    c.cm = (c.he - c.hs) / (c.te - c.ts);
    double slopes[3] = {c.cs, c.cm, c.cl};
    for (int n = 0; n < 2; n++) {
        c.rise[n] = fmax(slopes[n + 1] - slopes[n], 0);
        c.fall[n] = fmax(slopes[n] - slopes[n + 1], 0);
    }
    return c;
}

// Share of a face that lies in the material, from the level set on both sides. The surface is taken as a plane. Its
// slope along the axis says how fast the wetted part of the face grows with distance.
static double getWettedShare(double phi, double phi_lower, double dx)
{
    if (phi + phi_lower < -2 * dx)
        return 1;
    double along = (phi - phi_lower) / dx;
    double width = sqrt(fmax(1 - along * along, 0.01)) * dx;
    return tlwClamp(0.5 - 0.5 * (phi + phi_lower) / width, 0, 1);
}

static tlwVec3 getGradient(const float *phi, const int64_t strides[3], int64_t c)
{
    return (tlwVec3){phi[c + strides[0]] - phi[c - strides[0]], phi[c + strides[1]] - phi[c - strides[1]],
                     phi[c + strides[2]] - phi[c - strides[2]]};
}

// The line between the centres of two cells crosses the surface. Returns the part of the normal along the line: the
// area of surface, over dx^2, that the line stands for. On a plane of any tilt these parts add up to its area.
static double getCrossing(const float *phi, const int64_t strides[3], int64_t c, int64_t n, int axis)
{
    double share = phi[c] / (phi[c] - phi[n]);
    tlwVec3 g = tlwMulAdd(tlwScale(getGradient(phi, strides, c), 1 - share), share, getGradient(phi, strides, n));
    double length = tlwLength(g), along = axis == 0 ? g.x : axis == 1 ? g.y : g.z;
    return length > 0 ? fabs(along) / length : 1;
}

double tlwGetCellSurface(const tlwHeatSystem *s, int64_t cell, tlwVec3 *normal)
{
    const tlwFlow *flow = s->flow;
    const tlwGrid *grid = &flow->grid;
    const float *phi = tlwGetFloats(grid, flow->phi);
    const int64_t strides[3] = {1, grid->stride_y, grid->stride_z};
    double dx = grid->dx, area = 0;
    *normal = (tlwVec3){0, 0, 0};
    if (phi[cell] < -2 * dx)
        return 0;
    bool near = phi[cell] < 0;
    for (int a = 0; a < 3; a++)
        near = near || phi[cell + strides[a]] < 0 || phi[cell - strides[a]] < 0;
    if (!near) { // a drop or a sheet that the level set does not see counts as a ball of its volume
        double volume = fmin(s->fill[cell], 1) * dx * dx * dx;
        return 4.835976 * cbrt(volume * volume);
    }
    if (phi[cell] >= 0)
        return 0;
    for (int a = 0; a < 3; a++) {
        const float *open = tlwGetFloats(grid, flow->open[a]);
        for (int side = -1; side <= 1; side += 2) {
            int64_t n = cell + side * strides[a], face = side < 0 ? cell : n;
            if (phi[n] >= 0 && open[face] > 0)
                area += open[face] * getCrossing(phi, strides, cell, n, a);
        }
    }
    if (area > 0) {
        tlwVec3 g = getGradient(phi, strides, cell);
        double length = tlwLength(g);
        *normal = length > 0 ? tlwScale(g, 1 / length) : *normal;
    }
    return area * dx * dx;
}

typedef struct Assembly {
    tlwHeatSystem *s;
    tlwCutCells cut;
    float *conductivity; // W/m K, 0 where there is no mass
    float *lift;         // cells: how much farther from the solid the middle of the open part lies than the centre
    const float *phi;
    double dx;
} Assembly;

// Centre of a cell to the nearest solid, m.
static double getSolidDistance(const Assembly *a, int64_t c)
{
    return tlwGetCentreSolid(a->cut.grid, a->cut.solid, c);
}

static float getLift(const Assembly *a, int64_t c, const int cell[3])
{
    if (getSolidDistance(a, c) > a->dx)
        return 0;
    tlwCellGap gap = tlwGetCellGap(&a->cut, c, cell);
    return (float)(gap.middle - gap.centre);
}

// Conductivity of a cell's material from the cell's temperature to another.
static double getPathConductivity(const Assembly *a, int64_t c, double to)
{
    const tlwHeatSystem *s = a->s;
    bool same = fabs(to - s->temperature[c]) < SAME_KELVIN;
    return same ? a->conductivity[c] : tlwGetPathConductivity(&s->curves[s->material[c]], s->temperature[c], to);
}

// Temperature and conductivity; returns the largest diffusion number.
static double startRange(void *context, int64_t begin, int64_t end)
{
    Assembly *a = context;
    tlwHeatSystem *s = a->s;
    const tlwGrid *grid = &s->flow->grid;
    double fastest = 0;
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(grid, &grid->tiles[t], j, k, row)
            for (int64_t c = row; c < row + TLW_TILE; c++) {
                s->source[c] = s->air[c] = s->contact[c] = 0;
                s->heat[c] = 0;
                s->temperature[c] = 0;
                s->fill[c] = 0;
                a->conductivity[c] = a->lift[c] = 0;
                if (!(s->mass[c] > 0))
                    continue;
                a->lift[c] = getLift(a, c, (int[3]){grid->tiles[t].cell[0] + (int)(c - row), (int)j, k});
                const tlwMaterial *material = &s->def->materials[s->material[c]];
                double melt = tlwGetMelt(material, s->enthalpy[c]);
                double conductivity = tlwGetConductivity(material, melt), density = tlwGetDensity(material, melt);
                s->temperature[c] = tlwGetCurveTemperature(&s->curves[s->material[c]], s->enthalpy[c]);
                a->conductivity[c] = (float)conductivity;
                s->fill[c] = (float)(s->mass[c] / (density * a->dx * a->dx * a->dx));
                fastest = fmax(fastest, conductivity / (density * tlwGetSpecificHeat(material, melt)));
            }
    return fastest * s->step / (a->dx * a->dx);
}

// The part of a sliver's surface that belongs to a neighbour: a sliver is a cell without material that the solid nearly
// fills. The neighbours with material in front of it share its surface, by the squares of its normal's parts.
static double getSliverPart(const Assembly *a, int64_t c, const int cell[3], int axis, int side, double direction[3])
{
    double area = tlwGetSolidArea(&a->cut, c, cell, direction), sum = 0;
    if (area < 0.01 || side * direction[axis] <= 0)
        return 0;
    for (int d = 0; d < 3; d++)
        if (a->s->mass[direction[d] > 0 ? c + a->cut.strides[d] : c - a->cut.strides[d]] > 0)
            sum += direction[d] * direction[d];
    return area * direction[axis] * direction[axis] / sum;
}

// The surface of slivers around a cell that belongs to the cell.
static double getSliverArea(const Assembly *a, int64_t c, const int cell[3], double away[3])
{
    double area = 0;
    for (int axis = 0; axis < 3; axis++)
        for (int side = -1; side <= 1; side += 2) {
            int64_t n = c + side * a->cut.strides[axis];
            int next[3] = {cell[0], cell[1], cell[2]};
            next[axis] += side;
            if (a->s->mass[n] > 0 || getSolidDistance(a, n) > 0 ||
                tlwGetOpenFace(&a->cut, side < 0 ? c : n, side < 0 ? cell : next, axis) < 0.02)
                continue;
            double direction[3], part = getSliverPart(a, n, next, axis, -side, direction);
            area += part;
            for (int d = 0; d < 3 && part > 0; d++)
                away[d] += direction[d];
        }
    return area;
}

static double getWetShare(const Assembly *a, int64_t c)
{
    return tlwClamp(fmax(0.5 - a->phi[c] / a->dx, a->s->fill[c]), 0, 1);
}

// The share of a cell's wall that is wet. In a cell that is mostly solid, the level set is only a continuation from
// outside: what wets the wall there is in the cell, or in front of it.
static double getWetWall(const Assembly *a, int64_t c, const double away[3], double open)
{
    double wet = getWetShare(a, c), best = a->s->fill[c] / fmax(open, 0.01);
    if (open >= 0.5)
        return wet;
    for (int d = 0; d < 3; d++) {
        int64_t n = away[d] > 0 ? c + a->cut.strides[d] : c - a->cut.strides[d];
        if (away[d] != 0 && a->s->mass[n] > 0)
            best = fmax(best, getWetShare(a, n));
    }
    return fmin(wet, best);
}

// From the middle of the open part to the wall, through the material; then through half a cell of the solid.
static void addContact(Assembly *a, int64_t c, const int cell[3], double normal_weight[3])
{
    tlwHeatSystem *s = a->s;
    if (getSolidDistance(a, c) > 1.5 * a->dx)
        return;
    int object = tlwFindCellObject(&a->cut, c, cell);
    if (object < 0 || object >= s->def->object_count || !(s->def->objects[object].conductivity > 0))
        return;
    double away[3], dx = a->dx, area = tlwGetSolidArea(&a->cut, c, cell, away);
    area += a->phi[c] < 0 ? getSliverArea(a, c, cell, away) : 0;
    if (area < 0.01)
        return;
    const tlwHeatObject *solid = &s->def->objects[object];
    double wet = getWetWall(a, c, away, tlwGetOpenShare(&s->flow->grid, a->cut.solid, c));
    double gap = tlwClamp(tlwGetCellGap(&a->cut, c, cell).middle, LEAST_GAP, 1);
    double resistance =
        gap * dx / getPathConductivity(a, c, solid->temperature) + 0.5 * dx / s->def->objects[object].conductivity;
    s->object[c] = (int16_t)object;
    s->contact[c] = (float)(s->step * area * wet * dx * dx / resistance);
    for (int axis = 0; axis < 3; axis++)
        normal_weight[axis] += s->contact[c] * fabs(away[axis]);
}

static double addAir(Assembly *a, int64_t c, double normal_weight[3])
{
    tlwHeatSystem *s = a->s;
    tlwVec3 normal;
    double area = tlwGetCellSurface(s, c, &normal);
    if (!(area > 0))
        return 0;
    double t = s->temperature[c], ambient = s->def->ambient_temperature;
    // The secant of T^4 makes radiation a film coefficient.
    double film =
        s->def->film_coefficient + s->def->emissivity * STEFAN_BOLTZMANN * (t * t + ambient * ambient) * (t + ambient);
    if (film > 0) {
        double depth = tlwClamp(-a->phi[c], 0, a->dx);
        s->air[c] = (float)(s->step * area / (1 / film + depth / a->conductivity[c]));
        normal_weight[0] += s->air[c] * fabs(normal.x);
        normal_weight[1] += s->air[c] * fabs(normal.y);
        normal_weight[2] += s->air[c] * fabs(normal.z);
    }
    return area;
}

// Conductivity between two cells, 0 where one of them holds nothing.
static double getFaceConductivity(const Assembly *a, int64_t c, int64_t n)
{
    const tlwHeatSystem *s = a->s;
    double k0 = a->conductivity[c], k1 = a->conductivity[n];
    if (!(k0 > 0 && k1 > 0))
        return 0;
    return s->material[c] == s->material[n] ? getPathConductivity(a, c, s->temperature[n]) : 2 * k0 * k1 / (k0 + k1);
}

// One over the distance between the middles of two cells' open parts, in cells. Temperature varies along the solid's
// normal, so the lifts count by the cosine between normal and axis. Across the normal, the middles are a cell apart.
static double getCloseness(const Assembly *a, int64_t c, int64_t n, const int cell[3], int axis)
{
    double lift = (double)a->lift[c] - a->lift[n];
    if (lift == 0)
        return 1;
    double cosine = tlwGetWallCosine(&a->cut, c, cell, axis), square = cosine * cosine;
    if (square < 1e-4)
        return 1;
    return square / tlwClamp(1 + lift / cosine, LEAST_WAY, MOST_WAY) + 1 - square;
}

// Conductance across the lower face of a cell: the wetted, open share of the face counts.
static float getFaceWeight(const Assembly *a, int64_t c, const int cell[3], int axis)
{
    int64_t n = c - a->cut.strides[axis];
    double conductivity = getFaceConductivity(a, c, n);
    if (!(conductivity > 0))
        return 0;
    double wet = fmax(getWettedShare(a->phi[c], a->phi[n], a->dx), fmin(a->s->fill[c], a->s->fill[n]));
    double share = fmin(fmin(wet, 1), tlwGetOpenFace(&a->cut, c, cell, axis));
    return (float)(a->s->step * a->dx * share * conductivity * getCloseness(a, c, n, cell, axis));
}

// Weights, air and contact; returns the surface area.
static double weighRange(void *context, int64_t begin, int64_t end)
{
    Assembly *a = context;
    tlwHeatSystem *s = a->s;
    const tlwGrid *grid = &s->flow->grid;
    double area = 0;
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(grid, &grid->tiles[t], j, k, row)
            for (int64_t c = row; c < row + TLW_TILE; c++) {
                const int cell[3] = {grid->tiles[t].cell[0] + (int)(c - row), (int)j, k};
                for (int axis = 0; axis < 3; axis++)
                    s->weight[axis][c] = getFaceWeight(a, c, cell, axis);
                s->axis[c] = 0;
                if (!(a->conductivity[c] > 0))
                    continue;
                double normal_weight[3] = {0, 0, 0};
                addContact(a, c, cell, normal_weight);
                area += addAir(a, c, normal_weight);
                s->axis[c] = normal_weight[1] > normal_weight[0];
                if (normal_weight[2] > normal_weight[s->axis[c]])
                    s->axis[c] = 2;
            }
    return area;
}

static bool borrow(tlwHeatSystem *s, size_t element, void *pointer)
{
    int slot = tlwBorrowField(&s->flow->grid, element);
    if (slot < 0)
        return false;
    s->slots[s->slot_count++] = slot;
    void *data = s->flow->grid.fields[slot].data;
    memcpy(pointer, &data, sizeof data);
    return true;
}

void tlwFreeHeatSystem(tlwHeatSystem *s)
{
    for (int n = s->slot_count - 1; n >= 0; n--)
        tlwReturnField(&s->flow->grid, s->slots[n]);
    s->slot_count = 0;
    tlwFree(s->curves);
    s->curves = NULL;
}

tlwResult tlwAssembleHeat(tlwThreads *threads, tlwFlow *flow, const tlwHeatDef *def, int mass, int heat,
                          tlwHeatSystem *s, tlwHeatStats *stats, tlwMessage *message)
{
    tlwGrid *grid = &flow->grid;
    *s = (tlwHeatSystem){.threads = threads, .flow = flow, .def = def, .step = def->dt * def->thermal_speed};
    s->mass = tlwGetDoubles(grid, mass);
    s->heat = tlwGetDoubles(grid, heat);
    s->material = tlwGetBytes(grid, flow->material);
    s->enthalpy = tlwGetFloats(grid, flow->enthalpy);
    s->curves = tlwAlloc((size_t)def->material_count, sizeof *s->curves);
    Assembly a = {.s = s, .dx = grid->dx, .cut = tlwMakeCutCells(flow)};
    bool ok = s->curves && borrow(s, sizeof(double), &s->temperature) && borrow(s, sizeof(float), &s->air) &&
              borrow(s, sizeof(float), &s->contact) && borrow(s, sizeof(float), &s->source) && borrow(s, 1, &s->axis) &&
              borrow(s, sizeof(float), &a.conductivity) && borrow(s, sizeof(float), &s->fill) &&
              borrow(s, sizeof(float), &a.lift) && borrow(s, sizeof(int16_t), &s->object);
    for (int axis = 0; ok && axis < 3; axis++)
        ok = borrow(s, sizeof(float), &s->weight[axis]);
    if (!ok) {
        tlwFreeHeatSystem(s);
        return tlwFailMemory(message, "the heat step");
    }
    for (int m = 0; m < def->material_count; m++)
        s->curves[m] = tlwMakeHeatCurve(&def->materials[m]);
    a.phi = tlwGetFloats(grid, flow->phi);
    stats->diffusion_number = tlwParallelMax(threads, grid->tile_count, TLW_TILE_BLOCK, startRange, &a);
    stats->surface_area = tlwParallelSum(threads, grid->tile_count, TLW_TILE_BLOCK, weighRange, &a);
    return TLW_OK;
}
