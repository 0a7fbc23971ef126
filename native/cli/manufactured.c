#include "manufactured.h"

#include "base/context.h"
#include "base/memory.h"
#include "step/viscosity/viscosity.h"

#include <math.h>

// Density, time step and mean viscosity are one, in a closed box of pi a side whose walls stick.
static const double PI = 3.14159265358979323846;

// Component a is the product of sin(WAVES[a][b] x_b). It is zero on the walls. Neither the velocity nor its stress is
// free of divergence.
static const int WAVES[3][3] = {{1, 1, 1}, {2, 1, 1}, {1, 2, 1}};

typedef struct Flow {
    tlwGrid grid;
    tlwViscosityDef def;
    bool varying;
} Flow;

// Component a at x, derived order[b] times along b.
static double velocity(int a, const double x[3], const int order[3])
{
    double product = 1;
    for (int b = 0; b < 3; b++) {
        double k = WAVES[a][b], phase = k * x[b] + 0.5 * PI * order[b]; // sin' = k sin(. + pi/2)
        product *= pow(k, order[b]) * sin(phase);
    }
    return product;
}

static double derived(int a, const double x[3], int b, int c)
{
    int order[3] = {0, 0, 0};
    if (b >= 0)
        order[b]++;
    if (c >= 0)
        order[c]++;
    return velocity(a, x, order);
}

// Viscosity and its slope.
static double viscosity(const Flow *flow, const double x[3], double slope[3])
{
    double s = 0.7 * sin(x[0] - 0.5 * x[1] + 0.3 * x[2]), c = 0.7 * cos(x[0] - 0.5 * x[1] + 0.3 * x[2]);
    slope[0] = flow->varying ? c : 0;
    slope[1] = -0.5 * slope[0];
    slope[2] = 0.3 * slope[0];
    return flow->varying ? 1 + s : 1;
}

// Velocity before the step: u - div (mu (grad u + grad u')).
static double before(const Flow *flow, int a, const double x[3])
{
    double slope[3], mu = viscosity(flow, x, slope), force = 0;
    for (int b = 0; b < 3; b++) {
        force += mu * (derived(a, x, b, b) + derived(b, x, a, b));
        force += slope[b] * (derived(a, x, b, -1) + derived(b, x, a, -1));
    }
    return derived(a, x, -1, -1) - force;
}

static bool initFlow(Flow *flow, int cells, bool varying)
{
    const float zero = 0;
    const uint8_t one = 1;
    double dx = PI / cells;
    tlwGrid *grid = &flow->grid;
    tlwInitGrid(grid, (tlwVec3){0, 0, 0}, (int[3]){cells, cells, cells}, dx);
    flow->varying = varying;
    flow->def = tlwDefaultViscosityDef();
    tlwViscosityDef *def = &flow->def;
    def->grid = grid;
    def->dt = 1;
    def->tolerance = 1e-7;
    def->max_iterations = 200;
    def->phi = tlwAddField(grid, sizeof zero, &zero, false);
    def->solid = tlwAddField(grid, sizeof zero, &zero, false);
    def->viscosity = tlwAddField(grid, sizeof zero, &zero, false);
    def->density = tlwAddField(grid, sizeof zero, &zero, false);
    def->stick = tlwAddField(grid, sizeof one, &one, false);
    bool ok = def->stick >= 0;
    for (int a = 0; a < 3; a++) {
        def->velocity[a] = tlwAddField(grid, sizeof zero, &zero, false);
        def->solid_velocity[a] = tlwAddField(grid, sizeof zero, &zero, false);
        ok = ok && def->solid_velocity[a] >= 0;
    }
    return ok;
}

// Activate the box and two cells of wall around it.
static tlwResult activate(Flow *flow, int cells)
{
    int side = tlwFloorDiv(cells + 2, TLW_TILE) + 2, count = 0;
    int(*tiles)[3] = tlwAlloc((size_t)side * (size_t)side * (size_t)side, sizeof *tiles);
    if (!tiles)
        return TLW_OUT_OF_MEMORY;
    for (int k = -1; k < side - 1; k++)
        for (int j = -1; j < side - 1; j++)
            for (int i = -1; i < side - 1; i++, count++) {
                tiles[count][0] = i;
                tiles[count][1] = j;
                tiles[count][2] = k;
            }
    tlwResult result = tlwActivateTiles(NULL, &flow->grid, (const int(*)[3])tiles, count);
    tlwFree(tiles);
    return result;
}

static void fill(Flow *flow, int cells)
{
    tlwGrid *grid = &flow->grid;
    const tlwViscosityDef *def = &flow->def;
    double dx = grid->dx, slope[3];
    for (int t = 0; t < grid->tile_count; t++)
        TLW_FOR_ROWS(grid, &grid->tiles[t], j, k, row)
            for (int n = 0; n < TLW_TILE; n++) {
                int at[3] = {grid->tiles[t].cell[0] + n, (int)j, k}, wall = 4;
                double centre[3];
                for (int a = 0; a < 3; a++) {
                    wall = at[a] < wall ? at[a] : wall;
                    wall = cells - at[a] < wall ? cells - at[a] : wall;
                    centre[a] = (at[a] + 0.5) * dx;
                }
                tlwGetFloats(grid, def->phi)[row + n] = (float)(-4 * dx);
                tlwGetFloats(grid, def->solid)[row + n] = (float)(wall * dx);
                tlwGetFloats(grid, def->density)[row + n] = 1;
                tlwGetFloats(grid, def->viscosity)[row + n] = (float)viscosity(flow, centre, slope);
                for (int a = 0; a < 3; a++) {
                    double face[3] = {centre[0], centre[1], centre[2]};
                    face[a] -= 0.5 * dx;
                    tlwGetFloats(grid, def->velocity[a])[row + n] = (float)before(flow, a, face);
                }
            }
}

static double findError(const Flow *flow, int cells)
{
    const tlwGrid *grid = &flow->grid;
    double dx = grid->dx, worst = 0;
    for (int k = 0; k < cells; k++)
        for (int j = 0; j < cells; j++)
            for (int i = 0; i < cells; i++)
                for (int a = 0; a < 3; a++) {
                    double face[3] = {(i + 0.5) * dx, (j + 0.5) * dx, (k + 0.5) * dx};
                    face[a] -= 0.5 * dx;
                    double found = tlwGetFloats(grid, flow->def.velocity[a])[tlwCellIndex(grid, i, j, k)];
                    worst = fmax(worst, fabs(found - derived(a, face, -1, -1)));
                }
    return worst;
}

tlwResult tlwMeasureViscosity(tlwContext *context, int cells, bool varying, double *error)
{
    if (!context || !error)
        return TLW_BAD_ARGUMENT;
    if (cells < 4 || cells > 256)
        return tlwFail(&context->message, TLW_BAD_ARGUMENT, "Viscosity is measured on 4 to 256 cells, not %d.", cells);
    Flow flow = {0};
    tlwStressStats stats;
    tlwResult result = initFlow(&flow, cells, varying) ? activate(&flow, cells) : TLW_OUT_OF_MEMORY;
    if (result == TLW_OUT_OF_MEMORY)
        tlwFailMemory(&context->message, "the manufactured flow");
    if (result == TLW_OK) {
        fill(&flow, cells);
        result = tlwSolveViscosity(context->threads, &flow.def, &stats, &context->message);
    }
    if (result == TLW_OK)
        *error = findError(&flow, cells);
    tlwFreeGrid(&flow.grid);
    return result;
}
