// Viscosity spreads momentum and drags bodies. Strong viscosity is followed by another projection; weak viscosity
// changes the velocity too little for that.
#include "base/context.h"
#include "base/pages.h"
#include "grid/grid.h"
#include "scene/scene.h"
#include "step/frozen/pieces.h"
#include "step/frozen/shape.h"
#include "step/pressure/pressure.h"
#include "step/progress.h"
#include "step/stages.h"
#include "step/viscosity/friction.h"
#include "step/viscosity/viscosity.h"

#include <math.h>

#define LAST_HALF 4        // times that a viscosity step is halved
#define DRAG_ITERATIONS 80 // most iterations with free pieces as unknowns; `melt_volume` takes 55
#define DRAG_PATIENCE 24   // iterations after which such a solve must show that it gets anywhere

static tlwViscosityDef describe(tlwSim *sim, double dt, const tlwShownShapes *shapes, tlwBodyCoupling *coupling)
{
    const tlwFlow *flow = &sim->flow;
    tlwViscosityDef def = tlwDefaultViscosityDef();
    def.grid = &sim->flow.grid;
    def.phi = flow->phi;
    def.solid = shapes->solid >= 0 ? shapes->solid : flow->solid;
    def.viscosity = shapes->viscosity >= 0 ? shapes->viscosity : flow->viscosity;
    def.density = flow->density;
    def.stick = flow->stick;
    def.reached = flow->reached;
    def.held = flow->frozen;
    def.held_value = sim->pieces.count > 0 ? TLW_FROZEN_HELD : 0;
    def.coupling = coupling;
    def.solid_object = flow->solid_object;
    def.label = shapes->label;
    def.piece = flow->piece;
    def.swelling = sim->swollen ? flow->swelling : -1;
    def.dt = dt;
    def.tolerance = sim->scene->def.viscosity_tolerance;
    def.max_iterations = sim->scene->def.max_iterations;
    def.cancel = sim->context->def.cancel;
    def.user = sim->context->def.user;
    if (shapes->solid >= 0 && def.max_iterations > DRAG_ITERATIONS)
        def.max_iterations = DRAG_ITERATIONS;
    def.patience = shapes->solid >= 0 ? DRAG_PATIENCE : 0;
    for (int a = 0; a < 3; a++) {
        def.velocity[a] = flow->velocity[a];
        def.fluidity_slope[a] = flow->fluidity_slope[a];
        def.solid_velocity[a] = flow->solid_velocity[a];
        def.open[a] = flow->open[a];
        def.held_share[a] = flow->held_share[a];
        def.held_velocity[a] = flow->held_velocity[a];
        def.grip[a] = flow->grip[a];
    }
    return def;
}

// One implicit viscosity solve. When it does not converge, two of half the length, and so on: viscosity is never left
// out.
static tlwResult diffuse(tlwSim *sim, double dt, const tlwShownShapes *shapes, tlwBodyCoupling *coupling, int depth)
{
    tlwViscosityDef def = describe(sim, dt, shapes, coupling);
    tlwStressStats stats = {0};
    tlwResult result = tlwSolveViscosity(sim->context->threads, &def, &stats, &sim->context->message);
    if (stats.iterations > sim->stats.viscosity_iterations)
        sim->stats.viscosity_iterations = stats.iterations;
    if (result == TLW_OK) // a failed solve changes nothing
        sim->stats.viscosity_residual = fmax(sim->stats.viscosity_residual, stats.residual);
    if (result != TLW_NOT_CONVERGED || depth == LAST_HALF)
        return result;
    TLW_TRY(diffuse(sim, 0.5 * dt, shapes, coupling, depth + 1));
    return diffuse(sim, 0.5 * dt, shapes, coupling, depth + 1);
}

// Viscosity over dt; with a coupling it drags bodies and free pieces. Pieces may make the system too hard to solve,
// such as melting ice in water of little viscosity. Then they are held for this step: their drag is small there.
static tlwResult applyViscosity(tlwSim *sim, double dt, tlwBodyCoupling *coupling)
{
    const tlwShownShapes none = {-1, -1, -1};
    tlwShownShapes shapes = none;
    if (coupling)
        TLW_TRY(tlwShowShapes(sim->context, &sim->flow, &sim->pieces, &shapes));
    if (shapes.solid < 0)
        return diffuse(sim, dt, &none, coupling, 0);
    tlwResult result = diffuse(sim, dt, &shapes, coupling, LAST_HALF);
    tlwHideShapes(&sim->flow, &shapes);
    return result == TLW_NOT_CONVERGED ? diffuse(sim, dt, &none, coupling, 0) : result;
}

static double viscousRange(void *context, int64_t begin, int64_t end)
{
    const tlwFlow *flow = context;
    const float *viscosity = tlwGetFloats(&flow->grid, flow->viscosity);
    double most = 0;
    for (int64_t t = begin; t < end; t++)
        TLW_FOR_ROWS(&flow->grid, &flow->grid.tiles[t], j, k, row)
            for (int i = 0; i < TLW_TILE; i++)
                most = viscosity[row + i] > most ? viscosity[row + i] : most;
    return most;
}

// Material is stiff when the weight of a full domain strains it by less than a tenth a second. It then needs no
// projection to keep its volume, which would strain it more.
#define STIFF_SECONDS 10
#define STIFF_NUMBER 1e3 // and when its viscous number is at least this: viscosity has made it rigid

tlwStiffness tlwDescribeStiffness(const tlwSim *sim, const tlwStepPlan *plan)
{
    const tlwGrid *grid = &sim->flow.grid;
    int cells = grid->dims[0] > grid->dims[1] ? grid->dims[0] : grid->dims[1];
    double high = grid->dx * (cells > grid->dims[2] ? cells : grid->dims[2]), density = tlwGetMainDensity(sim);
    double heavy = STIFF_SECONDS * density * tlwLength(sim->scene->gravity) * high;
    return (tlwStiffness){sim->scene->materials,
                          (float)fmax(heavy, STIFF_NUMBER * density * grid->dx * grid->dx / plan->kick)};
}

// The projection that follows viscosity, except that stiff material keeps the velocity that viscosity left. The next
// step's viscosity finds the pressure of this one.
static tlwResult projectAround(tlwSim *sim, tlwStepPlan *plan, float limit)
{
    tlwThreads *threads = sim->context->threads;
    tlwGrid *grid = &sim->flow.grid;
    int kept[3];
    bool ok = true;
    for (int a = 0; a < 3; a++)
        ok = (kept[a] = tlwBorrowField(grid, sizeof(float))) >= 0 && ok;
    for (int a = 0; ok && a < 3; a++)
        tlwCopyFloats(threads, grid, tlwGetFloats(grid, sim->flow.velocity[a]), tlwGetFloats(grid, kept[a]));
    tlwResult result = ok ? tlwProject(sim, plan, true) : tlwFailMemory(&sim->context->message, "stiff material");
    if (result == TLW_OK)
        tlwHoldFirmFaces(threads, grid, plan->firm, limit, kept, sim->flow.velocity);
    for (int a = 0; a < 3; a++)
        tlwReturnField(grid, kept[a]);
    return result;
}

tlwResult tlwStageViscosity(tlwSim *sim, tlwStepPlan *plan)
{
    tlwThreads *threads = sim->context->threads;
    tlwFlow *flow = &sim->flow;
    double dx = flow->grid.dx, density = tlwGetMainDensity(sim), dt = plan->kick;
    double viscosity = tlwParallelMax(threads, flow->grid.tile_count, 16, viscousRange, flow);
    bool strong = viscosity * dt > 1e-3 * density * dx * dx;
    bool again = strong || flow->squeeze >= 0; // pressure must slow the liquid behind what friction brakes
    if (again)
        tlwApplyViscousPressure(plan->pressure);
    else
        tlwFillFloats(threads, &flow->grid, tlwGetFloats(&flow->grid, flow->viscous_pressure), 0);
    tlwClockStage(sim, "pressure");
    if (sim->swollen && !strong)
        tlwFillFloats(threads, &flow->grid, tlwGetFloats(&flow->grid, flow->swelling), 0);
    sim->swollen = strong;
    // A smaller viscous number changes no bit of a velocity in single precision.
    if (!again && !(viscosity * dt > 1e-8 * density * dx * dx))
        return TLW_OK;
    tlwShowMotion(sim, plan);
    if (tlwIsFrugal(sim)) // the viscosity solve is where most memory is needed
        tlwRestPressure(plan->pressure);
    TLW_TRY(tlwFindGrip(threads, sim->scene, dt, flow));
    tlwResult result = applyViscosity(sim, dt, strong && !sim->solids.split ? &plan->coupling : NULL);
    tlwReturnGrip(flow);
    tlwCleanPages(threads);
    TLW_TRY(result);
    tlwClockStage(sim, "viscosity");
    if (!again)
        return TLW_OK;
    tlwShowMotion(sim, plan);
    if (strong && sim->scene->material_count > 1) {
        plan->firm = tlwBorrowField(&flow->grid, sizeof(float));
        if (plan->firm < 0)
            return tlwFailMemory(&sim->context->message, "stiff material");
        tlwFindFirmness(threads, flow, plan->firm);
    }
    float limit = tlwDescribeStiffness(sim, plan).limit;
    plan->stiff = plan->firm >= 0 && viscosity > limit;
    return plan->stiff ? projectAround(sim, plan, limit) : tlwProject(sim, plan, true);
}
